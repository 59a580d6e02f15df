"""The graph of this very project, held against another reading of it: what the compiled code says it imports."""

import dis
from collections.abc import Iterator
from pathlib import Path
from types import CodeType

import pytest

import satchel
from satchel.app import Satchel
from satchel.config import load
from satchel.domain.graph import EntityType, Relation
from satchel.domain.scope import reach
from satchel.domain.view import View
from satchel.graph.loaded import Loaded

SOURCE = Path(satchel.__file__).parent
Import = tuple[str, str]


def _module(path: Path) -> str:
    return ".".join(("satchel", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__")


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _compiled_imports() -> set[Import]:
    """Return which module of the package imports which, by the instructions that the compiler made of them."""
    modules = {_module(path): path for path in SOURCE.rglob("*.py")}
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
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Loaded]:
    """The graph of the package's source."""
    home = tmp_path_factory.mktemp("own")
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as memory:
        memory.graph.extract(str(SOURCE.parent))
        contents = memory.parts.ledger.graph.contents(View(reach(None), 0))
        yield Loaded(contents)


def test_its_imports_are_those_of_the_compiled_code(loaded: Loaded) -> None:
    web = loaded.web
    read = {
        (web.nodes[edge.tail].name, web.nodes[edge.head].name)
        for edge in web.edges
        if edge.relation is Relation.IMPORTS
        and web.nodes[edge.head].type is EntityType.MODULE
        and web.nodes[edge.head].space
    }
    compiled = _compiled_imports()
    right = read & compiled

    assert len(compiled) > 500
    assert len(right) / len(read) >= 0.95
    assert len(right) / len(compiled) >= 0.95


def test_every_module_has_its_place_and_every_definition_its_line(loaded: Loaded) -> None:
    web = loaded.web
    modules = {node.name for node in web.nodes if node.type is EntityType.MODULE}
    assert {_module(path) for path in SOURCE.rglob("*.py")} <= modules

    (number,) = loaded.lookup.meant("satchel.domain.scope.reach")
    (citation,) = [
        one for one in loaded.web.citations(e for _, e in web.names[number]) if one.rule == "python.function"
    ]
    lines = (SOURCE.parent / citation.ref).read_text(encoding="utf-8").splitlines()
    assert lines[citation.line - 1].startswith("def reach(")
