"""Configuration files in JSON, JSON5 or TOML: parse them, and edit their text so that everything else stays.

After each edit the text is parsed again and compared with what the edit should result in.
"""

import json
import tomllib
from collections.abc import Callable
from enum import StrEnum
from typing import Any

from msgspec import Struct

from satchel.interfaces.install import json_text, plain, toml_text
from satchel.interfaces.install.json_tree import parse
from satchel.interfaces.install.plain import Path

_MAX_PROBLEM = 200
_BOM = "\ufeff"


class Format(StrEnum):
    """How a host writes its configuration."""

    JSON = "json"
    JSON5 = "json5"
    """Also JSON with comments."""
    TOML = "toml"


class Unparsable(ValueError):
    """The content is not in its format; the message says why."""


class Uneditable(ValueError):
    """The content has a layout that cannot be edited safely."""


class Document(Struct, frozen=True):
    """The text of a file and what it says. An empty file is an empty object."""

    format: Format
    text: str
    data: dict[str, Any]

    def value_at(self, path: Path) -> Any:
        """Return the value at a path, or MISSING."""
        return plain.value_at(self.data, path)

    def set(self, path: Path, value: Any) -> "Document":
        """Return the document with a value at a path."""
        editor = toml_text if self.format is Format.TOML else json_text
        return self._edited(plain.with_value(self.data, path, value), lambda text: editor.set_at(text, path, value))

    def append(self, path: Path, value: Any) -> "Document":
        """Return the document with one more item in the list at a path."""
        editor = toml_text if self.format is Format.TOML else json_text
        return self._edited(plain.with_item(self.data, path, value), lambda text: editor.append_at(text, path, value))

    def remove(self, path: Path) -> "Document":
        """Return the document without the value at a path."""
        if self.value_at(path) is plain.MISSING:
            return self
        editor = toml_text if self.format is Format.TOML else json_text
        return self._edited(plain.without(self.data, path), lambda text: editor.remove_at(text, path))

    def _edited(self, expected: dict[str, Any], edit: Callable[[str], str]) -> "Document":
        mark = _BOM if self.text.startswith(_BOM) else ""
        text = self.text.removeprefix(_BOM)
        if self.format is not Format.TOML and not text.strip():
            text = "{}\n"
        try:
            changed = parsed(self.format, (mark + edit(text)).encode())
        except ValueError as error:  # also the errors of tomlkit
            raise Uneditable(str(error)) from None
        if _comparable(changed.format, changed.data) != _comparable(self.format, expected):
            raise Uneditable("the result would not be what was meant")
        return changed


def parsed(format: Format, content: bytes) -> Document:
    """Return the document of a file's content, or raise Unparsable."""
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError:
        raise Unparsable("it is not UTF-8") from None
    data = _data(format, text.removeprefix(_BOM))
    if not isinstance(data, dict):
        raise Unparsable("it is not an object")
    return Document(format, text, data)


def _data(format: Format, text: str) -> Any:
    try:
        if format is Format.TOML:
            return tomllib.loads(text)
        if not text.strip():
            return {}
        # Python's own parser is much faster, and Claude Code's file may be large.
        return json.loads(text) if format is Format.JSON else parse(text).value
    except ValueError as error:
        raise Unparsable(str(error)[:_MAX_PROBLEM]) from None
    except RecursionError:
        raise Unparsable("it is nested too deeply") from None


def _comparable(format: Format, data: dict[str, Any]) -> Any:
    # JSON5 has NaN, which differs from itself.
    return toml_text.without_empty(data) if format is Format.TOML else json.dumps(data, sort_keys=True)
