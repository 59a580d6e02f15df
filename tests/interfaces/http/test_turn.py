"""The turn hooks with a server, which also searches by meaning."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.http.conftest import Shell
from tests.interfaces.http.running import Server


def hooked(server: Server, which: str, given: dict[str, Any]) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "satchel", "turn", which],
        input=json.dumps(given),
        capture_output=True,
        text=True,
        check=True,
        env={**server.environment, "SATCHEL_HOME": str(server.home)},
    )
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_both_turn_hooks_use_the_server(server: Server) -> None:
    before = server.requests("turn_before"), server.requests("turn_after")
    messages = [{"role": "user", "content": "From now on, always deploy on Thursdays."}]
    after = hooked(server, "after", {"messages": messages})
    assert [one["action"] for one in after["result"]["captured"]] == ["created"]

    answer = hooked(server, "before", {"prompt": "do we always deploy on Thursdays?"})
    assert "always deploy on Thursdays" in answer["result"]["block"]
    assert (answer["result"]["mode"], answer["receipt"]["kept"]) == ("hybrid", True)
    assert not any(one.startswith("lexical_only") for one in answer["receipt"]["body"]["warnings"])
    assert (server.requests("turn_before"), server.requests("turn_after")) == (before[0] + 1, before[1] + 1)


def test_each_caller_of_a_server_is_in_its_own_project(
    own_server: Callable[..., Server], shell: Shell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = own_server(None, SATCHEL_SCOPE="auto")
    monkeypatch.setenv("SATCHEL_SCOPE", "auto")
    for name in ("shop", "发票 & co"):
        (tmp_path / name).mkdir()
        monkeypatch.chdir(tmp_path / name)
        assert shell.like(server).run("store", f"Our project is called {name} here")[0] == 0
    found = json.loads(shell.run("list", "--json")[1])["result"]["memories"]
    assert [(one["text"], one["scope"].startswith("project/co-")) for one in found] == [
        ("Our project is called 发票 & co here", True)
    ]
    assert server.requests("list") == 1

    # The host's folder counts, not that of the hook.
    claude = {
        "hook_event_name": "UserPromptSubmit",
        "cwd": str(tmp_path / "shop"),
        "prompt": "how is our project called?",
    }
    answer = hooked(server, "before", {**claude, "promt": 1})
    assert (answer["result"]["scope"], "called shop here" in answer["result"]["block"]) == ("project/shop", True)
    assert answer["receipt"]["body"]["warnings"][0].startswith("ignored_keys: ")
    assert server.requests("turn_before") == 1
    nowhere = server.ask("/v1/list").json["result"]["memories"]
    assert nowhere == []
    there = server.ask("/v1/list", headers={"Satchel-Folder": str(tmp_path / "shop")}).json["result"]["memories"]
    assert [one["scope"] for one in there] == ["project/shop"]


def test_an_invalid_request_does_not_stop_the_turn(server: Server) -> None:
    answer = hooked(server, "before", {"prompt": "what is it about?", "messages": "nonsense"})
    assert (answer["result"]["block"], answer["result"]["skipped"]) == ("", True)
