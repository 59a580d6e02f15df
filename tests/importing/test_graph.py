"""What an import brings to the graph: its own words, where they are, and how they are taken back."""

import json
from pathlib import Path

import pytest

from satchel.interfaces.cli.main import main
from tests.tables import each_case

ROWS = [
    {"type": "entity", "name": "Nowhere", "entityType": "company", "observations": ["Sells tea"]},
    {"type": "relation", "from": "Ann_Lee", "to": "Nowhere", "relationType": "dislikes"},
]


@pytest.fixture(autouse=True)
def _own_store(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "memory.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")


def said(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    """Run a command, and return what it prints."""
    capsys.readouterr()
    assert main(list(command)) == 0
    return capsys.readouterr().out


def test_relations_and_types_keep_their_own_words_and_cite_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "memory.jsonl", "--yes"]) == 0

    shown = said(capsys, "graph", "show", "Nowhere")
    assert "Concept Nowhere (company)" in shown
    assert "Ann_Lee dislikes Nowhere" in shown and "relates to" not in shown
    assert "memory.jsonl line 1" in shown and "memory.jsonl line 2" in shown
    found = json.loads(said(capsys, "graph", "show", "Nowhere", "--json"))["result"]
    assert found["own_types"] == ["company"]
    assert [(one["relation"], one["label"]) for one in found["ties"]] == [("RELATES_TO", "dislikes")]
    assert "Ann_Lee dislikes Nowhere" in said(capsys, "graph", "ask", "how is Ann_Lee related to Nowhere?")


@each_case(
    ("name", "content", "statement"),
    [
        ("notes/ann.md", "---\npermalink: ann\n---\n\n- friend_of [[Bob]]\n", "ann friend of Bob"),
        (
            "mem0.json",
            '{"results": [{"id": "1", "memory": "Hi", "hash": "0"}], '
            '"relations": [{"source": "ann", "relationship": "prefers", "target": "Bob"}]}',
            "ann prefers Bob",
        ),
    ],
)
def test_every_reader_keeps_the_words_of_relations(
    capsys: pytest.CaptureFixture[str], name: str, content: str, statement: str
) -> None:
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(content, encoding="utf-8")

    assert main(["import", name.partition("/")[0], "--yes", "--scope", name.partition(".")[0]]) == 0
    shown = said(capsys, "graph", "show", "Bob", "--scope", name.partition(".")[0])
    assert statement in shown and name in shown


def test_a_file_whose_lines_moved_brings_nothing_twice(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["import", "memory.jsonl", "--yes"]) == 0
    Path("memory.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reversed(ROWS)), encoding="utf-8")

    assert "0 of 1 relation imported, 1 already there" in said(capsys, "import", "memory.jsonl", "--yes")


def test_undo_says_what_stays_and_the_command_that_erases_it(capsys: pytest.CaptureFixture[str]) -> None:
    came = said(capsys, "import", "memory.jsonl", "--yes", "--scope", "team")
    command = "satchel graph forget memory.jsonl --scope team"
    assert f"'{command}' erases the entities and relations; undo leaves them" in came

    undone = said(capsys, "undo", "auto/import-0", "--yes")
    assert f"left: 1 relation, erased by '{command}'" in undone
    assert f"left: 1 entity, erased by '{command}'" in undone
    assert "forgot 2 sources" in said(capsys, *command.split()[1:])
    assert said(capsys, "graph", "list", "--scope", "team") == "0 of 0\n"
