"""Checks that reject false matches of the secret rules: prose, placeholders, examples, ids and code."""

import math
from collections import Counter
from itertools import pairwise

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.descriptions import describes
from satchel.domain.safety.secret_rule import UUID
from satchel.domain.safety.secret_words import PASSWORD_STEMS

_PLACEHOLDER = (
    r"(?i)^[\"']?(?:[<{&(\[,]|\$(?!\d)|[%@](?![a-z]*\d+[^.]*$)|\*+$|\.{2,}|-+$|your|my[-_]?(?:pass|secret|token|key)|(?:some|the)[-_](?:\w{1,12}[-_])?(?:pass|secret|token|key|value|string)|\?[a-z]{1,12}$|example|sample|dummy|"
    r"placeholder|change[-_]?me|replace|insert|(?:redacted|removed|hidden|masked|undefined|null|nil|none|true|false)(?![a-z0-9])|"
    r"(?:user)?pass(?:wd|word|phrase)?$|secret$|token$|process\.env|os\.|env[.(\[]|(?:env|ssm|keyring|keychain):[A-Za-z_/]|getenv|self\.|this\.|config\.|"
    r"[a-z][a-z0-9+.-]{1,20}://|file:|sha(?:1|256|512)[:-]|~/|arn:|urn:|refs/|vault:|ref\+|enc\[|projects/|\.{0,2}/|!(?=\w{0,20}(?:ref|vault|sub|getatt|secret|env|var|file|include|lookup|ssm|sops|import))[a-z]\w{1,30}(?:\s|$))|x{4,}|\.{2}[./]|\$\{|\{\{|%\(|%s(?![A-Za-z])"
)
_EXAMPLE = (
    r"(?i)x{4,}|\.{3}|\*{3}|example|"
    # Parts of keys that makers publish: in documentation, for emulators, and for tests of a form.
    r"Eby8vdM02xNOcqFlqUwJ|C2y6yDjf5/R\+ob0N8A7C|6LeIxAcTAAAAA|4eC39HqLyjWD|BQokikJOvBiI|TYooMQauvdED|SflKxwRJSMeKKF2QT4|KMUFsIDTnFmyG3nMi|"
    r"(?:^|[-_.])(?:your|sample|dummy|fake|placeholder|changeme|replace|insert|redacted|goes|here|randomstringhere)(?:[-_.]|$)"
)
# Words of which the name of a secret or of a variable is made, and hardly a passphrase.
_NAMING = (
    r"(?i)pass\w*|pwd|pw|secrets?|tokens?|keys?|creds?|credentials?|auth|login|users?|username|admin|vault|env|conf(?:ig)?|settings?|"
    r"form|inputs?|fields?|label|values?|params?|options?|default|example|sample|reset|forgot|confirm|current|your|data|text|type|name|"
    r"file|path|self|this|args?|request|response|result|string|object|client|server|session|account|service|prod|production|"
    r"staging|dev|test|demo|app|api|db|http|https|url|get|set|read|write|only|based|encoded|hashed|sensitive|policy|manager|"
    r"generated|required|protected|new|old|me|my|the|state|props|body|event|row|item|todo|here"
)
_JOINED_WORDS = r"[^\W_]{2,24}(?:[._-][^\W_]{1,24}){1,8}"
_WORDS_OF_NAME = r"[A-Z]?[^\W\dA-Z_]+|[A-Z]+(?![^\W\dA-Z_])|[0-9]+"
# Words of a sentence, in which a phrase would be about a password.
_STATING = frozenset(
    [
        "not", "is", "are", "was", "be", "must", "should", "can", "cannot", "has", "have", "been", "do", "does", "please", "enter", "your",
        "too", "wrong", "invalid", "incorrect", "required", "password", "passwords", "passphrase", "match", "characters", "ist", "nicht",
        "muss", "bitte", "falsch", "est", "pas", "doit", "es", "no", "debe", "ask", "see", "keep", "set", "use", "forgot", "reset",
        "in", "stored", "kept", "known", "the", "to", "by", "from", "than", "for", "as", "at", "with", "same", "used", "needed", "only",
        "always", "never", "written", "now", "and", "or", "if", "will", "may", "gespeichert", "minimum", "maximum", "mindestens", "höchstens",
        "zeichen", "chars", "digits", "letters", "days", "tage", "caractères", "caracteres", "jours", "días", "least", "min", "max",
    ]
)  # fmt: skip
# What follows a word that describes a password: printed on paper.
_AFTER_DESCRIPTION = frozenset(
    [
        "before",
        "after",
        "with",
        "by",
        "in",
        "on",
        "of",
        "here",
        "there",
        "when",
        "so",
        "again",
        "because",
        "until",
        "under",
        "unter",
        "auf",
        "sur",
        "en",
    ]
)
# Signs and digits that stand for letters, as in s3cr3t and p@ssw0rd.
_LEET = str.maketrans("013457@$", "oieastas")
# Identifiers in code: words joined by dots or underscores, a call, an index; a constant or variable of the environment.
_IDENTIFIER = r"[#.]?_{0,2}[A-Za-z]{1,24}(?:(?:[._-]|::|->)[A-Za-z]{1,24}){0,12}"
_CONSTANT = r"(?:_{0,2}|[A-Za-z_]\w{2,40}\.)[A-Z]{1,24}[0-9]{0,2}(?:_[A-Z]{0,24}[0-9]{0,2}){1,8}"
# A class, perhaps in a module, that is named after a secret: X25519PublicKey, auth.LoginToken. A private class: _Login
_CLASS = r"[A-Za-z_][\w.]*[A-Za-z0-9](?:Key|Token|Secret|Credential|Type|Manager|Mgr|Name)s?|_[A-Z][A-Za-z]{3,40}"
_CODE = r"\w{1,60}(?:::\w{1,60}){1,6}$|[+.,\s]{0,3}(?:new\s)?\$?[A-Za-z_][\w.]{0,60}[(\[]|[\w.]{1,60}\(\)?$|[A-Za-z_]{1,30}(?:\.[A-Za-z_]{1,30}){1,4}\?$|[\w-]{1,40}\{[a-z-]{2,30}:|.{0,200}(?:=>|&&|\|\||==\s{0,4}\w)"
_PATH = r"(?:[a-z0-9_.=-]{1,40}/){2,12}+[A-Za-z0-9_-]{1,80}(?:\.[a-z][a-z0-9]{1,8}){1,3}$|(?:[a-z][a-z0-9_-]{2,30}/){1,12}+[A-Za-z0-9._-]{0,80}$|.{0,200}\.(?:png|jpe?g|svg|pdf|json|ya?ml|txt|pem|crt|key|tgz|gz|zip|html?|js|css|py)$"
# Two letters say what it is: a number, a service, a message; SK would be a key.
_ID_OF_MAKER = r"(?!SK)[A-Z]{2}[0-9a-f]{32}"
_HEX = r"[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64}|[0-9a-f]{7,12}"
# Words and a hash, as the key of a cache: Linux-pnpm-83cbd4…
_HASHED = r"(?:[A-Za-z0-9_.]{1,30}[-:]){2,8}[0-9a-f]{32,128}|[A-Za-z0-9_.]{1,30}[-:](?:[0-9a-f]{40}|[0-9a-f]{64})"
_SHORT_PREFIX = r"^[a-z]{2,6}[_-]"
# Words and short numbers of a path: draft-ietf-oauth-v2-31
_SLUG = r"(?:[a-z]{1,20}[0-9]{0,4}[a-z]{0,3}|[0-9]{1,4})(?:[._-](?:[a-z]{1,20}[0-9]{0,4}[a-z]{0,3}|[0-9]{1,4}))+"
_SEGMENTS = r"[A-Za-z0-9+/]+"
_WORD = r"(?<![A-Za-z0-9])[A-Z]?[a-z]{2,14}(?![a-z0-9])|(?<=[a-z])[A-Z][a-z]{3,14}(?![a-z0-9])|[A-Z][a-z]{3,14}(?=[A-Z][a-z]{3})"
_VOWELS = frozenset("aeiouyAEIOUY")
_KEY_LINE = r"[A-Za-z0-9+/=]{16,80}+"
# Where one alphabet of a counted-up value continues with the next.
_CONTINUES = frozenset(["90", "9a", "f0", "z0", "z1", "za", "0a", "10"])
_FILE_ENDINGS = frozenset(["html", "htm", "js", "css", "png", "jpg", "jpeg", "svg", "pdf", "zip", "gz", "md", "json"])
# A cipher, a hash or an encoding with its size.
_STANDARD = r"(?:aes|sha|rsa|md|hs|rs|ps|wpa|ed|argon|pbkdf|scrypt|bcrypt|blake|utf|latin|iso|cp|windows|base|ccmp|tkip|chacha|tls|ipv)[-_]?[0-9]{1,5}[a-z]{0,3}"
_TYPE_WORDS = frozenset(
    [
        "string", "str", "bytes", "bool", "boolean", "integer", "number", "float", "object", "array", "optional",
        "required", "forbidden", "missing", "invalid", "expired", "unknown", "default", "empty", "value", "values",
        "input", "output", "field", "label", "text", "type", "secret", "token", "password", "username", "hidden",
        "disabled", "enabled", "inherit", "plain", "basic", "bearer", "digest", "sha256", "base64", "literal",
        "secretstr", "forgotten", "incorrect", "test", "pass", "user", "prohibit-password", "changeit",
        "optional", "strong", "weak", "medium", "unchanged", "changed", "unset", "valid", "correct", "wrong", "prompt",
        "reset", "policy", "manager", "protected", "protection", "authentication", "accepted", "rejected", "denied", "failed",
        "hash", "hashed", "encrypted", "vergessen", "falsch", "geändert", "abgelaufen", "oublié", "incorrecte", "incorrecta",
        "1password", "bitwarden", "keepass", "keepassxc", "lastpass", "dashlane", "obligatoria", "obligatoire", "erforderlich", "nothing", "something", "anything", "sorry", "thanks", "unbekannt", "please", "bitte", "dimenticata", "esquecida", "oubliée", "foobared", "wpa-psk", "wpa2-psk", "wpa-eap", "varchar", "nvarchar", "char", "text", "blob", "uuid", "timestamp", "olvidada", "olvidado",
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
    return any(random_looking(line) for line in compiled(_KEY_LINE).findall(value[:2000]))


def random_looking(value: str) -> bool:
    """Accept a varied value that has a digit or mixed case, and is neither an example nor made of words."""
    is_varied = any(map(str.isdigit, value)) or _has_both_cases(value) or _is_unpronounceable(value)
    if not is_varied or is_example(value) or _is_words(value):
        return False
    segments = compiled(_SEGMENTS).findall(value)
    longest = max(segments, key=len, default="")
    return entropy(longest if len(longest) >= 16 else "".join(segments)) >= (3.0 if len(longest) >= 32 else 2.5)


def marked(value: str) -> bool:
    """Accept a value with a unique prefix, unless it is an example."""
    return len(set(value)) >= 6 and not is_example(value)


def not_a_hash(value: str) -> bool:
    """Accept a hash, a dot and something random, which a file of that name does not have."""
    return random_looking(value) and _has_both_cases(value.rpartition(".")[2])


def credential(value: str) -> bool:
    """Accept a possible token, key or secret: varied, with digits or random letters, and not code."""
    if len(value) < 8 or is_placeholder_or_code(value) or is_example(value) or compiled(_PATH).match(value):
        return False
    if not any(map(str.isdigit, value)):
        is_random = _changes_case_often(value) or _is_unpronounceable(value)
        return len(value) >= 16 and is_random and entropy(value) >= 3.0 and not _is_words(value)
    if not any(map(str.isalpha, value)):
        return len(value) >= 15 and entropy(value) >= 2.5
    return entropy(value) >= (2.9 if len(value) < 20 else 3.0) and not _is_words(value)


def strong_credential(value: str) -> bool:
    """Accept only long random values: for names that often precede harmless ones, such as ids."""
    return (
        len(value) >= 16
        and credential(value)
        and entropy(value) >= 3.3
        and " " not in value
        and not compiled(UUID).fullmatch(value)
    )


def login_token(value: str) -> bool:
    """Accept the random part of a link: not a file, a name or an id."""
    return (
        strong_credential(value)
        and value.rpartition(".")[2] not in _FILE_ENDINGS
        and not compiled(_HEX).fullmatch(value)
        and not compiled(_SLUG).fullmatch(value)
    )


def maker_key(value: str) -> bool:
    """Accept a key next to the name of a maker, whose keys may be UUIDs."""
    if compiled(_ID_OF_MAKER).fullmatch(value):
        return False
    return strong_credential(value) or (compiled(UUID).fullmatch(value) is not None and credential(value))


def unnamed_key(value: str) -> bool:
    """Accept only what a cache, an index or a commit would not have as a key: neither a hash nor words and a hash."""
    return strong_credential(value) and not compiled(_HEX).fullmatch(value) and not is_hash_of_words(value)


def is_hash_of_words(value: str) -> bool:
    """Return whether a value is words and the hash of what they name."""
    return compiled(_HASHED).fullmatch(value) is not None


def varied_capitals(value: str) -> bool:
    """Accept a run of capitals and digits that looks random."""
    return entropy(value) >= 3.8 and sum(map(str.isdigit, value)) >= 2 and "ABCDEF" not in value


def password(value: str) -> bool:
    """Accept a possible password; a person chose it, so it need not look random."""
    if len(value) < 4 or value != value.strip() or is_type_word(value) or is_placeholder_or_code(value):
        return False
    kinds = sum(
        (any(map(str.isdigit, value)), any(map(str.isalpha, value)), any(not letter.isalnum() for letter in value))
    )
    return len(set(value)) > 2 and (kinds >= 2 or len(value) >= 6)


def quoted_password(value: str) -> bool:
    """Accept a password in quotes, where words with signs between them are no name in code."""
    return password(value) or is_passphrase(value)


def bare_password(value: str) -> bool:
    """Accept an unquoted password; a plain word is more likely the beginning of a sentence."""
    plain = value.isalpha() and (value[1:] == value[1:].lower() or _is_naming(value))
    return not plain and password(value)


def bare_answer(value: str) -> bool:
    """Accept the answer to a question of a bank or a service: a name, no word about the question."""
    return value[:1].isupper() and is_name_of_nothing(value) and not is_type_word(value)


def assigned_password(value: str) -> bool:
    """Accept a password that a line or a setting consists of: a plain word, too, but no name of another setting."""
    is_name = value.isalpha() and (len(value) < 6 or _is_naming(value))
    return not is_name and not is_type_word(value) and quoted_password(value)


def quoted_secret(value: str) -> bool:
    """Accept a secret in quotes: random, or at least three words that name nothing."""
    joints = sum(letter in "._-" for letter in value)
    return (
        credential(value)
        or (len(value) >= 12 and joints >= 2 and is_passphrase(value))
        or (is_phrase(value) and not _is_naming(value.replace(" ", "_")))
    )


def is_phrase(value: str) -> bool:
    """Return whether a value is a few words without a sign, as a passphrase is, and no statement about one."""
    words = value.split(" ")
    return (
        3 <= len(words) <= 10
        and not is_type_word(value)
        and not (describes(words[0]) and words[1].lower() in _AFTER_DESCRIPTION)
        and words[0].isalpha()
        and all(word.isalnum() for word in words)
        and not _STATING & set(value.lower().split())
    )


def is_name_of_nothing(value: str) -> bool:
    """Return whether no word of a few is said about passwords or used to name a setting."""
    words = value.lower().split()
    return not _STATING & set(words) and not _TYPE_WORDS & set(words) and not _is_naming(value.replace(" ", "_"))


def argument(value: str) -> bool:
    """Accept a password on a command line: not a variable, an option, a path or a port."""
    return (
        not value.startswith(("-", "/", "~/", "./", "../"))
        and not value.replace(":", "").isdigit()
        and quoted_password(value)
    )


def spoken_password(value: str) -> bool:
    """Accept a password in a sentence, where the next word is usually not one."""
    return (
        password(value)
        and len(value) >= 6
        and value[0] not in ".(["
        and any(map(str.isdigit, value))
        and not compiled(r"[0-9.,:/+-]+|[a-z_]{3,40}=[0-9.]+|\?[\w.-]{1,40}=.*").fullmatch(value)
        and max(value) < "\u2e80"
    )


def url_password(value: str) -> bool:
    """Accept a password in a URL."""
    return len(value) >= 3 and not compiled(_PLACEHOLDER).search(value) and value.lower() not in _TYPE_WORDS


def continued(value: str) -> bool:
    """Accept the rest of a literal whose beginning was a secret."""
    return (
        " " not in value
        and not is_placeholder_or_code(value)
        and (any(map(str.isdigit, value)) or _has_both_cases(value))
    )


def is_placeholder_or_code(value: str) -> bool:
    """Return whether a value stands for another: a placeholder, a variable, a name or an expression in code."""
    # In Python a colon ends the line: if password != password_again:
    value = value.removesuffix(":")
    if compiled(_PLACEHOLDER).search(value) or compiled(_CODE).match(value) or is_name_of_code(value):
        return True
    words = compiled(_IDENTIFIER).fullmatch(value)
    if words is None or not any(mark in value for mark in "._-:>"):
        return False
    return value == value.lower() or (value.lstrip("_")[0].islower() and "." in value)


def is_name_of_code(value: str) -> bool:
    """Return whether a value is the name of a constant or a class."""
    return compiled(_CONSTANT).fullmatch(value) is not None or compiled(_CLASS).fullmatch(value) is not None


def is_passphrase(value: str) -> bool:
    """Return whether a value is words with signs between them, none of which is used to name something."""
    return (
        compiled(_JOINED_WORDS).fullmatch(value) is not None
        and not _is_naming(value)
        and not is_type_word(value)
        and not compiled(_PLACEHOLDER).search(value)
    )


def _is_naming(value: str) -> bool:
    """Return whether at least a third of the words of a value are used to name a secret, a setting or a variable."""
    words = compiled(_WORDS_OF_NAME).findall(value)
    return 3 * sum(compiled(_NAMING).fullmatch(word) is not None for word in words) >= len(words)


def is_type_word(value: str) -> bool:
    """Return whether a value is a word that stands in the place of a password, perhaps with digits for letters."""
    # Emphasis of Markdown may enclose it.
    lowered = value.lower().strip("*")
    if compiled(_STANDARD).fullmatch(lowered):
        return True
    return lowered in _TYPE_WORDS or lowered.translate(_LEET) in _TYPE_WORDS or _is_label(lowered)


def _is_label(word: str) -> bool:
    """Return whether a word means password itself, in any language, or words speak of one, as the label of a field does."""
    if " " in word:
        return any(stem in word for stem in PASSWORD_STEMS)
    return word.isalpha() and any(word.startswith(stem) and len(word) - len(stem) <= 3 for stem in PASSWORD_STEMS)


def is_example(value: str) -> bool:
    """Return whether a value is an example of a key."""
    return compiled(_EXAMPLE).search(value) is not None or _is_counted_up(value)


def _is_counted_up(value: str) -> bool:
    """Return whether almost every character follows the one before: 0123456789abcdef, 1234-5678-90."""
    marks = [letter for letter in compiled(_SHORT_PREFIX).sub("", value.lower()) if letter.isalnum()]
    steps = sum(ord(after) - ord(before) == 1 or before + after in _CONTINUES for before, after in pairwise(marks))
    return len(marks) > 8 and steps >= 0.9 * (len(marks) - 1)


def _is_words(value: str) -> bool:
    """Return whether most of a value are words, with signs between them or in CamelCase."""
    words = [word for word in compiled(_WORD).findall(value) if _VOWELS & set(word)]
    return len(words) >= 2 and sum(map(len, words)) + len(words) >= 0.7 * len(value)


def _is_unpronounceable(value: str) -> bool:
    """Return whether a value has too many consonants in a row for words, twice."""
    return (
        " " not in value
        and len(compiled(r"[bcdfghjklmnpqrstvwxz]{5}|[bcdfghjkmnpqrstvwxz]{4}").findall(value.lower())) >= 2
    )


def _has_both_cases(value: str) -> bool:
    return value != value.lower() and value != value.upper()


def _changes_case_often(value: str) -> bool:
    """Return whether upper and lower case alternate as at random, which they do not in CamelCase."""
    changes = sum(before.isupper() != after.isupper() for before, after in pairwise(value))
    return changes >= 0.3 * len(value)
