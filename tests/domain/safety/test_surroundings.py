from satchel.domain.safety.surroundings import REACH, around, blocks, line_start

LINES = "\n".join(f"line {number:05}" for number in range(10_000))


def test_a_part_is_made_of_whole_lines() -> None:
    place = LINES.index("line 05000")
    [(start, end)] = around(LINES, [(place, place + 4)])
    assert LINES[start:].startswith("line ") and LINES[:start].endswith("\n")
    assert LINES[end] == "\n" and start <= place - REACH and end >= place + REACH


def test_parts_that_meet_are_one() -> None:
    places = [(LINES.index(f"line {number:05}"),) * 2 for number in (1_000, 1_050, 9_000)]
    first, second = around(LINES, places)
    assert first[0] < places[0][0] < places[1][0] < first[1] < second[0] < places[2][0] < second[1]


def test_the_ends_of_a_text_end_a_part() -> None:
    assert [start for start, _ in around(LINES, [(0, 3)])] == [0]
    assert [end for _, end in around(LINES, [(len(LINES) - 3, len(LINES))])] == [len(LINES)]


def test_most_of_a_text_is_all_of_it() -> None:
    assert around(LINES, [(place, place) for place in range(0, len(LINES), REACH)]) == [(0, len(LINES))]
    assert around("one line " * 1_000, [(10, 20)]) == [(0, 9_000)]


def test_nothing_surrounds_no_place() -> None:
    assert around(LINES, []) == []


def test_blocks_are_whole_lines_that_cover_a_text_once_and_see_the_lines_around() -> None:
    parts = list(blocks(LINES))

    assert "".join(LINES[part.first : part.last] for part in parts) == LINES
    assert len(parts) > 2
    assert all(LINES[part.last - 1] == "\n" for part in parts[:-1])
    assert all(part.start <= max(0, part.first - REACH) and part.end >= part.last for part in parts)
    assert all(part.end >= part.last + REACH for part in parts[:-2])


def test_a_short_text_is_one_block() -> None:
    assert list(blocks("one line\nand another")) == [(0, 20, 0, 20)]


def test_a_line_starts_after_its_break_and_no_farther_than_the_reach() -> None:
    assert line_start("one\ntwo three", 8, 100) == 4
    assert line_start("one two three", 8, 100) == 0
    assert line_start("one two three", 8, 3) == 5
    assert line_start("x" * 10_000, 9_000, 100) == 8_900
    assert line_start("", 0, 100) == 0
