"""A running server: what a one-shot hybrid recall on the large store takes with one, and without."""

import json
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from bench.ground import Ground
from bench.measure import Row, interleaved, run_process

RUNS = 25
# All that a hook needs in order to ask: no table of operations, no parser.
_ASK = (
    "import sys; from pathlib import Path; from satchel.interfaces.http import client\n"
    "asked = {'query': sys.argv[2], 'scope': sys.argv[3]}\n"
    "assert client.call(Path(sys.argv[1]).resolve(), 'recall', asked, actor='hook', repeatable=True)"
)


def serve(ground: Ground) -> list[Row]:
    """Time the command through a server and in process, and a bare client of the same server."""
    home, questions = ground.large, ground.questions
    # A client with other settings than the server's does without it.
    alone = ground.environment | {"SATCHEL_WITHOUT_SERVER": "1"}

    def recall(run: int) -> Sequence[str]:
        one = questions[run]
        return ground.command("recall", one.question, "--scope", one.scope, "--json", "--home", str(home))

    def ask(run: int) -> Sequence[str]:
        one = questions[run]
        return [sys.executable, "-c", _ASK, str(home), one.question, one.scope]

    calls: dict[str, Callable[[int], None]] = {
        "served": lambda run: run_process(recall(run), ground.environment),
        "alone": lambda run: run_process(recall(run), alone),
        "client": lambda run: run_process(ask(run), ground.environment),
        "python": lambda run: run_process([sys.executable, "-c", "pass"], ground.environment),
    }
    with _server(ground, home):
        taken = interleaved(calls, RUNS)
    bare = ("python -c pass", taken["python"])
    count = f"{ground.rows:,} memories"
    return [
        Row(
            f"one-shot hybrid recall through a server, {count}",
            taken["served"],
            beside=(("in process", taken["alone"]), bare),
            note="process start to exit",
        ),
        Row(f"the same by the bare client, {count}", taken["client"], beside=(bare,), note="what a hook will do"),
    ]


@contextmanager
def _server(ground: Ground, home: Path) -> Iterator[None]:
    command = ground.command("serve", "--home", str(home), "--json")
    with subprocess.Popen(command, env=ground.environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as server:
        assert server.stdout is not None
        # It says where it listens, and then takes requests.
        if not json.loads(server.stdout.readline())["ok"]:
            raise SystemExit("the server did not start")
        try:
            yield
        finally:
            server.terminate()
