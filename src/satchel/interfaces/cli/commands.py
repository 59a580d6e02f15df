"""Commands that are no operations: they keep running and serve others. Each loads what it needs when it is run."""

from argparse import Namespace
from collections.abc import Callable
from dataclasses import dataclass

from satchel.config import Settings
from satchel.domain.scope import scope_name
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
    from satchel.interfaces.mcp.tools import Bounds

    bounds = Bounds(None if given.scope is None else scope_name(given.scope), given.read_only)
    # The SDK takes over a second to load: only this command pays for it.
    from satchel.interfaces.mcp.server import serve

    return serve(settings, bounds)


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
        ),
        details="Started by an MCP client, and ends with it. What an agent stores is untrusted, its source the client.",
        epilog=_MCP_CONFIGURATION,
    ),
)
