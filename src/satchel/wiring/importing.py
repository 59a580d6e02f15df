"""Opens a source to import. Its format is detected from the content, not from the name of the file."""

import stat
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from satchel.adapters import archives, extras, import_files
from satchel.adapters.sqlite import foreign
from satchel.errors import InvalidRequest
from satchel.locations import UPLOADS
from satchel.ports import ImportSource, Tree

STANDARD = "-"
_LANCE = ".lance"


class SourceOpener:
    """Implements ports.ImportSources over the file system."""

    def __init__(self, tree: Tree, store: Path) -> None:
        """Nothing inside `store` is imported: its own files are not another program's."""
        self._tree = tree
        self._store = store

    @contextmanager
    def open(self, path: str, name: str | None = None) -> Iterator[ImportSource]:
        if path == STANDARD:
            yield import_files.StreamSource("standard input")
            return
        real, about = import_files.resolve(path)
        is_upload = name is not None and real.parent == self._store / UPLOADS
        if not is_upload and (real == self._store or real.is_relative_to(self._store)):
            raise InvalidRequest("the store cannot import its own files", code="inside_store", hint="name another file")
        if stat.S_ISDIR(about.st_mode):
            yield self._folder(real)
        elif not import_files.is_regular(about):
            yield import_files.StreamSource(real.name)
        else:
            with self._file(real, name) as source:
                yield source

    def _folder(self, path: Path) -> ImportSource:
        if path.suffix == _LANCE or any(one.is_dir() for one in path.glob(f"*{_LANCE}")):
            extras.require(extras.TABLES)
            from satchel.adapters.lance.foreign import ForeignTables

            return ForeignTables(path)
        # Raises where a folder cannot be read without following links.
        return import_files.FolderSource(Path(self._tree.locate(str(path)).root), self._tree)

    @contextmanager
    def _file(self, path: Path, name: str | None) -> Iterator[ImportSource]:
        head = import_files.first_bytes(path, len(foreign.MAGIC))
        if head == foreign.MAGIC:
            with closing(foreign.ForeignDatabase(path, name)) as database:
                yield database
        elif head.startswith((archives.MAGIC, archives.EMPTY_MAGIC)):
            with closing(archives.ArchiveSource(path, name)) as archive:
                yield archive
        else:
            yield import_files.FileSource(path, name)
