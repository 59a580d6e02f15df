"""Reads source in other languages with tree-sitter: definitions, imports, calls and base classes.

A module is named by its path; a definition follows after a colon: `web/auth.ts:Auth.check`.
"""

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from satchel.domain.code.definitions import parser_of
from satchel.domain.code.kinds import grammar_of
from satchel.domain.graph import EntityRef, EntityType, Extract, RelationType
from satchel.graph.readers.builder import ExtractBuilder, module_ref

if TYPE_CHECKING:
    from tree_sitter import Node

MAX_NAME_CHARS = 200
MAX_NODES = 300_000
# Error recovery is slower than linear; larger files are usually generated.
MAX_CHARS = 100_000
LOCAL_PREFIX = "./"
"""Marks the path of an imported local file, without its extension."""

_CLASS_NODES = (
    "class_declaration abstract_class_declaration interface_declaration enum_declaration type_alias_declaration "
    "type_spec struct_item enum_item union_item trait_item type_item impl_item record_declaration "
    "struct_specifier enum_specifier union_specifier annotation_type_declaration"
)
_CLASSES = frozenset(_CLASS_NODES.split())
_FUNCTION_NODES = (
    "function_declaration generator_function_declaration method_definition method_declaration function_item "
    "function_definition constructor_declaration"
)
_FUNCTIONS = frozenset(_FUNCTION_NODES.split())
_CALLS = {"call_expression": "function", "new_expression": "constructor", "method_invocation": "name"}
_NAME_FIELDS = ("name", "declarator", "type")
_FUNCTION_VALUES = frozenset({"arrow_function", "function_expression", "function"})
_MEMBER = {
    "member_expression": ("object", "property"),
    "selector_expression": ("operand", "field"),
    "field_expression": ("value", "field"),
}
_SELF = frozenset({"this", "self"})


class _ScopedNode(NamedTuple):
    """A node and the definition that contains it."""

    node: "Node"
    owner: str
    """The dotted name of the definition within its file; empty at the top level."""
    class_name: str
    """The dotted name of the enclosing class; empty outside of classes."""


def is_other_code(path: str) -> bool:
    """Return whether a file is in a supported language other than Python."""
    return grammar_of(path) not in (None, "python")


def read_other_code(text: str, path: str, space: str) -> Extract:
    """Extract the definitions and relations of a source file."""
    found = ExtractBuilder()
    this = found.mention(EntityRef(EntityType.MODULE, path, space), "grammar.module", 1, defining=True)
    tree = parser_of(grammar_of(path) or "").parse(text[:MAX_CHARS].encode("utf-8", "replace"))
    _Reader(found, this, path, space).read(tree.root_node)
    return found.build()


class _Reader:
    def __init__(self, found: ExtractBuilder, this: EntityRef, path: str, space: str) -> None:
        self._found = found
        self._this = this
        self._path = path
        self._space = space
        self._defined: dict[str, EntityRef] = {}
        self._imported: dict[str, str] = {}

    def read(self, root: "Node") -> None:
        nodes = list(self._walk(root))
        for scoped in nodes:
            self._read_import(scoped.node)
        for scoped in nodes:
            self._read_call(scoped)
            self._read_bases(scoped)

    def _walk(self, root: "Node") -> Iterator[_ScopedNode]:
        """Yield every node in order, and add definitions on the way. Not recursive: nesting may be deep."""
        waiting = [_ScopedNode(root, "", "")]
        for _ in range(MAX_NODES):
            if not waiting:
                return
            scoped = waiting.pop()
            yield scoped
            owner, class_name = self._enter(scoped)
            waiting.extend(_ScopedNode(child, owner, class_name) for child in reversed(scoped.node.named_children))

    def _enter(self, scoped: _ScopedNode) -> tuple[str, str]:
        node = scoped.node
        value = node.child_by_field_name("value") if node.type == "variable_declarator" else None
        is_function = node.type in _FUNCTIONS or (value is not None and value.type in _FUNCTION_VALUES)
        name = _definition_name(node) if is_function or node.type in _CLASSES else ""
        # Skip types that are only used, and functions inside functions.
        if not name or (node.type.endswith("_specifier") and node.child_by_field_name("body") is None):
            return scoped.owner, scoped.class_name
        if scoped.owner and scoped.owner != scoped.class_name:
            return scoped.owner, scoped.class_name
        owner = _go_receiver(node) or scoped.class_name
        inner = f"{owner}.{name}" if owner else name
        self._define(EntityType.FUNCTION if is_function else EntityType.CLASS, inner, owner, node)
        return inner, scoped.class_name if is_function else inner

    def _define(self, type: EntityType, inner: str, owner: str, node: "Node") -> None:
        line = node.start_point[0] + 1
        rule = "grammar.function" if type is EntityType.FUNCTION else "grammar.class"
        ref = self._found.mention(EntityRef(type, f"{self._path}:{inner}", self._space), rule, line, defining=True)
        self._defined.setdefault(inner, ref)
        self._found.relate(self._defined.get(owner, self._this), RelationType.CONTAINS, ref, rule, line)

    # Imports

    def _read_import(self, node: "Node") -> None:
        line = node.start_point[0] + 1
        match node.type:
            case "import_statement" | "export_statement":
                source = node.child_by_field_name("source")
                if source is not None:
                    self._add_js_import(_unquote(source), line, node)
            case "call_expression" if _text(node.child_by_field_name("function")) in ("require", "import"):
                arguments = node.child_by_field_name("arguments")
                first = arguments.named_children[0] if arguments is not None and arguments.named_children else None
                if first is not None and first.type == "string":
                    self._add_js_import(_unquote(first), line, node)
            case "import_spec":
                self._add_package_import(_unquote(node.child_by_field_name("path")), line)
            case "use_declaration":
                crate = _text(node.child_by_field_name("argument")).partition("::")[0].partition(" ")[0]
                if crate not in ("crate", "self", "super"):
                    self._add_package_import(crate, line)
            case "import_declaration" if node.named_children and node.named_children[0].type == "scoped_identifier":
                full_name = _text(node.named_children[0])
                self._add_package_import(full_name.rpartition(".")[0], line)
                self._add_file_import(full_name.replace(".", "/"), line)
            case "preproc_include":
                self._add_include(node.child_by_field_name("path"), line)

    def _add_js_import(self, source: str, line: int, node: "Node") -> None:
        """Add a JavaScript import of a local file or of a package."""
        if not source.startswith("."):
            parts = source.split("/")
            self._add_package_import("/".join(parts[: 2 if source.startswith("@") else 1]), line)
            return
        target = posixpath.normpath(posixpath.join(posixpath.dirname(self._path), source))
        if target.startswith(".."):
            return
        stem = LOCAL_PREFIX + target.removesuffix(".js").removesuffix(".ts")
        self._add_file_import(stem, line)
        for name, local in _bindings(node):
            full_name = f"{stem}:{name}" if name else stem
            self._imported[local] = full_name
            if name:
                self._add_import(self._name_ref(full_name), line)

    def _add_import(self, head: EntityRef, line: int) -> None:
        self._found.relate(self._this, RelationType.IMPORTS, head, "grammar.import", line)

    def _add_package_import(self, name: str, line: int) -> None:
        self._add_import(module_ref(self._space, name), line)

    def _add_file_import(self, name: str, line: int) -> None:
        self._add_import(EntityRef(EntityType.MENTION, name, self._space), line)

    def _add_include(self, path: "Node | None", line: int) -> None:
        if path is None or path.type != "string_literal":
            self._add_package_import(_text(path).strip("<>"), line)
            return
        target = posixpath.normpath(posixpath.join(posixpath.dirname(self._path), _unquote(path)))
        self._add_file_import(target if not target.startswith("..") else _unquote(path), line)

    # Bodies

    def _read_call(self, scoped: _ScopedNode) -> None:
        field = _CALLS.get(scoped.node.type)
        called = scoped.node.child_by_field_name(field) if field else None
        target = self._resolve(called, scoped) if called is not None else None
        if target is not None:
            owner = self._defined.get(scoped.owner, self._this)
            line = scoped.node.start_point[0] + 1
            self._found.relate(owner, RelationType.CALLS, target, "grammar.call", line)

    def _read_bases(self, scoped: _ScopedNode) -> None:
        node = scoped.node
        if node.type in ("extends_clause", "class_heritage", "superclass") and scoped.owner in self._defined:
            for child in node.named_children:
                base = self._resolve(child, scoped) if child.type in ("identifier", "type_identifier") else None
                if base is not None:
                    line = node.start_point[0] + 1
                    self._found.relate(self._defined[scoped.owner], RelationType.INHERITS, base, "grammar.base", line)

    def _resolve(self, node: "Node", scoped: _ScopedNode) -> EntityRef | None:
        """Resolve a name in a body to a definition of this file or to an import."""
        if node.type in _MEMBER:
            one, other = (node.child_by_field_name(field) for field in _MEMBER[node.type])
            holder, member = _text(one), _text(other)
            if holder in _SELF and scoped.class_name:
                return self._name_ref(f"{self._path}:{scoped.class_name}.{member}")
            if holder in self._imported:
                full_name = self._imported[holder]
                return self._name_ref(f"{full_name}.{member}" if ":" in full_name else f"{full_name}:{member}")
            return self._defined.get(f"{holder}.{member}")
        name = _text(node).replace("::", ".")
        if name in self._imported:
            return self._name_ref(self._imported[name])
        return self._defined.get(name) or self._defined.get(f"{scoped.class_name}.{name}")

    def _name_ref(self, full_name: str) -> EntityRef:
        return EntityRef(EntityType.NAME, full_name, self._space)


def _definition_name(node: "Node") -> str:
    at = node
    for _ in range(6):
        named = next((one for field in _NAME_FIELDS if (one := at.child_by_field_name(field)) is not None), None)
        if named is None:
            break
        at = named
    return "" if at == node else _text(at).partition("<")[0]


def _go_receiver(node: "Node") -> str:
    """Return the receiver type of a Go method."""
    text = _text(node.child_by_field_name("receiver"))
    return text.strip("()").split()[-1].lstrip("*") if text.strip("() ") else ""


def _bindings(node: "Node") -> Iterator[tuple[str, str]]:
    """Yield the imported names with their local names; the name is empty for a full_name module."""
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


def _unquote(node: "Node | None") -> str:
    return _text(node).strip("\"'`")


def _text(node: "Node | None") -> str:
    if node is None or node.text is None:
        return ""
    return " ".join(node.text.decode("utf-8", "replace").split())[:MAX_NAME_CHARS]
