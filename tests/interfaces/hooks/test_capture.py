"""`satchel capture` as hooks run it: fast, silent, safe with concurrent hooks."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.errors import InvalidRequest
from satchel.interfaces.hooks.capture import CaptureArguments, parse_arguments
from satchel.locations import default_location
from tests.tables import each_case


def capture(*arguments: str, given: str | bytes = b"", home: Path | None = None) -> subprocess.CompletedProcess[str]:
    told = given.encode() if isinstance(given, str) else given
    command = [sys.executable, "-m", "satchel", *(["--home", str(home)] if home else []), "capture", *arguments]
    done = subprocess.run(command, input=told, capture_output=True, check=False)
    return subprocess.CompletedProcess(command, done.returncode, done.stdout.decode(), done.stderr.decode())


def spooled(home: Path) -> list[dict[str, object]]:
    return [
        json.loads(line) for path in sorted((home / "spool").glob("*.jsonl")) for line in path.read_bytes().splitlines()
    ]


class TestCommandLine:
    @each_case(
        ("arguments", "expected"),
        [
            (["capture"], CaptureArguments()),
            (["capture", "-"], CaptureArguments()),
            (["--home", "h", "capture", "--json"], CaptureArguments(home="h", as_json=True)),
            (["--json", "capture", "--scope=a/b", "--home=h"], CaptureArguments(home="h", scope="a/b", as_json=True)),
            (["capture", '{"text": "x"}', "--scope", "a"], CaptureArguments(scope="a", events='{"text": "x"}')),
            (["capture", "--help"], None),
            (["capture", "--nonsense"], None),
            (["capture", "--home"], None),
            (["capture", "a", "b"], None),
            (["store", "capture"], None),
            (["--version"], None),
        ],
    )
    def test_plain_forms_are_parsed_and_others_left_to_the_command_line(
        self, arguments: list[str], expected: CaptureArguments | None
    ) -> None:
        assert parse_arguments(arguments) == expected

    def test_the_command_line_lists_it_and_refuses_what_it_does_not_know(self, home: Path) -> None:
        assert "one JSON object" in capture("--help").stdout
        refused = capture("--nonsense", home=home)
        assert (refused.returncode, "--nonsense" in refused.stderr) == (2, True)


class TestCapturing:
    def test_an_event_is_on_disk_and_nothing_is_printed(self, home: Path) -> None:
        done = capture(given='{"tool_name": "bash", "text": "12 passed"}', home=home)

        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        (line,) = spooled(home)
        assert (line["schema"], line["tool_name"], line["text"]) == ("satchel.observation.v1", "bash", "12 passed")

    def test_a_stream_is_captured_by_line_and_invalid_lines_become_dead_letters(self, home: Path) -> None:
        done = capture(given='{"text": "one"}\nnonsense\n{"text": "two"}', home=home)

        assert (done.returncode, done.stdout) == (1, "")
        assert "1 event rejected: not_json" in done.stderr
        assert [line["text"] for line in spooled(home)] == ["one", "two"]
        assert json.loads((home / "dead-letters.jsonl").read_text(encoding="utf-8"))["line"] == "nonsense"

    def test_all_rejected_events_are_counted(self, home: Path) -> None:
        done = capture(given='{"text": ""}\nnonsense\n[]', home=home)

        assert (done.returncode, done.stdout) == (2, "")
        assert "3 events rejected, the first: empty_event" in done.stderr

    @pytest.mark.parametrize(
        "given", [b"", b"\n\n  ", b"nonsense", b"\xff\xfe", b"[]", b'{"text": ""}', b"\x00" * 1000]
    )
    def test_input_without_any_event_is_an_invalid_request(self, home: Path, given: bytes) -> None:
        done = capture(given=given, home=home)

        assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)

    def test_json_answers_with_the_envelope(self, home: Path) -> None:
        done = json.loads(capture("--json", given='{"text": "one"}\n{"text": "[nomem] two"}', home=home).stdout)
        failed = json.loads(capture("--json", given="nonsense", home=home).stdout)

        assert (done["ok"], done["result"]) == (True, {"captured": 1, "private": 1, "rejected": 0, "misplaced": 0})
        assert (done["receipt"]["kept"], done["receipt"]["body"]["operation"]) == (False, "capture")
        assert (failed["ok"], failed["error"]["code"]) == (False, "not_json")

    def test_a_bad_scope_or_home_is_one_line(self, home: Path, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("", encoding="utf-8")
        for arguments in (["--scope", "NOT ONE"], ["--home", ""], ["--home", str(tmp_path / "file" / "x")]):
            done = capture(*arguments, given='{"text": "x"}')
            assert done.returncode in (1, 2)
            assert (done.stdout, done.stderr.count("\n"), "Traceback" in done.stderr) == ("", 1, False)

    def test_the_scope_of_the_operator_wins(self, home: Path) -> None:
        capture("--scope", "project/a", given='{"text": "x", "scope": "project/b"}', home=home)
        capture(given='{"text": "x", "scope": "project/b"}', home=home)

        assert [line["scope"] for line in spooled(home)] == ["project/a", "project/b"]

    def test_auto_is_the_project_of_each_event(self, home: Path, tmp_path: Path) -> None:
        (tmp_path / "shop").mkdir()
        claude = {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}}
        events = [
            {**claude, "tool_response": {"stdout": "ok"}, "cwd": str(tmp_path / "shop")},
            {"text": "x", "cwd": "/"},
        ]
        given = "\n".join(map(json.dumps, events))
        capture("--scope", "auto", given=given, home=home)
        with Satchel.open(settings=load(home=str(home / "other"))) as memory:
            memory.observations.capture(given, scope="auto")

        for folder in (home, home / "other"):
            lines = spooled(folder)
            assert [line["scope"] for line in lines] == ["project/shop", "global"]
            assert (lines[0]["summary"], lines[0]["text"]) == ("Bash: make", "ok")

    def test_many_hooks_at_once_lose_nothing(self, home: Path) -> None:
        command = [sys.executable, "-m", "satchel", "capture", "--home", str(home)]
        children = [subprocess.Popen(command, stdin=subprocess.PIPE) for _ in range(12)]
        for number, child in enumerate(children):
            assert child.stdin is not None
            child.stdin.write(b"".join(b'{"text": "%d.%d"}\n' % (number, one) for one in range(20)))
            child.stdin.close()
        assert [child.wait(timeout=120) for child in children] == [0] * 12

        lines = spooled(home)
        assert {line["text"] for line in lines} == {f"{number}.{one}" for number in range(12) for one in range(20)}
        assert len({line["id"] for line in lines}) == 240

    def test_files_are_private_whatever_the_umask(self, home: Path) -> None:
        before = os.umask(0)
        try:
            capture(given='{"text": "x"}\nbad', home=home)
        finally:
            os.umask(before)

        assert not [path for path in (home, *home.rglob("*")) if path.stat().st_mode & 0o077]

    def test_it_answers_like_the_operation_of_the_same_name(self, home: Path) -> None:
        events = '{"text": "one", "ts": 5}\nbad\n{"text": "[nomem]"}'
        quick = json.loads(capture("--json", given=events, home=home).stdout)
        with Satchel.open(settings=load(home=str(home / "other"))) as memory:
            slow = memory.observations.capture(events)
        own, other = spooled(home), spooled(home / "other")

        assert quick["result"] == {"captured": 1, "private": 1, "rejected": 1, "misplaced": 0}
        assert quick["receipt"]["digest"] == slow.receipt.digest
        assert [line | {"captured_at": 0} for line in own] == [line | {"captured_at": 0} for line in other]


class TestDefaultLocation:
    @pytest.mark.parametrize("home", [None, "~/x"])
    @pytest.mark.parametrize(
        "environment", [{}, {"SATCHEL_HOME": "/from/env"}, {"SATCHEL_SCOPE": "project/x"}, {"SATCHEL_HOME": ""}]
    )
    def test_it_equals_the_settings(
        self, home: str | None, environment: dict[str, str], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        settings = load(home=home)

        assert default_location(home) == (str(settings.evidence_folder), settings.scope_policy.default_scope)

    @each_case("home", ["", "a\0b"])
    def test_a_home_that_the_settings_refuse_is_refused_here_too(self, home: str) -> None:
        with pytest.raises(InvalidRequest):
            default_location(home)

    @pytest.mark.parametrize(
        "said",
        [
            'ledger = "other.db"',
            "read_only = true",
            '[scope_policy]\ndefault_scope = "Desk"',
            "[scope_policy]\ndefault_scope = 5",
            "scope_policy = false",
            "[scope_policy\n",
            'scope_policy.validation_mode = "none"',
            '"led\\u0067er" = "other.db"',
        ],
    )
    def test_a_settings_file_that_matters_needs_the_settings(self, home: Path, said: str) -> None:
        home.mkdir()
        (home / "config.toml").write_text("[recall]\nlimit = 3\n", encoding="utf-8")
        assert default_location(str(home)) == (str(home), "global")
        (home / "config.toml").write_text(said, encoding="utf-8")
        assert default_location(str(home)) is None

    def test_a_default_scope_in_the_file_is_read_at_once(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        home.mkdir()
        (home / "config.toml").write_text('[scope_policy]\ndefault_scope = "auto"\n', encoding="utf-8")
        assert default_location(str(home)) == (str(home), "auto")
        monkeypatch.setenv("SATCHEL_SCOPE", "desk")
        assert default_location(str(home)) == (str(home), "desk")

    @pytest.mark.parametrize(
        "variable", ["SATCHEL_LEDGER", "SATCHEL_READ_ONLY", "SATCHEL_SCOPE", "SATCHEL_SCOPE_POLICY_MAX_SCOPE_LENGTH"]
    )
    def test_a_variable_that_matters_needs_the_settings(
        self, variable: str, home: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv(variable, "NOT ONE")
        assert default_location(str(home)) is None

    def test_capture_follows_the_settings(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        home.mkdir()
        (home / "config.toml").write_text(
            '[scope_policy]\ndefault_scope = "desk"\nvalidation_mode = "normalize"\n', encoding="utf-8"
        )
        capture(given='{"text": "x"}\n{"text": "y", "scope": "Project A"}', home=home)
        assert [line["scope"] for line in spooled(home)] == ["desk", "project-a"]

        monkeypatch.setenv("SATCHEL_LEDGER", str(home / "beside" / "memory.db"))
        assert capture(given='{"text": "z"}', home=home).returncode == 0
        assert [line["text"] for line in spooled(home / "beside" / "memory.db-evidence")] == ["z"]

        monkeypatch.setenv("SATCHEL_READ_ONLY", "yes")
        refused = capture(given='{"text": "z"}', home=home)
        assert (refused.returncode, refused.stderr.count("\n"), len(spooled(home))) == (1, 1, 2)
