"""A LanceDB table of another program, as ports.ForeignTable.

Only the columns of an update are written, in place: vectors, order of rows and indexes of the table stay as they are.
"""

import errno
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import lance
import pyarrow as pa

from satchel.adapters.lance.folder import reason
from satchel.adapters.lance.where import one_of
from satchel.errors import Conflict, InvalidRequest, NotFound, SatchelError, Unavailable
from satchel.ports.foreign_table import ForeignRow

SUFFIX = ".lance"
ID, TEXT = "id", "text"
MAX_LISTED = 10
# What Lance says when another writer committed first and no retry is left.
_CONFLICTS = ("concurrent writers", "commit conflict")


def open_foreign_table(folder: str, name: str, store: Path) -> "LanceTable":
    """Open a table in a LanceDB folder, or raise an error that says which tables there are."""
    if not name or not all(one.isalnum() or one in "_-." for one in name) or name.startswith("."):
        raise InvalidRequest(
            f"{name[:80]!r} is not the name of a table", code="invalid_table_name", hint="such as memories"
        )
    if "://" in folder or "\0" in folder or not folder.strip():
        raise InvalidRequest(
            f"{folder[:80]!r} is not a folder", code="invalid_path", hint="name a folder on this machine"
        )
    # Leaves an unknown ~name as it is, where pathlib raises.
    path = Path(os.path.expanduser(folder), f"{name}{SUFFIX}").absolute()  # noqa: PTH111
    try:
        if path.resolve().is_relative_to(store):
            raise InvalidRequest(
                "the table is the index of this store", code="inside_store", hint="name the other program's folder"
            )
        found = path.is_dir()
    except (OSError, RuntimeError) as error:
        raise _unreadable(name, error) from error
    if not found:
        raise _no_such_table(path.parent, name)
    return LanceTable(path, name)


def _no_such_table(folder: Path, name: str) -> NotFound:
    try:
        names = sorted(one.stem for one in folder.glob(f"*{SUFFIX}"))[:MAX_LISTED]
    except OSError:
        names = []
    hint = f"it has: {', '.join(names)}" if names else "check the path: the folder has no table"
    return NotFound(f"{str(folder)[:200]!r} has no table {name!r}", code="no_such_table", hint=hint)


class LanceTable:
    """One table, opened again for each lookup of rows."""

    def __init__(self, path: Path, name: str) -> None:
        self._path = str(path)
        self._name = name
        with self._translate_errors():
            self._dataset = lance.dataset(self._path)

    def require(self, fields: Mapping[str, type]) -> tuple[str, ...]:
        schema = self._dataset.schema
        for name in (ID, TEXT):
            if name not in schema.names:
                raise InvalidRequest(
                    f"the table {self._name!r} has no column {name!r}",
                    code="no_such_column",
                    hint="a table of memories has an id and a text",
                )
            self._check_type(name, str)
        found = tuple(name for name in fields if name in schema.names)
        for name in found:
            self._check_type(name, fields[name])
        return found

    def _check_type(self, name: str, wanted: type) -> None:
        kind = self._dataset.schema.field(name).type
        fits = (pa.types.is_string, pa.types.is_large_string) if wanted is str else (pa.types.is_floating,)
        if not any(check(kind) for check in fits):
            raise InvalidRequest(
                f"the column {name!r} of the table {self._name!r} is of type {str(kind)[:80]}",
                code="column_type",
                hint=f"it must be a column of {'text' if wanted is str else 'floating point numbers'}",
            )

    def ids(self) -> Iterator[str]:
        with self._translate_errors():
            for batch in self._dataset.to_batches(columns=[ID]):
                yield from (one for one in batch.column(ID).to_pylist() if one)

    def rows(self, ids: Sequence[str], fields: Sequence[str]) -> list[ForeignRow]:
        if not ids:
            return []
        with self._translate_errors():
            self._dataset = lance.dataset(self._path)
            found = self._dataset.to_table(columns=[ID, TEXT, *fields], filter=one_of(ID, ids))
            return [_row(one, fields) for one in found.to_pylist()]

    def update(self, rows: Sequence[ForeignRow], fields: Sequence[str]) -> None:
        names = (ID, *fields)
        schema = pa.schema([self._dataset.schema.field(name) for name in names])
        values = [{ID: row.id, **{name: row.values[name] for name in fields}} for row in rows]
        with self._translate_errors(writing=True):
            changed = pa.Table.from_pylist(values, schema=schema)
            # No retries: they would write over what another program wrote since the rows were read.
            merge = self._dataset.merge_insert(ID).when_matched_update_all().conflict_retries(0)
            before = self._dataset.version
            merge.write_mode("rewrite_columns").execute(changed)
            self._verify(before, names, [row.id for row in rows])

    def _verify(self, before: int, names: Sequence[str], ids: Sequence[str]) -> None:
        """Read back what was written: Lance can commit a file that a failing disk cut short. Then the version before returns."""
        try:
            lance.dataset(self._path).to_table(columns=list(names), filter=one_of(ID, ids))
        except (OSError, ValueError, RuntimeError, pa.ArrowException):
            # Unless another program has written since: its work must not be lost.
            if lance.dataset(self._path).version == before + 1:
                lance.dataset(self._path, version=before).restore()
            raise

    @contextmanager
    def _translate_errors(self, *, writing: bool = False) -> Iterator[None]:
        try:
            yield
        except (OSError, ValueError, RuntimeError, KeyError, pa.ArrowException) as error:
            raise _unreadable(self._name, error, writing=writing) from error
        except BaseException as error:
            # A damaged file can make the Rust code panic, which is not an Exception in Python.
            if type(error).__name__ == "PanicException":
                raise _unreadable(self._name, error, writing=writing) from error
            raise


def _row(found: Mapping[str, Any], fields: Sequence[str]) -> ForeignRow:
    return ForeignRow(found[ID], found[TEXT] or "", {name: found[name] for name in fields})


def _unreadable(name: str, error: BaseException, *, writing: bool = False) -> SatchelError:
    said = str(error)
    if any(one in said.lower() for one in _CONFLICTS):
        return Conflict(f"another program writes to the table {name!r}", code="table_changed", hint="try again")
    if isinstance(error, PermissionError) or "ermission denied" in said:
        return Unavailable(
            f"the table {name!r} may not be written: permission denied", code="not_permitted", hint="check who owns it"
        )
    if getattr(error, "errno", None) == errno.ENOSPC or f"(os error {errno.ENOSPC})" in said:
        return Unavailable("the disk is full, the table was not written", code="disk_full", hint="free some space")
    # Lance reports a failed write that it notices late as damage of what it wrote.
    if (
        getattr(error, "errno", None) == errno.EIO
        or f"(os error {errno.EIO})" in said
        or (writing and "LanceError(IO)" in said)
    ):
        return Unavailable(
            f"reading or writing the table {name!r} failed: {reason(error)}", code="io_error", hint="check the disk"
        )
    return Unavailable(
        f"the table {name!r} cannot be used: {reason(error)}",
        code="table_unusable",
        hint="check it with the program that owns it",
    )
