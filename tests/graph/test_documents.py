"""Documents and manifests: titles, mentions, links, decisions, and what a project needs."""

import pytest

from satchel.domain.graph import EntityType
from satchel.graph.reading import is_readable, place_of, read_file
from tests.graph.told import triples

RECORD = """# ADR-7: Use SQLite

- Deciders: Mara, **Tom Okafor** and 李雷

## Considered options

1. SQLite: small
2. `PostgreSQL` (large)

## Decision

See [the ledger](../ledger.md#why) and `store.sqlite`.
"""


def test_a_decision_record_says_who_decided_and_between_what() -> None:
    said = triples(read_file("docs/decisions/0007-use-sqlite.md", RECORD, "p"))

    assert {
        ("Mara", "DECIDES", "Use SQLite"),
        ("Tom Okafor", "DECIDES", "Use SQLite"),
        ("李雷", "DECIDES", "Use SQLite"),
        ("Use SQLite", "EVALUATES", "SQLite"),
        ("Use SQLite", "EVALUATES", "PostgreSQL"),
        ("Use SQLite", "MENTIONS", "store.sqlite"),
        ("docs/decisions/0007-use-sqlite.md", "RELATES_TO", "docs/ledger.md"),
        ("docs/decisions/0007-use-sqlite.md", "CONTAINS", "Use SQLite"),
    } <= said


def test_code_in_a_document_is_an_example_and_says_nothing() -> None:
    text = "# T\n\n```\nHarbor uses Redis. `hidden`\n```\n\n~~~\nA uses B\n~~~\n\n---\n\nBuoy uses Kafka.\n"
    extract = read_file("docs/t.md", text, "p")

    assert {one for one in triples(extract) if one[1] == "USES"} == {("Buoy", "USES", "Kafka")}
    assert "hidden" not in {one.ref.name for one in extract.sightings}
    assert next(one.line for one in extract.claims if one.relation == "USES") == 13


@pytest.mark.parametrize("target", ["https://example.org/a.md", "/etc/passwd", "../../../outside.md", "mailto:a@b"])
def test_a_link_that_leads_out_is_no_relation(target: str) -> None:
    assert not [one for one in triples(read_file("docs/a.md", f"[x]({target})", "p")) if one[1] == "RELATES_TO"]


def test_a_manifest_says_what_a_project_needs_and_whose_it_is() -> None:
    text = """
[project]
name = "harbor-booking"
dependencies = ["apsw>=3", "rich ; python_version > '3'"]
authors = [{name = "Mara Lindqvist", email = "m@example.org"}]
[project.urls]
Repository = "https://example.org/sea/harbor.git"
[dependency-groups]
dev = ["pytest", {include-group = "x"}]
"""
    said = triples(read_file("pyproject.toml", text, "harbor"))

    assert said == {
        ("harbor", "DEPENDS_ON", "apsw"),
        ("harbor", "DEPENDS_ON", "rich"),
        ("harbor", "DEPENDS_ON", "pytest"),
        ("Mara Lindqvist", "OWNS", "harbor"),
        ("harbor", "CONTAINS", "sea/harbor"),
        ("harbor-booking", "ALIAS_OF", "harbor"),
    }


@pytest.mark.parametrize(
    ("name", "text", "needed"),
    [
        (
            "package.json",
            '{"name": "x", "dependencies": {"react": "1"}, "devDependencies": {"vite": "2"}}',
            {"react", "vite"},
        ),
        ("requirements.txt", "# pins\napsw==3.51 \\\n    --hash=x\n-r other.txt\nnumpy\n", {"apsw", "numpy"}),
        ("package.json", '{"dependencies": {"": "1", "\\ud800": "2", "a\\u0000b": "3", "fine": "4"}}', {"fine"}),
        ("package.json", "[]", set()),
        ("package.json", "{", set()),
        ("pyproject.toml", "not toml [", set()),
        ("pyproject.toml", "project = 3\n", set()),
        ("pyproject.toml", '[project]\ndependencies = "apsw"\nauthors = 3\n', set()),
    ],
)
def test_manifests_of_all_sorts_are_read_and_broken_ones_say_nothing(name: str, text: str, needed: set[str]) -> None:
    said = triples(read_file(name, text, "p"))

    assert {head for _, relation, head in said if relation == "DEPENDS_ON"} == needed


@pytest.mark.parametrize(
    ("path", "module", "package"),
    [
        ("src/shop/cart.py", "shop.cart", False),
        ("src/shop/__init__.py", "shop", True),
        ("shop/api/v1.py", "shop.api.v1", False),
        ("setup.py", "setup", False),
        ("__init__.py", "__init__", False),
    ],
)
def test_a_file_has_the_name_of_its_place(path: str, module: str, package: bool) -> None:
    place = place_of(path, "p")

    assert (place.module, place.package) == (module, package)


def test_what_has_no_reader_says_nothing() -> None:
    assert not is_readable("a.png") and is_readable("a/b.md")
    assert read_file("a.png", "import os", "p").sightings == ()


def test_a_document_is_known_by_its_path_and_belongs_to_its_project() -> None:
    extract = read_file("docs/a.md", "# The Title\n", "p")

    assert {(one.ref.type, one.ref.name) for one in extract.sightings} == {
        (EntityType.DOCUMENT, "docs/a.md"),
        (EntityType.TERM, "The Title"),
        (EntityType.PROJECT, "p"),
    }
