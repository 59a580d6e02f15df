"""Splits lines into sentences, in English and Chinese."""

from collections.abc import Iterator

from satchel.domain.safety.compiled import compiled

# A full stop after one of these does not end a sentence.
_ABBREVIATED = "e.g i.e etc vs cf mr mrs ms dr prof st no fig approx incl resp a.m p.m u.s"
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
# A Latin full stop needs a space after it: v1.2 and Node.js are names.
_END = r"[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？；…]+[」』”’）]*|[.!?]+(?=[\u4e00-\u9fff])"
_OPENING_MARKS = ('"', "“", "„", "«", "‹", "「", "『")
_CLOSING_MARKS = ("”", "»", "›", "」", "』")
_LAST_WORD = r"[\w.]*$"


def sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line, each with its end mark."""
    start = 0
    for end in compiled(_END).finditer(line):
        if end.group() == "." and _is_abbreviation(line[start : end.start()]):
            continue
        if sentence := line[start : end.end()].strip():
            yield sentence
        start = end.end()
    if rest := line[start:].strip():
        yield rest


def unquoted_sentences(line: str) -> Iterator[str]:
    """Yield the sentences of a line that are not inside a quotation of several sentences."""
    depth = 0
    for sentence in sentences(line):
        before = depth
        depth = max(0, depth + _quotes_left_open(sentence))
        if before == 0 and (depth == 0 or not sentence.startswith(_OPENING_MARKS)):
            yield sentence


def _quotes_left_open(sentence: str) -> int:
    """Return how many quotations a sentence leaves open; negative if it closes some."""
    straight = 0
    if sentence.count('"') % 2:
        straight = 1 if sentence.startswith('"') or ' "' in sentence else -1
    # „German quotations“ end with the mark that begins “English ones”.
    marks = sentence.replace("“", "”") if "„" in sentence else sentence
    return straight + sum((mark in _OPENING_MARKS) - (mark in _CLOSING_MARKS) for mark in marks if mark != '"')


def _is_abbreviation(before: str) -> bool:
    """Return whether a full stop belongs to an abbreviation or to a list number."""
    found = compiled(_LAST_WORD).search(before, max(0, len(before) - 12))
    word = found.group().lower() if found else ""
    return word in _ABBREVIATIONS or before.strip().isdigit()
