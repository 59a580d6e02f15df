"""Resources: what a client can read by its address, within the bounds of the tools."""

from typing import Any
from urllib.parse import quote

import mcp_types as types
import pytest
from mcp import Client, MCPError

from satchel.app import Satchel
from satchel.config import Settings
from satchel.errors import InvalidRequest, NotFound
from satchel.interfaces.agents import EVERYDAY_TOOLS, Bounds
from satchel.interfaces.mcp.resources import MAX_URI_CHARS, parse_uri
from tests.interfaces.mcp.mcp_client import McpClient, details
from tests.tables import each_case

EVERYDAY = Bounds(only=EVERYDAY_TOOLS)
SHOP = Bounds(scope="project/shop", only=EVERYDAY_TOOLS)


@pytest.fixture
def mcp_client(settings: Settings) -> McpClient:
    return McpClient(settings, "auto")


def read(client: McpClient, uri: str, bounds: Bounds = EVERYDAY) -> str:
    async def conversation(connected: Client) -> str:
        (content,) = (await connected.read_resource(uri)).contents
        assert (content.uri, content.mime_type) == (uri, "text/plain")
        assert isinstance(content, types.TextResourceContents)
        return content.text

    return client.talk(conversation, bounds)


def refused(client: McpClient, uri: str, bounds: Bounds = EVERYDAY) -> str:
    async def conversation(connected: Client) -> str:
        with pytest.raises(MCPError) as caught:
            await connected.read_resource(uri)
        assert caught.value.code == types.INVALID_PARAMS
        return str(caught.value)

    return client.talk(conversation, bounds)


def listed(client: McpClient, bounds: Bounds = EVERYDAY) -> list[types.Resource]:
    async def conversation(connected: Client) -> list[types.Resource]:
        return (await connected.list_resources()).resources

    return client.talk(conversation, bounds)


def templates(client: McpClient, bounds: Bounds = EVERYDAY) -> list[str]:
    async def conversation(connected: Client) -> list[str]:
        return [one.uri_template for one in (await connected.list_resource_templates()).resource_templates]

    return client.talk(conversation, bounds)


class TestReading:
    def test_a_pack_is_the_bundle(self, mcp_client: McpClient) -> None:
        mcp_client.call("memory_store", {"text": "We ship on Thursdays", "category": "decision"})
        query = "on which day do we ship? 100%/#"

        packed = mcp_client.call("memory_pack", {"query": query})
        assert read(mcp_client, f"satchel://pack/{quote(query, safe='')}").endswith(details(packed)["bundle_text"])
        assert "We ship on Thursdays" in details(packed)["bundle_text"]
        # A client that does not encode what it should is understood too.
        assert "We ship on Thursdays" in read(mcp_client, "satchel://pack/which day do we ship?")

    def test_a_memory_is_read_by_its_id_or_a_part_of_it(self, mcp_client: McpClient) -> None:
        id = details(mcp_client.call("memory_store", {"text": "We ship\non Thursdays"}))["id"]

        for uri in (f"satchel://memory/{id}", f"satchel://memory/{id[:8]}"):
            assert read(mcp_client, uri).startswith(f'{id} (other, unknown, untrusted) "We ship\\non Thursdays"')

    def test_a_receipt_explains_an_answer(self, mcp_client: McpClient) -> None:
        mcp_client.call("memory_store", {"text": "We ship on Thursdays"})
        digest = details(mcp_client.call("memory_recall", {"query": "when do we ship"}))["receipt"]["digest"]

        for name in (digest, quote(digest, safe=""), digest.removeprefix("sha256:"), digest[:20]):
            explained = read(mcp_client, f"satchel://receipt/{name}")
            assert explained.startswith("recall in scope global")
            assert "We ship on Thursdays" in explained


class TestBounds:
    def test_neither_other_scopes_nor_quarantined_records_are_read(
        self, mcp_client: McpClient, settings: Settings
    ) -> None:
        with Satchel.open(settings=settings) as memory:
            other = memory.store("the alarm code is kept in the house", scope="project/house")
            trap = memory.store("the alarm obeys me", scope="project/shop", trust="quarantined").result.id
            foreign = memory.recall("alarm code", scope="project/house").receipt.digest

        for id in (other.result.id, other.result.id[:8], trap, trap[:8]):
            assert "not_found" in refused(mcp_client, f"satchel://memory/{id}", SHOP)
        for digest in (foreign, foreign[:20], other.receipt.digest):
            assert "not_found" in refused(mcp_client, f"satchel://receipt/{digest}", SHOP)
        for query in ("alarm", "[SCOPE: project/house] alarm code", "alarm scope=project/house"):
            assert "alarm " not in read(mcp_client, f"satchel://pack/{quote(query)}", SHOP).replace(query, "")

    def test_only_what_the_tools_may_is_readable(self, mcp_client: McpClient) -> None:
        id = details(mcp_client.call("memory_store", {"text": "x"}))["id"]
        writing = Bounds(only=("memory_store",))

        assert templates(mcp_client, writing) == []
        for uri in ("satchel://pack/x", f"satchel://memory/{id}", "satchel://receipt/abcd"):
            assert "not_offered" in refused(mcp_client, uri, writing)
        assert templates(mcp_client, Bounds(only=("memory_get",))) == ["satchel://memory/{id}"]

    def test_a_read_only_server_lets_everything_be_read(self, mcp_client: McpClient) -> None:
        id = details(mcp_client.call("memory_store", {"text": "We ship on Thursdays"}))["id"]
        closed = Bounds(read_only=True, only=EVERYDAY_TOOLS)

        assert len(templates(mcp_client, closed)) == 3
        assert "Thursdays" in read(mcp_client, f"satchel://memory/{id}", closed)
        assert "Thursdays" in read(mcp_client, "satchel://pack/ship", closed)


class TestListing:
    def test_the_templates(self, mcp_client: McpClient) -> None:
        assert templates(mcp_client) == [
            "satchel://pack/{query}",
            "satchel://memory/{id}",
            "satchel://receipt/{digest}",
        ]

    def test_none_is_listed_by_name_and_no_store_is_opened_for_it(
        self, mcp_client: McpClient, settings: Settings
    ) -> None:
        assert listed(mcp_client) == []
        assert not settings.ledger_file.exists()


@each_case(
    ("uri", "kind"),
    [
        ("", NotFound),
        ("satchel://", NotFound),
        ("satchel:///etc/passwd", NotFound),
        ("file:///etc/passwd", NotFound),
        ("http://pack/x", NotFound),
        ("SATCHEL://pack/x", NotFound),
        ("satchel://PACK/x", NotFound),
        ("satchel://user@pack/x", NotFound),
        ("satchel://pack:80/x", NotFound),
        ("satchel://nothing/x", NotFound),
        ("\ud800" * 200, NotFound),
        ("satchel://pack", InvalidRequest),
        ("satchel://pack/", InvalidRequest),
        ("satchel://pack/%20%0A", InvalidRequest),
        ("satchel://pack/%ff", InvalidRequest),
        ("satchel://pack/%ED%A0%80", InvalidRequest),
        ("satchel://pack/\ud800", InvalidRequest),
        (f"satchel://pack/{'x' * MAX_URI_CHARS}", InvalidRequest),
        ("satchel://memory/", InvalidRequest),
        ("satchel://receipt/", InvalidRequest),
        ("satchel://receipt/abc", InvalidRequest),
        ("satchel://receipt/../memory", InvalidRequest),
        ("satchel://receipt/sha256:", InvalidRequest),
        ("satchel://receipt/ABCDEF", InvalidRequest),
        (f"satchel://receipt/{'a' * 65}", InvalidRequest),
        ("satchel://receipt/%", InvalidRequest),
        ("satchel://receipt/abcd' OR 1=1 --", InvalidRequest),
    ],
)
def test_an_invalid_address_is_refused_with_a_hint(uri: str, kind: type[NotFound | InvalidRequest]) -> None:
    with pytest.raises(kind) as caught:
        parse_uri(uri)

    assert "satchel://" in caught.value.hint
    (caught.value.message + caught.value.hint).encode("utf-8")


@each_case(
    ("uri", "expected"),
    [
        ("satchel://pack/which%20day%3F", ("pack", "which day?")),
        ("satchel://pack/a/b?c#d%2Fe", ("pack", "a/b?c#d/e")),
        ("satchel://pack/%E8%8B%8D%E9%B9%AD", ("pack", "苍鹭")),
        ("satchel://pack/100%", ("pack", "100%")),
        ("satchel://memory/working_set%3Aglobal", ("memory", "working_set:global")),
        ("satchel://receipt/abcd", ("receipt", "sha256:abcd")),
        ("satchel://receipt/sha256%3Aabcd", ("receipt", "sha256:abcd")),
    ],
)
def test_an_address_is_decoded(uri: str, expected: tuple[str, str]) -> None:
    resource, subject = parse_uri(uri)

    assert (resource.word, subject) == expected


@pytest.mark.parametrize(
    "id", ["nobody", "..", "../ledger.sqlite3", "%2e%2e%2fx", "a%00b", "'; DROP TABLE memories; --"]
)
def test_a_hostile_id_finds_nothing(mcp_client: McpClient, id: str) -> None:
    mcp_client.call("memory_store", {"text": "x"})

    assert "not_found" in refused(mcp_client, f"satchel://memory/{id}")


def test_a_failure_of_the_server_is_an_internal_error(mcp_client: McpClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def refusing(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device", "/secret/path")

    monkeypatch.setattr("satchel.wiring.adapters.SqliteLedger", refusing)

    async def conversation(client: Client) -> MCPError:
        with pytest.raises(MCPError) as caught:
            await client.read_resource("satchel://pack/x")
        return caught.value

    caught: Any = mcp_client.talk(conversation, EVERYDAY)
    assert caught.code == types.INTERNAL_ERROR
    assert "/secret/path" not in str(caught)
