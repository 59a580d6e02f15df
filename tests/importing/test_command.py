"""The command `import`: the question on a terminal, the preview elsewhere, and who may vouch."""

import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.errors import InvalidRequest
from satchel.importing.values import ImportKind
from satchel.interfaces.cli import main as command_line
from satchel.interfaces.cli.main import main
from satchel.interfaces.cli.present import Screen
from satchel.interfaces.operations import OPERATIONS
from tests.importing.imports import import_all, preview, texts


@pytest.fixture(autouse=True)
def _own_store(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "none")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "AGENTS.md").write_text("We ship on Thursdays\n", encoding="utf-8")


def stored(home: Path) -> list[str]:
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as memory:
        return texts(memory)


def on_a_terminal(monkeypatch: pytest.MonkeyPatch, answer: str) -> list[str]:
    """Let a person sit at the terminal who gives an answer; return the questions."""
    asked: list[str] = []

    def ask(self: object, question: str) -> bool:
        asked.append(question)
        return answer == "y"

    monkeypatch.setattr(command_line, "_can_press_keys", lambda: True)
    monkeypatch.setattr(Screen, "ask", ask)
    return asked


@pytest.mark.parametrize(("answer", "kept"), [("y", ["We ship on Thursdays"]), ("n", [])])
def test_a_person_at_a_terminal_is_asked_after_the_preview(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], answer: str, kept: list[str]
) -> None:
    asked = on_a_terminal(monkeypatch, answer)

    assert main(["import", "AGENTS.md"]) == 0
    assert asked == ["import this?"]
    said = capsys.readouterr().out
    assert said.count("1 of 1 memory would be imported") == 1
    assert said.count("1 of 1 memory imported") == len(kept)
    assert "nothing was written" not in said and "--yes" not in said
    assert said.endswith("nothing was imported\n") == (not kept)
    assert stored(home) == kept


def test_a_preview_says_how_many_records_it_does_not_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "AGENTS.md").write_text(
        "- a red kettle\n- a blue cup\n- a green pot\n- a white tray\n", encoding="utf-8"
    )
    assert main(["import", "AGENTS.md"]) == 0
    shown = capsys.readouterr().out
    assert "AGENTS.md:3: a green pot\n    and 1 more\n" in shown


def test_ctrl_c_at_the_question_says_that_nothing_was_changed(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Interrupted:
        def readline(self) -> str:
            raise KeyboardInterrupt

    monkeypatch.setattr(command_line, "_can_press_keys", lambda: True)
    monkeypatch.setattr(Screen, "_is_attended", lambda self: True)
    monkeypatch.setattr(sys, "stdin", Interrupted())
    assert main(["import", "AGENTS.md"]) == 130
    said = capsys.readouterr().err
    assert "nothing was changed" in said and "finished work" not in said
    assert stored(home) == []


def test_nobody_is_asked_if_there_is_nothing_new(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["import", "AGENTS.md", "--yes"]) == 0
    asked = on_a_terminal(monkeypatch, "y")
    capsys.readouterr()

    assert main(["import", "AGENTS.md"]) == 0
    assert asked == []
    assert capsys.readouterr().out.endswith("nothing was written\n")


@pytest.mark.parametrize("options", [["--yes"], ["--yes", "--json"]])
def test_yes_imports_without_asking(home: Path, monkeypatch: pytest.MonkeyPatch, options: Sequence[str]) -> None:
    asked = on_a_terminal(monkeypatch, "n")

    assert main(["import", "AGENTS.md", *options]) == 0
    assert (asked, stored(home)) == ([], ["We ship on Thursdays"])


@pytest.mark.parametrize("options", [[], ["--json"], ["--dry-run"], ["--dry-run", "--yes"]])
def test_elsewhere_only_a_preview_is_shown(
    home: Path, capsys: pytest.CaptureFixture[str], options: Sequence[str]
) -> None:
    assert main(["import", "AGENTS.md", *options]) == 0
    said = capsys.readouterr().out
    if "--json" in options:
        assert (json.loads(said)["result"]["dry_run"], json.loads(said)["result"]["asks"]) == (True, True)
    else:
        assert "nothing was written" in said
    assert stored(home) == []


def test_an_export_of_satchel_is_imported_at_once(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = on_a_terminal(monkeypatch, "n")
    Path("rows.jsonl").write_text(
        '{"id": "1", "text": "One", "scope": "global", "trust_tier": "trusted"}\n', encoding="utf-8"
    )

    assert main(["import", "rows.jsonl"]) == 0
    assert (asked, stored(home)) == ([], ["One"])


@pytest.mark.parametrize(
    "rows",
    ['[{"text": "One", "author": "bob"}]', '[{"type": "message", "user": "U1", "text": "One", "ts": "1.2"}]'],
)
def test_rows_without_the_marks_of_an_export_are_shown_first(
    home: Path, capsys: pytest.CaptureFixture[str], rows: str
) -> None:
    Path("rows.json").write_text(rows, encoding="utf-8")

    assert main(["import", "rows.json"]) == 0
    said = capsys.readouterr().out
    assert "1 of 1 memory would be imported" in said and "· One" in said and said.endswith("--yes imports it\n")
    assert stored(home) == []
    assert main(["import", "rows.json", "--yes"]) == 0
    assert stored(home) == ["One"]


def test_a_person_is_asked_about_rows_without_the_marks_of_an_export(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = on_a_terminal(monkeypatch, "y")
    Path("rows.json").write_text('[{"text": "One"}]', encoding="utf-8")

    assert main(["import", "rows.json"]) == 0
    assert (asked, stored(home)) == (["import this?"], ["One"])


@pytest.mark.parametrize("text", ["We ship on Thursdays", "name,age\nAnn,7\n", '{"settings": {"a": 1}}', "[1, 2]"])
def test_a_file_of_no_known_format_is_one_error_that_names_them(
    home: Path, capsys: pytest.CaptureFixture[str], text: str
) -> None:
    Path("notes.txt").write_text(text, encoding="utf-8")

    assert main(["import", "notes.txt", "--yes"]) == 2
    said = capsys.readouterr().err
    assert "'notes.txt' is not a file of a known format" in said
    assert all(kind in said for kind in ImportKind) and "--from" in said
    assert stored(home) == []


@pytest.mark.parametrize("text", ["", "[]", "\n"])
def test_the_export_of_an_empty_store_is_imported(text: str) -> None:
    Path("rows.jsonl").write_text(text, encoding="utf-8")

    assert main(["import", "rows.jsonl"]) == 0


def test_only_the_terminal_can_vouch_for_a_file() -> None:
    (operation,) = [one for one in OPERATIONS if one.name == "import"]
    assert operation.terminal_only and operation.operator_only
    others = [one for one in OPERATIONS if one.name == "memory_import"]
    assert not any(two.name in ("trust", "trusted") for one in others for two in one.parameters)


def test_an_export_that_is_vouched_for_keeps_its_trust(memory: Satchel, tmp_path: Path) -> None:
    rows = [{"text": f"row {tier}", **({"trust_tier": tier} if tier else {})} for tier in ("trusted", "untrusted", "quarantined", "")]  # fmt: skip
    (tmp_path / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    memory.importing.import_(str(tmp_path / "rows.jsonl"), trust="trusted", yes=True)

    found = {one.text: one.trust for one in memory.memories.list().result.memories}
    assert found == {
        "row trusted": "trusted",
        "row untrusted": "untrusted",
        "row quarantined": "quarantined",
        "row ": "trusted",
    }


def test_an_unknown_trust_is_refused(memory: Satchel, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.importing.import_(str(tmp_path / "AGENTS.md"), trust="quarantined", yes=True)

    assert refused.value.code == "unknown_word"
    assert texts(memory) == []


def test_a_kind_can_be_named(memory: Satchel, tmp_path: Path) -> None:
    (tmp_path / "rules.txt").write_text("# Rules\n\nUse tabs\n", encoding="utf-8")

    with pytest.raises(InvalidRequest, match="not a file of a known format"):
        memory.importing.import_(str(tmp_path / "rules.txt"), dry_run=True)
    assert [one.text for one in preview(memory, tmp_path / "rules.txt", kind="instructions").samples] == ["Use tabs"]
    for kind, reason in {"mem0": "not_json", "openclaw-mem": "missing_table"}.items():
        with pytest.raises(InvalidRequest, match=rf"\({kind}\): {reason}") as refused:
            preview(memory, tmp_path / "rules.txt", kind=kind)
        assert refused.value.code == "wrong_kind"
    with pytest.raises(InvalidRequest, match="unknown kind of source"):
        memory.importing.import_(str(tmp_path / "rules.txt"), kind="nonsense")


def test_only_an_export_can_come_through_a_pipe(memory: Satchel) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.importing.import_("-", kind="mem0")
    assert refused.value.code == "no_standard_stream"


def test_the_scope_auto_is_the_project_of_the_folder(
    memory: Satchel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tea.md").write_text("Tea at four", encoding="utf-8")
    (tmp_path / ".git").mkdir()
    inside = memory.acting_as("tester", str(tmp_path))
    project = inside.parts.policies.scope.project

    assert project
    for name in ("AGENTS.md", "tea.md"):
        assert import_all(inside, tmp_path / name, scope="auto").scopes == {project: 1}


def test_a_limit_counts_records(memory: Satchel, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("- one\n- two\n- three\n", encoding="utf-8")

    assert import_all(memory, tmp_path / "AGENTS.md", limit=2).new == 2
    assert import_all(memory, tmp_path / "AGENTS.md").new == 1


def test_progress_knows_its_end(memory: Satchel, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("".join(f"- rule {number}\n" for number in range(1200)), encoding="utf-8")
    seen: list[tuple[int, int, str]] = []

    def progress(done: int, total: int, what: str) -> None:
        seen.append((done, total, what))

    import_all(memory, tmp_path / "AGENTS.md", progress=progress)
    assert seen == [(number, 1200, "importing") for number in range(100, 1201, 100)]


def test_an_interrupted_import_goes_on_where_it_was(memory: Satchel, tmp_path: Path) -> None:
    (tmp_path / "AGENTS.md").write_text("".join(f"- rule {number}\n" for number in range(1200)), encoding="utf-8")

    def stop(done: int, total: int, what: str) -> None:
        if done >= 1000:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        import_all(memory, tmp_path / "AGENTS.md", progress=stop)
    done = import_all(memory, tmp_path / "AGENTS.md")

    assert (done.records[0].new, done.records[0].known) == (200, 1000)
    assert memory.maintenance.receipts_verify().result.broken_at is None


def test_the_store_does_not_import_itself(memory: Satchel, home: Path) -> None:
    for path in (home, home / "ledger.sqlite3"):
        with pytest.raises(InvalidRequest) as refused:
            memory.importing.import_(str(path))
        assert refused.value.code == "inside_store"


def test_every_kind_has_a_reader_and_a_row_in_the_docs() -> None:
    from satchel.importing.kinds import READERS

    assert {one.kind for one in READERS} == set(ImportKind) - {ImportKind.SATCHEL}
    page = (Path(__file__).parents[2] / "docs" / "importing.md").read_text(encoding="utf-8")
    assert all(f"| `{kind}` |" in page for kind in ImportKind)


def test_the_answer_says_how_to_take_back_what_came(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "plan.md").write_text("# Plan\n\nWe ship on Thursdays\n", encoding="utf-8")

    assert main(["import", "AGENTS.md", "--yes"]) == 0
    memories = capsys.readouterr().out
    assert main(["import", "notes", "--yes"]) == 0
    documents = capsys.readouterr().out

    assert "'satchel undo auto/import-0' takes the memories back" in memories and "docs forget" not in memories
    assert "'satchel docs forget' erases the documents; undo leaves them" in documents
    assert "satchel undo" not in documents


@pytest.mark.parametrize(("options", "kept"), [([], 1), (["--scope", "clients/x"], 2)])
def test_a_row_with_an_invalid_scope_is_refused_unless_a_scope_is_given(
    home: Path, capsys: pytest.CaptureFixture[str], options: list[str], kept: int
) -> None:
    rows = [{"text": "secret of client X", "scope": "Client X!"}, {"text": "fine", "scope": "clients/y"}]
    Path("rows.json").write_text(json.dumps(rows), encoding="utf-8")

    assert main(["import", "rows.json", "--yes", *options]) == (1 if kept == 1 else 0)
    said = capsys.readouterr().out
    assert ("row 1: invalid_scope" in said) == (kept == 1)
    assert stored(home) == ["fine", "secret of client X"][:kept]


@pytest.mark.parametrize(
    "kind", sorted(set(ImportKind) - {ImportKind.INSTRUCTIONS, ImportKind.MARKDOWN, ImportKind.BASIC_MEMORY})
)
def test_a_wrong_kind_is_an_error(home: Path, capsys: pytest.CaptureFixture[str], kind: str) -> None:
    assert main(["import", "AGENTS.md", "--from", kind, "--yes"]) == 2
    said = capsys.readouterr()
    assert "'AGENTS.md' is not " in said.err and "--yes" not in said.out + said.err
    assert stored(home) == []


@pytest.mark.parametrize("name", ["AGENTS.md", "rows.jsonl"])
def test_an_import_after_an_undo_names_the_undo_to_take_back(
    home: Path, capsys: pytest.CaptureFixture[str], name: str
) -> None:
    Path("rows.jsonl").write_text('{"id": "one", "text": "One"}\n', encoding="utf-8")
    assert main(["import", name, "--yes"]) == 0
    assert main(["undo", "auto/import-0", "--yes"]) == 0
    capsys.readouterr()

    assert main(["import", name, "--yes"]) == 0
    said = capsys.readouterr().out
    (command,) = re.findall(r"1 memory of those already there: taken back; 'satchel (undo sha256:\w+)' brings", said)
    assert main([*command.split(), "--yes"]) == 0
    assert main(["import", name, "--yes"]) == 0
    assert "taken back" not in capsys.readouterr().out.partition("took back")[2]
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as memory:
        assert [one.state for one in memory.memories.list().result.memories] == ["active"]


@pytest.mark.parametrize("name", ["AGENTS.md", "rows.jsonl"])
@pytest.mark.usefixtures("home")
def test_what_was_taken_back_is_known_in_the_second_scope_that_it_was_imported_into(
    capsys: pytest.CaptureFixture[str], name: str
) -> None:
    Path("rows.jsonl").write_text('{"id": "one", "text": "One"}\n', encoding="utf-8")
    for scope in ("wrong", "right"):
        assert main(["import", name, "--scope", scope, "--yes"]) == 0
        assert main(["undo", "--yes"]) == 0
    capsys.readouterr()

    assert main(["import", name, "--scope", "right", "--yes"]) == 0
    assert "1 memory of those already there: taken back" in capsys.readouterr().out
