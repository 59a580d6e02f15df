"""Undo what hides words from a reader of cues: look-alike letters, spelled-out words, encodings."""

import binascii
import re
import unicodedata
from collections.abc import Iterator
from functools import cache

# Maximum number of characters to read; a longer text is read from its start.
MAX_READ_CHARS = 100_000
MAX_DECODED = 8

_INVISIBLE = "[\u00ad\u200b-\u200f\u2060-\u2064\ufeff]"
_PLAIN = r"[\x00-\x7f]*+\Z"
_LOOK_ALIKES = str.maketrans("аеорсухіјѕԁһвкмнтΑΒΕΖΗΙΚΜΝΟΡΤΥΧοιν’‘“”", "aeopcyxijsdhbkmhtABEZHIKMNOPTYXoiv''\"\"")
_SPELLED_OUT = r"(?i)\b[a-z](?:[-. ][a-z]\b){4,200}+"
_BASE64 = r"(?<![\w/+=])(?=[\w/+]*[a-z])(?=[\w/+]*[A-Z])[A-Za-z0-9/+]{24,4000}={0,2}"
_HEX = r"(?i)(?<!\w)(?:[0-9a-f]{2} ?){10,2000}+"
_PERCENT = r"(?i)(?:%[0-9a-f]{2}){4,2000}"
_ESCAPED = r"(?i)\\u([0-9a-f]{4})"
_LEET = r"(?i)\b(?=\w*[a-z])(?=\w*[013457])[a-z013457]{4,24}\b"
_LEET_LETTERS = str.maketrans("013457", "oieast")
_LETTER_GAP = r"(?i)(?<=\b[a-z])[-. ](?=[a-z]\b)"
_TAGS = "[\U000e0020-\U000e007e]+"
# Most texts have none of these, and are not looked at more closely.
_HINT = r"[A-Za-z0-9/+]{24}|%[0-9a-fA-F]{2}%|\\u[0-9a-fA-F]{4}|[\U000e0020-\U000e007e]|[a-z][013457][a-z]"
_SINGLES = r" [a-zA-Z0-9]{1,2}[ -][a-zA-Z0-9]{1,2}[ -][a-zA-Z0-9]{1,2}[ -][a-zA-Z0-9]{1,2}[ -]"
_QUOTATION = r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|`[^`\n]{1,300}`"
_SENTENCE_ENDS = r"(?<=[.!?。！？])\s+|\n"
_READABLE = r"[\w\s.,;:!?'\"()/@$~|<>{}=+*-]{12,}"


def plain(text: str) -> str:
    """Return a text in lower case with full-width, look-alike and invisible characters undone."""
    text = text[:MAX_READ_CHARS]
    if _compiled(_PLAIN).match(text):
        return text.lower()
    text = _compiled(_INVISIBLE).sub("", unicodedata.normalize("NFKC", text))
    return text.translate(_LOOK_ALIKES).lower()


def without_quotes(text: str) -> str:
    """Return a text without what stands in double quotation marks or backticks."""
    return _compiled(_QUOTATION).sub(" ", text)


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, by their final marks and line breaks."""
    return _compiled(_SENTENCE_ENDS).split(text[:MAX_READ_CHARS])


def decoded(text: str) -> Iterator[str]:
    """Yield the texts that are encoded in a text: base64, hexadecimal, URL encoding, spelled out, in invisible tags."""
    if not (
        _compiled(_HINT).search(text, 0, MAX_READ_CHARS) or _compiled(_SINGLES).search(f" {text[:MAX_READ_CHARS]}")
    ):
        return
    found = 0
    for one in _encoded(text[:MAX_READ_CHARS]):
        if one and _compiled(_READABLE).fullmatch(one) and len(one.split()) > 1:
            yield one
            found += 1
            if found == MAX_DECODED:
                return


def _encoded(text: str) -> Iterator[str]:
    for match in _compiled(_BASE64).finditer(text):
        try:
            yield _from_base64(match.group())
        except (binascii.Error, UnicodeDecodeError):
            continue
    for match in _compiled(_HEX).finditer(text):
        try:
            yield bytes.fromhex(match.group()).decode()
        except (ValueError, UnicodeDecodeError):
            continue
    if _compiled(_PERCENT).search(text):
        yield _compiled(_PERCENT).sub(
            lambda match: bytes.fromhex(match.group().replace("%", "")).decode("utf-8", "replace"), text
        )
    if _compiled(_ESCAPED).search(text):
        yield _compiled(_ESCAPED).sub(lambda match: chr(int(match[1], 16)), text)
    for match in _compiled(_TAGS).finditer(text):
        yield "".join(chr(ord(letter) - 0xE0000) for letter in match.group())
    if _compiled(_SPELLED_OUT).search(text):
        # Two spaces stand between words where one stands between letters.
        yield _compiled(_LETTER_GAP).sub("", text.replace("  ", "\t"))
    if len(_compiled(_LEET).findall(text)) >= 3:
        yield _compiled(_LEET).sub(lambda match: match.group().translate(_LEET_LETTERS), text)


def _from_base64(text: str) -> str:
    digits = text.rstrip("=")
    return binascii.a2b_base64(digits + "=" * (-len(digits) % 4)).decode()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)
