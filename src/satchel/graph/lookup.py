"""Looks up entities by name, from exact to loose spellings."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator
from copy import copy
from functools import cached_property

from satchel.domain.graph import CODE_TYPES, EntityType, display_name, fold_name
from satchel.domain.graph_answers import Entity
from satchel.errors import InvalidRequest, NotFound
from satchel.graph.resolution import NAMING_RULES, name_suffixes
from satchel.graph.resolved_graph import ResolvedGraph
from satchel.ports.graph import GraphContents

_SEPARATORS = re.compile(r"[\s._/\\:-]+")
_ARTICLE = re.compile(r"^(?:the|a|an|our)\s+", re.IGNORECASE)
MAX_MATCHES = 12
# Maximum number of entities listed when a name is ambiguous.
MAX_LISTED = 4
MAX_UNSPACED_CHARS = 40
# No entity has a longer name.
MAX_NAME_CHARS = 20_000
# Minimum length of a word that is compared without separators.
MIN_COMPACT_CHARS = 4
_SPOKEN_TYPES = frozenset({EntityType.CLASS, EntityType.FUNCTION, EntityType.MODULE})

_Table = dict[str, set[int]]


def _compact(name: str) -> str:
    """Fold a name and drop separators: `session store`, `session_store` and `SessionStore` become equal."""
    return _SEPARATORS.sub("", fold_name(name))


class Lookup:
    """Finds the entities of a graph by their names."""

    def __init__(self, graph: ResolvedGraph, contents: GraphContents) -> None:
        self._graph = graph
        self._full: _Table = defaultdict(set)
        self._suffixes: _Table = defaultdict(set)
        for number, node in enumerate(graph.nodes):
            for name in self._names(number):
                self._full[name].add(number)
            if node.type in CODE_TYPES or node.type is EntityType.PACKAGE:
                for suffix in name_suffixes(node.name):
                    self._suffixes[suffix].add(number)
        for path, number in self._paths(contents):
            self._full[path].add(number)
            parts = path.split("/")
            for place in range(1, len(parts)):
                self._suffixes["/".join(parts[place:])].add(number)
        for name, number in self._titles(contents):
            self._full[name].add(number)

    def showing(self, graph: ResolvedGraph) -> "Lookup":
        """Return the same lookup, whose errors name the entities as another form of the graph shows them."""
        other = copy(self)
        other._graph = graph
        return other

    def _names(self, number: int) -> set[str]:
        node = self._graph.nodes[number]
        # References in code are not alternative spellings of a definition.
        if node.type in CODE_TYPES:
            return {node.name}
        return {node.name, *(name for name, _ in self._graph.names[number])}

    def _paths(self, contents: GraphContents) -> Iterator[tuple[str, int]]:
        nodes = self._graph.nodes
        numbers = {(node.scope, node.type, node.space, node.name): number for number, node in enumerate(nodes)}
        for source, _, mention in contents.mentions:
            if mention.ref.type is EntityType.MODULE and mention.defining:
                about = contents.sources[source]
                number = numbers.get((about.scope, mention.ref.type, mention.ref.space, mention.ref.name))
                if number is not None:
                    yield about.ref, number
        yield from ((node.name, number) for number, node in enumerate(nodes) if node.type is EntityType.DOCUMENT)

    def _titles(self, contents: GraphContents) -> Iterator[tuple[str, int]]:
        refs = {(source, number): mention.ref for source, number, mention in contents.mentions}
        nodes = self._graph.nodes
        keys = {(node.scope, node.type, node.space, node.key): number for number, node in enumerate(nodes)}
        for row in contents.relations:
            if row.rule in NAMING_RULES:
                title, head = refs[row.source, row.tail], refs[row.source, row.head]
                key = head.name if head.type is EntityType.DOCUMENT else fold_name(head.name)
                number = keys.get((contents.sources[row.source].scope, head.type, head.space, key))
                if number is not None:
                    yield title.name, number

    @cached_property
    def _folded(self) -> _Table:
        return _rekeyed(self._full, fold_name)

    @cached_property
    def _folded_suffixes(self) -> _Table:
        return _rekeyed(self._suffixes, fold_name)

    @cached_property
    def _compacted(self) -> _Table:
        return _rekeyed(self._full, _compact)

    @cached_property
    def _compacted_suffixes(self) -> _Table:
        return _rekeyed(self._suffixes, _compact)

    @cached_property
    def longest_unspaced(self) -> int:
        """The length of the longest name in a script without spaces."""
        return min(MAX_UNSPACED_CHARS, max((len(name) for name in self._folded if not name.isascii()), default=0))

    def find_one(self, name: str, type: EntityType | None) -> int:
        """Return the entity of a name or id; fail if there is none, or more than one."""
        matches = self.find(name, type=type)
        if not matches:
            raise NotFound(
                f"no entity named {display_name(name, 80)!r}", hint="'satchel graph list' shows all entities"
            )
        if len(matches) > 1:
            entities = [self._graph.entity(one) for one in matches[:MAX_LISTED]]
            raise InvalidRequest(
                f"{display_name(name, 80)!r} matches {len(matches)} entities",
                code="ambiguous_name",
                hint="use the full name or the id: " + ", ".join(map(_described, entities)),
            )
        return matches[0]

    def find(self, name: str, *, type: EntityType | None = None) -> list[int]:
        """Return the entities that match a name or id most exactly."""
        if len(name) > MAX_NAME_CHARS:
            return []
        bare = name.removesuffix("()")
        if name.startswith("ent_") and name in self._graph.ids:
            return [self._graph.ids[name]]
        for table, key in (
            (self._full, name),
            (self._full, bare),
            (self._folded, fold_name(bare)),
            (self._suffixes, bare),
            (self._folded_suffixes, fold_name(bare)),
            (self._compacted, _compact(bare)),
            (self._compacted_suffixes, _compact(bare)),
        ):
            found = table.get(key, set()) if key else set()
            if chosen := [one for one in sorted(found) if type is None or self._graph.nodes[one].type is type]:
                return chosen
        stripped = _ARTICLE.sub("", bare)
        return self.find(stripped, type=type) if stripped != bare else []

    def find_spoken(self, words: str, *, quoted: bool = False, full: bool = False, code: bool = False) -> list[int]:
        """Return the entities that a few words of a question name.

        `quoted` words are looked up like a name given on purpose; `full` requires a complete name; with `code`,
        definitions come first. Otherwise a plain word must be a complete name, and a suffix of a dotted name counts only
        if it is written like code.
        """
        suffixed = self._suffixes.get(words.removesuffix("()"))
        if code and suffixed and len(words) > 2:
            same = {one for one in self._full.get(words, set()) if self._graph.nodes[one].type in CODE_TYPES}
            return sorted(suffixed | same)[:MAX_MATCHES]
        if quoted:
            return self.find(words)[:MAX_MATCHES]
        if full:
            return sorted(self._folded.get(fold_name(words), set()))[:MAX_MATCHES]
        for table, key in ((self._full, words), (self._folded, fold_name(words)), (self._compacted, _compact(words))):
            if (found := table.get(key)) and (table is not self._compacted or len(key) >= MIN_COMPACT_CHARS):
                return sorted(found)[:MAX_MATCHES]
        if suffixed and _looks_like_code(words):
            return sorted(suffixed)[:MAX_MATCHES]
        if " " in words and (found := self._compacted_suffixes.get(_compact(words))):
            return [one for one in sorted(found) if self._graph.nodes[one].type in _SPOKEN_TYPES][:MAX_MATCHES]
        return []


def _described(entity: Entity) -> str:
    return f"{entity.type} {display_name(entity.name, 60)} ({entity.id})"


def _looks_like_code(words: str) -> bool:
    return " " not in words and any(letter in "._/()" or letter.isdigit() or letter.isupper() for letter in words)


def _rekeyed(table: _Table, key: Callable[[str], str]) -> _Table:
    found: _Table = defaultdict(set)
    for name, numbers in table.items():
        found[key(name)] |= numbers
    return found
