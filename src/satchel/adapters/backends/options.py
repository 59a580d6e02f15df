"""Options of an entry in the file of backends, read one by one: an operator writes them by hand."""

from pathlib import Path
from typing import Any

from satchel.domain.routing import Code, Entry
from satchel.errors import BackendFailed


def text(entry: Entry, name: str, default: str | None = None) -> str:
    """Return an option that is a text; one that must be there and is not makes the backend unusable."""
    value = entry.options.get(name, default)
    if not isinstance(value, str) or (not value and default is None):
        raise wrong(entry, name, "a text")
    return value


def texts(entry: Entry, name: str) -> tuple[str, ...]:
    """Return an option that is a list of texts, or one text."""
    value: Any = entry.options.get(name, [])
    listed = [value] if isinstance(value, str) else value
    if not isinstance(listed, list) or not all(isinstance(one, str) and "\0" not in one for one in listed):
        raise wrong(entry, name, "a list of texts")
    return tuple(listed)


def switch(entry: Entry, name: str) -> bool:
    """Return an option that is on or off; off unless it is there."""
    value = entry.options.get(name, False)
    if not isinstance(value, bool):
        raise wrong(entry, name, "true or false")
    return value


def path(entry: Entry, name: str, default: str | None = None) -> Path:
    """Return an option that names a file or a folder."""
    try:
        return Path(text(entry, name, default)).expanduser()
    except (RuntimeError, ValueError):
        raise wrong(entry, name, "a path") from None


def wrong(entry: Entry, name: str, wanted: str) -> BackendFailed:
    """Return the error of an option that is not what it must be."""
    return BackendFailed(f"{entry.name}: the option {name!r} must be {wanted}", code=Code.UNAVAILABLE)
