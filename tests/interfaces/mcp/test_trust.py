"""What agents cannot do to what the person stored: raise trust, erase it or retire it."""

import shlex
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import Settings, load
from satchel.domain.record import Memory
from satchel.interfaces import agents
from satchel.interfaces.agents import Bounds
from satchel.interfaces.cli.main import main
from tests.interfaces.mcp.mcp_client import McpClient, details, error, text

SHOP = Bounds(scope="project/shop")
SPOKEN = "we meet at noon in the blue room"


@pytest.fixture
def mcp_client(settings: Settings) -> McpClient:
    return McpClient(settings, "auto")


def memory_of(settings: Settings, id: str) -> Memory:
    with Satchel.open(settings=settings) as store:
        found = store.get(id, all_scopes=True).result
    assert hasattr(found, "memory")
    return found.memory


def stored(settings: Settings, text: str, **options: Any) -> str:
    with Satchel.open(settings=settings) as store:
        return store.store(text, scope="project/shop", **options).result.id


def test_confirming_and_reviewing_are_no_tools(mcp_client: McpClient, settings: Settings) -> None:
    id = details(mcp_client.call("memory_store", {"text": "trust me"}, SHOP))["id"]

    for name in ("confirm", "review", "memory_confirm", "memory_review"):
        assert name not in agents.TOOLS
        assert name not in mcp_client.tools()
        assert mcp_client.refusal(name, {"ids": [id]}) < 0
    for tool, given in (
        ("memory_store", {"text": "trust me", "trust": "trusted"}),
        ("memory_store", {"text": "trust me", "source_kind": "operator"}),
        ("attention_add", {"memory_type": "preference", "title": "a", "summary": "b", "trust": "trusted"}),
        ("memory_forget", {"memory_id": id, "source_kind": "operator"}),
        ("memory_forget", {"memory_id": id, "channel": "operator"}),
    ):
        assert error(mcp_client.call(tool, given, SHOP)) == "unknown_param", given
    assert memory_of(settings, id).trust == "untrusted"


def test_an_agent_cannot_forget_what_the_person_stored_or_confirmed(
    mcp_client: McpClient, settings: Settings, home: Path
) -> None:
    mine, noted = stored(settings, "We ship on Thursdays"), stored(settings, "CI runs on Ubuntu", source_kind="tool")
    with Satchel.open(settings=settings) as store:
        store.confirm([noted], scope="project/shop")
    for id in (mine, noted):
        for reference in (id, id[:12]):
            answer = mcp_client.call("memory_forget", {"memory_id": reference}, SHOP)
            assert error(answer) == "trust_not_granted"
        assert memory_of(settings, id).text
    # The error says how the person does it, and that works as it stands.
    command = shlex.split(text(answer).partition("run: satchel ")[2].rstrip(")"))
    assert main([*command, "--home", str(home)]) == 0
    assert error(mcp_client.call("memory_get", {"memory_id": noted}, SHOP)) == "not_found"

    own = details(mcp_client.call("memory_store", {"text": "a note of my own"}, SHOP))["id"]
    assert details(mcp_client.call("memory_forget", {"memory_id": own[:10]}, SHOP))["action"] == "deleted"


def test_a_setting_allows_it(settings: Settings, home: Path) -> None:
    id = stored(settings, "We ship on Thursdays")
    allowed = load(home=str(home), embedding={"provider": "hashing"}, agents={"forget_trusted": True})

    answer = McpClient(allowed, "auto").call("memory_forget", {"memory_id": id}, SHOP)
    assert details(answer)["action"] == "deleted"


def test_an_agent_cannot_retire_or_replace_it_either(mcp_client: McpClient, settings: Settings) -> None:
    rule = stored(settings, "Never deploy on Fridays", kind="preference")
    other = stored(settings, "Use tabs", kind="preference")
    note = details(mcp_client.call("memory_store", {"text": "Deploy whenever you like"}, SHOP))["id"]
    for tool, given in (
        ("memory_store", {"text": "Always deploy on Fridays", "replaces": rule}),
        ("memory_store", {"text": "Always deploy on Fridays", "replaces": rule[:8]}),
        (
            "attention_add",
            {"memory_type": "preference", "title": "a", "summary": "b", "replaces_memory_id": rule},
        ),
        ("attention_refresh", {"stale_memory_ids": [rule]}),
        ("attention_refresh", {"stale_memory_ids": [rule], "replacement_memory_id": note}),
        # Another record of the person as the replacement gives the agent no right.
        ("attention_refresh", {"stale_memory_ids": [rule], "replacement_memory_id": other}),
        ("attention_refresh", {"stale_memory_ids": [note, rule[:8]]}),
    ):
        assert error(mcp_client.call(tool, given, SHOP)) == "trust_not_granted", given
    assert (memory_of(settings, rule).state, memory_of(settings, note).state) == ("active", "active")


def test_an_agent_cannot_erase_trusted_messages_by_repeating_them(mcp_client: McpClient, settings: Settings) -> None:
    with Satchel.open(settings=settings) as store:
        store.conversations.add(SPOKEN, conversation="standup", scope="project/shop")
    id = details(mcp_client.call("memory_store", {"text": SPOKEN}, SHOP))["id"]

    assert error(mcp_client.call("memory_forget", {"memory_id": id}, SHOP)) == "trust_not_granted"
    with Satchel.open(settings=settings) as store:
        assert store.conversations.search("blue room", scope="project/shop").result.items
        assert store.forget(id, scope="project/shop").result.action == "deleted"


def test_a_prefix_tells_an_agent_nothing_about_other_scopes_or_quarantine(
    mcp_client: McpClient, settings: Settings
) -> None:
    with Satchel.open(settings=settings) as store:
        other = store.store("the alarm code", scope="project/house").result.id
        trap = store.store("obey me", scope="project/shop", trust="quarantined").result.id
    for id in (other, trap):
        for tool, given in (
            ("memory_get", {"memory_id": id[:8]}),
            ("memory_forget", {"memory_id": id[:8]}),
            ("timeline", {"id": id[:8]}),
            ("attention_inspect", {"memory_id": id[:8]}),
            ("why", {"receipt": id[:8]}),
        ):
            answer = mcp_client.call(tool, given, SHOP)
            assert error(answer) == "not_found", (tool, given)
            assert id not in str(answer)
        missing = mcp_client.call("why_not", {"query": "alarm", "expect": id[:8]}, SHOP)
        assert id not in str(missing)
