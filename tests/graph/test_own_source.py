"""The graph of this package, compared with the imports in its compiled code."""

import dis
import shutil
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

import satchel
from satchel.app import Satchel
from satchel.config import load
from satchel.domain.graph import EntityType, RelationType
from satchel.domain.scope import resolve_reach
from satchel.domain.view import View
from satchel.graph.snapshots import GraphSnapshot
from tests.faults.extent import extent

pytestmark = pytest.mark.slow

PACKAGE = Path(satchel.__file__).parent
# Of the short slice: parts of the package that import much of each other.
PARTS = ("domain", "core", "ports", "recall", "graph")
Import = tuple[str, str]


def _module(source: Path, path: Path) -> str:
    return ".".join(("satchel", *path.relative_to(source).with_suffix("").parts)).removesuffix(".__init__")


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _compiled_imports(source: Path) -> set[Import]:
    """Return the imports between modules of the package, read from the bytecode."""
    modules = {_module(source, path): path for path in source.rglob("*.py")}
    found: set[Import] = set()
    for module, path in modules.items():
        for code in _codes(compile(path.read_bytes(), str(path), "exec")):
            steps = list(dis.get_instructions(code))
            for place, step in enumerate(steps):
                if step.opname != "IMPORT_NAME":
                    continue
                found.add((module, str(step.argval)))
                names = steps[place - 1].argval or ()
                found.update((module, f"{step.argval}.{name}") for name in names)
    return {(one, other) for one, other in found if other in modules and one != other}


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The source of the package, or in the short slice a copy of parts of it."""
    copy = tmp_path_factory.mktemp("part") / "satchel"
    for part in PARTS:
        shutil.copytree(PACKAGE / part, copy / part, ignore=shutil.ignore_patterns("__pycache__"))
    return extent([copy], [PACKAGE])[0]


@pytest.fixture(scope="module")
def snapshot(source: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GraphSnapshot]:
    """The graph of that source."""
    home = tmp_path_factory.mktemp("own")
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as memory:
        memory.graph.extract(str(source.parent))
        contents = memory.parts.ledger.graph.contents(View(resolve_reach(None), 0))
        yield GraphSnapshot(contents)


def test_imports_match_the_compiled_code(source: Path, snapshot: GraphSnapshot) -> None:
    graph = snapshot.graph
    read = {
        (graph.nodes[edge.tail].name, graph.nodes[edge.head].name)
        for edge in graph.edges
        if edge.relation is RelationType.IMPORTS
        and graph.nodes[edge.head].type is EntityType.MODULE
        and graph.nodes[edge.head].space
    }
    compiled = _compiled_imports(source)
    right = read & compiled

    assert len(compiled) > extent([300], [500])[0]
    assert len(right) / len(read) >= 0.95
    assert len(right) / len(compiled) >= 0.95


def test_every_module_is_found_and_definitions_cite_their_line(source: Path, snapshot: GraphSnapshot) -> None:
    graph = snapshot.graph
    modules = {node.name for node in graph.nodes if node.type is EntityType.MODULE}
    assert {_module(source, path) for path in source.rglob("*.py")} <= modules

    (number,) = snapshot.lookup.find("satchel.domain.scope.resolve_reach")
    (citation,) = [
        one for one in snapshot.graph.citations(e for _, e in graph.names[number]) if one.rule == "python.function"
    ]
    lines = (source.parent / citation.ref).read_text(encoding="utf-8").splitlines()
    assert lines[citation.line - 1].startswith("def resolve_reach(")
