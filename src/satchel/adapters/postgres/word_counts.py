"""How many rows of each full text have each word, so that no search has to count them.

A word in a tenth of a million texts takes an index of PostgreSQL longer to count than to find in one scope. The scope of a
text is one of its words, so the rows of a scope are counted too. A word that no text has any more is not kept.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from satchel.adapters.postgres.arrays import NUMBERS, TEXTS, array_of

Run = Callable[[str, Sequence[Any]], object]

CREATE = (
    "CREATE TABLE word_counts (name TEXT NOT NULL, word TEXT NOT NULL, rows INTEGER NOT NULL, PRIMARY KEY (name, word))"
)


class WordCounts:
    """Changes of the counts, gathered until they are written: once for a transaction, and each word once."""

    def __init__(self) -> None:
        self._changed: defaultdict[str, Counter[str]] = defaultdict(Counter)

    def add(self, table: str, words: Iterable[str]) -> None:
        """Count a row with these words, each named once."""
        self._changed[table].update(words)

    def remove(self, table: str, words: Iterable[str]) -> None:
        """Count a row less."""
        self._changed[table].subtract(words)

    def write(self, run: Run) -> None:
        """Write what has changed."""
        for table, counts in self._changed.items():
            changed = sorted((word, change) for word, change in counts.items() if change)
            if not changed:
                continue
            words = array_of(TEXTS, [word for word, _ in changed])
            run(
                "INSERT INTO word_counts (name, word, rows) SELECT %s, word, rows "
                "FROM unnest(%s::text[], %s::bigint[]) AS given (word, rows) "
                "ON CONFLICT (name, word) DO UPDATE SET rows = word_counts.rows + excluded.rows",
                (table, words, array_of(NUMBERS, [change for _, change in changed])),
            )
            if any(change < 0 for _, change in changed):
                run("DELETE FROM word_counts WHERE name = %s AND word = ANY (%s::text[]) AND rows <= 0", (table, words))
        self._changed.clear()
