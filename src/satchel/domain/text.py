"""What counts as storable text: something is there, it fits, and every character can be written down."""

import re
import unicodedata

from satchel.errors import InvalidRequest

MAX_TEXT_CHARS = 100_000
MAX_FIELD_CHARS = 1_000

_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
# Tab, line feed and carriage return are text; the other control characters are accidents or attacks.
_UNWRITABLE = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def checked(text: str, field: str, *, limit: int = MAX_FIELD_CHARS) -> str:
    """Return a text unchanged when it can be stored, or say what is wrong with it."""
    if not isinstance(text, str):
        raise InvalidRequest(f"{field} must be text", code="wrong_type")
    if not any(unicodedata.category(letter) not in _INVISIBLE for letter in text):
        raise InvalidRequest(
            f"{field} is empty", code="empty_text", hint=f"give {field} at least one visible character"
        )
    if len(text) > limit:
        raise InvalidRequest(
            f"{field} has {len(text):,} characters, {limit:,} are allowed",
            code="text_too_long",
            hint="store the part that matters, and keep the rest in a file that the memory names",
        )
    return writable(text, field)


def writable(text: str, field: str) -> str:
    """Return a text unchanged when every character of it can be written down; it may be empty."""
    if found := _UNWRITABLE.search(text):
        raise InvalidRequest(
            f"{field} holds the unwritable character U+{ord(found.group()):04X} at position {found.start()}",
            code="unwritable_character",
            hint="remove control characters and undecodable bytes, and send valid UTF-8",
        )
    return text


def readable(text: str) -> str:
    """Return a text with undecodable bytes made visible. Nothing stored holds them, so such a name is simply unknown."""
    return text.encode("utf-8", "replace").decode("utf-8")


def checked_or_none(text: str | None, field: str) -> str | None:
    """Like checked, for a field that may be left out."""
    return None if text is None else checked(text, field)


def normalised(text: str) -> str:
    """Return what two texts have in common that differ only in case, width, composition or white space."""
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())
