"""Turn what a host sends after a tool into an event to capture: what was done, and how it ended.

PostToolUse of Bash, with all of its output  →  "Bash: make test (failed, exit code 2)", and the telling lines
"""

from collections.abc import Mapping
from contextlib import suppress

from satchel.domain import host_keys
from satchel.domain.hosts import CODEX
from satchel.interfaces.hooks.transcript import exit_code_of
from satchel.observations.host_event import FAILED, OK, from_host

# What these tools return can be had again at any time.
LOOKING_TOOLS = frozenset(
    [
        *(
            "read",
            "glob",
            "grep",
            "ls",
            "notebookread",
            "todowrite",
            "todoread",
            "toolsearch",
            "taskoutput",
            "bashoutput",
        ),
        *("read_file", "read_many_files", "list_directory", "search_file_content", "grep_search"),
    ]
)
# Output of our own tools is memories: capturing it would make evidence of them.
OWN_TOOLS = ("mcp__satchel__", "mcp_satchel_", "satchel__", "mcp:memory_")
OWN_COMMAND = "satchel"
# Their answer repeats the file.
WRITING_KEYS = ("content", "old_string", "new_string", "edits", "new_source", "patch")
MAX_DETAIL_CHARS = 1_000
# Far more than hosts pass on; the rest of an output is not searched.
MAX_OUTPUT_CHARS = 1_000_000
_SUBJECTS = ("command", "file_path", "path", "url", "pattern", "query", "description")
_NUMBERS = ("duration_ms", "duration")


def tool_event(host: str, given: Mapping[str, object]) -> dict[str, object] | None:
    """Return the event to capture, or None if the tool did nothing worth keeping."""
    meant = dict(from_host(given))
    tool = str(meant.get("tool_name") or "").lower()
    detail = _object(meant.get("detail"))
    asked = _object(given.get("tool_input"))
    failed = detail.get("outcome") == FAILED
    if tool.startswith(OWN_TOOLS) or _runs_satchel(asked) or (tool in LOOKING_TOOLS and not failed):
        return None
    ended = _ended(host, given, detail)
    text = _end(str(meant.get("text") or ""))
    return {
        "kind": "tool",
        "tool_name": meant.get("tool_name"),
        "summary": _summary(str(meant.get("summary") or ""), ended, was_known="exit_code" in detail or failed),
        "text": "" if ended.get("outcome") == OK and any(key in asked for key in WRITING_KEYS) else text,
        "detail": {**ended, **_details(asked, given)},
        **_source(host, meant),
        **{key: given[key] for key in ("timestamp", *host_keys.FOLDER) if _is_short(given.get(key))},
    }


def _ended(host: str, given: Mapping[str, object], detail: Mapping[str, object]) -> dict[str, object]:
    """Return the outcome, with the exit code of a command that Codex writes only into its transcript."""
    ended = {key: detail[key] for key in ("outcome", "exit_code") if key in detail}
    path, call = host_keys.first_of(host_keys.TRANSCRIPT, given), given.get("tool_use_id")
    if host != CODEX or "exit_code" in ended or not (_is_short(path) and isinstance(call, str)):
        return ended
    with suppress(OSError, ValueError):
        if (code := exit_code_of(str(path), call)) is not None:
            return {"outcome": FAILED if code else OK, "exit_code": code}
    return ended


def _summary(summary: str, ended: Mapping[str, object], *, was_known: bool) -> str:
    failed = ended.get("outcome") == FAILED and not was_known
    return f"{summary} ({FAILED}, exit code {ended['exit_code']})" if failed else summary


def _details(asked: Mapping[str, object], given: Mapping[str, object]) -> dict[str, object]:
    subjects = {key: str(asked[key])[:MAX_DETAIL_CHARS] for key in _SUBJECTS if isinstance(asked.get(key), str)}
    return subjects | {key: given[key] for key in _NUMBERS if isinstance(given.get(key), (int, float))}


def _source(host: str, meant: Mapping[str, object]) -> dict[str, object]:
    """Return the session and the call. The same call captured twice is one event."""
    session, call = meant.get("session_key"), meant.get("tool_call_id")
    named = {"id": f"{host}:{session}:{call}"} if isinstance(session, str) and isinstance(call, str) else {}
    return {**named, "session_key": session, "tool_call_id": call}


def _runs_satchel(asked: Mapping[str, object]) -> bool:
    command = asked.get("command")
    first = command[:MAX_DETAIL_CHARS].split(maxsplit=1)[:1] if isinstance(command, str) else []
    return any(word.rpartition("/")[2] == OWN_COMMAND for word in first)


def _end(text: str) -> str:
    """Return the end of a long output, from the start of a line on: half of a secret would not be recognized."""
    if len(text) <= MAX_OUTPUT_CHARS:
        return text
    return text[-MAX_OUTPUT_CHARS:].partition("\n")[2]


def _is_short(value: object) -> bool:
    return isinstance(value, str) and len(value) <= 4 * MAX_DETAIL_CHARS and "\0" not in value


def _object(value: object) -> dict[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, Mapping) else {}
