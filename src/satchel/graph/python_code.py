"""Python source: modules, classes, functions and module variables, and who imports, calls, inherits from and uses whom.

Read with `ast` and nothing else: no code is run, no other file is looked at. What a name stands for in other files
shows when everything is put together (`resolution`).
"""

import ast
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct

from satchel.domain.graph import EntityType, Extract, Ref, Relation
from satchel.graph.gathering import Gathering, module

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Place(Struct, frozen=True):
    """Where a file of Python stands: its project, its dotted name, and whether it is the file of a package."""

    space: str
    module: str
    package: bool = False

    @property
    def parent(self) -> str:
        """The package around it; nothing for a name without dots."""
        return self.module.rpartition(".")[0]

    def absolute(self, level: int, name: str | None) -> str:
        """Return the whole name of what a relative import names."""
        if not level:
            return name or ""
        parts = self.module.split(".") if self.package else self.module.split(".")[:-1]
        kept = parts[: len(parts) - (level - 1)] if level > 1 else parts
        return ".".join([*kept, *([name] if name else [])])


def read_python(text: str, place: Place) -> Extract:
    """Return what a Python file says. One that is no Python says only that it is there."""
    found = Gathering()
    this = found.sight(Ref(EntityType.MODULE, place.module, place.space), "python.module", 1, defining=True)
    if place.parent:
        found.claim(module(place.space, place.parent), Relation.CONTAINS, this, "python.package", 1)
    tree = _parsed(text)
    if tree is not None:
        # A chain of a thousand conditions is nested a thousand deep; what was read until then stands.
        with suppress(RecursionError):
            _Reader(found, place, this, tree).read()
    return found.extract()


def _parsed(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            # Somebody else's invalid escape is not this program's warning.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Scope(Struct, frozen=True):
    """What names mean at one place: the entity it belongs to, its class, and what its variables hold."""

    owner: Ref
    class_name: str = ""
    """The dotted name of the class around a method."""
    bases: tuple[str, ...] = ()
    held: dict[str, str] = {}
    """Local names by the dotted name of their class; an empty one is known to be something else."""


class _Reader:
    def __init__(self, found: Gathering, place: Place, this: Ref, tree: ast.Module) -> None:
        self._found = found
        self._place = place
        self._this = this
        self._tree = tree
        self._meanings: dict[str, str] = {}

    def read(self) -> None:
        self._imports()
        for node in _unconditional(self._tree.body):
            for name in _bound(node):
                self._meanings[name] = f"{self._place.module}.{name}"
        outside = []
        for node in _unconditional(self._tree.body):
            if isinstance(node, _FUNCTIONS):
                self._function(node, self._this, _Scope(self._this))
            elif isinstance(node, ast.ClassDef):
                self._class(node, self._this, self._place.module)
            else:
                self._variables(node)
                outside.append(node)
        self._body(outside, _Scope(self._this))

    # Imports

    def _imports(self) -> None:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self._import(alias.name, node.lineno)
                    top = alias.name.partition(".")[0]
                    self._meanings[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                self._import_from(node)

    def _import_from(self, node: ast.ImportFrom) -> None:
        origin = self._place.absolute(node.level, node.module)
        if not origin:
            return
        self._import(origin, node.lineno)
        for alias in node.names:
            if alias.name == "*":
                continue
            whole = f"{origin}.{alias.name}"
            local = alias.asname or alias.name
            self._meanings[local] = whole
            self._found.claim(self._this, Relation.IMPORTS, self._name(whole), "python.import", node.lineno)
            # Others may import the name from here: then this is where it comes from.
            passed_on = self._name(f"{self._place.module}.{local}")
            self._found.claim(passed_on, Relation.ALIAS_OF, self._name(whole), "python.import", node.lineno)

    def _import(self, name: str, line: int) -> None:
        if name == self._place.module:
            return
        self._found.claim(self._this, Relation.IMPORTS, module(self._place.space, name), "python.import", line)
        top = name.partition(".")[0]
        if top not in (name, self._place.module.partition(".")[0]):
            self._found.claim(self._this, Relation.IMPORTS, module(self._place.space, top), "python.import", line)

    # Definitions

    def _class(self, node: ast.ClassDef, around: Ref, prefix: str) -> None:
        name = f"{prefix}.{node.name}"
        this = self._define(EntityType.CLASS, name, "python.class", node.lineno, around)
        at = _Scope(this)
        bases = tuple(base for one in node.bases if (base := self._meaning(_dotted(_bare(one)), at)))
        for base in bases:
            self._found.claim(this, Relation.INHERITS, self._name(base), "python.base", node.lineno)
        scope = _Scope(this, name, bases)
        outside: list[ast.AST] = [*node.decorator_list]
        for inner in _unconditional(node.body):
            if isinstance(inner, _FUNCTIONS):
                self._function(inner, this, scope)
            elif isinstance(inner, ast.ClassDef):
                self._class(inner, this, name)
            else:
                outside.append(inner)
        self._body(outside, scope)

    def _function(self, node: _Function, around: Ref, scope: _Scope) -> None:
        name = f"{scope.class_name or self._place.module}.{node.name}"
        this = self._define(EntityType.FUNCTION, name, "python.function", node.lineno, around)
        held = self._held(node, scope)
        self._body([node], _Scope(this, scope.class_name, scope.bases, held))

    def _variables(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            for name in _bound(node):
                if name.startswith("__"):
                    continue
                whole = f"{self._place.module}.{name}"
                self._define(EntityType.VARIABLE, whole, "python.variable", node.lineno, self._this)

    def _define(self, type: EntityType, name: str, rule: str, line: int, around: Ref) -> Ref:
        this = self._found.sight(Ref(type, name, self._place.space), rule, line, defining=True)
        self._found.claim(around, Relation.CONTAINS, this, rule, line)
        return this

    def _held(self, node: _Function, scope: _Scope) -> dict[str, str]:
        """Return what the local names of a function hold, as far as its annotations and plain assignments tell."""
        held: dict[str, str] = {}
        parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        parameters += [one for one in (node.args.vararg, node.args.kwarg) if one is not None]
        for one in parameters:
            held[one.arg] = self._meaning(_dotted(_bare(one.annotation)), scope) or ""
        if parameters and scope.class_name and node.args.args[:1] == parameters[:1]:
            held.pop(parameters[0].arg, None)
        own = {id(one) for one in (node, *parameters)}
        for inner in ast.walk(node):
            if id(inner) in own:
                continue
            for name in _bound(inner):
                value = inner.value if isinstance(inner, ast.Assign) else None
                made = _dotted(value.func) if isinstance(value, ast.Call) else ""
                is_new = name not in held
                held[name] = (self._meaning(made, scope) or "") if is_new and made else ""
        return held

    # Bodies

    def _body(self, nodes: Sequence[ast.AST], scope: _Scope) -> None:
        for node in nodes:
            called = {id(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)}
            for one, line in _chains(node):
                whole = self._target(one, scope)
                if whole is None or whole == scope.owner.name:
                    continue
                relation, rule = (
                    (Relation.CALLS, "python.call") if id(one) in called else (Relation.USES, "python.reference")
                )
                for name in whole if isinstance(whole, tuple) else (whole,):
                    self._found.claim(scope.owner, relation, self._name(name), rule, line)

    def _target(self, chain: ast.expr, scope: _Scope) -> str | tuple[str, ...] | None:
        if isinstance(chain, ast.Attribute) and _is_super(chain.value):
            return tuple(f"{base}.{chain.attr}" for base in scope.bases)
        dotted = _dotted(chain)
        first, _, rest = dotted.partition(".")
        if scope.class_name and first in ("self", "cls") and first not in scope.held:
            return f"{scope.class_name}.{rest}" if rest else None
        return self._meaning(dotted, scope)

    def _meaning(self, dotted: str, scope: _Scope) -> str | None:
        """Return the whole name of a name as code writes it; None for one that is not from a module."""
        if not dotted:
            return None
        first, _, rest = dotted.partition(".")
        if first in scope.held:
            kept = scope.held[first]
            return f"{kept}.{rest}" if kept and rest else None
        origin = self._meanings.get(first)
        if origin is None:
            return None
        return f"{origin}.{rest}" if rest else origin

    def _name(self, whole: str) -> Ref:
        return Ref(EntityType.NAME, whole, self._place.space)


def _unconditional(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a body, and those inside its conditions: a name defined in either branch is defined."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from _unconditional(getattr(node, part, []))
            for handler in getattr(node, "handlers", []):
                yield from _unconditional(handler.body)
        else:
            yield node


def _bound(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node gives a value to."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _names(target)
        case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
            yield from _names(target)
        case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
            yield from _names(target)
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from _names(target)
        case ast.ExceptHandler(name=str(name)):
            yield name
        case ast.arg(arg=name):
            yield name


def _names(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _chains(node: ast.AST) -> Iterator[tuple[ast.expr, int]]:
    """Yield the dotted names that a piece of code reads, each as long as it is, with its line."""
    waiting: list[ast.AST] = [node]
    while waiting:
        one = waiting.pop()
        if (
            isinstance(one, (ast.Name, ast.Attribute))
            and isinstance(one.ctx, ast.Load)
            and (_dotted(one) or (isinstance(one, ast.Attribute) and _is_super(one.value)))
        ):
            yield one, one.lineno
            continue
        waiting.extend(reversed(list(ast.iter_child_nodes(one))))


def _dotted(node: ast.expr | None) -> str:
    """Return a chain of names as code writes it; nothing for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _bare(node: ast.expr | None) -> ast.expr | None:
    """Return the class of an annotation: `Base` of `Base[int]`, of `Base | None` and of "Base"."""
    if isinstance(node, ast.Subscript):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value is None:
        return _bare(node.left)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        return ast.Name(node.value, ast.Load())
    return node


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
