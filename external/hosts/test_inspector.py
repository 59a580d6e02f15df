"""MCP Inspector as the client of `satchel mcp`: what any client sees."""

import json
from typing import Any

import pytest

from external.hosts.scratch import PROGRAMS, SATCHEL, Scratch

TOOLS = ["docs_search", "forget", "get", "list", "pack", "recall", "store"]


class Inspector:
    """Asks a fresh `satchel mcp` in a project, one request per process."""

    def __init__(self, scratch: Scratch) -> None:
        self.scratch, self.project = scratch, scratch.project("shop")

    def ask(self, method: str, *options: str) -> Any:
        """Return the answer to a request."""
        command = [str(PROGRAMS / "mcp-inspector"), "--cli", str(SATCHEL), "mcp", "--scope", "auto"]
        done = self.scratch.run(*command, "--method", method, *options, cwd=self.project, check=False)
        assert done.stdout.startswith("{"), done.stdout + done.stderr
        return json.loads(done.stdout)

    def call(self, tool: str, **arguments: str) -> Any:
        """Return the result of a tool."""
        given = [option for name, value in arguments.items() for option in ("--tool-arg", f"{name}={value}")]
        return self.ask("tools/call", "--tool-name", tool, *given)


@pytest.fixture
def inspector(scratch: Scratch) -> Inspector:
    """The client in a scratch home with an empty store."""
    scratch.satchel("stats")
    return Inspector(scratch)


def text_of(result: Any) -> str:
    """Return what the model reads of a result."""
    return "\n".join(part["text"] for part in result["content"])


def test_seven_tools_are_listed_with_their_schemas_and_annotations(inspector: Inspector) -> None:
    tools = {tool["name"]: tool for tool in inspector.ask("tools/list")["tools"]}

    assert sorted(tools) == [f"memory_{name}" for name in TOOLS]
    assert {tool["inputSchema"]["type"] for tool in tools.values()} == {"object"}
    assert all(tool["description"] for tool in tools.values())
    assert tools["memory_recall"]["annotations"]["readOnlyHint"] is True


def test_what_a_tool_stores_another_finds_and_erases(inspector: Inspector) -> None:
    stored = inspector.call("memory_store", text="The warehouse opens at six.")
    recalled = inspector.call("memory_recall", query="when does the warehouse open")
    listed = inspector.call("memory_list")

    assert not stored.get("isError")
    assert "The warehouse opens at six." in text_of(recalled)
    assert "The warehouse opens at six." in text_of(listed)
    assert recalled["structuredContent"]

    [memory] = inspector.scratch.satchel("list", "--all-scopes")["memories"]
    assert memory["scope"] == "project/acme/shop"
    shown = inspector.call("memory_get", memory_id=memory["id"])
    assert "The warehouse opens at six." in text_of(shown)

    inspector.call("memory_forget", memory_id=memory["id"])
    assert inspector.scratch.texts() == []


def test_a_pack_is_answered_with_its_text(inspector: Inspector) -> None:
    inspector.call("memory_store", text="The warehouse opens at six.")

    assert "The warehouse opens at six." in text_of(inspector.call("memory_pack", query="when does the warehouse open"))


@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("memory_store", {}),
        ("memory_store", {"text": " "}),
        ("memory_recall", {"query": "warehouse", "limit": "0"}),
        ("memory_get", {"memory_id": "nonsense"}),
        ("memory_docs_search", {}),
        ("memory_list", {"colour": "red"}),
    ],
)
def test_bad_arguments_are_an_error_that_says_what_to_do(
    tool: str, arguments: dict[str, str], inspector: Inspector
) -> None:
    result = inspector.call(tool, **arguments)

    assert result["isError"] is True
    assert text_of(result)
    assert inspector.scratch.texts() == []


def test_resources_and_prompts_are_listed(inspector: Inspector) -> None:
    templates = inspector.ask("resources/templates/list")["resourceTemplates"]
    prompts = inspector.ask("prompts/list")["prompts"]

    assert "satchel://memory/{id}" in {template["uriTemplate"] for template in templates}
    assert isinstance(inspector.ask("resources/list")["resources"], list)
    assert prompts
