"""Hostile requests over the routes: refused as the table says, without a server error, a traceback or a performed write."""

import re
from collections.abc import Iterator, Sequence

import pytest

from satchel.adapters.access_file import AccessFile
from satchel.interfaces.tokens import issue_token
from tests.faults.extent import extent, is_whole
from tests.interfaces.http.running import Server, parsed
from tests.security.hostile_requests import ROUTES, Good, Hostile, applies, good_request, rows

ROWS = list(rows())
_ANSWER = re.compile(rb"^HTTP/1\.1 [1-5]", re.MULTILINE)


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server with something to steal, and no traceback in its log at the end."""
    home = tmp_path_factory.mktemp("guarded") / "home"
    home.mkdir(mode=0o700)
    # Thousands of requests come with one token.
    (home / "config.toml").write_text("[serve]\nrequests_per_minute = 0\n", encoding="utf-8")
    server = Server(home, "--port", "0")
    assert server.ask("/v1/store", {"text": "the canary is zqcanary000"}).status == 200
    yield server
    assert server.is_well()
    assert server.stop() == 0
    assert "Traceback" not in server.log.read_text(encoding="utf-8")


def problem_of(server: Server, good: Good, row: Hostile) -> str | None:
    """Send a hostile request; return what is wrong with the answer."""
    answer = server.send(row.data(good), tcp=True)
    if not answer:
        return "no answer"
    if len(_ANSWER.findall(answer)) != 1:
        return f"{len(_ANSWER.findall(answer))} answers"
    reply = parsed(answer)
    if reply.status not in row.statuses:
        return f"{reply.status}: {reply.body[:200]!r}"
    said = answer.lower()
    told = (b"traceback", b"internal_error", b"access-control", b"set-cookie", str(server.home).encode().lower())
    shown = [one for one in told if one in said and not (one == told[-1] and reply.status == 200)]
    if good.headers["Authorization"] and b"zqcanary000" in said and reply.status != 200:
        shown.append(b"the canary")
    return f"shows {shown}" if shown else None


def _routes_for(number: int) -> list[tuple[str, str]]:
    """Return the routes on which a row is tried: all, or in the short suite one of each kind in turn."""
    operations = [one for one in ROUTES if one[1].startswith("/v1/") and one[0] == "POST"]
    others = [one for one in ROUTES if one not in operations]
    return list(ROUTES) if is_whole() else [operations[number * 7 % len(operations)], others[number % len(others)]]


def _failures(server: Server, token: str, tried: Sequence[Hostile], every: int = 1) -> list[str]:
    """Return what is wrong with the answers to some rows, each tried on every so many-th of its routes."""
    port = server.status["port"]
    return [
        f"{row.name} at {method} {path}: {problem}"
        for number, row in enumerate(tried)
        for method, path in _routes_for(number)[number % every :: every]
        if applies(row, method, path)
        if (problem := problem_of(server, good_request(method, path, token, port), row))
    ]


def test_there_are_rows_enough_and_each_has_a_name() -> None:
    assert len(ROWS) >= 200
    assert len({row.name for row in ROWS}) == len(ROWS)


def test_the_requests_that_they_are_made_from_are_good(guarded: Server) -> None:
    for method, path in ROUTES:
        if path != "/v1/stop":
            good = good_request(method, path, guarded.token, guarded.status["port"])
            assert parsed(guarded.send(good.data(), tcp=True)).status in (200, 400, 403, 404, 406), path


def test_no_hostile_request_is_answered_otherwise_than_it_should(guarded: Server) -> None:
    failures = _failures(guarded, guarded.token, ROWS)

    assert failures == [], f"{len(failures)} of them:\n" + "\n".join(failures[:40])


def test_nor_is_one_with_the_token_of_a_program(guarded: Server) -> None:
    file = AccessFile(guarded.home)
    secret = issue_token(file, "hostile", 0, scopes=("project/elsewhere",), read_only=True)[1]
    before = guarded.ask("/v1/stats", {"all_scopes": True}).json["result"]["tally"]
    # What the operator would be told of a path or a body, a program may be refused before.
    widened = [row._replace(statuses=row.statuses | {403}) for row in extent(ROWS[::4], ROWS)]

    failures = _failures(guarded, secret, widened, every=extent((1,), (5,))[0])

    assert failures == [], f"{len(failures)} of them:\n" + "\n".join(failures[:40])
    assert guarded.ask("/v1/stats", {"all_scopes": True}).json["result"]["tally"] == before


def test_none_of_them_has_written_anything_forged(guarded: Server) -> None:
    listed = guarded.ask("/v1/list", {"limit": 200, "all_scopes": True}).json["result"]["memories"]

    assert not [one["text"] for one in listed if "forged" in one["text"]]
