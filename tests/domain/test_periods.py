"""Time as people speak of it."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from satchel.domain.moment import iso
from satchel.domain.periods import MAX_PERIODS, date_in_words, mentions_time, periods
from tests.tables import each_case

# A Wednesday.
NOW = int(datetime(2023, 5, 17, 12, tzinfo=UTC).timestamp() * 1000)


def spans(text: str, now: int = NOW) -> list[tuple[str, str]]:
    return [(iso(one.since)[:10], iso(one.until)[:10]) for one in periods(text, now)]


@each_case(
    ("text", "since", "until"),
    [
        ("what did I do yesterday?", "2023-05-16", "2023-05-17"),
        ("the day before yesterday", "2023-05-15", "2023-05-16"),
        ("where were we last March", "2023-03-01", "2023-04-01"),
        ("where were we last June", "2022-06-01", "2022-07-01"),
        ("what happened last May", "2022-05-01", "2022-06-01"),
        ("on 8 May 2022", "2022-05-08", "2022-05-09"),
        ("May 8th, 2022", "2022-05-08", "2022-05-09"),
        ("on December 24", "2022-12-24", "2022-12-25"),
        ("2023-01-31, was it?", "2023-01-31", "2023-02-01"),
        ("in May 2021", "2021-05-01", "2021-06-01"),
        ("three weeks ago", "2023-04-23", "2023-04-30"),
        ("a couple of days ago", "2023-05-15", "2023-05-16"),
        ("two months ago", "2023-03-01", "2023-04-01"),
        ("three weeks before 8 May 2023", "2023-04-15", "2023-04-20"),
        ("two days after 2023-01-31", "2023-02-02", "2023-02-03"),
        ("over the past 10 days", "2023-05-07", "2023-05-18"),
        ("last week", "2023-05-08", "2023-05-15"),
        ("last weekend", "2023-05-13", "2023-05-15"),
        ("over the weekend", "2023-05-13", "2023-05-15"),
        ("上週末改了什麼", "2023-05-13", "2023-05-15"),
        ("last Friday", "2023-05-12", "2023-05-13"),
        ("last Wednesday", "2023-05-10", "2023-05-11"),
        ("in 2019", "2019-01-01", "2020-01-01"),
        ("我昨天说了什么", "2023-05-16", "2023-05-17"),
        ("上个月去了哪里", "2023-04-01", "2023-05-01"),
        ("去年", "2022-01-01", "2023-01-01"),
        ("三周前", "2023-04-23", "2023-04-30"),
        ("2022年5月8日", "2022-05-08", "2022-05-09"),
        ("5月8日", "2023-05-08", "2023-05-09"),
        ("what changed since Monday", "2023-05-15", "2023-05-18"),
        ("decisions since last week", "2023-05-08", "2023-05-18"),
        ("everything since 8 May", "2023-05-08", "2023-05-18"),
        ("what did we agree on after 2023-05-10?", "2023-05-10", "2023-05-18"),
        ("this morning's decision", "2023-05-17", "2023-05-18"),
        ("上週我們決定了什麼", "2023-05-08", "2023-05-15"),
        ("上週三的會議", "2023-05-10", "2023-05-11"),
        ("本周一定的方案", "2023-05-15", "2023-05-16"),
        ("兩週前", "2023-04-30", "2023-05-07"),
        ("今早說的", "2023-05-17", "2023-05-18"),
        ("上个月以来", "2023-04-01", "2023-05-18"),
    ],
)
def test_an_expression_becomes_the_days_it_means(text: str, since: str, until: str) -> None:
    assert spans(text) == [(since, until)]


@each_case(
    "text",
    ["may I march on?", "we may go", "99 years before the flood", "", "version 2023.1", "12:30"],
)
def test_what_only_looks_like_a_time_is_none(text: str) -> None:
    assert spans(text) == []


def test_several_are_told_apart_and_in_order() -> None:
    assert spans("between 5 April 2023 and last week") == [("2023-04-05", "2023-04-06"), ("2023-05-08", "2023-05-15")]
    assert len(periods("yesterday " * 50, NOW)) == MAX_PERIODS


@each_case("text", ["we met yesterday", "two weeks ago", "in 2019", "on Friday", "昨天", "三年前"])
def test_a_quick_look_sees_a_time(text: str) -> None:
    assert mentions_time(text)


@each_case("text", ["I like tea", "you may go", "march on"])
def test_a_quick_look_sees_no_time_where_there_is_none(text: str) -> None:
    assert not mentions_time(text)


def test_a_day_in_words() -> None:
    assert date_in_words(NOW) == "Wednesday 17 May 2023"


@given(st.text(max_size=300), st.integers(-(10**17), 10**17))
def test_no_text_and_no_moment_breaks_it(text: str, now: int) -> None:
    for one in periods(text, now):
        assert one.since < one.until
    date_in_words(now)


@each_case(
    "said",
    [
        "yesterday afternoon",
        "earlier today",
        "last Friday evening",
        "on Monday morning",
        "今天早上",
        "昨天晚上",
        "上星期三下午",
    ],
)
def test_the_part_of_a_day_belongs_to_the_words_that_name_it(said: str) -> None:
    assert [one.said for one in periods(f"{said} about Taipei", NOW)] == [said]
    assert mentions_time(said)
