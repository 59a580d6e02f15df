"""Reads Python source: modules, classes, functions and module variables, with imports, calls, bases and uses.

Parses with `ast`: no code is run and no other file is opened. Names from other files are resolved later (`resolution`).
"""

import ast
import warnings
from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import Struct

from satchel.domain.graph import EntityRef, EntityType, Extract, RelationType
from satchel.graph.readers.builder import ExtractBuilder, module_ref

_Function = ast.FunctionDef | ast.AsyncFunctionDef
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class PythonModule(Struct, frozen=True):
    """A Python file: its project, its dotted name, and whether it is a package's `__init__`."""

    space: str
    name: str
    is_package: bool = False

    @property
    def parent(self) -> str:
        """The package that contains it; empty at the top level."""
        return self.name.rpartition(".")[0]

    def absolute(self, level: int, name: str | None) -> str:
        """Return the absolute name of a relative import."""
        if not level:
            return name or ""
        parts = self.name.split(".") if self.is_package else self.name.split(".")[:-1]
        kept = parts[: len(parts) - (level - 1)] if level > 1 else parts
        return ".".join([*kept, *([name] if name else [])])


def read_python(text: str, module: PythonModule) -> Extract:
    """Extract the definitions and relations of a Python file. A file that does not parse yields only its module."""
    found = ExtractBuilder()
    this = found.mention(EntityRef(EntityType.MODULE, module.name, module.space), "python.module", 1, defining=True)
    if module.parent:
        found.relate(module_ref(module.space, module.parent), RelationType.CONTAINS, this, "python.package", 1)
    tree = _parse(text)
    if tree is not None:
        # A long elif chain is nested as deep as it is long; keep what was read so far.
        with suppress(RecursionError):
            _Reader(found, module, this, tree).read()
    return found.build()


def _parse(text: str) -> ast.Module | None:
    try:
        with warnings.catch_warnings():
            # Do not report invalid escapes in the code that is read.
            warnings.simplefilter("ignore")
            return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


class _Scope(Struct, frozen=True):
    """How names resolve at one place: the entity that contains it, its class, and the types of local variables."""

    owner: EntityRef
    class_name: str = ""
    """The dotted name of the class that contains a method."""
    bases: tuple[str, ...] = ()
    local_types: dict[str, str] = {}
    """Dotted class names by local name; empty where the type is unknown."""


class _Reader:
    def __init__(self, found: ExtractBuilder, module: PythonModule, this: EntityRef, tree: ast.Module) -> None:
        self._found = found
        self._module = module
        self._this = this
        self._tree = tree
        self._origins: dict[str, str] = {}

    def read(self) -> None:
        self._read_imports()
        for node in _flat_statements(self._tree.body):
            for name in _bound_names(node):
                self._origins[name] = f"{self._module.name}.{name}"
        outside = []
        for node in _flat_statements(self._tree.body):
            if isinstance(node, _FUNCTIONS):
                self._read_function(node, self._this, _Scope(self._this))
            elif isinstance(node, ast.ClassDef):
                self._read_class(node, self._this, self._module.name)
            else:
                self._read_variables(node)
                outside.append(node)
        self._read_body(outside, _Scope(self._this))

    # Imports

    def _read_imports(self) -> None:
        for node in ast.walk(self._tree):
            if isinstance(node, ast.Import):
                for alias in node.names:
                    self._add_import(alias.name, node.lineno)
                    top = alias.name.partition(".")[0]
                    self._origins[alias.asname or top] = alias.name if alias.asname else top
            elif isinstance(node, ast.ImportFrom):
                self._read_import_from(node)

    def _read_import_from(self, node: ast.ImportFrom) -> None:
        origin = self._module.absolute(node.level, node.module)
        if not origin:
            return
        self._add_import(origin, node.lineno)
        for alias in node.names:
            if alias.name == "*":
                continue
            full_name = f"{origin}.{alias.name}"
            local = alias.asname or alias.name
            self._origins[local] = full_name
            self._found.relate(
                self._this, RelationType.IMPORTS, self._name_ref(full_name), "python.import", node.lineno
            )
            # Other modules may import the name from here (a re-export).
            exported = self._name_ref(f"{self._module.name}.{local}")
            self._found.relate(exported, RelationType.ALIAS_OF, self._name_ref(full_name), "python.import", node.lineno)

    def _add_import(self, name: str, line: int) -> None:
        if name == self._module.name:
            return
        self._found.relate(
            self._this, RelationType.IMPORTS, module_ref(self._module.space, name), "python.import", line
        )
        top = name.partition(".")[0]
        if top not in (name, self._module.name.partition(".")[0]):
            self._found.relate(
                self._this, RelationType.IMPORTS, module_ref(self._module.space, top), "python.import", line
            )

    # Definitions

    def _read_class(self, node: ast.ClassDef, parent: EntityRef, prefix: str) -> None:
        name = f"{prefix}.{node.name}"
        this = self._define(EntityType.CLASS, name, "python.class", node.lineno, parent)
        outer = _Scope(this)
        bases = tuple(base for one in node.bases if (base := self._resolve(_dotted(_annotated_class(one)), outer)))
        for base in bases:
            self._found.relate(this, RelationType.INHERITS, self._name_ref(base), "python.base", node.lineno)
        scope = _Scope(this, name, bases)
        outside: list[ast.AST] = [*node.decorator_list]
        for inner in _flat_statements(node.body):
            if isinstance(inner, _FUNCTIONS):
                self._read_function(inner, this, scope)
            elif isinstance(inner, ast.ClassDef):
                self._read_class(inner, this, name)
            else:
                outside.append(inner)
        self._read_body(outside, scope)

    def _read_function(self, node: _Function, parent: EntityRef, scope: _Scope) -> None:
        name = f"{scope.class_name or self._module.name}.{node.name}"
        this = self._define(EntityType.FUNCTION, name, "python.function", node.lineno, parent)
        types = self._local_types(node, scope)
        self._read_body([node], _Scope(this, scope.class_name, scope.bases, types))

    def _read_variables(self, node: ast.AST) -> None:
        if isinstance(node, (ast.Assign, ast.AnnAssign)):
            for name in _bound_names(node):
                if name.startswith("__"):
                    continue
                full_name = f"{self._module.name}.{name}"
                self._define(EntityType.VARIABLE, full_name, "python.variable", node.lineno, self._this)

    def _define(self, type: EntityType, name: str, rule: str, line: int, parent: EntityRef) -> EntityRef:
        this = self._found.mention(EntityRef(type, name, self._module.space), rule, line, defining=True)
        self._found.relate(parent, RelationType.CONTAINS, this, rule, line)
        return this

    def _local_types(self, node: _Function, scope: _Scope) -> dict[str, str]:
        """Return the types of a function's local names, as far as annotations and `x = Class()` assignments tell."""
        types: dict[str, str] = {}
        parameters = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
        parameters += [one for one in (node.args.vararg, node.args.kwarg) if one is not None]
        for one in parameters:
            types[one.arg] = self._resolve(_dotted(_annotated_class(one.annotation)), scope) or ""
        if parameters and scope.class_name and node.args.args[:1] == parameters[:1]:
            types.pop(parameters[0].arg, None)
        own = {id(one) for one in (node, *parameters)}
        for inner in ast.walk(node):
            if id(inner) in own:
                continue
            for name in _bound_names(inner):
                value = inner.value if isinstance(inner, ast.Assign) else None
                made = _dotted(value.func) if isinstance(value, ast.Call) else ""
                is_new = name not in types
                types[name] = (self._resolve(made, scope) or "") if is_new and made else ""
        return types

    # Bodies

    def _read_body(self, nodes: Sequence[ast.AST], scope: _Scope) -> None:
        for node in nodes:
            called = {id(one.func) for one in ast.walk(node) if isinstance(one, ast.Call)}
            for one, line in _dotted_reads(node):
                full_name = self._target(one, scope)
                if full_name is None or full_name == scope.owner.name:
                    continue
                relation, rule = (
                    (RelationType.CALLS, "python.call")
                    if id(one) in called
                    else (RelationType.USES, "python.reference")
                )
                for name in full_name if isinstance(full_name, tuple) else (full_name,):
                    self._found.relate(scope.owner, relation, self._name_ref(name), rule, line)

    def _target(self, chain: ast.expr, scope: _Scope) -> str | tuple[str, ...] | None:
        if isinstance(chain, ast.Attribute) and _is_super(chain.value):
            return tuple(f"{base}.{chain.attr}" for base in scope.bases)
        dotted = _dotted(chain)
        first, _, rest = dotted.partition(".")
        if scope.class_name and first in ("self", "cls") and first not in scope.local_types:
            return f"{scope.class_name}.{rest}" if rest else None
        return self._resolve(dotted, scope)

    def _resolve(self, dotted: str, scope: _Scope) -> str | None:
        """Return the absolute name of a dotted name; None if it does not come from a module."""
        if not dotted:
            return None
        first, _, rest = dotted.partition(".")
        if first in scope.local_types:
            kept = scope.local_types[first]
            return f"{kept}.{rest}" if kept and rest else None
        origin = self._origins.get(first)
        if origin is None:
            return None
        return f"{origin}.{rest}" if rest else origin

    def _name_ref(self, full_name: str) -> EntityRef:
        return EntityRef(EntityType.NAME, full_name, self._module.space)


def _flat_statements(body: Sequence[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements of a body, including those inside if, try and with blocks."""
    for node in body:
        if isinstance(node, (ast.If, ast.Try, ast.With)):
            for part in ("body", "orelse", "finalbody"):
                yield from _flat_statements(getattr(node, part, []))
            for handler in getattr(node, "handlers", []):
                yield from _flat_statements(handler.body)
        else:
            yield node


def _bound_names(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds."""
    match node:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            yield name
        case ast.Assign(targets=targets):
            for target in targets:
                yield from _assigned_names(target)
        case ast.AnnAssign(target=target) | ast.NamedExpr(target=target):
            yield from _assigned_names(target)
        case ast.For(target=target) | ast.AsyncFor(target=target) | ast.comprehension(target=target):
            yield from _assigned_names(target)
        case ast.withitem(optional_vars=ast.expr() as target):
            yield from _assigned_names(target)
        case ast.ExceptHandler(name=str(name)):
            yield name
        case ast.arg(arg=name):
            yield name


def _assigned_names(target: ast.expr) -> Iterator[str]:
    for node in ast.walk(target):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def _dotted_reads(node: ast.AST) -> Iterator[tuple[ast.expr, int]]:
    """Yield the full dotted names that a piece of code reads, with their lines."""
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
    """Return a chain of attributes such as `a.b.c`; empty for any other expression."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return ".".join([node.id, *reversed(parts)]) if isinstance(node, ast.Name) else ""


def _annotated_class(node: ast.expr | None) -> ast.expr | None:
    """Return the class of an annotation: `Base` for `Base[int]`, `Base | None` and "Base"."""
    if isinstance(node, ast.Subscript):
        return node.value
    if isinstance(node, ast.BinOp) and isinstance(node.right, ast.Constant) and node.right.value is None:
        return _annotated_class(node.left)
    if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value.isidentifier():
        return ast.Name(node.value, ast.Load())
    return node


def _is_super(node: ast.expr) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"
