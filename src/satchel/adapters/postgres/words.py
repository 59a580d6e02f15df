"""Words as the ledger's full text tells them apart, for PostgreSQL: the tokenizer is SQLite's, so both find the same."""

import hashlib
import json
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

import apsw

from satchel.adapters.sql.full_text import TOKENIZER

# What PostgreSQL can hold of one text: a longer word is shortened, and the place of a later one is not known.
MAX_WORD_BYTES = 1024
MAX_WORD_CHARS = MAX_WORD_BYTES // 4
MAX_POSITION = 16_383
MAX_PLACES = 255
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
    return [one if len(one) <= MAX_WORD_CHARS else _shortened(one) for one in found]


def _fitting(word: str) -> str:
    """Return a word that PostgreSQL can hold."""
    return word if len(word) <= MAX_WORD_CHARS else _shortened(word)


def _shortened(word: str) -> str:
    """Return the start of a word, and a hash that tells it from others."""
    return word[: MAX_WORD_BYTES // 8] + hashlib.sha256(word.encode()).hexdigest()


class IndexedText(NamedTuple):
    """A text as the full text has it."""

    vector: str
    """Its words with their places, as the text of a tsvector."""
    length: int
    words: tuple[str, ...]
    """Each word once, and its scope as one of them."""
    usual: float
    """How much most of its words count: how often each is there, by the weights of the columns."""
    unusual: Mapping[str, float]
    """How much the other words count."""


def indexed_text(columns: Sequence[str], scope: str | None, weights: Sequence[float]) -> IndexedText:
    """Return the words of some columns, and the scope."""
    places: dict[str, list[str]] = {}
    counts: dict[str, float] = {}
    position = length = 0
    for mark, column, weight in zip(_COLUMNS, columns, weights, strict=False):
        stems = tokens(column) if column else []
        length += len(stems)
        for stem in stems[:MAX_WORDS]:
            position += 1
            place = f"{min(position, MAX_POSITION)}{mark}"
            if (known := places.get(stem)) is None:
                places[stem], counts[stem] = [place], weight
            elif len(known) < MAX_PLACES:
                known.append(place)
                counts[stem] += weight
        # A phrase does not go from one column into the next.
        position += 1
    vector = [f"{_quoted(stem)}:{','.join(where)}" for stem, where in places.items()]
    words = [*places]
    if scope is not None:
        words.append(scope_word(scope))
        vector.append(_quoted(words[-1]))
    usual = min(Counter(counts.values()).items(), key=lambda one: (-one[1], one[0]), default=(1.0, 0))[0]
    unusual = {stem: count for stem, count in counts.items() if count != usual}
    return IndexedText(" ".join(vector), length, tuple(words), usual, unusual)


def question(terms: Sequence[str], scopes: Sequence[str] | None) -> str:
    """Return what finds any of some terms within some scopes, for `match_words`."""
    split = [found for term in terms if (found := tokens(term))]
    asked = [{"tokens": one, "query": " <-> ".join(map(_quoted, one))} for one in split]
    words = None if scopes is None else [*map(scope_word, scopes)]
    within = None if words is None else " | ".join(map(_quoted, words))
    return json.dumps({"terms": asked, "within": within, "scopes": words})


def scope_word(scope: str) -> str:
    """Return the word that stands for a scope among those of a text."""
    return _SCOPE_MARK + _fitting(scope)


def _quoted(word: str) -> str:
    return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'"
