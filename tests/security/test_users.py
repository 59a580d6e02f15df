"""Random calls of users with rights in one scope, after the records of others: they see nothing of them, and change nothing."""

import asyncio
import json
import random
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NamedTuple

import pytest

from satchel.adapters.access_file import AccessFile
from satchel.adapters.clock import SystemClock
from satchel.adapters.inmemory.access import InMemoryAccess
from satchel.domain.access import Role, User
from satchel.domain.access_list import add_user
from satchel.errors import SatchelError
from satchel.interfaces.agents import Bounds, as_agent, perform, tool_name
from satchel.interfaces.http.access import Access
from satchel.interfaces.http.answers import operation_response
from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.http.limits import Limits
from satchel.interfaces.operations import Operation, Session
from satchel.interfaces.tokens import issue_token
from satchel.ports import AccessStore
from tests.faults.extent import extent
from tests.interfaces.http.running import Server
from tests.security.canaries import MINE, STOCK, Stocked
from tests.security.cases import CASES, filled_in
from tests.security.conftest import Stock
from tests.security.edges import McpRoute
from tests.security.test_scopes import leaks

CALLS = extent((600,), (10_000,))[0]
CALLS_OVER_HTTP = extent((40,), (1_000,))[0]
SEED = 59
ROLES = tuple(Role)
# What a call may ask for besides its own arguments: ways out of the scope, if one of them led there.
_WAYS_OUT: tuple[Mapping[str, Any], ...] = (
    {"all_scopes": True}, {"elsewhere": True}, {"fallback": True}, {"verify": True}, {"quarantined": True}, {"untrusted": True},
    {"redact": False}, {"all_scopes": True, "quarantined": True}, {"source_kind": "operator"}, {"trust": "trusted"}, {"limit": 50}, {},
    {}, {}, {},
)  # fmt: skip


# They change nothing, but keep the words of the question in a packet or a log.
_KEEPING = ("attention route", "route")


class Call(NamedTuple):
    """One call of one user."""

    role: Role
    operation: Operation
    arguments: dict[str, Any]


def random_calls(stock: Stock, count: int) -> Iterator[Call]:
    """Yield calls that name records and scopes of others, as often as not."""
    chance = random.Random(SEED)
    operations = [(operation, call) for operation in OFFERED.values() for call in CASES[operation.name]]
    for _ in range(count):
        operation, call = chance.choice(operations)
        other = chance.choice(stock.foreign)
        ids = chance.choice((other.ids, other.ids, mixed(stock.mine, other, chance)))
        keeps = operation.writes or operation.name in _KEEPING
        if keeps:
            # The user may store any word, and finds it again.
            ids = {kind: id.replace(other.canary, f"guessed{other.canary[-3:]}") for kind, id in ids.items()}
        known = {one.name for one in operation.parameters}
        way_out = {name: value for name, value in chance.choice(_WAYS_OUT).items() if name in known}
        arguments = {**filled_in(call, ids), **way_out}
        if chance.random() < 0.2 and not keeps:
            arguments |= {name: f"{STOCK} {other.canary}" for name in ("query", "goal", "text") if name in arguments}
        scope = chance.choice((*(None,) * 16, MINE, other.scope, "*", "auto", "", f"{MINE}/", "global", [other.scope]))
        yield Call(chance.choice(ROLES), operation, arguments if scope is None else {**arguments, "scope": scope})


def mixed(mine: Stocked, other: Stocked, chance: random.Random) -> dict[str, str]:
    """Return ids of which some are the caller's and some are not."""
    return {kind: chance.choice((id, other.ids[kind])) for kind, id in mine.ids.items()}


def said(answer: str, call: Call) -> str:
    """Return an answer without the words that the call itself contained, which it may repeat."""
    for word in sorted(texts_in(call.arguments), key=len, reverse=True):
        for form in (word, json.dumps(word, ensure_ascii=False)[1:-1], *word.split()):
            answer = answer.replace(form, "") if len(form) > 3 else answer
    return answer


def texts_in(value: Any) -> Iterator[str]:
    """Yield every text in some arguments."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from texts_in(one)
    elif isinstance(value, list):
        for one in value:
            yield from texts_in(one)


def users_of(kept: AccessStore) -> dict[Role, str]:
    """Add a user of each role, with rights in one scope; return a token of each."""
    for role in ROLES:
        kept.change(lambda access, role=role: add_user(access, User(f"one-{role.value}", role, 0, (MINE,))))  # type: ignore[misc]
    return {role: issue_token(kept, f"laptop-{role.value}", 0, user=f"one-{role.value}")[1] for role in ROLES}


def bounds_of_users() -> dict[Role, Bounds]:
    """Return what a server makes of the tokens."""
    kept = InMemoryAccess()
    secrets = users_of(kept)
    access = Access("x", kept, Bounds(), SystemClock(), Limits(0, 0, SystemClock().ticks))
    found = {role: asyncio.run(access.bounds_of([f"Bearer {secret}"])) for role, secret in secrets.items()}
    return {role: one for role, one in found.items() if one is not None}


def state_of(session: Session, foreign: list[Stocked]) -> dict[str, Any]:
    """Return what the store holds of other scopes: the counts of each, and every memory."""
    scopes = {one.scope for one in foreign}
    counted = [one for one in session.memory.scopes.list().result.scopes if one.scope in scopes]
    memories = session.memory.memories.list(all_scopes=True, limit=5_000).result.memories
    return {
        "counts": counted,
        "memories": {one.id: one for one in memories if one.scope in scopes},
    }


def test_users_of_one_scope_see_and_change_nothing_of_others(stock: Stock, opened: Callable[[], Session]) -> None:
    session, bounds = opened(), bounds_of_users()
    before = state_of(session, stock.foreign)
    statuses: dict[int, int] = {}
    for call in random_calls(stock, CALLS):
        allowed = bounds[call.role]
        if call.operation.agents_only:
            allowed = as_agent(allowed, Bounds())
        outcome = perform(session.acting_as(allowed.actor), call.operation, allowed, call.arguments, "tester")
        answer = operation_response(call.operation, outcome, allowed)
        statuses[answer.status_code] = statuses.get(answer.status_code, 0) + 1
        assert not isinstance(outcome, SatchelError) or outcome.code != "internal_error", call
        assert not leaks(said(bytes(answer.body).decode(), call), stock.foreign), call
    # Calls of every kind were made: some succeed in the user's own scope, others are refused, invalid or find nothing.
    assert statuses.keys() >= {200, 400, 403, 404}
    assert min(statuses[200], statuses[403]) > CALLS / 10, statuses
    assert state_of(session, stock.foreign) == before


@pytest.fixture(scope="module")
def served(stock: Stock, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server over a copy of the filled store."""
    home = stock.copy(tmp_path_factory.mktemp("users") / "home")
    server = Server(home, SATCHEL_SERVE_REQUESTS_PER_MINUTE="0", SATCHEL_SERVE_RECORDS_PER_DAY="0")
    yield server
    assert server.stop() == 0


class AsUser:
    """A server, as a user asks it."""

    def __init__(self, server: Server, secret: str) -> None:
        self._server, self._headers = server, {"Authorization": f"Bearer {secret}"}

    def ask(self, route: str, body: Any, headers: Mapping[str, str] | None = None) -> Any:
        """Send a request with the user's token."""
        return self._server.ask(route, body, headers={**self._headers, **(headers or {})})


def test_nor_do_they_over_http_and_mcp(stock: Stock, served: Server) -> None:
    users = {role: AsUser(served, secret) for role, secret in users_of(AccessFile(served.home)).items()}
    sessions = {role: McpRoute(user, "?tools=all") for role, user in users.items()}  # type: ignore[arg-type]
    for call in random_calls(stock, CALLS_OVER_HTTP):
        name = tool_name(call.operation)
        answers = [users[call.role].ask(f"/v1/{name}", call.arguments).body.decode()]
        if not call.operation.operator_only:
            answers.append(sessions[call.role].call(call.operation, call.arguments))
        for answer in answers:
            assert not leaks(said(answer, call), stock.foreign), call
            assert "internal_error" not in answer, (call, answer)
