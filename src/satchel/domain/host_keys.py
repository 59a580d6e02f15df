"""The keys that hosts use in the input of their hooks. Loaded by the capture hook, so it loads nothing else.

Claude Code, Codex, Gemini CLI and Cursor send one flat object; Codex also notifies with hyphenated keys; a plugin of OpenClaw
passes on an event and its context.
"""

from collections.abc import Mapping

PROMPT = ("prompt", "currentUserMessage")
SESSION = (
    "session",
    "session_key",
    "sessionKey",
    "session_id",
    "sessionId",
    "thread-id",
    "thread_id",
    "conversation_id",
)
FOLDER = ("cwd", "workspaceDir")
FOLDERS = "workspace_roots"
"""The folders of Cursor's window, which may have several."""
MESSAGES = ("messages",)
USER_MESSAGES = ("input-messages", "input_messages")
TRANSCRIPT = ("transcript_path", "sessionFile")
LAST_ANSWER = ("last_assistant_message", "last-assistant-message", "prompt_response")
EVENT_NAME = ("hook_event_name",)
NOTIFICATION = "agent-turn-complete"
"""The type of Codex' notification."""
OPENCLAW = "openclaw"
OPENCLAW_NAMES = ("runId", "sessionKey", "workspaceDir", "toolName", "toolCallId", "currentUserMessage")
"""Keys that only OpenClaw uses."""

# Known, and of no use to a turn.
UNUSED = frozenset(
    # Claude Code, Codex and Gemini CLI
    [
        "agent_id",
        "agent_transcript_path",
        "agent_type",
        "background_tasks",
        "compact_summary",
        "custom_instructions",
        "duration_ms",
        "error",
        "is_interrupt",
        "mcp_server",
        "mcp_context",
        "model",
        "permission_mode",
        "reason",
        "session_crons",
        "source",
        "stop_hook_active",
        "stop_response",
        "timestamp",
        "tool_input",
        "tool_name",
        "tool_response",
        "tool_use_id",
        "trigger",
        "prompt_id",
        "turn_id",
        "turn-id",
        "type",
        "client",
        "abortSignal",
        "activeProjectKeys",
        "agentId",
        "channel",
        "chatId",
        "contextTokenBudget",
        "currentUserMessageId",
        "derivedPaths",
        "durationMs",
        "inputProvenance",
        "isSynthetic",
        "messageCount",
        "message",
        "modelId",
        "modelProviderId",
        "params",
        "previousSessionId",
        "queuedInjections",
        "requester",
        "result",
        "resumedFrom",
        "runId",
        "senderId",
        "success",
        "tokenCount",
        "toolAuthority",
        "toolCallId",
        "toolKind",
        "toolName",
    ]
)


def flatten(given: Mapping[str, object]) -> dict[str, object]:
    """Return the input as one flat object: an event of OpenClaw is merged with its context."""
    event = given.get("event")
    context = given.get("ctx", given.get("context"))
    if not isinstance(event, Mapping):
        return dict(given)
    rest = {name: value for name, value in given.items() if name not in ("event", "ctx", "context")}
    return {**(context if isinstance(context, Mapping) else {}), **event, **rest}


def first_of(names: tuple[str, ...], given: Mapping[str, object]) -> object:
    """Return the value of the first of several keys that has one."""
    return next((given[name] for name in names if given.get(name) is not None), None)


def event_name(given: Mapping[str, object]) -> str:
    """Return the host's name of the event, or of the host if it does not name its events; empty if no host sent it."""
    named = first_of(EVENT_NAME, given)
    if isinstance(named, str) and named:
        return named
    if given.get("type") == NOTIFICATION:
        return NOTIFICATION
    return OPENCLAW if any(name in given for name in OPENCLAW_NAMES) else ""
