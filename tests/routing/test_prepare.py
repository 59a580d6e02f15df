"""Query preparation and text relevance."""

import pytest

from satchel.routing.prepare import entities, lexical, named_things, parts, prepare_query, proper_names
from satchel.routing.text_relevance import MAX_UNNAMED, decay, max_relevance, relevance
from tests.tables import each_case

DAY = 86_400_000


@each_case(
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
        ("what did we settle about the deposit", "the deposit"),
        ("說了什麼關於台北的事", "台北"),
        ("聊了什麼", "聊了什麼"),
        ("部署了什麼", "部署"),
        ("我們部署了什麼", "部署"),
        ("自我检查部署了什么", "自我检查部署"),
        ("auth", "auth"),
        ("why did we", "why did we"),
        ("what have we decided so far about the deposit", "the deposit"),
        ("the most recent decision about the deposit", "the deposit"),
    ],
)
def test_routing_phrases_are_removed(query: str, text: str) -> None:
    assert prepare_query(query).text == text


@each_case(
    "query",
    [
        "what was the last thing we changed",
        "what did we just discuss",
        "what have we decided so far",
        "latest decision",
        "what was the most recent decision",
        "最近改了什么",
        "剛才我們討論了什麼",
        "刚才我们讨论了什么",
        "大家讨论了什么",
        "我說了什麼",
        "what's new",
        "what’s changed",
        "recent changes",
    ],
)
def test_a_query_may_have_no_content_words(query: str) -> None:
    assert prepare_query(query).terms == ()


def test_exact_texts_are_kept_verbatim() -> None:
    query = prepare_query('find the function parseAuthToken in src/auth/ with "no such key"')

    assert query.exact == ("parseAuthToken", "src/auth/", "no such key")
    assert lexical(query).startswith("parseAuthToken src/auth/ no such key parse auth token")


@each_case(
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


def test_entities_are_names() -> None:
    assert entities(prepare_query("how does OrderController relate to the Payment Service")) == (
        "OrderController",
        "Payment Service",
    )


@each_case(
    ("query", "names"),
    [
        ("path between AuthMiddleware and zebra", ("AuthMiddleware", "zebra")),
        ("connection between the alerts and an incident?", ("alerts", "incident")),
        ("trace the request from the gateway to Ledger", ("Ledger", "gateway")),
        ("is there a connection between us and them", ()),
        ("how does the auth middleware relate to the session store", ()),
    ],
)
def test_the_ends_of_a_path_are_named_things(query: str, names: tuple[str, ...]) -> None:
    assert named_things(query) == names


QUERY = prepare_query("find the function parseAuthToken")


def test_an_exact_name_scores_high_but_not_inside_a_longer_word() -> None:
    assert relevance(QUERY, "it calls parseAuthToken(header)") >= 0.8
    assert relevance(QUERY, "it calls parseAuthTokenFromCookie(header)") < 0.8
    assert relevance(QUERY, "see parseAuthToken。") >= 0.8


@each_case(
    ("query", "named", "other"),
    [
        ("src/mail.py", "tidepool/mail.py: sends mail", "tidepool/notify.py: sends mails to skippers"),
        ("where is deploy/prod.yml", "run deploy/prod.yml with Ansible", "the playbook is deploy/site.yml"),
        ("search in src/models/*.ts", "models/order.ts: an order", "models/order.py: the models in src"),
        ("what is in src/auth/", "src/auth/token.py: reads it", "src/author.py: reads it"),
        ("open /app/src/Mail.py:12", "tidepool/mail.py: sends mail", "the mail is written in Python"),
        (
            "where is BookingService.refund",
            "class BookingService: def refund(self)",
            "class BookingService: def reserve",
        ),
        ("where is Booking::pay_back", "booking.rs: fn pay_back()", "booking.rs: fn pay()"),
    ],
)
def test_a_text_without_the_named_file_or_method_is_limited(query: str, named: str, other: str) -> None:
    assert max_relevance(prepare_query(query), named) == 1.0
    assert max_relevance(prepare_query(query), other) == MAX_UNNAMED


@each_case(
    ("query", "expected"),
    [
        ("where is BookingService.refund defined", ("BookingService.refund",)),
        ("who reads Store::open and parseToken", ("Store::open", "parseToken")),
        ("see notify.MAX_ATTEMPTS.", ("notify.MAX_ATTEMPTS",)),
        ("is os.path slow, e.g. on Node.js or berth-stage.tidepool.no", ()),
        ("src/UserService.ts", ()),
    ],
)
def test_a_qualified_name_is_one_identifier(query: str, expected: tuple[str, ...]) -> None:
    assert prepare_query(query).identifiers == expected


def test_both_names_count_for_more_than_one() -> None:
    both = prepare_query("relationship between OrderController and PaymentService")

    assert relevance(both, "OrderController calls PaymentService") > relevance(both, "OrderController is old") > 0.4


@each_case(
    ("text", "holds"),
    [
        ("src/models/user.ts", True),
        ("src/models/a/b.ts", False),
        ("lib/models/user.ts", False),
        ("src/models/user.py", False),
    ],
)
def test_a_glob_matches_what_it_covers(text: str, holds: bool) -> None:
    assert (relevance(prepare_query("search in src/models/*.ts"), text) > 0.9) is holds


def test_two_stars_match_across_folders() -> None:
    assert relevance(prepare_query("everything in src/**/user.ts"), "src/a/b/user.ts") > 0.9


def test_nonsense_and_one_common_word_stay_below_the_threshold() -> None:
    query = prepare_query("how does the payment service retry when the bank is down")

    assert relevance(query, "The weather is fine") == 0.0
    assert 0 < relevance(query, "The bank is closed on Sundays") < 0.4
    assert relevance(query, "The payment service retries three times when the bank is down") > 0.6


def test_relevance_ignores_case_and_endings() -> None:
    assert relevance(prepare_query("payment retries"), "PAYMENTS are RETRIED") == relevance(
        prepare_query("payment retries"), "payment retries"
    )


@each_case(("days", "expected"), [(0, 1.0), (3, 0.871), (7, 0.699), (14, 0.398), (19, 0.2), (400, 0.2), (-5, 1.0)])
def test_relevance_decays_with_age(days: int, expected: float) -> None:
    assert decay(days * DAY) == pytest.approx(expected, abs=0.001)


@each_case(
    "query, names",
    [
        ("why did we move the office to Utrecht", ("Utrecht",)),
        ("how does single sign-on with SAML work", ("SAML",)),
        ("what did we decide on Friday in March", ()),
        ("Where is the key", ()),
        ("find UserService for Amsel", ("Amsel",)),
        ("how is that? Nobody knows", ()),
        ('who said "Ask Teodor"', ()),
        ("WHY DID WE MOVE TO UTRECHT", ()),
        ("How Does The Forecast Work", ()),
        ("read README.md and ADR/12", ()),
        ("為什麼要換成 LED", ()),
    ],
    ids=str,
)
def test_proper_names_are_capitalized_words_and_acronyms(query: str, names: tuple[str, ...]) -> None:
    assert proper_names(query) == names
