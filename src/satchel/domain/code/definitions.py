"""Definitions: source code by its functions, classes and types, whatever state the file is in.

A grammar reads what does not compile as well: half-written files, and dialects older or newer than any interpreter.
"""

from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from satchel.domain.code.sections import TextSection, length

if TYPE_CHECKING:
    from tree_sitter import Node, Parser

# Definitions inside definitions are looked for so deep; what is deeper is cut by its lines.
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
# What only surrounds definitions: guards of a header, a block of foreign linkage.
_WRAPPERS = frozenset(
    {"preproc_ifdef", "preproc_if", "linkage_specification", "declaration_list", "expression_statement"}
)
# What stands above a definition and belongs to it.
_PREFACES = frozenset({"comment", "line_comment", "block_comment", "attribute_item", "decorator"})
# Where a definition keeps the one it is about, and where a definition keeps its name.
_INNER = ("definition", "declaration", "value")
_NAMED_BY = ("name", "declarator", "type")


def definitions(lines: Sequence[str], grammar: str, max_chars: int) -> Iterator[TextSection]:
    """Return the definitions of a source text and what stands between them. Those that are too large give their parts."""
    tree = _parser(grammar).parse("\n".join(lines).encode("utf-8", "replace"))
    yield from _Cutting(lines, max_chars).among(tree.root_node.children, 0, len(lines), ())


class _Cutting:
    def __init__(self, lines: Sequence[str], max_chars: int) -> None:
        self._lines = lines
        self._max_chars = max_chars

    def among(self, nodes: Iterable["Node"], first: int, end: int, path: tuple[str, ...]) -> Iterator[TextSection]:
        """Cut some lines into the definitions among their nodes, and what is left between those."""
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
            # Two on one line are one section: lines are not cut.
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
            yield from self.among(body.children, first, end, path)


def _unwrapped(nodes: Iterable["Node"]) -> Iterator["Node"]:
    for node in nodes:
        if node.type in _WRAPPERS:
            yield from node.children if node.type != "linkage_specification" else _children_of_body(node)
        else:
            yield node


def _children_of_body(node: "Node") -> Iterable["Node"]:
    body = node.child_by_field_name("body")
    return [] if body is None else body.children


def _end_row(node: "Node") -> int:
    row, column = node.end_point
    return row if column == 0 and row > node.start_point[0] else row + 1


def _about(node: "Node") -> "Node":
    """Return the definition that an export, a decorator or a declaration is about."""
    for _ in range(MAX_DEPTH):
        inner = next((found for field in _INNER if (found := node.child_by_field_name(field)) is not None), None)
        if inner is None and node.type in ("lexical_declaration", "type_declaration"):
            inner = next((child for child in node.named_children if child.type not in _PREFACES), None)
        if inner is None or inner.type not in _DEFINITIONS | {"variable_declarator", "type_spec", "type_alias"}:
            return node
        node = inner
    return node


def _body(node: "Node") -> "Node | None":
    about = _about(node)
    body = about.child_by_field_name("body")
    if body is None and (value := about.child_by_field_name("value")) is not None:
        body = value.child_by_field_name("body")
    return body


def _name(node: "Node") -> str:
    """Return what a definition defines, or nothing where it has no name of its own."""
    about = _about(node)
    # A constant is no definition, unless what it names is one.
    if node.type == "lexical_declaration" and _body(node) is None:
        return ""
    at = about
    for _ in range(MAX_DEPTH):
        named = next((found for field in _NAMED_BY if (found := at.child_by_field_name(field)) is not None), None)
        if named is None:
            break
        at = named
    if at == about or at.text is None:
        return ""
    return " ".join(at.text.decode("utf-8", "replace").split())[:MAX_NAME_CHARS]


@cache
def _parser(grammar: str) -> "Parser":
    from importlib import import_module

    from tree_sitter import Language, Parser

    family = "typescript" if grammar == "tsx" else grammar
    module = import_module(f"tree_sitter_{family}")
    made = getattr(module, f"language_{grammar}" if family == "typescript" else "language")
    return Parser(Language(made()))


def parser_of(grammar: str) -> "Parser":
    """Return the parser of a grammar, loaded when it is first asked for."""
    return _parser(grammar)
