"""What each host needs: its files, and our entries in them."""

import shlex
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct

from satchel.domain.hosts import CLAUDE_CODE, CODEX, CODEX_NOTIFY, CURSOR, GEMINI, HOOK_EVENTS, OPENCLAW
from satchel.domain.scope_name import AUTO_SCOPE
from satchel.errors import InvalidRequest
from satchel.interfaces.install.answers import Level
from satchel.interfaces.install.codex_trust import Trust
from satchel.interfaces.install.documents import Format
from satchel.interfaces.install.entries import Entry, Hooks, Item, Member, Notify
from satchel.interfaces.install.machine import Machine

NAME = "satchel"
HOOK_SECONDS = 10
_MILLISECONDS = 1_000
# Codex allows no more at the end of a session, and warns about it.
_TIMEOUTS = {(CODEX, "SessionEnd"): 3}
# How the path of the plugin ends in an installed package.
_PLUGIN = "satchel/plugins/openclaw"
_MCP_SERVERS = ("mcpServers", NAME)


class HostFile(Struct, frozen=True):
    """A configuration file and our entries in it."""

    path: Path
    format: Format
    entries: tuple[Entry, ...]


class Host(Struct, frozen=True):
    """How a host is recognized and configured."""

    title: str
    programs: tuple[str, ...]
    folder: Callable[[Machine], Path]
    """Its folder in the person's home."""
    files: Callable[[Machine, Level], tuple[HostFile, ...]]
    next_steps: Mapping[Level, tuple[str, ...]]
    """What the person has to do after an installation."""


def host_program(machine: Machine, host: str) -> str:
    """Return the path of a host's program; empty if it is not on PATH."""
    path = machine.variables.get("PATH")
    return next((found for one in TABLE[host].programs if (found := shutil.which(one, path=path))), "")


def mcp_command(machine: Machine, level: Level) -> tuple[str, ...]:
    """Return the command of the MCP server."""
    return (*_program(machine, level), "mcp", "--scope", AUTO_SCOPE, *_store_option(machine))


def hook_command(machine: Machine, level: Level, host: str, event: str) -> tuple[str, ...]:
    """Return the command of a hook."""
    return (*_program(machine, level), "hook", host, event, *_store_option(machine))


def _program(machine: Machine, level: Level) -> tuple[str, ...]:
    # The files of a project are shared with others, whose paths differ.
    return (NAME,) if level is Level.PROJECT and machine.on_path else machine.program


def _store_option(machine: Machine) -> tuple[str, ...]:
    return () if machine.store is None else ("--home", str(machine.store))


def _server(machine: Machine, level: Level, **more: Any) -> dict[str, Any]:
    command, *arguments = mcp_command(machine, level)
    return more | {"command": command, "args": arguments}


def _hooks(machine: Machine, level: Level, host: str, timeout: int | None, *, grouped: bool = True) -> Hooks:
    events = HOOK_EVENTS.get(host, ())
    commands = {event: shlex.join(hook_command(machine, level, host, event)) for event in events}
    timeouts = {} if timeout is None else {event: _TIMEOUTS.get((host, event), timeout) for event in events}
    return Hooks(("hooks",), host, commands, timeouts, grouped)


def _claude_folder(machine: Machine) -> Path:
    return machine.folder("CLAUDE_CONFIG_DIR", ".claude")


def _claude_files(machine: Machine, level: Level) -> tuple[HostFile, ...]:
    if level is Level.PROJECT:
        servers, folder = machine.project / ".mcp.json", machine.project / ".claude"
    else:
        folder = _claude_folder(machine)
        # Without the variable this file lies beside the folder.
        inside = bool(machine.variables.get("CLAUDE_CONFIG_DIR", "").strip())
        servers = (folder if inside else machine.home) / ".claude.json"
    server = Member(_MCP_SERVERS, _server(machine, level, type="stdio"))
    hooks = _hooks(machine, level, CLAUDE_CODE, HOOK_SECONDS)
    return (
        HostFile(servers, Format.JSON, (server,)),
        HostFile(folder / "settings.json", Format.JSON, (hooks,)),
    )


def _codex_folder(machine: Machine) -> Path:
    return machine.folder("CODEX_HOME", ".codex")


def _codex_files(machine: Machine, level: Level) -> tuple[HostFile, ...]:
    folder = machine.project / ".codex" if level is Level.PROJECT else _codex_folder(machine)
    server = Member(("mcp_servers", NAME), _server(machine, level))
    notify = Notify(hook_command(machine, level, CODEX, CODEX_NOTIFY))
    hooks = _hooks(machine, level, CODEX, HOOK_SECONDS)
    entries: list[Entry] = [server, notify]
    if level is Level.USER:
        entries.append(Trust(folder / "hooks.json", hooks))
    return (
        HostFile(folder / "config.toml", Format.TOML, tuple(entries)),
        HostFile(folder / "hooks.json", Format.JSON, (hooks,)),
    )


def _openclaw_folder(machine: Machine) -> Path:
    state = machine.variables.get("OPENCLAW_STATE_DIR", "").strip()
    if state:
        return machine.folder("OPENCLAW_STATE_DIR")
    return machine.folder("OPENCLAW_HOME") / ".openclaw"


def _openclaw_files(machine: Machine, level: Level) -> tuple[HostFile, ...]:
    if level is Level.PROJECT:
        raise InvalidRequest(
            "OpenClaw has no configuration for a project", code="no_project_level", hint="install it with --user"
        )
    named = machine.variables.get("OPENCLAW_CONFIG_PATH", "").strip()
    path = machine.folder("OPENCLAW_CONFIG_PATH") if named else _openclaw_folder(machine) / "openclaw.json"
    config = {
        "command": machine.script,
        "home": None if machine.store is None else str(machine.store),
    }
    entry = {"enabled": True, "hooks": {"allowConversationAccess": True}, "config": config}
    entries: tuple[Entry, ...] = (
        Item(("plugins", "load", "paths"), str(machine.plugin or _PLUGIN), stale=(_PLUGIN,)),
        # Where a person lists the plugins that may be loaded, ours must be among them.
        Item(("plugins", "allow"), NAME, only_in_existing=True),
        Member(("plugins", "slots", "memory"), NAME),
        Member(("plugins", "entries", NAME), entry),
    )
    return (HostFile(path, Format.JSON5, entries),)


def _cursor_folder(machine: Machine) -> Path:
    return machine.home / ".cursor"


def _cursor_files(machine: Machine, level: Level) -> tuple[HostFile, ...]:
    folder = machine.project / ".cursor" if level is Level.PROJECT else _cursor_folder(machine)
    server = HostFile(folder / "mcp.json", Format.JSON5, (Member(_MCP_SERVERS, _server(machine, level)),))
    if not HOOK_EVENTS.get(CURSOR):
        return (server,)
    hooks = _hooks(machine, level, CURSOR, None, grouped=False)
    return (
        server,
        HostFile(folder / "hooks.json", Format.JSON5, (Member(("version",), 1, only_if_missing=True), hooks)),
    )


def _gemini_folder(machine: Machine) -> Path:
    return machine.home / ".gemini"


def _gemini_files(machine: Machine, level: Level) -> tuple[HostFile, ...]:
    folder = machine.project / ".gemini" if level is Level.PROJECT else _gemini_folder(machine)
    server = Member(_MCP_SERVERS, _server(machine, level))
    hooks = _hooks(machine, level, GEMINI, HOOK_SECONDS * _MILLISECONDS)
    return (HostFile(folder / "settings.json", Format.JSON5, (server, hooks)),)


_CODEX_TRUST = (
    "start codex, type /hooks and trust the hooks of satchel: until then Codex skips them without a message. The same "
    "after an update that changes them"
)
TABLE: Mapping[str, Host] = {
    CLAUDE_CODE: Host(
        "Claude Code",
        ("claude",),
        _claude_folder,
        _claude_files,
        {
            Level.USER: ("restart Claude Code; /mcp and /hooks list satchel",),
            Level.PROJECT: ("start Claude Code in this folder and approve the MCP server satchel when it asks",),
        },
    ),
    CODEX: Host(
        "Codex",
        ("codex",),
        _codex_folder,
        _codex_files,
        {
            Level.USER: (_CODEX_TRUST,),
            Level.PROJECT: ("Codex reads .codex only in a project that you trust", _CODEX_TRUST),
        },
    ),
    OPENCLAW: Host(
        "OpenClaw",
        ("openclaw",),
        _openclaw_folder,
        _openclaw_files,
        {
            Level.USER: (
                "run 'openclaw gateway restart' if a gateway runs",
                "'satchel uninstall openclaw' gives the memory slot back to the plugin that had it",
            )
        },
    ),
    CURSOR: Host(
        "Cursor",
        ("cursor", "cursor-agent"),
        _cursor_folder,
        _cursor_files,
        dict.fromkeys(Level, ("restart Cursor and turn satchel on under Settings, MCP",)),
    ),
    GEMINI: Host(
        "Gemini CLI",
        ("gemini",),
        _gemini_folder,
        _gemini_files,
        dict.fromkeys(Level, ("restart Gemini CLI; /mcp and /hooks list satchel",)),
    ),
}
"""The hosts, by name."""
