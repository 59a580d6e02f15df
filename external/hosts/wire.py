"""The three wire formats that the hosts speak: what a request says, and how an answer is written.

Chat completions (OpenClaw), messages (Claude Code) and responses (Codex). A request is read into the same value whatever its
format, and an answer is either a text or one tool call.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

from msgspec import Struct

Json = dict[str, Any]

CHAT, MESSAGES, RESPONSES = "/v1/chat/completions", "/v1/messages", "/v1/responses"
NAMESPACE_SEPARATOR = "__"
# Claude Code puts its own notes and the context of hooks into the user's message.
REMINDER = re.compile(r"<system-reminder>.*?</system-reminder>", re.DOTALL)


class Answer(Struct, frozen=True):
    """A final text, or a call of the tool named."""

    text: str = ""
    tool: str = ""
    arguments: Json = {}


class Request(Struct, frozen=True):
    """One request of a host to the model."""

    path: str
    body: Json
    """The body as it came."""

    @property
    def text(self) -> str:
        """Everything that the model is shown, one text per line, without the schemas of the tools."""
        parts = ("system", "instructions", "messages", "input")
        return "\n".join(text for part in parts for text in _strings(self.body.get(part)))

    @property
    def tools(self) -> dict[str, Json]:
        """The definitions of the tools that the model may call, by name; `server__tool` for those in a namespace."""
        return dict(_tools(self.body.get("tools") or []))

    @property
    def asked(self) -> str:
        """The last text of the user, without what the host adds to it."""
        said = (REMINDER.sub("", text).strip() for kind, text in _turns(self.body) if kind == "user")
        return next((text for text in reversed(list(said)) if text), "")

    @property
    def answered(self) -> bool:
        """Whether the result of a tool follows the last text of the user."""
        kinds = [kind for kind, text in _turns(self.body) if kind == "result" or REMINDER.sub("", text).strip()]
        return kinds[-1:] == ["result"]

    @property
    def results(self) -> list[str]:
        """What the tools have answered so far."""
        return [text for kind, text in _turns(self.body) if kind == "result"]


def _tools(listed: list[Json]) -> Iterator[tuple[str, Json]]:
    for tool in listed:
        definition = tool.get("function", tool)
        name = str(definition.get("name") or tool.get("type"))
        if tool.get("type") == "namespace":
            yield from ((name + NAMESPACE_SEPARATOR + inner, one) for inner, one in _tools(tool.get("tools") or []))
        else:
            yield name, definition


def _turns(body: Json) -> Iterator[tuple[str, str]]:
    """Yield each text of the user (`user`) and each result of a tool (`result`), oldest first."""
    listed = body.get("messages") or body.get("input") or []
    for item in [{"role": "user", "content": listed}] if isinstance(listed, str) else listed:
        content = item.get("content")
        if item.get("role") == "tool" or str(item.get("type", "")).endswith("_call_output"):
            yield "result", "\n".join(_strings(content or item.get("output")))
        elif item.get("role") == "user":
            for block in content if isinstance(content, list) else [{"type": "text", "text": content}]:
                yield "result" if block.get("type") == "tool_result" else "user", "\n".join(_strings(block))


def _strings(value: Any) -> Iterator[str]:
    """Yield every string in a value, except those that only name a kind of block."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for one in value:
            yield from _strings(one)
    elif isinstance(value, dict):
        for key, one in value.items():
            if key not in {"type", "role", "id", "tool_use_id", "call_id"}:
                yield from _strings(one)


def written(request: Request, answer: Answer, number: int) -> tuple[str, bytes]:
    """Return the content type and the body of an answer, as a stream if the host asked for one."""
    events = {CHAT: _chat, MESSAGES: _messages, RESPONSES: _responses}[request.path](request, answer, number)
    if request.body.get("stream"):
        named = request.path != CHAT
        lines = [
            (f"event: {event['type']}\n" if named else "") + f"data: {json.dumps(event)}\n\n" for event in events[1:]
        ]
        return "text/event-stream", ("".join(lines) + ("" if named else "data: [DONE]\n\n")).encode()
    return "application/json", json.dumps(events[0]).encode()


def _chat(request: Request, answer: Answer, number: int) -> list[Json]:
    """Return the whole answer and then its chunks."""
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    message: Json = {"role": "assistant", "content": answer.text or None}
    if answer.tool:
        function = {"name": answer.tool, "arguments": json.dumps(answer.arguments)}
        message["tool_calls"] = [{"index": 0, "id": f"call_{number}", "type": "function", "function": function}]
    reason = "tool_calls" if answer.tool else "stop"
    base = {"id": f"chat_{number}", "created": 1, "model": request.body.get("model", "mock")}
    chunk = {**base, "object": "chat.completion.chunk"}
    return [
        {
            **base,
            "object": "chat.completion",
            "choices": [{"index": 0, "message": message, "finish_reason": reason}],
            "usage": usage,
        },
        {**chunk, "choices": [{"index": 0, "delta": message, "finish_reason": None}]},
        {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": reason}], "usage": usage},
    ]


def _messages(request: Request, answer: Answer, number: int) -> list[Json]:
    """Return the whole answer and then the events of its stream."""
    usage = {"input_tokens": 1, "output_tokens": 1}
    block: Json = {"type": "text", "text": answer.text}
    empty: Json = {"type": "text", "text": ""}
    delta: Json = {"type": "text_delta", "text": answer.text}
    if answer.tool:
        empty = {"type": "tool_use", "id": f"toolu_{number}", "name": answer.tool, "input": {}}
        block = {**empty, "input": answer.arguments}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(answer.arguments)}
    end = {"stop_reason": "tool_use" if answer.tool else "end_turn", "stop_sequence": None}
    message = {
        "id": f"msg_{number}",
        "type": "message",
        "role": "assistant",
        "model": request.body.get("model", "mock"),
        "usage": usage,
    }
    return [
        {**message, "content": [block], **end},
        {"type": "message_start", "message": {**message, "content": [], "stop_reason": None, "stop_sequence": None}},
        {"type": "content_block_start", "index": 0, "content_block": empty},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": end, "usage": usage},
        {"type": "message_stop"},
    ]


def _responses(request: Request, answer: Answer, number: int) -> list[Json]:
    """Return the whole answer and then the events of its stream."""
    item: Json = {
        "type": "message",
        "id": f"msg_{number}",
        "role": "assistant",
        "content": [{"type": "output_text", "text": answer.text}],
    }
    if answer.tool:
        item = {
            "type": "function_call",
            "id": f"fc_{number}",
            "call_id": f"call_{number}",
            "arguments": json.dumps(answer.arguments),
        }
        item |= _place(request, answer.tool)
    usage = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}
    response = {"id": f"resp_{number}", "object": "response", "status": "completed", "output": [item], "usage": usage}
    return [
        response,
        {"type": "response.created", "response": {**response, "status": "in_progress", "output": [], "usage": None}},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": response},
    ]


def _place(request: Request, tool: str) -> Json:
    """Return the name of a tool, and its namespace if it is listed in one."""
    for listed in request.body.get("tools") or []:
        inner = tool.removeprefix(str(listed.get("name")) + NAMESPACE_SEPARATOR)
        if listed.get("type") == "namespace" and inner != tool:
            return {"name": inner, "namespace": listed["name"]}
    return {"name": tool}
