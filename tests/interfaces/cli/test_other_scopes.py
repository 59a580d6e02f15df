"""What everyday commands say about memories outside the default scope, in a project whose hooks have stored some."""

from pathlib import Path

import pytest

from satchel.interfaces.cli.main import main
from tests.interfaces.cli.cli_runner import CliRunner

SCOPE = "project/acme/shop"


@pytest.fixture
def project(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone in which two memories were stored, one of them by an agent."""
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    git = tmp_path / "shop" / ".git"
    git.mkdir(parents=True)
    config = '[remote "origin"]\n\turl = https://git.example.org/acme/shop.git\n'
    (git / "config").write_text(config, encoding="utf-8")
    (git / "HEAD").write_text("ref: refs/heads/main\n", encoding="utf-8")
    monkeypatch.chdir(git.parent)
    assert main(["store", "We ship on Thursdays", "--scope", "auto"]) == 0
    assert main(["store", "CI runs on Ubuntu", "--scope", "auto", "--source-kind", "tool"]) == 0
    return git.parent


@pytest.mark.usefixtures("project")
def test_an_empty_answer_names_the_projects_memories(capsys: pytest.CaptureFixture[str]) -> None:
    for words in (
        ["list"],
        ["recall", "when do we ship?"],
        ["stats"],
        ["review"],
        ["forget", "--query", "Thursdays"],
        ["conflicts"],
    ):
        capsys.readouterr()
        assert main(words) == 0
        assert f"2 memories in {SCOPE}: --scope auto" in capsys.readouterr().err, words


@pytest.mark.usefixtures("project")
def test_a_review_counts_what_waits_in_other_scopes(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["review"]) == 0
    assert "1 to review in other scopes: --all-scopes" in capsys.readouterr().err
    assert main(["store", "Deploys need two approvals", "--source-kind", "tool"]) == 0
    capsys.readouterr()
    assert main(["review"]) == 0
    assert "1 to review in other scopes: --all-scopes" in capsys.readouterr().err


@pytest.mark.usefixtures("project")
def test_nothing_is_said_about_a_scope_that_was_named_or_has_an_answer(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "Lunch is at noon"]) == 0
    for words in (
        ["list"],
        ["stats"],
        ["list", "--scope", "project/other"],
        ["list", "--all-scopes"],
        ["review", "--all-scopes"],
        ["recall", "when is lunch?", "--scope", "auto"],
    ):
        capsys.readouterr()
        assert main(words) == 0
        assert "--scope auto" not in (said := capsys.readouterr().err), words
        assert "--all-scopes" not in said, words


@pytest.mark.usefixtures("project")
def test_an_export_says_that_it_has_one_scope_only(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["store", "Lunch is at noon"]) == 0
    capsys.readouterr()
    assert main(["export", "-"]) == 0
    shown, said = capsys.readouterr()
    assert shown.count("\n") == 1
    assert "2 memories in 1 other scope: --all-scopes" in said
    assert main(["export", "-", "--all-scopes"]) == 0
    assert "other scope" not in capsys.readouterr().err


@pytest.mark.usefixtures("project")
def test_the_project_is_no_other_scope_if_it_is_the_default(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SATCHEL_SCOPE", "auto")
    for words in (["list", "--text", "walrus"], ["recall", "walrus", "--mode", "lexical"], ["export", "-"]):
        capsys.readouterr()
        assert main(words) == 0
        assert "other scope" not in capsys.readouterr().err, words
    assert main(["store", "Lunch is at noon", "--scope", "personal"]) == 0
    capsys.readouterr()
    assert main(["export", "-"]) == 0
    assert "1 memory in 1 other scope: --all-scopes" in capsys.readouterr().err


def test_outside_a_project_an_empty_answer_names_the_other_scopes(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert main(["list"]) == 0
    said = capsys.readouterr().err
    assert "--scope auto" not in said
    assert "2 memories in 1 other scope: --all-scopes" in said


def test_recall_searches_every_scope_if_asked_and_shows_the_scope_of_each_hit(
    project: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["store", "The shop ships a newsletter on Mondays", "--scope", "personal"]) == 0
    capsys.readouterr()

    assert main(["recall", "when do we ship?", "--all-scopes", "--mode", "lexical", "--explain"]) == 0
    shown, said = capsys.readouterr()
    assert "scope_policy_off" not in said
    assert f"trusted · {SCOPE} ·" in shown and "trusted · personal ·" in shown
    assert "in all scopes" in shown

    assert main(["recall", "walrus", "--all-scopes", "--mode", "lexical"]) == 0
    assert "nothing found in all scopes" in capsys.readouterr().out
    assert main(["recall", "ship", "--all-scopes", "--scope", "personal"]) == 2


class TestMoving:
    """`edit ID --scope NEW` moves one memory."""

    @pytest.fixture
    def satchel(self, home: Path, capsys: pytest.CaptureFixture[str]) -> CliRunner:
        return CliRunner(home, capsys)

    def test_a_moved_memory_keeps_its_id_trust_and_history_and_undo_moves_it_back(self, satchel: CliRunner) -> None:
        id = satchel.json("store", "The lift needs a key", "--source-kind", "tool")["result"]["id"]

        assert satchel("edit", id, "--scope", "project/lift") == f"moved {id} from global to project/lift\n"

        shown = satchel.json("get", id, "--scope", "project/lift")["result"]
        assert (shown["memory"]["scope"], shown["memory"]["trust"]) == ("project/lift", "untrusted")
        assert [(one["operation"], one["reason"]) for one in shown["history"]] == [
            ("store", None),
            ("edit", "from scope global"),
        ]
        assert satchel.json("recall", "lift key", "--mode", "lexical")["result"]["hits"] == []
        satchel("undo", "--yes")
        assert satchel.json("get", id)["result"]["memory"]["scope"] == "global"

    def test_earlier_versions_move_along_and_are_forgotten_with_it(self, satchel: CliRunner) -> None:
        first = satchel.json("store", "The lift needs a red key")["result"]["id"]
        id = satchel.json("edit", first, "--text", "The lift needs a blue key")["result"]["id"]
        satchel("edit", id, "--scope", "project/lift")

        forgotten = satchel.json("forget", id, "--scope", "project/lift", "--verify")["result"]

        assert forgotten["versions"] == [first]
        assert satchel.json("list", "--all-scopes")["result"]["memories"] == []

    def test_a_scope_that_says_the_same_already_is_a_conflict(self, satchel: CliRunner) -> None:
        satchel("store", "The lift needs a key", "--scope", "project/lift")
        id = satchel.json("store", "The lift needs a key")["result"]["id"]

        assert satchel.json("edit", id, "--scope", "project/lift", code=1)["error"]["code"] == "already_there"
        assert satchel.json("get", id)["result"]["memory"]["scope"] == "global"

    def test_with_another_change_the_scope_is_where_the_memory_is(self, satchel: CliRunner) -> None:
        id = satchel.json("store", "The lift needs a key")["result"]["id"]

        failed = satchel.json("edit", id, "--scope", "project/lift", "--text", "The lift is open", code=1)

        assert failed["error"]["code"] == "not_found"
        assert satchel.json("edit", id, "--scope", "project/lift", "--no-move", code=1)["error"]["code"] == "not_found"


def test_an_import_names_the_scope_of_the_project(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "CLAUDE.md").write_text("- Run the tests before committing\n", encoding="utf-8")
    for words in (["import", "CLAUDE.md"], ["import", "CLAUDE.md", "--yes"]):
        capsys.readouterr()
        assert main(words) == 0
        assert f"--scope auto imports into {SCOPE}" in capsys.readouterr().err
    for words in (["import", "CLAUDE.md", "--scope", "auto"], ["import", "CLAUDE.md", "--scope", "global"]):
        assert main(words) == 0
        assert "--scope auto" not in capsys.readouterr().err


@pytest.mark.usefixtures("project")
def test_all_scopes_are_named_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["tag", "create", "mark"]) == 0
    for words in (
        ["recall", "when do we ship?", "--all-scopes"],
        ["why", "--last"],
        ["answers"],
        ["conflicts", "--all-scopes"],
        ["drift", "--all-scopes"],
        ["episodes", "search", "ships", "--all-scopes"],
        ["tag", "show", "mark", "--all-scopes"],
        ["tag", "diff", "mark", "--all-scopes"],
    ):
        capsys.readouterr()
        assert main(words) == 0
        assert "*" not in capsys.readouterr().out, words


@pytest.mark.usefixtures("project")
def test_an_empty_route_names_its_scope_and_the_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    capsys.readouterr()
    assert main(["route", "zebra crossing"]) == 0
    said = capsys.readouterr()

    assert said.out.startswith("nothing found\nempty · chain ")
    assert "only scope global was searched; 2 memories in 1 other scope: --scope NAME" in said.err


@pytest.mark.usefixtures("project")
def test_a_route_shows_its_advice_without_its_trace(capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert main(["route", "?"]) == 0
    said = capsys.readouterr()
    assert "the query has no content words" in said.out and "rule 7" not in said.out
    assert "was searched" not in said.err
    assert main(["route", "?", "--trace"]) == 0
    assert "rule 7" in capsys.readouterr().out
