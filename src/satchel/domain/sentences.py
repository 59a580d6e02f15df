"""Sentences: a line cut where one statement ends and the next begins, in English and Chinese."""

import re
from collections.abc import Iterator

# After these a full stop ends no sentence.
_ABBREVIATED = "e.g i.e etc vs cf mr mrs ms dr prof st no fig approx incl resp a.m p.m u.s"
_ABBREVIATIONS = frozenset(_ABBREVIATED.split())
# A stop in Latin script needs a space after it: v1.2 and Node.js are names.
_END = re.compile(r"[.!?…]+[\"'”’)\]]*(?=\s|$)|[。！？；…]+[」』”’）]*|[.!?]+(?=[\u4e00-\u9fff])")
_OPENING_MARKS = ('"', "“", "「", "『")
_CLOSING_MARKS = ("”", "」", "』")
_LAST_WORD = re.compile(r"[\w.]*$")


def sentences(line: str) -> Iterator[str]:
    """Return the sentences of a line in order, each with the mark that ends it."""
    start = 0
    for end in _END.finditer(line):
        if end.group() == "." and _goes_on(line[start : end.start()]):
            continue
        if said := line[start : end.end()].strip():
            yield said
        start = end.end()
    if rest := line[start:].strip():
        yield rest


def unquoted_sentences(line: str) -> Iterator[str]:
    """Return the sentences of a line that do not stand within a quotation of several."""
    inside = 0
    for said in sentences(line):
        marks = inside
        inside = max(0, inside + _opened(said))
        if marks == 0 and (inside == 0 or not said.startswith(_OPENING_MARKS)):
            yield said


def _opened(said: str) -> int:
    """Return how many quotations a sentence opens and leaves open; less than none, when it closes some."""
    straight = 0
    if said.count('"') % 2:
        straight = 1 if said.startswith('"') or ' "' in said or ': "' in said else -1
    return straight + sum((mark in _OPENING_MARKS) - (mark in _CLOSING_MARKS) for mark in said if mark != '"')


def _goes_on(before: str) -> bool:
    """Say whether a full stop belongs to an abbreviation, or to the number of an item."""
    found = _LAST_WORD.search(before, max(0, len(before) - 12))
    word = found.group().lower() if found else ""
    return word in _ABBREVIATIONS or before.strip().isdigit()
