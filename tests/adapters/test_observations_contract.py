"""The contract of every ledger for observations and the observational log."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.observation import Observation, ObservationId, observation_id
from satchel.domain.record import Label, State, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.spool import Cursor
from satchel.domain.view import View, admin_view
from satchel.domain.words import question_terms
from satchel.errors import SatchelError
from satchel.ports import Grading, NewLogLine, StateChange
from satchel.ports.damage import DamagedRecord, collect_into
from tests.adapters.samples import HOSTILE, NOW, SCOPES, memory, receipt, store, views
from tests.tables import each_case

ALL = admin_view(EVERYWHERE, NOW)
HERE = View(Reach(("global",)), NOW)
steady = settings(max_examples=60, deadline=None, derandomize=True)


@pytest.fixture(params=["file", "memory"])
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger(tmp_path / "ledger.sqlite3" if request.param == "file" else None)
    yield opened
    opened.close()


def observation(key: str, text: str = "something happened", **fields: Any) -> Observation:
    given: dict[str, Any] = {
        "scope": "global",
        "kind": "tool",
        "at": NOW,
        "captured_at": NOW,
        "summary": text[:200],
    } | fields
    return Observation(id=observation_id(given["scope"], key), key=key, text=text, **given)


def ingest(ledger: SqliteLedger, *observations: Observation) -> int:
    return len(ledger.observations.ingest(observations, [], receipt("in")))


def found(ledger: SqliteLedger, question: str, view: View = HERE) -> list[str]:
    fetched = ledger.observations.fetch(
        [id for id, _ in ledger.observations.match(question_terms(question), view, 50)], view
    )
    return sorted(one.key for one in fetched.values())


class TestIngest:
    def test_an_ingested_observation_is_read_back(self, ledger: SqliteLedger) -> None:
        whole_one = observation(
            "a", "text", detail='{"a":1}', tool_name="bash", tool_call_id="c", session="s", agent="g", synthetic=True,
            language="en", importance=0.5, label=Label.NICE_TO_HAVE, grader="x/1", signals=("policy +0.40",),
            state=State.CATEGORIZED, payload="sha256:" + "0" * 64, payload_bytes=9, source="f", offset=7,
        )  # fmt: skip
        ingest(ledger, whole_one)

        assert ledger.observations.fetch([whole_one.id], ALL) == {whole_one.id: whole_one}

    def test_the_same_event_is_ingested_once(self, ledger: SqliteLedger) -> None:
        first, second = observation("a", "as it was"), observation("a", "as somebody tells it later")

        assert ingest(ledger, first, second) == 1
        assert ingest(ledger, second) == 0
        assert ledger.observations.fetch([first.id], ALL)[first.id].text == "as it was"

    def test_the_same_key_in_another_scope_is_another_event(self, ledger: SqliteLedger) -> None:
        assert ingest(ledger, observation("a"), observation("a", scope="other")) == 2

    def test_rows_and_cursor_are_written_together(self, ledger: SqliteLedger) -> None:
        ledger.observations.ingest([observation("a")], [Cursor("f", 10, "h")], receipt("one"))
        broken = replace(observation("b"), importance="no number")
        with pytest.raises(SatchelError):
            ledger.observations.ingest([observation("c"), broken], [Cursor("f", 20, "h")], receipt("two"))

        assert ledger.observations.cursors() == {"f": Cursor("f", 10, "h")}
        assert found(ledger, "happened") == ["a"]

    def test_forgotten_observations_are_not_ingested_again(self, ledger: SqliteLedger) -> None:
        one = observation("a")
        ingest(ledger, one)
        ledger.observations.erase([one.id], EVERYWHERE, "tester", receipt("out"))

        assert ingest(ledger, one) == 0
        assert found(ledger, "happened") == []


class TestFinding:
    def test_summary_text_tool_and_detail_are_searched(self, ledger: SqliteLedger) -> None:
        ingest(
            ledger,
            observation("a", "the kettle boils", summary="tea time", tool_name="stove", detail='{"colour":"green"}'),
        )

        assert [found(ledger, word) for word in ("kettle", "tea", "stove", "green")] == [["a"]] * 4

    def test_chinese_words_of_two_characters_match(self, ledger: SqliteLedger) -> None:
        ingest(ledger, observation("a", "我们决定采用橡木地板"), observation("b", "今天天气很好"))

        assert (found(ledger, "地板"), found(ledger, "决定"), found(ledger, "天气")) == (["a"], ["a"], ["b"])

    def test_a_scope_with_one_match_is_not_crowded_out_by_another(self, ledger: SqliteLedger) -> None:
        ingest(
            ledger,
            observation("mine", "needle", scope="mine"),
            *(observation(f"o{n}", "needle needle") for n in range(60)),
        )

        view = View(Reach(("mine",)), NOW)
        assert len(ledger.observations.match(("needle",), view, 5)) == 1

    @each_case("question", HOSTILE)
    def test_a_query_is_never_fts_syntax(self, ledger: SqliteLedger, question: str) -> None:
        ingest(ledger, observation("a"))

        ledger.observations.match(question_terms(question), HERE, 5)

    @steady
    @given(
        st.lists(
            st.tuples(st.sampled_from(SCOPES), st.sampled_from(tuple(Trust)), st.sampled_from(tuple(State))),
            max_size=10,
        ),
        views(),
    )
    def test_every_read_returns_exactly_what_the_view_admits(
        self, population: list[tuple[str, Trust, State]], view: View
    ) -> None:
        ledger = SqliteLedger(None)
        all_of_them = [
            observation(f"k{number}", "needle", scope=scope, trust=trust, state=state, at=number)
            for number, (scope, trust, state) in enumerate(population)
        ]
        ingest(ledger, *all_of_them)
        expected = {
            one.id
            for one in all_of_them
            if view.reach.admits(one.scope) and one.trust in view.trusts and one.state in view.states
            if not view.labels or one.label in view.labels
        }

        assert {*ledger.observations.fetch([one.id for one in all_of_them], view)} == expected
        assert {id for id, _ in ledger.observations.match(("needle",), view, 50)} == expected
        before, after = ledger.observations.around(5, "", view, 50)
        assert {one.id for one in (*before, *after)} == expected
        lives = {life.id for life in ledger.usage.walk(replace(view, timeless=True, kinds=()))}
        assert lives == expected
        ledger.close()

    def test_neighbours_of_a_moment_are_in_order(self, ledger: SqliteLedger) -> None:
        ingest(ledger, *(observation(f"k{number}", at=number) for number in range(10)))
        here = observation("k5", at=5)
        before, after = ledger.observations.around(5, here.id, HERE, 2)

        assert ([one.key for one in before], [one.key for one in after]) == (["k3", "k4"], ["k6", "k7"])


class TestGrading:
    def grading(self, one: Observation, score: float = 0.9, version: int = 1) -> Grading:
        return Grading(one.id, score, Label.MUST_REMEMBER, "heuristic-v1", version, ("policy +0.40",))

    def test_only_observations_without_importance_are_ungraded(self, ledger: SqliteLedger) -> None:
        ingest(ledger, observation("a"), observation("given", importance=0.2, label=Label.IGNORE))

        due = ledger.observations.ungraded("heuristic-v1", 1, ALL, 10)
        assert [one.key for _, one in due] == ["a"]

    def test_a_grade_is_kept_with_its_scorer_and_the_record_categorized(self, ledger: SqliteLedger) -> None:
        one = observation("a")
        ingest(ledger, one)

        assert ledger.observations.grade([self.grading(one)], receipt("grade"), "tester") == 1
        graded = ledger.observations.fetch([one.id], ALL)[one.id]
        assert (graded.importance, graded.label, graded.grader) == (0.9, Label.MUST_REMEMBER, "heuristic-v1/1")
        assert (graded.signals, graded.state) == (("policy +0.40",), State.CATEGORIZED)
        assert graded.content_hash == one.content_hash
        assert [event.operation for event in ledger.observations.history(one.id)] == ["grade"]

    def test_a_given_importance_is_never_replaced(self, ledger: SqliteLedger) -> None:
        given_one = observation("a", importance=0.2, label=Label.IGNORE)
        ingest(ledger, given_one)

        assert ledger.observations.grade([self.grading(given_one)], receipt("grade"), "tester") == 0
        assert ledger.observations.fetch([given_one.id], ALL)[given_one.id].importance == 0.2

    def test_a_newer_version_grades_what_an_older_one_graded(self, ledger: SqliteLedger) -> None:
        one = observation("a")
        ingest(ledger, one)
        ledger.observations.grade([self.grading(one)], receipt("one"), "tester")

        assert ledger.observations.ungraded("heuristic-v1", 1, ALL, 10) == []
        assert len(ledger.observations.ungraded("heuristic-v1", 2, ALL, 10)) == 1
        assert ledger.observations.grade([self.grading(one, 0.4, 2)], receipt("two"), "tester") == 1


class TestStateChanges:
    def test_a_state_change_from_another_state_changes_nothing(self, ledger: SqliteLedger) -> None:
        one = observation("a", state=State.ACTIVE)
        ingest(ledger, one)
        move = StateChange(one.id, State.STALE, State.ARCHIVED, "archive", "old")

        assert ledger.observations.change_states([move], receipt("m"), "tester") == 0
        assert ledger.observations.fetch([one.id], ALL)[one.id].state is State.ACTIVE

    def test_a_state_change_keeps_content_and_full_text(self, ledger: SqliteLedger) -> None:
        one = observation("a", state=State.ACTIVE)
        ingest(ledger, one)
        ledger.observations.change_states(
            [StateChange(one.id, State.ACTIVE, State.STALE, "age", "old")], receipt("m"), "tester"
        )

        assert ledger.observations.fetch([one.id], ALL)[one.id] == replace(one, state=State.STALE)
        assert found(ledger, "happened") == ["a"]
        assert all(finding.status == "ok" for finding in ledger.check_up())


class TestUse:
    def test_selection_is_recorded_for_existing_records(self, ledger: SqliteLedger) -> None:
        one = observation("a")
        ingest(ledger, one)
        store(ledger, memory("m1"))
        ledger.usage.mark_selected([one.id, "m1", "nobody", one.id], 50)
        ledger.usage.mark_selected([one.id], 40)

        assert ledger.usage.last_used_at([one.id, "m1", "nobody"]) == {one.id: 50, "m1": 50}

    def test_use_changes_no_record(self, ledger: SqliteLedger) -> None:
        one = observation("a")
        ingest(ledger, one)
        before = ledger.observations.fetch([one.id], ALL)
        ledger.usage.mark_selected([one.id], 50)

        assert ledger.observations.fetch([one.id], ALL) == before
        assert all(finding.status == "ok" for finding in ledger.check_up())


class TestErasing:
    def test_an_erased_observation_leaves_nothing(self, ledger: SqliteLedger) -> None:
        one, other = observation("a", "xanthous kettle"), observation("b", "plain kettle")
        ingest(ledger, one, other)
        ledger.usage.mark_selected([one.id], 5)
        ledger.log.append([NewLogLine("global", 1, "INFO", "line of a", (one.id,))], receipt("log"))

        assert ledger.observations.erase([one.id], EVERYWHERE, "tester", receipt("out")) == 1
        assert found(ledger, "kettle") == ["b"]
        assert ledger.usage.last_used_at([one.id]) == {}
        assert ledger.log.lines("global") == []
        assert not ledger.observations.contains("xanthous", excluding=[])
        assert all(finding.status == "ok" for finding in ledger.check_up())
        assert ledger.memories.unscrubbed() == 1

    def test_an_observation_out_of_reach_stays(self, ledger: SqliteLedger) -> None:
        one = observation("a")
        ingest(ledger, one)

        assert ledger.observations.erase([one.id], Reach(("elsewhere",)), "tester", receipt("out")) == 0
        assert found(ledger, "happened") == ["a"]

    def test_observations_containing_a_text_are_found_in_their_scope_only(self, ledger: SqliteLedger) -> None:
        ingest(
            ledger,
            observation("a", 'say "hello" to all'),
            observation("b", "x", detail='{"t":"say \\"hello\\" to all"}'),
            observation("c", 'say "hello" to all', scope="other"),
            observation("d", "something else"),
        )

        assert sorted(one.key for one in ledger.observations.containing('say "hello"', "global")) == ["a", "b"]


class TestLog:
    def test_observations_without_a_line_are_pending(self, ledger: SqliteLedger) -> None:
        ones = [observation(f"k{number}", "x" * 10) for number in range(5)]
        ingest(ledger, *ones, observation("q", "hidden", trust=Trust.QUARANTINED))
        assert ledger.log.pending_size("global") == (5, 50)
        assert (ledger.log.scopes_over(50, 0), ledger.log.scopes_over(51, 0)) == (["global"], [])
        assert (ledger.log.scopes_over(30, 2), ledger.log.scopes_over(31, 2)) == (["global"], [])
        ledger.log.append([NewLogLine("global", 1, "INFO", "both", (ones[0].id, ones[1].id))], receipt("log"))

        assert [one.key for one in ledger.log.oldest("global", 2)] == ["k2", "k3"]
        assert [one.key for one in ledger.log.newest("global", 2)] == ["k3", "k4"]
        assert ledger.log.pending_size("other") == (0, 0)

    def test_a_replaced_log_covers_the_same_observations_and_a_pruned_line_leaves_them_covered(
        self, ledger: SqliteLedger
    ) -> None:
        ones = [observation(f"k{number}") for number in range(4)]
        ingest(ledger, *ones, observation("later"))
        ledger.log.append([NewLogLine("global", 1, "INFO", "one", (one.id,)) for one in ones], receipt("log"))
        assert [one.key for one in ledger.log.logged("global")] == ["k0", "k1", "k2", "k3"]
        numbers = [line.number for line in ledger.log.lines("global")]
        ledger.log.replace(numbers, [NewLogLine("global", 1, "INFO", "two", (ones[0].id, ones[3].id))], receipt("less"))

        assert [line.text for line in ledger.log.lines("global")] == ["two"]
        assert [one.key for one in ledger.log.logged("global")] == ["k0", "k3"]
        assert [one.key for one in ledger.log.oldest("global", 9)] == ["later"]

    def test_a_line_about_an_observation_forgotten_meanwhile_is_not_written(self, ledger: SqliteLedger) -> None:
        one, other = observation("a"), observation("b")
        ingest(ledger, one, other)
        ledger.log.append([NewLogLine("global", 1, "INFO", "line", (one.id, other.id))], receipt("log"))
        ledger.observations.erase([one.id], EVERYWHERE, "tester", receipt("out"))
        ledger.log.replace([], [NewLogLine("global", 1, "INFO", "again", (one.id, other.id))], receipt("less"))

        assert ledger.log.lines("global") == []


def test_a_damaged_text_or_full_text_is_found_by_the_doctor(tmp_path: Path) -> None:
    import apsw

    path = tmp_path / "ledger.sqlite3"
    ledger = SqliteLedger(path)
    ingest(ledger, observation("a"), observation("b"))
    ledger.close()
    connection = apsw.Connection(str(path))
    connection.execute("UPDATE observations SET text = 'something else' WHERE key = 'a'")
    connection.execute("DELETE FROM observations WHERE key = 'b'")
    connection.close()
    ledger = SqliteLedger(path)

    assert {finding.check for finding in ledger.check_up() if finding.status == "bad"} == {"memory texts", "full text"}
    ledger.check_up(fix=True)
    assert [finding.check for finding in ledger.check_up() if finding.status == "bad"] == ["memory texts"]
    ledger.close()


@each_case("stored", [b"something else", b"\xff"])
def test_a_damaged_observation_is_left_out_and_quarantined(stored: bytes) -> None:
    import apsw

    with TemporaryDirectory() as folder:
        path = Path(folder) / "ledger.sqlite3"
        ledger = SqliteLedger(path)
        one, other = observation("a"), observation("b")
        ingest(ledger, one, other)
        connection = apsw.Connection(str(path))
        connection.execute("UPDATE observations SET text = CAST(? AS TEXT) WHERE key = 'a'", (stored,))
        connection.close()
        reported: list[DamagedRecord] = []
        before = collect_into(reported)
        read = ledger.observations.fetch([one.id, other.id], ALL)
        collect_into(before)
        ledger.quarantine_damaged("me", lambda damaged: receipt(",".join(record.id for record in damaged)))
        mended = ledger.observations.fetch([one.id], ALL)[one.id]

        assert (list(read), [damaged.id for damaged in reported]) == ([other.id], [one.id])
        assert (mended.trust, mended.text) == (Trust.QUARANTINED, stored.decode("utf-8", "backslashreplace"))
        assert ledger.observations.history(one.id)[-1].operation == "quarantine"
        assert [finding.check for finding in ledger.check_up() if finding.status == "bad"] == []
        assert ledger.observations.erase([one.id], EVERYWHERE, "me", receipt("forget")) == 1
        ledger.close()


def test_an_id_does_not_reveal_its_key() -> None:
    assert observation_id("global", "secret-name") == ObservationId(observation_id("global", "secret-name"))
    assert "secret" not in observation_id("global", "secret-name")
