"""What a backend is really asked, and how relevant a text is by its words."""

import pytest

from satchel.routing.decay import decay
from satchel.routing.prepare import entities, lexical, parts, prepared
from satchel.routing.text_relevance import relevance

DAY = 86_400_000


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("find the function parseAuthToken", "parseAuthToken"),
        ("find all usages of UserService", "UserService"),
        ("search in src/models/*.ts", "src/models/*.ts"),
        ("how does error handling work in the API layer", "error handling in the API layer"),
        ("what did we decide about the database schema in the morning session", "the database schema"),
        ("what's the relationship between OrderController and PaymentService", "OrderController and PaymentService"),
        ("that thing with the tokens", "the tokens"),
        ("订单和支付服务是什么关系", "订单和支付服务"),
        ("auth", "auth"),
        ("why did we", "why did we"),
    ],
)
def test_words_that_only_say_where_a_question_belongs_are_left_out(query: str, text: str) -> None:
    assert prepared(query).text == text


@pytest.mark.parametrize("query", ["what was the last thing we changed", "what did we just discuss", "最近改了什么"])
def test_a_question_may_ask_for_nothing_but_what_is_new(query: str) -> None:
    assert prepared(query).terms == ()


def test_what_is_spelled_out_is_kept_as_it_is_written() -> None:
    query = prepared('find the function parseAuthToken in src/auth/ with "no such key"')

    assert query.exact == ("parseAuthToken", "src/auth/", "no such key")
    assert lexical(query).startswith("parseAuthToken src/auth/ no such key parse auth token")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("parseAuthToken", ("parse", "auth", "token")),
        ("HTTPServer", ("http", "server")),
        ("MAX_RETRIES", ("max", "retries")),
        ("auth", ()),
    ],
)
def test_an_identifier_has_parts(name: str, expected: tuple[str, ...]) -> None:
    assert parts(name) == expected


def test_entities_are_what_has_a_name() -> None:
    assert entities(prepared("how does OrderController relate to the Payment Service")) == (
        "OrderController",
        "Payment Service",
    )


QUERY = prepared("find the function parseAuthToken")


def test_an_exact_name_is_nearly_certain_and_part_of_a_longer_one_is_not() -> None:
    assert relevance(QUERY, "it calls parseAuthToken(header)") >= 0.8
    assert relevance(QUERY, "it calls parseAuthTokenFromCookie(header)") < 0.8
    assert relevance(QUERY, "see parseAuthToken。") >= 0.8


def test_both_names_count_for_more_than_one() -> None:
    both = prepared("relationship between OrderController and PaymentService")

    assert relevance(both, "OrderController calls PaymentService") > relevance(both, "OrderController is old") > 0.4


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("src/models/user.ts", True),
        ("src/models/a/b.ts", False),
        ("lib/models/user.ts", False),
        ("src/models/user.py", False),
    ],
)
def test_a_glob_holds_what_it_covers(text: str, holds: bool) -> None:
    assert (relevance(prepared("search in src/models/*.ts"), text) > 0.9) is holds


def test_two_stars_cover_folders() -> None:
    assert relevance(prepared("everything in src/**/user.ts"), "src/a/b/user.ts") > 0.9


def test_nonsense_and_one_common_word_are_below_what_is_good_enough() -> None:
    query = prepared("how does the payment service retry when the bank is down")

    assert relevance(query, "The weather is fine") == 0.0
    assert 0 < relevance(query, "The bank is closed on Sundays") < 0.4
    assert relevance(query, "The payment service retries three times when the bank is down") > 0.6


def test_a_value_does_not_depend_on_case_or_endings() -> None:
    assert relevance(prepared("payment retries"), "PAYMENTS are RETRIED") == relevance(
        prepared("payment retries"), "payment retries"
    )


@pytest.mark.parametrize(
    ("days", "expected"), [(0, 1.0), (3, 0.871), (7, 0.699), (14, 0.398), (19, 0.2), (400, 0.2), (-5, 1.0)]
)
def test_what_was_remembered_fades(days: int, expected: float) -> None:
    assert decay(days * DAY) == pytest.approx(expected, abs=0.001)
