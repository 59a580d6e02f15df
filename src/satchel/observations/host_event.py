"""Turn what a host sends to a capture hook into an event: what happened, in which session, and how it ended.

    {"hook_event_name": "PostToolUse", "tool_name": "Bash", "tool_input": {"command": "make"}, "tool_response": {…}}
    {"kind": "tool", "tool_name": "Bash", "summary": "Bash: make", "text": "…", "detail": {"outcome": "ok", …}}

A failure is known only where the host reports it: the output alone says nothing about the end of a command.
"""

import json
import re
from collections.abc import Iterator, Mapping

from satchel.domain import host_keys

OK, FAILED, UNKNOWN = "ok", "failed", "unknown"
# Cursor begins the names with a small letter.
SUCCESS_EVENTS, FAILURE_EVENTS = ("PostToolUse", "postToolUse"), ("PostToolUseFailure", "postToolUseFailure")
MAX_SUBJECT_CHARS = 160
# What a tool was asked, from the most telling field on.
_SUBJECTS = ("command", "file_path", "path", "url", "pattern", "query", "description")
# Fields of a tool's answer that are text for a reader.
_OUTPUTS = ("stdout", "stderr", "output", "content", "text", "llmContent", "error")
_OWN = ("id", "ts", "timestamp", "kind", "summary", "text", "scope", "importance", "trust", "language", "agent_id")
_ANSWERS = ("tool_response", "tool_output", "result", "message")
_ERRORS = ("error", "error_message")
_EXIT_CODE_NAMES = ("exitCode", "exit_code")
_EXIT_CODE = re.compile(r"\s*exit code:? (\d{1,9})\b", re.IGNORECASE)
# The line that Gemini CLI adds after the output of a command.
_EXIT_CODE_LINE = re.compile(r"^Exit Code: (\d{1,9})$", re.MULTILINE)


def from_host(event: Mapping[str, object]) -> Mapping[str, object]:
    """Return an event of a host in our own terms; any other event as it is."""
    flat = host_keys.flatten(event)
    name = host_keys.event_name(flat)
    if not name or (name == host_keys.OPENCLAW and _is_ours(flat)):
        return event
    rest = {key: value for key, value in flat.items() if value is not None}
    tool = rest.pop("tool_name", None) or rest.pop("toolName", None)
    meant = _tool_event(name, str(tool), rest) if tool else _message_event(name, rest)
    for key, names in (
        ("session_key", host_keys.SESSION),
        ("tool_call_id", ("tool_use_id", "toolCallId", "tool_call_id")),
    ):
        found = [rest.pop(one) for one in names if one in rest]
        meant |= {key: found[0]} if found else {}
    own = {key: rest.pop(key) for key in _OWN if key in rest}
    return {**meant, **own, "detail": {**_object(meant.get("detail")), **rest}}


def _is_ours(event: Mapping[str, object]) -> bool:
    """Return whether a plugin has put an event into our terms already, and added keys of its host."""
    return any(key in event for key in ("kind", "summary", "text", "content", "detail")) or isinstance(
        event.get("message"), str
    )


def _message_event(name: str, rest: dict[str, object]) -> dict[str, object]:
    keys = (*host_keys.PROMPT, *host_keys.USER_MESSAGES, *host_keys.LAST_ANSWER, "message")
    said = {key: text for key in keys if (text := _text(rest.get(key)))}
    for key in said:
        del rest[key]
    return {"kind": "message", "text": "\n".join(said.values())} if said else {"kind": "event", "summary": name}


def _tool_event(name: str, tool: str, rest: dict[str, object]) -> dict[str, object]:
    asked = rest.get("tool_input", rest.get("params"))
    answer = _decoded(next((rest.pop(key) for key in _ANSWERS if key in rest), None))
    error = next((rest.pop(key) for key in _ERRORS if key in rest), None)
    text = "\n".join(filter(None, (_text(answer), _text(error))))
    ended = _outcome(name, answer, error)
    subject = _subject(asked)
    failed = "" if ended.get("outcome") in (None, OK, UNKNOWN) else f" ({', '.join(_words(ended))})"
    return {
        "kind": "tool",
        "tool_name": tool,
        "summary": (f"{tool}: {subject}" if subject else f"{tool} called") + failed,
        "text": text,
        "detail": {**ended, **_remains(answer)},
    }


def _words(ended: Mapping[str, object]) -> Iterator[str]:
    yield str(ended["outcome"])
    if "exit_code" in ended:
        yield f"exit code {ended['exit_code']}"


def _outcome(name: str, answer: object, error: object) -> dict[str, object]:
    """Return how a tool call ended, with the exit code of a command; nothing if the event does not say that it ended."""
    fields = _object(answer)
    found = _EXIT_CODE.match(error) if isinstance(error, str) else None
    told = {**fields, **_object(fields.get("details"))}
    code = next((told[key] for key in _EXIT_CODE_NAMES if key in told), int(found[1]) if found else _last_code(fields))
    exit_code = {"exit_code": code} if isinstance(code, int) and not isinstance(code, bool) else {}
    if name in FAILURE_EVENTS or error or fields.get("error") or exit_code.get("exit_code"):
        return {"outcome": FAILED, **exit_code}
    if answer is None:
        return {}
    if fields.get("interrupted") is True:
        return {"outcome": "interrupted", **exit_code}
    # Claude Code has an event of its own for failures; Codex has not, and its answer is bare text.
    is_success = exit_code or (name in SUCCESS_EVENTS and not isinstance(answer, str))
    return {"outcome": OK if is_success else UNKNOWN, **exit_code}


def _last_code(fields: Mapping[str, object]) -> int | None:
    said = fields.get("llmContent")
    found = _EXIT_CODE_LINE.findall(said) if isinstance(said, str) else []
    return int(found[-1]) if found else None


def _decoded(answer: object) -> object:
    """Return an answer that is JSON in a text, as Cursor gives it, as the object that it is."""
    if not (isinstance(answer, str) and answer.startswith("{")):
        return answer
    try:
        found = json.loads(answer)
    except (ValueError, RecursionError):
        return answer
    return found if isinstance(found, dict) else answer


def _subject(asked: object) -> str:
    fields = _object(asked)
    found = next((fields[key] for key in _SUBJECTS if isinstance(fields.get(key), str)), "")
    return " ".join(str(found)[: 4 * MAX_SUBJECT_CHARS].split())[:MAX_SUBJECT_CHARS].rstrip()


def _text(value: object) -> str:
    """Return the text in a prompt or in a tool's answer."""
    if isinstance(value, Mapping):
        return "\n".join(filter(None, (_text(value[key]) for key in _OUTPUTS if key in value)))
    if isinstance(value, list):
        return "\n".join(filter(None, map(_text, value)))
    return value if isinstance(value, str) else ""


def _remains(answer: object) -> dict[str, object]:
    """Return the fields of a tool's answer that are not in its text."""
    rest = {key: value for key, value in _object(answer).items() if not (key in _OUTPUTS and _text(value))}
    return {"response": rest} if rest else {}


def _object(value: object) -> dict[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, Mapping) else {}
