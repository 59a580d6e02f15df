"""The command line: output, exit codes, errors and help."""

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.embedders import bundled
from satchel.adapters.sqlite.connection import APPLICATION_ID
from satchel.interfaces.cli.main import main
from satchel.interfaces.cli.present import Screen
from satchel.interfaces.cli.table import command_name
from satchel.interfaces.operations import OPERATIONS
from tests.interfaces.cli.cli_runner import Answer


@pytest.fixture(autouse=True)
def _own_store(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")


@pytest.fixture
def satchel(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process."""

    def run(*arguments: str) -> Answer:
        code = main(arguments)
        captured = capsys.readouterr()
        return Answer(code, captured.out, captured.err)

    return run


def _stored(satchel: Any, text: str, *options: str) -> str:
    return str(satchel("store", text, "--json", *options).json["result"]["id"])


class TestAnswers:
    def test_text_is_printed_in_lines(self, satchel: Any) -> None:
        _stored(satchel, "We ship on Thursdays", "--kind", "decision")

        answer = satchel("recall", "ship", "--explain")
        assert answer.code == 0
        assert " 1. We ship on Thursdays\n" in answer.out
        assert "lexical rank 1" in answer.out
        assert answer.err == ""

    def test_invisible_characters_are_escaped_and_joined_letters_are_not(self, satchel: Any) -> None:
        hidden = "de\u200bploy \ufefffreely\U000e0041\U000e0042, so\xadon, a\u200db"
        satchel("store", hidden)
        shown = satchel("list").out
        assert "de\\u200bploy \\ufefffreely\\U000e0041\\U000e0042, so\\u00adon, a\\u200db" in shown
        satchel("store", "👨\u200d👩\u200d👧 می\u200cخواهم क्\u200dष")
        assert "👨\u200d👩\u200d👧 می\u200cخواهم क्\u200dष" in satchel("list").out

    def test_bidi_controls_are_escaped_in_text_and_kept_in_json(self, satchel: Any) -> None:
        said = "deploy on \u202esyadirF\u202c \u2066only\u2069"
        _stored(satchel, said)

        assert "deploy on \\u202esyadirF\\u202c \\u2066only\\u2069" in satchel("list").out
        assert satchel("list", "--json").json["result"]["memories"][0]["text"] == said

    def test_json_is_one_object_with_a_receipt(self, satchel: Any) -> None:
        id = _stored(satchel, "We ship on Thursdays")

        for command in (
            ["recall", "ship"], ["get", id], ["list"], ["stats"], ["doctor"], ["index", "status"], ["index", "build"],
            ["index", "optimize"], ["index", "rebuild"], ["receipts", "list"], ["receipts", "verify"], ["model", "status"],
            ["forget", "--query", "ship"], ["forget", id, "--verify"],
        ):  # fmt: skip
            envelope = satchel(*command, "--json").json
            assert set(envelope) == {"ok", "result", "receipt"}, command
            assert envelope["ok"] is True
            assert set(envelope["receipt"]) == {"digest", "body", "at", "duration_ms", "kept"}
            assert envelope["receipt"]["body"]["operation"] == " ".join(
                command[:2] if command[0] in _GROUPS else command[:1]
            )

    def test_every_operation_prints_text(self, satchel: Any) -> None:
        id = _stored(satchel, "We ship on Thursdays", "--title", "release day", "--valid-to", "2999-12-31")
        digest = satchel("receipts", "list", "--json").json["result"][0]["digest"]

        for command in (
            ["store", "again"], ["recall", "ship"], ["recall", "zzzz", "--mode", "lexical"], ["get", id], ["list"],
            ["list", "--limit", "1"], ["stats"], ["stats", "--all-scopes"], ["doctor"], ["doctor", "--fix"],
            ["index", "status"], ["index", "build"], ["index", "optimize"], ["index", "rebuild"], ["receipts", "list"],
            ["receipts", "show", digest], ["receipts", "verify"], ["model", "status"], ["model", "install"],
            ["forget", "--query", "ship"], ["forget", id, "--verify"],
        ):  # fmt: skip
            answer = satchel(*command)
            assert answer.code == 0, (command, answer.err)
            assert answer.out.strip(), command

    def test_common_options_work_anywhere(self, satchel: Any, tmp_path: Path) -> None:
        elsewhere = str(tmp_path / "elsewhere")
        satchel("store", "We ship on Thursdays", "--home", elsewhere)

        for command in (
            ["--home", elsewhere, "--json", "stats"],
            ["stats", "--home", elsewhere, "--json"],
            ["--json", "stats", "--home", elsewhere],
            ["index", "--json", "status", "--home", elsewhere],
        ):
            assert satchel(*command).json["ok"] is True
        assert (tmp_path / "elsewhere" / "ledger.sqlite3").exists()

    def test_text_can_come_from_standard_input(self, satchel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO("two lines\nof text\n"))
        id = _stored(satchel, "-")

        assert satchel("get", id, "--json").json["result"]["memory"]["text"] == "two lines\nof text"

    def test_a_long_text_from_standard_input_is_rejected_not_cut(
        self, satchel: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(sys, "stdin", io.StringIO("a" * 100_000 + "\n" + "b" * 15_000))
        answer = satchel("store", "-", "--json")
        assert (answer.code, answer.json["error"]["code"]) == (2, "text_too_long")
        monkeypatch.setattr(sys, "stdin", None)
        assert satchel("store", "-", "--json").json["error"]["code"] == "empty_text"

    def test_a_new_store_is_reported_once(self, satchel: Any, home: Path) -> None:
        assert satchel("store", "We ship on Thursdays").err == f"created a new store in {home}\n"
        assert satchel("store", "We rest on Fridays").err == ""

    @pytest.mark.parametrize(
        "words",
        [("stats",), ("doctor",), ("check",), ("list",), ("recall", "x"), ("export", "-"), ("scopes",)],
    )
    def test_reading_creates_no_store_in_a_folder_that_was_named(
        self, satchel: Any, home: Path, words: tuple[str, ...]
    ) -> None:
        answer = satchel(*words, "--json")
        assert (answer.code, answer.error["code"]) == (1, "no_store")
        assert answer.error["message"] == f"no store in {home}"
        assert not home.exists()

    @pytest.mark.parametrize(
        "words",
        [
            ("route", "x"), ("backends", "list"), ("backends", "probe"),
            ("attention", "route", "--goal", "ship"), ("attention", "list"), ("attention", "packets"),
        ],
    )  # fmt: skip
    def test_the_routers_answer_without_a_store_and_create_none(
        self, satchel: Any, home: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, words: tuple[str, ...]
    ) -> None:
        temporary = tmp_path / "temporary"
        temporary.mkdir()
        monkeypatch.setattr("tempfile.tempdir", str(temporary))
        answer = satchel(*words)
        assert (answer.code, answer.err) == (
            0,
            f"no store in {home} yet (check the name; 'satchel store' creates a store)\n",
        )
        assert not home.exists()
        assert not any(temporary.iterdir())

    def test_a_route_without_a_store_is_that_of_an_empty_one(self, satchel: Any, home: Path) -> None:
        without = satchel("route", "billing", "--json").json
        satchel("attention", "init")
        empty = satchel("route", "billing", "--json").json
        assert without["status"] == "empty"
        assert without["trace"]["advice"] == empty["trace"]["advice"] != []
        assert without["trace"]["rule"] == empty["trace"]["rule"]

    def test_a_route_without_a_store_may_be_read_only(
        self, satchel: Any, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SATCHEL_READ_ONLY", "1")
        assert satchel("route", "billing", "--json").json["status"] == "empty"
        assert not home.exists()

    @pytest.mark.parametrize(
        "words",
        [("stats",), ("doctor",), ("doctor", "--fix"), ("list",), ("recall", "x"), ("export", "-"), ("scopes",)],
    )
    def test_a_store_whose_ledger_is_missing_is_damage_and_no_wrong_name(
        self, satchel: Any, home: Path, words: tuple[str, ...]
    ) -> None:
        satchel("store", "We ship on Thursdays")
        (home / "ledger.sqlite3").unlink()
        answer = satchel("--home", str(home), *words, "--json")
        assert (answer.code, answer.error["code"]) == (3, "ledger_lost")
        assert not (home / "ledger.sqlite3").exists()

    def test_reading_creates_no_store_in_a_folder_that_an_option_names(self, satchel: Any, tmp_path: Path) -> None:
        answer = satchel("--home", str(tmp_path / "typo"), "doctor")
        assert answer.code == 1
        assert answer.err.startswith(f"satchel: no store in {tmp_path / 'typo'} (")
        assert not (tmp_path / "typo").exists()

    def test_the_first_command_may_read_in_the_default_folder(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("SATCHEL_HOME")
        assert main(["stats"]) == 0
        assert "created a new store" in capsys.readouterr().err

    def test_words_after_two_dashes_are_text(self, satchel: Any) -> None:
        assert satchel("store", "--", "--json").out.startswith("stored ")

    @pytest.mark.parametrize("folder", ["", "bad\udcff"])
    def test_an_impossible_folder_is_rejected(self, satchel: Any, folder: str) -> None:
        answer = satchel("stats", "--json", "--home", folder)
        assert (answer.code, answer.json["error"]["code"]) == (2, "invalid_setting")

    def test_a_warning_goes_to_standard_error(self, satchel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        _stored(satchel, "We ship on Thursdays")
        monkeypatch.setenv("SATCHEL_EMBEDDER", "none")

        answer = satchel("recall", "ship")
        assert "We ship on Thursdays" in answer.out
        assert "embedder_none" in answer.err

    def test_the_demo_passes(self, satchel: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SATCHEL_EMBEDDER", "satchel")
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

        result = satchel("demo", "--json").json["result"]
        assert result["passed"] is True
        assert [step["passed"] for step in result["steps"]] == [True] * 8
        assert Path(result["folder"]).parent == tmp_path


class TestErrors:
    @pytest.mark.parametrize(
        ("command", "code", "exit_code"),
        [
            (["nonsense"], "usage", 2),
            (["recall"], "usage", 2),
            (["recall", "x", "--limit", "many"], "usage", 2),
            (["recall", "x", "--nonsense"], "usage", 2),
            (["store", "x", "--kind", "nonsense"], "usage", 2),
            (["store", ""], "empty_text", 2),
            (["store", "a\0b"], "unwritable_character", 2),
            (["store", "a\udcffb"], "unwritable_character", 2),
            (["store", "x" * 200_000], "text_too_long", 2),
            (["recall", "x", "--scope", "Not A Scope"], "invalid_scope", 2),
            (["store", "x", "--importance", "nan"], "out_of_range", 2),
            (["store", "x", "--valid-to", "tomorrow"], "invalid_date", 2),
            (["store", "x", "--source-kind", "web", "--trust", "trusted"], "trust_not_granted", 1),
            (["store", "x", "--replaces", "nobody"], "not_found", 1),
            (["recall", " "], "empty_query", 2),
            (["get", "nobody"], "not_found", 1),
            (["forget"], "missing_param", 2),
            (["forget", "nobody"], "not_found", 1),
            (["receipts", "show", "nothing"], "not_found", 1),
        ],
    )
    @pytest.mark.usefixtures("empty_store")
    def test_each_is_one_line_or_the_envelope(
        self, satchel: Any, command: list[str], code: str, exit_code: int
    ) -> None:
        for_person = satchel(*command)
        assert for_person.code == exit_code
        assert for_person.out == ""
        assert for_person.err.startswith("satchel: ")
        assert len(for_person.err.splitlines()) == 1

        for_program = satchel(*command, "--json")
        assert for_program.code == exit_code
        assert for_program.err == ""
        assert for_program.json["ok"] is False
        assert for_program.json["error"]["code"] == code

    def test_missing_weights_are_reported(self, satchel: Any, tmp_path: Path) -> None:
        answer = satchel("model", "install", "minilm", "--from", str(tmp_path / "nowhere"), "--json")
        assert (answer.code, answer.json["error"]["code"]) == (1, "source_not_found")
        assert "all-MiniLM-L6-v2-int8: not installed" in satchel("model", "status").out

    def test_the_bundled_model_is_not_installed_from_files(self, satchel: Any, tmp_path: Path) -> None:
        answer = satchel("model", "install", "--from", str(tmp_path), "--json")
        assert (answer.code, answer.json["error"]["code"]) == (2, "model_bundled")

    def test_an_unknown_model_is_reported(self, satchel: Any) -> None:
        answer = satchel("model", "install", "gpt", "--json")
        assert (answer.code, answer.json["error"]["code"]) == (2, "unknown_word")

    def test_installing_the_bundled_model_fetches_nothing(self, satchel: Any) -> None:
        answer = satchel("model", "install")
        assert (answer.code, "satchel-encoder-2 is installed and intact" in answer.out) == (0, True)
        assert "nothing to install" in answer.err

    def test_an_invalid_setting_is_reported(self, satchel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("SATCHEL_RECALL_CATCH_UP_MS", "soon")

        answer = satchel("stats", "--json")
        assert (answer.code, answer.json["error"]["code"]) == (2, "invalid_setting")

    def test_a_newer_store_is_not_changed(self, satchel: Any, home: Path) -> None:
        import apsw

        _stored(satchel, "x")
        connection = apsw.Connection(str(home / "ledger.sqlite3"))
        connection.execute("PRAGMA user_version = 999")
        connection.close()
        before = (home / "ledger.sqlite3").read_bytes()

        answer = satchel("recall", "x", "--json")
        assert (answer.code, answer.json["error"]["code"]) == (3, "store_newer")
        assert (home / "ledger.sqlite3").read_bytes() == before

    def test_a_damaged_store_is_not_changed(self, satchel: Any, home: Path) -> None:
        home.mkdir()
        damaged = b"SQLite format 3\0" + os.urandom(4096)
        (home / "ledger.sqlite3").write_bytes(damaged)

        for command in (["recall", "x"], ["store", "x"], ["doctor"]):
            answer = satchel(*command, "--json")
            assert (answer.code, answer.json["error"]["code"]) == (3, "store_damaged"), command
        assert (home / "ledger.sqlite3").read_bytes() == damaged

    def test_a_database_of_another_program_is_rejected(self, satchel: Any, home: Path) -> None:
        import apsw

        home.mkdir()
        connection = apsw.Connection(str(home / "ledger.sqlite3"))
        connection.execute("CREATE TABLE theirs (x)")
        connection.close()

        answer = satchel("store", "x", "--json")
        assert (answer.code, answer.json["error"]["code"]) == (2, "not_a_ledger")
        assert APPLICATION_ID

    def test_a_file_as_folder_is_rejected(self, satchel: Any, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("x", encoding="utf-8")

        answer = satchel("store", "x", "--json", "--home", str(tmp_path / "file"))
        assert (answer.code, answer.json["error"]["code"]) == (1, "read_only")

    def test_a_broken_receipt_chain_exits_with_one(self, satchel: Any, home: Path) -> None:
        import apsw

        _stored(satchel, "x")
        connection = apsw.Connection(str(home / "ledger.sqlite3"))
        connection.execute("UPDATE receipts SET at = at + 1")
        connection.close()

        assert satchel("receipts", "verify").code == 1
        assert satchel("doctor").code == 1

    def test_a_changed_text_exits_with_three(self, satchel: Any, home: Path) -> None:
        import apsw

        _stored(satchel, "x")
        connection = apsw.Connection(str(home / "ledger.sqlite3"))
        connection.execute("UPDATE memories SET text = 'y'")
        connection.close()

        assert satchel("doctor").code == 3

    @pytest.mark.usefixtures("empty_store")
    def test_an_internal_error_is_one_line(self, satchel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr("satchel.wiring.adapters.SqliteLedger", lambda path, read_only: 1 / 0)

        answer = satchel("stats")
        assert answer.code == 1
        assert (
            answer.err
            == "satchel: internal error: ZeroDivisionError: division by zero (set SATCHEL_DEBUG=1 to see the traceback)\n"
        )
        monkeypatch.setenv("SATCHEL_DEBUG", "1")
        with pytest.raises(ZeroDivisionError):
            satchel("stats")


class TestHelp:
    @pytest.mark.parametrize(("typed", "meant"), [("stroe", "store"), ("recal", "recall"), ("doctro", "doctor")])
    def test_a_mistyped_command_gets_a_suggestion(self, satchel: Any, typed: str, meant: str) -> None:
        answer = satchel(typed, "x")
        assert answer.code == 2
        assert answer.err == (
            f"satchel: unknown command '{typed}' (did you mean '{meant}'? 'satchel --help' lists all)\n"
        )

    def test_an_unknown_command_without_similar_ones_gets_no_suggestion(self, satchel: Any) -> None:
        answer = satchel("--json", "xyzzy")
        assert answer.json["error"] == {
            "code": "usage",
            "message": "unknown command 'xyzzy'",
            "hint": "'satchel --help' lists all",
        }

    def test_prose_is_wrapped_and_examples_are_not(
        self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("COLUMNS", "80")
        with pytest.raises(SystemExit):
            main(["docs", "ingest", "--help"])
        shown = capsys.readouterr().out
        assert max(len(line) for line in shown.splitlines() if not line.startswith(" ")) < 80
        with pytest.raises(SystemExit):
            main(["mcp", "--help"])
        assert '\n    "mcpServers": {\n' in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("id", "command"),
        [("ep-1e0650bb01a0c704d955edca", "episodes show"), ("doc:notes:a.md#0123456789", "docs show")],
    )
    @pytest.mark.usefixtures("empty_store")
    def test_the_id_of_another_area_points_to_its_commands(self, satchel: Any, id: str, command: str) -> None:
        for asking in ("get", "forget"):
            answer = satchel(asking, id)
            assert answer.code == 1
            assert f"'satchel {command} {id}' shows it" in answer.err

    def test_a_folder_with_a_line_break_is_rejected(self, satchel: Any, tmp_path: Path) -> None:
        answer = satchel("list", "--home", f"{tmp_path}/a\nb")
        assert answer.code == 2
        assert "it must be text without line breaks and control characters" in answer.err

    def test_a_failing_demo_ends_with_the_reason(
        self, satchel: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("SATCHEL_EMBEDDER")
        monkeypatch.setattr(bundled, "FOLDER", tmp_path / "none")
        # Another test of this process may have loaded it.
        monkeypatch.setattr(bundled, "bundled_encoder", bundled.bundled_encoder.__wrapped__)
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
        answer = satchel("demo")
        assert answer.code == 1
        assert f"({bundled.REINSTALL_HINT})" in answer.out.partition("the demo failed\n")[2].splitlines()[0]


class TestAsAProcess:
    def test_help_is_shown_without_arguments(self) -> None:
        done = subprocess.run([sys.executable, "-m", "satchel"], capture_output=True, text=True, check=False)

        assert done.returncode == 0
        assert "recall" in done.stdout

    def test_every_command_has_help(self, capsys: pytest.CaptureFixture[str]) -> None:
        for operation in (one for one in OPERATIONS if not one.own_command):
            with pytest.raises(SystemExit) as done:
                main([*command_name(operation).split(), "--help"])
            assert done.value.code == 0
            assert operation.help[1:] in " ".join(capsys.readouterr().out.split())

    def test_a_closed_pipe_is_not_an_error(self, home: Path) -> None:
        command = f"{sys.executable} -m satchel --help | head -c 1"
        done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)

        assert done.stderr == ""

    def test_a_failure_keeps_its_exit_code_when_the_pipe_is_closed(self, home: Path) -> None:
        command = f"{sys.executable} -m satchel get nobody --json | true; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, check=False)

        assert (done.returncode, done.stderr) == (1, "")

    def test_an_ascii_terminal_gets_escapes(self, home: Path) -> None:
        environment = {**os.environ, "PYTHONIOENCODING": "ascii", "SATCHEL_HOME": str(home)}
        subprocess.run(
            [sys.executable, "-m", "satchel", "store", "橡木 ✓"], env=environment, capture_output=True, check=True
        )
        done = subprocess.run(
            [sys.executable, "-m", "satchel", "recall", "橡木", "--mode", "lexical"],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )

        assert "\\u6a61\\u6728" in done.stdout

    def test_files_are_private_with_any_umask(self, home: Path) -> None:
        script = f"umask 000; {sys.executable} -m satchel store x && {sys.executable} -m satchel recall x"
        environment = {**os.environ, "SATCHEL_HOME": str(home), "SATCHEL_RECALL_INDEX_FROM": "0"}
        subprocess.run(["bash", "-c", script], env=environment, capture_output=True, check=True)

        assert (home / "index").exists()
        for path in [home, *home.rglob("*")]:
            assert path.stat().st_mode & 0o077 == 0, path


_GROUPS = {"index", "receipts", "model"}


@pytest.mark.parametrize("turns", ["[1", "{}", "x", "[" * 100_000])
def test_an_invalid_json_list_is_rejected(turns: str, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--home", str(home), "episodes", "add", "--turns", turns]) == 2
    assert "--turns is not a JSON list" in capsys.readouterr().err


class TestEmbeddingModel:
    def test_the_model_of_the_store_is_named(self, satchel: Any) -> None:
        _stored(satchel, "We ship on Thursdays")
        satchel("index", "build")
        space = satchel("index", "status", "--json").result["space"]
        assert f"  embedding model: {space}\n" in satchel("index", "status").out
        assert f"every text has its vector of {space}" in satchel("doctor").out

    def test_a_rebuild_with_another_embedder_says_so(self, satchel: Any, monkeypatch: pytest.MonkeyPatch) -> None:
        _stored(satchel, "We ship on Thursdays")
        satchel("index", "build")
        before = satchel("index", "status", "--json").result["space"]
        monkeypatch.delenv("SATCHEL_EMBEDDER")
        said = satchel("index", "rebuild", "--embedder", "satchel").out
        assert f"  it was {before}: every text has a new vector" in said
        assert "it was" not in satchel("index", "rebuild").out

    def test_an_endpoint_that_does_not_answer_names_the_setting(
        self, satchel: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("SATCHEL_EMBEDDING_URL", "http://127.0.0.1:1/v1")
        _stored(satchel, "We ship on Thursdays")
        assert "embedding.url" in satchel("index", "rebuild", "--embedder", "openai").err


class TestErasing:
    """At a terminal, a command that erases for good asks first."""

    @pytest.fixture
    def asked(self, monkeypatch: pytest.MonkeyPatch) -> list[str]:
        questions: list[str] = []
        monkeypatch.setattr("satchel.interfaces.cli.main._can_press_keys", lambda: True)

        def decline(screen: Screen, question: str) -> bool:
            questions.append(question)
            return False

        monkeypatch.setattr(Screen, "ask", decline)
        return questions

    def test_the_memory_is_named_and_kept_if_the_person_declines(self, satchel: Any, asked: list[str]) -> None:
        id = _stored(satchel, "We ship on Thursdays")
        answer = satchel("forget", id)
        assert asked == [f"erase {id} (We ship on Thursdays) everywhere? There is no undo."]
        assert (answer.code, answer.out, answer.err) == (0, "", "nothing was erased\n")
        assert "We ship on Thursdays" in satchel("list").out

    def test_yes_and_json_erase_without_a_question(self, satchel: Any, asked: list[str]) -> None:
        first, second = (_stored(satchel, text) for text in ("We ship on Thursdays", "Tea is served at four"))
        assert satchel("forget", first, "--yes").code == 0
        assert satchel("forget", second, "--json").code == 0
        assert satchel("forget", "--query", "tea").code == 0
        assert asked == []
        assert satchel("list").out == "no memories\n"

    def test_collections_and_sessions_are_named(self, satchel: Any, asked: list[str]) -> None:
        _stored(satchel, "We ship on Thursdays")
        satchel("docs", "forget", "--collection", "api")
        satchel("episodes", "forget", "--session", "standup")
        assert asked == [
            "erase every document of the collection api everywhere? There is no undo.",
            "erase every turn of the session standup everywhere? There is no undo.",
        ]


class TestTimes:
    def test_days_can_be_named(self, satchel: Any) -> None:
        _stored(satchel, "We ship on Thursdays")
        assert "We ship" in satchel("list", "--since", "today").out
        assert "We ship" in satchel("list", "--since", "yesterday").out
        assert satchel("list", "--until", "Yesterday").out == "no memories\n"
        assert satchel("receipts", "list", "--until", "yesterday").out == "no receipts yet\n"
        assert satchel("list", "--since", "tomorrow", "--json").error["code"] == "invalid_date"

    def test_a_recall_as_of_a_day_answers_from_its_end(self, satchel: Any) -> None:
        _stored(satchel, "We ship on Thursdays")
        assert "We ship" in satchel("recall", "ship", "--mode", "lexical", "--as-of", "today").out
        assert "We ship" not in satchel("recall", "ship", "--mode", "lexical", "--as-of", "yesterday").out
        assert "We ship" not in satchel("recall", "ship", "--mode", "lexical", "--as-of", "2020-01-01T10:00:00Z").out
        assert satchel("recall", "ship", "--as-of", "nonsense", "--json").error["code"] == "not_found"


class TestScopes:
    def test_the_first_memory_of_a_scope_like_another_is_pointed_out(self, satchel: Any) -> None:
        assert satchel("store", "We ship on Thursdays", "--scope", "project/shop").err.count("similar") == 0
        warned = satchel("store", "We rest on Fridays", "--scope", "project/shopp").err
        assert "the first memory in scope 'project/shopp'; similar: project/shop" in warned
        assert "similar" not in satchel("store", "Tea is served at four", "--scope", "project/shopp").err

    def test_listing_an_empty_scope_names_similar_ones(self, satchel: Any) -> None:
        satchel("store", "We ship on Thursdays", "--scope", "project/shop")
        assert "similar: project/shop" in satchel("list", "--scope", "project/shopp").err
        assert satchel("list", "--scope", "project/shop", "--kind", "preference").err == ""


class TestWidth:
    def test_a_long_line_is_wrapped_at_a_terminal_and_only_there(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("COLUMNS", "40")
        text = "  " + "harbour " * 20
        Screen(as_json=False).show_early(text)
        assert capsys.readouterr().out == f"{text}\n"
        monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
        Screen(as_json=False).show_early(text)
        lines = capsys.readouterr().out.splitlines()
        assert len(lines) > 1 and all(len(one) <= 40 for one in lines)
        assert lines[1].startswith("      harbour")
