"""The tags that are made automatically before a bulk change: their names, and the events that the change consists of."""

from collections.abc import Mapping, Sequence

from satchel.domain.history import Tag
from satchel.errors import InvalidRequest

PREFIX = "auto/"
KEPT = 20
"""How many automatic tags are kept; older ones are deleted, their points stay in the history."""

MOVE = "move"
"""What the events of a move to another scope are called."""

UNDO = "undo"
CHANGES_AT_ONCE = 500
"""Maximum number of memories that are restored or taken back in one transaction: all or nothing."""
CHANGES_PER_BATCH = 200
"""How many memories each transaction of a larger change changes, so that other writers wait for one batch at most."""

EVENTS: Mapping[str, frozenset[str]] = {
    "import": frozenset({"import"}),
    "grade": frozenset({"grade"}),
    "lifecycle-run": frozenset({"age", "archive"}),
    "tag-restore": frozenset({"restore"}),
    UNDO: frozenset({UNDO}),
    "scopes-rename": frozenset({MOVE}),
    "scopes-merge": frozenset({MOVE}),
}
"""The operations that write in batches, as tags name them, and what their events are called.

Any other operation is one transaction with one receipt, which tells its events from others.
"""


def automatic_name(operation: str, seq: int) -> str:
    """Return the name of the tag that is made before an operation."""
    return f"{PREFIX}{operation.replace(' ', '-')}-{seq}"


def is_automatic(name: str) -> bool:
    """Return whether a tag was made automatically."""
    return name.startswith(PREFIX)


def check_own_name(name: str) -> str:
    """Return the name of a tag that a person gives, or raise if it looks like an automatic one."""
    if is_automatic(name):
        raise InvalidRequest(
            f"tag names that begin with {PREFIX} are made before bulk changes",
            code="invalid_tag",
            hint="choose another name",
        )
    return name


def outdated(tags: Sequence[Tag]) -> list[Tag]:
    """Return the automatic tags to delete, of all tags."""
    automatic = sorted((one for one in tags if is_automatic(one.name)), key=lambda one: (one.seq, one.at), reverse=True)
    return automatic[KEPT:]


def bulk_events(name: str) -> frozenset[str]:
    """Return what the events of the change after an automatic tag are called; empty if its receipt tells."""
    return EVENTS.get(name.removeprefix(PREFIX).rpartition("-")[0], frozenset()) if is_automatic(name) else frozenset()
