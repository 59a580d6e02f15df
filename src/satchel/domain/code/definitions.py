"""Splits source code into its definitions with tree-sitter.

A grammar can read files that do not compile: half-written ones, and older or newer dialects.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from satchel.domain.code.sections import TextSection, length

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# Maximum depth of nested definitions.
MAX_DEPTH = 6
MAX_NAME_CHARS = 120

_DEFINITIONS = frozenset(
    # Python
    {"function_definition", "class_definition", "decorated_definition"}
    # JavaScript and TypeScript
    | {"function_declaration", "generator_function_declaration", "class_declaration", "abstract_class_declaration"}
    | {"interface_declaration", "type_alias_declaration", "enum_declaration", "method_definition", "internal_module"}
    | {"export_statement", "lexical_declaration", "public_field_definition"}
    # Go
    | {"method_declaration", "type_declaration"}
    # Rust
    | {"function_item", "struct_item", "enum_item", "union_item", "impl_item", "trait_item", "mod_item", "type_item"}
    | {"macro_definition"}
    # Java
    | {"record_declaration", "annotation_type_declaration", "constructor_declaration"}
    # C
    | {"struct_specifier", "enum_specifier", "union_specifier", "type_definition"}
)
# Nodes that only wrap definitions: header guards, linkage blocks.
_WRAPPERS = frozenset(
    {"preproc_ifdef", "preproc_if", "linkage_specification", "declaration_list", "expression_statement"}
)
# Nodes above a definition that belong to it.
_PREFACES = frozenset({"comment", "line_comment", "block_comment", "attribute_item", "decorator"})
# The fields of the inner definition, and of the name.
_DEFINITION_FIELDS = ("definition", "declaration", "value")
_NAME_FIELDS = ("name", "declarator", "type")


def definitions(lines: Sequence[str], grammar: str, max_chars: int) -> Iterator[TextSection]:
    """Yield the definitions of a source text and the text between them. Large definitions are split into their parts."""
    tree = parser_of(grammar).parse("\n".join(lines).encode("utf-8", "replace"))
    yield from _Splitter(lines, max_chars).split(tree.root_node.children, 0, len(lines), ())


class _Splitter:
    def __init__(self, lines: Sequence[str], max_chars: int) -> None:
        self._lines = lines
        self._max_chars = max_chars

    def split(self, nodes: Iterable["Node"], first: int, end: int, path: tuple[str, ...]) -> Iterator[TextSection]:
        """Split lines into definitions and the text between them."""
        done, preface, preface_end = first, -1, -1
        for node in _unwrapped(nodes):
            start, stop = node.start_point[0], _end_row(node)
            if node.type in _PREFACES:
                if preface < 0 or start > preface_end:
                    preface = start
                preface_end = stop
                continue
            begin = preface if preface >= 0 and preface_end >= start else start
            preface = preface_end = -1
            name = _name(node) if node.type in _DEFINITIONS else ""
            # Two definitions on one line are one section.
            if not name or begin < done or stop > end:
                continue
            if begin > done:
                yield TextSection(done, begin, path)
            yield from self._definition(node, begin, stop, (*path, name))
            done = stop
        if done < end:
            yield TextSection(done, end, path)

    def _definition(self, node: "Node", first: int, end: int, path: tuple[str, ...]) -> Iterator[TextSection]:
        body = _body(node)
        small = length(self._lines, first, end) <= self._max_chars
        if small or body is None or len(path) >= MAX_DEPTH:
            yield TextSection(first, end, path, alone=True)
        else:
            yield from self.split(body.children, first, end, path)


def _unwrapped(nodes: Iterable["Node"]) -> Iterator["Node"]:
    for node in nodes:
        if node.type in _WRAPPERS:
            yield from node.children if node.type != "linkage_specification" else _body_children(node)
        else:
            yield node


def _body_children(node: "Node") -> Iterable["Node"]:
    body = node.child_by_field_name("body")
    return [] if body is None else body.children


def _end_row(node: "Node") -> int:
    row, column = node.end_point
    return row if column == 0 and row > node.start_point[0] else row + 1


def _inner_definition(node: "Node") -> "Node":
    """Return the definition inside an export, a decorator or a declaration."""
    for _ in range(MAX_DEPTH):
        inner = next(
            (found for field in _DEFINITION_FIELDS if (found := node.child_by_field_name(field)) is not None), None
        )
        if inner is None and node.type in ("lexical_declaration", "type_declaration"):
            inner = next((child for child in node.named_children if child.type not in _PREFACES), None)
        if inner is None or inner.type not in _DEFINITIONS | {"variable_declarator", "type_spec", "type_alias"}:
            return node
        node = inner
    return node


def _body(node: "Node") -> "Node | None":
    about = _inner_definition(node)
    body = about.child_by_field_name("body")
    if body is None and (value := about.child_by_field_name("value")) is not None:
        body = value.child_by_field_name("body")
    return body


def _name(node: "Node") -> str:
    """Return the name of a definition; empty if it has none."""
    about = _inner_definition(node)
    # A constant counts only if its value is a definition.
    if node.type == "lexical_declaration" and _body(node) is None:
        return ""
    at = about
    for _ in range(MAX_DEPTH):
        named = next((found for field in _NAME_FIELDS if (found := at.child_by_field_name(field)) is not None), None)
        if named is None:
            break
        at = named
    if at == about or at.text is None:
        return ""
    return " ".join(at.text.decode("utf-8", "replace").split())[:MAX_NAME_CHARS]


@cache
def parser_of(grammar: str) -> "Parser":
    """Return the parser of a grammar, loaded on first use."""
    from importlib import import_module

    from tree_sitter import Language, Parser

    family = "typescript" if grammar == "tsx" else grammar
    module = import_module(f"tree_sitter_{family}")
    made = getattr(module, f"language_{grammar}" if family == "typescript" else "language")
    return Parser(Language(made()))
