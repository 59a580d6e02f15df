"""Printing, environment variables, SQL, clocks and broad excepts are each in one place."""

import ast
from pathlib import Path

from tests.tables import each_case

import satchel

SOURCE = Path(satchel.__file__).parent


def _modules_naming(*names: str) -> set[str]:
    """Return the modules whose code mentions one of these dotted names."""
    found = set()
    for path in SOURCE.rglob("*.py"):
        text = {ast.unparse(node) for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if _is_name(node)}
        if text & set(names):
            found.add(str(path.relative_to(SOURCE)))
    return found


def _is_name(node: ast.AST) -> bool:
    return isinstance(node, (ast.Attribute, ast.Name))


def _importing(module: str) -> set[str]:
    found = set()
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            if isinstance(node, ast.ImportFrom):
                names = [node.module or ""]
            if any(name == module or name.startswith(f"{module}.") for name in names):
                found.add(path.relative_to(SOURCE).parts[0])
    return found


def test_only_config_reads_the_environment() -> None:
    # Some libraries can be configured only by environment variables, which are set here, not read.
    setting = {"adapters/lance/__init__.py", "adapters/embedders/runtime.py"}
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
    broad = [
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ExceptHandler)
        and (node.type is None or ast.unparse(node.type) in {"Exception", "BaseException"})
        and not isinstance(node.body[-1], ast.Raise)
    ]

    # The outermost edges, where a person or an agent gets one line for any error.
    edges = ["agents", "cli/main", "hooks/capture", "hooks/turn"]
    # Graders and backends may be external code: their failures must not lose the request.
    assert sorted(broad) == [
        "adapters/backends/calls.py",
        *(f"interfaces/{name}.py" for name in edges),
        "observations/grade.py",
    ]
