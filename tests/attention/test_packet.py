"""The content of a packet: reserved places, duplicates, truncation, bounds."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel.domain.attention import READS, Packet, Role
from satchel.domain.policies.attention import AttentionPolicy
from satchel.errors import InvalidRequest
from tests.attention.stores import AttentionStore, add, open_test_store, packet, size, within_caps


class TestPacket:
    @pytest.mark.parametrize("many", [4, 9])
    def test_the_callers_constraints_leave_room_for_stored_ones(self, router: AttentionStore, many: int) -> None:
        stored = [add(router, "preference", text) for text in ("No emoji ever", "Cite the source", "Write in German")]
        own = [f"own constraint {letter}" for letter in "abcdefghi"[:many]]

        answer = router.attention.route("write", user_constraints=own).result

        assert answer.packet.hard_constraints[:2] == tuple(own[:2])
        assert len(set(answer.packet.hard_constraints) & {"No emoji ever", "Cite the source", "Write in German"}) == 2
        assert len(answer.packet.selected_memory_ids) == 2
        assert set(answer.packet.selected_memory_ids) < set(stored)
        assert [one.text for one in answer.debug.omitted if one.memory_id is None] == own[2:]

    def test_unused_reserved_places_go_to_the_caller(self, router: AttentionStore) -> None:
        add(router, "preference", "No emoji ever")
        own = [f"own constraint {letter}" for letter in "abcde"]

        assert packet(router, "write", user_constraints=own).hard_constraints == (*own[:3], "No emoji ever")

    def test_without_stored_constraints_the_caller_gets_every_place(self, router: AttentionStore) -> None:
        own = tuple(f"own constraint {letter}" for letter in "abcde")

        found = packet(router, "write", user_constraints=own, recent_failures=own, unresolved_questions=own)
        assert found.hard_constraints == own[:4]
        assert found.pitfalls_to_avoid == own[:3]
        assert found.open_questions == own

    def test_a_stored_lesson_keeps_a_place_among_the_failures(self, router: AttentionStore) -> None:
        add(router, "reflection", "The cache was stale")
        failures = ["failed once", "failed twice", "failed thrice"]

        found = packet(router, "cache", "critic", recent_failures=failures)
        assert found.pitfalls_to_avoid == ("failed once", "failed twice", "The cache was stale")

    @pytest.mark.parametrize("tag", ["failure", "Pitfall", "warning"])
    def test_a_warning_tag_makes_any_type_a_pitfall(self, router: AttentionStore, tag: str) -> None:
        add(router, "summary", "The queue drops messages", tags=[tag])

        found = packet(router, "queue")
        assert found.pitfalls_to_avoid == found.relevant_facts == ("The queue drops messages",)

    def test_constraints_come_from_text_and_details_in_order(self, router: AttentionStore) -> None:
        add(
            router, "preference", "Brief reports",
            details={"must": ["third"], "constraint": "second", "hard_constraint": ["first", 7, ""], "other": "no"},
        )  # fmt: skip

        assert packet(router, "report").hard_constraints == ("Brief reports", "first", "second")

    def test_slots_contain_exactly_their_types(self, router: AttentionStore) -> None:
        texts = {type: f"a {type} to tell" for type in ("preference", "procedure", "summary", "reflection", "episode")}
        for type, text in texts.items():
            add(router, type, text)

        executor, critic = packet(router, "tell", "executor"), packet(router, "tell", "critic")
        assert executor.relevant_facts == (texts["episode"],)
        assert executor.pitfalls_to_avoid == (texts["reflection"],)
        assert critic.relevant_facts == (texts["summary"],)
        assert critic.procedures_to_follow == ()

    def test_other_kinds_of_the_store_take_part_and_plans_do_not(self, router: AttentionStore) -> None:
        texts = {kind: f"a {kind} on file" for kind in ("decision", "fact", "entity", "other", "todo", "plan")}
        for kind, text in texts.items():
            router.store(text, kind=kind)

        assert set(packet(router, "on file").relevant_facts) == {texts["decision"], texts["fact"], texts["entity"]}
        assert packet(router, "on file", "executor").relevant_facts == (texts["other"],)
        listed = {item.title for item in router.attention.list().result.items}
        assert listed == {texts[kind] for kind in ("decision", "fact", "entity", "other")}

    def test_a_roles_leading_types_keep_a_place(self, router: AttentionStore) -> None:
        rule = add(router, "preference", "Ship by day", importance=0.0, confidence=0.0, role_scope="critic")
        for number in range(12):
            add(router, "procedure", f"Way {number} to ship: {'abcdefghijkl'[number] * 5}", importance=1.0)
            add(router, "episode", f"Shipped {number}: {'mnopqrstuvwx'[number] * 5}", importance=1.0)

        answer = router.attention.route("ship", step_role="executor").result
        assert rule in answer.packet.selected_memory_ids
        assert answer.packet.hard_constraints == ("Ship by day",)
        assert rule in {row.id for row in answer.debug.selected_memories}
        assert len(answer.debug.selected_memories) == 8

    def test_selected_ids_are_exactly_those_that_gave_a_text(self, router: AttentionStore) -> None:
        for number in range(8):
            add(router, "preference", f"Rule {number}: {'abcdefgh'[number] * 6}")

        found = packet(router, "rule")
        assert len(found.hard_constraints) == len(found.selected_memory_ids) == 4

    def test_long_texts_are_cut_at_a_sentence_and_marked(self, router: AttentionStore) -> None:
        add(router, "summary", "This sentence is told in full. " * 30)

        fact = packet(router, "sentence").relevant_facts[0]
        assert len(fact) <= 400
        assert fact.endswith("told in full. …")

    def test_the_budget_keeps_something_of_every_source(self, router: AttentionStore) -> None:
        long = "y " * 400
        for type in ("preference", "procedure", "reflection", "episode"):
            add(router, type, f"stored {type} {long}")
        own = [f"{letter} {long}" for letter in "abcde"]

        answer = router.attention.route(
            f"goal {long}", step_role="executor", user_constraints=own, recent_failures=own, unresolved_questions=own
        ).result

        found = answer.packet
        assert size(found) <= 4_000
        assert len(found.selected_memory_ids) == 4
        assert found.hard_constraints[0].startswith("a y")
        assert {one.reason for one in answer.debug.omitted} == {"no-room", "budget"}

    def test_a_long_reflection_is_reduced_to_its_lessons(self, router: AttentionStore) -> None:
        router.attention.reflect(
            goal="a very long goal " * 20, what_worked=["something that worked " * 9], lessons=["turn the valve first"]
        )

        assert packet(router, "goal", "critic").pitfalls_to_avoid == ("turn the valve first",)

    def test_an_empty_store_gives_empty_lists(self, router: AttentionStore) -> None:
        assert packet(router, "anything") == Packet("anything", "planner")

    @pytest.mark.parametrize(
        "twin",
        [
            "Keep   the answers short.",
            "keep the answers SHORT!",
            "Please keep the answers short.",
            "Keep the answer short.",
        ],
    )
    def test_near_duplicates_are_merged_and_the_stronger_stays(self, router: AttentionStore, twin: str) -> None:
        strong = add(router, "preference", "Keep the answers short.", importance=0.9)
        weak = add(router, "preference", twin, importance=0.2)

        answer = router.attention.route("answers").result
        assert answer.packet.hard_constraints == ("Keep the answers short.",)
        assert answer.packet.selected_memory_ids == (strong,)
        reasons = {row.id: row.reasons for row in answer.debug.selected_memories}
        assert f"duplicate-of:{strong}" in reasons[weak]

    @pytest.mark.parametrize(
        ("one", "other"),
        [
            ("Deploy to production on Fridays", "Never deploy to production on Fridays"),
            ("Keep at most 3 backups of the store", "Keep at most 5 backups of the store"),
            ("Enable the feature flag for dark mode on the settings page of the shop and the office",
             "Disable the feature flag for dark mode on the settings page of the shop and the office"),
            ("发布前要备份数据库", "发布前不要备份数据库"),
            ("Restart after the upgrade of the node", "Restart before the upgrade of the node"),
        ],
    )  # fmt: skip
    def test_a_changed_number_or_a_negation_is_another_rule(self, router: AttentionStore, one: str, other: str) -> None:
        add(router, "preference", one)
        add(router, "preference", other)

        assert set(packet(router, one).hard_constraints) == {one, other}

    def test_memories_linked_as_similar_are_merged(self, router: AttentionStore) -> None:
        first = add(router, "procedure", "Use the blue pipeline", importance=0.9)
        add(
            router, "procedure", "Ship through channel seven", importance=0.1,
            edges=[{"to_memory_id": first, "edge_type": "similar"}],
        )  # fmt: skip

        assert packet(router, "the blue one").selected_memory_ids == (first,)

    def test_a_constraint_of_the_caller_is_not_repeated(self, router: AttentionStore) -> None:
        add(router, "preference", "Keep the answers short.")

        found = packet(router, "answers", user_constraints=["keep the answers short"])
        assert found.hard_constraints == ("keep the answers short",)
        assert found.selected_memory_ids == ()

    def test_a_summary_replaces_its_episodes(self, router: AttentionStore) -> None:
        episode = add(router, "episode", "At nine the import failed with error disk quota exceeded", importance=1.0)
        summary = add(
            router, "summary", "Imports fail while the quota is exhausted", importance=0.1,
            edges=[{"to_memory_id": episode, "edge_type": "derived_from"}],
        )  # fmt: skip

        found = packet(router, "import failed", "executor")
        assert found.relevant_facts == ("Imports fail while the quota is exhausted",)
        assert found.selected_memory_ids == (summary,)


_TEXT = st.text(min_size=1, max_size=80).filter(lambda text: text.strip())
_ENTRIES = st.lists(
    st.tuples(
        st.sampled_from(["preference", "procedure", "summary", "reflection", "episode"]),
        st.one_of(_TEXT, st.sampled_from(["same words", "Same words!", "x " * 700, "数" * 900])),
        st.sampled_from([None, "t"]),
        st.floats(0, 1),
    ),
    max_size=14,
)


@settings(max_examples=60, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(entries=_ENTRIES, goal=_TEXT, own=st.lists(_TEXT, max_size=8), role=st.sampled_from(list(Role)))
def test_a_packet_always_keeps_its_bounds(
    tmp_path: Path, entries: list[tuple[str, str, str | None, float]], goal: str, own: list[str], role: Role
) -> None:
    with open_test_store(tmp_path) as router:
        stored: dict[str, Any] = {}
        for number, (type, text, task, importance) in enumerate(entries):
            targets = (
                [{"to_memory_id": id, "edge_type": "contradicts"} for id in list(stored)[-1:]]
                if number % 3 == 0
                else []
            )
            try:
                id = add(router, type, text, task_id=task, importance=importance, edges=targets)
            except InvalidRequest:
                continue
            stored[id] = (type, targets)
        try:
            answer = router.attention.route(
                goal, step_role=role, task_id="t", user_constraints=own, recent_failures=own, unresolved_questions=own
            ).result
        except InvalidRequest:
            return

        found = answer.packet
        assert within_caps(found)
        assert size(found) <= AttentionPolicy().packet_chars
        assert set(found.selected_memory_ids) <= set(stored)
        assert {stored[id][0] for id in found.selected_memory_ids} <= set(READS[role])
        assert router.attention.packets().result.items[0].packet == found
        chosen = set(found.selected_memory_ids)
        for id in chosen:
            assert not [one for one in stored[id][1] if one["to_memory_id"] in chosen]
        for row in answer.debug.selected_memories:
            assert row.score == pytest.approx(sum(row.contributions.values()), abs=1e-6)
