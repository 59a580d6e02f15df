"""Why and why-not as tools, within the agent's scope."""

from typing import Any

import mcp_types as types
from jsonschema import Draft202012Validator
from mcp import Client

from satchel.app import Satchel
from satchel.config import Settings
from satchel.interfaces.agents import TOOLS, Bounds
from tests.interfaces.mcp.mcp_client import McpClient, details, error, text
from tests.interfaces.result_schemas import output_schema

HOUSE = Bounds(scope="project/house")


def result(answer: types.CallToolResult) -> Any:
    return details(answer)["result"]


def test_an_agent_learns_why_and_why_not_within_its_scope(mcp_client: McpClient, settings: Settings) -> None:
    with Satchel.open(settings=settings) as memory:
        memory.store("the house is locked at nine", scope="project/house")
        web = memory.store("the house is open all night, says a page", scope="project/house", source_kind="web")
        other = memory.store("the house of others", scope="project/other")
        foreign = memory.recall("house", scope="project/other").receipt.digest

    async def conversation(client: Client) -> list[types.CallToolResult]:
        await client.call_tool("memory_recall", {"query": "house"})
        return [
            await client.call_tool("why", {"last": True}),
            await client.call_tool("why_not", {"query": "house", "expect": web.result.id}),
            await client.call_tool("why_not", {"query": "house", "expect": other.result.id}),
            await client.call_tool("why", {"receipt": foreign}),
            await client.call_tool("why", {"last": True, "elsewhere": True}),
        ]

    why, gated, hidden, refused, widened = mcp_client.talk(conversation, HOUSE)
    assert result(why)["scope"] == "project/house"
    assert "house is locked" in text(why)
    assert (result(gated)["rule"], result(gated)["remedies"][0]["options"]) == ("trust_gate", {"untrusted": True})
    assert "satchel" not in text(gated)
    assert (result(hidden)["rule"], result(hidden)["words"]) == ("not_found", "")
    assert error(refused) == "not_found"
    assert error(widened) == "unknown_param"


def test_both_tools_are_read_only(mcp_client: McpClient) -> None:
    tools = mcp_client.tools(Bounds(read_only=True))
    for name in ("why", "why_not"):
        hints = tools[name].annotations
        assert hints is not None
        assert hints.read_only_hint
        assert "elsewhere" not in tools[name].input_schema["properties"]
    assert "scope" not in mcp_client.tools(HOUSE)["why"].input_schema["properties"]


def test_answers_conform_to_their_schemas(mcp_client: McpClient) -> None:
    schemas = {name: Draft202012Validator(output_schema(TOOLS[name])) for name in ("why", "why_not")}
    id = details(mcp_client.call("memory_store", {"text": "the walrus sleeps"}))["id"]
    mcp_client.call("memory_recall", {"query": "walrus"})
    for tool, given in (
        ("why", {"last": True}),
        ("why", {"receipt": "nothing"}),
        ("why_not", {"query": "walrus", "expect": id}),
        ("why_not", {"query": "teapot", "expect": id, "mode": "lexical"}),
        ("why_not", {"query": "teapot", "expect": "nothing"}),
    ):
        schemas[tool].validate(mcp_client.call(tool, given).structured_content)
