"""Commands that are no operations: they keep running and serve others. Each loads what it needs when it is run."""

from argparse import Namespace
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from satchel.config import Settings
from satchel.domain.scope import scope_name
from satchel.errors import InvalidRequest
from satchel.interfaces.operations import Parameter


@dataclass(frozen=True, slots=True)
class Command:
    """One such command: how it is named, what it takes, and how it is run until its exit code."""

    name: str
    help: str
    run: Callable[[Settings, Namespace], int]
    parameters: tuple[Parameter, ...] = ()
    details: str = ""
    epilog: str = ""


def _mcp(settings: Settings, given: Namespace) -> int:
    from satchel.interfaces.toolbox import Bounds

    scope = None if given.scope is None else scope_name(given.scope, settings.scope_policy)
    bounds = Bounds(scope, given.read_only or settings.read_only, _folder_for_files(given.files))
    # The SDK takes over a second to load: only this command pays for it.
    from satchel.interfaces.mcp.server import serve

    return serve(settings, bounds)


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

COMMANDS: tuple[Command, ...] = (
    Command(
        "mcp",
        "serve an agent over MCP on standard input and output",
        _mcp,
        parameters=(
            Parameter("scope", "fix the scope: every call runs in it, and the agent cannot name another"),
            Parameter("read_only", "offer only tools that change nothing", type=bool, default=False),
            Parameter("files", "folder in which the agent may export and import; without it, it can do neither"),
        ),
        details="Started by an MCP client, and ends with it. What an agent stores is untrusted, its source the client.",
        epilog=_MCP_CONFIGURATION,
    ),
)
