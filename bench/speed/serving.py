"""Commands and hooks with a running server, timed from process start to exit."""

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.processes import serving
from bench.speed.fixture import Fixture
from bench.speed.results import Contest
from bench.speed.timing import PYTHON, SATCHEL, Call, cold, contest, run_process
from satchel.errors import Unavailable

# Every turn waits for this, so its 95th percentile is taken from more runs than that of other commands.
MOST_TURNS = 40


def served(fixture: Fixture) -> Iterator[Contest]:
    """Time `turn before` without a server, by words and meaning and by words, then it and a recall with a server."""
    ways = {"": _turn_before(fixture, "hybrid"), ", words only": _turn_before(fixture, "lexical")}
    found = cold(ways, fixture.runs, MOST_TURNS)
    for way in ways:
        both = {SATCHEL: found[way], PYTHON: found[PYTHON]}
        yield contest(f"cold start: turn before{way}", "ms", both, note="process start to exit, no server")
    with serving(fixture.home):
        yield _timed(
            fixture, "with a server: turn before", _turn_before(fixture, "hybrid"), "a server has the store open"
        )
        yield _timed(fixture, "with a server: recall, hybrid", _recall(fixture), "a server has the store open")


def _timed(fixture: Fixture, what: str, ours: Call, note: str) -> Contest:
    return contest(what, "ms", cold({SATCHEL: ours}, fixture.runs, MOST_TURNS), note=f"process start to exit, {note}")


def _turn_before(fixture: Fixture, mode: str) -> Call:
    def call(run: int) -> None:
        one = fixture.questions[run % fixture.runs]
        given = json.dumps({"prompt": one.question, "scope": one.scope, "mode": mode})
        answer = json.loads(run_process([*_satchel(fixture.home), "turn", "before", "--json"], given))
        if answer["result"]["mode"] != mode:
            # A hook reports its failure in an empty answer.
            raise Unavailable(f"turn before failed: {answer['result']['skip_reason']}", code="bench_failed")

    return call


def _recall(fixture: Fixture) -> Call:
    def call(run: int) -> None:
        one = fixture.questions[run % fixture.runs]
        run_process([*_satchel(fixture.home), "recall", one.question, "--scope", one.scope, "--json"])

    return call


def _satchel(home: Path) -> Sequence[str]:
    return sys.executable, "-m", "satchel", "--home", str(home)
