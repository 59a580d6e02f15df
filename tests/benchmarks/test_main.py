"""`python -m bench`: its options, what it prints, and its exit codes."""

import json
from pathlib import Path
from typing import Any

import bench.__main__
import pytest
from bench.__main__ import COMMANDS, main
from bench.governance.checks import Rate
from bench.governance.run import GovernanceResult
from bench.machine import this_machine

from tests.benchmarks.samples import cosqa

BENCHMARKS = ("retrieval", "pack", "precision", "speed", "governance", "secrets")


@pytest.fixture
def data(tmp_path: Path) -> str:
    path = tmp_path / "cosqa.json"
    path.write_text(json.dumps(cosqa()), encoding="utf-8")
    return str(path)


def answer(capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the one JSON object that was printed."""
    (line,) = capsys.readouterr().out.splitlines()
    return json.loads(line)


def test_every_benchmark_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for name in BENCHMARKS:
        with pytest.raises(SystemExit) as ended:
            main([name, "--help"])
        assert ended.value.code == 0
        assert {"--json", "--home"} <= set(capsys.readouterr().out.replace("]", " ").replace("[", " ").split())


def test_a_result_is_printed_as_a_table_or_as_json(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["retrieval", "--set", "cosqa", "--data", data, "--mode", "lexical"]

    assert main(words) == 0
    assert capsys.readouterr().out.startswith("cosqa: turns, lexical, through documents\n  3 units, 2 questions")
    assert main([*words, "--json"]) == 0
    printed = answer(capsys)
    assert printed["ok"] and printed["result"]["overall"]["n"] == 2
    assert printed["result"]["file"] == "cosqa.json"


def test_an_invalid_request_is_reported_with_exit_code_2(data: str, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["pack", "--set", "cosqa", "--data", data, "--budget-tokens", "1"]

    assert main(words) == 2
    printed = capsys.readouterr()
    assert (printed.out, printed.err) == ("", "bench: invalid budget: 1 tokens (50 to 100,000)\n")
    assert main([*words, "--json"]) == 2
    failed = answer(capsys)
    assert not failed["ok"] and failed["error"]["code"] == "out_of_range"


def test_repeated_options_are_collected(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["speed", "--memories", "100", "--memories", "7", "--json"]) == 2
    assert answer(capsys)["error"]["message"] == "invalid number of memories: 7"


def test_satchel_missing_an_ideal_is_exit_code_1(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def leaking(*_: object, subjects: list[str]) -> GovernanceResult:
        rates = {name: (Rate("scope leak", 4, 1, 0.25, 0.0, "questions"),) for name in subjects}
        return GovernanceResult(1, {}, rates, {}, this_machine())

    commands = [one._replace(run=leaking) if one.name == "governance" else one for one in COMMANDS]
    monkeypatch.setattr(bench.__main__, "COMMANDS", commands)

    assert main(["governance", "--subject", "satchel"]) == 1
    assert "25.0%  1 of 4 questions (ideal: 0%)" in capsys.readouterr().out
    assert main(["governance", "--subject", "plain FTS5"]) == 0


def test_secrets_of_a_file_are_counted_and_the_missed_ones_listed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.jsonl"
    samples = [
        {"text": "password = 'orange-Falcon-42'", "label": "secret", "value": "orange-Falcon-42"},
        {"text": "the word is orange", "label": "secret", "form": "known", "value": "orange"},
        {"text": "the password has 12 characters", "label": "clean"},
    ]
    path.write_text("\n".join(map(json.dumps, samples)), encoding="utf-8")

    assert main(["secrets", "--file", str(path), "--missed", "--json"]) == 0
    classes = answer(capsys)["result"]["classes"]
    assert (classes["generic"]["secrets"], classes["generic"]["found"], classes["generic"]["flagged"]) == (1, 1, 0)
    assert classes["marked by their maker"]["missed"] == ["the word is orange"]
    assert main(["secrets", "--file", str(path)]) == 0
    assert "missed" not in capsys.readouterr().out


def test_secrets_need_a_file_that_exists(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["secrets"]) == 2
    assert capsys.readouterr().err == "bench: nothing to measure (give --file FILE or --hostile)\n"
    assert main(["secrets", "--file", "no-such-file"]) == 1
    assert capsys.readouterr().err.startswith("bench: no such file: no-such-file")
