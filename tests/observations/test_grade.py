"""Grading: labels of the grading set, weights of signals, robustness."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.domain.observation import Grade, Grader
from satchel.domain.record import Label, label_for
from satchel.observations.grade import HEURISTIC, heuristic, try_grade
from tests.observations.graded import CHINESE, ENGLISH
from tests.tables import each_case

steady = settings(max_examples=200, deadline=None, derandomize=True)


@each_case(("text", "label"), [*ENGLISH, *CHINESE])
def test_a_text_gets_the_expected_label(text: str, label: str) -> None:
    assert heuristic(text).label == label


def test_the_set_covers_every_label_in_both_languages() -> None:
    assert len(ENGLISH) + len(CHINESE) >= 100
    for language in (ENGLISH, CHINESE):
        assert {label for _, label in language} == {"must_remember", "nice_to_have", "ignore"}


@each_case(
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
def test_each_signal_has_its_documented_weight(text: str, signals: tuple[str, ...], score: float) -> None:
    assert heuristic(text) == Grade(score, label_for(score), signals)


def test_a_decision_word_in_a_task_does_not_count_as_a_decision() -> None:
    assert heuristic("TODO: decide on a colour").signals == ("task +0.20",)


@each_case("text", ["ok, but never on Fridays", "working on the rule: never deploy", "meeting: we decided"])
def test_chat_progress_and_calendar_do_not_count_when_there_is_more_to_a_text(text: str) -> None:
    assert not {"chat", "progress", "calendar"} & {signal.split()[0] for signal in heuristic(text).signals}


def test_a_score_stays_between_zero_and_one() -> None:
    everything = "We decided: always run `git fetch` every day, see https://x.org/y; error because required. 决定"
    assert heuristic(everything).score == 1.0
    assert heuristic("[redacted:jwt]").score == 0.0


@each_case("word", ["规则", "規則", "必须", "必須", "决定", "決定", "待办", "待辦"])
def test_chinese_words_are_found_inside_a_sentence(word: str) -> None:
    assert heuristic(f"昨天他们说{word}就是这样的").signals


@each_case("marker", ["TODO", "todo", "ＴＯＤＯ", "Task", "REMINDER"])
@each_case("before", ["", "- ", "* ", "> ", "1. ", "2) ", "[ ] ", "- [ ] ", "「", "（", "【", "【 ", '"', "● "])
def test_a_task_marker_is_recognized_after_list_punctuation(marker: str, before: str) -> None:
    assert "task +0.20" in heuristic(f"{before}{marker}: sweep").signals


@steady
@given(st.text(max_size=300))
def test_any_text_gets_a_grade_equal_to_the_sum_of_its_signals(text: str) -> None:
    grade = heuristic(text)
    added = 0.30 + sum(float(signal.split()[1]) for signal in grade.signals)
    assert grade.score == pytest.approx(min(1.0, max(0.0, added)))
    assert grade.label is label_for(grade.score)
    assert grade == heuristic(text)


@each_case("piece", ["a ", "/a", "todo ", "every ", "1.", "- ", "ok ", "A_", "會", "set up ", "meeting "])
def test_long_adversarial_texts_are_graded(piece: str) -> None:
    assert heuristic(piece * 50_000).label in Label


def test_a_failing_grader_returns_no_grade() -> None:
    def broken(text: str) -> Grade:
        raise RuntimeError(text)

    assert try_grade(Grader("broken", 1, broken), "anything") is None
    assert try_grade(HEURISTIC, "never") is not None
