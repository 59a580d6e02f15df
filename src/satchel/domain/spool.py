"""Lines, cursors and dead letters of the spool. Imports almost nothing, because the capture hook loads it."""

from typing import NamedTuple


class SpoolLine(NamedTuple):
    """One line of a spool file, or why it is invalid."""

    source: str
    """The name of its file. Files are never renamed, so that file and offset identify a line permanently."""
    offset: int
    end: int
    """Where the next line begins."""
    raw: bytes
    ended: bool = True
    """Whether it ends with a newline; otherwise it may be incomplete, because the writer was stopped or is not done."""
    problem: str = ""


class Cursor(NamedTuple):
    """How far a file was read, and a digest to detect whether it is still the same file."""

    source: str
    position: int = 0
    head: str = ""
    """A digest of the file's first bytes, as many as it had."""


class DeadLetter(NamedTuple):
    """A line that could not be ingested: its location, the reason, and its beginning with secrets masked."""

    source: str
    offset: int
    size: int
    reason: str
    line: str
    at: int
