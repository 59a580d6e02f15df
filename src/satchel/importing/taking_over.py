"""Say what came of the database of a program that Satchel replaces."""

from satchel.domain.imports import TakenOver
from satchel.importing.readers.attention_router import RETIRED
from satchel.importing.values import ItemsImported, RecordCount

NEXT_STEP = "untrusted: 'satchel review' lists them, 'satchel confirm ID' makes one trusted"


def taken_over(path: str, done: ItemsImported) -> TakenOver:
    """Return what came of a database, from the result of its import."""
    counts = {one.record: one for one in done.records}
    memories = counts.get("memories", _NONE)
    refused = tuple(one for one in done.refusals if one.reason != RETIRED)
    retired = done.refused_by.get(RETIRED, 0)
    return TakenOver(
        path,
        memories=memories.new,
        known=memories.known,
        edges=counts.get("edges", _NONE).new,
        untrusted=memories.new - memories.quarantined,
        quarantined=memories.quarantined,
        retired=retired,
        refused=refused,
        refused_unlisted=sum(done.refused_by.values()) - retired - len(refused),
        next=NEXT_STEP if memories.new else None,
    )


_NONE = RecordCount("", 0, 0, 0, 0, 0)
