"""Edit TOML as text: a new table goes to the end of the file, everything else is left to tomlkit.

tomlkit keeps comments, but a table that it inserts can separate another one from the comments above it.
"""

import re
import tomllib
from collections.abc import Callable
from typing import Any

from satchel.interfaces.install.plain import MISSING, Path, value_at, with_value, without

_HEADER = re.compile(r"^[ \t]*\[")
_NO_CONTENT = re.compile(r"^[ \t]*(#.*)?\r?$")


def set_at(text: str, path: Path, value: Any) -> str:
    """Set the value at a path; tables on the way are created."""
    data = tomllib.loads(text)
    if isinstance(value, dict) and value_at(data, path) is MISSING:
        appended = _with_table(text, path, value)
        if _parses_to(appended, with_value(data, path, value)):
            return appended

    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document.setdefault(key, {})
        document[path[-1]] = value

    return _edited(text, change)


def remove_at(text: str, path: Path) -> str:
    """Remove the value at a path; nothing if there is none."""
    data = tomllib.loads(text)
    if value_at(data, path) is MISSING:
        return text
    # A line in a text of several lines may look like the header: then a later one is ours.
    for skipped in range(len(_own_header(path).findall(text))):
        cut = _without_table(text, path, skipped)
        if _parses_to(cut, without(data, path)):
            return cut

    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document[key]
        del document[path[-1]]

    return _edited(text, change)


def append_at(text: str, path: Path, value: Any) -> str:
    """Add an item to the end of the array at a path; the array is created if needed."""

    def change(document: Any) -> None:
        for key in path[:-1]:
            document = document.setdefault(key, {})
        document.setdefault(path[-1], []).append(value)

    return _edited(text, change)


def _with_table(text: str, path: Path, value: dict[str, Any]) -> str:
    import tomlkit  # slow to import

    newline = "\r\n" if "\r\n" in text else "\n"
    header = ".".join(tomlkit.key(str(key)).as_string() for key in path)
    lines = [f"[{header}]", *(f"{name} = {tomlkit.item(one).as_string()}" for name, one in value.items())]
    start = text if not text or text.endswith("\n") else text + newline
    return start + (newline if start else "") + newline.join(lines) + newline


def _own_header(path: Path) -> re.Pattern[str]:
    name = r"\.".join(f"[\"']?{re.escape(str(part))}[\"']?" for part in path)
    return re.compile(rf"^[ \t]*\[{name}(?:\.[^\]\n]*)?\]", re.MULTILINE)


def _without_table(text: str, path: Path, skipped: int) -> str:
    """Return the text without the table, its tables inside, and the empty line above it."""
    own = _own_header(path)
    kept: list[str] = []
    inside: list[str] | None = None
    for line in text.splitlines(keepends=True):
        if own.match(line) and skipped:
            skipped -= 1
        elif own.match(line):
            if inside is None and kept and not kept[-1].strip():
                kept.pop()
            inside = []
        elif inside is not None and _HEADER.match(line):
            kept += inside
            inside = None
        if inside is None:
            kept.append(line)
        else:
            # Comments at the end belong to the table that follows.
            inside = [*inside, line] if _NO_CONTENT.match(line.rstrip("\n")) else []
    return "".join(kept + (inside or []))


def _parses_to(text: str, expected: Any) -> bool:
    try:
        return bool(without_empty(tomllib.loads(text)) == without_empty(expected))
    except tomllib.TOMLDecodeError:
        return False


def without_empty(data: Any) -> Any:
    """Return the data without empty tables, which exist only as long as something is in them."""
    if not isinstance(data, dict):
        return data
    kept = {name: without_empty(one) for name, one in data.items()}
    return {name: one for name, one in kept.items() if one != {}}


def _edited(text: str, change: Callable[[Any], None]) -> str:
    import tomlkit
    from tomlkit.exceptions import TOMLKitError

    # tomlkit writes new lines with a line feed only.
    windows = "\r\n" in text and text.count("\r\n") == text.count("\n")
    try:
        document = tomlkit.parse(text.replace("\r\n", "\n") if windows else text)
        change(document)
        dumped = tomlkit.dumps(document)
    except (TOMLKitError, AttributeError, KeyError, TypeError) as error:
        # Whatever is not the table or the list that it should be.
        raise ValueError(str(error)) from None
    return dumped.replace("\n", "\r\n") if windows else dumped
