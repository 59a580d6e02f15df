"""Reads project manifests: pyproject.toml, requirements.txt and package.json."""

import json
import re
import tomllib
from typing import Any

from satchel.domain.graph import EntityRef, EntityType, Extract, RelationType
from satchel.graph.readers.builder import ExtractBuilder

# Fields that name people, of both kinds of manifest, with the rule that a relation cites.
_PEOPLE = {
    "author": "manifest.author",
    "authors": "manifest.author",
    "maintainers": "manifest.maintainer",
    "contributors": "manifest.contributor",
}
_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")


def read_pyproject(text: str, project: str) -> Extract:
    """Extract name, dependencies, people and repository of a pyproject.toml."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return Extract()
    about = _table(data, "project")
    found, this = _start(str(about.get("name") or ""), project)
    requirements = [
        *_strings(about.get("dependencies")),
        *_grouped_strings(about.get("optional-dependencies")),
        *_grouped_strings(data.get("dependency-groups")),
    ]
    for requirement in requirements:
        _add_requirement(found, this, requirement, text)
    _add_people(found, this, about, text)
    for name, address in _table(about, "urls").items():
        if isinstance(address, str) and re.search(r"repo|source|github|gitlab", f"{name} {address}", re.IGNORECASE):
            repo = EntityRef(EntityType.REPO, re.sub(r"^\w+://(?:[^/@]*@)?[^/]+/|\.git$|/$", "", address))
            found.relate(this, RelationType.CONTAINS, repo, "manifest.repository", _line_of(text, address))
    return found.build()


def read_requirements(text: str, project: str) -> Extract:
    """Extract the dependencies of a requirements.txt."""
    found, this = _start("", project)
    for line in text.splitlines():
        if line.strip() and not line.startswith(("#", "-", " ")):
            _add_requirement(found, this, line, text)
    return found.build()


def read_package_json(text: str, project: str) -> Extract:
    """Extract the name, dependencies and people of a package.json."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return Extract()
    if not isinstance(data, dict):
        return Extract()
    found, this = _start(str(data.get("name") or ""), project)
    for group in ("dependencies", "devDependencies", "peerDependencies"):
        for name in _table(data, group):
            _add_dependency(found, this, name, _line_of(text, f'"{name}"'))
    _add_people(found, this, data, text)
    return found.build()


def _start(published_name: str, project: str) -> tuple[ExtractBuilder, EntityRef]:
    """Begin the extract of a project; the name that it is published under becomes an alias."""
    found = ExtractBuilder()
    this = found.mention(EntityRef(EntityType.PROJECT, project), "manifest.project", 1, defining=True)
    if published_name and published_name.casefold() != project.casefold():
        alias = EntityRef(EntityType.TERM, published_name)
        found.relate(alias, RelationType.ALIAS_OF, this, "manifest.name", 1)
    return found, this


def _add_requirement(found: ExtractBuilder, this: EntityRef, requirement: str, text: str) -> None:
    if hit := _REQUIREMENT.match(requirement):
        _add_dependency(found, this, hit[1], _line_of(text, requirement))


def _add_dependency(found: ExtractBuilder, this: EntityRef, name: str, line: int) -> None:
    found.relate(this, RelationType.DEPENDS_ON, EntityRef(EntityType.TOOL, name), "manifest.dependency", line)


def _add_people(found: ExtractBuilder, this: EntityRef, data: dict[str, Any], text: str) -> None:
    for field, rule in _PEOPLE.items():
        named = data.get(field)
        for one in named if isinstance(named, list) else [named]:
            if name := _person_name(one):
                person = EntityRef(EntityType.PERSON, name)
                found.relate(person, RelationType.OWNS, this, rule, _line_of(text, name))


def _person_name(said: object) -> str:
    """Return the name in a person's entry: an object, or a text such as "Name <address> (page)"; else an empty text."""
    if isinstance(said, str):
        return re.split("[<(]", said, maxsplit=1)[0].strip()
    name = said.get("name") if isinstance(said, dict) else None
    return name if isinstance(name, str) else ""


def _table(data: dict[str, Any], name: str) -> dict[str, Any]:
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def _strings(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _grouped_strings(value: object) -> list[str]:
    return [one for group in value.values() for one in _strings(group)] if isinstance(value, dict) else []


def _line_of(text: str, part: str) -> int:
    place = text.find(part)
    return text.count("\n", 0, place) + 1 if place >= 0 else 0
