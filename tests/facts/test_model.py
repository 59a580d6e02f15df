"""Random operations on facts, compared with a simple model at random moments."""

import random
from pathlib import Path

import pytest
from msgspec import Struct, field

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.moment import iso
from satchel.errors import Conflict, InvalidRequest
from tests.facts.stores import BEGIN, DAY_MS, ClockedStore, open_store

pytestmark = pytest.mark.slow

SUBJECTS = ("gateway", "Gateway", "billing")
SINGLE, MULTI = ("status", "configured_as"), ("uses",)
WORLDS, STEPS = 25, 400


class ModelFact(Struct):
    """A fact in the model."""

    subject: str
    predicate: str
    valid_from: int
    valid_to: int | None
    sources: tuple[str, ...]
    learned_at: int
    endings: list[tuple[int, int, bool]] = field(default_factory=list)
    """For each: when it was learned, when the fact ended, and whether it was retracted."""

    def until(self, known_at: int) -> int | None:
        """Return the end of the fact as known at a moment."""
        ends = [max(at, self.valid_from) for learned, at, _ in self.endings if learned <= known_at]
        return min(([self.valid_to] if self.valid_to is not None else []) + ends, default=None)

    def is_retracted(self, known_at: int) -> bool:
        """Return whether it was known to be retracted."""
        return any(retracted for learned, _, retracted in self.endings if learned <= known_at)

    def holds(self, moment: int, known_at: int) -> bool:
        """Return whether it was known to hold at a moment."""
        if self.learned_at > known_at or self.is_retracted(known_at) or moment < self.valid_from:
            return False
        until = self.until(known_at)
        return until is None or moment < until


class World:
    """A store and its model, changed together."""

    def __init__(self, store: ClockedStore, seed: int) -> None:
        self.store = store
        self.random = random.Random(seed)
        self.sources: list[str] = []
        self.facts: dict[str, ModelFact] = {}
        self.gone: set[str] = set()
        self.sources_added = 0
        self.ended: dict[str, str] = {}

    def step(self) -> None:
        """Do one random operation at a new time."""
        self.store.clock.time += self.random.randint(1, 3) * 1_000
        todo = (
            self.add_source,
            self.assert_fact,
            self.assert_fact,
            self.end,
            self.query,
            self.query,
            self.forget,
            self.rebuild,
        )
        self.random.choices(todo, weights=(3, 8, 8, 3, 5, 5, 2, 0.3))[0]()

    def add_source(self) -> None:
        self.sources_added += 1
        self.sources.append(self.store.add(f"note {self.sources_added} was told", scope="work"))

    def moment(self) -> int:
        return BEGIN + self.random.randint(-20, 20) * DAY_MS

    def assert_fact(self) -> None:
        if not self.sources:
            return self.add_source()
        subject, predicate = self.random.choice(SUBJECTS), self.random.choice(SINGLE + MULTI)
        begin, end = self.moment(), self.random.choice((None, None, self.moment()))
        sources = tuple(self.random.sample(self.sources, min(len(self.sources), self.random.randint(1, 2))))
        value = f"v{self.random.randint(1, 10_000)}"
        expected = self.expected(subject, predicate, begin, end)
        try:
            answer = self.store.facts.assert_(
                subject, predicate, value, sources=sources, valid_from=iso(begin),
                valid_to=None if end is None else iso(end), scope="work",
            )  # fmt: skip
        except (Conflict, InvalidRequest) as error:
            assert expected == error.code
            return None
        fact = answer.result.fact
        assert not isinstance(expected, str), f"{expected} was expected"
        until, ends = expected
        assert fact.valid_to == (None if until is None else iso(until))
        assert list(fact.supersedes) == sorted(ends)
        now = self.store.clock.time
        for id in ends:
            self.facts[id].endings.append((now, begin, False))
            self.ended[id] = "superseded"
        self.facts[fact.id] = ModelFact(subject, predicate, begin, until, sources, now)
        return None

    def expected(self, subject: str, predicate: str, begin: int, end: int | None) -> tuple[int | None, list[str]] | str:
        """Return where a new fact ends and which facts it ends, or the expected error code."""
        if end is not None and end < begin:
            return "interval_invalid"
        if predicate in MULTI:
            return end, []
        now = self.store.clock.time
        rivals = {
            id: one
            for id, one in self.facts.items()
            if (one.subject, one.predicate) == (subject, predicate) and not one.is_retracted(now)
        }
        if end is None:
            end = min((one.valid_from for one in rivals.values() if one.valid_from > begin), default=None)
        touched = []
        for id, one in rivals.items():
            until = one.until(now)
            if (until is None or until > max(begin, one.valid_from)) and (end is None or one.valid_from < end):
                if one.valid_from > begin:
                    return "single_value_interval_conflict"
                touched.append(id)
        return end, touched

    def end(self) -> None:
        if not self.facts:
            return
        id, fact = self.random.choice(sorted(self.facts.items()))
        retract, at = self.random.random() < 0.3, fact.valid_from + self.random.randint(0, 10) * DAY_MS
        now = self.store.clock.time
        ended = self.ended.get(id)
        try:
            self.store.facts.invalidate(id, at=None if retract else iso(at), retract=retract, scope="work")
        except Conflict:
            assert ended == "retracted" or (ended == "invalidated" and not retract)
            return
        assert ended in (None, "superseded") or (ended == "invalidated" and retract)
        self.ended[id] = "retracted" if retract else "invalidated"
        fact.endings.append((now, fact.valid_from if retract else at, retract))

    def forget(self) -> None:
        if not self.sources:
            return
        id = self.sources.pop(self.random.randrange(len(self.sources)))
        self.store.memory.forget(id, scope="work")
        self.gone.add(id)
        # A fact without sources is erased; facts that it superseded stay ended.
        self.facts = {name: one for name, one in self.facts.items() if not set(one.sources) <= self.gone}

    def rebuild(self) -> None:
        rebuilt = self.store.facts.rebuild().result
        assert (rebuilt.facts, rebuilt.changed, rebuilt.misnamed) == (len(self.facts), 0, 0)

    def query(self) -> None:
        subject, moment = self.random.choice(SUBJECTS), self.moment()
        now = self.store.clock.time
        known_at = self.random.choice((None, None, self.random.randint(BEGIN, now)))
        answer = self.store.facts.current(
            subject, as_of=iso(moment), known_at=None if known_at is None else iso(known_at), scope="work"
        ).result
        stale = self.store.facts.current(
            subject,
            as_of=iso(moment),
            known_at=None if known_at is None else iso(known_at),
            scope="work",
            include_stale=True,
        ).result
        holding = {
            id
            for id, one in self.facts.items()
            if one.subject == subject and one.holds(moment, now if known_at is None else known_at)
        }
        sound = {id for id in holding if self.gone.isdisjoint(self.facts[id].sources)}
        assert {one.id for one in answer.facts} == sound
        assert {one.id for one in stale.facts} == holding
        for predicate in SINGLE:
            assert sum(one.predicate == predicate for one in stale.facts) <= 1

    def check(self) -> None:
        """Compare the final state."""
        for _ in range(20):
            self.query()
        self.rebuild()
        wrong = {"single_value_interval_conflict", "interval_invalid", "misnamed", "unresolved_supersedes"}
        assert not wrong & {one.code for one in self.store.facts.lint(scope="work").result.findings}


@pytest.mark.parametrize("seed", range(WORLDS))
def test_random_operations_match_the_model(seed: int, tmp_path: Path) -> None:
    with open_store(tmp_path, ledger=SqliteLedger()) as store:
        world = World(store, seed)
        for _ in range(STEPS):
            world.step()
        world.check()
