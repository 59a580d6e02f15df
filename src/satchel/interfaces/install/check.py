"""Test the MCP server and a hook with the exact commands that were written for a host."""

import json
import subprocess
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from satchel import __version__
from satchel.config.sources import CATALOGUE
from satchel.domain.hosts import HOOK_EVENTS, OPENCLAW
from satchel.errors import Unavailable
from satchel.interfaces.install.answers import InstallCheck, Level
from satchel.interfaces.install.hosts import hook_command, host_program, mcp_command
from satchel.interfaces.install.machine import Machine

MAX_SECONDS = 60.0
END_SECONDS = 5.0
TOOLS_ID = 2
_MAX_SAID = 500
_PROTOCOL = "2025-06-18"


def check_commands(machine: Machine, host: str, level: Level, folder: Path) -> tuple[InstallCheck, ...]:
    """Run the commands that a host would, in a folder, or raise Unavailable."""
    # The attempt starts no server and is not listed among the turns of the agent.
    off = ("serve.on_demand", "receipts.enabled")
    variables = dict(machine.variables) | {CATALOGUE[one].variable: "false" for one in off}
    checks = []
    if host != OPENCLAW:
        tools = _tools(mcp_command(machine, level), folder, variables)
        checks.append(InstallCheck("mcp", True, f"the MCP server answers and offers {len(tools)} tools"))
    for event in HOOK_EVENTS.get(host, ())[:1]:
        _run_hook(hook_command(machine, level, host, event), event, folder, variables)
        checks.append(InstallCheck("hook", True, f"the hook {event} runs"))
    return tuple(checks)


def check_configuration(machine: Machine, host: str) -> tuple[InstallCheck, ...]:
    """Let OpenClaw check its configuration, if its program is there: it refuses to start with an invalid one."""
    program = host_program(machine, host) if host == OPENCLAW else ""
    if not program:
        return ()
    try:
        done = subprocess.run(
            (program, "config", "validate"),
            capture_output=True,
            env=machine.variables,
            timeout=MAX_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ()
    name = "openclaw config validate"
    if done.returncode == 0:
        return (InstallCheck(name, True, f"'{name}' accepts the configuration"),)
    said = " ".join((done.stderr + done.stdout).decode("utf-8", "replace").split())[:_MAX_SAID]
    return (InstallCheck(name, False, f"'{name}' says: {said}"),)


def _tools(command: tuple[str, ...], folder: Path, variables: Mapping[str, str]) -> list[Any]:
    client = {"name": "satchel-install", "version": __version__}
    hello = {"protocolVersion": _PROTOCOL, "capabilities": {}, "clientInfo": client}
    messages = (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": TOOLS_ID, "method": "tools/list", "params": {}},
    )
    try:
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=folder, env=variables
        )
    except OSError as error:
        raise _failed(command, f"cannot be run: {error.strerror}") from None
    with process, _killed_in_the_end(process):
        assert process.stdin is not None
        assert process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.writelines(json.dumps(one).encode() + b"\n" for one in messages)
            process.stdin.flush()
        found = next((tools for line in process.stdout if (tools := _listed_tools(line)) is not None), None)
        with suppress(BrokenPipeError):
            process.stdin.close()
    if not found:
        raise _failed(command, "did not answer")
    return found


def _listed_tools(line: bytes) -> list[Any] | None:
    """Return the tools in an answer; None if it is another one."""
    answer = _parsed(line) or {}
    result = answer.get("result")
    tools = result.get("tools") if answer.get("id") == TOOLS_ID and isinstance(result, dict) else None
    return tools if isinstance(tools, list) else None


@contextmanager
def _killed_in_the_end(process: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Kill a process that does not answer in time, or does not end after that."""
    timer = threading.Timer(MAX_SECONDS, process.kill)
    timer.start()
    try:
        yield
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
    finally:
        timer.cancel()


def _parsed(line: bytes) -> dict[str, Any] | None:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _run_hook(command: tuple[str, ...], event: str, folder: Path, variables: Mapping[str, str]) -> None:
    given = {"session_id": "satchel-install", "cwd": str(folder), "hook_event_name": event, "source": "startup"}
    try:
        done = subprocess.run(
            command,
            input=json.dumps(given).encode(),
            capture_output=True,
            cwd=folder,
            env=variables,
            timeout=MAX_SECONDS,
            check=False,
        )
    except OSError as error:
        raise _failed(command, f"cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise _failed(command, f"took longer than {MAX_SECONDS:.0f} s") from None
    if done.returncode != 0:
        raise _failed(command, f"ended with exit code {done.returncode}")
    if done.stdout.strip() and _parsed(done.stdout) is None:
        raise _failed(command, "does not answer in JSON")


def _failed(command: tuple[str, ...], problem: str) -> Unavailable:
    return Unavailable(
        f"'{' '.join(command)}' {problem}; the host was not changed",
        code="install_check",
        hint="run it by hand to see why, or 'satchel doctor'",
    )
