"""Replacing, retiring and reflecting."""

from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.attention.values import Added
from satchel.domain.record import MemoryId, State
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.interfaces.serialization import to_json
from satchel.ports import Change
from tests.attention.stores import HOUR, NOON, AttentionStore, add, packet


class TestLifecycle:
    def test_refresh_retires_with_reason_and_forward_link(self, router: AttentionStore) -> None:
        old, new = add(router, "procedure", "Use script A"), add(router, "procedure", "Use script B")

        answer = router.attention.refresh([old], replacement_memory_id=new, refresh_reason="A is gone").result

        seen = router.attention.inspect(old).result
        assert (answer.deactivated, answer.replacement_memory_id, answer.not_found) == ((old,), new, ())
        assert (seen.memory.retired_reason, seen.memory.replaced_by_memory_id) == ("A is gone", new)
        assert [(edge.edge_type, edge.weight) for edge in seen.edges] == [("contradicts", 0.95)]
        assert [event.operation for event in router.get(old).result.history] == ["store", "retire"]
        assert packet(router, "script").procedures_to_follow == ("Use script B",)

    def test_refresh_without_a_replacement_makes_no_edge_and_keeps_an_older_link(self, router: AttentionStore) -> None:
        old, new = add(router, "summary", "a"), add(router, "summary", "b")
        router.attention.refresh([old], replacement_memory_id=new)
        again = router.attention.refresh([old], refresh_reason="still wrong").result

        seen = router.attention.inspect(old).result.memory
        assert again.edge_ids == ()
        assert (seen.replaced_by_memory_id, seen.retired_reason) == (new, "still wrong")

    def test_unknown_ids_are_reported(self, router: AttentionStore) -> None:
        old = add(router, "summary", "a")

        answer = router.attention.refresh([old, "nobody", old]).result
        assert (answer.deactivated, answer.not_found) == ((old,), ("nobody",))
        with pytest.raises(NotFound, match="stale_memory_ids"):
            router.attention.refresh(["nobody", "nowhere"])

    def test_forward_links_are_followed_to_the_end(self, router: AttentionStore) -> None:
        first = add(router, "summary", "a")
        second = add(router, "summary", "b", replaces_memory_id=first)
        third = add(router, "summary", "c", replaces_memory_id=second)

        shown = {item.id: item.replaced_by_memory_id for item in router.attention.list().result.items}
        assert shown == {first: third, second: third, third: None}
        assert router.get(first).result.memory.replaced_by == second

    def test_a_cycle_of_replacements_is_refused(self, router: AttentionStore) -> None:
        one, two = add(router, "summary", "a"), add(router, "summary", "b")
        with pytest.raises(InvalidRequest, match="replacement_memory_id"):
            router.attention.refresh([one, two], replacement_memory_id=two)
        router.attention.refresh([one], replacement_memory_id=two)
        with pytest.raises(Conflict, match="replacement_memory_id"):
            router.attention.refresh([two], replacement_memory_id=one)

        with pytest.raises(InvalidRequest, match="replaces_memory_id"):
            router.attention.add("summary", "t", "c", id="c", replaces_memory_id="c")
        assert router.attention.inspect(two).result.memory.is_active == 1
        assert {item.id for item in router.attention.list().result.items} == {one, two}

    def test_an_existing_cycle_is_neither_extended_nor_followed_forever(self, router: AttentionStore) -> None:
        ids = [add(router, "summary", text) for text in "ab"]
        for id, other in (ids, ids[::-1]):
            before = router.get(id).result.memory
            looped = replace(before, replaced_by=MemoryId(other))
            receipt = router.maintenance.stats().receipt
            router.ledger.memories.commit([Change(looped, before, "edit", "tester")], receipt)

        shown = {item.id: item.replaced_by_memory_id for item in router.attention.list().result.items}
        assert shown == {ids[0]: ids[1], ids[1]: ids[0]}
        with pytest.raises(Conflict) as refused:
            router.attention.refresh([ids[0]], replacement_memory_id=ids[1])
        assert refused.value.code == "replacement_cycle"

    def test_a_retired_replacement_is_refused_with_its_successor(self, router: AttentionStore) -> None:
        old = add(router, "summary", "a")
        new = add(router, "summary", "b", replaces_memory_id=old)

        with pytest.raises(Conflict) as refused:
            add(router, "summary", "c", replaces_memory_id=old)
        assert new in refused.value.hint

    def test_a_memory_expires_by_itself(self, router: AttentionStore) -> None:
        add(router, "preference", "Freeze until noon", valid_to_ts="2026-11-15T14:00:00Z")
        router.clock.time = NOON - HOUR
        assert packet(router, "freeze").hard_constraints == ("Freeze until noon",)
        router.clock.time = NOON + 4 * HOUR
        assert packet(router, "freeze").hard_constraints == ()

    def test_retirement_is_persistent(self, settings: Any) -> None:
        with Satchel.open(settings=settings) as memory:
            old = add(memory, "summary", "a")
            memory.attention.refresh([old], refresh_reason="wrong")
        with Satchel.open(settings=settings) as memory:
            seen = memory.attention.inspect(old).result.memory
            assert (seen.is_active, seen.retired_reason) == (0, "wrong")
            assert memory.get(old).result.memory.state is State.RETIRED

    def test_a_reflection_has_the_grades_and_tags_of_its_definition(self, router: AttentionStore) -> None:
        made = router.attention.reflect(
            goal="ship", outcome="Completed", what_worked=["a", "b", "a"], lessons=["c"], next_time=["d", "e", "f"],
            create_procedure=True, task_id="t", session_id="s", source_refs="run-7",
        ).result  # fmt: skip
        lesson = router.attention.inspect(made.reflection_memory_id).result
        steps = router.attention.inspect(made.procedure_memory_id or "").result

        one, other = lesson.memory, steps.memory
        assert (one.abstraction_level, one.role_scope, one.tags) == (2, "critic", ("reflection", "success"))
        assert (one.importance, one.confidence, one.success_score) == (0.8, 0.8, 0.9)
        assert one.summary == "Goal: ship. Outcome: Completed. Worked: a; b; a. Lessons: c. Next time: d; e; f."
        assert (one.title, one.task_id, one.session_id, one.source_refs) == ("Reflection: ship", "t", "s", ("run-7",))
        assert (other.abstraction_level, other.role_scope, other.tags) == (2, "planner", ("procedure", "derived"))
        assert (other.importance, other.confidence, other.success_score) == (0.82, 0.78, 0.85)
        assert other.details == {"steps": ["a", "b", "c", "d", "e"]}
        assert other.summary.endswith("a | b | c | d | e")
        edges = [(e.from_memory_id, e.to_memory_id, e.edge_type, e.weight) for e in steps.edges]
        assert edges == [(other.id, one.id, "derived_from", 0.8)]

    @pytest.mark.parametrize(("outcome", "success"), [("failed", 0.5), ("unknown", 0.5), ("success", 0.9)])
    def test_only_success_words_count_as_success(self, router: AttentionStore, outcome: str, success: float) -> None:
        made = router.attention.reflect(outcome=outcome, what_failed=["x"]).result

        seen = router.attention.inspect(made.reflection_memory_id).result.memory
        assert (seen.success_score, seen.tags, made.procedure_memory_id) == (
            success, ("reflection", "failure"), None
        )  # fmt: skip

    def test_without_steps_there_is_no_procedure(self, router: AttentionStore) -> None:
        made = router.attention.reflect(what_failed=["x"], create_procedure=True).result

        assert made.procedure_memory_id is None

    def test_inspect_shows_every_given_field(self, router: AttentionStore) -> None:
        answer = router.attention.add(
            "episode", "t", "s", abstraction_level=1, role_scope="critic", session_id="a", task_id="b",
            details={"tool_name": "x", "n": [1, None]}, keywords="one", tags=["two"], source_refs=["three"],
            importance=7, confidence=-1, success_score=0.25, recency_ts="2026-01-01T00:00:00+01:00",
            valid_from_ts="2026-01-01", valid_to_ts="2027-01-01", id="mine",
        ).result  # fmt: skip
        seen: Any = to_json(router.attention.inspect("mine").result.memory)

        assert answer == Added("mine", None, (), ())
        assert seen == {
            "id": "mine", "memory_type": "episode", "abstraction_level": 1, "role_scope": "critic", "session_id": "a",
            "task_id": "b", "title": "t", "summary": "s", "details": {"tool_name": "x", "n": [1, None]},
            "keywords": ["one"], "tags": ["two"], "source_refs": ["three"], "importance": 1.0, "confidence": 0.0,
            "success_score": 0.25, "recency_ts": "2025-12-31T23:00:00.000Z",
            "valid_from_ts": "2026-01-01T00:00:00.000Z", "valid_to_ts": "2027-01-01T00:00:00.000Z", "is_active": 1,
            "replaced_by_memory_id": None, "retired_reason": None, "created_at": seen["created_at"],
            "updated_at": seen["updated_at"],
        }  # fmt: skip
