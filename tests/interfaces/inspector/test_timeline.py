"""The picture of facts over time."""

import pytest

from satchel.domain.facts import AssertionRef, Confidence, FactObject, FactStatus, ObjectType, Subject
from satchel.domain.moment import FIRST_MOMENT, LAST_MOMENT, iso, parse_moment
from satchel.domain.record import Trust
from satchel.facts.values import FactRecord
from satchel.interfaces.inspector.timeline import LABEL_WIDTH, MAX_ROWS, WIDTH, timeline

NOW = parse_moment("2026-11-16", "now")


def fact(id: str, begin: int, end: int | None, predicate: str = "status") -> FactRecord:
    return FactRecord(
        id=id,
        subject=Subject("payments", "payments"),
        predicate=predicate,
        object=FactObject(ObjectType.LITERAL, id),
        valid_from=iso(begin),
        valid_to=None if end is None else iso(end),
        status=FactStatus.ACTIVE,
        stored_status=FactStatus.ACTIVE,
        confidence_tier=Confidence.LOW,
        source_refs=(),
        assertion_ref=AssertionRef("explicit", "test"),
        supersedes=(),
        superseded_by=(),
        created_at=iso(begin),
        asserted_by="test",
        scope="global",
        trust=Trust.TRUSTED,
    )


def test_bars_are_grouped_by_predicate_and_end_where_facts_do() -> None:
    day = 86_400_000
    drawn = timeline(
        [fact("b", NOW - 10 * day, None), fact("a", NOW - 30 * day, NOW - 10 * day), fact("c", NOW, None, "owns")], NOW
    )

    assert [(one.fact.id, one.first_of_predicate, one.ended) for one in drawn.bars] == [
        ("c", True, False),
        ("a", True, True),
        ("b", False, False),
    ]
    c, a, b = drawn.bars
    assert c.x == drawn.now_x
    assert a.x + a.width == pytest.approx(b.x)
    assert b.x + b.width == pytest.approx(WIDTH)


@pytest.mark.parametrize(("begin", "end"), [(FIRST_MOMENT, LAST_MOMENT), (FIRST_MOMENT, None), (NOW, NOW), (NOW, None)])
def test_any_interval_is_drawn_within_the_picture(begin: int, end: int | None) -> None:
    drawn = timeline([fact("a", begin, end)], NOW)

    (bar,) = drawn.bars
    assert bar.width > 0
    assert all(
        LABEL_WIDTH <= one <= WIDTH for one in (bar.x, bar.x + bar.width, drawn.now_x, *(t.x for t in drawn.ticks))
    )


def test_the_picture_is_bounded() -> None:
    assert len(timeline([fact(str(number), NOW, None) for number in range(500)], NOW).bars) == MAX_ROWS
    assert timeline([], NOW).bars == ()
