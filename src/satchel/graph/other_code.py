"""Source in other languages, by their grammars: what a file defines, imports, and calls of what it defines or imports.

A module is a file, and bears its path; what it defines stands behind a colon: `web/auth.ts:Auth.check`.
"""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from satchel.domain.code.definitions import parser_of
from satchel.domain.code.kinds import grammar_of
from satchel.domain.graph import EntityType, Extract, Ref, Relation
from satchel.graph.gathering import Gathering, module

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NAME_CHARS = 200
MAX_NODES = 300_000
# A grammar that loses its way takes longer than a file is long. What is larger than this was written by a program.
MAX_CHARS = 100_000
NEAR = "./"
"""Begins the name of a file that an import means, without its ending."""

_CLASSES = frozenset(
    [
        "class_declaration",
        "abstract_class_declaration",
        "interface_declaration",
        "enum_declaration",
        "type_alias_declaration",
        "type_spec",
        "struct_item",
        "enum_item",
        "union_item",
        "trait_item",
        "type_item",
        "impl_item",
        "record_declaration",
        "struct_specifier",
        "enum_specifier",
        "union_specifier",
        "annotation_type_declaration",
    ]
)
_FUNCTIONS = frozenset(
    [
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
        "method_declaration",
        "function_item",
        "function_definition",
        "constructor_declaration",
    ]
)
_CALLS = {"call_expression": "function", "new_expression": "constructor", "method_invocation": "name"}
_NAMED_BY = ("name", "declarator", "type")
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "function"})
_MEMBER = {
    "member_expression": ("object", "property"),
    "selector_expression": ("operand", "field"),
    "field_expression": ("value", "field"),
}
_SELF = frozenset({"this", "self"})


class _Spot(NamedTuple):
    """A node, and the definition that it stands in."""

    node: "Node"
    inner: str
    """The dotted name of the definition within its file; nothing at the top."""
    around: str
    """The same of the class around it."""


def is_other_code(path: str) -> bool:
    """Say whether a file is in a language that has a grammar here, other than Python."""
    return grammar_of(path) not in (None, "python")


def read_other_code(text: str, path: str, space: str) -> Extract:
    """Return what a source file says."""
    found = Gathering()
    this = found.sight(Ref(EntityType.MODULE, path, space), "grammar.module", 1, defining=True)
    tree = parser_of(grammar_of(path) or "").parse(text[:MAX_CHARS].encode("utf-8", "replace"))
    _Reader(found, this, path, space).read(tree.root_node)
    return found.extract()


class _Reader:
    def __init__(self, found: Gathering, this: Ref, path: str, space: str) -> None:
        self._found = found
        self._this = this
        self._path = path
        self._space = space
        self._defined: dict[str, Ref] = {}
        self._imported: dict[str, str] = {}

    def read(self, root: "Node") -> None:
        spots = list(self._spots(root))
        for spot in spots:
            self._import(spot.node)
        for spot in spots:
            self._calls(spot)
            self._bases(spot)

    def _spots(self, root: "Node") -> Iterator[_Spot]:
        """Yield every node in order, and note definitions on the way. Without recursion: a file may nest as it likes."""
        waiting = [_Spot(root, "", "")]
        for _ in range(MAX_NODES):
            if not waiting:
                return
            spot = waiting.pop()
            yield spot
            inner, around = self._definition(spot)
            waiting.extend(_Spot(child, inner, around) for child in reversed(spot.node.named_children))

    def _definition(self, spot: _Spot) -> tuple[str, str]:
        node = spot.node
        value = node.child_by_field_name("value") if node.type == "variable_declarator" else None
        is_function = node.type in _FUNCTIONS or (value is not None and value.type in _FUNCTION_VALUES)
        name = _name(node) if is_function or node.type in _CLASSES else ""
        # A type that is only used, and a function inside a function, are no definitions of the file.
        if not name or (node.type.endswith("_specifier") and node.child_by_field_name("body") is None):
            return spot.inner, spot.around
        if spot.inner and spot.inner != spot.around:
            return spot.inner, spot.around
        owner = _receiver(node) or spot.around
        inner = f"{owner}.{name}" if owner else name
        self._define(EntityType.FUNCTION if is_function else EntityType.CLASS, inner, owner, node)
        return inner, spot.around if is_function else inner

    def _define(self, type: EntityType, inner: str, owner: str, node: "Node") -> None:
        line = node.start_point[0] + 1
        rule = "grammar.function" if type is EntityType.FUNCTION else "grammar.class"
        ref = self._found.sight(Ref(type, f"{self._path}:{inner}", self._space), rule, line, defining=True)
        self._defined.setdefault(inner, ref)
        self._found.claim(self._defined.get(owner, self._this), Relation.CONTAINS, ref, rule, line)

    # Imports

    def _import(self, node: "Node") -> None:
        line = node.start_point[0] + 1
        match node.type:
            case "import_statement" | "export_statement":
                source = node.child_by_field_name("source")
                if source is not None:
                    self._from(_unquoted(source), line, node)
            case "call_expression" if _text(node.child_by_field_name("function")) in ("require", "import"):
                arguments = node.child_by_field_name("arguments")
                first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
                if first is not None and first.type == "string":
                    self._from(_unquoted(first), line, node)
            case "import_spec":
                self._package(_unquoted(node.child_by_field_name("path")), line)
            case "use_declaration":
                crate = _text(node.child_by_field_name("argument")).partition("::")[0].partition(" ")[0]
                if crate not in ("crate", "self", "super"):
                    self._package(crate, line)
            case "import_declaration" if node.named_children and node.named_children[0].type == "scoped_identifier":
                whole = _text(node.named_children[0])
                self._package(whole.rpartition(".")[0], line)
                self._file(whole.replace(".", "/"), line)
            case "preproc_include":
                self._include(node.child_by_field_name("path"), line)

    def _from(self, source: str, line: int, node: "Node") -> None:
        """Note an import of JavaScript: of a file beside this one, or of a package."""
        if not source.startswith("."):
            parts = source.split("/")
            self._package("/".join(parts[: 2 if source.startswith("@") else 1]), line)
            return
        near = posixpath.normpath(posixpath.join(posixpath.dirname(self._path), source))
        if near.startswith(".."):
            return
        stem = NEAR + near.removesuffix(".js").removesuffix(".ts")
        self._claim(Relation.IMPORTS, Ref(EntityType.MENTION, stem, self._space), line, "grammar.import")
        for name, local in _bindings(node):
            whole = f"{stem}:{name}" if name else stem
            self._imported[local] = whole
            if name:
                self._claim(Relation.IMPORTS, Ref(EntityType.NAME, whole, self._space), line, "grammar.import")

    def _package(self, name: str, line: int) -> None:
        self._claim(Relation.IMPORTS, module(self._space, name), line, "grammar.import")

    def _file(self, name: str, line: int) -> None:
        self._claim(Relation.IMPORTS, Ref(EntityType.MENTION, name, self._space), line, "grammar.import")

    def _include(self, path: "Node | None", line: int) -> None:
        if path is None or path.type != "string_literal":
            self._package(_text(path).strip("<>"), line)
            return
        near = posixpath.normpath(posixpath.join(posixpath.dirname(self._path), _unquoted(path)))
        self._file(near if not near.startswith("..") else _unquoted(path), line)

    # Bodies

    def _calls(self, spot: _Spot) -> None:
        field = _CALLS.get(spot.node.type)
        called = spot.node.child_by_field_name(field) if field else None
        target = self._meaning(called, spot) if called is not None else None
        if target is not None:
            owner = self._defined.get(spot.inner, self._this)
            line = spot.node.start_point[0] + 1
            self._found.claim(owner, Relation.CALLS, target, "grammar.call", line)

    def _bases(self, spot: _Spot) -> None:
        node = spot.node
        if node.type in ("extends_clause", "class_heritage", "superclass") and spot.inner in self._defined:
            for child in node.named_children:
                base = self._meaning(child, spot) if child.type in ("identifier", "type_identifier") else None
                if base is not None:
                    line = node.start_point[0] + 1
                    self._found.claim(self._defined[spot.inner], Relation.INHERITS, base, "grammar.base", line)

    def _meaning(self, node: "Node", spot: _Spot) -> Ref | None:
        """Return what a name in a body stands for: a definition of this file, or something that it imports."""
        if node.type in _MEMBER:
            one, other = (node.child_by_field_name(field) for field in _MEMBER[node.type])
            holder, member = _text(one), _text(other)
            if holder in _SELF and spot.around:
                return self._name(f"{self._path}:{spot.around}.{member}")
            if holder in self._imported:
                whole = self._imported[holder]
                return self._name(f"{whole}.{member}" if ":" in whole else f"{whole}:{member}")
            return self._defined.get(f"{holder}.{member}")
        name = _text(node).replace("::", ".")
        if name in self._imported:
            return self._name(self._imported[name])
        return self._defined.get(name) or self._defined.get(f"{spot.around}.{name}")

    def _name(self, whole: str) -> Ref:
        return Ref(EntityType.NAME, whole, self._space)

    def _claim(self, relation: Relation, head: Ref, line: int, rule: str) -> None:
        self._found.claim(self._this, relation, head, rule, line)


def _name(node: "Node") -> str:
    at = node
    for _ in range(6):
        named = next((one for field in _NAMED_BY if (one := at.child_by_field_name(field)) is not None), None)
        if named is None:
            break
        at = named
    return "" if at == node else _text(at).partition("<")[0]


def _receiver(node: "Node") -> str:
    """Return the type that a method of Go belongs to."""
    receiver = node.child_by_field_name("receiver")
    return (
        _text(receiver).strip("()").split()[-1].lstrip("*")
        if receiver is not None and _text(receiver).strip("() ")
        else ""
    )


def _bindings(node: "Node") -> Iterator[tuple[str, str]]:
    """Yield what an import names, each with the name that it has here; a whole module has none of its own."""
    waiting = list(node.named_children)
    while waiting:
        one = waiting.pop(0)
        if one.type in ("import_specifier", "export_specifier"):
            name = _text(one.child_by_field_name("name"))
            yield name, _text(one.child_by_field_name("alias")) or name
        elif one.type == "namespace_import":
            yield "", _text(one.named_children[0]) if one.named_children else ""
        elif one.type in ("import_clause", "named_imports", "export_clause"):
            waiting.extend(one.named_children)


def _unquoted(node: "Node | None") -> str:
    return _text(node).strip("\"'`")


def _text(node: "Node | None") -> str:
    return (
        ""
        if node is None or node.text is None
        else " ".join(node.text.decode("utf-8", "replace").split())[:MAX_NAME_CHARS]
    )
