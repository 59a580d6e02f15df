"""What a page is given, and what it answers with."""

from collections.abc import Mapping
from typing import Any, Protocol

from msgspec import Struct, field

from satchel.domain.envelope import Ok
from satchel.interfaces.inspector.imports import BrowserImports


class Ask(Protocol):
    """Performs an operation of the table as the operator at the inspector. Raises SatchelError if it fails."""

    async def __call__(self, operation: str, /, **arguments: Any) -> Ok[Any]:
        """Perform the operation of this name."""
        ...


class Visit(Struct, frozen=True):
    """One request for a page."""

    ask: Ask
    imports: BrowserImports
    now: int
    """The time of the request, in milliseconds since the epoch."""
    query: Mapping[str, str]
    """The parameters in the address; empty ones are left out."""
    names: Mapping[str, str] = field(default_factory=dict)
    """The parts of the path that the route names."""
    form: Mapping[str, str] = field(default_factory=dict)
    """The fields of a submitted form, without the form token."""


class Page(Struct, frozen=True):
    """A template, and the value that it shows as `view`."""

    template: str
    view: Any
    status: int = 200


class Redirect(Struct, frozen=True):
    """Go to another page, after a form was processed."""

    path: str
