"""Dependencies point down, features and adapters do not import each other, and every module has a layer."""

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

import satchel

SOURCE = Path(satchel.__file__).parent

# From top to bottom. A module may import from its own unit and from every row below.
FEATURES = frozenset(
    {
        "attention",
        "conversations",
        "documents",
        "episodes",
        "explaining",
        "facts",
        "graph",
        "importing",
        "maintenance",
        "memories",
        "observations",
        "packing",
        "routing",
        "turns",
        "writeback",
    }
)
LAYERS: tuple[frozenset[str], ...] = (
    frozenset({"__init__", "__main__", "aio"}),
    frozenset({"interfaces"}),
    frozenset({"app"}),
    frozenset({"wiring"}),
    frozenset({"adapters", "config"}),
    FEATURES,
    frozenset({"core"}),
    frozenset({"recall"}),
    frozenset({"indexing"}),
    frozenset({"ports"}),
    frozenset({"locations", "threads"}),
    frozenset({"interrupts", "os_calls"}),
    frozenset({"domain"}),
    frozenset({"errors"}),
)
# The package holds the version, a plain value.
ALLOWED = {("interfaces", "__init__"), ("__main__", "__init__"), ("aio", "__init__"), ("wiring", "app")}


# Shared by adapters: how to talk to a JSON server, and the stores that both database engines run.
SHARED_BY_ADAPTERS = {"remote_json", "sql"}
# The reader runs on the runtime of the bundled encoder, with its tokenizer and its word vectors.
ADAPTER_USES = {("reader", "embedders")}


def _unit(path: Path) -> str:
    return path.relative_to(SOURCE).parts[0].removesuffix(".py")


def _level(unit: str) -> int:
    return next(level for level, units in enumerate(LAYERS) if unit in units)


@cache
def _import_statements(path: Path) -> Sequence[ast.Import | ast.ImportFrom]:
    """Return the import statements of a module, those inside functions too."""
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    return [node for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]


def _imports(path: Path) -> Iterator[str]:
    for node in _import_statements(path):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        if isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names = [node.module or ""]
        for name in names:
            if name == "satchel" or name.startswith("satchel."):
                yield [*name.split("."), "__init__"][1]


def test_every_module_has_a_layer() -> None:
    units = {_unit(path) for path in SOURCE.rglob("*.py")}

    assert units == set().union(*LAYERS)


def test_imports_point_down() -> None:
    upward = [
        f"{path.relative_to(SOURCE)} imports {imported}"
        for path in SOURCE.rglob("*.py")
        for imported in _imports(path)
        if imported != (unit := _unit(path)) and _level(imported) <= _level(unit) and (unit, imported) not in ALLOWED
    ]

    assert upward == []


def test_adapters_do_not_import_each_other() -> None:
    crossing = []
    for path in (SOURCE / "adapters").rglob("*.py"):
        own = path.relative_to(SOURCE / "adapters").parts[0]
        for node in _import_statements(path):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("satchel.adapters."):
                other = (node.module or "").split(".")[2]
                if other not in {own.removesuffix(".py"), *SHARED_BY_ADAPTERS} and (own, other) not in ADAPTER_USES:
                    crossing.append(f"{path.name} imports {node.module}")

    assert crossing == []


def test_no_module_is_part_of_an_import_cycle() -> None:
    graph = {_module(path): set(_modules_imported(path)) for path in SOURCE.rglob("*.py")}
    done: set[str] = set()

    def visit(module: str, trail: tuple[str, ...]) -> None:
        assert module not in trail, f"cycle: {' → '.join((*trail, module))}"
        if module not in done:
            for imported in graph.get(module, set()):
                visit(imported, (*trail, module))
            done.add(module)

    for module in graph:
        visit(module, ())


def _module(path: Path) -> str:
    return ".".join(("satchel", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def _modules_imported(path: Path) -> Iterator[str]:
    # Packages import some names lazily or for types only.
    if path.name == "__init__.py":
        return
    for node in _import_statements(path):
        if isinstance(node, ast.ImportFrom) and node.col_offset == 0 and (node.module or "").startswith("satchel."):
            yield from ((node.module or ""), *(f"{node.module}.{alias.name}" for alias in node.names))
