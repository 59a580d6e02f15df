"""What `satchel --help` shows: every command or group in one line, by what it is for.

A new first word of a command is declared here, in one section. Nothing is loaded for it, so it is shown at once.
"""

from collections.abc import Mapping

DESCRIPTION = "One memory for every agent you run: local, deterministic, auditable."

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "everyday": {
        "store": "store a memory",
        "recall": "find the memories that answer a question",
        "get": "show one memory or observation with its history",
        "list": "list memories, newest first",
        "edit": "change a memory, in your editor or by options",
        "forget": "erase a memory or observation everywhere",
        "open": "open the inspector, pages about your store, in the browser",
        "review": "look through what agents, tools, web pages and files stored",
        "confirm": "make records trusted, as if you had stored them yourself",
        "undo": "take back the last change, such as a store, an edit or an import",
        "why": "explain an answer: what was searched, chosen and excluded, and by which rule",
        "why-not": "explain why a recall does not return a record",
        "answers": "list recent turns, packs, routes and recalls, and how much each contains",
        "uses": "show which recalls, turns and packs used a memory",
    },
    "import and export": {
        "import": "import notes, chats and the memories of other programs",
        "export": "write memories to a file",
        "writeback-lancedb": "write grades and trust into a LanceDB table of another program",
        "docs": "ingest and search folders of Markdown, text and source code",
        "episodes": "store and search conversation turns verbatim",
        "conversation": "store whole conversations, with summaries and decisions",
        "capture": "write events to the spool, from a hook",
        "ingest": "move events from the spool into the ledger",
    },
    "agents": {
        "install": "install Satchel into an agent host, such as Claude Code",
        "uninstall": "remove Satchel from an agent host",
        "rollout": "move OpenClaw's memory slot to Satchel in stages, and back",
        "mcp": "serve an agent over MCP on standard input and output",
        "serve": "run a server that keeps the store loaded, for commands and programs",
        "worker": "embed new records in the background, alongside other workers",
        "user": "add, list, change and remove users of the server",
        "token": "create, list and revoke tokens for users and programs of the server",
        "hook": "handle a hook event of Claude Code, Codex, Gemini CLI or Cursor",
        "turn": "run the steps around a turn of an agent, for its host",
        "pack": "build a small, cited context for a request",
        "attention": "make packets of working memory for the steps of an agent",
        "tool": "call a memory tool as an agent does, to see what it sees",
    },
    "knowledge": {
        "search": "find observations by their words",
        "timeline": "show the events around a record",
        "observations": "show the observational log of a scope",
        "artifacts": "show payloads that were too long for an observation",
        "fact": "record facts about subjects over time, with their sources",
        "graph": "find how entities are connected, and why",
        "conflicts": "list memories that contradict each other",
        "route": "send a question to the most suitable backend",
        "backends": "test and configure the backends of the router",
    },
    "maintenance": {
        "doctor": "check the store, and repair it with --fix",
        "check": "run a quick health check of the store",
        "backup": "back the whole store up into one file, and restore it",
        "move": "copy the store into a database, or back into a file",
        "scopes": "list, rename, merge and delete scopes",
        "stats": "count the records",
        "config": "show, explain and change the settings",
        "model": "install and check the embedding models",
        "index": "check, build and rebuild the search index",
        "tag": "name points in the history, and restore memories to them",
        "grade": "grade records that have no importance yet",
        "lifecycle": "archive unused records, and bring them back",
        "drift": "show how labels, captures and archiving change over time",
        "receipts": "list and verify the receipts of what was done",
        "eval": "measure how well recall answers known questions",
        "demo": "run a guided demo on sample data, in its own folder",
        "completion": "print a script that completes commands in your shell",
        "help": "show the help of a command",
    },
}
"""The first word of every command, with a summary; for a group of commands it is the description of the group."""

SUMMARIES: Mapping[str, str] = {word: text for section in SECTIONS.values() for word, text in section.items()}

EXAMPLES = (
    'satchel store "We ship on Thursdays" --kind decision',
    'satchel recall "when do we release?"',
    "satchel mcp --scope auto",
)

_USAGE = "usage: satchel [--home FOLDER] [--json] COMMAND ..."
_OPTIONS: Mapping[str, str] = {
    "--home FOLDER": "use the store in this folder",
    "--store ADDRESS": "use the store in this database: postgresql://user@host/database",
    "--json": "answer with one JSON object",
    "--version": "show the version",
    "-h, --help": "show this help",
}
_READ_ON = """'satchel help COMMAND' explains a command and shows examples.
The guides are listed in docs/index.md of the repository.
Exit codes: 0 done, 1 failed, 2 invalid request, 3 the store is newer or damaged."""


def overview() -> str:
    """Return the help of the whole program."""
    tables = {**{f"{title}:": section for title, section in SECTIONS.items()}, "options:": _OPTIONS}
    width = max(len(name) for table in tables.values() for name in table)
    blocks = [_USAGE, DESCRIPTION]
    for title, table in tables.items():
        blocks.append("\n".join([title, *(f"  {name:<{width}}  {text}" for name, text in table.items())]))
    blocks.append("\n".join(["examples:", *(f"  {example}" for example in EXAMPLES)]))
    return "\n\n".join([*blocks, _READ_ON]) + "\n"
