"""Reports on the state of the indexes."""

from msgspec import Struct


class MoveProgress(Struct, frozen=True):
    """How far the move of a store to another embedding space is."""

    space: str
    """The space that the store moves to."""
    done: int
    """Number of texts with a vector in that space."""
    total: int
    """Number of all texts."""


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
