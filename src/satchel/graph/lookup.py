"""Lookup: which entities a name means, as people write names."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cached_property

from satchel.domain.graph import CODE, EntityType, folded
from satchel.graph.owners import NAMING, endings
from satchel.graph.web import Web
from satchel.ports.graph import Contents

_SEPARATORS = re.compile(r"[\s._/\\:-]+")
_ARTICLE = re.compile(r"^(?:the|a|an|our)\s+", re.IGNORECASE)
MAX_MEANT = 12


def squeezed(name: str) -> str:
    """Return the letters of a name alone: `session store`, `session_store` and `SessionStore` are one."""
    return _SEPARATORS.sub("", folded(name))


class Lookup:
    """Names of a web's entities, from the strictest way to write them to the loosest."""

    def __init__(self, web: Web, contents: Contents) -> None:
        self._web = web
        self._whole: dict[str, set[int]] = defaultdict(set)
        self._ends: dict[str, set[int]] = defaultdict(set)
        for number, node in enumerate(web.nodes):
            for name in self._names(number):
                self._whole[name].add(number)
            if node.type in CODE or node.type is EntityType.PACKAGE:
                for end in endings(node.name):
                    self._ends[end].add(number)
        for path, number in self._paths(contents):
            self._whole[path].add(number)
            parts = path.split("/")
            for place in range(1, len(parts)):
                self._ends["/".join(parts[place:])].add(number)
        for name, number in self._given(contents):
            self._whole[name].add(number)

    def _names(self, number: int) -> set[str]:
        node = self._web.nodes[number]
        # Other spellings count only where they are spellings: how code refers to a definition is no name of it.
        return {node.name} if node.type in CODE else {node.name, *(name for name, _ in self._web.names[number])}

    def _paths(self, contents: Contents) -> Iterator[tuple[str, int]]:
        numbers = {
            (node.scope, node.type, node.space, node.name): number for number, node in enumerate(self._web.nodes)
        }
        for source, _, sight in contents.sightings:
            if sight.ref.type is EntityType.MODULE and sight.defining:
                about = contents.sources[source]
                number = numbers.get((about.scope, sight.ref.type, sight.ref.space, sight.ref.name))
                if number is not None:
                    yield about.ref, number
        for number, node in enumerate(self._web.nodes):
            if node.type is EntityType.DOCUMENT:
                yield node.name, number

    def _given(self, contents: Contents) -> Iterator[tuple[str, int]]:
        refs = {(source, number): sight.ref for source, number, sight in contents.sightings}
        keys = {(node.scope, node.type, node.space, node.key): number for number, node in enumerate(self._web.nodes)}
        for row in contents.claims:
            if row.rule in NAMING:
                named, head = refs[row.source, row.tail], refs[row.source, row.head]
                key = head.name if head.type is EntityType.DOCUMENT else folded(head.name)
                number = keys.get((contents.sources[row.source].scope, head.type, head.space, key))
                if number is not None:
                    yield named.name, number

    @cached_property
    def _folded(self) -> dict[str, set[int]]:
        return _regrouped(self._whole, folded)

    @cached_property
    def _folded_ends(self) -> dict[str, set[int]]:
        return _regrouped(self._ends, folded)

    @cached_property
    def _squeezed(self) -> dict[str, set[int]]:
        return _regrouped(self._whole, squeezed)

    @cached_property
    def _squeezed_ends(self) -> dict[str, set[int]]:
        return _regrouped(self._ends, squeezed)

    @cached_property
    def unspaced(self) -> int:
        """The length of the longest name in a script without spaces."""
        return min(40, max((len(name) for name in self._folded if not name.isascii()), default=0))

    def meant(self, name: str, *, type: EntityType | None = None) -> list[int]:
        """Return the entities that a name given on purpose means: those that are called so the most exactly."""
        bare = name.removesuffix("()")
        if name.startswith("ent_") and name in self._web.ids:
            return [self._web.ids[name]]
        for table, key in (
            (self._whole, name),
            (self._whole, bare),
            (self._folded, folded(bare)),
            (self._ends, bare),
            (self._folded_ends, folded(bare)),
            (self._squeezed, squeezed(bare)),
            (self._squeezed_ends, squeezed(bare)),
        ):
            found = table.get(key, set()) if key else set()
            if chosen := [one for one in sorted(found) if type is None or self._web.nodes[one].type is type]:
                return chosen
        stripped = _ARTICLE.sub("", bare)
        return self.meant(stripped, type=type) if stripped != bare else []

    def spoken(self, words: str, *, sure: bool = False, whole: bool = False, code: bool = False) -> list[int]:
        """Return what a few words of a question name. `sure` says that they are set apart as a name.

        With `whole`, they have to be a name letter by letter; with `code`, a definition of that name comes first.

        A mere word is a name only where something is called exactly so; the last part of a dotted name has to be
        written as code writes it.
        """
        ends = self._ends.get(words.removesuffix("()"))
        if code and ends and len(words) > 2:
            same = {one for one in self._whole.get(words, set()) if self._web.nodes[one].type in CODE}
            return sorted(ends | same)[:MAX_MEANT]
        if sure:
            return self.meant(words)[:MAX_MEANT]
        if whole:
            return sorted(self._folded.get(folded(words), set()))[:MAX_MEANT]
        for table, key in ((self._whole, words), (self._folded, folded(words)), (self._squeezed, squeezed(words))):
            if (found := table.get(key)) and (table is not self._squeezed or len(key) >= 4):
                return sorted(found)[:MAX_MEANT]
        if ends and _looks_like_code(words):
            return sorted(ends)[:MAX_MEANT]
        if " " in words and (found := self._squeezed_ends.get(squeezed(words))):
            return [one for one in sorted(found) if self._web.nodes[one].type in _SPOKEN][:MAX_MEANT]
        return []


_SPOKEN = frozenset({EntityType.CLASS, EntityType.FUNCTION, EntityType.MODULE})


def _looks_like_code(words: str) -> bool:
    return " " not in words and (
        any(letter in "._/()" or letter.isdigit() for letter in words) or any(letter.isupper() for letter in words)
    )


def _regrouped(table: dict[str, set[int]], key: Callable[[str], str]) -> dict[str, set[int]]:
    found: dict[str, set[int]] = defaultdict(set)
    for name, numbers in table.items():
        found[key(name)] |= numbers
    return found
