"""Grading: the set agrees, every grade explains itself, and nothing a text says can break it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.grading import Grade, Grader
from satchel.domain.record import Label, label_for
from satchel.observations.grade import HEURISTIC, attempted, heuristic
from tests.observations.graded import CHINESE, ENGLISH

steady = settings(max_examples=200, deadline=None, derandomize=True)


@pytest.mark.parametrize(("text", "label"), [*ENGLISH, *CHINESE])
def test_a_text_gets_the_label_a_person_would_give_it(text: str, label: str) -> None:
    assert heuristic(text).label == label


def test_the_set_is_large_enough_and_holds_every_label_in_both_languages() -> None:
    assert len(ENGLISH) + len(CHINESE) >= 100
    for language in (ENGLISH, CHINESE):
        assert {label for _, label in language} == {"must_remember", "nice_to_have", "ignore"}


@pytest.mark.parametrize(
    ("text", "signals", "score"),
    [
        ("nothing to see", (), 0.30),
        ("tabs should be spaces", ("policy +0.40",), 0.70),
        ("we chose tabs", ("decision +0.30",), 0.60),
        ("it is at https://example.org/x", ("identifier +0.20",), 0.50),
        ("backups run every night", ("runbook +0.20",), 0.50),
        ("an error occurred", ("error +0.15",), 0.45),
        ("an error occurred because of rust", ("error +0.15", "cause +0.10"), 0.55),
        ("TODO: mow", ("task +0.20",), 0.50),
        ("TODO: mow by Friday", ("task +0.20", "deadline +0.10"), 0.60),
        ("thanks", ("chat -0.25",), 0.05),
        ("running it", ("progress -0.20",), 0.10),
        ("lunch on Tuesday", ("calendar -0.15",), 0.15),
        ("it was [redacted:jwt]", ("secret -0.40",), 0.0),
    ],
)
def test_each_signal_is_worth_what_the_table_says(text: str, signals: tuple[str, ...], score: float) -> None:
    assert heuristic(text) == Grade(score, label_for(score), signals)


def test_a_decision_word_in_a_task_is_part_of_the_task() -> None:
    assert heuristic("TODO: decide on a colour").signals == ("task +0.20",)


@pytest.mark.parametrize(
    "text", ["ok, but never on Fridays", "working on the rule: never deploy", "meeting: we decided"]
)
def test_what_says_more_than_chat_progress_or_a_date_is_not_marked_down(text: str) -> None:
    assert not {"chat", "progress", "calendar"} & {signal.split()[0] for signal in heuristic(text).signals}


def test_a_score_stays_between_nought_and_one() -> None:
    everything = "We decided: always run `git fetch` every day, see https://x.org/y; error because required. 决定"
    assert heuristic(everything).score == 1.0
    assert heuristic("[redacted:jwt]").score == 0.0


@pytest.mark.parametrize("word", ["规则", "規則", "必须", "必須", "决定", "決定", "待办", "待辦"])
def test_chinese_words_are_found_inside_a_sentence(word: str) -> None:
    assert heuristic(f"昨天他们说{word}就是这样的").signals


@pytest.mark.parametrize("marker", ["TODO", "todo", "ＴＯＤＯ", "Task", "REMINDER"])
@pytest.mark.parametrize(
    "before", ["", "- ", "* ", "> ", "1. ", "2) ", "[ ] ", "- [ ] ", "「", "（", "【", "【 ", '"', "● "]
)
def test_a_task_is_known_behind_whatever_lists_it(marker: str, before: str) -> None:
    assert "task +0.20" in heuristic(f"{before}{marker}: sweep").signals


@steady
@given(st.text(max_size=300))
def test_any_text_gets_a_grade_that_adds_up(text: str) -> None:
    grade = heuristic(text)
    added = 0.30 + sum(float(signal.split()[1]) for signal in grade.signals)
    assert grade.score == pytest.approx(min(1.0, max(0.0, added)))
    assert grade.label is label_for(grade.score)
    assert grade == heuristic(text)


@pytest.mark.parametrize("piece", ["a ", "/a", "todo ", "every ", "1.", "- ", "ok ", "A_", "會", "set up ", "meeting "])
def test_a_long_text_made_to_annoy_is_graded_all_the_same(piece: str) -> None:
    assert heuristic(piece * 50_000).label in Label


def test_a_grader_that_breaks_is_nobody_elses_affair() -> None:
    def broken(text: str) -> Grade:
        raise RuntimeError(text)

    assert attempted(Grader("broken", 1, broken), "anything") is None
    assert attempted(HEURISTIC, "never") is not None
