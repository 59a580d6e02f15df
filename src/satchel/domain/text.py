"""Validate texts before storing them: not empty, not too long, no control characters."""

import codecs
import unicodedata

from satchel.errors import InvalidRequest

MAX_TEXT_CHARS = 100_000
MAX_FIELD_CHARS = 1_000

_INVISIBLE = frozenset({"Cc", "Cf", "Zs", "Zl", "Zp"})
# Tab, line feed and carriage return are the only control characters that a text may contain.
_WRITABLE_CONTROLS = frozenset("\t\n\r")
# Control characters and lone surrogates.
_UNWRITABLE = frozenset({"Cc", "Cs"})
_UTF16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def check_text(text: str, field: str, *, limit: int = MAX_FIELD_CHARS) -> str:
    """Return the text if it can be stored, or raise InvalidRequest."""
    if not isinstance(text, str):
        raise InvalidRequest(f"{field} must be a string", code="wrong_type")
    if not text[:1].isalnum() and not any(unicodedata.category(letter) not in _INVISIBLE for letter in text):
        raise InvalidRequest(
            f"{field} is empty", code="empty_text", hint=f"give {field} at least one visible character"
        )
    if len(text) > limit:
        raise InvalidRequest(
            f"{field} has {len(text):,} characters, {limit:,} are allowed",
            code="text_too_long",
            hint="store the important part, and keep the rest in a file that the memory names",
        )
    return check_writable(text, field)


def decode_text(data: bytes, name: str) -> str:
    """Return the text of a file, which is UTF-8, or UTF-16 with its byte order mark, or raise InvalidRequest."""
    is_wide = data.startswith(_UTF16)
    if b"\0" in data and not is_wide:
        raise InvalidRequest(f"{name[:80]!r} is not a text", code="binary")
    try:
        text = data.decode("utf-16" if is_wide else "utf-8-sig")
    except UnicodeDecodeError:
        raise InvalidRequest(f"{name[:80]!r} is not UTF-8", code="not_utf8") from None
    if "\0" in text:
        raise InvalidRequest(f"{name[:80]!r} is not a text", code="binary")
    return text


def check_writable(text: str, field: str) -> str:
    """Return the text, which may be empty, if it has no forbidden characters, or raise InvalidRequest."""
    # Nothing printable is forbidden, and most texts are printable.
    place = None if text.isprintable() else _unwritable_place(text)
    if place is not None:
        number = ord(text[place])
        # So Python reads a byte that is not UTF-8.
        is_byte = 0xDC80 <= number <= 0xDCFF
        found = f"the byte 0x{number - 0xDC00:02X}" if is_byte else f"U+{number:04X}"
        raise InvalidRequest(
            f"{field} contains {found} at position {place}, which {'is not UTF-8' if is_byte else 'cannot be stored'}",
            code="unwritable_character",
            hint="convert it to UTF-8" if is_byte else "remove control characters and lone surrogates",
        )
    return text


def _unwritable_place(text: str) -> int | None:
    """Return where the first forbidden character is. Few different ones are in a text, so each is looked at once."""
    forbidden = [one for one in set(text) if unicodedata.category(one) in _UNWRITABLE and one not in _WRITABLE_CONTROLS]
    return min(map(text.index, forbidden), default=None)


def replace_undecodable(text: str) -> str:
    """Return a text with undecodable bytes replaced. Stored text never holds them, so a lookup just finds nothing."""
    return text.encode("utf-8", "replace").decode("utf-8")


def check_optional_text(text: str | None, field: str) -> str | None:
    """Like check_text, for an optional field."""
    return None if text is None else check_text(text, field)


def normalize_text(text: str) -> str:
    """Return a form that is equal for texts that differ only in case, width, composition or white space."""
    if text.isascii():
        return " ".join(text.lower().split())
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return " ".join(folded.split())
