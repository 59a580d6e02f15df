"""Documents: the folders they are read from."""

from collections.abc import Iterator, Sequence
from typing import Protocol

from satchel.domain.document import Located, ReadText, Sighted, Skipped


class Tree(Protocol):
    """Folders of documents. Nothing outside a folder is ever read, however it is named or linked."""

    def locate(self, place: str) -> Located:
        """Return the folder that a folder's, a file's or a pattern's name means, links resolved; refuse what is none."""
        ...

    def walk(self, root: str, globs: Sequence[str], *, most_bytes: int) -> Iterator[Sighted | Skipped]:
        """Yield the files of a folder by path: those that the patterns name, else those whose names say what they are.

        What version control ignores is passed over; what cannot or must not be read is yielded with the reason.
        """
        ...

    def read(self, root: str, path: str, *, most_bytes: int) -> ReadText | Skipped:
        """Return the text of a file as it was at one moment, or why there is none."""
        ...
