"""The mock model: what it reads in a request, and what it answers, in each wire format."""

import json
import urllib.request
from typing import Any

from tests.tables import each_case

from external.hosts.model import Model
from external.hosts.wire import CHAT, MESSAGES, RESPONSES, Json

CALL = 'CALL:look {"at": "it"}'


def post(model: Model, path: str, body: Json) -> str:
    request = urllib.request.Request(model.url + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as reply:
        return str(reply.read().decode())


def said(path: str, text: str, result: str = "") -> Json:
    """Return a request in a wire format: a text of the user, and what a tool answered after it."""
    results: dict[str, Any] = {
        CHAT: {"role": "tool", "tool_call_id": "1", "content": result},
        MESSAGES: {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "1", "content": result}]},
        RESPONSES: {"type": "function_call_output", "call_id": "1", "output": result},
    }
    messages = [{"role": "user", "content": [{"type": "text", "text": text}]}, *([results[path]] if result else [])]
    return {("input" if path == RESPONSES else "messages"): messages}


@each_case("path", [CHAT, MESSAGES, RESPONSES])
def test_a_tool_is_called_until_its_result_is_there(path: str) -> None:
    with Model("Very well.") as model:
        called = json.loads(post(model, path, said(path, CALL)))
        done = json.loads(post(model, path, said(path, CALL, "it is red")))

        assert "look" in json.dumps(called) and "Very well." not in json.dumps(called)
        assert "Very well." in json.dumps(done)
        assert model.requests[-1].results == ["it is red"]


@each_case("path, end", [(CHAT, "[DONE]"), (MESSAGES, "message_stop"), (RESPONSES, "response.completed")])
def test_a_stream_has_its_text_and_its_end(path: str, end: str) -> None:
    with Model("Very well.") as model:
        stream = post(model, path, {**said(path, "hello"), "stream": True})

    assert "Very well." in stream
    assert end in stream


def test_the_notes_of_a_host_are_not_the_users_words() -> None:
    with Model() as model:
        post(model, MESSAGES, said(MESSAGES, f"<system-reminder>{CALL}</system-reminder>hello"))

        assert model.requests[0].asked == "hello"


def test_a_tool_in_a_namespace_is_called_there() -> None:
    tools = [{"type": "namespace", "name": "mcp__shelf", "tools": [{"type": "function", "name": "look"}]}]
    with Model() as model:
        answer = json.loads(post(model, RESPONSES, {**said(RESPONSES, "CALL:mcp__shelf__look"), "tools": tools}))

        assert list(model.requests[0].tools) == ["mcp__shelf__look"]
        assert (answer["output"][0]["namespace"], answer["output"][0]["name"]) == ("mcp__shelf", "look")
