"""Find the view of a command: the function that puts its answer into words for a person."""

from collections.abc import Callable, Mapping
from functools import partial
from importlib import import_module
from typing import Any

from satchel.interfaces.cli.views.lines import Lines, fields
from satchel.interfaces.operations import area_of

EXPLAIN: Mapping[str, str] = {
    "recall": "show how each score came about, and what was excluded",
    "episodes search": "show how each score came about",
}
"""The commands whose answer can be shown with an explanation, and the help of the option that does so."""


def view_of(command: str, *, explain: bool = False) -> Callable[[Any], Lines]:
    """Return the view that the command's area has for it, or for the word that it begins with."""
    word = command.split()[0]
    module = import_module(f"satchel.interfaces.cli.views.{area_of(word)}")
    views: dict[str, Callable[..., Lines]] = module.VIEWS
    view = views.get(command) or views.get(word, fields)
    return partial(view, explain=True) if explain else view
