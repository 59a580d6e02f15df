"""Decide what each file of a host becomes. Nothing is written here."""

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path

from msgspec import Struct

from satchel.errors import Unavailable
from satchel.interfaces.install import files
from satchel.interfaces.install.documents import Document, Format, Unparsable, parsed
from satchel.interfaces.install.entries import Hooks, Notify, without_emptied
from satchel.interfaces.install.files import Snapshot
from satchel.interfaces.install.hosts import HostFile
from satchel.interfaces.install.records import FileRecord, InstallRecord, RecordsFolder, digest

_MAX_LINE = 200


class FilePlan(Struct, frozen=True):
    """A file as it is and as it will be."""

    number: int
    file: HostFile
    snapshot: Snapshot
    after: bytes | None
    """None if there will be no file."""
    baseline: bytes | None
    """What the file is without Satchel."""
    folders: tuple[str, ...] = ()
    """Folders that an installation created for it."""
    remarks: tuple[str, ...] = ()

    @property
    def changes(self) -> bool:
        """Whether there is anything to do."""
        return self.after != self.snapshot.content

    @property
    def action(self) -> str:
        """create, change, delete or keep"""
        if not self.changes:
            return "keep"
        if self.after is None:
            return "delete"
        return "create" if self.snapshot.content is None else "change"

    @property
    def diff(self) -> str:
        """The change as a unified diff, with long lines cut."""
        name = str(self.snapshot.path)
        before, after = _lines(self.snapshot.content), _lines(self.after)
        start, end = "/dev/null" if not before else name, "/dev/null" if self.after is None else name
        return "\n".join(_cut(line) for line in difflib.unified_diff(before, after, start, end, lineterm=""))


def plan_install(host_files: Sequence[HostFile], record: InstallRecord | None, kept: RecordsFolder) -> list[FilePlan]:
    """Plan the files with our entries in them."""
    return [
        _planned_install(number, one, _record_of(record, number, one.path), kept)
        for number, one in enumerate(host_files)
    ]


def _planned_install(number: int, file: HostFile, record: FileRecord | None, kept: RecordsFolder) -> FilePlan:
    snapshot = files.read(file.path)
    document = _document(file.format, snapshot)
    told = [one for entry in file.entries if isinstance(entry, Hooks | Notify) for one in entry.remarks(document)]
    for entry in file.entries:
        document = _edited(file.path, document, entry.written)
    after = document.text.encode() if snapshot.content is not None or document.text else None
    folders = record.folders if record else ()
    remarks = tuple(f"{file.path}: {one}" for one in told)
    plan = FilePlan(number, file, snapshot, after, _baseline(file, snapshot, record, kept), folders, remarks)
    if plan.changes:
        files.check_writable(snapshot)
    return plan


def _baseline(file: HostFile, snapshot: Snapshot, record: FileRecord | None, kept: RecordsFolder) -> bytes | None:
    """Return what an uninstallation restores: the file before the first installation, with later changes of others."""
    if record is None or snapshot.content is None:
        return snapshot.content
    before = kept.backup(record.backup) if record.backup else None
    return before if digest(snapshot.content) == record.after else _without_entries(file, snapshot, before)


def plan_uninstall(host_files: Sequence[HostFile], record: InstallRecord | None, kept: RecordsFolder) -> list[FilePlan]:
    """Plan the files without our entries."""
    plans = []
    for number, file in enumerate(host_files):
        found = _record_of(record, number, file.path)
        snapshot = files.read(file.path)
        after = _restored(file, snapshot, found, kept)
        plan = FilePlan(number, file, snapshot, after, after, found.folders if found else ())
        if plan.changes:
            files.check_writable(snapshot)
        plans.append(plan)
    return plans


def _restored(file: HostFile, snapshot: Snapshot, record: FileRecord | None, kept: RecordsFolder) -> bytes | None:
    if snapshot.content is None:
        return None
    before = kept.backup(record.backup) if record and record.backup else None
    if record and digest(snapshot.content) == record.after and (before is not None or record.backup is None):
        return before
    after = _without_entries(file, snapshot, before)
    ours = record is not None and record.backup is None
    return None if ours and after.strip() in (b"", b"{}") else after


def _without_entries(file: HostFile, snapshot: Snapshot, before: bytes | None) -> bytes:
    document = full = _document(file.format, snapshot)
    try:
        previous = parsed(file.format, before or b"").data
    except Unparsable:
        previous = {}
    for entry in reversed(file.entries):
        document = _edited(snapshot.path, document, lambda one, entry=entry: entry.removed(one, previous))  # type: ignore[misc]
    document = _edited(snapshot.path, document, lambda one: without_emptied(one, full, file.entries, previous))
    return document.text.encode()


def _document(format: Format, snapshot: Snapshot) -> Document:
    try:
        return parsed(format, snapshot.content or b"")
    except Unparsable as problem:
        raise files.unreadable(snapshot.path, str(problem)) from None


def _edited(path: Path, document: Document, edit: Callable[[Document], Document]) -> Document:
    try:
        return edit(document)
    except ValueError as problem:
        raise Unavailable(
            f"{path} cannot be edited safely: {problem}; nothing was changed",
            code="host_config",
            hint="edit it by hand: 'satchel mcp --help' shows the entry",
        ) from None


def _record_of(record: InstallRecord | None, number: int, path: Path) -> FileRecord | None:
    found = next((one for one in record.files if one.number == number), None) if record else None
    return found if found and found.path == str(path) else None


def _lines(content: bytes | None) -> list[str]:
    return (content or b"").decode("utf-8", "replace").splitlines()


def _cut(line: str) -> str:
    return line if len(line) <= _MAX_LINE else line[: _MAX_LINE - 1] + "…"
