"""Naming: what a collection is called, and what a citation means."""

import re

from satchel.errors import InvalidRequest

MAX_NAME_CHARS = 64

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")
_FOREIGN = re.compile(r"[^A-Za-z0-9._-]+")
_CITED = re.compile(r"doc:(?P<collection>[^:]+):(?P<path>.+?)(?:#(?P<chunk>[0-9a-f]{10}(?:-\d+)?))?")


def collection_name(name: str) -> str:
    """Return the name of a collection unchanged when it can be one, or refuse it."""
    if not isinstance(name, str) or len(name) > MAX_NAME_CHARS or not _NAME.fullmatch(name):
        raise InvalidRequest(
            f"{str(name)[:80]!r} cannot be the name of a collection",
            code="invalid_collection",
            hint=f"up to {MAX_NAME_CHARS} letters, digits, dots, dashes and underscores",
        )
    return name


def name_of_folder(root: str) -> str:
    """Return what a collection is called whose folder was given without a name: as the folder, in plain letters."""
    return _FOREIGN.sub("-", root.rstrip("/").rpartition("/")[2]).strip("-._")[:MAX_NAME_CHARS] or "documents"


def cited(text: str) -> tuple[str, str] | None:
    """Return the collection and the path that a citation names, or None where it is no citation."""
    found = _CITED.fullmatch(text)
    return (found["collection"], found["path"]) if found else None
