"""Documents: the folders they are read from, and the book of what was taken in."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from satchel.domain.document import Collection, Document, Located, ReadText, Sighted, Skipped
from satchel.domain.scope import Reach


class Tree(Protocol):
    """Folders of documents. Nothing outside a folder is ever read, however it is named or linked."""

    def locate(self, place: str) -> Located:
        """Return the folder that a folder's, a file's or a pattern's name means, links resolved; refuse what is none."""
        ...

    def covered(self, globs: Sequence[str]) -> Callable[[str], bool]:
        """Return what says whether patterns mean a path; without any, whether its name says what it is."""
        ...

    def walk(self, root: str, globs: Sequence[str], *, most_bytes: int) -> Iterator[Sighted | Skipped]:
        """Yield the files of a folder that are covered, by path.

        What version control ignores is passed over; what cannot or must not be read is yielded with the reason.
        """
        ...

    def read(self, root: str, path: str, *, most_bytes: int) -> ReadText | Skipped:
        """Return the text of a file as it was at one moment, or why there is none."""
        ...

    def wait(self, seconds: float) -> None:
        """Let some time pass before a folder is looked at again."""
        ...


class DocumentBook(Protocol):
    """What was taken in of which collection, so that the same is not done twice. The chunks themselves are passages."""

    def collections(self, reach: Reach) -> list[Collection]:
        """Return the collections within reach, by scope and name."""
        ...

    def known(self, scope: str, collection: str) -> Mapping[str, Document]:
        """Return the documents of a collection, by path."""
        ...

    def forgotten(self, scope: str, collection: str) -> frozenset[str]:
        """Return the digests of the paths that were forgotten there, and are not to come back by themselves."""
        ...

    def note(self, collection: Collection, documents: Sequence[Document], gone: Sequence[str]) -> None:
        """Write down what is in the ledger by now, and what no longer is."""
        ...

    def strike(self, scope: str, collection: str, paths: Sequence[str] | None, refused: Sequence[str]) -> None:
        """Strike documents out, or a whole collection with all that is known of it; keep the digests of refused paths."""
        ...

    def admit_again(self, scope: str, collection: str) -> None:
        """Let what was forgotten of a collection be taken in again."""
        ...

    def page(self, reach: Reach, collection: str | None, limit: int, after: Sequence[str] | None) -> list[Document]:
        """Return documents by scope, collection and path, from after a place in that order."""
        ...

    def named(self, reach: Reach, globs: Sequence[str], limit: int) -> list[Document]:
        """Return the documents whose path, or the end of it, is like one of some patterns, by path."""
        ...
