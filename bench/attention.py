"""The attention router on a dense store: everything in one task, which is the worst that can be asked of it."""

import random
from functools import cached_property
from pathlib import Path

from bench.ground import Ground
from bench.measure import Bar, Row, interleaved, run_process
from satchel.adapters.clock import SystemClock
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.attention import MemoryType, Role, RoleScope
from satchel.domain.edges import Edge, EdgeType
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory
from satchel.interfaces.bench.speed.corpus import SEED, Text, asked, texts
from satchel.ports import Change
from satchel.store.entry import Entry, enter

ROWS = 10_000
WARM_RUNS = 200
ONE_SHOT_RUNS = 25
TASK = "dense"
START = "satchel --version"
_MINUTE_MS = 60_000
_EDGE_SHARE = 0.2


def attention(ground: Ground) -> list[Row]:
    """Time the packet for a step in a task of ten thousand memories, warm and as a command."""
    dense = _Dense(ground.work / "dense")
    questions, roles = dense.questions, tuple(Role)
    memory = ground.open(dense.home)

    def warm(run: int) -> None:
        one = questions[run]
        answer = memory.attention_route(
            one.question,
            step_role=roles[run % len(roles)],
            task_id=TASK,
            session_id=one.kind,
            user_constraints=["Answer in English", "No downtime"],
            recent_failures=["the last attempt ran out of disk space"],
            unresolved_questions=["who signs it off?"],
        )
        if not answer.result.packet.selected_memory_ids:
            raise SystemExit("a packet of the dense store was empty")

    def one_shot(run: int) -> None:
        options = ["--task", TASK, "--role", roles[run % len(roles)].value, "--json", "--home", str(dense.home)]
        run_process(
            ground.command("attention", "route", "--goal", questions[run].question, *options), ground.environment
        )

    def start(_: int) -> None:
        run_process(ground.command("--version"), ground.environment)

    taken = interleaved({"warm": warm}, WARM_RUNS, warm_up=10)
    memory.close()
    cold = interleaved({"one shot": one_shot, START: start}, ONE_SHOT_RUNS)
    name = f"attention route, {ROWS:,} memories in one task"
    return [
        Row(f"{name}, warm", taken["warm"], (Bar(50.0),), note="by words; the packet and its receipt are on disk"),
        Row(f"{name}, one-shot command", cold["one shot"], (Bar(300.0),), ((START, cold[START]),)),
    ]


class _Dense:
    """A store whose memories are all of one task, of every type, a fifth of them with an edge."""

    def __init__(self, home: Path) -> None:
        self.home = home
        ledger = SqliteLedger(home / "ledger.sqlite3")
        chance, now = random.Random(SEED), SystemClock().now()
        made = [self._memory(place, one, chance, now) for place, one in enumerate(self.corpus)]
        changes = [Change(one, None, "store", "bench") for one in made]
        ledger.memories.commit(changes, Receipt("store", asked={"memories": len(made)}, at=now))
        ledger.edges.put(
            [
                Edge(one.id, chance.choice(made[:place]).id, chance.choice(tuple(EdgeType)), chance.random(), now)
                for place, one in enumerate(made)
                if place and chance.random() < _EDGE_SHARE
            ]
        )
        ledger.close()

    @cached_property
    def corpus(self) -> list[Text]:
        """The texts it is made of."""
        return texts(ROWS)

    @cached_property
    def questions(self) -> list[Text]:
        """Texts whose questions are asked."""
        return asked(self.corpus, WARM_RUNS)

    @staticmethod
    def _memory(place: int, one: Text, chance: random.Random, now: int) -> Memory:
        entry = Entry(
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
        return enter(entry, new_id=str(place), now=now - (ROWS - place) * _MINUTE_MS).memory
