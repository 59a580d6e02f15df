"""Words as the ledger's full text tells them apart, for PostgreSQL: the tokenizer is SQLite's, so both find the same."""

import hashlib
import json
from collections.abc import Sequence
from functools import cache
from typing import Any, NamedTuple

import apsw

from satchel.adapters.sql.full_text import TOKENIZER

# What PostgreSQL can hold of one text: a longer word is shortened, and the place of a later one is not known.
MAX_WORD_BYTES = 1024
MAX_POSITION = 16_383
MAX_WORDS = 50_000
# The column of a word, as PostgreSQL marks it.
_COLUMNS = "ABCD"
# Marks the scope of a text among its words. No word contains it.
_SCOPE_MARK = "\x01"


@cache
def _tokenizer() -> Any:
    return apsw.Connection(":memory:").fts5_tokenizer(TOKENIZER[0], [*TOKENIZER[1:]])


def tokens(text: str) -> list[str]:
    """Return the stems of a text in their order."""
    found = _tokenizer()(
        text.replace("\0", " ").encode(),
        apsw.FTS5_TOKENIZE_DOCUMENT,
        None,
        include_offsets=False,
        include_colocated=False,
    )
    return [_fitting(one) for one in found]


def _fitting(word: str) -> str:
    """Return a word that PostgreSQL can hold: of a long one its start, and a hash that tells it from others."""
    if len(word) <= MAX_WORD_BYTES // 4:
        return word
    return word[: MAX_WORD_BYTES // 8] + hashlib.sha256(word.encode()).hexdigest()


class IndexedText(NamedTuple):
    """A text as the full text has it."""

    vector: str
    """Its words with their places, as the text of a tsvector."""
    length: int
    words: tuple[str, ...]
    """Each word once, and its scope as one of them."""


def indexed_text(columns: Sequence[str], scope: str | None) -> IndexedText:
    """Return the words of some columns, and the scope."""
    places: dict[str, list[str]] = {}
    position = length = 0
    for mark, column in zip(_COLUMNS, columns, strict=False):
        stems = tokens(column)
        length += len(stems)
        for stem in stems[:MAX_WORDS]:
            position += 1
            places.setdefault(stem, []).append(f"{min(position, MAX_POSITION)}{mark}")
        # A phrase does not go from one column into the next.
        position += 1
    vector = [f"{_quoted(stem)}:{','.join(where[:255])}" for stem, where in places.items()]
    words = [*places]
    if scope is not None:
        words.append(_scope_word(scope))
        vector.append(_quoted(words[-1]))
    return IndexedText(" ".join(vector), length, tuple(words))


def question(terms: Sequence[str], scopes: Sequence[str] | None) -> str:
    """Return what finds any of some terms within some scopes, for `match_words`."""
    split = [found for term in terms if (found := tokens(term))]
    asked = [{"tokens": one, "query": " <-> ".join(map(_quoted, one))} for one in split]
    words = None if scopes is None else [*map(_scope_word, scopes)]
    within = None if words is None else " | ".join(map(_quoted, words))
    return json.dumps({"terms": asked, "within": within, "scopes": words})


def _scope_word(scope: str) -> str:
    return _SCOPE_MARK + _fitting(scope)


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
