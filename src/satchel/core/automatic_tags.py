"""Make a tag before a bulk change, so that the state before it has a name."""

from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.domain.automatic_tags import automatic_name, outdated
from satchel.domain.history import Tag


def tag_before(parts: Parts, operation: str) -> str:
    """Name the current point after the operation that is about to change many records; return the name.

    Deletes the oldest such tags. Called before the first record is changed, and not at all if none will be.
    """
    history = parts.ledger.history
    with parts.ledger.memories.transaction():
        seq = parts.ledger.feed.tip()
        name = automatic_name(operation, seq)
        if history.tag(name) is None:
            tag = Tag(name, seq, parts.clock.now(), parts.actor)
            asked = {"name": name, "automatic": True}
            history.put(tag, OperationRun(parts, "tag create", asked).receipt(seq=seq))
            for one in outdated(history.tags()):
                asked = {"name": one.name, "automatic": True}
                history.remove(one.name, OperationRun(parts, "tag delete", asked).receipt(seq=one.seq))
    return name
