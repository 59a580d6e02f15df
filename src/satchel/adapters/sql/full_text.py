"""The full-text tables of a ledger: which there are, and safe match expressions."""

from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.passage import EvidenceLane

# How words are told apart and reduced to their stems.
TOKENIZER = ("porter", "unicode61", "remove_diacritics", "2")
# Matches of a term are counted up to this number; a term with more is simply common.
MAX_COUNTED = 20_000


class FullText(Struct, frozen=True):
    """A full-text table. It holds words only: the texts are in the records."""

    table: str
    columns: tuple[str, ...]
    weights: tuple[float, ...]
    """How much a match in each column counts."""
    records: str
    """The query for the numbers of the rows that it must have."""


# A word in the title says more about a memory than one in its text.
_MEMORY_COLUMNS, _MEMORY_WEIGHTS = ("title", "body", "labels"), (2.0, 1.0, 1.0)
MEMORIES = FullText("memories_text", _MEMORY_COLUMNS, _MEMORY_WEIGHTS, "SELECT row FROM memories")
PAST = FullText("past_text", _MEMORY_COLUMNS, _MEMORY_WEIGHTS, "SELECT row FROM past WHERE reworded = 1")
OBSERVATIONS = FullText("observations_text", ("summary", "body"), (2.0, 1.0), "SELECT row FROM observations")
FACTS = FullText("facts_text", ("body",), (1.0,), "SELECT row FROM facts")


def passages_text(lane: str) -> FullText:
    """Return the full text of a lane of passages: their text counts more than what is known about them."""
    return FullText(f"{lane}_text", ("own", "about"), (3.0, 1.0), f"SELECT row FROM passages WHERE lane = '{lane}'")


def all_full_texts() -> list[FullText]:
    """Return every full-text table."""
    return [MEMORIES, OBSERVATIONS, FACTS, *map(passages_text, EvidenceLane)]


def fts5_expression(terms: Sequence[str]) -> str:
    """Return an FTS5 expression that finds any of the terms. Every term is quoted, so that no user text is syntax."""
    return " OR ".join('"' + term.replace("\0", " ").replace('"', '""') + '"' for term in terms)
