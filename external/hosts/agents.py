"""Claude Code and Codex, driven one session at a time."""

import json
import subprocess
from pathlib import Path

from msgspec import Struct

from external.hosts.model import Model
from external.hosts.scratch import PROGRAMS, Scratch
from external.hosts.wire import Request
from satchel.domain.hosts import CLAUDE_CODE, CODEX

CODEX_CONFIG = """\
# my own settings
model = "mock"
model_provider = "mock"

[model_providers.mock]
name = "Mock"
base_url = "{url}/v1"
wire_api = "responses"
"""
SECONDS = 300.0
# Both hosts wait about a second for an MCP server before their first request. A busy machine may start any server too late.
ATTEMPTS = 4
CLAUDE_SETTINGS = '{\n    "permissions": {"deny": ["WebFetch"]}\n}\n'


class Session(Struct, frozen=True):
    """What one session of a host came to."""

    output: str
    requests: list[Request]

    @property
    def text(self) -> str:
        """Everything that the model was shown."""
        return "\n".join(request.text for request in self.requests)

    @property
    def tools(self) -> set[str]:
        """The tools of Satchel in the first request."""
        return {name for name in self.requests[0].tools if name.startswith("mcp__satchel__")}

    @property
    def answered(self) -> bool:
        """Whether the host showed the answer of the model."""
        return json.dumps("Understood.") in self.output


class Agent(Struct, frozen=True):
    """One host with its model, in a scratch home."""

    host: str
    scratch: Scratch
    model: Model

    def configure(self) -> None:
        """Write what a user of the host has configured before Satchel comes."""
        if self.host == CODEX:
            self._write(".codex/config.toml", CODEX_CONFIG.format(url=self.model.url))
        else:
            self._write(".claude/settings.json", CLAUDE_SETTINGS)

    def _write(self, name: str, text: str) -> None:
        path = self.scratch.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def install(self) -> None:
        """Set Satchel up in the host."""
        self.scratch.run("satchel", "install", self.host, "--yes")

    def uninstall(self) -> None:
        """Take Satchel out of the host again."""
        self.scratch.run("satchel", "uninstall", self.host, "--yes")

    def say(self, prompt: str, project: Path, *, resume: bool = False, trusting: bool = True) -> Session:
        """Run a session with one prompt, a new one or the last one again, to its end."""
        before = len(self.model.requests)
        running = self.start(prompt, project, resume=resume, trusting=trusting)
        output, errors = running.communicate(timeout=SECONDS)
        assert running.returncode == 0, f"{output}\n{errors}"
        return Session(output + errors, self.model.requests[before:])

    def say_with_tools(self, prompt: str, project: Path, *, trusting: bool = True) -> Session:
        """Run new sessions with one prompt until one has tools of Satchel in its first request, and return that one."""
        for _ in range(ATTEMPTS):
            session = self.say(prompt, project, trusting=trusting)
            if session.tools:
                return session
        raise AssertionError(f"no tool of ours was in the first request of {ATTEMPTS} sessions")

    def start(
        self, prompt: str, project: Path, *, resume: bool = False, trusting: bool = True
    ) -> subprocess.Popen[str]:
        """Start a session with one prompt; `trusting` lets Codex run hooks that nobody has trusted yet."""
        command = _codex(resume, trusting) if self.host == CODEX else _claude(resume)
        return subprocess.Popen(
            [*command, prompt],
            cwd=project,
            env=self.scratch.variables | claude_variables(self.model),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )


def claude_variables(model: Model) -> dict[str, str]:
    """Return the environment that points Claude Code at the mock model."""
    return {
        "ANTHROPIC_BASE_URL": model.url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
        # Otherwise the tools of MCP servers are found by a search tool only.
        "ENABLE_TOOL_SEARCH": "false",
    }


def _codex(resume: bool, trusting: bool) -> list[str]:
    command = [str(PROGRAMS / "codex"), "exec", *(["resume", "--last"] if resume else []), "--json"]
    return [*command, "--skip-git-repo-check", *(["--dangerously-bypass-hook-trust"] if trusting else [])]


def _claude(resume: bool) -> list[str]:
    command = [str(PROGRAMS / "claude"), *(["--continue"] if resume else []), "--output-format", "json"]
    return [*command, "--allowedTools=Bash,mcp__satchel", "-p"]


AGENTS = (CLAUDE_CODE, CODEX)
"""The hosts that are driven by their command line."""
