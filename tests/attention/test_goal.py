"""Packets follow the goal: relevance first, few rules for every step, and the operator's rules before everyone else's."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from satchel.app import Satchel
from satchel.attention.every_step import fits_every_step
from satchel.config import load
from satchel.domain.admit import Draft, admit
from satchel.domain.attention import Packet, Role
from satchel.domain.edges import EdgeType
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.receipt import Receipt
from satchel.domain.record import MemoryId
from satchel.ports import Change
from tests.attention.rule_texts import DEVELOPMENT, HELD
from tests.attention.stores import AttentionStore, add, open_test_store, packet, ranked, tables
from tests.tables import each_case

LOUD: dict[str, Any] = {"importance": 1.0, "confidence": 1.0, "success_score": 1.0, "abstraction_level": 3}
FIELDS: dict[str, Any] = {"task_id": "t", "details": {"must": "tell Mia"}, "tags": ["ops"], "importance": 0.4}
OPERATOR_RULES = (
    "Never deploy to production on a Friday",
    "Deploy to production only after a backup",
    "Production deploys need a second reviewer",
)


class TestRelevance:
    @each_case(
        ("goal", "wanted", "other"),
        [
            (
                "book a restaurant for Friday",
                "Restaurants must be quiet",
                "Wages are paid on the last day of the month",
            ),
            ("review the refund policies", "Our refund policy allows thirty days", "The roof leaks near the chimney"),
            ("更换净水器的滤芯", "净水器滤芯半年换一次", "客厅的地板用橡木"),
        ],
    )
    def test_importance_does_not_make_up_for_relevance(
        self, router: AttentionStore, goal: str, wanted: str, other: str
    ) -> None:
        id = add(router, "preference", wanted, importance=0.1)
        add(router, "preference", other, **LOUD)

        assert packet(router, goal).hard_constraints == (wanted,)
        assert packet(router, goal).selected_memory_ids == (id,)

    def test_a_goal_that_nothing_fits_gets_an_empty_packet(self, router: AttentionStore) -> None:
        for type in ("preference", "procedure", "summary", "reflection", "episode"):
            add(router, type, f"The {type} about invoices and wages", **LOUD)

        for role in ("planner", "executor", "critic", "responder"):
            assert packet(router, "tune the piano", role) == Packet("tune the piano", role)
        row = next(iter(ranked(router, "tune the piano").values()))
        assert "not-relevant" in row.reasons

    @each_case(
        ("goal", "chosen"),
        [
            ("order 12 chairs", ()),
            ("move a 4 ton statue to the yard", ()),
            ("clean account 12", ("Account 12 is closed in June",)),
            ("close #4711 today", ("Account 4711 needs two signatures",)),
        ],
    )
    def test_a_count_is_not_what_a_goal_is_about(
        self, router: AttentionStore, goal: str, chosen: tuple[str, ...]
    ) -> None:
        for text in ("Account 12 is closed in June", "Account 4 is closed in May", "Account 4711 needs two signatures"):
            add(router, "preference", text, **LOUD)

        assert packet(router, goal).hard_constraints[:1] == chosen

    def test_many_important_memories_do_not_hide_a_relevant_one(self, router: AttentionStore) -> None:
        wanted = add(router, "summary", "The piano is tuned to 442 hertz", importance=0.1)
        rule = add(router, "preference", "Answer in German, briefly", importance=0.1)
        kinds = ("preference", "procedure", "fact", "reflection")
        drafts = [
            Draft(text=f"Rule {number} for wages and invoices", scope="global", kind=kinds[number % 4], importance=1.0)
            for number in range(3_000)
        ]
        changes = [
            Change(admit(draft, id=MemoryId(f"loud-{number}"), now=router.clock.now()), None, "store", "test")
            for number, draft in enumerate(drafts)
        ]
        router.ledger.memories.commit(changes, Receipt("store", {}))

        assert packet(router, "tune the piano").selected_memory_ids == (wanted, rule)

    def test_failures_and_open_questions_ask_too(self, router: AttentionStore) -> None:
        lesson = add(router, "reflection", "The edge cache kept old prices because nobody purged it")
        fact = add(router, "summary", "Mia signs the contracts")

        assert packet(router, "carry on", "critic").selected_memory_ids == ()
        failed = packet(router, "carry on", "critic", recent_failures=["visitors saw old prices"])
        assert failed.selected_memory_ids == (lesson,)
        assert packet(router, "carry on", unresolved_questions=["who signs?"]).selected_memory_ids == (fact,)

    def test_a_rule_of_one_task_is_no_constraint_of_another(self, router: AttentionStore) -> None:
        rule = add(router, "preference", "Spend at most 900 euros on hotels", task_id="lisbon", **LOUD)

        answer = router.attention.route("book hotels in Madrid", task_id="madrid").result
        assert answer.packet.hard_constraints == ()
        assert [(one.memory_id, one.reason) for one in answer.debug.omitted] == [(rule, "rule-of-other-task")]
        assert packet(router, "ring the landlord", task_id="lisbon").selected_memory_ids == (rule,)

    def test_a_procedure_of_another_task_may_help(self, router: AttentionStore) -> None:
        steps = add(router, "procedure", "Compare three hotels, then book", task_id="lisbon")

        assert packet(router, "book hotels in Madrid", task_id="madrid").selected_memory_ids == (steps,)

    def test_a_rule_of_the_session_applies_to_its_steps(self, router: AttentionStore) -> None:
        rule = add(router, "preference", "Only touch the billing module", session_id="today")
        add(router, "summary", "The roof leaks near the chimney", session_id="today")

        assert packet(router, "tune the piano", session_id="today").selected_memory_ids == (rule,)
        assert packet(router, "tune the piano", session_id="tomorrow").selected_memory_ids == ()

    def test_every_relevant_memory_without_room_is_named(self, router: AttentionStore) -> None:
        letters = "abcdefgh"
        ids = {add(router, "summary", f"The piano {letter * 7} was tuned") for letter in letters}

        answer = router.attention.route("tune the piano").result
        left = ids - set(answer.packet.selected_memory_ids)
        assert {(one.field, one.memory_id, one.reason) for one in answer.debug.omitted} == {
            ("relevant_facts", id, "no-room:relevant_facts") for id in left
        }
        assert len(left) == 5


class TestEveryStep:
    def test_rules_for_every_step_are_few_and_marked(self, router: AttentionStore) -> None:
        rules = [
            add(router, "preference", text)
            for text in ("Always answer in German", "No emoji ever", "Cite your sources", "Keep replies short")
        ]
        relevant = add(router, "preference", "Pianos are tuned in the morning")

        answer = router.attention.route("tune the piano").result
        chosen = [id for id in answer.packet.selected_memory_ids if id in rules]
        marked = [row.id for row in answer.debug.selected_memories if "every-step" in row.reasons]
        assert relevant in answer.packet.selected_memory_ids
        assert len(chosen) == 2
        assert set(chosen) <= set(marked)
        assert {one.reason for one in answer.debug.omitted} == {"no-room:every-step"}

    def test_a_long_term_hard_constraint_applies_to_every_step(self, router: AttentionStore) -> None:
        declared = add(
            router, "preference", "Audit", abstraction_level=3, details={"hard_constraint": "Log every change"}
        )
        add(router, "preference", "Audit of wages", details={"hard_constraint": "Ask Mia"})

        assert packet(router, "tune the piano").selected_memory_ids == (declared,)

    @each_case(
        ("text", "fields"),
        [
            ("Always answer in German", {"source_kind": "tool"}),
            ("Always answer in German", {"role_scope": "critic"}),
            ("Always answer in German", {"task_id": "letters"}),
            ("Never deploy on a Friday", {"abstraction_level": 3}),
        ],
    )
    def test_other_preferences_do_not_apply_to_every_step(
        self, router: AttentionStore, text: str, fields: dict[str, Any]
    ) -> None:
        add(router, "preference", text, **fields)

        assert packet(router, "tune the piano").hard_constraints == ()

    @pytest.mark.parametrize("half", [DEVELOPMENT, HELD])
    def test_rules_of_manner_are_told_from_rules_about_a_subject(self, half: dict[bool, tuple[str, ...]]) -> None:
        wrong = [text for expected, texts in half.items() for text in texts if fits_every_step(text) is not expected]

        assert len(wrong) <= 2
        assert not set(wrong) & set(half[False])

    @each_case(
        ("text", "expected"),
        [
            ("Reply in Icelandic", True),
            ("Please answer in Traditional Chinese", True),
            ("請用越南文回覆", True),
            ("Polish the silver before guests come", False),
            ("Translate invoices into Dutch", False),
            ("Address me as Ms. Oyelaran", True),
            ("叫我阿明", True),
            ("Call me a taxi at six", False),
            ("Call me when the parcel arrives", False),
        ],
    )
    def test_a_rule_on_the_language_or_the_form_of_address_is_one_of_manner(self, text: str, expected: bool) -> None:
        assert fits_every_step(text) is expected


class TestTrust:
    @pytest.mark.parametrize("own", [(), ("no downtime",), tuple("abcdef")])
    def test_agents_displace_no_rule_of_the_operator(self, router: AttentionStore, own: tuple[str, ...]) -> None:
        goal = "deploy the release to production"
        for text in OPERATOR_RULES:
            add(router, "preference", text, importance=0.4)
        steps = add(router, "procedure", "Deploy with the blue pipeline", importance=0.4)
        before = packet(router, goal, "executor", user_constraints=own)
        for number in range(12):
            type = ("preference", "procedure", "reflection")[number % 3]
            add(
                router, type, f"{goal} {number}", title=goal, source_kind="tool", task_id="t", session_id="s",
                details={"must": [goal, f"{goal} now"]}, keywords=goal.split(),
                edges=[{"to_memory_id": steps, "edge_type": "contradicts", "weight": 1.0}], **LOUD,
            )  # fmt: skip

        after = packet(router, goal, "executor", user_constraints=own, task_id="t", session_id="s")

        assert set(before.selected_memory_ids) <= set(after.selected_memory_ids)
        for slot in ("hard_constraints", "procedures_to_follow", "pitfalls_to_avoid"):
            kept, all_texts = getattr(before, slot), getattr(after, slot)
            assert all_texts[: len(kept)] == kept
            assert all(text.startswith("[untrusted] ") for text in all_texts[len(kept) :])
        if not own:
            assert set(before.hard_constraints) == set(OPERATOR_RULES)
            assert len(after.selected_memory_ids) == 5

    def test_untrusted_memories_have_a_bounded_share_and_a_mark(self, router: AttentionStore) -> None:
        for number in range(6):
            for type in ("preference", "procedure"):
                add(router, type, f"The piano {'abcdef'[number] * 6} is tuned by {type}", source_kind="tool", **LOUD)

        answer = router.attention.route("tune the piano", step_role="executor").result
        assert (len(answer.packet.hard_constraints), len(answer.packet.procedures_to_follow)) == (2, 1)
        texts = answer.packet.hard_constraints + answer.packet.procedures_to_follow
        assert all(text.startswith("[untrusted] The piano") for text in texts)
        assert "untrusted-share:hard_constraints" in {one.reason for one in answer.debug.omitted}
        rows = {row.id: row.reasons for row in answer.debug.selected_memories}
        assert all("trust:untrusted" in rows[id] for id in answer.packet.selected_memory_ids)

    def test_an_agents_summary_does_not_replace_the_operators_episode(self, router: AttentionStore) -> None:
        episode = add(router, "episode", "The import failed on Monday with a full disk")
        add(
            router, "summary", "The import failed on Monday with a full disk, which is fine", source_kind="tool",
            edges=[{"to_memory_id": episode, "edge_type": "derived_from"}], **LOUD,
        )  # fmt: skip

        assert episode in packet(router, "import after the failure", "executor").selected_memory_ids


_WORDS = ("deploy", "the", "release", "to", "production", "after", "a", "backup", "short", "answers", "in", "German")
_ENTRIES = st.lists(
    st.tuples(
        st.sampled_from(["preference", "procedure", "summary", "reflection", "episode"]),
        st.lists(st.sampled_from(_WORDS), min_size=1, max_size=7).map(" ".join),
        st.sampled_from([None, "t", "u"]),
        st.floats(0, 1),
    ),
    min_size=1,
    max_size=12,
)


@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    trusted=_ENTRIES, untrusted=_ENTRIES, own=st.lists(st.sampled_from(_WORDS), max_size=5), role=st.sampled_from(Role)
)
def test_untrusted_memories_never_change_what_trusted_ones_contribute(
    tmp_path: Path, trusted: list[Any], untrusted: list[Any], own: list[str], role: Role
) -> None:
    request: dict[str, Any] = {"step_role": role, "task_id": "t", "user_constraints": own, "recent_failures": own}
    with open_test_store(tmp_path) as router:
        ids = [add(router, type, text, task_id=task, importance=value) for type, text, task, value in trusted]
        before = router.attention.route("deploy the release to production", **request).result.packet
        for number, (type, text, task, _) in enumerate(untrusted):
            edge = {"to_memory_id": ids[number % len(ids)], "edge_type": list(EdgeType)[number % 5], "weight": 1.0}
            add(router, type, text, task_id=task, source_kind="web", edges=[edge], **LOUD)
        after = router.attention.route("deploy the release to production", **request).result.packet

    assert [id for id in after.selected_memory_ids if id in ids] == list(before.selected_memory_ids)
    for slot in ("hard_constraints", "relevant_facts", "procedures_to_follow", "pitfalls_to_avoid"):
        stated, texts = getattr(before, slot), getattr(after, slot)
        assert texts[: len(stated)] == stated
        assert all(text.startswith("[untrusted] ") for text in texts[len(stated) :])


class TestMeaning:
    def test_meaning_is_compared_where_the_store_has_vectors(self, memory: Satchel) -> None:
        id = add(memory, "summary", "Rivets hold the hull together")
        assert "meaning" not in ranked(memory, "hull")[id].contributions
        memory.maintenance.index_build()

        assert "meaning" in ranked(memory, "hull")[id].contributions
        assert "meaning" not in ranked(memory, "hull", meaning=False)[id].contributions

    def test_meaning_without_vectors_warns(self, home: Path) -> None:
        never_embed = load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 0})
        with Satchel.open(settings=never_embed) as memory:
            add(memory, "summary", "Rivets hold the hull together")

            asked = memory.attention.route("hull rivets", meaning=True).result
            assert asked.packet.relevant_facts == ("Rivets hold the hull together",)
            assert [one.split(":")[0] for one in asked.debug.warnings] == ["no_vectors"]
            assert memory.attention.route("hull rivets").result.debug.warnings == ()


class TestDuplicates:
    def test_the_same_memory_is_stored_once(self, router: AttentionStore) -> None:
        target = add(router, "summary", "The cluster has one node")
        fields = {**FIELDS, "edges": [{"to_memory_id": target, "edge_type": "extends"}]}
        first = router.attention.add("preference", "Downtime", "No downtime", **fields).result
        before = {name: rows for name, rows in tables(router).items() if name not in ("receipts", "sequence")}

        again = router.attention.add("preference", "Downtime", "No downtime", **fields).result
        assert (again.memory_id, again.duplicate, again.edge_ids) == (first.memory_id, True, ())
        assert not first.duplicate
        assert {name: rows for name, rows in tables(router).items() if name in before} == before

    @each_case(
        "changed",
        [
            {"task_id": "u"},
            {"details": {"must": "tell Ann"}},
            {"tags": []},
            {"role_scope": "critic"},
            {"valid_to_ts": "2999-01-01"},
            {"id": "my-own"},
        ],
    )
    def test_a_memory_that_differs_is_stored(self, router: AttentionStore, changed: dict[str, Any]) -> None:
        first = router.attention.add("preference", "Downtime", "No downtime", **FIELDS).result
        other = router.attention.add("preference", "Downtime", "No downtime", **(FIELDS | changed)).result

        assert other.memory_id != first.memory_id
        assert not other.duplicate

    def test_what_an_agent_said_first_is_stored_again_by_the_operator(self, router: AttentionStore) -> None:
        agent = router.attention.add("preference", "Downtime", "No downtime", source_kind="tool").result
        operator = router.attention.add("preference", "Downtime", "No downtime").result
        again = router.attention.add("preference", "Downtime", "No downtime", source_kind="tool").result

        assert operator.memory_id != agent.memory_id
        assert again.duplicate


def test_the_least_relevance_is_a_setting(tmp_path: Path) -> None:
    with open_test_store(tmp_path, attention=AttentionPolicy(least_relevance=0.99)) as router:
        add(router, "summary", "The piano is tuned to 442 hertz")

        assert packet(router, "tune the old piano of the school").selected_memory_ids == ()
