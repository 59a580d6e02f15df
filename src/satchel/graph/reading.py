"""Which reader a source gets, and where its code stands in its project."""

import posixpath
from collections.abc import Callable

from satchel.domain.graph import EntityType, Extract, Ref, Relation
from satchel.domain.record import Kind, Memory
from satchel.graph import manifests, prose
from satchel.graph.gathering import Gathering
from satchel.graph.markdown import read_markdown
from satchel.graph.other_code import is_other_code, read_other_code
from satchel.graph.python_code import Place, read_python

_MANIFESTS: dict[str, Callable[[str, str], Extract]] = {
    "pyproject.toml": manifests.read_pyproject,
    "requirements.txt": manifests.read_requirements,
    "package.json": manifests.read_package_json,
}
_PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt")
PYTHON = (".py", ".pyi")
_OTHER = ["js", "jsx", "mjs", "cjs", "ts", "mts", "cts", "tsx", "go", "rs", "java", "c", "h"]
GLOBS = (
    *(f"**/*{ending}" for ending in (*PYTHON, *_PROSE)),
    *(f"**/*.{ending}" for ending in _OTHER),
    *(f"**/{name}" for name in _MANIFESTS),
)
"""The files that have a reader, as patterns."""
# Folders that hold packages without being one.
_SOURCE_FOLDERS = ("src", "lib", "python")


def is_readable(path: str) -> bool:
    """Say whether a file of this name has a reader."""
    return path.endswith((*PYTHON, *_PROSE)) or posixpath.basename(path) in _MANIFESTS or is_other_code(path)


def read_file(path: str, text: str, space: str) -> Extract:
    """Return what a file of a project says, and that it is part of the project."""
    found = Gathering()
    name = posixpath.basename(path)
    if name in _MANIFESTS:
        found.take(_MANIFESTS[name](text, space))
    elif path.endswith(PYTHON):
        place = place_of(path, space)
        found.take(read_python(text, place))
        _belongs(found, space, Ref(EntityType.MODULE, place.module, space))
    elif is_other_code(path):
        found.take(read_other_code(text, path, space))
        _belongs(found, space, Ref(EntityType.MODULE, path, space))
    elif path.endswith(_PROSE):
        found.take(read_markdown(text, path, space))
        _belongs(found, space, Ref(EntityType.DOCUMENT, path, space))
    return found.extract()


def _belongs(found: Gathering, space: str, part: Ref) -> None:
    project = found.sight(Ref(EntityType.PROJECT, space), "file.project", defining=True)
    found.claim(project, Relation.CONTAINS, part, "file.project", 1)


def place_of(path: str, space: str) -> Place:
    """Return the dotted name of a file of Python, by where it lies."""
    parts = path.rsplit(".", 1)[0].split("/")
    while len(parts) > 1 and parts[0] in _SOURCE_FOLDERS:
        parts = parts[1:]
    package = parts[-1] == "__init__" and len(parts) > 1
    return Place(space, ".".join(parts[:-1] if package else parts), package)


def read_memory(memory: Memory, text: str) -> Extract:
    """Return what a memory says; one that is a decision is about what it names, whoever decided."""
    found = Gathering()
    said = prose.read_prose(text)
    found.take(said)
    if memory.kind is Kind.DECISION and not any(one.ref.type is EntityType.DECISION for one in said.sightings):
        first = next(iter(prose.sentences(memory.title or text)), None)
        if first is not None:
            prose.decided(found, first[0], first[1])
    return found.extract()
