"""What only Claude Code does: compaction, and hooks at the start of a session."""

import json

import pytest

from external.hosts.agents import SECONDS, Agent
from external.hosts.scratch import PROGRAMS
from external.hosts.test_agents import FACT, TOOLS
from satchel.domain.hosts import CLAUDE_CODE


@pytest.fixture(params=[CLAUDE_CODE])
def host(request: pytest.FixtureRequest) -> str:
    """Claude Code alone."""
    return str(request.param)


def test_claude_code_connects_to_the_server_by_itself(agent: Agent) -> None:
    listed = agent.scratch.run(str(PROGRAMS / "claude"), "mcp", "list", cwd=agent.scratch.project("shop"))

    assert "satchel" in listed.stdout
    assert "Connected" in listed.stdout


def test_a_new_session_starts_with_the_rules_of_the_project(agent: Agent) -> None:
    shop = agent.scratch.project("shop")
    agent.scratch.satchel("store", FACT, "--scope", "auto", "--kind", "decision", cwd=shop)

    # The prompt itself has nothing to do with it.
    assert "Thursdays" in agent.say("Hello", shop).text


def test_the_tools_are_there_beside_those_of_another_server(agent: Agent) -> None:
    shop = agent.scratch.project("shop")
    configuration = agent.scratch.home / ".claude.json"
    servers = json.loads(configuration.read_text(encoding="utf-8"))
    servers["mcpServers"]["reference"] = {"command": str(PROGRAMS / "mcp-server-memory"), "args": []}
    configuration.write_text(json.dumps(servers), encoding="utf-8")

    session = agent.say_with_tools("Hello", shop)

    assert session.tools == TOOLS
    assert "mcp__reference__read_graph" in session.requests[0].tools


def test_what_was_said_before_a_compaction_is_kept_once(agent: Agent) -> None:
    shop = agent.scratch.project("shop")
    agent.say(FACT, shop)

    compacted = agent.start("/compact", shop, resume=True)
    compacted.communicate(timeout=SECONDS)
    after = agent.say("Hello again", shop, resume=True)

    assert compacted.returncode == 0
    assert after.answered
    assert len([text for text in agent.scratch.texts() if "Thursdays" in text]) == 1
