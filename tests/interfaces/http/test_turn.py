"""The turn hooks with a server, which also searches by meaning."""

import json
import subprocess
import sys
from typing import Any

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


def test_an_invalid_request_does_not_stop_the_turn(server: Server) -> None:
    answer = hooked(server, "before", {"prompt": "what is it about?", "messages": "nonsense"})
    assert (answer["result"]["block"], answer["result"]["skipped"]) == ("", True)
