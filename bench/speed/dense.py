"""The attention router in its worst case: every memory belongs to one task."""

import random
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from bench.speed.corpus import SEED, Text, asked, texts
from bench.speed.fixture import Fixture
from bench.speed.results import Contest
from bench.speed.timing import SATCHEL, cold, contest, in_turns, run_process
from satchel.adapters.clock import SystemClock
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.attention.entry import AttentionEntry, parse_entry
from satchel.domain.attention import MemoryType, Role, RoleScope
from satchel.domain.edges import EdgeType, MemoryEdge
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory
from satchel.errors import Unavailable
from satchel.locations import LEDGER
from satchel.ports import Change

MOST = 10_000
TASK = "dense"
_MINUTE_MS = 60_000
_EDGE_SHARE = 0.2


def dense_attention(fixture: Fixture) -> Iterator[Contest]:
    """Time the packet for a step of the task, warm and as a command."""
    home, contents, roles = fixture.work / TASK, texts(min(fixture.rows, MOST), SEED + 7), tuple(Role)
    _fill(home, contents)
    questions = asked(contents, fixture.runs)
    with Satchel.open(settings=replace(fixture.settings, home=str(home)), actor="bench") as memory:

        def warm(run: int) -> None:
            one = questions[run % fixture.runs]
            answer = memory.attention.route(
                one.question,
                step_role=roles[run % len(roles)],
                task_id=TASK,
                session_id=one.kind,
                user_constraints=["Answer in English", "No downtime"],
                recent_failures=["the last attempt ran out of disk space"],
                unresolved_questions=["who signs it off?"],
            )
            if not answer.result.packet.selected_memory_ids:
                raise Unavailable("a packet of the dense store is empty", code="bench_failed")

        note = f"{len(contents):,} memories in one task, by words"
        yield contest("attention route, one dense task", "ms", in_turns({SATCHEL: warm}, fixture.runs), note=note)

    def one_shot(run: int) -> None:
        words = (
            "attention",
            "route",
            "--goal",
            questions[run % fixture.runs].question,
            "--task",
            TASK,
            "--json",
            "--home",
            str(home),
        )
        run_process([sys.executable, "-m", "satchel", *words])

    times = cold({SATCHEL: one_shot}, fixture.runs)
    yield contest("cold start: attention route, one dense task", "ms", times, note="process start to exit")


def _fill(home: Path, contents: Sequence[Text]) -> None:
    home.mkdir(mode=0o700)
    ledger, chance, now = SqliteLedger(home / LEDGER), random.Random(SEED), SystemClock().now()
    made = [
        _memory(place, one, chance, now - (len(contents) - place) * _MINUTE_MS) for place, one in enumerate(contents)
    ]
    changes = [Change(one, None, "store", "bench") for one in made]
    ledger.memories.commit(changes, Receipt("store", asked={"memories": len(made)}, at=now))
    ledger.edges.put(
        [
            MemoryEdge(one.id, chance.choice(made[:place]).id, chance.choice(tuple(EdgeType)), chance.random(), now)
            for place, one in enumerate(made)
            if place and chance.random() < _EDGE_SHARE
        ]
    )
    ledger.close()


def _memory(place: int, one: Text, chance: random.Random, at: int) -> Memory:
    entry = AttentionEntry(
        chance.choice(tuple(MemoryType)).value,
        f"Note {place}",
        one.text,
        "global",
        abstraction_level=chance.randint(0, 3),
        role_scope=chance.choice(tuple(RoleScope)).value,
        session_id=one.kind,
        task_id=TASK,
        importance=chance.random(),
        confidence=chance.random(),
        success_score=chance.random(),
    )
    return parse_entry(entry, new_id=str(place), now=at).memory
