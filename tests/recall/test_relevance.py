"""The calibrated relevance of hits and answers."""

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from satchel.adapters.embedders.onnx_encoder import OnnxEncoder
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.domain.embedding import BUNDLED_MODEL, MINILM_MODEL, cosine
from satchel.domain.policies import RecallPolicy
from satchel.domain.ranking import Contribution, Ranked
from satchel.domain.record import MemoryId
from satchel.domain.words import MAX_TERMS, question_terms
from satchel.recall import relevance
from satchel.recall.relevance import (
    CALIBRATIONS,
    MAX_WEIGHT,
    RelevanceSignals,
    answer_relevance,
    hit_relevance,
    likelihood,
    memory_labels,
    memory_words,
    relevance_from,
    term_weights,
)
from satchel.recall.request import parse_question
from satchel.recall.scope_answer import RelevanceScorer
from tests.recall.parts import keep, memory
from tests.tables import each_case

steady = settings(max_examples=120, deadline=None, derandomize=True)

RIGHT, UNRELATED = 0.4, 0.15
TEXTS = (
    "The hosting contract with Antwerp ends in October",
    "Orders are stored in PostgreSQL",
    "Prefers dark mode in every editor",
    "The daily standup is at 9:30 in the blue room",
    "Forgotten passwords are reset from the account settings page",
    "Anna spent her holidays in Portugal",
    "We deploy from main every Tuesday",
    "The office dog is called Rex",
    "会议改到周四下午三点",
)
QUESTIONS = ("hosting contract", "when is the standup", "which database", "会议几点", "dark theme", "who is Rex")

shares = st.floats(0, 1)
summed = st.floats(0, MAX_WEIGHT)
cosines = st.floats(-1, 1)
spaces = st.sampled_from(sorted(CALIBRATIONS))
signals = st.builds(RelevanceSignals, shares, summed, st.none() | cosines)


def judged(question: str, text: str, near: float | None = None, rare: dict[str, float] | None = None) -> float:
    terms = question_terms(question)
    return hit_relevance(terms, memory_words(memory("m", text)), near, BUNDLED_MODEL, rare or {})


# Hand-made examples


CLEAR = (
    ("Which database do we use for orders?", "Orders are stored in PostgreSQL"),
    ("What is the user's favourite breakfast?", "Mornings usually start with oatmeal and coffee"),
    ("Does the user prefer dark or light theme?", "Prefers dark mode in every editor"),
    ("Who owns the billing service?", "The payments team is responsible for the billing service"),
    ("How can I reset my password?", "Forgotten passwords are reset from the account settings page"),
    ("how do we handle customer refunds", "Money is returned to the client within five days of a complaint"),
    ("Is the user vegetarian?", "He does not eat meat"),
    ("Where did Anna go on vacation?", "Anna spent her holidays in Portugal"),
    ("when is the team standup meeting", "The daily standup is at 9:30 in the blue room"),
    ("ERR_4711", "The build failed with ERR_4711 on Tuesday"),
)


def test_clear_matches_are_relevant_but_for_one_in_ten(encoder: OnnxEncoder) -> None:
    found = [judged(*pair, cosine(*encoder.embed(list(pair)))) for pair in CLEAR]

    assert sum(one >= RIGHT for one in found) >= 0.9 * len(CLEAR)


@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("Which database do we use for orders?", "The office dog is called Rex"),
        ("Which database do we use for orders?", "Orders arrive at the pizza place every evening"),
        ("Who owns the billing service?", "Anna spent her holidays in Portugal"),
        ("What is the plan for the launch?", "It is the best of the lot and it was for the kids"),
        ("when is the team standup meeting", "The stand-up comedian was in town"),
        ("what time is the dentist appointment", "The build server has 64 GB of memory"),
        ("ERR_4711", "Prefers dark mode in every editor"),
        ("我们用什么数据库", "周末去爬山，天气很好"),
        ("ما هو لون المفضل", "الخادم يعاد تشغيله كل ليلة"),
    ],
)
def test_an_unrelated_record_is_not_relevant(encoder: OnnxEncoder, question: str, text: str) -> None:
    assert judged(question, text, cosine(*encoder.embed([question, text]))) < UNRELATED


@each_case(
    ("question", "text"),
    [
        ("ERR_4711", "The build failed with ERR_4711 on Tuesday"),
        ("deploying to production", "We deployed to production on Friday"),
        ("company policies", "The policy of the company is on the wiki"),
        ("zx81", "The ZX81 in the attic still works"),
        ("我们用什么数据库", "团队决定使用PostgreSQL数据库存储订单"),
        ("会议改到几点", "会议改到周四下午三点"),
        ("どの言語で返事", "返事は日本語で"),
        ("пароль базы данных", "Пароль базы данных хранится в сейфе"),
    ],
)
def test_words_alone_can_make_a_record_relevant(question: str, text: str) -> None:
    assert likelihood(judged(question, text), rated=False) >= RIGHT


@each_case(
    ("question", "text"),
    [
        ("ERR_4711", "Prefers dark mode in every editor"),
        ("What is the plan for the launch?", "It is the best of the lot and it was for the kids"),
        ("用户喜欢什么颜色", "会议改到周四下午三点"),
        ("пароль базы данных", "Сервер перезапускается ночью"),
    ],
)
def test_without_a_distinctive_shared_word_a_record_is_not_relevant(question: str, text: str) -> None:
    assert judged(question, text) < UNRELATED


def test_a_word_that_half_the_store_holds_weighs_little() -> None:
    question, text = "billing service owner", "Customer service was friendly"
    rare = term_weights({"billing": 3, "service": 5_000, "owner": 12}, records=10_000)

    assert judged(question, text, rare=rare) < UNRELATED
    assert judged(question, text, rare=rare) < judged(question, text, rare=term_weights({"service": 3}, records=10_000))


# Labels

PIPELINE = memory(
    "m", "Runs on every merge to main", title="github actions", keywords=("GHA", "CI pipeline", "releases")
)


def named(question: str, rare: dict[str, float] | None = None, near: float | None = 0.1) -> float:
    words, labels = memory_words(PIPELINE), memory_labels(PIPELINE)
    return hit_relevance(question_terms(question), words, near, BUNDLED_MODEL, rare or {}, labels)


@each_case(
    ("question", "label"),
    [
        ("GHA secrets config", "GHA"),
        ("where are the secrets of our CI pipeline kept?", "CI pipeline"),
        ("which github actions need a licence?", "github actions"),
        ("who approves the next release for customers?", "releases"),
    ],
)
def test_a_label_in_the_question_counts_as_if_it_was_asked_alone(question: str, label: str) -> None:
    for near in (None, 0.1):
        assert named(question, near=near) == named(label, near=near) >= RIGHT


@each_case("question", ["pipeline secrets config", "which actions need a licence?", "secrets config"])
def test_a_label_counts_only_if_the_question_has_all_its_words(question: str) -> None:
    assert named(question) < UNRELATED


def test_a_label_that_many_records_hold_says_little() -> None:
    assert named("GHA secrets config", term_weights({"gha": 400}, records=1_000)) < UNRELATED


@steady
@given(st.lists(st.sampled_from(("gha", "ci", "pipeline", "secrets", "main")), unique=True), st.none() | cosines)
def test_labels_never_lower_relevance(asked: list[str], near: float | None) -> None:
    words = memory_words(PIPELINE)
    without = hit_relevance(asked, words, near, BUNDLED_MODEL, {})
    assert hit_relevance(asked, words, near, BUNDLED_MODEL, {}, memory_labels(PIPELINE)) >= without


def test_an_empty_label_names_nothing() -> None:
    assert hit_relevance(("walrus",), frozenset({"tea"}), None, None, {}, [frozenset()]) < UNRELATED


# Calibration


def test_meaning_alone_is_never_certain() -> None:
    for space in CALIBRATIONS:
        assert RIGHT < relevance_from(RelevanceSignals(0, 0, 1.0), space) <= relevance.MAX_BY_MEANING


@each_case(
    ("question", "space", "cosine", "passes"),
    [
        ("walrus", BUNDLED_MODEL, 0.1, False),
        ("walrus", BUNDLED_MODEL, None, True),
        ("walrus", "openai:text-embedding-3-small", 0.1, True),
        ("用户喜欢什么颜色", "openai:text-embedding-3-small", 0.1, True),
        ("用户喜欢什么颜色", BUNDLED_MODEL, 0.1, False),
        ("用户喜欢什么颜色", MINILM_MODEL, 0.1, False),
        ("какой цвет", BUNDLED_MODEL, 0.1, False),
    ],
)
def test_the_default_minimum_leaves_out_what_neither_words_nor_a_known_model_support(
    question: str, space: str, cosine: float | None, passes: bool
) -> None:
    parts = () if cosine is None else (Contribution("vector", 1, cosine, 0.5),)
    scorer = RelevanceScorer(parse_question(question, "hybrid", 5), space, {})
    found = scorer.to_hit(Ranked(MemoryId("m"), parts), memory("m", "tea"))

    assert found.relevance < UNRELATED
    assert scorer.is_relevant(found, RecallPolicy().min_relevance) is passes
    assert not scorer.is_relevant(found, 0.1)


def test_a_cosine_of_another_space_is_ignored() -> None:
    terms, words = ("database",), frozenset({"database"})
    alone = hit_relevance(terms, words, None, None, {})

    for space in (None, "", "openai:text-embedding-3-small", "hashing-384", BUNDLED_MODEL + ":2"):
        assert hit_relevance(terms, words, 0.95, space, {}) == alone
    assert hit_relevance(terms, words, 0.95, BUNDLED_MODEL, {}) != alone


def test_the_local_models_are_calibrated() -> None:
    assert set(CALIBRATIONS) == {BUNDLED_MODEL, MINILM_MODEL}


def test_a_script_the_model_cannot_read_is_scored_by_words_only() -> None:
    assert judged("какой цвет", "совещание в четверг", 0.95) == judged("какой цвет", "совещание в четверг")
    assert judged("who is José", "a letter", 0.95) > judged("who is José", "a letter", 0.1)
    assert judged("用户喜欢什么颜色", "会议改到周四下午三点", 0.95) > judged(
        "用户喜欢什么颜色", "会议改到周四下午三点", 0.1
    )


# One scale for every mode


def test_a_cosine_never_lowers_what_words_say() -> None:
    steps = [part / 20 for part in range(21)]
    for space in CALIBRATIONS:
        for share in steps:
            for weight in (part * MAX_WEIGHT for part in steps):
                alone = relevance_from(RelevanceSignals(share, weight, None), space)
                assert all(
                    alone <= relevance_from(RelevanceSignals(share, weight, 2 * part - 1), space) for part in steps
                )


def test_a_memory_is_as_relevant_in_a_hybrid_search_as_by_words_or_more(encoder: OnnxEncoder, memory: Satchel) -> None:
    store = Satchel(replace(memory.parts, embedder=lambda wanted: encoder))
    for text in TEXTS:
        store.store(text)
    store.maintenance.index_build()
    compared = 0
    for asked in (*TEXTS, *QUESTIONS):
        by_words = {hit.memory.id: hit.relevance for hit in store.recall(asked, mode="lexical", limit=20).result.hits}
        by_both = {hit.memory.id: hit.relevance for hit in store.recall(asked, mode="hybrid", limit=20).result.hits}
        known = by_words.keys() & by_both.keys()
        assert all(by_words[id] <= by_both[id] for id in known)
        compared += len(known)
    assert compared > len(TEXTS)


@each_case("question", ["hosting contract", "the contract of our hosting", "ERR_4711", "合同到期"])
def test_a_record_with_every_telling_word_is_a_good_match(question: str) -> None:
    text = "The hosting contract ends in October, ERR_4711, 合同到期"
    rare = dict.fromkeys(question_terms(question), 0.35)
    assert judged(question, text, None, rare) >= relevance.GOOD
    assert judged(question, text, -0.2, rare) >= relevance.GOOD


def test_a_record_with_every_word_of_a_question_without_telling_ones_is_not() -> None:
    assert judged("new things", "new things are new", None, {"new": 0.05, "things": 0.05}) < UNRELATED


def test_words_alone_make_a_hit_likelier_than_they_can_show() -> None:
    values = [part / 100 for part in range(1, 100)]
    assert all(likelihood(value, rated=True) == value <= likelihood(value, rated=False) < 1 for value in values)
    assert [likelihood(value, rated=False) for value in values] == sorted(
        likelihood(value, rated=False) for value in values
    )
    assert likelihood(0.0, rated=False) == 0.0


# Properties of every value


@steady
@given(signals, spaces)
def test_relevance_lies_strictly_between_0_and_1_with_few_digits(found: RelevanceSignals, space: str) -> None:
    value = relevance_from(found, space)
    assert 0 < value < 1
    assert value == round(value, relevance.DIGITS) == relevance_from(found, space)


@steady
@given(shares, summed, cosines, st.tuples(shares, summed, cosines), spaces)
def test_relevance_never_falls_as_a_signal_rises(
    share: float, weight: float, near: float, other: tuple[float, float, float], space: str
) -> None:
    low = (min(share, other[0]), min(weight, other[1]), min(near, other[2]))
    high = (max(share, other[0]), max(weight, other[1]), max(near, other[2]))

    assert relevance_from(RelevanceSignals(*low), space) <= relevance_from(RelevanceSignals(*high), space)
    words_low, words_high = RelevanceSignals(*low[:2], None), RelevanceSignals(*high[:2], None)
    assert relevance_from(words_low, space) <= relevance_from(words_high, space)


@each_case(
    "lower, higher",
    [
        (RelevanceSignals(0.2, 1.5, None), RelevanceSignals(0.6, 1.5, None)),
        (RelevanceSignals(0.4, 0.8, None), RelevanceSignals(0.4, 1.6, None)),
        (RelevanceSignals(0.2, 1.5, 0.4), RelevanceSignals(0.6, 1.5, 0.4)),
        (RelevanceSignals(0.4, 1.0, 0.4), RelevanceSignals(0.4, 1.9, 0.4)),
        (RelevanceSignals(0.4, 1.0, 0.4), RelevanceSignals(0.4, 1.0, 0.6)),
    ],
)
def test_every_signal_changes_relevance(lower: RelevanceSignals, higher: RelevanceSignals) -> None:
    for space in CALIBRATIONS:
        assert relevance_from(lower, space) < relevance_from(higher, space)


@steady
@given(st.lists(st.text(max_size=12), max_size=MAX_TERMS, unique=True), st.text(max_size=300), st.data())
def test_one_more_shared_word_never_lowers_relevance(asked: list[str], text: str, data: st.DataObject) -> None:
    words = memory_words(memory("m", text or "x"))
    rare = {term: data.draw(st.floats(0, 1), label=term) for term in asked}
    near = data.draw(st.none() | cosines)
    added = words | set(asked[:1])

    assert hit_relevance(asked, words, near, BUNDLED_MODEL, rare) <= hit_relevance(
        asked, added, near, BUNDLED_MODEL, rare
    )


@steady
@given(st.dictionaries(st.text(max_size=5), st.integers(0, 10**9), max_size=5), st.integers(0, 10**9))
def test_term_weights_lie_within_one_and_fall_with_frequency(holding: dict[str, int], records: int) -> None:
    found = term_weights(holding, records)

    assert all(0 < weight <= 1 for weight in found.values())
    ordered = [found[term] for term in sorted(holding, key=lambda term: holding[term])]
    assert ordered == sorted(ordered, reverse=True)


def test_an_unknown_word_has_full_weight() -> None:
    assert term_weights({"walrus": 0}, records=5) == {"walrus": 1.0}


def test_words_of_a_small_store_do_not_count_as_common() -> None:
    assert (
        term_weights({"walrus": 3}, records=3)["walrus"]
        > 0.5
        > term_weights({"walrus": 10_000}, records=10_000)["walrus"]
    )


# Hostile input


@each_case(
    "text",
    [
        "\0",
        "\ud800".encode("utf-16", "surrogatepass").decode("utf-16", "replace"),
        "'; DROP",
        "🦭" * 5_000,
        "x" * 200_000,
        "a " * 100_000,
        "数" * 100_000,
    ],
)
def test_any_text_gets_a_relevance(text: str) -> None:
    assert 0 < judged(text, text, 1.0) < 1
    assert 0 < judged("walrus", text) < UNRELATED


def test_a_question_without_terms_is_scored_by_its_cosine_only() -> None:
    assert hit_relevance((), frozenset({"word"}), None, None, {}) == hit_relevance(
        ("walrus",), frozenset(), None, None, {}
    )


def test_terms_without_weight_make_nothing_relevant() -> None:
    assert hit_relevance(("the",), frozenset({"the"}), None, None, {"the": 0.0}) < UNRELATED


def test_only_the_beginning_of_a_long_record_is_read() -> None:
    far, near = "x " * relevance.MAX_CHARS + "walrus", "walrus " + "x " * relevance.MAX_CHARS

    assert judged("walrus", far) < UNRELATED < RIGHT <= judged("walrus", near)


def test_title_tags_and_keywords_count_for_relevance() -> None:
    assert memory_words(memory("m", "text", title="Title", tags=("tag",), keywords=("key word",))) == {
        "title",
        "tag",
        "key",
        "word",
        "text",
    }


def test_very_long_labels_do_not_hide_the_text() -> None:
    assert "walrus" in memory_words(memory("m", "walrus", keywords=("y" * 100_000,)))


# Answers


def test_an_answer_is_as_relevant_as_its_best_hit() -> None:
    assert answer_relevance([0.2, 0.7, 0.1]) == 0.7
    assert answer_relevance([]) == 0.0


# With a real store


def test_term_weights_come_from_the_frequencies_of_the_store(ledger: SqliteLedger) -> None:
    keep(ledger, *[memory(f"m{number}", f"walrus {number}") for number in range(30)], memory("rare", "a narwhal"))
    counted = ledger.memories.frequencies(["walrus", "narwhal", "unicorn"])
    found = term_weights(counted.holding, counted.records)

    assert found["walrus"] < found["narwhal"] < found["unicorn"] == 1.0
    assert math.isclose(found["walrus"], (1 - math.log(31) / math.log(1_032)) ** 2)
