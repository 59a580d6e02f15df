"""Commands in a fresh process: what a hook or a person at the command line waits for."""

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.ground import Ground
from bench.measure import Bar, Row, interleaved, run_process
from bench.plain import PlainSearch, expression

PYTHON, PYTHON_SQLITE = "python -c pass", 'python -c "import sqlite3"'
BARE_SEARCH = Path(__file__).with_name("bare_search.py")
START_RUNS = 30
# As a host tells of a tool: words that several rules for secrets have to look at.
HOOK_EVENT = json.dumps(
    {
        "hook_event_name": "PostToolUse",
        "session_id": "5f2c",
        "tool_name": "bash",
        "text": "ran 12 tests in 3.2 s; the key file is missing, the token expired, see https://ci.example.org/run/12",
        "tool_input": {"command": "make test", "description": "run every check"},
        "tool_response": {"exit_code": 1, "stdout": "FAILED tests/test_password.py::test_reset", "interrupted": False},
    }
)
RECALL_RUNS = 25


def start(ground: Ground) -> list[Row]:
    """Time the shortest commands there are, beside an interpreter that does nothing."""
    home = ground.work / "started"
    store = _process(ground, lambda run: ground.command("store", f"The kettle is number {run}.", "--home", str(home)))
    hook = _process(ground, lambda run: ground.command("capture", HOOK_EVENT, "--home", str(home)))
    taken = interleaved(
        {
            "capture": hook,
            "store": store,
            "version": _process(ground, lambda _: ground.command("--version")),
            PYTHON: _process(ground, lambda _: [sys.executable, "-c", "pass"]),
            PYTHON_SQLITE: _process(ground, lambda _: [sys.executable, "-c", "import sqlite3"]),
        },
        START_RUNS,
    )
    beside = tuple((name, taken[name]) for name in (PYTHON, PYTHON_SQLITE))
    return [
        Row("start: satchel capture, process start to exit", taken["capture"], (Bar(80.0, said="hook"),), beside),
        Row("start: satchel store, process start to exit", taken["store"], (), beside),
        Row("start: satchel --version", taken["version"], (), beside),
    ]


def lexical(ground: Ground) -> list[Row]:
    """Time a one-shot recall by words."""
    home, questions = ground.small, ground.small_questions
    database = ground.work / "plain-small.sqlite3"
    PlainSearch.over(home / "ledger.sqlite3", database).database.close()

    def bare(run: int) -> list[str]:
        one = questions[run]
        return [sys.executable, str(BARE_SEARCH), str(database), expression(one.question), one.scope]

    ours = _process(ground, lambda run: _recall(ground, home, run, "--mode", "lexical"))
    taken = interleaved({"satchel": ours, "bare": _process(ground, bare)}, RECALL_RUNS)
    beside = (("bare script, sqlite3 FTS5", taken["bare"]),)
    return [Row(f"one-shot lexical recall, {_count(ground)}", taken["satchel"], (Bar(250.0),), beside)]


def hybrid(ground: Ground) -> list[Row]:
    """Time a one-shot recall by words and meaning, the model loaded from disk, beside loading what it needs."""
    home = ground.small
    # Two things must be so for this to be what it says: nothing waits for a vector, and the model is there.
    answer = subprocess.run(_recall(ground, home, 0), env=ground.environment, capture_output=True, check=True)
    warnings = json.loads(answer.stdout)["receipt"]["body"]["warnings"]
    if warnings:
        raise SystemExit(f"the hybrid recall fell back to words: {warnings}")
    imports = [sys.executable, "-c", "import lance, onnxruntime, tokenizers"]
    calls = {
        "satchel": _process(ground, lambda run: _recall(ground, home, run)),
        "imports": _process(ground, lambda _: imports),
    }
    taken = interleaved(calls, RECALL_RUNS)
    beside = ((imports[2], taken["imports"]),)
    return [Row(f"one-shot hybrid recall, {_count(ground)}", taken["satchel"], (Bar(1500.0),), beside)]


def _recall(ground: Ground, home: Path, run: int, *options: str) -> list[str]:
    one = ground.small_questions[run]
    return [*ground.command("recall", one.question, "--scope", one.scope, "--json", "--home", str(home)), *options]


def _process(ground: Ground, command: Callable[[int], Sequence[str]]) -> Callable[[int], None]:
    return lambda run: run_process(command(run), ground.environment)


def _count(ground: Ground) -> str:
    return f"{min(10_000, ground.rows):,} memories"
