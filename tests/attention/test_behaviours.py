"""The specified behaviours of the router."""

from typing import Any

import pytest

from satchel.domain.attention import Role
from satchel.domain.policies.attention import AttentionPolicy
from tests.attention.stores import AttentionStore, add, packet, ranked, size, within_caps


class TestValidatedBehaviours:
    def test_a_planner_packet_reuses_a_durable_preference(self, router: AttentionStore) -> None:
        id = add(
            router, "preference", "Designs are written tersely", abstraction_level=3, importance=0.9, confidence=0.95,
            success_score=0.9, details={"hard_constraint": ["Prefer tables to prose", "No marketing words"]},
            task_id="redesign", session_id="monday",
        )  # fmt: skip

        found = packet(router, "draft the storage architecture", task_id="redesign", session_id="monday")

        assert "Prefer tables to prose" in found.hard_constraints
        assert found.hard_constraints[0] == "Designs are written tersely"
        assert found.selected_memory_ids == (id,)

    def test_an_executor_packet_keeps_hard_constraints_and_procedures(self, router: AttentionStore) -> None:
        rule = add(
            router, "preference", "Keep reports brief", abstraction_level=3, importance=0.95, confidence=0.95,
            success_score=0.95, details={"hard_constraint": "At most 3 bullets per report"},
        )  # fmt: skip
        steps = add(
            router, "procedure", "Collect the metrics, then compare with last week, then write", abstraction_level=2,
            role_scope="executor", importance=0.8, confidence=0.8, success_score=0.85,
        )  # fmt: skip

        found = packet(router, "write the weekly report", "executor")

        assert "At most 3 bullets per report" in found.hard_constraints
        assert found.procedures_to_follow == ("Collect the metrics, then compare with last week, then write",)
        assert set(found.selected_memory_ids) == {rule, steps}

    def test_a_reflection_produces_a_procedure_that_is_reused(self, router: AttentionStore) -> None:
        made = router.attention.reflect(
            goal="migrate the orders table", outcome="completed",
            what_worked=["copied in batches", "verified counts", "kept the old table"],
            what_failed=["forgot the foreign keys"], lessons=["disable triggers while copying"],
            next_time=["rehearse on a copy"], create_procedure=True,
        ).result  # fmt: skip

        found = packet(router, "migrate the customers table", "executor")

        assert made.procedure_memory_id in found.selected_memory_ids
        assert "copied in batches | verified counts | kept the old table" in found.procedures_to_follow[0]
        assert "disable triggers while copying" in found.pitfalls_to_avoid[0]
        assert "forgot the foreign keys" in found.pitfalls_to_avoid[0]

    def test_a_replacement_retires_the_old_and_links_forward(self, router: AttentionStore) -> None:
        old = add(router, "preference", "Deploy on Fridays", importance=0.8, confidence=0.9, success_score=0.8)
        answer = router.attention.add("preference", "day", "Deploy on Tuesdays", replaces_memory_id=old).result

        seen = router.attention.inspect(old).result
        assert answer.retired_memory_ids == (old,)
        assert (seen.memory.is_active, seen.memory.replaced_by_memory_id) == (0, answer.memory_id)
        assert seen.memory.retired_reason == "replaced by a newly added memory"
        assert seen.memory.valid_to_ts is not None
        assert [(e.id, e.from_memory_id, e.edge_type, e.weight) for e in seen.edges] == [
            (answer.edge_ids[0], answer.memory_id, "contradicts", 0.95)
        ]
        assert packet(router, "when do we deploy").hard_constraints == ("Deploy on Tuesdays",)
        assert router.attention.inspect(answer.memory_id).result.memory.is_active == 1

    @pytest.mark.parametrize("weight", [None, 0.05, 1.0])
    @pytest.mark.parametrize("newer_importance", [0.95, 0.5, 0.0])
    def test_the_contradicting_memory_ranks_above_the_contradicted(
        self, router: AttentionStore, weight: float | None, newer_importance: float
    ) -> None:
        grades: dict[str, Any] = {"importance": 0.95, "confidence": 0.95, "success_score": 0.7}
        old = add(
            router, "summary", "The cluster has three nodes", abstraction_level=2, role_scope="planner",
            task_id="ops", **grades,
        )  # fmt: skip
        edge = {"to_memory_id": old, "edge_type": "contradicts"} | ({} if weight is None else {"weight": weight})
        new = add(
            router, "summary", "The cluster was cut down to one machine", abstraction_level=2, role_scope="planner",
            task_id="ops", importance=newer_importance, confidence=newer_importance, edges=[edge],
        )  # fmt: skip

        rows = ranked(router, "how many nodes has the cluster", task_id="ops")
        found = packet(router, "how many nodes has the cluster", task_id="ops")

        assert list(rows) == [new, old]
        assert rows[new].score > rows[old].score
        assert f"contradicted-by:{new}" in rows[old].reasons
        assert found.selected_memory_ids == (new,)
        assert found.relevant_facts == ("The cluster was cut down to one machine",)

    def test_a_supported_procedure_beats_a_slightly_stronger_one(self, router: AttentionStore) -> None:
        stronger = add(router, "procedure", "Restore backups by hand from the vault", importance=0.85, confidence=0.8)
        supported = add(router, "procedure", "Restore backups with the nightly script", importance=0.8, confidence=0.8)
        before = ranked(router, "restore the backups")
        add(
            router, "reflection", "The nightly script brought everything back in minutes",
            edges=[{"to_memory_id": supported, "edge_type": "supports", "weight": 0.9}],
        )  # fmt: skip

        rows, found = ranked(router, "restore the backups"), packet(router, "restore the backups")

        assert list(before) == [stronger, supported]
        assert list(rows) == [supported, stronger]
        assert "graph-support:0.90" in rows[supported].reasons
        assert found.procedures_to_follow[0] == "Restore backups with the nightly script"

    @pytest.mark.parametrize("role", list(Role))
    def test_packets_stay_compact_in_a_dense_store(self, router: AttentionStore, role: str) -> None:
        for number in range(40):
            for type in ("preference", "procedure", "summary", "reflection", "episode"):
                add(router, type, f"{type} number {number}: " + "many words about the launch " * 40, task_id="launch")
        many = [f"entry {number} " + "x" * 900 for number in range(30)]

        found = packet(
            router, "plan the launch " * 200, role, task_id="launch", session_id="s",
            user_constraints=many, recent_failures=many, unresolved_questions=many,
        )  # fmt: skip

        assert within_caps(found)
        assert size(found) <= AttentionPolicy().packet_chars
        assert found.selected_memory_ids
