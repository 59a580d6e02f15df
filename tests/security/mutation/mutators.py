"""The mutants of a module: every small change of its syntax tree that a test should notice.

Left alone are declarations (imports, annotations, bases and options of classes) and wording: docstrings, the messages and
hints of errors.
"""

import ast
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

Node = ast.AST
_SWAPPED: dict[type[Node], type[Node]] = {
    ast.Eq: ast.NotEq, ast.NotEq: ast.Eq, ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt,
    ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot, ast.IsNot: ast.Is,
    ast.And: ast.Or, ast.Or: ast.And,
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Add, ast.Div: ast.Mult, ast.BitOr: ast.BitAnd,
    ast.LShift: ast.RShift,
    ast.Break: ast.Continue, ast.Continue: ast.Break,
}  # fmt: skip
# Comparisons whose swapped operator is their negation, so that a condition of them is not negated once more.
_NEGATED_BY_SWAP = (ast.Eq, ast.NotEq, ast.In, ast.NotIn, ast.Is, ast.IsNot)
_NOT_MUTATED = frozenset({"annotation", "returns", "decorator_list", "bases", "type_comment", "ctx"})
_ERRORS = frozenset(
    {"Corrupt", "InvalidRequest", "NewerStore", "NotFound", "Refused", "SatchelError", "Unavailable", "ValueError"}
)
# A number this large is a limit or a time: one more would change nothing that matters, so it becomes 0.
_LARGE = 100
_SQL = re.compile(
    r"\b(?:SELECT|INSERT|UPDATE|DELETE FROM|WHERE|ORDER BY|IS (?:NOT )?NULL|IN \(|BETWEEN|PRAGMA|BEGIN)\b"
    r"| AND | = (?:\?|ON\b)| NOT IN "
)
_SQL_CHANGES = (
    (" AND ", " OR "), (" OR ", " AND "), (" <= ", " < "), (" < ", " <= "), (" >= ", " > "), (" > ", " >= "),
    ("IS NULL", "IS NOT NULL"), ("IS NOT NULL", "IS NULL"), ("NOT IN", "IN"), (" DESC", ""), (" = ?", " != ?"),
    ("DISTINCT ", ""), (" IMMEDIATE", ""), ("= ON", "= OFF"), ("= FULL", "= OFF"), ("TRUNCATE", "PASSIVE"),
    (" + 1", " + 2"), ("max(", "min("),
)  # fmt: skip
_SQL_CLAUSE = re.compile(r" (?:AND|OR|WHERE|ORDER BY) .*?(?= AND | OR | ORDER BY| LIMIT|\)|$)", re.DOTALL)
_CHARACTER_RANGE = re.compile(r"([^\\])-([^]])", re.DOTALL)


class Mutant(NamedTuple):
    """One change of a module. `function` is the outermost function that it is in, empty for what an import runs."""

    module: str
    function: str
    first: int
    last: int
    text: str
    """The change, as `before → after`."""
    tree: ast.Module
    parent: Node
    field: str
    position: int | None
    new: Any

    def apply(self) -> ast.Module:
        """Make the change in the syntax tree, and return it."""
        if self.position is None:
            setattr(self.parent, self.field, self.new)
        else:
            getattr(self.parent, self.field)[self.position] = self.new
        return ast.fix_missing_locations(self.tree)


class _Place(NamedTuple):
    parent: Node
    field: str
    position: int | None
    function: str
    names: tuple[str, ...]
    first: int
    last: int


def mutants(folder: Path, module: str) -> list[Mutant]:
    """Return the mutants of a module, in the order of its lines."""
    return mutants_in((folder / module).read_text(encoding="utf-8"), module)


def mutants_in(source: str, module: str = "example.py") -> list[Mutant]:
    """Return the mutants of a source text."""
    tree = ast.parse(source)
    found = [
        Mutant(module, at.function, at.first, at.last, _change(node, new), tree, at.parent, at.field, at.position, new)
        for node, at in _nodes(tree, _Place(tree, "", None, "", (), 0, 0))
        for new in _replacements(node, at)
    ]
    return sorted(found, key=lambda one: one.first)


def _nodes(node: Node, at: _Place) -> Iterator[tuple[Node, _Place]]:
    for field, value in ast.iter_fields(node):
        if field in _NOT_MUTATED:
            continue
        for index, child in enumerate(value) if isinstance(value, list) else ((None, value),):
            if isinstance(child, ast.AST) and not _is_wording(node, field, index, child):
                place = _place(node, field, index, child, at)
                yield child, place
                yield from _nodes(child, place)


def _place(parent: Node, field: str, index: int | None, node: Node, at: _Place) -> _Place:
    names, function = at.names, at.function
    if isinstance(parent, (ast.FunctionDef, ast.ClassDef)) and field == "body":
        names = (*names, parent.name)
        if isinstance(parent, ast.FunctionDef) and not function:
            function = ".".join(names)
    first, last = at.first, at.last
    if isinstance(node, (ast.stmt, ast.match_case, ast.ExceptHandler)):
        first = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
        body = getattr(node, "body", None)
        last = max(first, body[0].lineno - 1) if isinstance(body, list) else getattr(node, "end_lineno", first)
        # The body of an except clause or case runs only if it is chosen; its head always does.
    return _Place(parent, field, index, function, names, first, last)


def _is_wording(parent: Node, field: str, index: int | None, node: Node) -> bool:
    if isinstance(node, (ast.Import, ast.ImportFrom)) or (isinstance(parent, ast.ClassDef) and field == "keywords"):
        return True
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        return True
    if isinstance(node, ast.AnnAssign) and "TypeAlias" in ast.dump(node.annotation):
        return True
    if isinstance(parent, ast.Call) and isinstance(parent.func, ast.Name):
        if parent.func.id in {"TypeVar", "NewType"}:
            return True
        if parent.func.id in _ERRORS and field == "args":
            return True
    return isinstance(node, ast.keyword) and node.arg == "hint"


def _change(node: Node, new: Any) -> str:
    return f"{_shown(node)} → {_shown(new)}"


def _shown(node: Any) -> str:
    if isinstance(node, list):
        return " ".join(map(_shown, node))
    if isinstance(node, (ast.operator, ast.cmpop, ast.boolop)):
        return type(node).__name__
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return ascii(node.value)
    text = ast.unparse(ast.fix_missing_locations(node)) if isinstance(node, ast.AST) else str(node)
    return " ".join(text.split())


def _replacements(node: Node, at: _Place) -> Iterator[Any]:
    if type(node) in _SWAPPED:
        yield _SWAPPED[type(node)]()
    match node:
        case ast.Constant():
            for value in _other_values(node.value, in_text=isinstance(at.parent, ast.JoinedStr), at=at):
                yield ast.Constant(value)
        case ast.BoolOp(op, values):
            for dropped in range(len(values)):
                rest = values[:dropped] + values[dropped + 1 :]
                yield rest[0] if len(rest) == 1 else ast.BoolOp(op, rest)
        case ast.UnaryOp(ast.Not(), operand):
            yield operand
        case ast.If() | ast.While() | ast.IfExp() if not _is_negated_elsewhere(node.test):
            yield _with(node, test=ast.UnaryOp(ast.Not(), node.test))
        case ast.comprehension(ifs=conditions) if conditions:
            for dropped in range(len(conditions)):
                yield _with(node, ifs=conditions[:dropped] + conditions[dropped + 1 :])
        case ast.Return(value) if value is not None and not _is_none(value):
            yield ast.Return(ast.Constant(None))
        case ast.Lambda():
            yield _with(node, body=ast.Constant(None))
        case ast.Expr() | ast.Raise() | ast.AugAssign():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Attribute() | ast.Subscript()]):
            yield ast.Pass()
        case ast.With(items, body):
            for dropped, item in enumerate(items):
                if item.optional_vars is None:
                    rest_items = items[:dropped] + items[dropped + 1 :]
                    yield ast.With(rest_items, body) if rest_items else ast.If(ast.Constant(True), body, [])
        case ast.ExceptHandler(type=kind):
            yield from _handlers(node, kind)
        case ast.Call():
            yield from _calls(node)
        case ast.Slice():
            yield from _slices(node)
        case ast.MatchOr(patterns):
            for dropped in range(len(patterns)):
                yield (
                    ast.MatchOr(patterns[:dropped] + patterns[dropped + 1 :])
                    if len(patterns) > 2
                    else patterns[1 - dropped]
                )
        case ast.match_case(guard=guard) if guard is not None:
            yield _with(node, guard=None)


def _is_negated_elsewhere(test: ast.expr) -> bool:
    if isinstance(test, ast.Compare):
        return len(test.ops) == 1 and isinstance(test.ops[0], _NEGATED_BY_SWAP)
    return isinstance(test, ast.Constant) or (isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not))


def _is_none(node: Node) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _with(node: Node, **fields: Any) -> Node:
    return type(node)(**{**dict(ast.iter_fields(node)), **fields})


def _handlers(node: ast.ExceptHandler, kind: ast.expr | None) -> Iterator[Node]:
    if isinstance(kind, ast.Tuple):
        for dropped in range(len(kind.elts)):
            rest = kind.elts[:dropped] + kind.elts[dropped + 1 :]
            yield _with(node, type=ast.Tuple(rest, ast.Load()))
    if not isinstance(node.body[-1], ast.Raise):
        yield _with(node, body=[ast.Raise()])


def _calls(node: ast.Call) -> Iterator[Node]:
    for dropped, keyword in enumerate(node.keywords):
        if keyword.arg not in {None, "hint"}:
            yield _with(node, keywords=node.keywords[:dropped] + node.keywords[dropped + 1 :])
    if len(node.args) > 1 and not isinstance(node.args[-1], ast.Starred):
        yield _with(node, args=node.args[:-1])


def _slices(node: ast.Slice) -> Iterator[Node]:
    for name in ("lower", "upper"):
        bound = getattr(node, name)
        if bound is not None:
            yield _with(node, **{name: None})
            if not isinstance(bound, ast.Constant):
                yield _with(node, **{name: ast.BinOp(bound, ast.Add(), ast.Constant(1))})


def _other_values(value: object, *, in_text: bool, at: _Place) -> Iterator[str | bytes | float]:
    match value:
        case bool():
            yield not value
        case int() | float():
            yield 0 if abs(value) >= _LARGE else value + 1
        case str() if _SQL.search(value):
            yield from _other_sql(value)
        case str() if not at.function and _CHARACTER_RANGE.search(value):
            yield from _other_ranges(value)
        case str() if not in_text and not value.strip().count(" "):
            yield value + "x"
        case bytes():
            yield value + b"x"


def _other_sql(sql: str) -> Iterator[str]:
    for old, new in _SQL_CHANGES:
        for found in re.finditer(re.escape(old), sql):
            yield sql[: found.start()] + new + sql[found.end() :]
    for found in _SQL_CLAUSE.finditer(sql):
        yield sql[: found.start()] + sql[found.end() :]


def _other_ranges(pattern: str) -> Iterator[str]:
    """Remove each range of a character class, and make it one character shorter."""
    for found in _CHARACTER_RANGE.finditer(pattern):
        first, last = found.groups()
        if first < last:
            yield pattern[: found.start()] + pattern[found.end() :]
            yield pattern[: found.start()] + f"{first}-{chr(ord(last) - 1)}" + pattern[found.end() :]
    ends = [0, *(end for found in _CHARACTER_RANGE.finditer(pattern) for end in found.span()), len(pattern)]
    for start, end in list(pairwise(ends))[::2]:
        for position in range(start, end):
            if not pattern[position].isascii():
                yield pattern[:position] + pattern[position + 1 :]
