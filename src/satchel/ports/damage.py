"""Damaged records: what a store reports about the records that it left out of an answer."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from typing import Literal

from msgspec import Struct

from satchel.errors import Corrupt

Problem = Literal["unreadable", "hash_mismatch"]
UNREADABLE: Problem = "unreadable"
HASH_MISMATCH: Problem = "hash_mismatch"
# How many ids a message names.
MAX_NAMED = 20


class DamagedRecord(Struct, frozen=True):
    """A record that cannot be read, or whose text does not match its content hash."""

    kind: str
    """What it is, such as memory, observation, passage, fact or message."""
    id: str
    scope: str
    problem: Problem
    columns: Mapping[str, str | bytes | float | None] = {}
    """Its columns as they are stored. A text that is not valid UTF-8 is given as bytes."""


# Belongs to the operation that runs in this thread: another one may be answering for another scope.
_collecting: ContextVar[list[DamagedRecord] | None] = ContextVar("satchel_damaged_records", default=None)


def report(record: DamagedRecord) -> None:
    """Report a record that was left out to the operation that asked for it."""
    found = _collecting.get()
    if found is not None and all((one.kind, one.id) != (record.kind, record.id) for one in found):
        found.append(record)


def reported_ids() -> frozenset[str]:
    """Return the ids of the records that this operation has left out so far."""
    return frozenset(one.id for one in _collecting.get() or ())


def collect_into(found: list[DamagedRecord] | None) -> list[DamagedRecord] | None:
    """Collect reports in a list from now on; return the list that was used before."""
    before = _collecting.get()
    _collecting.set(found)
    return before


def name_damaged(records: Sequence[DamagedRecord]) -> str:
    """Return the ids of damaged records as text, the first ones if there are many."""
    ids = ", ".join(one.id for one in records[:MAX_NAMED])
    return ids if len(records) <= MAX_NAMED else f"{ids} and {len(records) - MAX_NAMED} more"


def damaged_error(records: Sequence[DamagedRecord]) -> Corrupt:
    """Return the error for a request that damaged records keep from being answered."""
    return Corrupt(
        f"the stored bytes are damaged of {name_damaged(records)}",
        code="damaged_record",
        hint="'satchel doctor --fix' restores or quarantines what is left",
    )


def damage_warning(records: Sequence[DamagedRecord]) -> str:
    """Return the warning for an answer that damaged records were left out of; empty if there are none."""
    if not records:
        return ""
    return (
        f"damaged_record: left out because their stored bytes are damaged: {name_damaged(records)}; "
        "'satchel doctor --fix' quarantines them, 'satchel forget ID' erases one"
    )
