"""The entries that belong to Satchel in a host's configuration: bring them up to date, and take them out."""

import shlex
from collections.abc import Iterator, Mapping, Sequence
from pathlib import PurePath
from typing import Any, Protocol

from msgspec import Struct

from satchel.interfaces.install.documents import Document
from satchel.interfaces.install.plain import MISSING, Path, value_at

Keys = tuple[str, ...]


class Member(Struct, frozen=True):
    """A value at a path. What a person added to an object of ours stays; None in it means that a key must be absent."""

    path: Keys
    value: Any
    only_if_missing: bool = False
    """Another value stays."""

    def written(self, document: Document) -> Document:
        """Return the document with the value."""
        if self.only_if_missing and document.value_at(self.path) is not MISSING:
            return document
        return _merged(document, self.path, self.value)

    def removed(self, document: Document, before: Mapping[str, Any]) -> Document:
        """Return the document without Satchel's entries, with those that they replaced."""
        current, previous = document.value_at(self.path), value_at(before, self.path)
        if current is MISSING or (not isinstance(self.value, dict) and current != self.value):
            return document
        if previous is not MISSING and self.only_if_missing:
            return document
        if previous is MISSING or previous == current:
            return document.remove(self.path)
        return document.set(self.path, previous)


class Item(Struct, frozen=True):
    """An item of a list."""

    path: Keys
    value: str
    stale: tuple[str, ...] = ()
    """How earlier installations ended this item: such items are replaced."""
    only_in_existing: bool = False
    """The list is not created for it."""

    def written(self, document: Document) -> Document:
        """Return the document with the item."""
        items = document.value_at(self.path)
        if self.only_in_existing and items is MISSING:
            return document
        for place in self._places(document, reverse=True):
            if items[place] != self.value:
                document = document.remove((*self.path, place))
        return document if self._places(document) else document.append(self.path, self.value)

    def removed(self, document: Document, before: Mapping[str, Any]) -> Document:
        """Return the document without the item, unless it was there before we came."""
        previous = value_at(before, self.path)
        for place in self._places(document, reverse=True):
            if not isinstance(previous, list) or document.value_at((*self.path, place)) not in previous:
                document = document.remove((*self.path, place))
        return document

    def _places(self, document: Document, *, reverse: bool = False) -> list[int]:
        items = document.value_at(self.path)
        if not isinstance(items, list):
            return []
        found = [place for place, one in enumerate(items) if self._is_own(one)]
        return found[::-1] if reverse else found

    def _is_own(self, item: Any) -> bool:
        return isinstance(item, str) and (item == self.value or item.endswith(self.stale or ("\0",)))


class Hooks(Struct, frozen=True):
    """One command for each event."""

    path: Keys
    host: str
    commands: Mapping[str, str]
    """By event."""
    timeouts: Mapping[str, int]
    """By event, in the unit of the host; the host has its own for others."""
    grouped: bool = True
    """Handlers are in groups with a matcher, as Claude Code has them."""

    def written(self, document: Document) -> Document:
        """Return the document with one handler for each event, and no other of ours."""
        for event in reversed(list(_events(document, self.path))):
            # One that a person moved or changed is kept where it is.
            spare = self._own(document, event)[int(event in self.commands) :]
            document = self._without(document, event, spare, created=True)
        for event, command in self.commands.items():
            found = self._own(document, event)
            if not found:
                document = document.append((*self.path, event), self._new(event, command))
            elif document.value_at((*found[0], "command")) != command:
                document = document.set((*found[0], "command"), command)
        return document

    def removed(self, document: Document, before: Mapping[str, Any]) -> Document:
        """Return the document without our handlers, and without the groups and events that only had ours."""
        for event in reversed(list(_events(document, self.path))):
            created = value_at(before, (*self.path, event)) is MISSING
            document = self._without(document, event, self._own(document, event), created=created)
        return document

    def remarks(self, document: Document) -> Iterator[str]:
        """Yield a remark for each event with an older hook of Satchel that a person wrote."""
        for event in _events(document, self.path):
            commands = [one.get("command") for _, one in self._handlers(document, event) if isinstance(one, dict)]
            if any(runs_satchel(one, (word,)) for one in commands for word in ("turn", "capture")):
                yield f"a hook of {event} runs 'satchel turn' or 'satchel capture': remove it, or it does everything twice"

    def places(self, document: Document) -> Iterator[tuple[str, int, int]]:
        """Yield event, number of the group and number in the group of our handlers."""
        for event in _events(document, self.path):
            for place in self._own(document, event):
                yield event, int(place[-3]), int(place[-1])

    def _new(self, event: str, command: str) -> dict[str, Any]:
        handler: dict[str, Any] = {"type": "command"} if self.grouped else {}
        handler["command"] = command
        if event in self.timeouts:
            handler["timeout"] = self.timeouts[event]
        return {"hooks": [handler]} if self.grouped else handler

    def _own(self, document: Document, event: str) -> list[Path]:
        """Return the places of our handlers of an event."""
        return [
            place
            for place, handler in self._handlers(document, event)
            if isinstance(handler, dict) and runs_satchel(handler.get("command"), ("hook", self.host))
        ]

    def _handlers(self, document: Document, event: str) -> Iterator[tuple[Path, Any]]:
        path: tuple[str | int, ...] = (*self.path, event)
        for number, group in enumerate(_list(document.value_at(path))):
            if not self.grouped:
                yield (*path, number), group
                continue
            inner = group.get("hooks") if isinstance(group, dict) else None
            yield from (((*path, number, "hooks", place), one) for place, one in enumerate(_list(inner)))

    def _without(self, document: Document, event: str, places: list[Path], *, created: bool) -> Document:
        """Return the document without some handlers, their groups if nothing else is in them, and the event likewise."""
        for place in reversed(places):
            document = document.remove(place)
            if self.grouped and document.value_at(place[:-1]) == []:
                document = document.remove(place[:-2])
        emptied = places and document.value_at((*self.path, event)) == []
        return document.remove((*self.path, event)) if emptied and created else document


class Notify(Struct, frozen=True):
    """The program that Codex runs after a turn: ours only where hooks are turned off and no other is set."""

    command: tuple[str, ...]
    path: Keys = ("notify",)

    def written(self, document: Document) -> Document:
        """Return the document with our program if it is needed and the place is free."""
        current = document.value_at(self.path)
        if current is not MISSING and not self._is_own(current):
            return document
        if not _hooks_are_off(document):
            return document.remove(self.path)
        return document if current == list(self.command) else document.set(self.path, list(self.command))

    def removed(self, document: Document, before: Mapping[str, Any]) -> Document:
        """Return the document without our program."""
        return document.remove(self.path) if self._is_own(document.value_at(self.path)) else document

    def remarks(self, document: Document) -> Iterator[str]:
        """Yield a remark if neither hooks nor this program can run."""
        current = document.value_at(self.path)
        if _hooks_are_off(document) and current is not MISSING and not self._is_own(current):
            yield "hooks are turned off and notify is yours, so Codex only has the tools: set features.hooks to true"

    def _is_own(self, value: Any) -> bool:
        words = value if isinstance(value, list) and all(isinstance(one, str) for one in value) else []
        return runs_satchel(shlex.join(words), ("hook",))


def _hooks_are_off(document: Document) -> bool:
    # The second name is that of older versions.
    return any(document.value_at(("features", name)) is False for name in ("hooks", "codex_hooks"))


def runs_satchel(command: Any, words: tuple[str, ...]) -> bool:
    """Return whether a shell command runs Satchel with these words first."""
    try:
        parts = shlex.split(command) if isinstance(command, str) else []
    except ValueError:
        return False
    after = [parts[place + 1 :] for place, part in enumerate(parts) if PurePath(part).stem == "satchel"]
    return any(tuple(rest[: len(words)]) == words for rest in after)


class Entry(Protocol):
    """Something of ours at a path."""

    @property
    def path(self) -> Keys:
        """Where it is, or the list or object that it is in."""

    def written(self, document: Document) -> Document:
        """Return the document with it, up to date."""

    def removed(self, document: Document, before: Mapping[str, Any]) -> Document:
        """Return the document without it; `before` is the data before it came."""


def without_emptied(
    document: Document, full: Document, entries: Sequence[Entry], before: Mapping[str, Any]
) -> Document:
    """Return the document without objects and lists that were created for our entries and had nothing else in them.

    `full` is the document with our entries, `before` the data before they came.
    """
    for entry in entries:
        last = len(entry.path) - isinstance(entry, Member | Notify)
        for length in range(last, 0, -1):
            path = entry.path[:length]
            emptied = document.value_at(path) in ({}, []) and full.value_at(path) not in ({}, [])
            if emptied and value_at(before, path) is MISSING:
                document = document.remove(path)
    return document


def _merged(document: Document, path: Keys, value: Any) -> Document:
    current = document.value_at(path)
    if not isinstance(value, dict) or not isinstance(current, dict):
        return document if current == value else document.set(path, _complete(value))
    for name, one in value.items():
        document = document.remove((*path, name)) if one is None else _merged(document, (*path, name), one)
    return document


def _complete(value: Any) -> Any:
    if not isinstance(value, dict):
        return value
    return {name: _complete(one) for name, one in value.items() if one is not None}


def _events(document: Document, path: Keys) -> Iterator[str]:
    found = document.value_at(path)
    yield from found if isinstance(found, dict) else ()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
