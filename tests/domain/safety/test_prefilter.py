"""Which rules are tried on a text."""

import tracemalloc

import pytest

from satchel.domain.safety import prefilter
from satchel.domain.safety.prefilter import candidate_rules
from satchel.domain.safety.secrets import RULES
from tests.tables import each_case

LONG_RUN = "a1" * 40


def kinds(text: str) -> set[str]:
    return {rule.kind for rule in candidate_rules(text)}


def test_a_text_without_a_keyword_has_no_rule() -> None:
    assert candidate_rules("Rain fell on hills") == ()


def test_every_keyword_makes_its_rule_a_candidate() -> None:
    missed = [
        (rule.kind, word)
        for rule in RULES
        for word in rule.keywords
        if rule not in candidate_rules(f"0 {LONG_RUN} 4471 {word} {word.lower() if rule.exact else word.upper()}")
    ]

    assert missed == []


@each_case("text", ["the ghp_x", "\\nghp_x", "%20ghp_x", "\x1b[31mghp_x", "\\u0020ghp_x"])
def test_a_key_begins_a_word_or_follows_an_escape(text: str) -> None:
    assert "github-token" in kinds(text)


def test_a_key_inside_a_word_is_none() -> None:
    assert "github-token" not in kinds("aghp_x")


def test_a_code_needs_digits_near_each_other() -> None:
    assert "access-code" in kinds("the door opens with 4471")
    assert "access-code" not in kinds("the door opens with a key, 2 of them")


def test_a_keyword_of_two_words_may_be_broken_over_lines() -> None:
    assert candidate_rules("log in as lea") == candidate_rules("log in\nas lea")


@each_case("block", [*range(1, 12)])
def test_a_keyword_is_found_wherever_a_long_text_is_divided(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = candidate_rules("a key: ghp_x")
    monkeypatch.setattr(prefilter, "_BLOCK", block)
    assert candidate_rules("a key: ghp_x") == whole != ()


def test_a_long_text_of_short_words_takes_little_memory() -> None:
    text = "ab " * 1_000_000
    tracemalloc.start()
    candidate_rules(text)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 5 * len(text)
