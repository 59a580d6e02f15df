"""Where a line of the spool stands, and how far a reader has come. Nothing here loads anything: hooks are in a hurry."""

from typing import NamedTuple


class SpoolLine(NamedTuple):
    """One line as it stands in a file, or why it cannot be one."""

    source: str
    """The name of its file. A file keeps its name for good, so that this and the offset are a lasting pointer."""
    offset: int
    end: int
    """Where the next line begins."""
    raw: bytes
    ended: bool = True
    """Whether a line end follows; without one it may be half of a line, by a writer that was stopped or is still at it."""
    problem: str = ""


class Cursor(NamedTuple):
    """How far a file has been read, and how to tell whether it is still the same file."""

    source: str
    position: int = 0
    head: str = ""
    """A digest of the file's first bytes, as many as were there to be read."""


class DeadLetter(NamedTuple):
    """A line that could not be taken in: where it stood, why, and its beginning without secrets."""

    source: str
    offset: int
    size: int
    reason: str
    line: str
    at: int
