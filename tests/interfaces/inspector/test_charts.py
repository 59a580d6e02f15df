"""The numbers that charts are drawn from."""

from satchel.interfaces.inspector.charts import PICTURE_HEIGHT, PICTURE_WIDTH, bars, column_chart


def test_bars_are_relative_to_the_longest_and_leave_out_nothing_else() -> None:
    drawn = bars({"a": 1, "b": 4, "none": 0}, "/memories?kind=")

    assert [(one.name, one.width, one.href) for one in drawn] == [
        ("b", 100, "/memories?kind=b"),
        ("a", 25, "/memories?kind=a"),
    ]
    assert bars({}) == ()
    assert bars({"a&b=c/d": 1}, "/?scope=")[0].href == "/?scope=a%26b%3Dc/d"


def test_columns_fill_the_picture_and_their_parts_are_stacked() -> None:
    chart = column_chart([("mon", {"a": 1, "b": 3}), ("tue", {})], ["a", "b", "c"])

    first, second = chart.columns
    assert (first.x, second.x + second.width <= PICTURE_WIDTH) == (0, True)
    assert [(part.name, part.y, part.height) for part in first.parts] == [
        ("a", PICTURE_HEIGHT * 0.75, PICTURE_HEIGHT * 0.25),
        ("b", 0, PICTURE_HEIGHT * 0.75),
    ]
    assert (second.parts, chart.highest, chart.names) == ((), 4, ("a", "b"))


def test_a_chart_of_nothing_is_empty() -> None:
    assert column_chart([], ["a"]).columns == ()
