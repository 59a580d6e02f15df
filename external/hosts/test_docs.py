"""Every step of docs/hosts.md runs, in a scratch home with the real hosts, and leads to a working memory."""

import json
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from external.hosts.agents import CODEX_CONFIG, claude_variables
from external.hosts.codex_trust import trust_hooks
from external.hosts.model import Model
from external.hosts.scratch import Scratch

PAGE = Path(__file__).parents[2] / "docs" / "hosts.md"
# A user gets it from npm; here it is installed already.
INSPECTOR = ("npx @modelcontextprotocol/inspector", "mcp-inspector")
SECONDS = 300.0


def steps(section: str) -> list[str]:
    """Return the commands of a section."""
    [text] = re.findall(rf"^## {section}\n(.*?)(?=^## |\Z)", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    blocks = re.findall(r"```sh\n(.*?)```", text, re.DOTALL)
    return [line for block in blocks for line in block.splitlines() if line]


class Reader:
    """Someone who types what the page says, in a project."""

    def __init__(self, scratch: Scratch, model: Model) -> None:
        self.scratch, self.model, self.project = scratch, model, scratch.project("shop")

    def follow(self, section: str) -> list[str]:
        """Run every step of a section and return what each printed."""
        return [self.type(step) for step in steps(section)]

    def type(self, step: str) -> str:
        """Run one step; it must succeed."""
        done = subprocess.run(
            ["bash", "-c", step.replace(*INSPECTOR)],
            cwd=self.project,
            env=self.scratch.variables | claude_variables(self.model),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=SECONDS,
        )
        assert done.returncode == 0, f"{step}\n{done.stdout}\n{done.stderr}"
        return done.stdout

    def write(self, name: str, text: str) -> None:
        """Write a file of the reader's own."""
        path = self.scratch.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    @property
    def last_request(self) -> str:
        """What the model was shown last."""
        return self.model.requests[-1].text


@pytest.fixture
def reader(scratch: Scratch, model: Model) -> Reader:
    """A reader with nothing installed but Satchel and the hosts."""
    return Reader(scratch, model)


def test_every_command_of_the_page_is_in_a_section_that_is_tested() -> None:
    page = PAGE.read_text(encoding="utf-8")
    titles = re.findall(r"^## (.*)$", page, re.MULTILINE)

    assert [title for title in titles if steps(title)] == [
        "Claude Code",
        "Codex",
        "OpenClaw",
        "Cursor",
        "Gemini CLI",
        "Any other MCP client",
        "Check and undo",
    ]


def test_claude_code(reader: Reader) -> None:
    reader.follow("Claude Code")

    assert "Thursdays" in reader.last_request


def test_codex(reader: Reader) -> None:
    reader.write(".codex/config.toml", CODEX_CONFIG.format(url=reader.model.url))
    install, *sessions = steps("Codex")

    reader.type(install)
    trust_hooks(reader.scratch, reader.project)
    for session in sessions:
        reader.type(session)

    assert "Thursdays" in reader.last_request


def test_openclaw(reader: Reader) -> None:
    reader.write(".openclaw/openclaw.json", json.dumps(_openclaw(reader), indent=2))

    reader.follow("OpenClaw")

    assert "Thursdays" in reader.last_request


def _openclaw(reader: Reader) -> dict[str, Any]:
    """Return the configuration of someone who uses OpenClaw with the mock model."""
    cost = {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0}
    model = {"id": "mock", "name": "Mock", "reasoning": False, "input": ["text"], "cost": cost}
    model |= {"contextWindow": 131072, "maxTokens": 4096}
    provider = {"baseUrl": f"{reader.model.url}/v1", "apiKey": "none", "api": "openai-completions", "models": [model]}
    return {
        "agents": {"defaults": {"workspace": str(reader.project), "model": {"primary": "mockp/mock"}}},
        "models": {"mode": "merge", "providers": {"mockp": provider}},
    }


def test_cursor(reader: Reader) -> None:
    reader.write(".cursor/argv.json", "{}")
    _, listed = reader.follow("Cursor")

    servers = json.loads((reader.scratch.home / ".cursor" / "mcp.json").read_text(encoding="utf-8"))
    assert servers["mcpServers"]["satchel"]["args"] == ["mcp", "--scope", "auto"]
    assert re.search(r"^cursor .*user: yes", listed, re.MULTILINE)


def test_gemini(reader: Reader) -> None:
    reader.write(".gemini/settings.json", "{}")
    _, listed = reader.follow("Gemini CLI")

    settings = json.loads((reader.scratch.home / ".gemini" / "settings.json").read_text(encoding="utf-8"))
    assert settings["mcpServers"]["satchel"]["args"] == ["mcp", "--scope", "auto"]
    assert "BeforeAgent" in settings["hooks"]
    assert re.search(r"^gemini .*user: yes", listed, re.MULTILINE)


def test_any_other_client(reader: Reader) -> None:
    tools, _, listed = reader.follow("Any other MCP client")

    assert len(json.loads(tools)["tools"]) == 7
    assert "We deploy on Thursdays." in listed


def test_check_and_undo(reader: Reader) -> None:
    _, listed, doctor, _ = reader.follow("Check and undo")

    assert re.search(r"^claude-code .*user: yes", listed, re.MULTILINE)
    assert "the store is healthy" in doctor
    assert not (reader.scratch.home / ".claude.json").exists()
