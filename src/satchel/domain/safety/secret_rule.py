"""What a rule for secrets is, and how the pattern of a key with a fixed beginning is made."""

import re
from collections.abc import Callable, Iterable
from functools import cache
from typing import NamedTuple

from satchel.domain.safety.compiled import compiled


class SecretRule(NamedTuple):
    """One kind of secret. The named group, or else the whole match, is masked."""

    kind: str
    keywords: tuple[str, ...]
    """The pattern is tried only if the text contains one of them. A keyword in lower case is found in any case, one
    with a capital only as it is written. One that begins with a letter or digit must begin a word."""
    pattern: str | Callable[[], str]
    """A regular expression, or what makes it when it is needed; empty for a key with a fixed prefix."""
    accepts: Callable[[str], bool]
    """Checks a match."""
    exact: bool = False
    """Whether keywords in lower case, too, are found only as they are written."""
    inside: bool = False
    """Whether keywords are also found inside a word."""
    run: int = 0
    """The pattern is tried only if the text has so many letters and digits in a row."""
    digits: bool = False
    """The pattern is tried only if the text has three digits near each other."""
    far: bool = False
    """Whether a match may be longer than a block of the text (see `surroundings`)."""
    body: str = ""
    """What follows the prefix, which is the keyword: a shape."""
    values: Callable[[str, re.Match[str]], Iterable[tuple[int, int]]] | None = None
    """Finds the values that belong to a match, where the pattern only finds the word that announces them."""

    def regex(self) -> re.Pattern[str]:
        """Return the compiled pattern."""
        pattern = self.pattern if isinstance(self.pattern, str) else self.pattern()
        return compiled(pattern or _prefixed(self.keywords[0], self.body))


# How long a key may be at most, where its maker does not say.
LONGEST = 4000
# The alphabets of `shape`.
ALPHABETS = {
    "w": "A-Za-z0-9",
    "h": "0-9a-f",
    "x": "0-9a-fA-F",
    "u": "A-Z0-9",
    "l": "a-z0-9",
    "b": "A-Za-z0-9+/",
    "s": "A-Za-z0-9_-",
    "d": "0-9",
    "q": "A-Z2-7",
}
_PIECE = r"\{(?P<alphabet>[whxulbsdq])(?P<least>\d+)(?P<more>,(?P<most>\d*))?\}|(?P<uuid>\{uuid\})"
UUID = r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}"
# A key ends where its letters and digits end.
END = r"(?![A-Za-z0-9])"


@cache
def edge(behind: int, letters: str = "A-Za-z0-9") -> str:
    """Return a pattern for where a token may begin, seen from `behind` characters after its beginning.

    Not inside a word, but after an escaped line break, a percent or Unicode escape, or a colour code. Looking back lets
    a pattern start with the token itself, which the regex engine finds much faster than a look-behind.
    """
    back = f".{{{behind}}}" if behind else ""
    escapes = (r"\\[nrt]", r"%[0-9A-Fa-f]{2}", r"\\u[0-9A-Fa-f]{4}", r"\x1b\[[0-9]m", r"\x1b\[[0-9]{2}m")
    return "(?:" + "|".join([f"(?<![{letters}]{back})", *(f"(?<={escape}{back})" for escape in escapes)]) + ")"


def in_any_case(word: str, before: str = "") -> str:
    """Return the pattern of a word in any case, with a condition on what is before it.

    It begins with the first letter, which the regex engine finds much faster than a word without regard to case.
    """
    first = f"[{word[0].upper()}{word[0]}]" if word[0].upper() != word[0] else re.escape(word[0])
    return f"{first}{before}(?i:{re.escape(word[1:])})" if word[1:] else first + before


def shape(body: str) -> str:
    """Return the pattern of a shape such as {w22}_{w59}: pieces of an alphabet with a length or a range of lengths."""
    pattern, end = "", 0
    for piece in compiled(_PIECE).finditer(body):
        pattern += re.escape(body[end : piece.start()]) + _repeated(piece)
        end = piece.end()
    return pattern + re.escape(body[end:])


def _repeated(piece: re.Match[str]) -> str:
    if piece["uuid"]:
        return UUID
    letters, least = ALPHABETS[piece["alphabet"]], piece["least"]
    if not piece["more"]:
        return f"[{letters}]{{{least}}}"
    return f"[{letters}]{{{least},{piece['most'] or LONGEST}}}+"


def prefixed(kind: str, prefix: str, body: str, accepts: Callable[[str], bool]) -> SecretRule:
    """Return the rule for keys with a fixed prefix."""
    return SecretRule(kind, (prefix,), "", accepts, exact=True, body=body)


@cache
def _prefixed(prefix: str, body: str) -> str:
    # A piece without a greatest length takes all there is: to reject a longer one would only cost time.
    return f"{re.escape(prefix)}{edge(len(prefix))}{shape(body)}{'' if body.endswith(',}') else END}"
