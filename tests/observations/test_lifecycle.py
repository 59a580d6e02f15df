"""The lifecycle service: grading, ageing, the observational log, drift."""

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.moment import iso
from satchel.domain.observation import Grade, Observation
from satchel.domain.policies import Policies
from satchel.domain.policies.lifecycle import LifecyclePolicy
from satchel.domain.record import Label, State, Trust
from satchel.errors import InvalidRequest, NotFound, Refused
from satchel.observations.grade import HEURISTIC
from satchel.ports import NewLogLine
from tests.observations.event_streams import HELD_OUT, SEEN, START, Stream
from tests.observations.stores import DAY_MS, Store, event, observed, opened
from tests.tables import each_case


class TestGrading:
    def test_memories_and_observations_without_importance_are_graded_with_reasons(self, home: Path) -> None:
        with opened(home, policies=Policies(lifecycle=LifecyclePolicy(grade_on_ingest=False))) as store:
            store.tell(event("We decided: never deploy on Fridays"))
            kept = store.memory.store("Mara prefers tea").result.id
            given = store.memory.store("ok", importance=0.9).result.id
            done = store.memory.lifecycle.grade()
            one = observed(store, store.id_of("deploy")).observation
            memory = store.memory.get(kept).result

            assert (done.result.observations, done.result.memories) == (1, 1)
            assert (one.label, one.grader, one.state) == (Label.MUST_REMEMBER, "heuristic-v1/1", State.CATEGORIZED)
            assert (memory.memory.importance, memory.memory.label) == (0.7, Label.NICE_TO_HAVE)
            assert [(one.operation, one.reason) for one in memory.history] == [
                ("store", None),
                ("grade", "heuristic-v1/1: policy +0.40"),
            ]
            assert store.memory.get(given).result.memory.importance == 0.9
            reasons = {one.id: ["policy +0.40", "decision +0.30"], kept: ["policy +0.40"]}
            assert done.receipt.decided["reasons"] == reasons
            assert store.memory.lifecycle.grade().result.memories == 0
            assert store.memory.maintenance.receipts_verify().result.broken_at is None

    def test_recall_sees_the_graded_label(self, store: Store) -> None:
        store.memory.store("Mara prefers tea")
        store.memory.lifecycle.grade()

        assert store.memory.recall("tea", mode="lexical").result.hits[0].memory.label is Label.NICE_TO_HAVE

    def test_a_dry_run_writes_nothing(self, store: Store) -> None:
        store.memory.store("Mara prefers tea")
        before = store.bytes_of_files()
        done = store.memory.lifecycle.grade(dry_run=True)

        assert (done.result.memories, done.receipt.kept) == (1, False)
        assert store.bytes_of_files() == before

    def test_a_newer_grader_replaces_older_grades_but_not_an_operators(self, home: Path) -> None:
        with opened(home) as store:
            kept = store.memory.store("Mara prefers tea").result.id
            given = store.memory.store("Mara prefers cake", importance=0.7).result.id
            store.memory.lifecycle.grade()
        better = replace(HEURISTIC, version=2, grade=lambda text: Grade(1.0, Label.MUST_REMEMBER, ("better +0.70",)))
        with opened(home, grader=better) as store:
            store.clock.forward(1)
            done = store.memory.lifecycle.grade().result

            assert [one.id for one in done.examples] == [kept]
            assert store.memory.get(kept).result.memory.importance == 1.0
            assert store.memory.get(given).result.memory.importance == 0.7

    def test_a_secret_lowers_the_grade_of_a_memory(self, store: Store) -> None:
        kept = store.memory.store("the password is hunter2x9").result.id
        store.memory.lifecycle.grade()

        assert store.memory.get(kept).result.memory.label is Label.IGNORE

    def test_only_the_scope_is_graded(self, store: Store) -> None:
        store.memory.store("Mara prefers tea", scope="project/a")

        assert store.memory.lifecycle.grade().result.memories == 0
        assert store.memory.lifecycle.grade(all_scopes=True).result.memories == 1


class TestLifecycle:
    def test_unused_records_are_archived_past_their_horizon_and_come_back_unchanged(self, store: Store) -> None:
        fact = store.memory.store("the walrus is grey", kind="fact").result.id
        other = store.memory.store("the walrus sneezed").result.id
        store.tell(event("walrus seen"))
        before = store.memory.get(other).result.memory
        store.clock.forward(31)
        done = store.memory.lifecycle.run()

        assert (done.result.archived, done.result.by_tier) == (2, {"P2": 2})
        assert done.result.by_trust == {"trusted": 1, "untrusted": 1}
        assert done.result.by_label == {"ignore": 1, "unknown": 1}
        assert done.result.by_reason == {"never_used": 2}
        assert done.receipt.decided["by_tier"] == {"P2": 2}
        assert [hit.memory.id for hit in store.memory.recall("walrus", mode="lexical").result.hits] == [fact]
        revived = store.memory.lifecycle.revive(other).result
        after = store.memory.get(other).result.memory
        assert (revived.from_state, revived.to_state) == (State.ARCHIVED, State.ACTIVE)
        assert replace(after, updated_at=before.updated_at) == before
        assert store.memory.lifecycle.run().result.archived == 0

    def test_an_observation_is_revived_too(self, store: Store) -> None:
        store.tell(event("walrus seen"))
        store.clock.forward(31)
        store.memory.lifecycle.run()
        id = store.id_of("walrus", archived=True)
        store.memory.lifecycle.revive(id)

        assert store.id_of("walrus") == id
        assert [one.operation for one in observed(store, id).history] == ["archive", "revive"]
        assert store.memory.lifecycle.run().result.archived == 0

    def test_only_selection_into_a_bundle_counts_as_use(self, store: Store) -> None:
        ids = [store.memory.store(f"walrus {number}").result.id for number in range(2)]
        store.tell(event("walrus seen"))
        seen = store.id_of("walrus")
        store.clock.forward(20)
        for _ in range(3):
            store.memory.recall("walrus", mode="lexical")
            store.memory.observations.search("walrus")
            store.memory.get(seen)
            store.memory.memories.list()
        lives = store.memory.parts.ledger.usage
        assert lives.last_used_at([*ids, seen]) == {}
        store.memory.packing._mark_selected([ids[0], seen])
        assert lives.last_used_at([*ids, seen]) == {ids[0]: store.clock.time, seen: store.clock.time}
        assert observed(store, seen).last_used_at == store.clock.time
        store.clock.forward(15)
        run = store.memory.lifecycle.run().result

        archived = [(one.id, one.reason) for one in run.examples if one.to_state is State.ARCHIVED]
        assert archived == [(ids[1], "never_used")]

    def test_a_packet_and_a_block_before_a_turn_count_as_use(self, home: Path) -> None:
        with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as memory:
            routed, told, left = (
                memory.store(text, scope=scope, kind="preference", importance=0.9).result.id
                for text, scope in (("never wake the walrus", "a"), ("the walrus likes tea", "b"), ("a walrus", "c"))
            )
            memory.attention.route("feed the walrus", scope="a")
            assert memory.turns.before("what does the walrus like?", scope="b", mode="lexical").result.memories
            assert {*memory.parts.ledger.usage.last_used_at([routed, told, left])} == {routed, told}

    @pytest.mark.parametrize("days", [89, 91, 190, 5_000])
    def test_an_imported_record_ages_by_its_own_date(self, store: Store, tmp_path: Path, days: int) -> None:
        store.memory.store("the store is in use")
        store.clock.forward(400)
        written = store.clock.time - days * DAY_MS
        row = {"id": "old", "text": "the walrus is grey", "kind": "fact", "createdAt": written}
        file = tmp_path / "rows.jsonl"
        file.write_text(json.dumps(row), encoding="utf-8")
        store.memory.transfer.import_(str(file))
        store.memory.lifecycle.run()

        assert (store.memory.get("old").result.memory.state is State.ARCHIVED) == (days > 90)

    def test_an_old_event_ages_by_its_own_date_and_a_future_one_from_its_arrival(self, store: Store) -> None:
        old, future = (iso(store.clock.time + days * DAY_MS) for days in (-190, 5_000))
        store.tell(event("old walrus", ts=old), event("future walrus", ts=future))
        assert store.memory.lifecycle.run().result.archived == 1
        assert store.id_of("old walrus", archived=True) != store.id_of("future walrus")
        store.clock.forward(31)

        assert store.memory.lifecycle.run().result.archived == 1

    def test_an_imported_record_that_was_used_starts_over(self, store: Store, tmp_path: Path) -> None:
        file = tmp_path / "rows.jsonl"
        file.write_text('{"id": "old", "text": "walrus", "createdAt": 86400000}', encoding="utf-8")
        store.memory.transfer.import_(str(file))
        store.memory.packing._mark_selected(["old"])

        assert store.memory.lifecycle.run().result.archived == 0
        assert store.memory.get("old").result.last_used_at == store.clock.time

    def test_use_never_raises_trust(self, store: Store) -> None:
        kept = store.memory.store("a page says so", source_kind="web").result.id
        for _ in range(50):
            store.memory.packing._mark_selected([kept])

        assert store.memory.get(kept).result.memory.trust is Trust.UNTRUSTED

    def test_a_dry_run_reports_the_same_and_writes_nothing(self, store: Store) -> None:
        store.memory.store("walrus")
        store.tell(event("walrus seen"))
        store.clock.forward(31)
        before = store.bytes_of_files()
        dry = store.memory.lifecycle.run(dry_run=True)
        assert store.bytes_of_files() == before
        assert not dry.receipt.kept
        status = store.memory.lifecycle.status().result
        real = store.memory.lifecycle.run().result

        assert replace(dry.result, dry_run=False) == real
        assert (status.would_archive, status.p1_days, status.p2_days, status.grade_on_ingest) == (2, 90, 30, True)
        assert store.memory.lifecycle.status().result.last_run_at == store.clock.time

    @pytest.mark.parametrize("days", [-365, 181, 365, 50 * 365])
    def test_a_clock_that_jumps_archives_nothing(self, store: Store, days: int) -> None:
        for number in range(5):
            store.memory.store(f"walrus {number}")
            store.clock.forward(1)
        store.clock.forward(days)
        done = store.memory.lifecycle.run()

        assert (done.result.archived, done.result.stale) == (0, 0)
        assert bool(done.receipt.warnings) == (days > 0)

    def test_after_a_jump_a_store_ages_from_there(self, store: Store) -> None:
        store.memory.store("walrus")
        store.clock.forward(1000)
        for _ in range(30):
            store.memory.lifecycle.run()
            store.clock.forward(1)
        assert store.memory.lifecycle.status().result.by_state == {"stale": 1}
        store.memory.lifecycle.run()

        assert store.memory.lifecycle.status().result.by_state == {"archived": 1}

    def test_pinned_records_are_never_archived(self, store: Store) -> None:
        store.memory.store("walrus rule", tags=["p0"])
        store.memory.store("walrus law", importance=0.9)
        for _ in range(10):
            store.clock.forward(100)
            assert store.memory.lifecycle.run().result.archived == 0

    def test_the_operator_archives_a_memory_with_a_reason_and_revives_it(self, store: Store) -> None:
        kept = store.memory.store("walrus").result.id

        done = store.memory.lifecycle.archive(kept, reason="the walrus left")

        assert (done.result.from_state, done.result.to_state) == (State.ACTIVE, State.ARCHIVED)
        assert store.memory.recall("walrus", mode="lexical").result.hits == ()
        assert store.memory.get(kept).result.history[-1].reason == "the walrus left"
        store.memory.lifecycle.revive(kept)
        assert len(store.memory.recall("walrus", mode="lexical").result.hits) == 1

    def test_what_is_away_cannot_be_archived_again(self, store: Store) -> None:
        retired = store.memory.store("old").result.id
        store.memory.store("new", replaces=retired)
        archived = store.memory.store("walrus").result.id
        store.memory.lifecycle.archive(archived)

        for id in (archived, retired):
            with pytest.raises(Refused) as refused:
                store.memory.lifecycle.archive(id)
            assert refused.value.code == "transition_refused"
        with pytest.raises(NotFound):
            store.memory.lifecycle.archive(archived, scope="elsewhere")

    def test_active_and_retired_records_cannot_be_revived(self, store: Store) -> None:
        kept = store.memory.store("walrus").result.id
        retired = store.memory.store("old").result.id
        store.memory.store("new", replaces=retired)

        for id in (kept, retired):
            with pytest.raises(Refused) as refused:
                store.memory.lifecycle.revive(id)
            assert refused.value.code == "transition_refused"
        with pytest.raises(NotFound):
            store.memory.lifecycle.revive("nobody")
        with pytest.raises(NotFound):
            store.memory.lifecycle.revive(kept, scope="elsewhere")

    def test_only_the_scope_is_touched(self, store: Store) -> None:
        store.memory.store("walrus", scope="project/a")
        store.clock.forward(31)

        assert store.memory.lifecycle.run().result.looked_at == 0
        assert store.memory.lifecycle.run(all_scopes=True).result.archived == 1


class TestObservationalLog:
    POLICY = LifecyclePolicy(observer_chars=100, observer_tail=2, log_chars=600)

    def test_a_full_buffer_becomes_lines_and_the_newest_stay_raw(self, home: Path) -> None:
        with opened(home, policies=Policies(lifecycle=self.POLICY)) as store:
            store.tell(*(event(f"we decided number {number}, never again") for number in range(6)))
            shown = store.memory.observations.observations_show().result

            assert (len(shown.observations), len(shown.raw_buffer), shown.raw_total) == (4, 2, 2)
            store.tell(*(event(f"the weather is fine, number {number}") for number in range(6)))
            assert len(store.memory.observations.observations_show().result.observations) == 7
            shown = store.memory.observations.observations_show(level="NOTICE").result
            assert len(shown.observations) == 6
            assert all(line.level == "NOTICE" for line in shown.observations)

    def test_the_newest_observations_do_not_fill_the_buffer(self, home: Path) -> None:
        with opened(home, policies=Policies(lifecycle=self.POLICY)) as store:
            for number in range(20):
                store.tell(event(f"we decided number {number:02}, never to go back"))
            runs: Any = store.memory.maintenance.receipts_list(operation="observe").result

            assert [one.body["decided"]["observations_in"] for one in runs] == [3] * 6

    @each_case("stream", [*SEEN, *HELD_OUT])
    def test_the_reflector_leaves_at_most_one_line_for_each_distinct_event(self, home: Path, stream: Stream) -> None:
        policy = LifecyclePolicy(observer_chars=200, observer_tail=0, log_chars=500)
        with opened(home, policies=Policies(lifecycle=policy)) as store:
            store.clock.time = START + DAY_MS
            scope = stream.name.replace(" ", "-")
            events = [*stream.events()]
            for start in range(0, len(events), 10):
                store.tell(*events[start : start + 10], scope=scope)
            grown = store.memory.observations.observations_show(scope=scope).result.observations
            store.memory.lifecycle.run(scope=scope)
            left = store.memory.observations.observations_show(scope=scope).result.observations

            assert len(left) <= stream.distinct < len(grown)
            rules = [text for _, text, importance, _ in stream.templates if importance >= 0.8]
            notices = [line.text for line in left if line.level == "NOTICE"]
            assert len(notices) == len(rules)
            assert all(any(rule in line for line in notices) for rule in rules)

    def test_the_log_only_grows_at_its_end(self, home: Path) -> None:
        with opened(home, policies=Policies(lifecycle=self.POLICY)) as store:
            before: tuple[str, ...] = ()
            for number in range(5):
                store.tell(*(event(f"we decided {number}.{one}, never again") for one in range(7)))
                store.memory.lifecycle.grade()
                lines = tuple(line.text for line in store.memory.observations.observations_show().result.observations)
                assert lines[: len(before)] == before and len(lines) > len(before)
                before = lines

    def test_the_reflector_prunes_the_lowest_levels_and_records_it(self, home: Path) -> None:
        with opened(home, policies=Policies(lifecycle=self.POLICY)) as store:
            texts = ("the weather is fine number {}", "we decided number {}, never again")
            store.tell(*(event(texts[number % 2].format(number)) for number in range(18)))
            before = store.memory.observations.observations_show().result.observations
            dry = store.memory.lifecycle.run(dry_run=True).result
            assert store.memory.observations.observations_show().result.observations == before
            done = store.memory.lifecycle.run().result
            after = store.memory.observations.observations_show().result.observations

            assert dry.log_lines_pruned == done.log_lines_pruned == len(before) - len(after) > 0
            assert [one for one in before if one.level == "NOTICE"] == [one for one in after if one.level == "NOTICE"]
            facts: Any = store.memory.maintenance.receipts_list(operation="reflect").result[0].body["decided"]
            assert (facts["lines_in"], facts["lines_out"]) == (len(before), len(after))
            assert facts["chars_in"] > facts["chars_out"]

    def test_each_scope_has_its_own_log_without_quarantined_text(self, home: Path) -> None:
        with opened(home, policies=Policies(lifecycle=self.POLICY)) as store:
            store.tell(*(event(f"never walrus {number} " * 5, trust="quarantined") for number in range(9)))
            store.tell(*(event(f"never otter {number} " * 5, scope="project/a") for number in range(9)))
            here = store.memory.observations.observations_show().result
            there = store.memory.observations.observations_show(scope="project/a").result

            assert (here.observations, here.raw_buffer) == ((), ())
            assert there.observations and all("otter" in line.text for line in there.observations)

    def test_a_custom_observer_can_be_configured(self, home: Path) -> None:
        def brief(observations: Any) -> list[NewLogLine]:
            ones: list[Observation] = list(observations)
            covered = tuple(one.id for one in ones)
            return [NewLogLine(ones[0].scope, ones[0].at, "INFO", f"{len(ones)} things", covered)]

        with opened(home, policies=Policies(lifecycle=self.POLICY), observer=brief) as store:
            store.tell(*(event(f"number {number} " * 9) for number in range(6)))

            assert [line.text for line in store.memory.observations.observations_show().result.observations] == [
                "4 things"
            ]


class TestDrift:
    def test_labels_and_rates_are_counted_by_day_and_drawn(self, store: Store, tmp_path: Path) -> None:
        store.tell(event("We decided: never"), event("ok"))
        store.memory.store("walrus")
        store.clock.forward(31)
        store.memory.lifecycle.run()
        drawing = tmp_path / "drift.svg"
        found = store.memory.lifecycle.drift(days=40, svg=str(drawing)).result

        busy = [day for day in found.days if day.captured or day.stored or day.archived]
        assert [(one.captured, one.stored, one.archived) for one in busy] == [(2, 1, 0), (0, 0, 3)]
        assert found.labels == {"ignore": 1, "must_remember": 1, "unknown": 1}
        assert (found.unknown_share, found.mismatches) == (0.3333, 0)
        assert (found.by_tool, found.by_state) == ({"bash": 2}, {"archived": 3})
        assert ElementTree.parse(drawing).getroot().tag.endswith("svg")
        with pytest.raises(InvalidRequest):
            store.memory.lifecycle.drift(days=0)

    def test_a_captured_event_is_counted_on_the_day_it_happened(self, store: Store) -> None:
        happened = (store.clock.time // DAY_MS - 3) * DAY_MS
        store.tell(event("walrus seen", ts=iso(happened)), event("walrus expected", ts=iso(happened + 9 * DAY_MS)))
        days = store.memory.lifecycle.drift(days=7).result.days

        assert [(one.date, one.captured) for one in days if one.captured] == [
            (iso(happened)[:10], 1),
            (iso(store.clock.time)[:10], 1),
        ]

    def test_another_scope_is_not_counted(self, store: Store) -> None:
        store.tell(event("x y z", scope="project/a"))

        assert store.memory.lifecycle.drift().result.labels == {}
        assert sum(store.memory.lifecycle.drift(all_scopes=True).result.labels.values()) == 1
