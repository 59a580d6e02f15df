"""New processes: the time of a command from start to exit, and the peak memory of a process that recalls."""

import json
import sys
from collections.abc import Iterator, Sequence

from bench import ROOT
from bench.peers import peer_info
from bench.speed.fixture import Fixture
from bench.speed.results import Contest
from bench.speed.timing import SATCHEL, Call, cold, contest, run_process, summed_up

RECALLS = 50
_ASKING_PROCESS = "bench.speed.asking_process"
_EVENT = json.dumps({"hook_event_name": "PostToolUse", "tool_name": "bash", "text": "ran 12 tests in 3.2 s, 1 failed"})
_TOOL = json.dumps(
    {
        "hook_event_name": "PostToolUse",
        "session_id": "1",
        "cwd": "/srv/kettle",
        "tool_name": "Bash",
        "tool_input": {"command": "make test"},
        "tool_response": {"stdout": "test_boil passed\n" * 200 + "1 failed, 200 passed", "stderr": ""},
    }
)


def cold_starts(fixture: Fixture) -> Iterator[Contest]:
    """Time each command in a new process, compared with an idle interpreter and, for recall, the peers."""
    one = fixture.questions[0]
    home = ("--home", str(fixture.home))
    asking = ("recall", one.question, "--scope", one.scope, "--json", *home)
    commands: dict[str, Sequence[str]] = {
        "capture": ("capture", _EVENT, *home),
        "hook after a tool": ("hook", "claude-code", "PostToolUse", _TOOL, *home),
        "store": ("store", "The kettle is new.", "--scope", "project/kettle", *home),
        "recall, lexical": (*asking, "--mode", "lexical"),
        "recall, hybrid": asking,
        "pack": ("pack", "--query", one.question, "--scope", one.scope, "--json", *home),
        "route": ("route", one.question, "--scope", one.scope, "--json", *home),
        "list": ("list", "--json", *home),
        "stats": ("stats", "--json", *home),
        "attention route": ("attention", "route", "--goal", one.question, "--json", *home),
    }
    for name, words in commands.items():
        calls: dict[str, Call] = {SATCHEL: _running([sys.executable, "-m", "satchel", *words])}
        if name.startswith("recall"):
            meaning = name.endswith("hybrid")
            calls |= {peer: _one_shot(fixture, peer) for peer in _shareable(fixture, meaning)}
        yield contest(f"cold start: {name}", "ms", cold(calls, fixture.runs), note="process start to exit")


def resident(fixture: Fixture) -> Contest:
    """Measure the peak memory of a process that asks fifty hybrid questions."""
    asked = json.dumps([[one.question, one.scope] for one in fixture.questions[:RECALLS]])
    names = [SATCHEL, *_shareable(fixture, by_meaning=True)]
    found = {name: json.loads(run_process(_asking(fixture, name), asked, cwd=ROOT))["peak_mb"] for name in names}
    note = f"peak after {min(RECALLS, len(fixture.questions))} recalls, the model loaded"
    return contest("resident memory", "MB", {name: summed_up([peak]) for name, peak in found.items()}, note=note)


def _shareable(fixture: Fixture, by_meaning: bool) -> list[str]:
    """Return the peers that a second process may open and that search in this way."""
    return [name for name in fixture.peers if peer_info(name).by_meaning is by_meaning and not peer_info(name).alone]


def _running(command: Sequence[str]) -> Call:
    return lambda _: run_process(command)


def _one_shot(fixture: Fixture, name: str) -> Call:
    one = fixture.questions[0]
    asked = json.dumps([[one.question, one.scope]])
    return lambda _: run_process(_asking(fixture, name), asked, cwd=ROOT)


def _asking(fixture: Fixture, name: str) -> list[str]:
    folder = fixture.home if name == SATCHEL else fixture.peers[name].folder
    return [sys.executable, "-m", _ASKING_PROCESS, name, str(folder), str(fixture.settings.models_folder)]
