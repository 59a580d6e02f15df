"""`satchel turn` as hosts call it: processes, pipes, and failures."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import Settings


def hooked(
    which: str, given: bytes, home: Path, *, exit_code: int = 0, **environment: str
) -> tuple[dict[str, Any], str]:
    """Run a hook as a process; it must exit with this code and print one JSON object."""
    done = subprocess.run(
        [sys.executable, "-m", "satchel", "turn", which, "--home", str(home)],
        input=given,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == exit_code, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer, done.stderr.decode()


def test_before_and_after_a_turn(home: Path, settings: Settings) -> None:
    after, _ = hooked("after", b'{"messages": [{"role": "user", "content": "I prefer tabs over spaces."}]}', home)
    assert [one["action"] for one in after["result"]["captured"]] == ["created"]

    prompt = b'{"prompt": "do I prefer tabs or spaces?"}'
    before, said = hooked("before", prompt, home)
    assert "I prefer tabs over spaces." in before["result"]["block"]
    assert (before["result"]["mode"], said) == ("hybrid", "")
    with Satchel.open(settings=settings) as memory:
        [kept] = memory.maintenance.receipts_list(operation="turn before").result
        assert kept.digest == before["receipt"]["digest"]

    by_words, said = hooked("before", prompt, home, SATCHEL_AUTO_RECALL_COLD_MODE="lexical")
    assert (by_words["result"]["mode"], said) == ("lexical", "satchel turn: lexical_only: only words were searched\n")


def test_a_turn_without_a_server_finds_what_shares_no_word_with_the_prompt(home: Path) -> None:
    hooked("after", b'{"messages": [{"role": "user", "content": "I prefer a window seat on every flight."}]}', home)
    prompt = b'{"prompt": "where should I sit when we travel by airplane?"}'

    assert "window seat" in hooked("before", prompt, home)[0]["result"]["block"]
    by_words, _ = hooked("before", prompt, home, SATCHEL_AUTO_RECALL_COLD_MODE="lexical")
    assert by_words["result"]["block"] == ""


@pytest.mark.parametrize("which", ["before", "after"])
@pytest.mark.parametrize(
    ("given", "code"),
    [
        (b"", "invalid_json"),
        (b"nonsense", "invalid_json"),
        (b"[]", "invalid_json"),
        (b"\xff\xfe", "invalid_json"),
        (b"[" * 100_000, "invalid_json"),
        (b"{}", "missing_param"),
        (b'{"messages": null}', "missing_param"),
        (b'{"promt": "x", "session_id": "s"}', "missing_param"),
        (b'{"prompt": 5, "messages": 5}', None),
    ],
)
def test_any_input_lets_the_turn_go_on(home: Path, which: str, given: bytes, code: str | None) -> None:
    answer, said = hooked(which, given, home, exit_code=int(which == "after"))
    assert answer["result"]["skipped"]
    assert answer["result"].get("block", "") == ""
    assert answer["result"].get("captured", []) == []
    assert code in (None, answer["result"]["skip_reason"])
    assert said.startswith("satchel turn: ")


def repository(folder: Path, remote: str) -> Path:
    (folder / ".git").mkdir(parents=True)
    (folder / ".git" / "HEAD").write_text("", encoding="utf-8")
    (folder / ".git" / "config").write_text(f'[remote "origin"]\n\turl = {remote}\n', encoding="utf-8")
    return folder


def test_claude_code_in_two_clones_of_a_project(home: Path, tmp_path: Path) -> None:
    """What one session decides, the next one is told, wherever the repository is cloned, and no other project is."""
    first = repository(tmp_path / "shop", "https://me:s3cretpw@github.com/Acme/Shop.git")
    second = repository(tmp_path / "copy" / "renamed", "git@github.com:acme/shop.git")
    prompt = {"role": "user", "content": "From now on, always deploy the shop on Thursdays."}
    transcript = tmp_path / "5b1c.jsonl"
    transcript.write_text(json.dumps({"type": "user", "message": prompt}) + "\n", encoding="utf-8")
    about = {"session_id": "5b1c", "transcript_path": str(transcript), "permission_mode": "default"}
    stop = {**about, "cwd": str(first), "hook_event_name": "Stop", "stop_hook_active": False}

    after, said = hooked("after", json.dumps(stop).encode(), home, SATCHEL_SCOPE="auto")
    assert [one["scope"] for one in after["result"]["captured"]] == ["project/acme/shop"]
    assert (after["result"]["scope"], after["receipt"]["body"]["warnings"], said) == ("project/acme/shop", [], "")

    asked = {**about, "hook_event_name": "UserPromptSubmit", "prompt": "do we always deploy the shop on Thursdays?"}
    told, _ = hooked("before", json.dumps({**asked, "cwd": str(second)}).encode(), home, SATCHEL_SCOPE="auto")
    assert (told["result"]["scope"], "Thursdays" in told["result"]["block"]) == ("project/acme/shop", True)
    other, _ = hooked("before", json.dumps({**asked, "cwd": str(tmp_path)}).encode(), home, SATCHEL_SCOPE="auto")
    assert (other["result"]["block"], other["result"]["skip_reason"]) == ("", "nothing_relevant")
    assert "s3cretpw" not in json.dumps([after, told, other])


def test_input_and_scope_from_the_command_line(home: Path, tmp_path: Path) -> None:
    """As Codex notifies a program: with the input as the last argument."""
    given = {"type": "agent-turn-complete", "cwd": str(repository(tmp_path / "a", "host:acme/api")), "new": 1}
    words = [
        "turn",
        "after",
        "--scope",
        "auto",
        "--home",
        str(home),
        json.dumps({**given, "input-messages": ["Hello"]}),
    ]
    done = subprocess.run([sys.executable, "-m", "satchel", *words], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["result"]["scope"] == "project/acme/api"
    assert done.stderr == "satchel turn: ignored_keys: keys of the input that mean nothing here: new\n"


def test_a_broken_setting_or_store_does_not_stop_a_turn(home: Path, tmp_path: Path) -> None:
    answer, said = hooked("before", b'{"prompt": "what is it?"}', home, SATCHEL_RECALL_LIMIT="many")
    assert (answer["result"]["skip_reason"], answer["result"]["block"]) == ("invalid_setting", "")
    assert "SATCHEL_RECALL_LIMIT" in said
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "ledger.sqlite3").write_bytes(b"this is no database" * 100)
    answer, _ = hooked("after", b'{"messages": [{"role": "user", "content": "I prefer tabs."}]}', home, exit_code=1)
    assert answer["result"]["skipped"]
    assert (home / "ledger.sqlite3").read_bytes().startswith(b"this is no database")


def test_read_only_lets_the_turn_go_on_and_writes_nothing(home: Path) -> None:
    given = b'{"messages": [{"role": "user", "content": "I prefer tabs over spaces."}]}'
    hooked("after", given.replace(b"tabs", b"long lines"), home)
    answer, _ = hooked("after", given, home, exit_code=1, SATCHEL_READ_ONLY="yes")
    assert answer["result"]["skip_reason"] == "readonly_mode"
