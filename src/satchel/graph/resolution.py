"""Resolves the names that sources use to the entities they stand for.

A dotted name leads through imports and base classes to a definition. A name in backticks stands for the one entity of
that name, and a term for the entity of that name or else a concept. An ambiguous name is not resolved: entities are never
merged because their names are alike.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from satchel.domain.code.kinds import grammar_of
from satchel.domain.graph import CODE_TYPES, EntityMention, EntityRef, EntityType, RelationType, fold_name
from satchel.graph.readers.noun_phrases import is_code_like
from satchel.graph.readers.other_code import LOCAL_PREFIX
from satchel.ports.graph import GraphContents

# Rules that give an entity another name, rather than stating a relation.
NAMING_RULES = frozenset({"markdown.title", "manifest.name"})
MAX_STEPS = 12

_NAMED_TYPES = frozenset({EntityType.PROJECT, EntityType.REPO, EntityType.TOOL, EntityType.PERSON})
_PREFERRED_TYPES = frozenset({EntityType.MODULE, EntityType.CLASS, EntityType.DOCUMENT})
_Space = tuple[str, str]
"""A scope and a project in it."""


class NameResolver:
    """Resolves every name that the sources of a view use."""

    def __init__(self, contents: GraphContents) -> None:
        self._definitions: dict[_Space, dict[str, list[EntityRef]]] = defaultdict(lambda: defaultdict(list))
        self._by_suffix: dict[_Space, dict[str, set[EntityRef]]] = defaultdict(lambda: defaultdict(set))
        self._by_stem: dict[_Space, dict[str, set[EntityRef]]] = defaultdict(lambda: defaultdict(set))
        self._packages: dict[_Space, set[str]] = defaultdict(set)
        self._imported: dict[_Space, set[str]] = defaultdict(set)
        self._named: dict[tuple[str, str], set[EntityRef]] = defaultdict(set)
        self._titles: dict[tuple[str, str], set[EntityRef]] = defaultdict(set)
        self._re_exports: dict[tuple[str, str, str], str] = {}
        self._bases: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        self._resolved: dict[tuple[str, EntityRef], EntityRef | None] = {}
        refs: dict[tuple[int, int], EntityRef] = {}
        seen: set[tuple[str, EntityRef, bool]] = set()
        for source, number, mention in contents.mentions:
            refs[source, number] = mention.ref
            about = contents.sources[source]
            # Most entities are mentioned many times.
            key = (about.scope, mention.ref, mention.defining)
            if key not in seen:
                seen.add(key)
                self._add_mention(about.scope, mention, about.ref)
        for row in contents.relations:
            tail, head = refs[row.source, row.tail], refs[row.source, row.head]
            self._add_relation(contents.sources[row.source].scope, tail, row.relation, head, row.rule)

    def _add_mention(self, scope: str, mention: EntityMention, path: str) -> None:
        ref, space = mention.ref, (scope, mention.ref.space)
        if ref.type in CODE_TYPES:
            self._add_definition(space, ref)
            if ref.type is EntityType.MODULE and mention.defining:
                self._add_path(space, path, ref)
                self._by_stem[space][path.rpartition(".")[0]].add(ref)
        elif ref.type is EntityType.DOCUMENT:
            self._add_path(space, ref.name, ref)
        elif ref.type is EntityType.PACKAGE:
            self._imported[space].add(ref.name)
        elif ref.type in _NAMED_TYPES:
            self._named[scope, _loose_name(ref.name)].add(EntityRef(ref.type, fold_name(ref.name)))

    def _add_definition(self, space: _Space, ref: EntityRef) -> None:
        name = unicodedata.normalize("NFC", ref.name)
        same = self._definitions[space][name]
        if ref not in same:
            same.append(ref)
            # A module takes precedence over a class or function of its name.
            same.sort(key=lambda one: (one.type is not EntityType.MODULE, one.type))
        for suffix in (name, *name_suffixes(name)):
            self._by_suffix[space][suffix].add(ref)
        if ref.type is EntityType.MODULE and not _is_path(name):
            parts = name.split(".")
            self._packages[space].update(".".join(parts[:place]) for place in range(1, len(parts)))

    def _add_path(self, space: _Space, path: str, ref: EntityRef) -> None:
        for whole in {path, path.rsplit(".", 1)[0], path.removesuffix("/__init__.py")}:
            parts = whole.split("/")
            # A lone word without an extension is too common to stand for a file.
            last = len(parts) if whole == path else len(parts) - 1
            for place in range(last):
                self._by_suffix[space]["/".join(parts[place:])].add(ref)

    def _add_relation(self, scope: str, tail: EntityRef, relation: str, head: EntityRef, rule: str) -> None:
        if rule in NAMING_RULES:
            self._titles[scope, _loose_name(tail.name)].add(head)
        elif rule == "python.import" and relation == RelationType.ALIAS_OF:
            self._re_exports[scope, tail.space, tail.name] = head.name
        elif rule in ("python.base", "grammar.base"):
            self._bases[scope, tail.space, tail.name].append(head.name)

    def resolve(self, scope: str, ref: EntityRef) -> EntityRef | None:
        """Return the entity that a reference stands for; None if it is unknown or ambiguous."""
        if (scope, ref) not in self._resolved:
            self._resolved[scope, ref] = self._resolve(scope, ref)
        return self._resolved[scope, ref]

    def _resolve(self, scope: str, ref: EntityRef) -> EntityRef | None:
        match ref.type:
            case EntityType.PACKAGE:
                return self._resolve_package(scope, ref)
            case EntityType.NAME:
                return self._resolve_dotted((scope, ref.space), ref.name, MAX_STEPS)
            case EntityType.MENTION:
                return self._resolve_mention(scope, ref)
            case EntityType.TERM:
                return self._resolve_term(scope, ref)
        return ref

    def _resolve_package(self, scope: str, ref: EntityRef) -> EntityRef:
        space = (scope, ref.space)
        own = [one for one in self._definitions[space].get(ref.name, ()) if one.type is EntityType.MODULE]
        if own or ref.name in self._packages[space]:
            return EntityRef(EntityType.MODULE, ref.name, ref.space)
        return _single(self._named.get((scope, _loose_name(ref.name)), set())) or EntityRef(
            EntityType.PACKAGE, ref.name
        )

    def _resolve_dotted(self, space: _Space, name: str, steps: int) -> EntityRef | None:
        if own := self._definitions[space].get(name):
            return own[0]
        if name.startswith(LOCAL_PREFIX):
            stem, _, inner = name.partition(":")
            file = self._local_file(space, stem)
            return None if file is None else self._resolve_dotted(space, f"{file.name}:{inner}", 0)
        if not steps:
            return None
        for prefix, rest in _prefixes(name):
            if (origin := self._re_exports.get((*space, prefix))) and origin != prefix:
                return self._resolve_dotted(space, origin + rest, steps - 1)
        parent, _, last = name.rpartition(".")
        owner = self._resolve_dotted(space, parent, steps - 1) if parent else None
        if owner is not None and owner.type is EntityType.CLASS:
            for base in self._bases.get((*space, owner.name), ()):
                if inherited := self._resolve_dotted(space, f"{base}.{last}", steps - 1):
                    return inherited
        return None

    def container(self, scope: str, ref: EntityRef) -> EntityRef | None:
        """Return the class, variable or external package that an undefined dotted name is part of."""
        space = (scope, ref.space)
        for prefix, _ in _prefixes(ref.name):
            owner = self._resolve_dotted(space, prefix, MAX_STEPS)
            if owner is not None:
                return owner if owner.type is not EntityType.MODULE else None
            if prefix in self._imported[space]:
                return self._resolve_package(scope, EntityRef(EntityType.PACKAGE, prefix, ref.space))
        return None

    def _resolve_mention(self, scope: str, ref: EntityRef) -> EntityRef | None:
        space = (scope, ref.space)
        if ref.name.startswith(LOCAL_PREFIX):
            return self._local_file(space, ref.name)
        name = ref.name.removesuffix("()").strip("/")
        own = self._definitions[space].get(name)
        is_word = name.isalpha() and name.islower()
        found = own[0] if own else _single(self._by_suffix[space].get(name, set()), prefer_large=not is_word)
        return found or self._named_entity(scope, name)

    def _local_file(self, space: _Space, stem: str) -> EntityRef | None:
        """Return the file that an import names by its path without extension; a folder stands for its index."""
        stems = self._by_stem[space]
        path = stem.removeprefix(LOCAL_PREFIX)
        return _single(stems.get(path, set())) or _single(stems.get(f"{path}/index", set()))

    def _resolve_term(self, scope: str, ref: EntityRef) -> EntityRef:
        if named := self._named_entity(scope, ref.name):
            return named
        if is_code_like(ref.name) or ref.name[:1].isupper():
            name = ref.name.removesuffix("()")
            spaces = [space for space in self._by_suffix if space[0] == scope]
            owner = _single({one for space in spaces for one in self._by_suffix[space].get(name, ())})
            # A capitalized ordinary word can only be a class.
            if owner is not None and (is_code_like(ref.name) or owner.type is EntityType.CLASS):
                return owner
        return EntityRef(EntityType.CONCEPT, ref.name)

    def _named_entity(self, scope: str, name: str) -> EntityRef | None:
        """Return the project, repo, tool or person of a name, else the document or project with that title."""
        key = (scope, _loose_name(name))
        return _single(self._named.get(key, set())) or _single(self._titles.get(key, set()))


def _single(refs: set[EntityRef], *, prefer_large: bool = True) -> EntityRef | None:
    """Return the only reference; of several, the only module, class or document among them if `prefer_large`."""
    if len(refs) == 1:
        return next(iter(refs))
    large = [one for one in refs if one.type in _PREFERRED_TYPES] if prefer_large else []
    return large[0] if len(large) == 1 else None


def _loose_name(name: str) -> str:
    """Fold a name and treat dashes and underscores alike, as package indexes do."""
    return fold_name(name).replace("_", "-")


def _is_path(name: str) -> bool:
    """Return whether a module is named by its path; Python modules have dotted names."""
    return "/" in name or grammar_of(name) is not None


def name_suffixes(name: str) -> Iterator[str]:
    """Yield the short names of a definition: the suffixes of its dotted name."""
    file, colon, inner = name.partition(":")
    if colon:
        yield inner
    elif _is_path(file):
        return
    parts = (inner or name).split(".")
    for place in range(1, len(parts)):
        yield ".".join(parts[place:])


def _prefixes(name: str) -> Iterator[tuple[str, str]]:
    """Yield the prefixes of a dotted name, the longest first, each with the rest."""
    end = len(name)
    while end > 0:
        yield name[:end], name[end:]
        end = name.rfind(".", 0, end)
