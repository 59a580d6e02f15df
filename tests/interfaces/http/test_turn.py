"""The hooks around a turn with a server: it has the model loaded, so meaning counts as well."""

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


def test_both_hooks_go_through_it_and_say_how(server: Server) -> None:
    before = server.requests("turn_before"), server.requests("turn_after")
    messages = [{"role": "user", "content": "From now on, always deploy on Thursdays."}]
    after = hooked(server, "after", {"messages": messages})
    assert [one["action"] for one in after["result"]["captured"]] == ["created"]

    answer = hooked(server, "before", {"prompt": "do we always deploy on Thursdays?"})
    assert "always deploy on Thursdays" in answer["result"]["block"]
    assert (answer["result"]["mode"], answer["receipt"]["kept"]) == ("hybrid", True)
    assert not any(one.startswith("lexical_only") for one in answer["receipt"]["body"]["warnings"])
    assert (server.requests("turn_before"), server.requests("turn_after")) == (before[0] + 1, before[1] + 1)


def test_a_wrong_request_still_leaves_the_turn_untouched(server: Server) -> None:
    answer = hooked(server, "before", {"prompt": "what is it about?", "messages": "nonsense"})
    assert (answer["result"]["block"], answer["result"]["skipped"]) == ("", True)
