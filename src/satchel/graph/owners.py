"""Owners: whose name a name is.

A dotted name leads through imports and base classes to a definition; a mention is of the one thing that is called so;
a term is of the thing of that name, or it is a concept. A name that two things could own is nobody's: what is called
alike is never made one.
"""

import unicodedata
from collections import defaultdict
from collections.abc import Iterator

from satchel.domain.code.kinds import grammar_of
from satchel.domain.graph import CODE, EntityType, Ref, Relation, Sighting, folded
from satchel.graph import nouns
from satchel.graph.other_code import NEAR
from satchel.ports.graph import Contents

# Self-given names: they are names of the thing, and no thing of their own.
NAMING = frozenset({"markdown.title", "manifest.name"})
MAX_STEPS = 12

_THINGS = frozenset({EntityType.PROJECT, EntityType.REPO, EntityType.TOOL, EntityType.PERSON})
_LARGE = frozenset({EntityType.MODULE, EntityType.CLASS, EntityType.DOCUMENT})
_Space = tuple[str, str]
"""A scope, and a project in it."""


class Owners:
    """Finds the owner of every name that the sources of a view use."""

    def __init__(self, contents: Contents) -> None:
        self._defined: dict[_Space, dict[str, list[Ref]]] = defaultdict(lambda: defaultdict(list))
        self._ends: dict[_Space, dict[str, set[Ref]]] = defaultdict(lambda: defaultdict(set))
        self._stems: dict[_Space, dict[str, set[Ref]]] = defaultdict(lambda: defaultdict(set))
        self._around: dict[_Space, set[str]] = defaultdict(set)
        self._foreign: dict[_Space, set[str]] = defaultdict(set)
        self._things: dict[tuple[str, str], set[Ref]] = defaultdict(set)
        self._titles: dict[tuple[str, str], set[Ref]] = defaultdict(set)
        self._passed_on: dict[tuple[str, str, str], str] = {}
        self._bases: dict[tuple[str, str, str], list[str]] = defaultdict(list)
        self._known: dict[tuple[str, Ref], Ref | None] = {}
        refs: dict[tuple[int, int], Ref] = {}
        seen: set[tuple[str, Ref, bool]] = set()
        for source, number, sight in contents.sightings:
            refs[source, number] = sight.ref
            about = contents.sources[source]
            # Most are named by many; once is enough.
            once = (about.scope, sight.ref, sight.defining)
            if once not in seen:
                seen.add(once)
                self._sighted(about.scope, sight, about.ref)
        for row in contents.claims:
            tail, head = refs[row.source, row.tail], refs[row.source, row.head]
            self._claimed(contents.sources[row.source].scope, tail, row.relation, head, row.rule)

    def _sighted(self, scope: str, sight: Sighting, path: str) -> None:
        ref, space = sight.ref, (scope, sight.ref.space)
        if ref.type in CODE:
            self._define(space, ref)
            if ref.type is EntityType.MODULE and sight.defining:
                self._end_of_path(space, path, ref)
                self._stems[space][path.rpartition(".")[0]].add(ref)
        elif ref.type is EntityType.DOCUMENT:
            self._end_of_path(space, ref.name, ref)
        elif ref.type is EntityType.PACKAGE:
            self._foreign[space].add(ref.name)
        elif ref.type in _THINGS:
            self._things[scope, _loose(ref.name)].add(Ref(ref.type, folded(ref.name)))

    def _define(self, space: _Space, ref: Ref) -> None:
        name = unicodedata.normalize("NFC", ref.name)
        same = self._defined[space][name]
        if ref not in same:
            same.append(ref)
            # A module stands before a class or function of its name.
            same.sort(key=lambda one: (one.type is not EntityType.MODULE, one.type))
        for end in (name, *endings(name)):
            self._ends[space][end].add(ref)
        if ref.type is EntityType.MODULE and not is_file(name):
            parts = name.split(".")
            self._around[space].update(".".join(parts[:place]) for place in range(1, len(parts)))

    def _end_of_path(self, space: _Space, path: str, ref: Ref) -> None:
        for whole in {path, path.rsplit(".", 1)[0], path.removesuffix("/__init__.py")}:
            parts = whole.split("/")
            # A lone word without its ending is a word like any other.
            last = len(parts) if whole == path else len(parts) - 1
            for place in range(last):
                self._ends[space]["/".join(parts[place:])].add(ref)

    def _claimed(self, scope: str, tail: Ref, relation: str, head: Ref, rule: str) -> None:
        if rule in NAMING:
            self._titles[scope, _loose(tail.name)].add(head)
        elif rule == "python.import" and relation == Relation.ALIAS_OF:
            self._passed_on[scope, tail.space, tail.name] = head.name
        elif rule in ("python.base", "grammar.base"):
            self._bases[scope, tail.space, tail.name].append(head.name)

    def of(self, scope: str, ref: Ref) -> Ref | None:
        """Return the entity that a reference is to; None when it is to nothing that is known."""
        if (scope, ref) not in self._known:
            self._known[scope, ref] = self._found(scope, ref)
        return self._known[scope, ref]

    def _found(self, scope: str, ref: Ref) -> Ref | None:
        match ref.type:
            case EntityType.PACKAGE:
                return self._package(scope, ref)
            case EntityType.NAME:
                return self._named((scope, ref.space), ref.name, MAX_STEPS)
            case EntityType.MENTION:
                return self._mentioned(scope, ref)
            case EntityType.TERM:
                return self._termed(scope, ref)
        return ref

    def _package(self, scope: str, ref: Ref) -> Ref:
        space = (scope, ref.space)
        own = [one for one in self._defined[space].get(ref.name, ()) if one.type is EntityType.MODULE]
        if own or ref.name in self._around[space]:
            return Ref(EntityType.MODULE, ref.name, ref.space)
        return self._only(self._things.get((scope, _loose(ref.name)), set())) or Ref(EntityType.PACKAGE, ref.name)

    def _named(self, space: _Space, name: str, steps: int) -> Ref | None:
        if own := self._defined[space].get(name):
            return own[0]
        if name.startswith(NEAR):
            stem, _, inner = name.partition(":")
            file = self._near(space, stem)
            return None if file is None else self._named(space, f"{file.name}:{inner}", 0)
        if not steps:
            return None
        for prefix, rest in _cuts(name):
            if (origin := self._passed_on.get((*space, prefix))) and origin != prefix:
                return self._named(space, origin + rest, steps - 1)
        around, _, last = name.rpartition(".")
        owner = self._named(space, around, steps - 1) if around else None
        if owner is not None and owner.type is EntityType.CLASS:
            for base in self._bases.get((*space, owner.name), ()):
                if inherited := self._named(space, f"{base}.{last}", steps - 1):
                    return inherited
        return None

    def holder(self, scope: str, ref: Ref) -> Ref | None:
        """Return what a name that nobody defines is part of: a class, a variable, or a package from elsewhere."""
        space = (scope, ref.space)
        for prefix, _ in _cuts(ref.name):
            owner = self._named(space, prefix, MAX_STEPS)
            if owner is not None:
                return owner if owner.type is not EntityType.MODULE else None
            if prefix in self._foreign[space]:
                return self._package(scope, Ref(EntityType.PACKAGE, prefix, ref.space))
        return None

    def _mentioned(self, scope: str, ref: Ref) -> Ref | None:
        if ref.name.startswith(NEAR):
            return self._near((scope, ref.space), ref.name)
        name = ref.name.removesuffix("()").strip("/")
        own = self._defined[scope, ref.space].get(name)
        found = own[0] if own else self._only(self._ends[scope, ref.space].get(name, set()), word=_is_word(name))
        return found or self._thing(scope, name)

    def _near(self, space: _Space, stem: str) -> Ref | None:
        """Return the file that an import means by its path without an ending; a folder means its index."""
        stems = self._stems[space]
        path = stem.removeprefix(NEAR)
        return self._only(stems.get(path, set())) or self._only(stems.get(f"{path}/index", set()))

    def _termed(self, scope: str, ref: Ref) -> Ref:
        if thing := self._thing(scope, ref.name):
            return thing
        if nouns.is_code_like(ref.name) or ref.name[:1].isupper():
            name = ref.name.removesuffix("()")
            spaces = [space for space in self._ends if space[0] == scope]
            owner = self._only({one for space in spaces for one in self._ends[space].get(name, ())})
            # An ordinary word in capitals is at most a class's.
            if owner is not None and (nouns.is_code_like(ref.name) or owner.type is EntityType.CLASS):
                return owner
        return Ref(EntityType.CONCEPT, ref.name)

    def _thing(self, scope: str, name: str) -> Ref | None:
        """Return the thing of a name; what only calls itself so comes after what is called so."""
        return self._only(self._things.get((scope, _loose(name)), set())) or self._only(
            self._titles.get((scope, _loose(name)), set())
        )

    def _only(self, owners: set[Ref], *, word: bool = False) -> Ref | None:
        """Return the one owner of a name; of several, the one module, class or document, if it is no mere word."""
        if len(owners) == 1:
            return next(iter(owners))
        if word:
            return None
        large = [one for one in owners if one.type in _LARGE]
        return large[0] if len(large) == 1 else None


def _loose(name: str) -> str:
    """Return a name as those write it who do not care: packages and projects take dashes for underscores."""
    return folded(name).replace("_", "-")


def is_file(name: str) -> bool:
    """Say whether a module bears the path of its file; those of Python bear dotted names."""
    return "/" in name or grammar_of(name) is not None


def endings(name: str) -> Iterator[str]:
    """Yield what a definition is called for short: the ends of its dotted name."""
    file, colon, inner = name.partition(":")
    if colon:
        yield inner
    elif is_file(file):
        return
    parts = (inner or name).split(".")
    for place in range(1, len(parts)):
        yield ".".join(parts[place:])


def _is_word(name: str) -> bool:
    return name.isalpha() and name.islower()


def _cuts(name: str) -> Iterator[tuple[str, str]]:
    """Yield the beginnings of a dotted name, the longest first, each with the rest."""
    end = len(name)
    while end > 0:
        yield name[:end], name[end:]
        end = name.rfind(".", 0, end)
