"""Find the view of a command. Views print answers for a person: one module per area, one function per command."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from satchel.interfaces.cli.views.lines import Lines, Views, fields
from satchel.interfaces.operations import area_of

EXPLAIN: Mapping[str, str] = {
    "recall": "show how each score was computed, and what was excluded",
    "episodes search": "show how each score was computed",
}
"""The commands whose view takes `explain`, and the help of the option."""
EXPLAINED_WITH: Mapping[str, str] = {"route": "trace"}
"""The commands whose view explains if an argument of the operation asks for it, and that argument."""


def view_of(command: str, *, explain: bool = False) -> Callable[[Any], Lines]:
    """Return the view of a command, or else of its first word, from the module of its area."""
    word = command.split()[0]
    views: Views = import_module(f"satchel.interfaces.cli.views.{area_of(word)}").VIEWS
    view = views.get(command) or views.get(word, fields)
    return partial(view, explain=True) if explain else view
