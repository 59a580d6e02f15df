"""Documents and manifests: titles, mentions, links, decisions and dependencies."""

from satchel.domain.graph import EntityType
from satchel.graph.reading import is_readable, python_module, read_file
from tests.graph.samples import triples
from tests.tables import each_case

RECORD = """# ADR-7: Use SQLite

- Deciders: Mara, **Tom Okafor** and 李雷

## Considered options

1. SQLite: small
2. `PostgreSQL` (large)

## Decision

See [the ledger](../ledger.md#why) and `store.sqlite`.
"""


def test_a_decision_record_gives_deciders_and_options() -> None:
    found = triples(read_file("docs/decisions/0007-use-sqlite.md", RECORD, "p"))

    assert {
        ("Mara", "DECIDES", "Use SQLite"),
        ("Tom Okafor", "DECIDES", "Use SQLite"),
        ("李雷", "DECIDES", "Use SQLite"),
        ("Use SQLite", "EVALUATES", "SQLite"),
        ("Use SQLite", "EVALUATES", "PostgreSQL"),
        ("Use SQLite", "MENTIONS", "SQLite"),
        ("Use SQLite", "MENTIONS", "store.sqlite"),
        ("docs/decisions/0007-use-sqlite.md", "RELATES_TO", "docs/ledger.md"),
        ("docs/decisions/0007-use-sqlite.md", "CONTAINS", "Use SQLite"),
    } <= found


def test_fenced_code_in_a_document_is_not_read() -> None:
    text = "# T\n\n```\nHarbor uses Redis. `hidden`\n```\n\n~~~\nA uses B\n~~~\n\n---\n\nBuoy uses Kafka.\n"
    extract = read_file("docs/t.md", text, "p")

    assert {one for one in triples(extract) if one[1] == "USES"} == {("Buoy", "USES", "Kafka")}
    assert "hidden" not in {one.ref.name for one in extract.mentions}
    assert next(one.line for one in extract.relations if one.relation == "USES") == 13


@each_case("target", ["https://example.org/a.md", "/etc/passwd", "../../../outside.md", "mailto:a@b"])
def test_a_link_out_of_the_project_is_not_a_relation(target: str) -> None:
    assert not [one for one in triples(read_file("docs/a.md", f"[x]({target})", "p")) if one[1] == "RELATES_TO"]


def test_a_manifest_gives_dependencies_authors_and_repository() -> None:
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
    found = triples(read_file("pyproject.toml", text, "harbor"))

    assert found == {
        ("harbor", "DEPENDS_ON", "apsw"),
        ("harbor", "DEPENDS_ON", "rich"),
        ("harbor", "DEPENDS_ON", "pytest"),
        ("Mara Lindqvist", "OWNS", "harbor"),
        ("harbor", "CONTAINS", "sea/harbor"),
        ("harbor-booking", "ALIAS_OF", "harbor"),
    }


@each_case(
    ("name", "text", "people"),
    [
        ("package.json", '{"author": "Mara Lindqvist <m@example.org> (https://example.org)"}', {"Mara Lindqvist"}),
        ("package.json", '{"author": {"name": "Mara Lindqvist", "email": "m@example.org"}}', {"Mara Lindqvist"}),
        (
            "package.json",
            '{"contributors": ["Iben Falk", {"name": "Otto Rey"}, {"email": "x"}], "maintainers": ["Ada Kim <a@x>"]}',
            {"Iben Falk", "Otto Rey", "Ada Kim"},
        ),
        ("package.json", '{"author": "<m@example.org>", "contributors": 3, "maintainers": [null, ""]}', set()),
        (
            "pyproject.toml",
            '[project]\nauthors = [{name = "Iben Falk"}]\nmaintainers = [{name = "Otto Rey", email = "o@x"}, {email = "p@x"}]\n',
            {"Iben Falk", "Otto Rey"},
        ),
    ],
)
def test_a_manifest_names_its_people(name: str, text: str, people: set[str]) -> None:
    extract = read_file(name, text, "harbor")

    assert triples(extract) == {(person, "OWNS", "harbor") for person in people}
    assert all(one.line for one in extract.relations)


@each_case(
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
def test_every_kind_of_manifest_is_read_and_a_broken_one_is_empty(name: str, text: str, needed: set[str]) -> None:
    found = triples(read_file(name, text, "p"))

    assert {head for _, relation, head in found if relation == "DEPENDS_ON"} == needed


@each_case(
    ("path", "name", "is_package"),
    [
        ("src/shop/cart.py", "shop.cart", False),
        ("src/shop/__init__.py", "shop", True),
        ("shop/api/v1.py", "shop.api.v1", False),
        ("setup.py", "setup", False),
        ("__init__.py", "__init__", False),
    ],
)
def test_a_python_module_is_named_by_its_path(path: str, name: str, is_package: bool) -> None:
    module = python_module(path, "p")

    assert (module.name, module.is_package) == (name, is_package)


def test_a_file_without_a_reader_is_empty() -> None:
    assert not is_readable("a.png") and is_readable("a/b.md")
    assert read_file("a.png", "import os", "p").mentions == ()


def test_a_document_is_named_by_its_path_and_belongs_to_its_project() -> None:
    extract = read_file("docs/a.md", "# The Title\n", "p")

    assert {(one.ref.type, one.ref.name) for one in extract.mentions} == {
        (EntityType.DOCUMENT, "docs/a.md"),
        (EntityType.TERM, "The Title"),
        (EntityType.PROJECT, "p"),
    }
