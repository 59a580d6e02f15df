"""Scores of blocks and rows: weights, words, age."""

from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.moment import iso
from satchel.domain.policies.attention import AttentionPolicy
from tests.attention.stores import HOUR, NOON, AttentionStore, add, open_test_store, packet, ranked


class TestScores:
    def test_every_score_is_the_sum_of_its_named_contributions(self, router: AttentionStore) -> None:
        for number in range(12):
            add(
                router, "summary" if number % 2 else "procedure", f"Note {number} about rivets and hulls",
                task_id="ship" if number % 3 else None, session_id="s" if number % 4 else None,
                importance=number / 12, abstraction_level=number % 4, role_scope="planner" if number % 5 else "critic",
            )  # fmt: skip
        debug = router.attention.route(
            "rivets for the hull", task_id="ship", session_id="s",
            recent_failures=["hull leaked"], unresolved_questions=["which rivets?"],
        ).result.debug  # fmt: skip

        named: list[Any] = [*debug.selected_blocks, *debug.selected_memories]
        for one in named:
            assert one.score == pytest.approx(sum(one.contributions.values()), abs=1e-6)
        assert [one.score for one in debug.selected_blocks] == sorted(
            (one.score for one in debug.selected_blocks), reverse=True
        )
        assert sum(one.selected for one in debug.selected_blocks) <= 3

    def test_the_weights_of_the_reference_are_the_defaults(self) -> None:
        policy = AttentionPolicy()

        blocks = (policy.block_scope, policy.block_role, policy.block_goal, policy.block_questions)
        assert (*blocks, policy.block_freshness, policy.block_failures) == (0.30, 0.24, 0.22, 0.12, 0.06, 0.06)
        biases = (policy.bias_task, policy.bias_session, policy.bias_durable, policy.bias_recent)
        assert biases == (1.0, 1.0, 0.72, 0.55)
        rows = (policy.row_role, policy.row_overlap, policy.row_task, policy.row_session, policy.row_importance)
        assert rows == (0.16, 0.18, 0.14, 0.08, 0.13)
        rest = (policy.row_confidence, policy.row_success, policy.row_freshness, policy.row_support, policy.row_block)
        assert rest == (0.10, 0.08, 0.06, 0.08, 0.06)
        assert (policy.row_contradiction, policy.freshness_hours, policy.blocks_kept) == (0.30, 336, 3)

    def test_a_row_that_matches_everything_gets_every_weight(self, router: AttentionStore) -> None:
        id = add(
            router, "summary", "rivets", importance=1.0, confidence=1.0, success_score=1.0, task_id="t",
            session_id="s", role_scope="planner",
        )  # fmt: skip
        row = ranked(router, "rivets", task_id="t", session_id="s")[id]

        assert row.contributions == {
            "role": 0.16, "overlap": 0.18, "task": 0.14, "session": 0.08, "importance": 0.13, "confidence": 0.1,
            "success": 0.08, "freshness": pytest.approx(0.06), "block": pytest.approx(0.06 * 0.82),
        }  # fmt: skip
        assert row.reasons == (
            "block:task_scoped", "role:planner", "task-match", "session-match", "relevance:0.86", "overlap:1.00",
            "high-importance",
        )  # fmt: skip

    def test_one_table_of_weights_can_be_overridden(self, tmp_path: Path) -> None:
        with open_test_store(tmp_path, attention=AttentionPolicy(row_importance=1.0, max_selected=1)) as router:
            add(router, "summary", "about rivets", importance=0.2)
            loud = add(router, "summary", "not about rivets", importance=0.9)

            assert packet(router, "rivets").selected_memory_ids == (loud,)

    def test_the_attention_settings_are_the_weights_table(self, home: Path) -> None:
        given = {"row_importance": 1.0, "max_selected": 1}
        with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"}, attention=given)) as memory:
            add(memory, "summary", "about rivets", importance=0.2)
            loud = add(memory, "summary", "not about rivets", importance=0.9)

            assert packet(memory, "rivets").selected_memory_ids == (loud,)

    def test_a_block_report_lists_the_requested_signals(self, router: AttentionStore) -> None:
        add(router, "summary", "rivets hold the hull", task_id="t", tags=["leak"])
        plain = router.attention.route("rivets", task_id="t").result.debug.selected_blocks
        full = router.attention.route(
            "rivets", task_id="t", recent_failures=["leak"], unresolved_questions=["hull?"]
        ).result.debug.selected_blocks

        assert plain[0].reasons == ("scope-bias:1.00", "role-signal:1.00", "goal-signal:1.00")
        assert full[0].reasons == (*plain[0].reasons, "unresolved-signal:1.00", "failure-signal:1.00")
        assert {one.block: one.reasons for one in plain}["recent_fallback"] == ("empty",)
        assert [one.block for one in plain] == ["task_scoped", "session_scoped", "durable_global", "recent_fallback"]

    def test_only_rows_of_kept_blocks_are_ranked(self, tmp_path: Path) -> None:
        with open_test_store(tmp_path, attention=AttentionPolicy(blocks_kept=1)) as router:
            inside = add(router, "summary", "about rivets", task_id="t", importance=0.1)
            add(router, "summary", "about rivets too", importance=1.0)

            assert list(ranked(router, "rivets", task_id="t")) == [inside]

    def test_blocks_are_assigned_by_the_first_rule_that_fits(self, router: AttentionStore) -> None:
        in_task = add(router, "summary", "w one", task_id="t", session_id="s")
        in_session = add(router, "summary", "w two", task_id="other", session_id="s")
        durable = add(router, "summary", "w three", role_scope="planner", abstraction_level=2)
        recent = add(router, "summary", "w four", role_scope="planner", abstraction_level=1)

        debug = router.attention.route("w", task_id="t", session_id="s").result.debug
        assert {one.block: one.top_memory_ids for one in debug.selected_blocks} == {
            "task_scoped": (in_task,),
            "session_scoped": (in_session,),
            "durable_global": (durable,),
            "recent_fallback": (recent,),
        }
        assert [one.selected for one in debug.selected_blocks] == [True, True, True, False]
        assert recent not in {row.id for row in debug.selected_memories}

    def test_ties_are_broken_by_type_and_finally_by_id(self, router: AttentionStore) -> None:
        router.clock.time = NOON
        for type in ("procedure", "preference"):
            router.clock.time = NOON
            add(router, type, "the very same words here", id=f"x-{type}")
        router.clock.time = NOON
        add(router, "preference", "the very same words there", id="a-preference")

        debug = router.attention.route("words").result.debug
        assert [row.id for row in debug.selected_memories] == ["a-preference", "x-preference", "x-procedure"]

    def test_freshness_falls_with_age_and_never_below_its_floor(self, router: AttentionStore) -> None:
        ages = {0: 0.06, 24: 0.0559, 168: 0.0364, 336: 0.0221, 5000: 0.006}
        ids = {}
        for hours in ages:
            when = NOON - hours * HOUR
            ids[hours] = add(router, "summary", f"event {hours}", recency_ts=iso(when))
        future = add(router, "summary", "event to come", recency_ts="2999-01-01T00:00:00+05:00")
        rows = ranked(router, "event")

        for hours, expected in ages.items():
            assert rows[ids[hours]].contributions["freshness"] == pytest.approx(expected, abs=1e-4)
        assert rows[future].contributions["freshness"] == 0.06

    def test_a_time_without_a_zone_is_utc(self, router: AttentionStore) -> None:
        id = add(router, "summary", "x", recency_ts="2026-01-02T03:04:05", valid_from_ts="2026-01-01")

        seen = router.attention.inspect(id).result.memory
        assert (seen.recency_ts, seen.valid_from_ts) == ("2026-01-02T03:04:05.000Z", "2026-01-01T00:00:00.000Z")


class TestWords:
    @pytest.mark.parametrize(
        ("goal", "held", "other"),
        [
            ("数据库备份必须每天执行", "数据库备份必须每天执行", "客厅的地板用橡木"),
            ("サーバーを再起動する", "サーバーを再起動する手順", "会議は火曜日です"),
            ("배포 절차를 확인", "배포 절차를 확인한다", "점심 메뉴"),
            ("สำรองข้อมูลทุกวัน", "สำรองข้อมูลทุกวัน", "กาแฟร้อน"),
            ("резервное копирование", "РЕЗЕРВНОЕ копирование каждый день", "обед в полдень"),
            ("größe der dateien", "GRÖSSE DER DATEIEN prüfen", "mittagessen"),
        ],
    )
    def test_overlap_works_in_any_script(self, router: AttentionStore, goal: str, held: str, other: str) -> None:
        unrelated, related = add(router, "summary", other), add(router, "summary", held)

        rows = ranked(router, goal)
        assert rows[related].contributions["overlap"] > 0.1
        assert rows[unrelated].contributions.get("overlap", 0.0) < 0.02
        assert next(iter(rows)) == related

    def test_a_goal_identical_to_a_memory_is_fully_covered(self, router: AttentionStore) -> None:
        id = add(router, "summary", "数据库备份必须每天执行")

        assert ranked(router, "数据库备份必须每天执行")[id].contributions["overlap"] == 0.18

    def test_words_late_in_a_long_text_count_fully(self, router: AttentionStore) -> None:
        long = " ".join(f"filler{number}" for number in range(400)) + " the zeppelin hangar"
        id = add(router, "summary", long)

        assert ranked(router, "zeppelin hangar")[id].contributions["overlap"] == 0.18

    def test_long_memories_are_not_penalized(self, router: AttentionStore) -> None:
        short, long = add(router, "summary", "zeppelin"), add(router, "summary", "zeppelin " + "and more words " * 90)

        rows = ranked(router, "zeppelin")
        assert rows[short].contributions["overlap"] == rows[long].contributions["overlap"]

    def test_stop_words_do_not_count(self, router: AttentionStore) -> None:
        id = add(router, "summary", "this is the one that was there and then")

        assert "overlap" not in ranked(router, "what is the colour of the sky")[id].contributions

    def test_the_best_matches_are_candidates_among_many(self, router: AttentionStore) -> None:
        best = add(router, "summary", "zeppelin hangar door", importance=0.1, role_scope="critic", title="zeppelin")
        for number in range(150):
            add(router, "summary", f"the door number {number}", importance=0.9, role_scope="critic")

        assert best in ranked(router, "zeppelin hangar door")

    def test_meaning_is_a_separate_contribution_on_request(self, memory: Satchel) -> None:
        id = add(memory, "summary", "Rivets hold the hull together")
        memory.maintenance.index_build()

        plain = ranked(memory, "hull rivets", meaning=False)[id]
        near = ranked(memory, "hull rivets", meaning=True)[id]
        assert "meaning" not in plain.contributions
        assert near.contributions["meaning"] > 0.0
        assert near.score == pytest.approx(plain.score + near.contributions["meaning"], abs=1e-4)

    def test_without_a_model_words_decide_with_a_warning(self, router: AttentionStore) -> None:
        id = add(router, "summary", "Rivets hold the hull together")

        answer = router.attention.route("rivets", meaning=True)
        assert answer.result.packet.selected_memory_ids == (id,)
        assert answer.result.debug.warnings[0].startswith("embedder_none")
        assert answer.receipt.warnings == answer.result.debug.warnings
