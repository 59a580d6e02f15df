"""Parse JSON and JSON5 into a tree that knows where everything is in the text, so that the text can be edited."""

import re
from typing import Any

from msgspec import Struct

MAX_DEPTH = 200

_SPACE = re.compile(r"[ \t\r\n\v\f\u00a0\u2028\u2029\ufeff]*")
_COMMENT = re.compile(r"//[^\r\n\u2028\u2029]*|/\*.*?\*/", re.DOTALL)
_DOUBLE = re.compile(r'"(?:[^"\\\r\n]|\\(?:\r\n|.))*"', re.DOTALL)
_SINGLE = re.compile(r"'(?:[^'\\\r\n]|\\(?:\r\n|.))*'", re.DOTALL)
_NAME = re.compile(r"[^\W\d][\w$\u200c\u200d]*|\$[\w$\u200c\u200d]*")
_NUMBER = re.compile(r"[+-]?(?:0[xX][0-9a-fA-F]+|Infinity|NaN|(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)")
_WORDS = {"true": True, "false": False, "null": None}
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|(\r\n|.))", re.DOTALL)
_ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0"}
_LINE_ENDS = ("\r\n", "\n", "\r", "\u2028", "\u2029")


class JsonSyntaxError(ValueError):
    """The text is not JSON; the message says why and in which line."""


class Child(Struct, gc=False):
    """A member of an object, or an item of an array."""

    key: str | None
    lead: int
    """Where the white space directly before it starts."""
    start: int
    node: "Node"
    comma: int | None = None
    """Where the comma after it is."""
    below_comment: bool = False
    """A line comment ends where `lead` starts."""


class Node(Struct, gc=False):
    """A value and its place in the text."""

    start: int
    end: int
    value: Any
    children: list[Child] | None = None
    """None for a value that is neither an object nor an array."""

    def child(self, key: str | int) -> Child | None:
        """Return the member of a name, the last one if there are several, or the item of a number."""
        if isinstance(key, int):
            items = self.children if isinstance(self.value, list) else None
            return items[key] if items and -len(items) <= key < len(items) else None
        return next((one for one in reversed(self.children or ()) if one.key == key), None)


def parse(text: str) -> Node:
    """Return the tree of a JSON5 text."""
    reader = _Reader(text)
    root = reader.value(reader.skip(0), 0)
    end = reader.skip(root.end)
    if end != len(text):
        raise reader.error(end, "there is more after the end")
    return root


class _Reader:
    def __init__(self, text: str) -> None:
        self.text = text
        # Where the white space before the last place returned by `skip` starts.
        self.lead = 0
        self.below_comment = False

    def skip(self, at: int) -> int:
        """Return the place after white space and comments."""
        self.below_comment = False
        while True:
            self.lead = at
            at = _SPACE.match(self.text, at).end()  # type: ignore[union-attr]
            comment = _COMMENT.match(self.text, at)
            if comment is None:
                return at
            at = comment.end()
            self.below_comment = comment.group().startswith("//")

    def value(self, at: int, depth: int) -> Node:
        if depth > MAX_DEPTH:
            raise self.error(at, "nested too deeply")
        first = self.text[at : at + 1]
        if first == "{":
            return self._container(at, "}", depth)
        if first == "[":
            return self._container(at, "]", depth)
        if first in ("'", '"'):
            end, value = self._string(at)
            return Node(at, end, value)
        return self._plain(at)

    def _container(self, start: int, close: str, depth: int) -> Node:
        children: list[Child] = []
        at = self.skip(start + 1)
        while self.text[at : at + 1] != close:
            child = self._child(at, named=close == "}", depth=depth)
            children.append(child)
            at = self.skip(child.node.end)
            if self.text[at : at + 1] == ",":
                child.comma = at
                at = self.skip(at + 1)
            elif self.text[at : at + 1] != close:
                raise self.error(at, f"expected ',' or '{close}'")
        value: Any = [one.node.value for one in children]
        if close == "}":
            value = {one.key: one.node.value for one in children}
        return Node(start, at + 1, value, children)

    def _child(self, at: int, *, named: bool, depth: int) -> Child:
        lead, below = self.lead, self.below_comment
        if not named:
            return Child(None, lead, at, self.value(at, depth + 1), below_comment=below)
        end, key = self._key(at)
        colon = self.skip(end)
        if self.text[colon : colon + 1] != ":":
            raise self.error(colon, "expected ':'")
        return Child(key, lead, at, self.value(self.skip(colon + 1), depth + 1), below_comment=below)

    def _key(self, at: int) -> tuple[int, str]:
        if self.text[at : at + 1] in ("'", '"'):
            return self._string(at)
        name = _NAME.match(self.text, at)
        if name is None:
            raise self.error(at, "expected a name")
        return name.end(), name.group()

    def _string(self, at: int) -> tuple[int, str]:
        found = (_DOUBLE if self.text[at] == '"' else _SINGLE).match(self.text, at)
        if found is None:
            raise self.error(at, "the text is not closed")
        inner = found.group()[1:-1]
        return found.end(), _unescape(inner) if "\\" in inner else inner

    def _plain(self, at: int) -> Node:
        number = _NUMBER.match(self.text, at)
        if number is not None:
            return Node(at, number.end(), self._number(at, number.group()))
        name = _NAME.match(self.text, at)
        if name is not None and name.group() in _WORDS:
            return Node(at, name.end(), _WORDS[name.group()])
        raise self.error(at, "expected a value")

    def _number(self, at: int, text: str) -> int | float:
        try:
            if "x" in text.lower():
                return int(text, 16)
            return int(text) if text.lstrip("+-").isdigit() else float(text)
        except ValueError:  # Python converts no integer of thousands of digits
            raise self.error(at, "the number is too long") from None

    def error(self, at: int, problem: str) -> JsonSyntaxError:
        return JsonSyntaxError(f"line {self.text.count(chr(10), 0, at) + 1}: {problem}")


def _unescape(text: str) -> str:
    def plain(found: re.Match[str]) -> str:
        code = found.group(1) or found.group(2)
        if code:
            return chr(int(code, 16))
        letter = found.group(3)
        return "" if letter in _LINE_ENDS else _ESCAPED.get(letter, letter)

    # Two escapes of one character outside the basic plane are joined.
    joined = _ESCAPE.sub(plain, text)
    return joined.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
