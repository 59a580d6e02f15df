"""The memories of a store and their model, changed together by random operations: stored, changed, restored, exported."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
)
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import load
from satchel.errors import Conflict, NotFound, Refused
from tests.faults.clocks import DAY_MS, HOUR_MS, YEAR_MS, SetClock
from tests.faults.model import LIVE, SCOPES, Model, ModelMemory, cue, text

TRUST_OF = {"operator": "trusted", "system": "trusted", "tool": "untrusted", "web": "untrusted", "import": "untrusted"}
RANK = ("quarantined", "untrusted", "trusted")

scopes = st.sampled_from(SCOPES)
numbers = st.integers(0, 1_000_000)
# Mostly forward, sometimes back: a clock may be set.
steps = st.sampled_from([0, 1, 1_000, HOUR_MS, DAY_MS, -1, -HOUR_MS, -YEAR_MS])


class MemoriesMachine(RuleBasedStateMachine):
    """A store and its model, changed together."""

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp(prefix="satchel-machine-"))
        self.clock, self.model = SetClock(), Model()
        self.count, self.homes = 0, 0
        self.abandoned: list[Satchel] = []
        self.exported: dict[Path, dict[str, ModelMemory]] = {}
        self.home = self.folder / "home-0"
        self.index_from = 20_000
        self.store: Satchel

    @initialize(index_from=st.sampled_from([20_000, 20_000, 20_000, 0]))
    def open(self, index_from: int) -> None:
        """Open a new store, sometimes with an index however small it is."""
        self.index_from = index_from
        self._open()

    def _open(self) -> None:
        opened = Satchel.open(
            settings=load(
                home=str(self.home),
                embedding={"provider": "hashing"},
                recall={"catch_up_ms": 10_000, "index_from": self.index_from},
            ),
            folder=None,
        )
        self.store = Satchel(replace(opened.parts, clock=self.clock))

    def teardown(self) -> None:
        try:
            if hasattr(self, "store"):
                self._whole()
                self.store.close()
        finally:
            for one in self.abandoned:
                one.close()
            shutil.rmtree(self.folder)

    def _new(self) -> str:
        self.count += 1
        return text(self.count)

    def _one(self, number: int, among: Callable[[ModelMemory], bool] = lambda one: True) -> str | None:
        ids = [id for id, one in self.model.memories.items() if among(one)]
        return ids[number % len(ids)] if ids else None

    # Memories

    @rule(scope=scopes, channel=st.sampled_from([*TRUST_OF]))
    def remember(self, scope: str, channel: str) -> None:
        said = self._new()
        stored = self.store.store(said, scope=scope, source_kind=channel).result
        assert (stored.action, stored.trust) == ("created", TRUST_OF[channel])
        self.model.memories[stored.id] = ModelMemory(said, scope, stored.trust)

    @rule(number=numbers, scope=scopes)
    def remember_again(self, number: int, scope: str) -> None:
        """The same words of the same channel in the same scope are the same memory; elsewhere they are another."""
        if (id := self._one(number, lambda one: one.is_found)) is None:
            return
        known = self.model.memories[id]
        stored = self.store.store(known.text, scope=scope).result
        twins = {
            id
            for id, one in self.model.of(scope).items()
            if one.text == known.text and one.is_found and one.trust == "trusted"
        }
        if twins:
            assert (stored.action, stored.id in twins) == ("duplicate", True)
        else:
            assert stored.action == "created"
            self.model.memories[stored.id] = ModelMemory(known.text, scope, "trusted")

    @rule(scope=scopes)
    def quarantine(self, scope: str) -> None:
        said = self._new()
        stored = self.store.store(said, scope=scope, trust="quarantined").result
        self.model.memories[stored.id] = ModelMemory(said, scope, "quarantined")

    @rule(number=numbers)
    def supersede(self, number: int) -> None:
        if (id := self._one(number, lambda one: one.is_live)) is None:
            return
        said, scope = self._new(), self.model.memories[id].scope
        stored = self.store.store(said, scope=scope, replaces=id).result
        self.model.change(id, state="retired")
        self.model.memories[stored.id] = ModelMemory(said, scope, "trusted")

    @rule(scope=scopes)
    def advise(self, scope: str) -> None:
        said = self._new()
        added = self.store.attention.add("preference", cue(said), said, scope=scope).result
        stored = self.store.get(added.memory_id, scope=scope).result.memory
        self.model.memories[added.memory_id] = ModelMemory(stored.text, scope, "trusted")

    @rule(number=numbers)
    def confirm(self, number: int) -> None:
        if (id := self._one(number)) is None:
            return
        known = self.model.memories[id]
        try:
            self.store.confirm([id], scope=known.scope, quarantined=True)
        except (Conflict, Refused) as error:
            assert (error.code, known.state) == ("already_retired", "retired")
            return
        self.model.change(id, trust="trusted")

    @rule(number=numbers, scope=scopes)
    def forget(self, number: int, scope: str) -> None:
        if (id := self._one(number)) is None:
            return
        if scope == self.model.memories[id].scope:
            self.store.forget(id, scope=scope)
            self.model.forget(id)
        else:
            with pytest.raises(NotFound):
                self.store.forget(id, scope=scope)

    @rule(number=numbers)
    def revive(self, number: int) -> None:
        if (id := self._one(number)) is None:
            return
        known = self.model.memories[id]
        try:
            self.store.lifecycle.revive(id, scope=known.scope)
        except Refused:
            assert known.state not in ("archived", "stale")
            return
        assert known.state in ("archived", "stale")
        self.model.change(id, state="active")

    @rule(days=st.integers(0, 60))
    def age(self, days: int) -> None:
        """Ageing takes an unused memory from live to stale to archived, and one that was used meanwhile back."""
        self.clock.time += days * DAY_MS
        self.store.lifecycle.run(all_scopes=True)
        for id, one in self.model.memories.items():
            state = str(self.store.get(id, scope=one.scope).result.memory.state)
            if state != one.state:
                assert one.state in LIVE
                assert state in ("stale", "archived") or (one.state, state) == ("stale", "active")
                self.model.change(id, state=state)

    @rule(step=steps)
    def move_the_clock(self, step: int) -> None:
        self.clock.time += step

    # History

    @rule(number=st.integers(0, 3))
    def tag(self, number: int) -> None:
        name = f"tag-{number}"
        if name in self.model.tags:
            self.store.tags.delete(name)
        self.store.tags.create(name)
        self.model.tags[name] = dict(self.model.memories)

    @precondition(lambda self: self.model.tags)
    @rule(number=numbers, scope=st.none() | scopes)
    def restore(self, number: int, scope: str | None) -> None:
        name = sorted(self.model.tags)[number % len(self.model.tags)]
        self.store.tags.restore(name, scope=scope, all_scopes=scope is None)
        self.model.restore(name, scope)

    # Export and import

    @rule()
    def export(self) -> None:
        path = self.folder / f"export-{len(self.exported)}.jsonl"
        told = self.store.transfer.export(str(path), all_scopes=True, redact=False).result
        assert told.count == len(self.model.memories)
        self.exported[path] = dict(self.model.memories)

    @precondition(lambda self: self.exported)
    @rule(number=numbers)
    def import_(self, number: int) -> None:
        """What this store knows or has forgotten is not taken in again."""
        path = sorted(self.exported)[number % len(self.exported)]
        told = self.store.transfer.import_(str(path)).result
        assert (told.imported, told.failed, told.skipped) == (0, 0, len(self.exported[path]))

    @precondition(lambda self: self.exported)
    @rule(number=numbers)
    def import_elsewhere(self, number: int) -> None:
        """Another store gets every memory once, and trusts none of them."""
        path = sorted(self.exported)[number % len(self.exported)]
        there = load(home=tempfile.mkdtemp(dir=self.folder), embedding={"provider": "hashing"})
        with Satchel.open(settings=there, folder=None) as other:
            first = other.transfer.import_(str(path), dedupe="id").result
            again = other.transfer.import_(str(path), dedupe="id").result
            assert (first.imported, again.imported) == (len(self.exported[path]), 0)
            listed = other.memories.list(all_scopes=True, limit=5_000).result.memories
        assert {one.id: (one.text, one.scope) for one in listed} == {
            id: (one.text, one.scope) for id, one in self.exported[path].items()
        }
        assert all(RANK.index(one.trust) <= RANK.index("untrusted") for one in listed)

    # The store as a whole

    @rule()
    def reopen(self) -> None:
        self.store.close()
        self._open()

    @rule()
    def be_killed(self) -> None:
        """Go on with the files as they are on disk at this moment, while the first process still has them open."""
        self.homes += 1
        copy = self.folder / f"home-{self.homes}"
        shutil.copytree(self.home, copy)
        self.abandoned.append(self.store)
        self.home = copy
        self._open()

    @rule()
    def check_everything(self) -> None:
        self._whole()

    def _whole(self) -> None:
        """Check the store by its own checks, and derived data against a rebuilt copy."""
        findings = self.store.maintenance.doctor().result.findings
        assert [one for one in findings if one.status == "bad"] == []
        assert self.store.maintenance.receipts_verify().result.broken_at is None
        assert self.store.facts.rebuild().result.changed == 0
        kept = b"".join(path.read_bytes() for path in self.home.rglob("*") if path.is_file())
        present = self.model.words()
        for said in self.model.forgotten:
            assert cue(said) in present or cue(said).encode() not in kept, said

    @invariant()
    def shows_what_the_model_has(self) -> None:
        if not hasattr(self, "store"):
            return
        listed = self.store.memories.list(all_scopes=True, limit=5_000).result.memories
        assert {one.id: ModelMemory(one.text, one.scope, one.trust, one.state) for one in listed} == self.model.memories
        assert self.model.forgotten_ids.isdisjoint(one.id for one in listed)
