"""The observational log: compression and pruning."""

from itertools import count
from typing import Any

from satchel.domain.observation import Observation, observation_id
from satchel.domain.record import Label
from satchel.observations.observational_log import MAX_LINE_CHARS, observe, reflect
from satchel.ports import StoredLogLine

numbers = count()
AT = 1_794_729_600_000


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

    assert line.text == f"2026-11-15 08:00 NOTICE bash: never deploy on Fridays [{one.id}]"
    assert (line.level, line.covers, line.scope) == ("NOTICE", (one.id,), "global")


def test_unimportant_observations_are_counted_in_one_line() -> None:
    ones = [seen(f"read {number}", Label.IGNORE) for number in range(5)]
    lines = observe([*ones, seen("chose tabs", Label.NICE_TO_HAVE), seen("read 6", Label.IGNORE)])

    assert [line.level for line in lines] == ["DEBUG", "INFO"]
    assert "6 times" in lines[0].text and lines[0].covers[:5] == tuple(one.id for one in ones)


def test_a_repeated_event_gets_one_line_with_its_count_and_range() -> None:
    build, other = "the build failed", "the tests passed in 9 seconds"
    ones = [
        seen(build, Label.NICE_TO_HAVE, at=AT),
        seen(other, Label.NICE_TO_HAVE, at=AT + 60_000),
        seen("The  build failed", Label.NICE_TO_HAVE, at=AT + 120_000),
        seen("the tests passed in 8 seconds", Label.NICE_TO_HAVE, at=AT + 180_000),
        seen(build, Label.NICE_TO_HAVE, at=AT + 3_600_000),
        seen(build, Label.MUST_REMEMBER, at=AT + 3_600_000),
    ]

    assert [line.text.rpartition(" [")[0] for line in observe(ones)] == [
        "2026-11-15 08:00 INFO   bash: the build failed · 3 times until 2026-11-15 09:00",
        "2026-11-15 08:01 INFO   bash: the tests passed in 9 seconds",
        "2026-11-15 08:03 INFO   bash: the tests passed in 8 seconds",
        "2026-11-15 09:00 NOTICE bash: the build failed",
    ]


def test_what_was_logged_before_stays_as_it_is() -> None:
    ones = [seen(f"event number {number % 3}", Label.NICE_TO_HAVE, at=AT + number) for number in range(30)]
    first, second = observe(ones[:20]), observe(ones[20:])

    assert (len(first), len(second)) == (3, 3)
    assert observe(ones[:20]) == first


def test_every_observation_is_covered_once_and_lines_have_a_maximum_length() -> None:
    labels = [*Label] * 20
    ones = [seen("word " * 60, label, tool_name="tool" * (number % 9 + 1)) for number, label in enumerate(labels)]
    lines = observe(ones)

    assert sorted(id for line in lines for id in line.covers) == sorted(one.id for one in ones)
    assert all(len(line.text) <= MAX_LINE_CHARS and "\n" not in line.text for line in lines)
    assert lines == observe(ones)


def test_an_ungraded_observation_is_logged_at_info() -> None:
    assert observe([seen("x", Label.UNKNOWN)])[0].level == "INFO"


def kept(*levels: str) -> list[StoredLogLine]:
    return [StoredLogLine(number, number, level, "x" * 9) for number, level in enumerate(levels, 1)]


def test_the_lowest_level_and_oldest_line_is_pruned_first() -> None:
    lines = kept("INFO", "DEBUG", "NOTICE", "DEBUG", "INFO")

    assert reflect(lines, 50) == []
    assert reflect(lines, 40) == [2]
    assert reflect(lines, 30) == [2, 4]
    assert reflect(lines, 20) == [2, 4, 1]


def test_notice_lines_are_never_pruned() -> None:
    assert reflect(kept("NOTICE", "NOTICE"), 1) == []
