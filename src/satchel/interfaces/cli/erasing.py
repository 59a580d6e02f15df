"""What a command would erase for good, in words, so that the person at the terminal can be asked first."""

from collections.abc import Callable, Mapping
from typing import Any

from satchel.errors import SatchelError
from satchel.interfaces.cli.views.lines import one_line

SHOWN_CHARS = 60


def question(command: str, values: Mapping[str, Any], text_of: Callable[[str], str]) -> str:
    """Return the question to ask before a command; empty if it erases nothing that can be named.

    `text_of` returns the text of the record with an id.
    """
    what = _ERASED[command](values, text_of) if command in _ERASED else ""
    return f"erase {what} everywhere? There is no undo." if what else ""


def _record(values: Mapping[str, Any], text_of: Callable[[str], str]) -> str:
    id = values.get("id")
    if not id or values.get("query"):
        return ""
    try:
        return f"{one_line(id, SHOWN_CHARS)} ({one_line(text_of(id), SHOWN_CHARS)})"
    except SatchelError:
        # A packet has no text; what cannot be found is the command's own error.
        return one_line(id, SHOWN_CHARS)


def _documents(values: Mapping[str, Any], text_of: Callable[[str], str]) -> str:
    if target := values.get("target"):
        return f"the document {one_line(target)}"
    collection = values.get("collection")
    return f"every document of the collection {one_line(collection)}" if collection else ""


def _turns(values: Mapping[str, Any], text_of: Callable[[str], str]) -> str:
    if id := values.get("id"):
        return f"the turn {one_line(id)}"
    session = values.get("session")
    return f"every turn of the session {one_line(session)}" if session else ""


_ERASED: Mapping[str, Callable[[Mapping[str, Any], Callable[[str], str]], str]] = {
    "forget": _record,
    "docs forget": _documents,
    "episodes forget": _turns,
}
ASKING_COMMANDS = frozenset(_ERASED)
