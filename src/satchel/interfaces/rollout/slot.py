"""Switch the memory slot of OpenClaw to Satchel, and back. No other setting of OpenClaw is changed."""

from pathlib import Path

from satchel.domain.hosts import OPENCLAW
from satchel.errors import Conflict, NotFound
from satchel.interfaces.install import files
from satchel.interfaces.install.answers import Level
from satchel.interfaces.install.apply import apply
from satchel.interfaces.install.documents import Document, Format, Unparsable, parsed
from satchel.interfaces.install.hosts import NAME, TABLE, HostFile
from satchel.interfaces.install.machine import Machine
from satchel.interfaces.install.plain import MISSING
from satchel.interfaces.install.plan import FilePlan, plan_install
from satchel.interfaces.install.records import RecordsFolder, digest
from satchel.interfaces.rollout.state import RolloutFolder
from satchel.interfaces.rollout.values import SlotRecord

SLOT = ("plugins", "slots", "memory")


def config_file(machine: Machine) -> HostFile:
    """Return OpenClaw's configuration and Satchel's entries in it."""
    (file,) = TABLE[OPENCLAW].files(machine, Level.USER)
    return file


def current_slot(machine: Machine) -> str:
    """Return the plugin in the memory slot; empty if none is named."""
    content = files.read(config_file(machine).path).content
    return "" if content is None else slot_in(_document(config_file(machine).path, content)) or ""


def slot_in(document: Document) -> str | None:
    """Return the plugin that a configuration names for the memory slot."""
    found = document.value_at(SLOT)
    return None if found is MISSING or found is None else str(found)


def plan_switch(machine: Machine, home: Path) -> FilePlan:
    """Plan the configuration with Satchel in the slot, or raise an error that says why this cannot be."""
    file = config_file(machine)
    (plan,) = plan_install((file,), None, RecordsFolder(home))
    if plan.snapshot.content is None:
        raise NotFound(
            f"{file.path} does not exist", code="no_openclaw", hint="set OpenClaw up first, or OPENCLAW_CONFIG_PATH"
        )
    if slot_in(_document(file.path, plan.snapshot.content)) == NAME:
        raise Conflict(
            "Satchel has OpenClaw's memory slot already",
            code="already_switched",
            hint="'satchel uninstall openclaw' gives it back to the plugin before; then start the rollout",
        )
    return plan


def record_of(plan: FilePlan, folder: RolloutFolder, *, until: int = 0) -> SlotRecord:
    """Copy the configuration and return how to put it back. The record is saved before the switch."""
    before = plan.snapshot.content or b""
    return SlotRecord(
        path=str(plan.file.path),
        backup=folder.back_up("openclaw.json", before),
        after=digest(plan.after or b""),
        previous=slot_in(_document(plan.file.path, before)),
        until=until,
    )


def switch(plan: FilePlan) -> None:
    """Write the planned configuration; a change by another program since is a conflict."""
    apply([plan])


def switch_back(record: SlotRecord, folder: RolloutFolder) -> str:
    """Give the slot back, and return how: the whole file if nobody changed it since, else the slot alone."""
    path = Path(record.path)
    snapshot = files.read(path)
    if snapshot.content is None:
        return "the configuration is gone"
    backup = folder.backup(record.backup)
    # It is the copy already if an attempt before was interrupted.
    if backup is not None and (snapshot.content == backup or digest(snapshot.content) == record.after):
        files.write(snapshot, backup)
        return "the configuration is as it was before, byte for byte"
    document = _document(path, snapshot.content)
    if slot_in(document) != NAME:
        return "the slot was given to another plugin meanwhile and was left alone"
    changed = document.remove(SLOT) if record.previous is None else document.set(SLOT, record.previous)
    files.write(snapshot, changed.text.encode())
    return "the configuration was changed meanwhile: only the memory slot was put back"


def _document(path: Path, content: bytes) -> Document:
    try:
        return parsed(Format.JSON5, content)
    except Unparsable as problem:
        raise files.unreadable(path, str(problem)) from None
