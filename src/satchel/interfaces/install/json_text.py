"""Edit JSON and JSON5 as text: what is set, added and removed changes, and every other byte stays as it is.

What was inserted and is removed again leaves no trace.
"""

import json
import re
from typing import Any

from satchel.interfaces.install.json_tree import Child, Node, parse
from satchel.interfaces.install.plain import Path, WrongShape, path_name

_INDENT = re.compile(r"\n([ \t]+)\S")
_SAME_LINE_COMMENT = re.compile(r"[ \t]*(?:/\*(?:(?!\*/)[^\r\n])*\*/|(//)[^\r\n]*)")
_LINE_END = re.compile(r"[ \t]*\r?\n")
_BLANK = re.compile(r"[ \t\r\n]*")


def set_at(text: str, path: Path, value: Any) -> str:
    """Set the value at a path; objects on the way are created."""
    node = parse(text)
    for depth, key in enumerate(path):
        child = _container(node, key, path[:depth]).child(key)
        if child is None:
            rest = [str(one) for one in path[depth + 1 :]]
            for name in reversed(rest):
                value = {name: value}
            return _insert(text, node, str(key), value)
        node = child.node
    return text[: node.start] + _dumped(text, value, _indent_of_line(text, node.start)) + text[node.end :]


def append_at(text: str, path: Path, value: Any) -> str:
    """Add an item to the end of the array at a path; the array is created if needed."""
    node = parse(text)
    for depth, key in enumerate(path):
        child = _container(node, key, path[:depth]).child(key)
        if child is None:
            return set_at(text, path, [value])
        node = child.node
    if not isinstance(node.value, list):
        raise WrongShape(f"{path_name(path)} is not a list")
    return _insert(text, node, None, value)


def remove_at(text: str, path: Path) -> str:
    """Remove the member or item at a path; nothing if there is none."""
    parent = parse(text)
    for depth, key in enumerate(path):
        child = _container(parent, key, path[:depth]).child(key)
        if child is None:
            return text
        if depth == len(path) - 1:
            return _without(text, parent, child)
        parent = child.node
    raise WrongShape("the whole file cannot be removed")


def _container(node: Node, key: str | int, path: Path) -> Node:
    if not isinstance(node.value, dict if isinstance(key, str) else list):
        raise WrongShape(f"{path_name(path)} is not {'an object' if isinstance(key, str) else 'a list'}")
    return node


def _insert(text: str, parent: Node, key: str | None, value: Any) -> str:
    last = parent.children[-1] if parent.children else None
    if last is None:
        return _insert_first(text, parent, key, value)
    gap = text[last.lead : last.start]
    newline = _newline(text)
    comma = last.comma
    place = last.node.end if comma is None else comma + 1
    # A comment at the end of the line belongs to the member before.
    while comment := _SAME_LINE_COMMENT.match(text, place):
        place = comment.end()
        if comment.group(1):
            gap = gap if "\n" in gap else newline
            break
    if "\n" in gap:
        indent = gap[gap.rfind("\n") + 1 :]
        chunk = newline + indent + _member(text, key, value, indent)
    else:
        chunk = _space(text) + _member(text, key, value, None)
    if comma is None:
        return text[: last.node.end] + "," + text[last.node.end : place] + chunk + text[place:]
    return text[:place] + chunk + "," + text[place:]


def _insert_first(text: str, parent: Node, key: str | None, value: Any) -> str:
    """Insert into an empty container; `_without_only_child` is its opposite."""
    place = parent.end - 1
    if "\n" not in text.strip() and parent.start > _BLANK.match(text).end():  # type: ignore[union-attr]
        return text[:place] + _member(text, key, value, None) + text[place:]
    base = _indent_of_line(text, parent.start)
    indent, newline = base + _indent(text), _newline(text)
    return text[:place] + newline + indent + _member(text, key, value, indent) + newline + base + text[place:]


def _without(text: str, parent: Node, child: Child) -> str:
    siblings = parent.children or []
    if len(siblings) == 1:
        return _without_only_child(text, parent, child)
    if child.comma is not None:
        return _joined(text[: child.lead], text, child, text[child.node.end : child.comma] + text[child.comma + 1 :])
    before = siblings[siblings.index(child) - 1].comma
    assert before is not None, "members are separated by commas"
    return _joined(text[:before] + text[before + 1 : child.lead], text, child, text[child.node.end :])


def _without_only_child(text: str, parent: Node, child: Child) -> str:
    gap = text[child.lead : child.start]
    line = gap.rfind("\n")
    start = child.start if line < 0 else child.lead + line - gap.endswith("\r", 0, line)
    rest = text[child.node.end : parent.end - 1]
    if child.comma is not None:
        comma = child.comma - child.node.end
        rest = rest[:comma] + rest[comma + 1 :]
    if start > child.lead or not child.below_comment:
        own_end = line >= 0 and rest.removeprefix("\r") == "\n" + _indent_of_line(text, parent.start)
        return text[:start] + ("" if own_end else rest) + text[parent.end - 1 :]
    return _joined(text[: child.lead], text, child, rest + text[parent.end - 1 :])


def _joined(head: str, text: str, child: Child, tail: str) -> str:
    """Join what was before and after a child; a line comment before it needs the end of its line."""
    open_comment = child.below_comment and not _LINE_END.match(tail)
    return head + (text[child.lead : child.start] if open_comment else "") + tail


def _member(text: str, key: str | None, value: Any, indent: str | None) -> str:
    dumped = _dumped(text, value, indent)
    if key is None:
        return dumped
    space = " " if indent is not None else _space(text)
    return f"{json.dumps(key, ensure_ascii=False)}:{space}{dumped}"


def _dumped(text: str, value: Any, indent: str | None) -> str:
    """Return a value as JSON: on one line without an indent, or if the text has only one."""
    if indent is None or ("\n" not in text.strip() and len(text.strip()) > len("{}")):
        separators = (f",{_space(text)}", f":{_space(text)}")
        return json.dumps(value, ensure_ascii=False, separators=separators)
    dumped = json.dumps(value, ensure_ascii=False, indent=_indent(text))
    return dumped.replace("\n", _newline(text) + indent)


def _space(text: str) -> str:
    """Return the space that a text on one line has after commas and colons."""
    return "" if '":' in text and '": ' not in text else " "


def _newline(text: str) -> str:
    end = text.find("\n")
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"


def _indent(text: str) -> str:
    found = _INDENT.search(text)
    return found.group(1) if found else "  "


def _indent_of_line(text: str, place: int) -> str:
    start = text.rfind("\n", 0, place) + 1
    return text[start : start + len(text[start:place]) - len(text[start:place].lstrip(" \t"))]
