"""A question and its messages are one sequence of tokens that always fits."""

from satchel.adapters.reader.layout import MAX_MESSAGES, MAX_QUESTION_TOKENS, MAX_TOKENS, lay_out, longest_part, shorten
from tests.tables import each_case

BEGIN, END = 1, 2


def test_the_question_comes_first_and_every_message_ends_with_a_separator() -> None:
    found = lay_out([10, 11], [[20], [30, 31]], BEGIN, END)

    assert found.ids == [BEGIN, 10, 11, END, 20, END, 30, 31, END]
    assert [found.ids[start:stop] for start, stop in found.spans] == [[20, END], [30, 31, END]]


def test_without_a_question_the_messages_follow_the_beginning() -> None:
    assert lay_out([], [[20]], BEGIN, END).ids == [BEGIN, END, 20, END]


@each_case(
    "lengths",
    [[10_000], [0] * MAX_MESSAGES, [1_000] * MAX_MESSAGES, [3, 900, 5, 900], [500] + [1] * (MAX_MESSAGES - 1)],
    ids=str,
)
def test_any_discussion_fits_and_no_message_is_left_out(lengths: list[int]) -> None:
    found = lay_out([7] * 1_000, [[9] * length for length in lengths], BEGIN, END)

    assert len(found.ids) <= MAX_TOKENS
    assert len(found.spans) == len(lengths)
    assert found.ids.count(7) == MAX_QUESTION_TOKENS
    assert all(stop - start >= min(length, 1) + 1 for (start, stop), length in zip(found.spans, lengths, strict=True))


@each_case(
    ("lengths", "room", "expected"),
    [([1, 2, 3], 100, 3), ([1, 2, 30], 13, 10), ([9, 9, 9], 9, 3), ([], 5, 0), ([50, 1, 1], 12, 10)],
    ids=str,
)
def test_only_long_messages_are_shortened(lengths: list[int], room: int, expected: int) -> None:
    assert longest_part(lengths, room) == expected


def test_the_beginning_and_the_end_of_a_long_message_are_read() -> None:
    assert shorten(list(range(30)), 6) == [0, 1, 2, 3, 28, 29]
    assert shorten([1, 2], 6) == [1, 2]
    assert list(shorten([1, 2], 0)) == []
