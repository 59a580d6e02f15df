"""The built-in golden set is large and varied enough, and hybrid recall is the best mode on it."""

import re
from collections import Counter
from pathlib import Path

from tests.tables import each_case

from satchel.config import load
from satchel.domain.text import normalize_text
from satchel.domain.words import question_terms, segment
from satchel.interfaces.evaluation.golden import Case, Sample
from satchel.interfaces.evaluation.run import built_in, run_evaluation

GOLDEN = built_in("global")
SAMPLES = {sample.key: sample for sample in GOLDEN.samples}
EXPECTED = {key for case in GOLDEN.cases for key in case.expect}
DISTRACTORS = [sample for sample in GOLDEN.samples if sample.key not in EXPECTED]
HAN = re.compile("[\u4e00-\u9fff]")


def test_it_is_large_enough_and_has_two_languages_and_three_scripts() -> None:
    languages = Counter(case.language for case in GOLDEN.cases)

    assert len(GOLDEN.cases) >= 80
    assert len(DISTRACTORS) >= 600
    assert set(languages) == {"en", "zh-Hans", "zh-Hant"}
    assert languages["zh-Hans"] + languages["zh-Hant"] >= 30
    assert min(languages.values()) >= 15


def test_it_has_several_scopes_and_some_without_cases() -> None:
    asked, held = {case.scope for case in GOLDEN.cases}, {sample.scope for sample in GOLDEN.samples}

    assert len(asked) >= 6
    assert asked < held
    assert sum(sample.scope in asked for sample in DISTRACTORS) >= len(DISTRACTORS) / 2


def test_it_has_every_family() -> None:
    families = Counter(case.family for case in GOLDEN.cases)

    assert set(families) == {
        *("paraphrase", "plain", "near_miss", "error_code", "path", "hash", "identifier", "quote"),
        *("two_scopes", "other_script", "other_language"),
    }
    assert min(families.values()) >= 3


def test_most_expected_memories_are_decisions_or_preferences() -> None:
    kinds = Counter(SAMPLES[key].kind for key in EXPECTED)

    assert kinds["decision"] + kinds["preference"] > len(EXPECTED) / 2


def test_every_case_expects_a_memory_of_the_scope_it_asks_in() -> None:
    assert all(SAMPLES[key].scope == case.scope for case in GOLDEN.cases for key in case.expect)


def test_no_text_and_no_question_is_repeated() -> None:
    texts = Counter(normalize_text(sample.text) for sample in GOLDEN.samples)
    asked = Counter((case.scope, normalize_text(case.query)) for case in GOLDEN.cases)

    assert [text for text, count in texts.items() if count > 1] == []
    assert [case for case, count in asked.items() if count > 1] == []


def test_the_language_of_a_case_is_right() -> None:
    chinese = {case.id for case in GOLDEN.cases if HAN.search(case.query)}
    without_words = {case.id for case in GOLDEN.cases if case.language != "en" and case.id not in chinese}

    assert all(case.language != "en" for case in GOLDEN.cases if case.id in chinese)
    # A path or an identifier is the same in every language.
    assert {case.family for case in GOLDEN.cases if case.id in without_words} <= {"path", "identifier"}


@each_case("case", [case for case in GOLDEN.cases if case.family == "paraphrase"], ids=lambda case: case.id)
def test_a_paraphrase_shares_no_search_term_with_its_answer(case: Case) -> None:
    terms = set(question_terms(case.query))

    assert not any(terms & set(segment(SAMPLES[key].text).split()) for key in case.expect)


def test_the_same_question_in_two_scopes_has_an_answer_in_each() -> None:
    asked = Counter(case.query for case in GOLDEN.cases if case.family == "two_scopes")

    assert sum(count > 1 for count in asked.values()) >= 3


def test_the_memories_are_not_made_from_templates() -> None:
    beginnings = Counter((sample.scope, _beginning(sample)) for sample in DISTRACTORS if not HAN.search(sample.text))

    assert max(beginnings.values()) <= 5


def _beginning(sample: Sample) -> str:
    return " ".join(sample.text.split()[:3])


def test_hybrid_ranks_better_than_either_lane_and_finds_nothing_of_another_scope(home: Path) -> None:
    evaluation = run_evaluation(load(home=str(home)), lambda done, total, what: None).result

    found = {one.mode: one.overall for one in evaluation.modes}
    assert list(found) == ["hybrid", "vector", "lexical"]
    hybrid, vector, lexical = (found[mode] for mode in found)
    assert hybrid is not None and vector is not None and lexical is not None
    assert hybrid.mrr > max(vector.mrr, lexical.mrr)
    assert hybrid.hit_at_5 > 0.92
    assert evaluation.holds is True
    assert {one.wrong_scope for one in (hybrid, vector, lexical)} == {0.0}
    # In a scope with many memories, recall by meaning always returns as many as asked for.
    assert hybrid.returned == vector.returned == hybrid.n * evaluation.limit
    assert not home.exists()
