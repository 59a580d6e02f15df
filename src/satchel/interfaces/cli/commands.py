"""Commands that are no operations: they keep running and serve others. Each loads what it needs when it is run."""

import sys
import time
from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from msgspec import Struct

from satchel.config import SettingsSources
from satchel.domain.envelope import Ok, outcome_of
from satchel.domain.receipt import Receipt
from satchel.domain.scope import check_scope
from satchel.errors import InvalidRequest
from satchel.interfaces.cli.present import Screen
from satchel.interfaces.cli.views.serve import server_lines
from satchel.interfaces.http.status import ServerStatus
from satchel.interfaces.operations import Parameter
from satchel.wiring.adapters import ledger_path

MAX_PORT = 65_535


class Command(Struct, frozen=True):
    """One such command: how it is named, what it takes, and how it is run until its exit code."""

    name: str
    help: str
    run: Callable[[SettingsSources, Namespace], int]
    parameters: tuple[Parameter, ...] = ()
    details: str = ""
    epilog: str = ""


def _mcp(sources: SettingsSources, given: Namespace) -> int:
    settings = sources.settings
    from satchel.interfaces.toolbox import Bounds, tools_named

    scope = None if given.scope is None else check_scope(given.scope, settings.scope_policy)
    only = tools_named(given.only or ())
    bounds = Bounds(scope, given.read_only or settings.read_only, _folder_for_files(given.files), only)
    # The SDK takes over a second to load: only this command pays for it.
    from satchel.interfaces.mcp.server import serve

    return serve(settings, bounds)


def _serve(sources: SettingsSources, given: Namespace) -> int:
    settings = sources.settings
    home, screen = ledger_path(settings).parent, Screen(as_json=getattr(given, "json", False))
    if given.port is not None and not 0 <= given.port <= MAX_PORT:
        raise InvalidRequest(f"no port is called {given.port}", code="bad_port", hint=f"0 to {MAX_PORT}; 0 takes any")
    if given.status or given.stop:
        from satchel.interfaces.http.control import status_of, stop

        found = stop(home) if given.stop else status_of(home)
        screen.show(_told(found), view=server_lines)
        return 0 if given.stop else outcome_of(found)
    from satchel.interfaces.http.server import serve

    def tell(status: ServerStatus) -> None:
        screen.show(_told(status), view=server_lines)
        # Whoever started it may wait for this at the other end of a pipe.
        sys.stdout.flush()

    return serve(home, given.port, _folder_for_files(given.files), tell)


def _told(status: ServerStatus) -> Ok[ServerStatus]:
    return Ok(status, Receipt("serve", asked={}, decided={"running": status.running}, at=time.time_ns() // 1_000_000))


def _folder_for_files(name: str | None) -> Path | None:
    if name is None:
        return None
    folder = Path(name)
    with suppress(RuntimeError):  # a person nobody knows has no home folder
        folder = folder.expanduser()
    # An empty name would be the folder the server happens to be started in.
    if not name.strip() or not folder.is_dir():
        raise InvalidRequest(f"{name[:80]!r} is no folder", code="not_a_folder", hint="make it first")
    return folder.resolve()


_MCP_CONFIGURATION = """client configuration (Claude Code: .mcp.json; most clients take the same):
  {
    "mcpServers": {
      "satchel": {
        "command": "satchel",
        "args": ["mcp", "--scope", "project/example"]
      }
    }
  }"""


def _turn_before(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.hooks.turn import before

    return before(sources)


def _turn_after(sources: SettingsSources, given: Namespace) -> int:
    from satchel.interfaces.hooks.turn import after

    return after(sources)


_BEFORE_INPUT = """standard input, one object:
  {"prompt": "which day do we ship?", "scope": "project/shop",
   "messages": [{"role": "user", "content": "hello"}]}
standard output: {"ok": true, "result": {"block": "<relevant-memories>…", …}, "receipt": …}"""
_AFTER_INPUT = """standard input, one object:
  {"messages": [{"role": "user", "content": "From now on, always use tabs."}],
   "scope": "project/shop", "session": "s1"}
standard output: {"ok": true, "result": {"captured": […], …}, "receipt": …}"""
_NEVER_IN_THE_WAY = (
    "Takes one JSON object on standard input. Whatever goes wrong, it exits with 0 and an empty answer that says why."
)
_SERVE_EXAMPLES = """examples:
  satchel serve
  satchel serve --status
  curl --unix-socket ~/.local/share/satchel/serve.sock http://localhost/v1/recall \\
    -H "Authorization: Bearer $(cat ~/.local/share/satchel/serve.token)" --json '{"query": "release day"}'"""

COMMANDS: tuple[Command, ...] = (
    Command(
        "turn before",
        "print what goes in front of a prompt, for a host to prepend",
        _turn_before,
        details=_NEVER_IN_THE_WAY,
        epilog=_BEFORE_INPUT,
    ),
    Command(
        "turn after",
        "keep what a turn says of preferences and decisions",
        _turn_after,
        details=_NEVER_IN_THE_WAY,
        epilog=_AFTER_INPUT,
    ),
    Command(
        "mcp",
        "serve an agent over MCP on standard input and output",
        _mcp,
        parameters=(
            Parameter("scope", "fix the scope: every call runs in it, and the agent cannot name another"),
            Parameter("read_only", "offer only tools that change nothing", type=bool, default=False),
            Parameter("files", "folder in which the agent may export and import; without it, it can do neither"),
            Parameter("only", "offer this tool and no others", flag="tool", repeated=True, default=()),
        ),
        details="Started by an MCP client, and ends with it. What an agent stores is untrusted, its source the client.",
        epilog=_MCP_CONFIGURATION,
    ),
    Command(
        "serve",
        "keep the store open for your other commands and for programs, until stopped",
        _serve,
        parameters=(
            Parameter("port", "listen on this port of 127.0.0.1 as well", type=int),
            Parameter("files", "folder in which agents may export and import; without it, they can do neither"),
            Parameter("status", "say whether a server runs for this store", type=bool, default=False),
            Parameter("stop", "stop it, and wait until it has finished what it was doing", type=bool, default=False),
        ),
        details="Commands use it when it runs with the same settings, and do the same without it. It listens on a socket "
        "in the store's folder, for you alone, and ends with Ctrl-C.",
        epilog=_SERVE_EXAMPLES,
    ),
)
