"""Tables that another program keeps with LanceDB, to import them, as ports.ImportSource."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa

from satchel.domain.document import SkippedFile
from satchel.errors import InvalidRequest
from satchel.ports import SourceFile, SourceForm

SUFFIX = ".lance"
ROWS_PER_BATCH = 1_000


class ForeignTables:
    """A folder of LanceDB tables, or one table, in the version that is current when it is opened."""

    form = SourceForm.DATABASE

    def __init__(self, path: Path) -> None:
        self.path = str(path)
        self.name = path.name
        folders = [path] if path.suffix == SUFFIX else sorted(one for one in path.glob(f"*{SUFFIX}") if one.is_dir())
        with _readable(self.name):
            self._tables = {one.stem: lance.dataset(str(one)) for one in folders}

    def files(self) -> Iterator[SourceFile | SkippedFile]:
        return iter(())

    def chunks(self, path: str) -> Iterator[bytes]:
        return iter(())

    def tables(self) -> Mapping[str, frozenset[str]]:
        return {name: frozenset(table.schema.names) for name, table in self._tables.items()}

    def rows(self, table: str, columns: Sequence[str], order: Sequence[str]) -> Iterator[tuple[Any, ...]]:
        # Vectors are not among the columns, so that all rows fit in memory for ordering.
        with _readable(self.name):
            read = self._tables[table].to_table(columns=list(columns))
            sorted_rows = read.sort_by([(name, "ascending") for name in order])
            for batch in sorted_rows.to_batches(max_chunksize=ROWS_PER_BATCH):
                yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)


@contextmanager
def _readable(name: str) -> Iterator[None]:
    try:
        yield
    except (OSError, ValueError, RuntimeError, pa.ArrowException) as error:
        raise _unreadable(name, error) from error
    except BaseException as error:
        # A damaged file can make the Rust code panic, which is not an Exception in Python.
        if type(error).__name__ == "PanicException":
            raise _unreadable(name, error) from error
        raise


def _unreadable(name: str, error: BaseException) -> InvalidRequest:
    reason = str(error).partition("\n")[0][:200]
    return InvalidRequest(
        f"{name} cannot be read as a LanceDB table: {reason}", code="unreadable_database", hint="use a backup"
    )
