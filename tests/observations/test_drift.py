"""Drift: counts by day, and the SVG."""

from xml.etree import ElementTree

from satchel.domain.record import Label
from satchel.observations.drift import by_day, draw_svg, unknown_share
from satchel.ports import DayCount

COUNTS = [
    DayCount(20_000, "captured", Label.UNKNOWN, 3),
    DayCount(20_000, "stored", Label.MUST_REMEMBER, 1),
    DayCount(20_001, "archived", Label.IGNORE, 2),
]


def test_every_day_has_an_entry_even_without_activity() -> None:
    days = by_day(COUNTS, 20_002, 4)

    assert [day.date for day in days] == ["2024-10-03", "2024-10-04", "2024-10-05", "2024-10-06"]
    assert [(day.captured, day.stored, day.archived) for day in days] == [(0, 0, 0), (3, 1, 0), (0, 0, 2), (0, 0, 0)]
    assert days[1].labels == {"must_remember": 1, "unknown": 3}
    assert [day.unknown_share for day in days] == [None, 0.75, None, None]


def test_the_ungraded_share_of_no_records_is_none() -> None:
    assert unknown_share({}) is None
    assert unknown_share({"ignore": 2}) == 0.0


def test_the_svg_has_a_bar_for_each_label_of_each_day() -> None:
    drawn = ElementTree.fromstring(draw_svg(by_day(COUNTS, 20_002, 4), "Labels <b> & more"))

    assert drawn.tag == "{http://www.w3.org/2000/svg}svg"
    titles = [one.text for one in drawn.iter("{http://www.w3.org/2000/svg}title")]
    assert titles == ["Labels <b> & more", "2024-10-04: 1 must_remember", "2024-10-04: 3 unknown"]


def test_an_empty_svg_can_be_drawn() -> None:
    assert ElementTree.fromstring(draw_svg(by_day([], 5, 30), "empty")) is not None
    assert draw_svg(by_day([], 5, 30), "empty") == draw_svg(by_day([], 5, 30), "empty")
