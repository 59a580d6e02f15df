"""Reads and checks the options of an entry in the file of backends, which is written by hand."""

from pathlib import Path
from typing import Any

from satchel.domain.routing import BackendEntry, RouteErrorCode
from satchel.errors import BackendFailed


def text(entry: BackendEntry, name: str, default: str | None = None) -> str:
    """Return a text option. Raises BackendFailed if it is required and missing."""
    value = entry.options.get(name, default)
    if not isinstance(value, str) or (not value and default is None):
        raise invalid(entry, name, "a string")
    return value


def texts(entry: BackendEntry, name: str) -> tuple[str, ...]:
    """Return an option with one text or a list of them."""
    value: Any = entry.options.get(name, [])
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) and "\0" not in one for one in listed):
        raise invalid(entry, name, "a list of texts")
    return tuple(listed)


def switch(entry: BackendEntry, name: str) -> bool:
    """Return a boolean option; off by default."""
    value = entry.options.get(name, False)
    if not isinstance(value, bool):
        raise invalid(entry, name, "true or false")
    return value


def path(entry: BackendEntry, name: str, default: str | None = None) -> Path:
    """Return a path option."""
    try:
        return Path(text(entry, name, default)).expanduser()
    except (RuntimeError, ValueError):
        raise invalid(entry, name, "a path") from None


def invalid(entry: BackendEntry, name: str, wanted: str) -> BackendFailed:
    """Return the error for an invalid option."""
    return BackendFailed(f"{entry.name}: the option {name!r} must be {wanted}", code=RouteErrorCode.UNAVAILABLE)
