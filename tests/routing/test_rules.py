"""Classification of queries by their wording."""

import pytest

from satchel.domain.routing import RouteStage
from satchel.errors import InvalidRequest
from satchel.routing.classify import asks_for_decision, classify, may_ask_for_decision
from satchel.routing.overrides import TIERS, Rulebook, parse_rulebook
from satchel.routing.rule_table import RuleTable
from satchel.routing.rules import STANDARD
from tests.routing.queries import EXAMPLES, GUARDED, OURS
from tests.tables import each_case


@each_case("tier", ["starter", "pro"])
@each_case(("query", "rule", "starter", "pro"), EXAMPLES)
def test_the_specified_examples_are_routed_as_specified(
    query: str, rule: str, starter: str, pro: str, tier: str
) -> None:
    route = classify(query)
    usable = [str(step) for step in route.chain if step.backend in TIERS[tier]]

    assert route.rule == rule
    assert " ".join(usable) == (starter if tier == "starter" else pro)


@each_case(("query", "rule"), OURS)
def test_our_queries_are_routed_as_expected(query: str, rule: str) -> None:
    assert classify(query).rule == rule


@each_case(("query", "rule"), GUARDED)
def test_lookalikes_are_not_signals(query: str, rule: str) -> None:
    assert classify(query).rule == rule


def test_the_set_has_over_a_hundred_queries_in_two_languages() -> None:
    chinese = [query for query, _ in OURS if any("\u4e00" <= letter <= "\u9fff" for letter in query)]

    assert len({query for query, _ in OURS}) == len(OURS) >= 100
    assert len(chinese) >= 30


def test_a_route_names_its_signals_and_stage() -> None:
    assert classify("find the function parseAuthToken").signals == (
        "find…function/class/method",
        "identifier:parseAuthToken",
    )
    assert classify("parseAuthToken").stage is RouteStage.IDENTIFIER
    assert classify("that thing").stage is RouteStage.WEAK
    assert (classify("auth").stage, classify("auth").signals) == (RouteStage.DEFAULT, ())


def test_phrases_ignore_case_and_typographic_apostrophes() -> None:
    assert classify("WHAT’S THE RELATIONSHIP BETWEEN a AND b").rule == "relationship"
    assert classify("What’s the outbox for").rule == "concept"


def test_a_gap_stays_within_its_sentence() -> None:
    assert classify("how does it? Fine. We work").rule == "default"
    assert classify("how does " + "very " * 30 + "work").rule == "default"


def test_strict_first_match_restores_the_literal_order() -> None:
    strict = RuleTable(STANDARD.rules, strict_first_match=True)

    assert classify("what's the relationship between OrderController and PaymentService", strict).number == 1
    assert classify("what did we decide about auth", strict).number == 3


def test_any_text_is_classified() -> None:
    for query in ("", " ", "\x00", "\ud800", "/" * 5_000, "find " * 5_000, "*" * 9_999, "a" * 10_000_000, "::()", "_"):
        assert classify(query).rule


def test_a_hint_names_a_rule() -> None:
    route = classify("auth", hint="relationship")

    assert (route.rule, route.stage, route.signals) == ("relationship", RouteStage.HINT, ("hint:relationship",))


def test_a_hint_puts_a_backend_first() -> None:
    route = classify("auth", hint="totalrecall")

    assert (route.rule, [str(step) for step in route.chain]) == ("default", ["totalrecall", "qmd:query"])


@each_case("hint", ["nonsense", "qmd:nonsense", "cognee:search", ""])
def test_an_unknown_hint_is_rejected(hint: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        classify("auth", hint=hint)

    assert caught.value.code == "unknown_word"


def test_a_file_changes_rules_by_id_and_keeps_the_others() -> None:
    said = {
        "rules": [
            {
                "id": "relationship",
                "chain": ["cognee", "qmd:query"],
                "add_signals": [{"name": "wired", "pattern": r"\bwired to\b", "unless": "hard-wired to"}],
            }
        ],
        "names": ["AcmeCloud"],
        "threshold": 0.5,
        "timeout_ms": 100,
    }
    book = parse_rulebook(said, Rulebook())

    assert [str(step) for step in classify("what is wired to it", book.table).chain] == ["cognee", "qmd:query"]
    assert classify("what is hard-wired to it", book.table).rule == "default"
    assert classify("what depends on it", book.table).rule == "relationship"
    assert classify("AcmeCloud", book.table).rule == "default"
    assert (book.threshold, book.timeout_ms, book.limit) == (0.5, 100, 20)


@each_case(
    "said",
    [
        [],
        "text",
        {"rulez": []},
        {"rules": {}},
        {"rules": [{"id": "nonsense"}]},
        {"rules": [{"id": "recent", "chain": []}]},
        {"rules": [{"id": "recent", "chain": ["nonsense"]}]},
        {"rules": [{"id": "recent", "signals": [{"pattern": "("}]}]},
        {"rules": [{"id": "recent", "signals": [{"pattern": "x*"}]}]},
        {"rules": [{"id": "recent", "signals": [{"name": 1, "pattern": "x"}]}]},
        {"names": [1]},
        {"threshold": "high"},
        {"threshold": 2},
        {"threshold": float("nan")},
        {"timeout_ms": True},
        {"timeout_ms": 0},
        {"strategy": "nonsense"},
        {"strict_first_match": 1},
        {"tiers": {"starter": ["nonsense"]}},
    ],
)
def test_an_invalid_file_is_rejected_with_the_reason(said: object) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_rulebook(said, Rulebook())

    assert caught.value.code in ("invalid_router_config", "unknown_word")


@each_case(
    "query, rule, backends",
    [
        ("why is the map red", "decision_recall", ["lossless", "qmd", "totalrecall"]),
        ("what made us leave the old host", "decision_recall", ["lossless", "qmd", "totalrecall"]),
        ("为什么地图是红的", "decision_recall", ["lossless", "qmd", "totalrecall"]),
        ("explain why the map is red", "concept", ["qmd", "qmd", "totalrecall"]),
        ("why is UserService slow", "exact_symbol", ["qmd", "totalrecall"]),
    ],
    ids=str,
)
def test_why_alone_is_a_weak_signal_of_a_decision(query: str, rule: str, backends: list[str]) -> None:
    route = classify(query)

    assert (route.rule, [one.backend for one in route.chain]) == (rule, backends)


@each_case(
    "query, asks, may_ask",
    [
        ("why did we choose gas", True, True),
        ("why is it gas", False, True),
        ("where is the oven", False, False),
    ],
    ids=str,
)
def test_a_question_why_may_ask_for_a_decision(query: str, asks: bool, may_ask: bool) -> None:
    assert (asks_for_decision(query), may_ask_for_decision(query)) == (asks, may_ask)
