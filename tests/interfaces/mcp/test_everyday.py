"""The seven tools that every server offers: what they take, what they refuse, and what a model reads."""

import os
import sys
from typing import Any

import mcp_types as types
import pytest
from mcp import Client
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.interfaces.agents import EVERYDAY_TOOLS, TOOLS, Bounds
from satchel.interfaces.cli.main import main
from satchel.interfaces.mcp import start
from tests.interfaces.mcp.mcp_client import ME, McpClient, details, error, text
from tests.tables import each_case

EVERYDAY = Bounds(only=EVERYDAY_TOOLS)
GOOD: tuple[tuple[str, dict[str, Any], str], ...] = (
    # tool, arguments (ID stands for the id of a memory), how the text begins
    ("memory_store", {"text": "Lunch is at noon"}, "created "),
    ("memory_store", {"text": "Tabs, not spaces", "category": "preference", "importance": 1}, "created "),
    ("memory_store", {"text": "We ship on Thursdays", "category": None, "importance": None}, "already there as ID"),
    ("memory_store", {"text": "Fridays it is", "replaces": "ID8", "scope": "global"}, "created "),
    ("memory_recall", {"query": "when do we ship"}, "⚠️ untrusted_only"),
    ("memory_recall", {"query": "ship", "limit": 50, "scope": "project/empty"}, "nothing found in scope project/empty"),
    ("memory_recall", {"query": "ship", "as_of": "1"}, "⚠️ "),
    ("memory_recall", {"query": "ship", "asOf": "1"}, "⚠️ "),
    ("memory_forget", {"query": "ship"}, "ID "),
    ("memory_forget", {"memory_id": "ID8"}, "forgotten ID"),
    ("memory_forget", {"memoryId": "ID"}, "forgotten ID"),
    ("memory_list", {}, "ID (decision, "),
    ("memory_list", {"category": "decision", "limit": 1, "scope": "global"}, "ID (decision, "),
    ("memory_list", {"category": "todo"}, "no memories"),
    ("memory_list", {"limit": 5.0, "after": None}, "ID (decision, "),
    ("memory_get", {"memory_id": "ID"}, "ID (decision, "),
    ("memory_get", {"memoryId": "ID8"}, "ID (decision, "),
    ("memory_get", {"memory_id": "[ID4]", "scope": "global"}, "ID (decision, "),
    ("memory_pack", {"query": "when do we ship"}, "<context-pack>"),
    ("memory_pack", {"query": "when do we ship", "budget_tokens": 400}, "<context-pack>"),
    ("memory_pack", {"query": "when do we ship", "budgetTokens": 400, "scope": "global"}, "<context-pack>"),
    ("memory_pack", {"query": "ship", "scope": "project/empty"}, "nothing to pack in scope project/empty"),
    ("memory_docs_search", {"query": "release notes"}, "nothing found"),
    ("memory_docs_search", {"query": "release notes", "limit": 1, "scope": "global"}, "nothing found"),
)
BAD: tuple[tuple[str, Any, str], ...] = (
    ("memory_store", None, "missing_param"),
    ("memory_store", {"text": ""}, "empty_text"),
    ("memory_store", {"text": ["a"]}, "wrong_type"),
    ("memory_store", {"text": "x", "importance": 1.1}, "out_of_range"),
    ("memory_store", {"text": "x", "category": "plan"}, "unknown_word"),
    ("memory_store", {"text": "x", "replaces": "nobody"}, "not_found"),
    ("memory_store", {"text": "x", "trust": "trusted"}, "unknown_param"),
    ("memory_store", {"text": "x", "sourceKind": "operator"}, "unknown_param"),
    ("memory_recall", {}, "missing_param"),
    ("memory_recall", {"query": " "}, "empty_query"),
    ("memory_recall", {"query": "x", "limit": 0}, "out_of_range"),
    ("memory_recall", {"query": "x", "limit": "5"}, "wrong_type"),
    ("memory_recall", {"query": "x", "as_of": "no such tag"}, "invalid_tag"),
    ("memory_recall", {"query": "x", "as_of": "1", "asOf": "1"}, "given_twice"),
    ("memory_recall", {"query": "x", "fallback": True}, "unknown_param"),
    ("memory_forget", {}, "missing_param"),
    ("memory_forget", {"memory_id": "ID", "query": "b"}, "missing_param"),
    ("memory_forget", {"memory_id": "nobody"}, "not_found"),
    ("memory_forget", {"memory_id": "ID", "memoryId": "ID"}, "given_twice"),
    ("memory_forget", {"id": "ID"}, "unknown_param"),
    ("memory_list", {"limit": 5001}, "out_of_range"),
    ("memory_list", {"after": "nonsense"}, "invalid_cursor"),
    ("memory_list", {"category": "nonsense"}, "unknown_word"),
    ("memory_list", {"scope": "Not A Scope"}, "invalid_scope"),
    ("memory_get", {}, "missing_param"),
    ("memory_get", {"memory_id": 7}, "wrong_type"),
    ("memory_get", {"memory_id": "nobody"}, "not_found"),
    ("memory_get", {"memory_id": ""}, "not_found"),
    ("memory_get", {"memory_id": "ID", "quarantined": True}, "unknown_param"),
    ("memory_get", {"memory_id": "ID", "allScopes": True}, "unknown_param"),
    ("memory_pack", {"query": ""}, "empty_query"),
    ("memory_pack", {"query": "x", "budget_tokens": 0}, "out_of_range"),
    ("memory_pack", {"query": "x", "budget_tokens": 10**30}, "out_of_range"),
    ("memory_pack", {"query": "x", "trace": True}, "unknown_param"),
    ("memory_pack", {"query": "x", "scope": "Not A Scope"}, "invalid_scope"),
    ("memory_docs_search", {"query": "x", "limit": 201}, "out_of_range"),
    ("memory_docs_search", {"query": "x", "mode": "search"}, "unknown_param"),
    ("memory_docs_search", {"query": None}, "missing_param"),
)


@pytest.fixture
def mcp_client(settings: Settings) -> McpClient:
    return McpClient(settings, "auto")


def _with_id(value: Any, id: str) -> Any:
    if isinstance(value, str):
        return value.replace("ID8", id[:8]).replace("ID4", id[:4]).replace("ID", id)
    return {name: _with_id(one, id) for name, one in value.items()} if isinstance(value, dict) else value


@pytest.mark.parametrize(("tool", "given", "begins"), GOOD, ids=lambda value: value if isinstance(value, str) else "")
def test_good_arguments_are_answered_in_words(
    mcp_client: McpClient, tool: str, given: dict[str, Any], begins: str
) -> None:
    async def conversation(client: Client) -> tuple[str, types.CallToolResult]:
        first = await client.call_tool("memory_store", {"text": "We ship on Thursdays", "category": "decision"})
        id = details(first)["id"]
        return id, await client.call_tool(tool, _with_id(given, id))

    id, answer = mcp_client.talk(conversation, EVERYDAY)
    assert not answer.is_error, text(answer)
    assert text(answer).startswith(_with_id(begins, id)), text(answer)
    assert details(answer)["receipt"]["digest"].startswith("sha256:")


def test_bad_arguments_get_a_code_and_say_what_to_do(mcp_client: McpClient) -> None:
    async def conversation(client: Client) -> list[types.CallToolResult]:
        id = details(await client.call_tool("memory_store", {"text": "We ship on Thursdays"}))["id"]
        return [await client.call_tool(tool, _with_id(given, id)) for tool, given, _ in BAD]

    answers = mcp_client.talk(conversation, EVERYDAY)
    assert [(tool, given, error(answer)) for (tool, given, _), answer in zip(BAD, answers, strict=True)] == list(BAD)
    for answer in answers:
        said = answer.structured_content
        assert said["hint"]
        assert text(answer) == f"{said['error']}: {said['message']} ({said['hint']})"


def test_every_tool_has_good_and_bad_cases() -> None:
    assert {tool for tool, *_ in GOOD} == {tool for tool, *_ in BAD} == set(EVERYDAY_TOOLS)


def test_a_tool_that_is_not_offered_says_how_it_can_be(mcp_client: McpClient) -> None:
    for name in sorted(set(TOOLS) - set(EVERYDAY_TOOLS)):
        answer = mcp_client.call(name, {}, EVERYDAY)

        assert error(answer) == "not_offered", name
        assert name in text(answer)
        assert "satchel mcp --tools all" in text(answer)


def test_an_unknown_tool_is_told_which_there_are(mcp_client: McpClient) -> None:
    for name in ("get", "pack", "nonsense", "__class__", "x" * 500):
        assert mcp_client.refusal(name, {}, EVERYDAY) == types.INVALID_PARAMS


@each_case(
    ("arguments", "expected"),
    [
        ([], EVERYDAY_TOOLS),
        (["--tools", "all"], tuple(TOOLS)),
        (["--tools", "memory_recall,graph_path"], ("memory_recall", "graph_path")),
        (["--tools", "memory_recall", "--tools", "graph_path"], ("memory_recall", "graph_path")),
    ],
)
def test_the_command_line_chooses_the_tools(
    home: Any, monkeypatch: pytest.MonkeyPatch, arguments: list[str], expected: tuple[str, ...]
) -> None:
    served: list[Bounds] = []

    def serve(settings: Settings, bounds: Bounds) -> int:
        served.append(bounds)
        return 0

    monkeypatch.setattr(start, "serve", serve)

    assert main(["mcp", "--home", os.fspath(home), *arguments]) == 0
    assert [one.only for one in served] == [expected]


@each_case("attended, said", [(True, "a client starts this command itself"), (False, "")])
def test_a_person_at_a_terminal_is_told_what_the_command_waits_for(
    home: Any, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], attended: bool, said: str
) -> None:
    monkeypatch.setattr(start, "serve", lambda settings, bounds: 0)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: attended, raising=False)
    assert main(["mcp", "--home", os.fspath(home)]) == 0
    shown = capsys.readouterr()
    assert shown.out == ""
    assert said in shown.err and bool(shown.err) == attended


@each_case("arguments", [["--tools", "nonsense"], ["--tools", ""], ["--tool", "memory_recall"], ["--tools"]])
def test_a_wrong_choice_is_an_error(home: Any, capsys: pytest.CaptureFixture[str], arguments: list[str]) -> None:
    assert main(["mcp", "--home", os.fspath(home), *arguments]) == 2
    assert capsys.readouterr().err.startswith("satchel: ")


def test_annotations_are_right_for_every_tool(mcp_client: McpClient) -> None:
    hints = {name: tool.annotations for name, tool in mcp_client.tools().items()}

    writing = {"memory_store", "memory_forget", "memory_docs_ingest", "episodes_add", "graph_add"}
    writing |= {"attention_add", "attention_reflect", "attention_refresh"}
    # A pack stores nothing, but counts what it shows as used.
    assert {name for name, one in hints.items() if one and not one.read_only_hint} == {*writing, "memory_pack"}
    assert {name for name, one in hints.items() if one and one.destructive_hint} >= {"memory_forget"}
    assert all(one and one.open_world_hint is False for one in hints.values())


def test_a_fallback_scope_of_the_settings_does_not_open_a_fixed_scope(settings: Settings) -> None:
    with Satchel.open(settings=settings) as memory:
        memory.store("The till opens at nine", scope="project/shared", kind="fact", importance=0.9)
        id = memory.memories.list(scope="project/shared").result.memories[0].id

    policy = replace(settings.scope_policy, fallback_scopes=("project/shared",))
    client = McpClient(replace(settings, scope_policy=policy), "auto")
    fixed = Bounds(scope="project/shop", only=EVERYDAY_TOOLS)

    for tool, given in (
        ("memory_recall", {"query": "when does the till open"}),
        ("memory_pack", {"query": "when does the till open"}),
        ("memory_get", {"memory_id": id}),
    ):
        assert "opens at nine" in text(client.call(tool, {**given, "scope": "project/shop"}, EVERYDAY)), tool
        assert "opens at nine" not in str(client.call(tool, given, fixed)), tool


@each_case("name", ["claude-code", "codex-mcp-client"])
def test_a_host_that_would_show_json_to_a_model_gets_the_text_alone(mcp_client: McpClient, name: str) -> None:
    host = types.Implementation(name=name, version="1.0")
    mcp_client.call("memory_store", {"text": "We ship on Thursdays"})

    for tool, given in (("memory_pack", {"query": "when do we ship"}), ("memory_get", {"memory_id": "nobody"})):
        told, whole = (mcp_client.call(tool, given, EVERYDAY, client_info=one) for one in (host, ME))
        assert (told.structured_content, whole.structured_content is None) == (None, False)
        assert (text(told), told.is_error) == (text(whole), whole.is_error)
