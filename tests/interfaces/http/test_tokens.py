"""Tokens of programs: what each may call, in which scope, and until when."""

from collections.abc import Iterator
from typing import Any

import pytest

from satchel.adapters.access_file import AccessFile
from satchel.interfaces.agents import EVERYDAY_TOOLS, TOOLS, tool_name
from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.operations import Operation
from satchel.interfaces.tokens import issue_token
from tests.interfaces.http.conftest import Shell
from tests.interfaces.http.running import Reply, Server
from tests.security.cases import CASES
from tests.security.edges import McpRoute, rpc
from tests.tables import each_case

SCOPED = ("project/shop", "project/bakery")
LIMITS: dict[str, dict[str, Any]] = {
    "scoped": {"scopes": SCOPED[:1], "read_only": False},
    "reading": {"scopes": SCOPED[:1], "read_only": True},
    "two": {"scopes": SCOPED, "read_only": False},
    "any": {"scopes": (), "read_only": False},
    "late": {"scopes": (), "read_only": False, "expires_at": 1_700_000_000_000},
}


@pytest.fixture(scope="module")
def secrets(server: Server) -> Iterator[dict[str, str]]:
    """The tokens of a running server, by name, created after its start."""
    file = AccessFile(server.home)
    yield {name: issue_token(file, name, 0, **limits)[1] for name, limits in LIMITS.items()}


def _ask(server: Server, secret: str, route: str, body: Any = None, **more: Any) -> Reply:
    headers = {"Authorization": f"Bearer {secret}", **more.pop("headers", {})}
    return server.ask(route, body, headers=headers, **more)


def _expected_refusal(operation: Operation, who: str) -> str | None:
    """State the rule on its own: what agents have no tool for, files, and writing with a token for reading."""
    if operation.operator_only:
        return "operator_only"
    if who == "reading" and (operation.writes or operation.handles_files):
        return "readonly_mode"
    return "no_folder" if operation.handles_files else None


_REFUSALS = {"operator_only", "readonly_mode", "no_folder", "not_offered"}


def _error_of(reply: Reply) -> str | None:
    said = reply.json
    error = said["details"].get("error") if "details" in said else said.get("error", {}).get("code")
    return error if error in _REFUSALS else None


@each_case("name", OFFERED)
@each_case("who", ["scoped", "reading"])
def test_each_operation_is_allowed_or_refused_by_one_rule(
    server: Server, secrets: dict[str, str], name: str, who: str
) -> None:
    operation = OFFERED[name]
    expected = _expected_refusal(operation, who)

    answer = _ask(server, secrets[who], f"/v1/{name}", {})

    assert _error_of(answer) == expected, answer.body
    assert (answer.status == 403) == (expected is not None), answer.body


@each_case("name", OFFERED)
def test_the_operator_is_refused_nothing_but_files_without_a_folder(server: Server, name: str) -> None:
    answer = server.ask(f"/v1/{name}", {})

    assert _error_of(answer) == ("no_folder" if OFFERED[name].handles_files else None)


@each_case("who", ["scoped", "reading"])
def test_the_same_rule_holds_for_every_tool_at_mcp(server: Server, secrets: dict[str, str], who: str) -> None:
    route = TokenRoute(server, secrets[who], "?tools=all")
    listed = {one["name"] for one in route.ask("tools/list", {}).json["result"]["tools"]}
    allowed = {name for name, one in TOOLS.items() if _expected_refusal(one, who) is None}

    assert listed == allowed
    for name, operation in TOOLS.items():
        said = route.ask("tools/call", {"name": name, "arguments": {}}).json["result"]
        code = said["content"][0]["text"].partition(":")[0]
        assert (code if code in _REFUSALS else None) == _expected_refusal(operation, who), (name, said)


class TokenRoute(McpRoute):
    """A session at /mcp of a program with a token."""

    def __init__(self, server: Server, secret: str, options: str) -> None:
        self.secret = secret
        super().__init__(_WithToken(server, secret), options)  # type: ignore[arg-type]


class _WithToken:
    """A server, as a program with a token asks it."""

    def __init__(self, server: Server, secret: str) -> None:
        self._server, self._secret = server, secret

    def ask(self, route: str, body: Any, headers: dict[str, str]) -> Reply:
        return _ask(self._server, self._secret, route, body, headers=headers)


def test_a_program_stays_in_its_scope_and_is_untrusted(server: Server, secrets: dict[str, str]) -> None:
    server.ask("/v1/store", {"text": "the safe is behind the clock", "scope": "private"})
    headers = {"Satchel-Client": "robot 2"}
    stored = _ask(
        server, secrets["scoped"], "/v1/memory_store", {"text": "[SCOPE: private] rye at six"}, headers=headers
    )
    recalled = _ask(server, secrets["scoped"], "/v1/memory_recall", {"query": "where is the safe?"})
    elsewhere = _ask(server, secrets["scoped"], "/v1/memory_recall", {"query": "safe", "scope": "private"})

    id = stored.json["details"]["id"]
    memory = server.ask("/v1/get", {"id": id, "all_scopes": True}).json["result"]["memory"]
    assert (memory["scope"], memory["trust"], memory["source_kind"]) == ("project/shop", "untrusted", "tool")
    assert memory["source_ref"] == "http scoped robot 2"
    assert b"clock" not in recalled.body
    assert (elsewhere.status, elsewhere.json["details"]["error"]) == (403, "scope_refused")
    assert b"private" not in elsewhere.body


def test_of_several_scopes_a_request_names_one_or_gets_the_first(server: Server, secrets: dict[str, str]) -> None:
    for given, scope in (({}, SCOPED[0]), ({"scope": SCOPED[0]}, SCOPED[0]), ({"scope": SCOPED[1]}, SCOPED[1])):
        text = f"opens at seven, {sorted(given)} {scope}"
        id = _ask(server, secrets["two"], "/v1/memory_store", {"text": text, **given}).json["details"]["id"]
        assert server.ask("/v1/get", {"id": id, "all_scopes": True}).json["result"]["memory"]["scope"] == scope
    for other in ("global", "auto", "*", "project", "project/shop/x", 7, ["project/shop"], ""):
        refused = _ask(server, secrets["two"], "/v1/memory_list", {"scope": other})
        assert refused.status == 403, other


def test_a_token_without_scopes_may_name_any(server: Server, secrets: dict[str, str]) -> None:
    text = {"text": "the harbour closes at dusk", "scope": "project/harbour"}

    assert _ask(server, secrets["any"], "/v1/memory_store", text).status == 200
    found = _ask(server, secrets["any"], "/v1/memory_recall", {"query": "harbour", "scope": "project/harbour"})
    assert b"dusk" in found.body


@each_case(
    "who, options, status",
    [
        ("scoped", "?scope=project/shop", 200),
        ("scoped", "?scope=project/bakery", 403),
        ("scoped", "?scope=auto", 403),
        ("scoped", "?scope=global", 403),
        ("two", "?scope=project/bakery", 200),
        ("any", "?scope=global", 200),
        ("any", "?scope=auto", 200),
        ("late", "", 401),
    ],
)
def test_the_address_of_mcp_cannot_leave_the_scopes(
    server: Server, secrets: dict[str, str], who: str, options: str, status: int
) -> None:
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    headers = {"Accept": "application/json, text/event-stream"}

    assert _ask(server, secrets[who], f"/mcp{options}", rpc("initialize", hello), headers=headers).status == status


def test_mcp_with_a_token_works_in_its_scope_under_its_name(server: Server, secrets: dict[str, str]) -> None:
    route = TokenRoute(server, secrets["scoped"], "")
    tools = route.ask("tools/list", {}).json["result"]["tools"]
    stored = route.ask("tools/call", {"name": "memory_store", "arguments": {"text": "flour comes on Mondays"}}).json

    assert {one["name"] for one in tools} == set(EVERYDAY_TOOLS)
    assert not [one["name"] for one in tools if "scope" in one["inputSchema"]["properties"]]
    id = stored["result"]["structuredContent"]["id"]
    memory = server.ask("/v1/get", {"id": id, "all_scopes": True}).json["result"]["memory"]
    assert (memory["scope"], memory["source_ref"]) == ("project/shop", "mcp scoped raw 1")


def test_a_session_cannot_be_used_to_borrow_another_token(server: Server, secrets: dict[str, str]) -> None:
    """Each request is limited by its own token, not by the one that opened the session."""
    route = TokenRoute(server, secrets["any"], "?tools=all")
    headers = dict(route._headers)
    call = rpc("tools/call", {"name": "memory_store", "arguments": {"text": "borrowed", "scope": "project/harbour"}})

    borrowed = _ask(server, secrets["reading"], "/mcp?tools=all", call, headers=headers)

    assert b"readonly_mode" in borrowed.body


def test_about_the_server_only_the_operator_asks(server: Server, secrets: dict[str, str]) -> None:
    for who in ("scoped", "reading", "any"):
        status = _ask(server, secrets[who], "/v1/status", b"", method="GET")
        stop = _ask(server, secrets[who], "/v1/stop", {})
        actor = _ask(server, secrets[who], "/v1/memory_list", {}, headers={"Satchel-Actor": "cli"})
        assert [(one.status, one.error) for one in (status, stop, actor)] == [(403, "operator_only")] * 3
        # Who has a token of their own is not sent to the operator's.
        assert not [one for one in (status, stop, actor) if "serve.token" in one.json["error"]["hint"]]
    assert server.is_well()


def test_an_expired_or_unknown_token_is_refused(server: Server, secrets: dict[str, str]) -> None:
    good = secrets["any"]
    for wrong in (
        secrets["late"],
        f"{good}x",
        good[:-1],
        good.upper(),
        "satchel_",
        f" {good}",
        good.removeprefix("satchel_"),
    ):
        assert _ask(server, wrong, "/v1/memory_list", {}).status == 401, wrong


def test_the_command_creates_and_revokes_while_the_server_runs(server: Server, shell: Shell) -> None:
    shell.like(server)
    code, out, _ = shell.run("token", "create", "phone", "--scope", "project/shop", "--expires", "2w")
    secret = next(line for line in out.splitlines() if line.startswith("satchel_"))

    assert code == 0
    assert _ask(server, secret, "/v1/memory_list", {}).status == 200
    assert secret not in shell.run("token", "list", "--json")[1]
    assert shell.run("token", "revoke", "phone")[0] == 0
    refused = _ask(server, secret, "/v1/memory_list", {})
    assert (refused.status, refused.error) == (401, "bad_token")
    assert "revoked" in refused.json["error"]["message"]
    # It must not be pointed at the operator's token.
    assert "serve.token" not in refused.json["error"]["hint"]
    assert shell.run("token", "revoke", "phone")[0] == 1
    assert secret not in server.log.read_text(encoding="utf-8")


def test_no_call_of_a_scoped_program_fails_in_an_unforeseen_way(server: Server, secrets: dict[str, str]) -> None:
    for operation in TOOLS.values():
        for call in CASES[operation.name]:
            answer = _ask(server, secrets["two"], f"/v1/{tool_name(operation)}", call)
            assert answer.status in (200, 400, 403, 404, 409), (operation.name, answer.body)
