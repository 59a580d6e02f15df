"""Observations: capture, ingest exactly once, search, timeline, get."""

import hashlib
import json
from pathlib import Path

import pytest

from satchel.domain.observation import Grade, Grader
from satchel.domain.policies import Policies, ScopePolicy
from satchel.domain.record import Label
from satchel.errors import InvalidRequest, NotFound
from satchel.observations.values import Observed
from tests.observations.stores import BEGIN, Store, event, observed, opened


class TestIngest:
    def test_captured_events_are_found(self, store: Store) -> None:
        store.tell(event("the kettle boils"), event("the lamp glows", scope="project/a"))

        assert [hit.summary for hit in store.memory.observations.search("kettle").result.hits] == ["the kettle boils"]
        assert [hit.summary for hit in store.memory.observations.search("lamp", scope="project/a").result.hits] == [
            "the lamp glows"
        ]
        assert store.memory.observations.search("lamp").result.hits == ()

    def test_a_second_run_adds_nothing(self, store: Store) -> None:
        store.tell(*(event(f"event {number}") for number in range(10)))
        again = store.memory.observations.ingest()

        assert (again.result.total_seen, again.result.inserted) == (0, 0)
        assert not again.receipt.kept

    def test_the_same_lines_in_another_file_add_nothing(self, store: Store, home: Path) -> None:
        store.memory.observations.capture("\n".join(json.dumps(event(f"event {number}")) for number in range(10)))
        first = store.memory.observations.ingest().result
        source = home / "spool" / "00000001.jsonl"
        source.with_name("00000002.jsonl").write_bytes(source.read_bytes())
        again = store.memory.observations.ingest().result

        assert (first.inserted, again.total_seen, again.inserted, again.skipped_existing) == (10, 10, 0, 10)

    def test_invalid_lines_become_dead_letters_and_valid_ones_are_ingested(self, store: Store, home: Path) -> None:
        lines = [
            b'{"text":"first"}',
            b"nonsense",
            b'{"text":"second"',
            b'{"text":"third","ts":"NOT A DATE"}',
            b'{"text":"last"}',
        ]
        store.memory.observations.capture('{"text": "zeroth"}')
        with (home / "spool" / "00000001.jsonl").open("ab") as file:
            file.write(b"\n".join(lines) + b"\n\n  \n")
        done = store.memory.observations.ingest().result

        assert (done.total_seen, done.inserted, done.rejected) == (6, 3, 3)
        assert done.rejected_by == {"invalid_date": 1, "not_json": 2}
        letters = [json.loads(line) for line in (home / "dead-letters.jsonl").read_text(encoding="utf-8").splitlines()]
        assert [(one["line"], one["reason"]) for one in letters] == [
            ("nonsense", "not_json"),
            ('{"text":"second"', "not_json"),
            ('{"text":"third","ts":"NOT A DATE"}', "invalid_date"),
        ]

    def test_an_event_with_an_invalid_scope_goes_to_the_default_scope_with_a_warning(
        self, store: Store, home: Path
    ) -> None:
        captured = store.memory.observations.capture('{"text": "walrus one", "scope": "NOT A SCOPE"}')
        with (home / "spool" / "00000001.jsonl").open("ab") as file:
            file.write(b'{"text":"walrus two","scope":"../etc"}\n')
        ingested = store.memory.observations.ingest()

        assert (captured.result.captured, captured.result.misplaced) == (1, 1)
        assert (ingested.result.inserted, ingested.result.misplaced) == (2, 1)
        assert [one.receipt.warnings[0].partition(":")[0] for one in (captured, ingested)] == ["scope_invalid"] * 2
        assert len(store.memory.observations.search("walrus").result.hits) == 2

    def test_the_scope_policy_applies_to_events(self, home: Path) -> None:
        policy = ScopePolicy(default_scope="desk", validation_mode="normalize")
        with opened(home, policies=Policies(scope=policy)) as store:
            store.tell(event("walrus one", scope="Project A"), event("walrus two"), event("[SCOPE: x] walrus three"))

            assert [
                hit.summary for hit in store.memory.observations.search("walrus", scope="project-a").result.hits
            ] == ["walrus one"]
            assert len(store.memory.observations.search("walrus", scope="desk").result.hits) == 2
            store.memory.forget(store.id_of("walrus", scope="project-a"), scope="project-a")
            assert b"walrus one" not in b"".join(store.bytes_of_files().values())

    def test_an_incomplete_last_line_waits_for_its_end(self, store: Store, home: Path) -> None:
        store.memory.observations.capture('{"text": "first"}')
        with (home / "spool" / "00000001.jsonl").open("ab") as file:
            file.write(b'{"text":"half of')
        done = store.memory.observations.ingest().result
        assert (done.inserted, done.waiting, done.rejected) == (1, 1, 0)
        receipts = store.memory.maintenance.receipts_list().result
        assert store.memory.observations.ingest().result.waiting == 1
        assert store.memory.maintenance.receipts_list().result == receipts
        store.memory.observations.capture('{"text": "next"}')
        done = store.memory.observations.ingest().result

        assert (done.inserted, done.waiting, done.rejected) == (1, 0, 1)

    def test_a_complete_last_line_without_newline_is_ingested(self, store: Store, home: Path) -> None:
        store.memory.observations.capture('{"text": "first"}')
        with (home / "spool" / "00000001.jsonl").open("ab") as file:
            file.write(b'{"text":"whole"}')

        assert store.memory.observations.ingest().result.inserted == 2
        store.memory.observations.capture('{"text": "next"}')
        assert store.memory.observations.ingest().result.inserted == 1

    def test_private_events_are_counted_and_dropped(self, store: Store) -> None:
        captured = store.memory.observations.capture('{"text": "between us [PRIVATE]"}\n{"text": "public"}').result

        assert (captured.captured, captured.private) == (1, 1)

    def test_another_file_can_be_ingested_twice_without_duplicates(self, store: Store, tmp_path: Path) -> None:
        file = tmp_path / "theirs.jsonl"
        file.write_text(
            '\ufeff{"observationId": "a", "text": "theirs"}\n{"text": "no id"}\n{"text": "no end"}', encoding="utf-8"
        )

        assert store.memory.observations.ingest(file=str(file)).result.inserted == 3
        assert store.memory.observations.ingest(file=str(file)).result.total_seen == 0
        file.rename(tmp_path / "renamed.jsonl")
        again = store.memory.observations.ingest(file=str(tmp_path / "renamed.jsonl")).result
        assert (again.inserted, again.skipped_existing) == (0, 3)

    def test_a_missing_or_special_file_is_a_clear_error(self, store: Store) -> None:
        with pytest.raises(NotFound):
            store.memory.observations.ingest(file="/nowhere/at/all.jsonl")
        for odd in ("/dev/zero", "/", "a\0b", "~nobody-at-all/x"):
            with pytest.raises((InvalidRequest, NotFound)):
                store.memory.observations.ingest(file=odd)

    def test_a_relative_path_is_accepted(self, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        (tmp_path / "theirs.jsonl").write_text('{"text": "theirs"}\n', encoding="utf-8")
        monkeypatch.chdir(tmp_path)

        assert store.memory.observations.ingest(file="theirs.jsonl").result.inserted == 1

    def test_full_files_are_archived_and_source_pointers_stay_valid(self, home: Path) -> None:
        with opened(home, segment_bytes=500) as store:
            for number in range(10):
                store.memory.observations.capture(json.dumps(event(f"walrus {number}")))
            done = store.memory.observations.ingest().result

            assert (done.inserted, done.archived_files > 3) == (10, True)
            for number in range(10):
                one = observed(store, store.id_of(f"walrus {number}")).observation
                lines = store.memory.parts.spool.lines(one.source, None)
                line = next(line for line in lines if line.offset == one.offset)
                assert json.loads(line.raw)["text"] == one.text

    def test_a_failing_grader_does_not_stop_ingest(self, home: Path) -> None:
        def broken(text: str) -> Grade:
            raise ZeroDivisionError

        with opened(home, grader=Grader("broken", 1, broken)) as store:
            store.memory.observations.capture('{"text": "we decided"}\n{"text": "given", "importance": 0.9}')
            done = store.memory.observations.ingest().result
            graded = store.memory.lifecycle.grade().result

        assert (done.inserted, done.scorer_errors, done.graded_filled) == (2, 1, 0)
        assert done.label_counts == {"must_remember": 1, "nice_to_have": 0, "ignore": 0, "unknown": 1}
        assert (graded.observations, graded.scorer_errors) == (0, 1)

    def test_the_importance_an_event_gives_is_kept(self, store: Store) -> None:
        store.tell(
            event("ok", importance="95%"), event("We decided: never again", detail={"importance": {"score": 0.1}})
        )

        given = observed(store, store.id_of("ok")).observation
        assert (given.importance, given.label, given.grader) == (0.95, Label.MUST_REMEMBER, None)
        assert observed(store, store.id_of("decided")).observation.importance == 0.1

    def test_every_batch_and_the_run_have_receipts(self, store: Store) -> None:
        store.memory.observations.capture('{"text": "a"}\nbad\n')
        done = store.memory.observations.ingest()

        assert done.receipt.kept
        operations = [one.operation for one in store.memory.maintenance.receipts_list().result]
        assert operations == ["ingest", "ingest batch"]
        assert store.memory.maintenance.receipts_verify().result.broken_at is None

    def test_capturing_nothing_is_rejected(self, store: Store) -> None:
        with pytest.raises(InvalidRequest) as refused:
            store.memory.observations.capture()
        assert refused.value.code == "missing_param"


class TestArtifacts:
    def test_a_long_payload_becomes_an_artifact_shown_in_pieces(self, store: Store) -> None:
        store.tell(event("begin " + "x" * 20_000 + " end", detail={"exit": 1}))
        one = observed(store, store.id_of("begin")).observation

        assert one.payload is not None and len(one.text) == 2_000
        assert one.payload_bytes > 20_000
        head = store.memory.observations.artifacts_show(one.id, max_chars=100).result
        tail = store.memory.observations.artifacts_show(one.id, max_chars=100, part="tail").result
        both = store.memory.observations.artifacts_show(one.id, max_chars=100, part="both").result
        assert (len(head.text), len(tail.text), head.bytes) == (100, 100, one.payload_bytes)
        assert tail.text.endswith(' end"}') and both.text == f"{head.text[:50]}\n…\n{tail.text[-50:]}"
        kept = store.memory.parts.spool.get(one.payload)
        assert "sha256:" + hashlib.sha256(kept.encode()).hexdigest() == one.payload

    def test_an_artifact_is_visible_only_through_its_observation(self, store: Store) -> None:
        store.tell(event("begin " + "x" * 20_000), scope="project/a")
        id = store.id_of("begin", scope="project/a")

        with pytest.raises(NotFound):
            store.memory.observations.artifacts_show(id)
        with pytest.raises(InvalidRequest):
            store.memory.observations.artifacts_show(id, scope="project/a", max_chars=10**9)
        with pytest.raises(InvalidRequest):
            store.memory.observations.artifacts_show(id, scope="project/a", part="middle")

    def test_a_short_event_has_no_artifact(self, store: Store) -> None:
        store.tell(event("short"))

        with pytest.raises(NotFound) as missing:
            store.memory.observations.artifacts_show(store.id_of("short"))
        assert missing.value.code == "no_artifact"


class TestProgressiveRecall:
    def test_search_timeline_and_get_lead_from_summary_to_full_record(self, store: Store) -> None:
        store.tell(*(event(f"walrus number {number}", ts=BEGIN + number, detail={"n": number}) for number in range(9)))
        hit = store.memory.observations.search("walrus 4").result.hits[0]
        around = store.memory.observations.timeline(hit.id, window=2).result
        whole = observed(store, hit.id)

        assert (hit.summary, hit.snippet, hit.lane, hit.rank) == ("walrus number 4", "walrus number 4", "lexical", 1)
        assert [one.summary[-1] for one in around.before + around.after] == ["2", "3", "5", "6"]
        assert around.here is not None and around.here.id == hit.id
        assert whole.observation.detail == '{"n":4}'

    def test_a_memory_has_a_timeline_too(self, store: Store) -> None:
        store.tell(event("before"))
        store.clock.forward(1)
        kept = store.memory.store("a memory").result.id
        store.clock.forward(1)
        store.tell(event("after"))
        around = store.memory.observations.timeline(kept).result

        assert ([one.summary for one in around.before], [one.summary for one in around.after]) == (
            ["before"],
            ["after"],
        )
        assert around.here is None

    def test_scope_trust_and_archive_filters_apply_to_search_timeline_and_get(self, store: Store) -> None:
        store.tell(
            event("walrus here"), event("walrus hidden", trust="quarantined"), event("walrus away", scope="project/a")
        )
        here = store.id_of("walrus")
        away = store.id_of("walrus", scope="project/a")

        assert [hit.summary for hit in store.memory.observations.search("walrus").result.hits] == ["walrus here"]
        around = store.memory.observations.timeline(here).result
        assert around.before + around.after == ()
        with pytest.raises(NotFound):
            store.memory.observations.timeline(away)
        with pytest.raises(NotFound):
            store.memory.get(away)
        assert isinstance(store.memory.get(away, scope="project/a").result, Observed)

    def test_archived_observations_are_found_on_request(self, store: Store) -> None:
        store.tell(event("old walrus"))
        store.clock.forward(31)
        store.memory.lifecycle.run()

        assert store.memory.observations.search("walrus").result.hits == ()
        assert len(store.memory.observations.search("walrus", archived=True).result.hits) == 1

    @pytest.mark.parametrize(("query", "limit"), [("", 5), ("   ", 5), ("x", 0), ("x", 10**6)])
    def test_an_invalid_search_is_rejected(self, store: Store, query: str, limit: int) -> None:
        with pytest.raises(InvalidRequest):
            store.memory.observations.search(query, limit=limit)

    def test_an_invalid_window_is_rejected(self, store: Store) -> None:
        with pytest.raises(InvalidRequest):
            store.memory.observations.timeline("obs:1", window=0)

    def test_an_observation_has_no_memory(self, store: Store) -> None:
        store.tell(event("walrus"))
        with pytest.raises(AttributeError):
            _ = observed(store, store.id_of("walrus")).memory

    def test_reading_changes_no_content_no_digest_and_no_index(self, store: Store) -> None:
        store.tell(*(event(f"walrus {number} prefers tea") for number in range(5)))
        store.memory.store("a memory")
        id = store.id_of("walrus")
        ledger = store.memory.parts.ledger
        tables = (
            *("memories", "observations", "events", "observation_events"),
            *("selections", "grades", "log_lines", "sequence", "spool_cursors"),
        )

        def state() -> object:
            with ledger.database.reading() as db:  # type: ignore[attr-defined]
                rows = {table: list(db.execute(f"SELECT * FROM {table} ORDER BY 1")) for table in tables}
            return rows, [(one.check, one.status, one.message) for one in ledger.check_up()]

        before = state()
        store.memory.observations.search("walrus")
        store.memory.observations.timeline(id)
        store.memory.get(id)
        store.memory.observations.observations_show()
        store.memory.lifecycle.status()
        store.memory.lifecycle.drift()

        assert state() == before
