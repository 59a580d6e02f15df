"""The telling lines of an output: what failed, the summary, and the end."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.observations.telling_lines import GAP, MAX_CHARS, MAX_LINE_CHARS, MAX_LINES, telling_lines
from tests.tables import each_case

DOTS = [f"tests/test_{number}.py .....  [{number}%]" for number in range(100)]


@each_case(
    ("output", "expected"),
    [
        (["12 passed"], ["12 passed"]),
        (["", "  ", "one", "", "two", ""], ["one", "two"]),
        (["10%\r50%\rdone"], ["done"]),
        (["built\r"], ["built"]),
        (
            [
                *(*DOTS, "E       assert 1 == 2", *DOTS[:9], "FAILED tests/test_a.py::test_x - assert 1 == 2"),
                *(*DOTS[:30], "=== 3 failed, 12 passed in 0.1s ===", "make: *** [test] Error 1"),
            ],
            [
                *(DOTS[0], GAP, "E       assert 1 == 2", GAP, "FAILED tests/test_a.py::test_x - assert 1 == 2", GAP),
                *(*DOTS[28:30], "=== 3 failed, 12 passed in 0.1s ===", "make: *** [test] Error 1"),
            ],
        ),
        (DOTS, [DOTS[0], GAP, *DOTS[-4:]]),
        (["error: disk full"] * 500, ["error: disk full"]),
        ([*DOTS, "0 errors, 0 warnings", *DOTS], [DOTS[0], GAP, "0 errors, 0 warnings", GAP, *DOTS[-4:]]),
    ],
)
def test_the_telling_lines_are_kept_in_their_order(output: list[str], expected: list[str]) -> None:
    assert telling_lines("\n".join(output)).split("\n") == expected


@settings(max_examples=60)
@given(st.lists(st.sampled_from([*DOTS[:5], "error: " + "x" * 900, "3 failed", "a" * 5_000, "\r", ""]), max_size=3_000))
def test_it_is_never_long(output: list[str]) -> None:
    kept = telling_lines("\n".join(output))
    lines = [line for line in kept.split("\n") if line != GAP]

    assert len(kept) <= 2 * MAX_CHARS
    assert len(lines) <= MAX_LINES
    assert max(map(len, lines), default=0) <= MAX_LINE_CHARS
