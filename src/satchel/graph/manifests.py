"""Files in which a project says what it is called, what it needs and who made it."""

import json
import re
import tomllib
from typing import Any

from satchel.domain.graph import EntityType, Extract, Ref, Relation
from satchel.graph.gathering import Gathering

_REQUIREMENT = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)")
MAX_BYTES = 2_000_000


def read_pyproject(text: str, project: str) -> Extract:
    """Return what a pyproject.toml says."""
    try:
        data = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError):
        return Extract()
    about = _table(data, "project")
    found, this = _project(str(about.get("name") or ""), project)
    needed = [
        *_texts(about.get("dependencies")),
        *_grouped(about.get("optional-dependencies")),
        *_grouped(data.get("dependency-groups")),
    ]
    for one in needed:
        _depends(found, this, one, text)
    authors = about.get("authors")
    for person in authors if isinstance(authors, list) else []:
        if isinstance(person, dict) and isinstance(person.get("name"), str):
            found.claim(
                Ref(EntityType.PERSON, person["name"]),
                Relation.OWNS,
                this,
                "manifest.author",
                _line(text, person["name"]),
            )
    for name, address in _table(about, "urls").items():
        if isinstance(address, str) and re.search(r"repo|source|github|gitlab", f"{name} {address}", re.IGNORECASE):
            repo = Ref(EntityType.REPO, re.sub(r"^\w+://(?:[^/@]*@)?[^/]+/|\.git$|/$", "", address))
            found.claim(this, Relation.CONTAINS, repo, "manifest.repository", _line(text, address))
    return found.extract()


def read_requirements(text: str, project: str) -> Extract:
    """Return what a list of requirements says."""
    found, this = _project("", project)
    for line in text.splitlines():
        if line.strip() and not line.startswith(("#", "-", " ")):
            _depends(found, this, line, text)
    return found.extract()


def read_package_json(text: str, project: str) -> Extract:
    """Return what a package.json says."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return Extract()
    if not isinstance(data, dict):
        return Extract()
    found, this = _project(str(data.get("name") or ""), project)
    for group in ("dependencies", "devDependencies", "peerDependencies"):
        for name in _table(data, group):
            found.claim(
                this, Relation.DEPENDS_ON, Ref(EntityType.TOOL, name), "manifest.dependency", _line(text, f'"{name}"')
            )
    return found.extract()


def _project(name: str, project: str) -> tuple[Gathering, Ref]:
    """Return the project of a manifest: the one that its files belong to, under whatever name it publishes."""
    found = Gathering()
    this = found.sight(Ref(EntityType.PROJECT, project), "manifest.project", 1, defining=True)
    if name and name.casefold() != project.casefold():
        found.claim(Ref(EntityType.TERM, name), Relation.ALIAS_OF, this, "manifest.name", 1)
    return found, this


def _depends(found: Gathering, this: Ref, requirement: str, text: str) -> None:
    if hit := _REQUIREMENT.match(requirement):
        tool = Ref(EntityType.TOOL, hit[1])
        found.claim(this, Relation.DEPENDS_ON, tool, "manifest.dependency", _line(text, requirement))


def _table(data: dict[str, Any], name: str) -> dict[str, Any]:
    value = data.get(name)
    return value if isinstance(value, dict) else {}


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _grouped(value: object) -> list[str]:
    return [one for group in value.values() for one in _texts(group)] if isinstance(value, dict) else []


def _line(text: str, part: str) -> int:
    place = text.find(part)
    return text.count("\n", 0, place) + 1 if place >= 0 else 0
