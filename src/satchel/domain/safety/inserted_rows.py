"""Secrets in rows that a statement inserts into a table: the list of columns says which value is one."""

import re
from collections.abc import Callable, Iterator
from functools import cache

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.near_values import Place
from satchel.domain.safety.secret_checks import anything, assigned_password, credential, is_phrase
from satchel.domain.safety.secret_rule import UUID, SecretRule
from satchel.domain.safety.secret_words import PASSWORD_STEMS
from satchel.domain.safety.told_digits import is_code

_INTO = r"[Ii](?i:nto)[ \t]{1,4}+[\w.\"`\[\]]{1,80}+\s{0,8}+\((?P<columns>[\w\s,\"`\[\].]{3,800}+)\)\s{0,8}+(?:[A-Za-z ]{1,40}+\s)?(?i:values?)\s{0,8}+"
_COLUMN = r"[\w.-]{1,60}"
_LITERAL = (
    r"[NEB]?'(?:[^'\\]|\\.|''){0,400}+'|\"(?:[^\"\\]|\\.|\"\"){0,400}+\"|(?:[^\s,'\"()]|\([^()]{0,100}+\)){1,200}+"
)
_OPENS_ROW = r"\s{0,8}+,?\s{0,8}+\(\s{0,8}+"
_SEPARATOR = r"\s{0,8}+,\s{0,8}+"
_MOST_ROWS, _MOST_COLUMNS = 20, 40
# The end of a column's name. What is known about a secret, such as its length or its hash, is another column.
_PASSWORD_END = r"(?i)(?:pass|passwd|pwd|pw|psk|mdp|clave|passphrase|passwort|parola)\Z"
_SECRET_END = r"(?i)(?:secret|token|api_?key|access_?key|private_?key|signing_?key|secret_?key|auth_?key)\Z"
_CODE_END = r"(?i)(?:\A|_)(?:pin|puk|(?:access|door|alarm|gate|entry|unlock|lock|security)_?code|passcode|nip)\Z"

Check = Callable[[str], bool]


def _is_password(value: str) -> bool:
    return assigned_password(value) or is_phrase(value)


def _is_secret(value: str) -> bool:
    return credential(value) and not compiled(UUID).fullmatch(value)


@cache
def _check_of(column: str) -> Check | None:
    """Return what accepts the values of a column, or nothing if it holds no secrets."""
    if compiled(_CODE_END).search(column):
        return is_code
    if compiled(_PASSWORD_END).search(column) or any(
        column.lower().endswith(stem) or column.lower().endswith((f"{stem}ord", f"{stem}ort", f"{stem}a"))
        for stem in PASSWORD_STEMS
    ):
        return _is_password
    return _is_secret if compiled(_SECRET_END).search(column) else None


def _values(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the literals of the columns that hold secrets."""
    columns = compiled(_COLUMN).findall(found["columns"])[:_MOST_COLUMNS]
    checks = [_check_of(column) for column in columns]
    if not any(checks):
        return
    end = found.end()
    for _ in range(_MOST_ROWS):
        opening = compiled(_OPENS_ROW).match(text, end)
        places = list(_row(text, opening.end(), len(columns))) if opening else []
        if not opening or len(places) != len(columns):
            return
        for check, (first, last) in zip(checks, places, strict=True):
            # Without quotes it is a number, a variable or a call.
            is_literal = text[last : last + 1] in ("'", '"') or text[first:last].isdigit()
            if check and is_literal and check(text[first:last]):
                yield first, last
        end = places[-1][1] + 1
        closing = compiled(r"[^()]{0,4}\)").match(text, end - 1)
        end = closing.end() if closing else end


def _row(text: str, start: int, most: int) -> Iterator[Place]:
    """Yield where the values of a row are, without their quotes."""
    for _ in range(most):
        literal = compiled(_LITERAL).match(text, start)
        if not literal:
            return
        first, last = literal.span()
        quoted = text[last - 1] in "'\""
        yield (text.index(text[last - 1], first) + 1 if quoted else first), last - quoted
        separator = compiled(_SEPARATOR).match(text, last)
        if not separator:
            return
        start = separator.end()


INSERTED_ROWS: tuple[SecretRule, ...] = (SecretRule("inserted-secret", ("into ",), _INTO, anything, values=_values),)
