"""Reports on the state of the indexes."""

from msgspec import Struct

from satchel.ports import IndexStatus

MANY_FRAGMENTS = 192
"""Twelve times as many small fragments as a server merges: from then on recall gets slower."""


class MoveProgress(Struct, frozen=True):
    """How far the move of a store to another embedding space is."""

    space: str
    """The space that the store moves to."""
    done: int
    """Number of texts with a vector in that space."""
    total: int
    """Number of all texts."""


class FullTextReport(Struct, frozen=True):
    """A full-text table of the ledger."""

    name: str
    rows: int
    wrong: int
    """Rows that are missing, or are of no record."""


class PassageIndexReport(Struct, frozen=True):
    """The state of the passage index and of the vectors it is built from."""

    exists: bool
    rows: int
    """One per part of a passage that has a vector."""
    behind: int
    embeddings_waiting: int
    embeddings_skipped: int
    vector_index: str
    bytes: int
    problem: str = ""
    fragments: int = 0
    small_fragments: int = 0
    versions: int = 0
    in_ledger: bool = False
    index_from: int = 0
    health: str = "ok"


class IndexReport(Struct, frozen=True):
    """The state of the memory index and of the vectors it is built from."""

    exists: bool
    rows: int
    rows_with_vectors: int
    behind: int
    """Number of changed records that the index does not have yet."""
    space: str | None
    vector_index: str
    unindexed_rows: int
    fragments: int
    versions: int
    bytes: int
    embeddings_waiting: int
    embeddings_skipped: int
    problem: str = ""
    passages: PassageIndexReport | None = None
    """The state of the passage index."""
    move: MoveProgress | None = None
    """The move to another embedding space, if one is due or under way."""
    small_fragments: int = 0
    """Of the fragments: those that a merge would join."""
    in_ledger: bool = False
    """Whether there is no index, and the ledger itself is searched."""
    index_from: int = 0
    """From how many memories there is one."""
    health: str = "ok"
    """ok, behind, fragmented, missing_extra or damaged"""
    last_run_at: int | None = None
    """When the index was last built, rebuilt or optimized by command."""
    full_texts: tuple[FullTextReport, ...] = ()
    """The full-text tables of the ledger."""
    space_before: str | None = None
    """The embedding space that a rebuild replaced by another."""


def index_health(status: IndexStatus, behind: int) -> str:
    """Return the state of an index in one word."""
    if status.problem:
        return "damaged"
    if status.missing is not None:
        return "missing_extra"
    if behind:
        return "behind"
    return "fragmented" if status.small_fragments > MANY_FRAGMENTS else "ok"
