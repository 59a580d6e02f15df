"""Repeated events: what counts as the same, and how the values that differ are shown."""

from satchel.observations.repeated_events import exact_pattern, pattern_of
from tests.tables import each_case


def is_same(one: str, other: str) -> bool:
    return pattern_of(one).key == pattern_of(other).key


@each_case(
    ("one", "other"),
    [
        ("12 passed in 3.1s", "9 passed in 14.02s"),
        ("Build 7 failed", "build 8 failed"),
        ("heartbeat at 08:15:07", "heartbeat at 23:01:59"),
        ("copied on 2026-11-15T08:00:00Z", "copied on 2026-11-16T09:30:12Z"),
        ("commit 9f8e7d6c5b4a pushed", "commit 0a1b2c3d4e5f pushed"),
        ("job 3f2a1b00-1111-2222-3333-444455556666 done", "job 00aa1b00-1111-2222-3333-444455556677 done"),
        ("测试通过 12 项", "测试通过 3 项"),
        ("disk 91% full", "disk 8% full"),
    ],
)
def test_an_event_is_the_same_whatever_its_numbers_times_and_ids(one: str, other: str) -> None:
    assert is_same(one, other)


@each_case(
    ("one", "other"),
    [
        ("released 2.3.1", "released 2.3.2"),
        ("error E1101 in a.py", "error E1102 in a.py"),
        ("opened test_1.py", "opened test_2.py"),
        ("connected to 10.0.0.1", "connected to 10.0.0.2"),
        ("connected to db:5432", "connected to db:5433"),
        ("deadbeef is a word", "feedface is a word"),
        ("edited a.py", "edited b.py"),
        ("3 failed", "3 passed"),
    ],
)
def test_an_event_with_another_name_is_another_event(one: str, other: str) -> None:
    assert not is_same(one, other)


@each_case(
    ("summaries", "shown"),
    [
        (["retry 3 of 5"], "retry 3 of 5"),
        (["retry 3 of 5", "Retry 1 of 5"], "retry 1/3 of 5"),
        ([f"retry {n} of 5" for n in (4, 10, 2, 7, 2)], "retry 2–10 of 5"),
        (["took 0.5s", "took 12s", "took 3s", "took 1s", "took 30s"], "took 0.5–30s"),
        (["at 08:00:01", "at 08:00:01"], "at 08:00:01"),
        (["at 08:00:01", "at 09:00:01"], "at …"),
    ],
)
def test_values_that_differ_are_listed_or_shown_as_a_range(summaries: list[str], shown: str) -> None:
    pattern = pattern_of(summaries[0])
    for one in summaries[1:]:
        pattern = pattern.add(pattern_of(one))

    assert str(pattern) == shown


@each_case("summary", ["", "…", "a 1 b 2 c", "9" * 400, "1.5.", "-3", "\U0001f600 7", "٣ passed", "1e400 rows"])
def test_one_event_alone_is_shown_as_it_is(summary: str) -> None:
    assert str(pattern_of(summary)) == str(exact_pattern(summary)) == summary


def test_nothing_varies_in_an_exact_pattern() -> None:
    assert exact_pattern("keep 30 days").key != exact_pattern("keep 90 days").key
    assert exact_pattern("Keep it").key == exact_pattern("keep it").key
