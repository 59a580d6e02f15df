"""A running server: what a command and a hook take with one, process start to exit."""

import json
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from satchel.errors import Unavailable
from satchel.interfaces.bench.results import Contest
from satchel.interfaces.bench.speed.ground import Ground
from satchel.interfaces.bench.speed.timing import SATCHEL, Call, cold, contest, run_process


def served(ground: Ground) -> Iterator[Contest]:
    """Time what goes before a turn without a server, and it and a recall with one, beside an interpreter that does nothing."""
    yield _timed(ground, "cold start: turn before", _turn_before(ground), "no server")
    with _server(ground.home):
        yield _timed(ground, "with a server: turn before", _turn_before(ground), "a server has the store open")
        yield _timed(ground, "with a server: recall, hybrid", _recall(ground), "a server has the store open")


def _timed(ground: Ground, what: str, ours: Call, note: str) -> Contest:
    return contest(what, "ms", cold({SATCHEL: ours}, ground.runs), note=f"process start to exit, {note}")


def _turn_before(ground: Ground) -> Call:
    def call(run: int) -> None:
        one = ground.questions[run % ground.runs]
        given = json.dumps({"prompt": one.question, "scope": one.scope})
        answer = json.loads(run_process([*_satchel(ground.home), "turn", "before", "--json"], given))
        if not answer["ok"]:
            raise Unavailable(f"turn before failed: {answer['error']['message']}", code="bench_failed")

    return call


def _recall(ground: Ground) -> Call:
    def call(run: int) -> None:
        one = ground.questions[run % ground.runs]
        run_process([*_satchel(ground.home), "recall", one.question, "--scope", one.scope, "--json"])

    return call


def _satchel(home: Path) -> Sequence[str]:
    return sys.executable, "-m", "satchel", "--home", str(home)


@contextmanager
def _server(home: Path) -> Iterator[None]:
    command = [*_satchel(home), "serve", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None, "started with a pipe"
        # It says where it listens, and then takes requests.
        said = server.stdout.readline()
        try:
            if not said.startswith(b"{") or not json.loads(said)["ok"]:
                raise Unavailable("the server did not start", code="bench_failed")
            yield
        finally:
            server.terminate()
