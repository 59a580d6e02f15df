"""The observational log: compression and pruning."""

from itertools import count
from typing import Any

import pytest

from satchel.domain.observation import Observation, observation_id
from satchel.domain.record import Label
from satchel.errors import InvalidRequest
from satchel.observations.observational_log import MAX_LINE_CHARS, levels_from, observe, reflect
from satchel.ports import NewLogLine

numbers = count()
AT = 1_794_729_600_000
MINUTE = 60_000


def seen(summary: str, label: Label, **fields: Any) -> Observation:
    key = f"k{next(numbers)}"
    given: dict[str, Any] = {
        "scope": "global",
        "kind": "tool",
        "at": AT,
        "captured_at": 0,
        "tool_name": "bash",
    }
    return Observation(
        id=observation_id("global", key), key=key, summary=summary, text=summary, label=label, **given | fields
    )


def test_an_important_observation_gets_its_own_line_with_time_level_and_citation() -> None:
    one = seen("never deploy on Fridays", Label.MUST_REMEMBER)
    (line,) = observe([one])

    assert line.text == f"2026-11-15 08:00 NOTICE bash: never deploy on Fridays [{one.id[:16]}]"
    assert (line.level, line.covers, line.scope) == ("NOTICE", (one.id,), "global")


def test_every_observation_is_covered_once_and_lines_have_a_maximum_length() -> None:
    labels = [*Label] * 20
    ones = [seen("word " * 60, label, tool_name="tool" * (number % 9 + 1)) for number, label in enumerate(labels)]
    lines = observe(ones)

    assert sorted(id for line in lines for id in line.covers) == sorted(one.id for one in ones)
    assert all(len(line.text) <= MAX_LINE_CHARS and "\n" not in line.text for line in lines)
    assert lines == observe(ones)


def test_an_ungraded_observation_is_logged_at_info() -> None:
    assert observe([seen("x", Label.UNKNOWN)])[0].level == "INFO"


def test_the_routine_of_a_tool_is_counted_in_one_line() -> None:
    ones = [seen(f"read {number}", Label.IGNORE, at=AT + number * MINUTE) for number in range(5)]
    lines = observe([*ones, seen("chose tabs", Label.NICE_TO_HAVE), seen("wrote all", Label.IGNORE)])

    assert [line.text.rpartition(" [")[0] for line in lines] == [
        "2026-11-15 08:00–08:04 DEBUG  bash: read 0–4, 1 more kinds ×6",
        "2026-11-15 08:00 INFO   bash: chose tabs",
    ]
    assert lines[0].covers[:5] == tuple(one.id for one in ones)


def test_a_repeated_event_gets_one_line_with_its_count_and_ranges() -> None:
    ones = [
        seen("the build failed", Label.NICE_TO_HAVE),
        seen("9 tests passed in 31s", Label.NICE_TO_HAVE, at=AT + MINUTE),
        seen("The build failed", Label.NICE_TO_HAVE, at=AT + 2 * MINUTE),
        seen("8 tests passed in 28s", Label.NICE_TO_HAVE, at=AT + 3 * MINUTE),
        seen("the build failed", Label.NICE_TO_HAVE, at=AT + 24 * 60 * MINUTE),
        seen("the build failed", Label.NICE_TO_HAVE, tool_name="ci"),
    ]

    assert [line.text.rpartition(" [")[0] for line in observe(ones)] == [
        "2026-11-15 08:00–2026-11-16 08:00 INFO   bash: the build failed ×3",
        "2026-11-15 08:01–08:03 INFO   bash: 8/9 tests passed in 28/31s ×2",
        "2026-11-15 08:00 INFO   ci: the build failed",
    ]


def test_a_rule_with_another_number_is_another_rule() -> None:
    lines = observe([seen(f"keep logs for {days} days", Label.MUST_REMEMBER) for days in (30, 90, 30)])

    assert [len(line.covers) for line in lines] == [2, 1]


def lines_of(*levels: str) -> list[NewLogLine]:
    return [NewLogLine("global", number, level, "x" * 9, ()) for number, level in enumerate(levels, 1)]


def test_the_lowest_level_and_oldest_line_is_pruned_first() -> None:
    lines = lines_of("INFO", "DEBUG", "NOTICE", "DEBUG", "INFO")

    assert [[one.at for one in reflect(lines, chars)] for chars in (50, 40, 30, 20)] == [
        [1, 2, 3, 4, 5],
        [1, 3, 4, 5],
        [1, 3, 5],
        [3, 5],
    ]


def test_notice_lines_are_never_pruned() -> None:
    lines = lines_of("NOTICE", "NOTICE")

    assert reflect(lines, 1) == lines


def test_a_level_includes_those_above_it() -> None:
    assert [levels_from(level) for level in ("NOTICE", "INFO", "DEBUG")] == [
        ("NOTICE",),
        ("NOTICE", "INFO"),
        ("NOTICE", "INFO", "DEBUG"),
    ]
    with pytest.raises(InvalidRequest):
        levels_from("TRACE")
