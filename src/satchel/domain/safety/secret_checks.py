"""Checks that reject false matches of the secret rules: prose, placeholders and code."""

import math
import re
from collections import Counter

_PLACEHOLDER = re.compile(
    r"(?i)^(?:[$<{%@&(\[]|\*+$|\.{2,}|-+$|your|my[-_]?(?:pass|secret|token|key)|(?:some|the)[-_]|example|sample|dummy|"
    r"placeholder|change_?me|replace|insert|redacted|removed|hidden|masked|undefined|null|nil|none|true|false|"
    r"(?:user)?pass(?:wd|word|phrase)?$|secret$|token$|process\.env|os\.|env[.(\[]|getenv|self\.|this\.|config\.|"
    r"https?://|file:|\.{0,2}/)|x{4,}|\.{3}|\$\{|\{\{|%\(|%s"
)
# Identifiers in code: words joined by dots or underscores, a call, an index.
_IDENTIFIER = re.compile(r"[A-Za-z]{1,24}(?:(?:[._-]|::|->)[A-Za-z]{1,24}){0,12}")
_CODE = re.compile(r"[A-Za-z_][\w.]{0,60}[(\[]|[\w.]{1,60}\(\)?$|.{0,200}(?:=>|&&|\|\||==\s{0,4}\w)")
_KEY_LINE = re.compile(r"[A-Za-z0-9+/=]{16,80}+")
_TYPE_WORDS = frozenset(
    [
        "string", "str", "bytes", "bool", "boolean", "integer", "number", "float", "object", "array", "optional",
        "required", "forbidden", "missing", "invalid", "expired", "unknown", "default", "empty", "value", "values",
        "input", "output", "field", "label", "text", "type", "secret", "token", "password", "username", "hidden",
        "disabled", "enabled", "inherit", "plain", "basic", "bearer", "digest", "sha256", "base64", "literal",
        "secretstr", "forgotten", "incorrect",
    ]
)  # fmt: skip


def entropy(text: str) -> float:
    """Return the Shannon entropy of a text, in bits per character."""
    length = len(text)
    return -sum(count / length * math.log2(count / length) for count in Counter(text).values()) if length else 0.0


def anything(value: str) -> bool:
    """Accept every match: the pattern is specific enough."""
    return bool(value)


def key_block(value: str) -> bool:
    """Accept text with a line of key material."""
    return any(random_looking(line) for line in _KEY_LINE.findall(value[:2000]))


def random_looking(value: str) -> bool:
    """Accept a varied value that is not a placeholder and has a digit or mixed case."""
    body = value.rpartition("_")[2] if value.count("_") < 4 else value
    mixed = any(letter.isdigit() for letter in value) or (value != value.lower() and value != value.upper())
    shown = "xxxx" in value.lower() or "..." in value or value.count("EXAMPLE") > 2
    return mixed and entropy(body or value) >= 2.5 and not shown


def marked(value: str) -> bool:
    """Accept a value with a unique prefix, unless it is an example."""
    return len(set(value)) >= 6 and "xxxx" not in value.lower() and "..." not in value


def credential(value: str) -> bool:
    """Accept a possible token, key or secret: varied, with digits, and not code."""
    if len(value) < 8 or _is_placeholder_or_code(value) or not any(letter.isdigit() for letter in value):
        return False
    if not any(letter.isalpha() for letter in value):
        return len(value) >= 15 and entropy(value) >= 2.5
    return entropy(value) >= (2.9 if len(value) < 20 else 3.0)


def varied_capitals(value: str) -> bool:
    """Accept a run of capitals and digits that looks random."""
    return entropy(value) >= 3.8 and sum(letter.isdigit() for letter in value) >= 2 and "ABCDEF" not in value


def strong_credential(value: str) -> bool:
    """Accept only long random values: for names that often precede harmless ones."""
    return len(value) >= 16 and credential(value) and entropy(value) >= 3.3 and " " not in value


def password(value: str) -> bool:
    """Accept a possible password; a person chose it, so it need not look random."""
    if len(value) < 4 or _is_placeholder_or_code(value) or value.lower() in _TYPE_WORDS:
        return False
    kinds = sum(
        (any(map(str.isdigit, value)), any(map(str.isalpha, value)), any(not letter.isalnum() for letter in value))
    )
    return len(set(value)) > 2 and (kinds >= 2 or len(value) >= 6)


def bare_password(value: str) -> bool:
    """Accept an unquoted password; a plain word is more likely the beginning of a sentence."""
    plain = value.isalpha() and value[1:] == value[1:].lower()
    return not plain and password(value)


def spoken_password(value: str) -> bool:
    """Accept a password in a sentence, where the next word is usually not one."""
    return (
        password(value)
        and len(value) >= 6
        and value[0] not in ".(["
        and any(map(str.isdigit, value))
        and any(not letter.isdigit() for letter in value)
    )


def url_password(value: str) -> bool:
    """Accept a password in a URL."""
    return len(value) >= 3 and not _PLACEHOLDER.search(value) and value.lower() not in _TYPE_WORDS


def _is_placeholder_or_code(value: str) -> bool:
    if _PLACEHOLDER.search(value) or _CODE.match(value):
        return True
    words = _IDENTIFIER.fullmatch(value)
    return words is not None and (any(mark in value for mark in "._-:>") and value == value.lower())
