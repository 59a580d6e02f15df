"""Documents: the folders they are read from, and the catalog of ingested ones."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from satchel.domain.document import Collection, Document, FileText, FolderSelection, FoundFile, SkippedFile
    from satchel.domain.scope import Reach


class Tree(Protocol):
    """Folders of documents. Nothing outside a folder is ever read, whatever names and links say."""

    def locate(self, place: str) -> FolderSelection:
        """Return the folder of a path or pattern, with links resolved. Raises NotFound or InvalidRequest."""
        ...

    def matcher(self, globs: Sequence[str]) -> Callable[[str], bool]:
        """Return a predicate: does a path match the patterns? Without patterns: is its file type known?"""
        ...

    def walk(self, root: str, globs: Sequence[str], *, max_bytes: int) -> Iterator[FoundFile | SkippedFile]:
        """Yield the matching files of a folder, by path.

        Files that version control ignores are left out; files that cannot be read are yielded with the reason.
        """
        ...

    def read(self, root: str, path: str, *, max_bytes: int) -> FileText | SkippedFile:
        """Return a consistent copy of the text of a file, or why there is none."""
        ...

    def chunks(self, root: str, path: str) -> Iterator[bytes]:
        """Yield the bytes of a regular file below a folder, whatever its size. Raises OSError."""
        ...

    def wait(self, seconds: float) -> None:
        """Sleep before the next walk."""
        ...


class DocumentStore(Protocol):
    """The catalog of ingested documents, so that unchanged ones are not ingested again. The text is in passages."""

    def collections(self, reach: Reach) -> list[Collection]:
        """Return the collections within reach, by scope and name."""
        ...

    def in_collection(self, scope: str, collection: str) -> Mapping[str, Document]:
        """Return the documents of a collection, by path."""
        ...

    def forgotten(self, scope: str, collection: str) -> frozenset[str]:
        """Return the digests of forgotten paths, which are not ingested again."""
        ...

    def update(self, collection: Collection, documents: Sequence[Document], gone: Sequence[str]) -> None:
        """Record which documents of a collection are in the ledger now, and which are gone."""
        ...

    def remove(self, scope: str, collection: str, paths: Sequence[str] | None, refused: Sequence[str]) -> None:
        """Remove documents, or a whole collection without paths; store the digests of paths to refuse from now on."""
        ...

    def clear_forgotten(self, scope: str, collection: str) -> None:
        """Allow the forgotten documents of a collection to be ingested again."""
        ...

    def page(self, reach: Reach, collection: str | None, limit: int, after: Sequence[str] | None) -> list[Document]:
        """Return documents by scope, collection and path, starting after a position in that order."""
        ...

    def match_paths(
        self, reach: Reach, globs: Sequence[str], limit: int, *, with_collection: bool = False
    ) -> list[Document]:
        """Return the documents whose path, or its end, matches any of some patterns, by path.

        With `with_collection`, the path begins with the collection's name, which is its folder's.
        """
        ...
