"""Random operations of every feature, compared with a plain model after each of them."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, seed, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    precondition,
    rule,
    run_state_machine_as_test,
)

from tests.faults.extent import extent
from tests.faults.memories_machine import MemoriesMachine, numbers, scopes
from tests.faults.model import cue, word


class Machine(MemoriesMachine):
    """Adds what is no memory: evidence, facts, the graph, and questions to all of them."""

    # Observations, episodes, documents, conversations

    @rule(scope=scopes, number=numbers, quoting=st.booleans())
    def observe(self, scope: str, number: int, quoting: bool) -> None:
        said, quoted = self._new(), self._one(number) if quoting else None
        if quoted is not None:
            said = f"{said}; {self.model.memories[quoted].text}"
        self.store.observations.capture(json.dumps({"text": said, "tool_name": "shell"}), scope=scope)
        assert self.store.observations.ingest().result.inserted == 1
        (hit,) = [one.id for one in self.store.observations.search(cue(said), scope=scope).result.hits]
        self.model.observations[hit] = (said, scope)

    @rule(scope=scopes)
    def listen(self, scope: str) -> None:
        said = self._new()
        turn = {"text": said, "id": f"turn-{self.count}", "session": "standup"}
        (id,) = self.store.episodes.add([turn], scope=scope).result.ids
        assert self.store.episodes.add([turn], scope=scope).result.added == 0
        self.model.episodes[id] = (said, scope)

    @rule(scope=scopes, number=st.integers(0, 4))
    def read(self, scope: str, number: int) -> None:
        said, ref = self._new(), f"note-{number}"
        self.store.documents.add([{"ref": ref, "text": said}], collection="notes", scope=scope)
        self.model.documents[scope, ref] = said

    @rule(scope=scopes)
    def talk(self, scope: str) -> None:
        said = self._new()
        (ref,) = self.store.conversations.add(said, scope=scope).result.refs
        self.model.messages[ref] = (said, scope)

    @rule(lane=st.sampled_from(["observations", "episodes", "documents", "messages"]), number=numbers)
    def forget_evidence(self, lane: str, number: int) -> None:
        held: dict[Any, Any] = getattr(self.model, lane)
        if not held:
            return
        key = sorted(held)[number % len(held)]
        if lane == "documents":
            self.store.documents.forget(key[1], collection="notes", scope=key[0])
            self.model.forgotten.add(held.pop(key))
            return
        said, scope = held.pop(key)
        erase: dict[str, Callable[..., object]] = {
            "observations": self.store.forget,
            "episodes": self.store.episodes.forget,
            "messages": self.store.conversations.forget,
        }
        erase[lane](key, scope=scope)
        self.model.forgotten.add(said)

    # Facts and the graph

    @rule(number=numbers)
    def assert_(self, number: int) -> None:
        if (id := self._one(number)) is None:
            return
        self.count += 1
        scope, subject = self.model.memories[id].scope, word(self.count, "su")
        fact = self.store.facts.assert_(subject, "uses", "redis", sources=[id], scope=scope).result.fact
        self.model.facts[fact.id] = (id, subject, scope, self.clock.time)

    @rule(scope=scopes)
    def relate(self, scope: str) -> None:
        self.count += 1
        first, second = word(self.count, "Ta"), word(self.count, "He")
        added = self.store.graph.add(first, "DEPENDS_ON", second, tail_type="Project", head_type="Project", scope=scope)
        self.model.relations[added.result.source] = (first, second, scope)

    @precondition(lambda self: self.model.relations)
    @rule(number=numbers)
    def forget_relation(self, number: int) -> None:
        source = sorted(self.model.relations)[number % len(self.model.relations)]
        self.store.graph.forget(source, scope=self.model.relations.pop(source)[2])

    # Asking

    @rule(number=numbers, scope=scopes, mode=st.sampled_from(["lexical", "hybrid"]))
    def recall(self, number: int, scope: str, mode: str) -> None:
        if (id := self._one(number)) is None:
            return
        known = self.model.memories[id]
        hits = self.store.recall(cue(known.text), scope=scope, mode=mode, limit=50, untrusted=True).result.hits
        found = {hit.memory.id for hit in hits}
        assert found <= {id for id, one in self.model.of(scope).items() if one.is_found}
        assert (id in found) == (known.is_found and known.scope == scope)

    @rule(scope=scopes, number=numbers)
    def route(self, scope: str, number: int) -> None:
        """A packet is made of memories of its scope that may be found, and of nothing else."""
        id = self._one(number)
        goal = f"do what is said: {self.model.memories[id].text if id else 'nothing'}"
        packet = self.store.attention.route(goal, scope=scope).result
        shown = {id for id, one in self.model.of(scope).items() if one.is_found}
        assert {*packet.packet.selected_memory_ids} <= shown

    @rule(scope=scopes)
    def ask_every_lane(self, scope: str) -> None:
        """Each lane finds what it holds in its scope, and nothing of another."""
        model, store = self.model, self.store
        for id, (said, own) in model.observations.items():
            hits = store.observations.search(cue(said), scope=scope, limit=50, archived=True).result.hits
            assert (id in [one.id for one in hits]) == (own == scope)
        for id, (said, own) in model.episodes.items():
            turns = store.episodes.search(cue(said), scope=scope, mode="lexical").result.hits
            assert (id in [one.id for one in turns]) == (own == scope)
        for (own, ref), said in model.documents.items():
            chunks = store.documents.search(cue(said), scope=scope, mode="search").result.hits
            assert (ref in [one.ref for one in chunks if cue(said) in one.text]) == (own == scope)
        for ref, (said, own) in model.messages.items():
            items = store.conversations.search(cue(said), scope=scope).result.items
            assert (ref in [one.id for one in items]) == (own == scope)
        for id, (source, subject, own, since) in model.facts.items():
            current = store.facts.current(subject, scope=scope).result.facts
            told = model.memories.get(source)
            # A fact whose only source is retired or archived does not count.
            holds = own == scope and since <= self.clock.time and told is not None and told.is_found
            assert (id in [one.id for one in current]) == holds
        names = {one.name for one in store.graph.list(scope=scope, limit=1_000).result.entities}
        for first, second, own in model.relations.values():
            assert ({first, second} <= names) == (own == scope)


@pytest.mark.parametrize("start", extent(range(1), range(12)))
def test_random_operations_agree_with_a_plain_model(start: int) -> None:
    ((examples, length),) = extent([(4, 40)], [(10, 100)])
    run_state_machine_as_test(
        seed(start)(type("Machine", (Machine,), {})),
        settings=settings(
            max_examples=examples,
            stateful_step_count=length,
            deadline=None,
            derandomize=True,
            database=None,
            # Each step is a write to disk: making a failing series shorter would take minutes.
            phases=[Phase.generate],
            suppress_health_check=[*HealthCheck],
        ),
    )
