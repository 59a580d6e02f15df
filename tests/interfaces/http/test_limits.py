"""Limits of users and of programs: how much, when again, and what the metrics count."""

from collections.abc import Callable
from typing import Any

import pytest

from satchel.adapters.access_file import AccessFile
from satchel.domain.access import Role, User
from satchel.domain.access_list import add_user
from satchel.errors import LimitReached
from satchel.interfaces.agents import Bounds, sent_records
from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.http.limits import HOUR, Limits
from satchel.interfaces.http.metrics import text_of
from satchel.interfaces.tokens import issue_token
from tests.interfaces.http.running import Reply, Server
from tests.interfaces.http.test_tokens import TokenRoute
from tests.tables import each_case


class Clock:
    """A clock that goes when it is told to."""

    def __init__(self) -> None:
        self.seconds = 1_000_000.0

    def __call__(self) -> float:
        return self.seconds


def wait_of(ask: Callable[[], None]) -> tuple[str, int]:
    """Return the code of the limit that is reached, and when to try again."""
    with pytest.raises(LimitReached) as reached:
        ask()
    return reached.value.code, reached.value.retry_after


def test_an_allowance_of_requests_refills_steadily() -> None:
    clock = Clock()
    limits = Limits(6, 0, clock)
    for _ in range(6):
        limits.count_request("user:anna")

    assert wait_of(lambda: limits.count_request("user:anna")) == ("too_many_requests", 10)
    limits.count_request("user:ben")
    clock.seconds += 9
    assert wait_of(lambda: limits.count_request("user:anna")) == ("too_many_requests", 1)
    clock.seconds += 1
    limits.count_request("user:anna")
    assert wait_of(lambda: limits.count_request("user:anna"))[1] == 10
    clock.seconds += 3_600
    for _ in range(6):
        limits.count_request("user:anna")
    assert wait_of(lambda: limits.count_request("user:anna"))[1] == 10


def test_records_count_for_a_day() -> None:
    clock = Clock()
    clock.seconds = 100 * HOUR
    limits = Limits(0, 10, clock)
    limits.count_records("user:anna", 4)
    clock.seconds += HOUR
    limits.count_records("user:anna", 6)

    assert wait_of(lambda: limits.count_records("user:anna", 1)) == ("too_many_records", 23 * 3600)
    limits.count_records("user:ben", 10)
    clock.seconds += 23 * HOUR
    limits.count_records("user:anna", 4)
    assert wait_of(lambda: limits.count_records("user:anna", 1)) == ("too_many_records", 3600)


def test_a_batch_beyond_the_limit_is_refused_whole() -> None:
    limits = Limits(0, 10, Clock())
    with pytest.raises(LimitReached):
        limits.count_records("token:ci", 11)
    limits.count_records("token:ci", 10)


def test_the_local_operator_has_no_limit_and_zero_is_none() -> None:
    strict, open_ = Limits(1, 1, Clock()), Limits(0, 0, Clock())
    for _ in range(5):
        strict.count_request(Bounds(operator=True).limited_as)
        strict.count_records(Bounds(operator=True).limited_as, 5)
        open_.count_request("user:anna")
        open_.count_records("user:anna", 1_000_000)


@each_case(
    "bounds, expected",
    [
        (Bounds(user="anna", token="laptop"), "user:anna"),
        (Bounds(user="anna", token="phone", operator=True), "user:anna"),
        (Bounds(token="ci"), "token:ci"),
        (Bounds(), ""),
    ],
)
def test_all_tokens_of_a_user_count_together(bounds: Bounds, expected: str) -> None:
    assert bounds.limited_as == expected


@each_case(
    "name, arguments, expected",
    [
        ("memory_store", {"text": "a\nb"}, 1),
        ("episodes_add", {"turns": [{"text": "a"}] * 7, "lines": None}, 7),
        ("episodes_add", {"lines": '{"text": "a"}\n{"text": "b"}\n'}, 2),
        ("docs_add", {"texts": [{}, {}]}, 2),
        ("turn_after", {"messages": []}, 1),
        ("store", {"text": "a", "tags": ["x", "y", "z"]}, 1),
    ],
)
def test_a_call_counts_the_records_it_sends(name: str, arguments: dict[str, Any], expected: int) -> None:
    assert sent_records(OFFERED[name], arguments) == expected


def test_the_metrics_count_by_user_and_limit() -> None:
    limits = Limits(2, 3, Clock())
    limits.count_request("user:anna")
    limits.count_request("user:anna")
    wait_of(lambda: limits.count_request("user:anna"))
    limits.count_records("token:ci", 3)
    wait_of(lambda: limits.count_records("token:ci", 1))
    lines = text_of(limits.families()).splitlines()

    assert 'satchel_user_requests_total{user="user:anna"} 2' in lines
    assert 'satchel_user_records_total{user="token:ci"} 3' in lines
    assert 'satchel_user_limited_total{user="user:anna",limit="requests"} 1' in lines
    assert 'satchel_user_limited_total{user="token:ci",limit="records"} 1' in lines


def started(own_server: Callable[..., Server], **limits: str) -> tuple[Server, str, str]:
    """Start a server with limits; return it with a token of an operator, and one of a program."""
    server = own_server(None, "--port", "0", **limits)
    kept = AccessFile(server.home)
    kept.change(lambda access: add_user(access, User("boss", Role.OPERATOR, 0)))
    return server, issue_token(kept, "desk", 0, user="boss")[1], issue_token(kept, "ci", 0)[1]


def ask(server: Server, secret: str, route: str, body: Any = None, **more: Any) -> Reply:
    """Send a request with a token."""
    return server.ask(route, body, headers={"Authorization": f"Bearer {secret}"}, **more)


def test_a_server_answers_429_and_says_when_to_try_again(own_server: Callable[..., Server]) -> None:
    # One request in a minute, so that the test need not be faster than the clock.
    server, boss, program = started(own_server, SATCHEL_SERVE_REQUESTS_PER_MINUTE="1")
    opened = ask(server, boss, "/v1/open", {}, tcp=True).json["result"]["address"]
    refused = ask(server, boss, "/v1/memory_list", {})
    at_mcp = ask(server, boss, "/mcp", {})

    for one in (refused, at_mcp):
        assert (one.status, one.error) == (429, "too_many_requests")
        assert 1 <= int(one.headers["retry-after"]) <= 60
        assert "try again in" in one.json["error"]["hint"]
    # The session of the inspector is the user's too.
    path = opened.partition(str(server.status["port"]))[2]
    entered = server.ask(path, b"", method="GET", headers={"Authorization": None}, tcp=True)
    cookie = {"Authorization": None, "Cookie": entered.headers["set-cookie"].partition(";")[0]}
    assert server.ask("/memories", b"", method="GET", headers=cookie, tcp=True).status == 429
    assert [ask(server, program, "/v1/memory_list", {}).status for _ in range(2)] == [200, 429]
    for _ in range(5):
        assert server.ask("/v1/stats").status == 200
    counted = server.ask("/metrics", b"", method="GET").body.decode()
    assert 'satchel_refused_requests_total{reason="too_many_requests"} 3' in counted
    assert 'satchel_user_limited_total{user="user:boss",limit="requests"} 3' in counted


def test_a_user_stores_so_many_records_a_day_through_any_door(own_server: Callable[..., Server]) -> None:
    server, boss, program = started(own_server, SATCHEL_SERVE_RECORDS_PER_DAY="3")
    turns = [{"text": f"turn {number}", "session": "s"} for number in range(4)]
    batch = ask(server, boss, "/v1/episodes_add", {"turns": turns})
    stored = [ask(server, boss, "/v1/store", {"text": f"the {word} lamp is on"}).status for word in ("red", "blue")]
    route = TokenRoute(server, boss, "")
    tools = [
        route.ask("tools/call", {"name": "memory_store", "arguments": {"text": text}}).json["result"]["isError"]
        for text in ("tea at four", "cake at five")
    ]
    full = ask(server, boss, "/v1/store", {"text": "the green lamp is on"})

    assert (batch.status, batch.error) == (429, "too_many_records")
    assert stored == [200, 200] and tools == [False, True]
    assert (full.status, full.error) == (429, "too_many_records")
    assert int(full.headers["retry-after"]) <= 24 * 3600
    # Reading and erasing go on, and so do others.
    assert ask(server, boss, "/v1/forget", {"query": "lamp"}).status == 200
    assert ask(server, program, "/v1/memory_store", {"text": "bread at six"}).status == 200
    assert server.ask("/v1/episodes_add", {"turns": turns}).status == 200
