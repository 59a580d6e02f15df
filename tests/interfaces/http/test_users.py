"""Users of a server: what each role may call, under which name it acts, and that a change counts at once."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from satchel.adapters.access_file import AccessFile
from satchel.app import Satchel
from satchel.domain.access import Role, User
from satchel.domain.access_list import add_user, change_user, remove_user
from satchel.interfaces.agents import FOR_USERS, TOOLS, Bounds, settable_parameters, takes_scope
from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.operations import Operation
from satchel.interfaces.tokens import issue_token
from tests.interfaces.http.conftest import Shell
from tests.interfaces.http.filled import calls_of, filled_server
from tests.interfaces.http.running import Reply, Server
from tests.interfaces.http.test_tokens import TokenRoute
from tests.security.conftest import settings_of
from tests.tables import each_case

SHOP, BAKERY = "project/shop", "project/bakery"
USERS = {
    "reader": User("reader", Role.READ, 0, (SHOP,)),
    "writer": User("writer", Role.WRITE, 0, (SHOP, BAKERY)),
    "keeper": User("keeper", Role.OPERATOR, 0, (SHOP,)),
    "boss": User("boss", Role.OPERATOR, 0),
}
_REFUSALS = {"operator_only", "readonly_mode", "no_folder", "whole_store"}


@pytest.fixture(scope="module")
def secrets(server: Server) -> Iterator[dict[str, str]]:
    """A token of each user."""
    yield added(server)


def added(server: Server) -> dict[str, str]:
    """Add the users to a server's store; return a token of each."""
    kept = AccessFile(server.home)
    for user in USERS.values():
        kept.change(lambda access, user=user: add_user(access, user))  # type: ignore[misc]
    return {name: issue_token(kept, f"{name}-laptop", 0, user=name)[1] for name in USERS}


def ask(server: Server, secret: str, route: str, body: Any = None, **more: Any) -> Reply:
    """Send a request with a token."""
    return server.ask(route, body, headers={"Authorization": f"Bearer {secret}", **more.pop("headers", {})}, **more)


def expected_refusal(operation: Operation, who: str) -> str | None:
    """State the rule on its own: roles, whole-store operations of an operator of some scopes, files, writing."""
    if who in ("reader", "writer") and operation.operator_only and operation.name not in FOR_USERS:
        return "operator_only"
    if who == "keeper" and not operation.agents_only and not takes_scope(operation):
        return "whole_store"
    if who == "reader" and (operation.writes or operation.handles_files):
        return "readonly_mode"
    return "no_folder" if operation.handles_files else None


def error_of(reply: Reply) -> str | None:
    """Return the refusal in an answer, if it is one about rights."""
    said = reply.json
    error = said["details"].get("error") if "details" in said else said.get("error", {}).get("code")
    return error if error in _REFUSALS else None


@each_case("name", OFFERED)
@each_case("who", USERS)
def test_each_operation_is_allowed_or_refused_by_the_role(
    server: Server, secrets: dict[str, str], name: str, who: str
) -> None:
    expected = expected_refusal(OFFERED[name], who)

    answer = ask(server, secrets[who], f"/v1/{name}", {})

    assert error_of(answer) == expected, answer.body
    assert (answer.status == 403) == (expected is not None), answer.body


@each_case("who", USERS)
def test_at_mcp_a_user_has_the_tools_of_agents(server: Server, secrets: dict[str, str], who: str) -> None:
    """An operator too: a caller of tools is an agent, even one of the operator."""
    route = TokenRoute(server, secrets[who], "?tools=all")
    listed = {one["name"] for one in route.ask("tools/list", {}).json["result"]["tools"]}
    reads = who == "reader"

    assert listed == {
        name
        for name, one in TOOLS.items()
        if not one.handles_files and not (reads and (one.writes or one.handles_files))
    }


@each_case("operator", [False, True])
def test_no_parameter_leads_a_user_out_of_its_scopes_or_into_the_servers_files(operator: bool) -> None:
    outside = {"all_scopes", "elsewhere", "fallback", "verify", "file", "cwd", "lossless"}
    for scopes in ((SHOP,), (SHOP, BAKERY)):
        bounds = Bounds(scopes=scopes, user="anna", token="laptop", operator=operator)
        for one in OFFERED.values():
            assert not settable_parameters(one, bounds).keys() & outside, one.name


def test_a_write_user_stores_untrusted_memories_in_its_scopes(server: Server, secrets: dict[str, str]) -> None:
    stored = ask(server, secrets["writer"], "/v1/store", {"text": "rye is baked at six", "scope": BAKERY})
    elsewhere = ask(server, secrets["writer"], "/v1/store", {"text": "rye is baked at seven", "scope": "private"})
    raised = ask(server, secrets["writer"], "/v1/store", {"text": "rye", "source_kind": "operator"})

    memory = server.ask("/v1/get", {"id": stored.json["result"]["id"], "all_scopes": True}).json["result"]["memory"]
    assert (memory["scope"], memory["trust"], memory["source_kind"]) == (BAKERY, "untrusted", "tool")
    assert (elsewhere.status, elsewhere.error) == (403, "scope_refused")
    assert raised.status == 400


def test_only_an_operator_of_every_scope_recalls_from_all_of_them(server: Server, secrets: dict[str, str]) -> None:
    server.ask("/v1/store", {"text": "the spare key hangs in the barn", "scope": "private/barn"})
    question = {"query": "where is the spare key?", "mode": "lexical", "all_scopes": True}

    answers = {who: ask(server, secrets[who], "/v1/recall", question) for who in USERS}

    found = [(hit["memory"]["text"], hit["memory"]["scope"]) for hit in answers["boss"].json["result"]["hits"]]
    assert ("the spare key hangs in the barn", "private/barn") in found
    assert {who: (one.status, one.error) for who, one in answers.items() if who != "boss"} == dict.fromkeys(
        ("reader", "writer", "keeper"), (400, "unknown_param")
    )


def test_an_operator_of_a_scope_moves_no_memory_into_it(server: Server, secrets: dict[str, str]) -> None:
    id = server.ask("/v1/store", {"text": "the oven is serviced in May", "scope": BAKERY}).json["result"]["id"]

    refused = ask(server, secrets["keeper"], "/v1/edit", {"id": id, "scope": SHOP})
    by_agent = ask(server, secrets["writer"], "/v1/edit", {"id": id, "scope": SHOP})
    asked = ask(server, secrets["keeper"], "/v1/edit", {"id": id, "scope": SHOP, "elsewhere": True})
    moved = ask(server, secrets["boss"], "/v1/edit", {"id": id, "scope": "private/oven"})

    assert (refused.status, refused.error) == (404, "not_found")
    assert (by_agent.status, by_agent.error) == (403, "operator_only")
    assert (asked.status, asked.error) == (400, "unknown_param")
    assert (moved.json["result"]["action"], moved.json["result"]["old_scope"]) == ("moved", BAKERY)


def test_a_tool_is_an_agents_in_the_users_scope_also_for_an_operator(server: Server, secrets: dict[str, str]) -> None:
    stored = ask(server, secrets["keeper"], "/v1/memory_store", {"text": "the cellar is dry"})
    route = TokenRoute(server, secrets["keeper"], "?tools=all")
    called = route.ask("tools/call", {"name": "memory_store", "arguments": {"text": "the attic is warm"}}).json[
        "result"
    ]
    elsewhere = ask(server, secrets["keeper"], "/v1/memory_list", {"scope": BAKERY})

    for id in (stored.json["details"]["id"], called["structuredContent"]["id"]):
        shown = server.ask("/v1/get", {"id": id, "all_scopes": True}).json["result"]
        memory = shown["memory"]
        assert (memory["scope"], memory["trust"], memory["source_kind"]) == (SHOP, "untrusted", "tool")
        assert "keeper-laptop" in memory["source_ref"]
        assert {one["actor"] for one in shown["history"]} == {"user:keeper/keeper-laptop"}
    assert elsewhere.status == 403


def test_an_operator_of_a_scope_confirms_there_and_nowhere_else(server: Server, secrets: dict[str, str]) -> None:
    ids = {
        scope: ask(server, secrets["writer"], "/v1/store", {"text": f"till closes at {scope}", "scope": scope}).json[
            "result"
        ]["id"]
        for scope in (SHOP, BAKERY)
    }
    mine = ask(server, secrets["keeper"], "/v1/confirm", {"ids": [ids[SHOP]]})
    other = ask(server, secrets["keeper"], "/v1/confirm", {"ids": [ids[BAKERY]]})
    everywhere = ask(server, secrets["keeper"], "/v1/list", {"all_scopes": True})

    assert mine.status == 200 and other.status == 404, other.body
    assert everywhere.status == 400
    trust = {
        scope: server.ask("/v1/get", {"id": id, "all_scopes": True}).json["result"]["memory"]["trust"]
        for scope, id in ids.items()
    }
    assert trust == {SHOP: "trusted", BAKERY: "untrusted"}


def test_an_operator_of_scopes_never_deletes_a_default_one(server: Server, secrets: dict[str, str]) -> None:
    ask(server, secrets["writer"], "/v1/store", {"text": "the awning is green"})

    unnamed = ask(server, secrets["keeper"], "/v1/scopes_delete", {})
    foreign = ask(server, secrets["keeper"], "/v1/scopes_delete", {"scope": BAKERY})

    assert (unnamed.status, unnamed.error) == (400, "missing_param")
    assert (foreign.status, foreign.error) == (403, "scope_refused")
    assert ask(server, secrets["writer"], "/v1/list", {}).json["result"]["memories"]


@each_case("body", [{"prompt": "x", "cwd": "/"}, {"prompt": "x", "cwd": "/root"}])
def test_nobody_names_a_folder_of_the_servers_machine(
    server: Server, secrets: dict[str, str], body: dict[str, Any]
) -> None:
    refused = ask(server, secrets["boss"], "/v1/ingest", {"file": "/etc/passwd"})
    listed = ask(server, secrets["boss"], "/v1/conversation_list", {"lossless": "/etc/passwd"})

    assert (refused.status, listed.status) == (400, 400)
    assert b"root" not in refused.body + listed.body


def test_no_user_can_change_rights_or_the_server(server: Server, secrets: dict[str, str]) -> None:
    for secret in secrets.values():
        for route in ("user_add", "user_change", "user_remove", "token_create", "config_set", "stop"):
            assert ask(server, secret, f"/v1/{route}", {}).status in (403, 404), route
        assert ask(server, secret, "/v1/status", b"", method="GET").status == 403
        actor = ask(server, secret, "/v1/memory_list", {}, headers={"Satchel-Actor": "cli"})
        assert (actor.status, actor.error) == (403, "operator_only")
    assert server.is_well()


def test_a_change_of_a_user_counts_at_once_for_its_tokens(server: Server) -> None:
    kept = AccessFile(server.home)
    kept.change(lambda access: add_user(access, User("temp", Role.OPERATOR, 0)))
    secret = issue_token(kept, "temp-laptop", 0, user="temp")[1]

    def statuses() -> list[int]:
        calls = {"doctor": {}, "memory_store": {"text": "the lamp is blue"}, "memory_list": {}}
        return [ask(server, secret, f"/v1/{name}", body).status for name, body in calls.items()]

    assert statuses() == [200, 200, 200]
    kept.change(lambda access: change_user(access, "temp", role=Role.WRITE))
    assert statuses() == [403, 200, 200]
    kept.change(lambda access: change_user(access, "temp", role=Role.READ))
    assert statuses() == [403, 403, 200]
    kept.change(lambda access: remove_user(access, "temp"))
    assert statuses() == [401, 401, 401]
    # A user of the same name later is somebody else.
    kept.change(lambda access: add_user(access, User("temp", Role.OPERATOR, 0)))
    assert statuses() == [401, 401, 401]


def test_the_inspector_is_for_operators_of_every_scope(server: Server, secrets: dict[str, str]) -> None:
    statuses = {who: ask(server, secret, "/v1/open", {}).status for who, secret in secrets.items()}

    assert statuses == {"reader": 403, "writer": 403, "keeper": 403, "boss": 200}


def test_a_session_of_the_inspector_acts_as_its_user_and_ends_with_it(server: Server) -> None:
    kept = AccessFile(server.home)
    kept.change(lambda access: add_user(access, User("visitor", Role.OPERATOR, 0)))
    secret = issue_token(kept, "browser", 0, user="visitor")[1]
    opened = ask(server, secret, "/v1/open", {}, tcp=True).json["result"]["address"]
    entered = server.ask(
        opened.partition(str(server.status["port"]))[2], b"", method="GET", headers={"Authorization": None}, tcp=True
    )
    cookie = {"Authorization": None, "Cookie": entered.headers["set-cookie"].partition(";")[0]}

    def page(path: str) -> int:
        return server.ask(path, b"", method="GET", headers=cookie, tcp=True).status

    assert "Secure" not in entered.headers["set-cookie"]
    assert page("/memories") == 200
    # It reads files of the server's machine, and may bring in trusted memories.
    assert page("/import") == 403
    assert server.ask("/import/upload", b"x", headers=cookie, tcp=True).status == 403
    kept.change(lambda access: change_user(access, "visitor", scopes=(SHOP,)))
    assert page("/memories") == 401
    kept.change(lambda access: change_user(access, "visitor", scopes=()))
    assert page("/memories") == 401


# Receipts of what follows from a change, which Satchel itself does.
CONSEQUENCES = {"fact forget", "conversation forget", "working set forget"}


def test_every_change_of_a_user_is_recorded_under_its_name(tmp_path_factory: pytest.TempPathFactory) -> None:
    home = tmp_path_factory.mktemp("recorded") / "home"
    with filled_server(home) as (server, ids):
        secret = added(server)["boss"]
        before = recorded(home)
        for name, operation, arguments in calls_of(ids):
            if operation.writes and not operation.handles_files:
                answer = ask(server, secret, f"/v1/{name}", arguments)
                assert answer.status < 500, (name, answer.body)
                receipt = answer.json.get("receipt")
                if answer.status == 200 and receipt and name != "capture":
                    assert receipt["body"]["actor"] == "user:boss/boss-laptop", name
        entries = ask(server, secret, "/v1/undo_list", {"limit": 200}).json["result"]["changes"]
        listed = ask(server, secret, "/v1/receipts_list", {"actor": "user:boss", "limit": 5000}).json["result"]
        after = recorded(home)

    new = {kind: {key: by for key, by in after[kind].items() if key not in before[kind]} for kind in after}
    assert set(new["memories"].values()) <= {"user:boss/boss-laptop", "satchel"}
    assert set(new["observations"].values()) <= {"user:boss/boss-laptop"}
    assert len(new["memories"]) > 10 and new["receipts"]
    unnamed = {operation for operation, by in new["receipts"].values() if by != "user:boss/boss-laptop"}
    assert unnamed <= CONSEQUENCES, unnamed
    assert "user:boss/boss-laptop" in {one["actor"] for one in entries}
    assert {one["body"]["actor"] for one in listed} == {"user:boss/boss-laptop"}


def recorded(home: Any) -> Mapping[str, Mapping[int, Any]]:
    """Return who made each change and each receipt of a store."""
    with Satchel.open(settings=settings_of(home)) as memory:
        ledger = memory.parts.ledger
        return {
            "memories": {one.seq: one.actor for one in ledger.changes.memory_events(None, 5_000)},
            "observations": {one.seq: one.actor for one in ledger.changes.observation_events(None, 5_000)},
            "receipts": {one.seq: (one.operation, one.body.get("actor")) for one in ledger.receipts.recent(5_000)},
        }


def test_receipts_are_found_by_user_and_by_token(server: Server, secrets: dict[str, str], shell: Shell) -> None:
    shell.like(server)
    ask(server, secrets["reader"], "/v1/memory_recall", {"query": "when does the till close?"})
    ask(server, secrets["writer"], "/v1/memory_recall", {"query": "when does the till close?"})

    def found(actor: str) -> set[str]:
        listed = server.ask("/v1/receipts_list", {"actor": actor, "limit": 5000}).json["result"]
        return {one["body"]["actor"] for one in listed}

    assert found("user:reader") == found("user:reader/reader-laptop") == {"user:reader/reader-laptop"}
    assert found("user:read") == found("user:reader/") == found("user") == found("%") == set()
    assert "user:reader/reader-laptop" in shell.run("receipts", "list", "--actor", "user:reader")[1]


def test_the_commands_add_change_and_remove_users(server: Server, shell: Shell) -> None:
    shell.like(server)
    added = shell.run("user", "add", "carl", "--scope", SHOP, "--role", "write")
    code, out, _ = shell.run("token", "create", "carl-phone", "--user", "carl", "--expires", "2w")
    secret = next(line for line in out.splitlines() if line.startswith("satchel_"))

    assert (added[0], code) == (0, 0)
    assert ask(server, secret, "/v1/memory_list", {}).status == 200
    assert "carl: write, project/shop  tokens: carl-phone" in shell.run("user", "list")[1]
    assert "local: operator, every scope" in shell.run("user", "list")[1]
    for wider in (("--role", "operator"), ("--scope", BAKERY)):
        assert shell.run("token", "create", "more", "--user", "carl", *wider)[0] == 1
    assert shell.run("user", "change", "carl")[0] == 2
    assert shell.run("user", "change", "carl", "--every-scope", "--role", "read")[0] == 0
    assert ask(server, secret, "/v1/memory_store", {"text": "x"}).status == 403
    assert shell.run("user", "remove", "carl")[0] == 0
    assert ask(server, secret, "/v1/memory_list", {}).status == 401
    assert shell.run("user", "remove", "local")[0] == 1
    assert shell.run("user", "remove", "carl")[0] == 1
