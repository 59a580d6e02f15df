"""The agent hosts that Satchel can be installed into, and the hook events that it handles in each.

Loaded by hooks, so it loads nothing else.
"""

CLAUDE_CODE, CODEX, OPENCLAW, CURSOR, GEMINI = "claude-code", "codex", "openclaw", "cursor", "gemini"
HOSTS = (CLAUDE_CODE, CODEX, OPENCLAW, CURSOR, GEMINI)
HOOK_EVENTS = {
    CLAUDE_CODE: (
        "SessionStart",
        "UserPromptSubmit",
        "PostToolUse",
        "PostToolUseFailure",
        "PreCompact",
        "Stop",
        "SessionEnd",
    ),
    CODEX: ("SessionStart", "UserPromptSubmit", "PostToolUse", "PreCompact", "Stop", "SessionEnd"),
    # It takes context only at the start of a session.
    CURSOR: ("sessionStart", "beforeSubmitPrompt", "postToolUse", "postToolUseFailure"),
    GEMINI: ("SessionStart", "BeforeAgent", "AfterTool", "AfterAgent", "PreCompress", "SessionEnd"),
}
"""The events that `satchel hook HOST EVENT` handles, in the order of a session. OpenClaw has a plugin instead."""
CODEX_NOTIFY = "notify"
"""The event of Codex' `notify` program, which gets its input as last argument. Not needed where its hooks run."""
