"""How much a value looks like a secret by itself, from the characters it is made of."""

import unicodedata
from enum import IntEnum
from itertools import pairwise

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.secret_checks import (
    assigned_password,
    is_example,
    is_hash_of_words,
    is_name_of_code,
    is_passphrase,
    is_placeholder_or_code,
    is_type_word,
    random_looking,
)
from satchel.domain.safety.secret_rule import UUID


class Strength(IntEnum):
    """What a value looks like, weakest first."""

    ORDINARY = 0
    """A word, a name in code, a path, a number, a date, an id."""
    JOINED = 1
    """Words with signs between them that name nothing: a passphrase, or a compound word."""
    MIXED = 2
    """A word with a number, or words joined by a sign: much else is called so, such as a host or a product."""
    WORDY = 3
    """Words with a number, as in a passphrase: also a branch, a file or a host may be called so."""
    HEX = 4
    """Hexadecimal digits: a key or a hash."""
    CHOSEN = 5
    """A password that a person chose: a word with a number or a sign, or with digits for letters."""
    SIGNED = 6
    """Such a password with a sign in it."""
    CERTAIN = 7
    """Letters, digits and signs mixed, or a long random run: hardly anything else looks so."""


SHORTEST = 6
LONGEST = 400
# Without a sign a password needs more characters, and a key more still.
_SHORTEST_PLAIN = 8
_SHORTEST_RUN = 16
_SHORTEST_SALT = 32
# Two words written as one, with a number: WinterDriver32.
_SHORTEST_NAME = 10
_FORMS = (
    # A number, date, version, address or size, with its signs.
    r"[0-9.,:/x+*%#~^<>=-]+[A-Za-z%]{0,3}",
    # A URL, a path, a mail address.
    r"(?i:[a-z][a-z0-9+.-]{1,20}://.*|(?:[a-z]:\\|\\\\|~?/|\.{1,2}/).*|[\w.+-]{1,64}@[\w.-]+\.[a-z]{2,12})",
    UUID,
    # The id of a trace.
    r"(?:Root=)?1-[0-9a-f]{8}-[0-9a-f]{24}",
    # An account or a contract of a blockchain.
    r"0x[0-9a-fA-F]{40}",
    # A path in a store of objects.
    r"(?:[a-z0-9_.=-]{1,40}/){2,12}+[A-Za-z0-9_-]{1,80}(?:\.[a-z][a-z0-9]{1,8}){1,3}",
    # A declaration in a style sheet.
    r"-{0,2}[a-z]{2,20}(?:-[a-z]{2,20}){0,4}:(?:#[0-9a-fA-F]{3,8}|-?[0-9.]{1,8}[a-z%]{0,4})",
    # A class of characters in a regular expression.
    r".*(?:a-z|A-Z).*",
    # A program with its version.
    r"[A-Za-z0-9]+[_-]?v?[0-9]+(?:\.[0-9]+)+",
    # A name in a package.
    r"\w+(?:::\w+)+[>-]*",
    # A host with what stands before it in an address.
    r"[^@]*@(?:localhost|(?:[\w-]+\.)+[a-z]{2,12}|[\w.-]+:[0-9]{2,5})(?:[/:].*)?",
    # A reference to an issue, a version of a package, an assignment, a query.
    r"(?:[\w.-]+/)+[\w.-]*#[0-9]+|(?:[a-z0-9.-]*|[A-Z]+)#[0-9]+(?:-[0-9]+)*|@?[a-z0-9_./-]+@[~^]?v?[0-9][\w.+-]*|-{0,2}(?:[a-z_-]{2,}|[A-Z_]{2,})=[\w./:,<>()\[\]\"-]*|--[a-z][a-z-]+\*?|[\w./-]*\?[\w.-]+=.*|v?[0-9]+\.[0-9.]+[\w.+-]*|~\w+\.[\w.]*|[!~][a-z_][a-z_.*()]*|#[0-9a-fA-F]{3,8}",
)
# A name with a number, as a reference or a part of a path has, but not one of code: Falcon/2207, black-heron#42.
_NUMBERED = r"(?!(?i:issue|bug|ticket|pull|page|section|chapter|release|version|build|pr|gh)s?[#/])[A-Z][a-z]{3,20}[#/][0-9]{2,6}|[a-z]{3,20}[_-][a-z]{3,20}#[0-9]{2,6}"
FILE = r"[\w./-]+\.[a-z]{1,4}[0-9]?"
_HEX = r"[0-9a-f]{16,}|[0-9A-F]{16,}"
# A key in groups, as a licence has: at least two of them with a letter and a digit.
_GROUPS = r"[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,8}"
_MIXED_GROUP = r"[A-Z0-9]*(?:[A-Z][0-9]|[0-9][A-Z])[A-Z0-9]*"
_PARTS = r"[A-Za-z0-9]+"
# A word or a name of several with up to two digits (web1, ChaCha20Poly1305, pod2html), capitals with a number (ISO27001),
# a number with a unit.
_ORDINARY_PART = r"[A-Za-z]?[a-z]*(?:[A-Z][a-z]+){0,6}[0-9]{0,2}|(?:[A-Z][a-z]+[0-9]{0,4}){2,6}|[a-z]{2,}[24][a-z]{2,}|[A-Z]{2,12}[0-9]{0,6}|[0-9]{1,12}[a-z]{0,2}"
_DIGITS_FOR_LETTERS = r"[a-zA-Z][0-9][a-zA-Z]{1,3}[0-9]|[0-9][a-zA-Z]{1,3}[0-9][a-zA-Z]"
_RUNS = r"[A-Za-z0-9+/_-]+={0,2}"
_SIGNS = frozenset("!@#$%^*+=?~&§")
# Signs that join a word of another script to a number or to another word: prose has none of them within a word.
_JOINING = frozenset("!#$%&*+=?@_~§")
# Latin letters that are no letter with a mark.
_LATIN = str.maketrans(
    {
        "ß": "ss",
        "ø": "o",
        "Ø": "O",
        "ł": "l",
        "Ł": "L",
        "æ": "ae",
        "Æ": "Ae",
        "œ": "oe",
        "đ": "d",
        "Đ": "D",
        "ı": "i",
        "þ": "th",
        "ð": "d",
    }
)


def strength(value: str) -> Strength:
    """Return what a value looks like."""
    if is_plain_word(value):
        return Strength.ORDINARY
    if value.startswith("*") and value.endswith("*"):
        # Emphasis, as in Markdown.
        value = value.strip("*")
    if not value.isascii():
        value = without_accents(value)
    if _is_salt(value):
        return Strength.CERTAIN
    if " " in value:
        return Strength.ORDINARY
    if compiled(_NUMBERED).fullmatch(value):
        return Strength.MIXED
    if not _may_be_secret(value):
        return _strength_of_words(value)
    if compiled(_HEX).fullmatch(value) or is_hash_of_words(value):
        return Strength.HEX if random_looking(value) else Strength.ORDINARY
    if compiled(_GROUPS).fullmatch(value) and len(compiled(_MIXED_GROUP).findall(value)) >= 2:
        return Strength.CERTAIN
    if value.isalpha() and value.islower() and len(value) >= _SHORTEST_RUN and random_looking(value):
        return Strength.HEX
    parts = compiled(_PARTS).findall(value)
    is_ordinary = all(compiled(_ORDINARY_PART).fullmatch(part) for part in parts)
    if not is_ordinary and _has_random_run(value):
        return Strength.CERTAIN
    if len(value) >= _SHORTEST_PLAIN and any(map(str.isdigit, value)) and _SIGNS & set(value):
        joined = len(parts) == 2 and sum(one in _SIGNS for one in value) == 1
        return Strength.SIGNED if joined or len(parts) == 1 else Strength.CERTAIN
    if is_ordinary:
        if "/" in value:
            return Strength.ORDINARY
        several = len(parts) >= 3 or (len(value) >= _SHORTEST_NAME and value != value.lower())
        if several and any(map(str.isdigit, value)):
            return Strength.WORDY
        return Strength.MIXED if _is_mixed(value, parts) else min(_strength_of_words(value), Strength.JOINED)
    if not any(map(str.isdigit, value)):
        return Strength.MIXED if _is_mixed(value, parts) else Strength.ORDINARY
    if len(parts) > 1 or (len(value) < _SHORTEST_PLAIN and not compiled(_DIGITS_FOR_LETTERS).search(value)):
        return Strength.WORDY
    return Strength.CHOSEN


def is_plain_word(value: str) -> bool:
    """Return whether a value is a word as in a sentence: most values that are looked at are."""
    return len(value) < _SHORTEST_RUN and value.isalpha() and value[1:].islower()


def looks_mixed(value: str) -> bool:
    """Accept a value that is more than a word: for a place that holds nothing but a password."""
    return strength(value) >= Strength.MIXED


def looks_told(value: str) -> bool:
    """Accept a value that a text tells next to a user: a plain word, too, but no number, name or address."""
    return strength(value) >= Strength.JOINED or (value.isalpha() and assigned_password(value))


def looks_chosen(value: str) -> bool:
    """Accept a value that looks like a password or a key, and not like a hash."""
    return strength(value) >= Strength.CHOSEN


def looks_signed(value: str) -> bool:
    """Accept a value that hardly anything but a password or a key looks like."""
    return strength(value) >= Strength.SIGNED


def _may_be_secret(value: str) -> bool:
    return (
        SHORTEST <= len(value) <= LONGEST
        and value.isascii()
        and value.isprintable()
        and any(map(str.isalpha, value))
        and not any(compiled(form).fullmatch(value) for form in _FORMS)
        and not is_placeholder_or_code(value)
        and not is_type_word(value)
        and not is_example(value)
    )


def without_accents(value: str) -> str:
    """Return letters of Latin script without their marks; those of another script too, if a sign joins them to the rest.

    Without such a sign a word of another script is the next word of a sentence, and no secret.
    """
    plain = "".join(one for one in unicodedata.normalize("NFKD", value) if not unicodedata.combining(one))
    plain = plain.translate(_LATIN)
    if plain.isascii() or not _JOINING & set(plain[1:-1]):
        return plain
    return "".join(one if one.isascii() or not one.isalpha() else _stand_in(one) for one in plain)


def _stand_in(letter: str) -> str:
    """Return a letter of ASCII in the same case: only what kind of letters a value has matters here."""
    return chr(ord("A" if letter.isupper() else "a") + ord(letter) % 26)


def _strength_of_words(value: str) -> Strength:
    """Return what words with signs between them look like, which in code would be a name."""
    is_long_enough = _SHORTEST_PLAIN <= len(value) <= LONGEST
    if (
        not is_long_enough
        or is_name_of_code(value)
        or not is_passphrase(value)
        or any(compiled(one).fullmatch(value) for one in (FILE, *_FORMS))
    ):
        return Strength.ORDINARY
    return Strength.JOINED if value == value.lower() else Strength.MIXED


def _is_mixed(value: str, parts: list[str]) -> bool:
    """Return whether a value has a digit, a sign that joins no names, or capitals in two parts: no file, no standard."""
    if len(value) < _SHORTEST_PLAIN or value.isupper() or compiled(FILE).fullmatch(value):
        return False
    is_joined = len(parts) >= 2 and sum(part[0].isupper() or part.isdigit() for part in parts) >= 2
    return any(map(str.isdigit, value)) or bool(_SIGNS & set(value)) or is_joined


def _is_salt(value: str) -> bool:
    """Return whether a long value is of letters, digits, signs and blanks at random, without a word in it."""
    signs = sum(not letter.isalnum() and letter not in " -_./:" for letter in value)
    words = compiled(r"[A-Za-z][a-z]{4}").search(value)
    return len(value) >= _SHORTEST_SALT and signs >= len(value) // 8 and any(map(str.isdigit, value)) and not words


def _has_random_run(value: str) -> bool:
    longest = max(compiled(_RUNS).findall(value), key=len, default="")
    if len(longest) < _SHORTEST_RUN or not random_looking(longest):
        return False
    changes = sum(_kind(one) != _kind(other) for one, other in pairwise(longest))
    return changes >= len(longest) // 4


def _kind(letter: str) -> int:
    return 0 if letter.isdigit() else 1 if letter.isupper() else 2
