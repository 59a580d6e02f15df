"""`why` and `why-not` on the command line: text, JSON and errors."""

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from satchel.interfaces.cli.main import main


@pytest.fixture(autouse=True)
def _own_store(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")


@pytest.fixture
def satchel(capsys: pytest.CaptureFixture[str]) -> Any:
    """Run a command in this process; return its exit code and what it printed."""

    def run(*arguments: str) -> tuple[int, str]:
        code = main(arguments)
        captured = capsys.readouterr()
        return code, captured.out + captured.err

    return run


def _stored(satchel: Any, text: str, *options: str) -> str:
    return str(json.loads(satchel("store", text, "--json", *options)[1].splitlines()[-1])["result"]["id"])


def test_json_has_every_step_and_remedy(satchel: Any) -> None:
    id = _stored(satchel, "the walrus sleeps", "--scope", "zoo")
    code, said = satchel("why-not", "--query", "walrus", "--expect", id, "--mode", "lexical", "--json")
    answer = json.loads(said)
    assert (code, answer["ok"], answer["receipt"]["kept"]) == (0, True, False)
    assert (answer["result"]["rule"], answer["result"]["remedies"][0]["options"]) == ("scope", {"scope": "zoo"})
    assert [step["stage"] for step in answer["result"]["steps"]][:4] == ["record", "scope", "standing", "tier"]


def test_the_suggested_command_works(satchel: Any) -> None:
    id = _stored(satchel, "the walrus sleeps", "--scope", "zoo")
    _, said = satchel("why-not", "--query", "where's the walrus?", "--expect", id, "--mode", "lexical", "--json")
    command = json.loads(said)["result"]["remedies"][0]["command"]
    code, shown = satchel(*shlex.split(command)[1:])
    assert (code, id in shown) == (0, True)


def test_text_shows_each_step(satchel: Any) -> None:
    id = _stored(satchel, "the walrus sleeps")
    code, said = satchel("why-not", "--query", "walrus", "--expect", id, "--mode", "lexical")
    assert code == 0
    assert said.splitlines()[0] == f"{id}  the walrus sleeps"
    assert "is returned" in said
    assert "  ✓ limit: it is number 1 of at most 5" in said


@pytest.mark.usefixtures("empty_store")
def test_an_id_cannot_forge_a_line(satchel: Any) -> None:
    code, said = satchel("why-not", "--query", "walrus", "--expect", "x\nis returned", "--mode", "lexical")
    assert (code, said.splitlines()[0]) == (0, "x is returned")
    assert "is returned" not in said.splitlines()[1:]


def test_why_explains_the_last_receipt(satchel: Any) -> None:
    id = _stored(satchel, "the walrus sleeps")
    satchel("recall", "walrus", "--mode", "lexical")
    code, said = satchel("why", "--last")
    assert code == 0
    assert said.startswith("recall in scope global\n")
    assert f"  {id}  the walrus sleeps\n    rank: number 1 of 1\n" in said


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("why",), 2),
        (("why", "abc", "--last"), 2),
        (("why", "nothing"), 1),
        (("why", "--last"), 1),
        (("why-not", "--query", "x"), 2),
        (("why-not", "--query", "", "--expect", "x"), 2),
        (("why-not", "--query", "x", "--expect", "x", "--limit", "51"), 2),
        (("why-not", "--query", "x", "--expect", "x"), 0),
    ],
)
@pytest.mark.usefixtures("empty_store")
def test_an_invalid_request_has_no_traceback(satchel: Any, words: tuple[str, ...], code: int) -> None:
    ended, said = satchel(*words)
    assert ended == code
    assert "Traceback" not in said


def test_the_last_answer_of_a_whole_turn_is_what_was_injected(satchel: Any) -> None:
    _stored(satchel, "We ship the shop on Thursdays", "--importance", "0.9")
    said = [{"role": "user", "content": "From now on, always use tabs for indentation."}]
    satchel("turn", "before", json.dumps({"prompt": "On which day do we ship the shop?"}))
    satchel("turn", "after", json.dumps({"messages": said}))
    code, printed = satchel("why", "--last")

    operation, moment, *_ = printed.splitlines()
    assert (code, operation) == (0, "turn before in scope global")
    assert moment.startswith("20")
    assert "We ship the shop on Thursdays" in printed
