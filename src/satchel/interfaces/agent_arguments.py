"""The arguments an operation runs with when a client asks: checked, limited by the server, completed by it."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from satchel.domain.record import SourceKind
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest
from satchel.interfaces import arguments as given_arguments
from satchel.interfaces.operations import Operation
from satchel.interfaces.toolbox import Bounds, parameters, withheld


def arguments(operation: Operation, bounds: Bounds, given: Mapping[str, Any], client: str) -> dict[str, Any]:
    """Return what the operation is run with: the client's arguments checked, the rest set by the server."""
    if refusal := withheld(operation, bounds):
        raise refusal
    taken = parameters(operation, bounds)
    checked = given_arguments.arguments(operation, taken, given)
    if bounds.folder is not None:
        files = {name: _within(bounds.folder, value) for name, value in checked.items() if taken[name].file}
        checked |= files
    return _set_by_the_server(operation, bounds, client) | checked


def _set_by_the_server(operation: Operation, bounds: Bounds, client: str) -> dict[str, Any]:
    """Return the defaults, and over them what no agent can say of itself: its scope, its channel, its name."""
    values = {one.name: one.default for one in operation.parameters}
    if bounds.operator:
        return values
    own: dict[str, Any] = {"scope": bounds.scope, "source_kind": SourceKind.TOOL.value, "source_ref": client}
    # What is quarantined reaches no prompt.
    own |= {"quarantined": False}
    # What is in other scopes, or concerns the whole store, is the operator's.
    own |= {"elsewhere": False}
    # A fallback scope would be a way out of the one that was fixed.
    own |= {} if bounds.scope is None else {"fallback": False}
    return values | {name: value for name, value in own.items() if name in values}


def _within(folder: Path, name: str) -> str:
    """Return the path of a file in the folder that was given; nothing outside it can be named."""
    refused = InvalidRequest(f"{name[:80]!r} is not a file in the folder for files", code="outside_folder")
    if not name.strip() or "\0" in name or name != replace_undecodable(name):
        raise refused
    try:
        inside = folder.resolve()
        path = (inside / name).resolve()
        # A pipe or a device could block for ever.
        plain = path.is_file() or not path.exists()
    except (OSError, RuntimeError):  # a name too long, or links that lead to each other
        raise refused from None
    if path == inside or not path.is_relative_to(inside) or not plain:
        raise refused
    return str(path)
