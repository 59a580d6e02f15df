"""The edges of a running store: the command line, HTTP, MCP over standard streams and over HTTP."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from satchel.interfaces.agents import tool_name
from satchel.interfaces.cli.table import command_name
from satchel.interfaces.operations import Operation, Parameter
from tests.interfaces.http.running import PATIENCE, Reply, Server

HELLO: dict[str, Any] = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "raw", "version": "1"},
}
_ACCEPT = {"Accept": "application/json, text/event-stream"}


def rpc(method: str, params: Any, id: int = 1) -> dict[str, Any]:
    """Return a JSON-RPC request."""
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def command_words(operation: Operation, call: Mapping[str, Any], folder: Path) -> list[str]:
    """Return the command that makes a call."""
    known = {one.name: one for one in operation.parameters}
    options, positional = [], []
    for name, value in call.items():
        one = known[name]
        for text in _texts(one, value, folder):
            if one.positional:
                positional.append(text)
            else:
                options += [one.option] if one.type is bool else [f"{one.option}={text}"]
    return [*command_name(operation).split(), *options, "--json", *(["--", *positional] if positional else [])]


def _texts(parameter: Parameter, value: Any, folder: Path) -> list[str]:
    if parameter.type is bool:
        return [""] if value != parameter.default else []
    if parameter.in_file:
        file = folder / f"{parameter.name}.json"
        file.write_text(json.dumps(value), encoding="utf-8")
        return [str(file)]
    if parameter.repeated:
        return [one if isinstance(one, str) else json.dumps(one) for one in value]
    return [value if isinstance(value, str) else json.dumps(value)]


class StdioServer(NamedTuple):
    """`satchel mcp` as a process."""

    process: "subprocess.Popen[bytes]"

    def call(self, operation: Operation, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the answer's line."""
        return self.ask("tools/call", {"name": tool_name(operation), "arguments": arguments})

    def ask(self, method: str, params: Any) -> str:
        """Send a request and return the answer's line."""
        assert self.process.stdin is not None and self.process.stdout is not None
        self.process.stdin.write(json.dumps(rpc(method, params)).encode() + b"\n")
        self.process.stdin.flush()
        return self.process.stdout.readline().decode()


@contextmanager
def stdio_server(home: Path, *options: str) -> Iterator[StdioServer]:
    """Start `satchel mcp`, shake hands, and stop it at the end."""
    command = [sys.executable, "-m", "satchel", "mcp", "--home", str(home), *options]
    environment = {**os.environ, "SATCHEL_EMBEDDER": "hashing"}
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, env=environment) as process:
        try:
            server = StdioServer(process)
            assert "serverInfo" in server.ask("initialize", HELLO)
            assert process.stdin is not None
            process.stdin.write(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}\n')
            yield server
            process.stdin.close()
            process.wait(PATIENCE)
        finally:
            process.kill()


class McpRoute:
    """A session at /mcp of a running server."""

    def __init__(self, server: Server, options: str) -> None:
        self._server = server
        self._route = f"/mcp{options}"
        answer = server.ask(self._route, rpc("initialize", HELLO), headers=_ACCEPT)
        assert answer.status == 200, answer.body
        self._headers = _ACCEPT | {
            "Mcp-Session-Id": answer.headers["mcp-session-id"],
            "Mcp-Protocol-Version": HELLO["protocolVersion"],
        }

    def call(self, operation: Operation, arguments: Mapping[str, Any]) -> str:
        """Call a tool and return the body of the answer."""
        return self.ask("tools/call", {"name": tool_name(operation), "arguments": dict(arguments)}).body.decode()

    def ask(self, method: str, params: Any) -> Reply:
        """Send a request."""
        return self._server.ask(self._route, rpc(method, params), headers=self._headers)
