"""Fresh processes: what a person or a hook waits for, from start to exit, and how much memory a warm one takes."""

import json
import sys
from collections.abc import Iterator, Sequence

from satchel.interfaces.bench.peers import rival
from satchel.interfaces.bench.results import Contest
from satchel.interfaces.bench.speed.ground import Ground
from satchel.interfaces.bench.speed.timing import SATCHEL, Call, cold, contest, run_process, summed_up

RECALLS = 50
_CHILD = "satchel.interfaces.bench.speed.child"
_EVENT = json.dumps({"hook_event_name": "PostToolUse", "tool_name": "bash", "text": "ran 12 tests in 3.2 s, 1 failed"})


def cold_starts(ground: Ground) -> Iterator[Contest]:
    """Time each command in a process of its own, beside an interpreter that does nothing and, for recall, the peers."""
    one = ground.questions[0]
    home = ("--home", str(ground.home))
    asking = ("recall", one.question, "--scope", one.scope, "--json", *home)
    commands: dict[str, Sequence[str]] = {
        "capture": ("capture", _EVENT, *home),
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
            calls |= {peer: _one_shot(ground, peer) for peer in _sharing(ground, meaning)}
        yield contest(f"cold start: {name}", "ms", cold(calls, ground.runs), note="process start to exit")


def resident(ground: Ground) -> Contest:
    """Weigh the peak memory of a process that asks fifty questions by meaning."""
    asked = json.dumps([[one.question, one.scope] for one in ground.questions[:RECALLS]])
    names = [SATCHEL, *_sharing(ground, by_meaning=True)]
    found = {name: json.loads(run_process(_child(ground, name), asked))["peak_mb"] for name in names}
    note = f"peak after {min(RECALLS, len(ground.questions))} recalls, the model loaded"
    return contest("resident memory", "MB", {name: summed_up([peak]) for name, peak in found.items()}, note=note)


def _sharing(ground: Ground, by_meaning: bool) -> list[str]:
    """Name the peers that a second process may open, and that search in this way."""
    return [name for name in ground.peers if rival(name).by_meaning is by_meaning and not rival(name).alone]


def _running(command: Sequence[str]) -> Call:
    return lambda _: run_process(command)


def _one_shot(ground: Ground, name: str) -> Call:
    one = ground.questions[0]
    asked = json.dumps([[one.question, one.scope]])
    return lambda _: run_process(_child(ground, name), asked)


def _child(ground: Ground, name: str) -> list[str]:
    folder = ground.home if name == SATCHEL else ground.peers[name].folder
    return [sys.executable, "-m", _CHILD, name, str(folder), str(ground.settings.models_folder)]
