"""View of an edited memory."""

from satchel.interfaces.cli.views.lines import Lines, Views
from satchel.memories.values import Edited


def _edited(result: Edited) -> Lines:
    if result.action == "unchanged":
        yield f"{result.id} was not changed", "dim"
        return
    if result.action == "moved":
        yield f"moved {result.id} from {result.old_scope} to {result.scope}", "green"
        return
    yield f"stored {result.id}", "green"
    yield f"  retired {result.old_id}", "dim"


VIEWS: Views = {"edit": _edited}
