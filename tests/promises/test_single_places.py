"""Printing, environment variables, SQL, clocks and broad excepts are each in one place."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from msgspec import Struct
from tests.tables import each_case

import satchel

SOURCE = Path(satchel.__file__).parent


class Mentions(Struct, frozen=True):
    """What the code of a module mentions."""

    names: frozenset[str]
    """Names and attributes of names, such as print and os.environ."""
    imports: frozenset[str]
    swallows: int
    """Number of handlers that catch every exception and do not raise again."""


@cache
def _mentions() -> Mapping[Path, Mentions]:
    # Parsed once: parsing the whole package takes longer than every question about it.
    return {path.relative_to(SOURCE): _mentioned(path) for path in sorted(SOURCE.rglob("*.py"))}


def _mentioned(path: Path) -> Mentions:
    nodes = list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
    imported = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    imported += [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    names = [_dotted(node) for node in nodes if isinstance(node, (ast.Attribute, ast.Name))]
    return Mentions(frozenset(names), frozenset(imported), sum(map(_swallows, nodes)))


def _dotted(node: ast.expr) -> str:
    if isinstance(node, ast.Attribute):
        return f"{_dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else "…"


def _swallows(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"})
        and not isinstance(node.body[-1], ast.Raise)
    )


def _modules_naming(*names: str) -> set[str]:
    """Return the modules whose code mentions one of these dotted names."""
    return {str(path) for path, mentioned in _mentions().items() if mentioned.names & set(names)}


def _importing(module: str) -> set[str]:
    """Return the top-level folders and modules that import a module or a part of it."""
    return {
        path.parts[0]
        for path, mentioned in _mentions().items()
        if any(name == module or name.startswith(f"{module}.") for name in mentioned.imports)
    }


def test_only_config_reads_the_environment() -> None:
    # Some libraries can be configured only by environment variables, which are set here, not read.
    setting = {"__main__.py", "adapters/lance/__init__.py", "adapters/embedders/runtime.py"}
    # Hooks need the store's folder before there is time to load all settings.
    assert _modules_naming("os.environ", "os.getenv") == {"config/environment.py", "locations.py", *setting}
    for module in setting:
        lines = (SOURCE / module).read_text(encoding="utf-8").splitlines()
        switches = [line for line in lines if "os.environ" in line]
        assert len(switches) == 1
        assert switches[0].strip().startswith(('os.environ["', "os.environ.setdefault("))


def test_the_package_does_not_import_the_benchmarks() -> None:
    assert not _importing("bench")


def test_only_one_module_prints() -> None:
    assert _modules_naming("print") == {"interfaces/cli/present.py"}


def test_only_adapters_touch_sqlite_lance_and_models() -> None:
    for module in ("apsw", "lance", "pyarrow", "numpy", "onnxruntime", "tokenizers", "onnx", "filelock"):
        assert _importing(module) <= {"adapters"}, module


@each_case("module", ["os", "time", "random", "sqlite3", "pathlib", "threading", "subprocess"])
def test_the_core_is_pure(module: str) -> None:
    assert not _importing(module) & {
        "domain",
        "recall",
        "indexing",
        "core",
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
        "ports",
    }


def test_only_the_outermost_edge_catches_everything() -> None:
    # Catching and raising again hides nothing.
    broad = [str(path) for path, mentioned in _mentions().items() for _ in range(mentioned.swallows)]

    # The outermost edges, where a person or an agent gets one line for any error.
    edges = ["agents", "cli/main", "hooks/capture", "hooks/hook", "hooks/turn"]
    # Graders and backends may be external code: their failures must not lose the request.
    assert sorted(broad) == [
        "adapters/backends/calls.py",
        *(f"interfaces/{name}.py" for name in edges),
        "observations/grade.py",
    ]


def test_every_broad_except_says_why() -> None:
    silent = [
        f"{path.relative_to(SOURCE)}:{number}"
        for path in sorted(SOURCE.rglob("*.py"))
        for number, around in _broad_excepts(path.read_text(encoding="utf-8").splitlines())
        if "#" not in around
    ]

    assert silent == []


def _broad_excepts(lines: list[str]) -> Iterator[tuple[int, str]]:
    """Yield the number of each line that catches everything, and that line with those before and after it."""
    for place, line in enumerate(lines):
        if re.match(r"\s*except\s*(?::|\(?(?:Base)?Exception\b)", line):
            yield place + 1, "\n".join(lines[max(0, place - 1) : place + 2])
