"""Make a tag before a bulk change, so that the state before it has a name."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.core.run import OperationRun
from satchel.domain.automatic_tags import automatic_name, outdated
from satchel.domain.history import Tag

if TYPE_CHECKING:
    from satchel.core.parts import Parts
    from satchel.domain.receipt import Receipt


def tag_before(parts: Parts, operation: str, note: str | None = None) -> str:
    """Name the current point after the operation that is about to change many records; return the name.

    Deletes the oldest such tags. Called before the first record is changed, and not at all if none will be.
    """
    history = parts.ledger.history
    with parts.ledger.memories.transaction():
        seq = parts.ledger.feed.tip()
        name = automatic_name(operation, seq)
        if history.tag(name) is None:
            tag = Tag(name, seq, parts.clock.now(), parts.actor, note)
            history.put(tag, _receipt(parts, "tag create", tag))
            for one in outdated(history.tags()):
                history.remove(one.name, _receipt(parts, "tag delete", one))
    return name


def _receipt(parts: Parts, operation: str, tag: Tag) -> Receipt:
    return OperationRun(parts, operation, {"name": tag.name, "automatic": True}).receipt(seq=tag.seq)
