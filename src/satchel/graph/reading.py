"""Chooses the reader for a source, and names Python modules by their path."""

import posixpath
from collections.abc import Callable

from satchel.domain.graph import EntityRef, EntityType, Extract, RelationType
from satchel.domain.record import Kind, Memory
from satchel.graph.readers import manifests
from satchel.graph.readers.builder import ExtractBuilder
from satchel.graph.readers.markdown import read_markdown
from satchel.graph.readers.other_code import is_other_code, read_other_code
from satchel.graph.readers.prose import add_decision, read_prose, split_sentences
from satchel.graph.readers.python_code import PythonModule, read_python

_MANIFESTS: dict[str, Callable[[str, str], Extract]] = {
    "pyproject.toml": manifests.read_pyproject,
    "requirements.txt": manifests.read_requirements,
    "package.json": manifests.read_package_json,
}
_PROSE = (".md", ".markdown", ".mdx", ".rst", ".txt")
_PYTHON = (".py", ".pyi")
_OTHER_CODE = ("js", "jsx", "mjs", "cjs", "ts", "mts", "cts", "tsx", "go", "rs", "java", "c", "h")
GLOBS = (
    *(f"**/*{ending}" for ending in (*_PYTHON, *_PROSE)),
    *(f"**/*.{ending}" for ending in _OTHER_CODE),
    *(f"**/{name}" for name in _MANIFESTS),
)
"""Patterns of the files that have a reader."""
# Folders that contain packages without being packages.
_SOURCE_FOLDERS = ("src", "lib", "python")


def is_readable(path: str) -> bool:
    """Return whether a file of this name has a reader."""
    return path.endswith((*_PYTHON, *_PROSE)) or posixpath.basename(path) in _MANIFESTS or is_other_code(path)


def read_file(path: str, text: str, space: str) -> Extract:
    """Extract the entities and relations of a file, and relate the file to its project."""
    found = ExtractBuilder()
    name = posixpath.basename(path)
    if name in _MANIFESTS:
        found.merge(_MANIFESTS[name](text, space))
    elif path.endswith(_PYTHON):
        module = python_module(path, space)
        found.merge(read_python(text, module))
        _add_to_project(found, space, EntityRef(EntityType.MODULE, module.name, space))
    elif is_other_code(path):
        found.merge(read_other_code(text, path, space))
        _add_to_project(found, space, EntityRef(EntityType.MODULE, path, space))
    elif path.endswith(_PROSE):
        found.merge(read_markdown(text, path, space))
        _add_to_project(found, space, EntityRef(EntityType.DOCUMENT, path, space))
    return found.build()


def _add_to_project(found: ExtractBuilder, space: str, part: EntityRef) -> None:
    project = found.mention(EntityRef(EntityType.PROJECT, space), "file.project", defining=True)
    found.relate(project, RelationType.CONTAINS, part, "file.project", 1)


def python_module(path: str, space: str) -> PythonModule:
    """Return the module of a Python file, named by its path."""
    parts = path.rsplit(".", 1)[0].split("/")
    while len(parts) > 1 and parts[0] in _SOURCE_FOLDERS:
        parts = parts[1:]
    is_package = parts[-1] == "__init__" and len(parts) > 1
    return PythonModule(space, ".".join(parts[:-1] if is_package else parts), is_package)


def read_memory(memory: Memory, text: str) -> Extract:
    """Extract the entities and relations of a memory. A memory of kind decision always yields a decision."""
    found = ExtractBuilder()
    extract = read_prose(text)
    found.merge(extract)
    if memory.kind is Kind.DECISION and not any(one.ref.type is EntityType.DECISION for one in extract.mentions):
        first = next(split_sentences(memory.title or text), None)
        if first is not None:
            add_decision(found, *first)
    return found.build()
