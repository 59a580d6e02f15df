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


def hooked(which: str, given: bytes, home: Path, **environment: str) -> tuple[dict[str, Any], str]:
    """Run a hook as a process; it must exit with 0 and print one JSON object."""
    done = subprocess.run(
        [sys.executable, "-m", "satchel", "turn", which, "--home", str(home)],
        input=given,
        capture_output=True,
        check=False,
        env={**os.environ, **environment},
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer, done.stderr.decode()


def test_before_and_after_a_turn(home: Path, settings: Settings) -> None:
    after, _ = hooked("after", b'{"messages": [{"role": "user", "content": "I prefer tabs over spaces."}]}', home)
    assert [one["action"] for one in after["result"]["captured"]] == ["created"]

    before, said = hooked("before", b'{"prompt": "do I prefer tabs or spaces?"}', home)
    assert "I prefer tabs over spaces." in before["result"]["block"]
    assert before["result"]["mode"] == "lexical"
    assert said == "satchel turn: lexical_only: no server is running, so only words were searched\n"
    with Satchel.open(settings=settings) as memory:
        [kept] = memory.maintenance.receipts_list(operation="turn before").result
        assert kept.digest == before["receipt"]["digest"]


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
        (b'{"promt": "x", "prompt": "x", "messages": []}', "unknown_param"),
        (b'{"prompt": 5, "messages": 5}', None),
    ],
)
def test_any_input_lets_the_turn_go_on(home: Path, which: str, given: bytes, code: str | None) -> None:
    answer, said = hooked(which, given, home)
    assert answer["result"]["skipped"]
    assert answer["result"].get("block", "") == ""
    assert answer["result"].get("captured", []) == []
    assert code in (None, answer["result"]["skip_reason"])
    assert said.startswith("satchel turn: ")


def test_a_broken_setting_or_store_does_not_stop_a_turn(home: Path, tmp_path: Path) -> None:
    answer, said = hooked("before", b'{"prompt": "what is it?"}', home, SATCHEL_RECALL_LIMIT="many")
    assert (answer["result"]["skip_reason"], answer["result"]["block"]) == ("invalid_setting", "")
    assert "SATCHEL_RECALL_LIMIT" in said
    home.mkdir(mode=0o700, exist_ok=True)
    (home / "ledger.sqlite3").write_bytes(b"this is no database" * 100)
    answer, _ = hooked("after", b'{"messages": [{"role": "user", "content": "I prefer tabs."}]}', home)
    assert answer["result"]["skipped"]
    assert (home / "ledger.sqlite3").read_bytes().startswith(b"this is no database")


def test_read_only_lets_the_turn_go_on_and_writes_nothing(home: Path) -> None:
    given = b'{"messages": [{"role": "user", "content": "I prefer tabs over spaces."}]}'
    hooked("after", given.replace(b"tabs", b"long lines"), home)
    answer, _ = hooked("after", given, home, SATCHEL_READ_ONLY="yes")
    assert answer["result"]["skip_reason"] == "readonly_mode"
