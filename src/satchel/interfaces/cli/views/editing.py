"""View of an edited memory."""

from satchel.interfaces.cli.views.lines import Lines, Views
from satchel.memories.values import Edited


def _edited(result: Edited) -> Lines:
    if result.action == "unchanged":
        yield f"{result.id} was not changed", "dim"
        return
    yield f"stored {result.id}", "green"
    yield f"  retired {result.old_id}", "dim"


VIEWS: Views = {"edit": _edited}
