"""Codes of vectors: their order, their files, and what erasing leaves."""

import random
from pathlib import Path

import numpy as np
import pytest

from satchel.adapters.lance import codes
from satchel.adapters.lance.codes import CodedRow, Codes
from satchel.adapters.sql.vector_codes import encode
from satchel.domain.embedding import Vector
from satchel.domain.record import Label, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View
from tests.adapters.samples import NOW, memory, unit

DIMENSIONS = 40
ANYWHERE = View(EVERYWHERE, NOW)


@pytest.fixture
def dataset(tmp_path: Path) -> Path:
    codes.create(tmp_path)
    return tmp_path


def vector(seed: int) -> Vector:
    chance = random.Random(seed)
    return unit(*(chance.gauss(0, 1) for _ in range(DIMENSIONS)))


def written(dataset: Path, *rows: CodedRow) -> Codes:
    codes.write(dataset, rows, DIMENSIONS)
    return Codes(dataset, DIMENSIONS)


def differing(one: Vector, other: Vector) -> int:
    first, second = encode(np.array([one, other], np.float32))
    return int(np.bitwise_count(first ^ second).sum())


def test_the_farther_two_vectors_are_the_more_bits_differ() -> None:
    for seed in range(20):
        one, other = vector(seed), vector(seed + 100)
        between = [
            unit(*((1 - share) * a + share * b for a, b in zip(one, other, strict=True))) for share in (0.2, 0.5, 0.8)
        ]
        distances = [differing(one, next_one) for next_one in (one, *between, other)]
        assert distances == sorted(distances)
        assert distances[0] == 0 < distances[-1]


def test_a_number_that_is_nearly_zero_is_between_the_signs() -> None:
    up, none, down = (unit(*(number if place else 1 for place in range(DIMENSIONS))) for number in (1.0, 0.0, -1.0))
    assert differing(up, none) == differing(none, down) == DIMENSIONS - 1
    assert differing(up, down) == 2 * (DIMENSIONS - 1)


def test_only_rows_with_a_vector_that_the_view_admits_are_candidates(dataset: Path) -> None:
    found = written(
        dataset,
        CodedRow(1, memory("a"), vector(1)),
        CodedRow(2, memory("bare"), None),
        CodedRow(5, memory("b", scope="other"), vector(2)),
        CodedRow(6, memory("c", trust=Trust.QUARANTINED), vector(3)),
        CodedRow(8, memory("d", valid_to=NOW), vector(4)),
        CodedRow(9, memory("e", valid_from=NOW, valid_to=NOW + 1), vector(5)),
    )
    assert (found.rows, found.count()) == (10, 5)
    assert found.nearest(vector(1), ANYWHERE, 5) == [1, 5, 9]
    assert found.nearest(vector(1), View(Reach(("other", "global")), NOW), 5) == [1, 5, 9]
    assert found.nearest(vector(1), View(Reach(("other",)), NOW), 5) == [5]
    assert found.nearest(vector(1), View(Reach(("nowhere",)), NOW), 5) == []


def test_a_view_of_media_admits_records_with_that_kind_or_several(dataset: Path) -> None:
    found = written(
        dataset,
        CodedRow(1, memory("a"), vector(1)),
        CodedRow(2, memory("b", media_refs=("file:///a.png",)), vector(2)),
        CodedRow(3, memory("c", media_refs=("file:///a.mp3",), label=Label.IGNORE), vector(3)),
        CodedRow(4, memory("d", media_refs=("file:///a.mp3", "file:///a.png")), vector(4)),
    )
    kinds = {one: found.nearest(vector(1), View(EVERYWHERE, NOW, media=one), 5) for one in ("image", "audio", "any")}
    assert kinds == {"image": [2, 4], "audio": [3, 4], "any": [2, 3, 4]}
    ignored = View(EVERYWHERE, NOW, labels=(Label.IGNORE,))
    assert found.nearest(vector(1), ignored, 5) == [3]
    assert found.nearest(vector(1), View(EVERYWHERE, NOW, labels=(Label.IGNORE,), media="image"), 5) == []


def test_of_many_rows_the_closest_are_candidates_and_ties_go_to_the_first(dataset: Path) -> None:
    rows = [CodedRow(row, memory(f"m{row}"), vector(row % 2)) for row in range(1, 4_001)]
    found = written(dataset, *rows).nearest(vector(1), ANYWHERE, 1)
    wanted = len(found)
    assert wanted < 2_000
    assert found == [row for row in range(1, 4_001) if row % 2][:wanted]


def test_an_erased_row_is_all_zeros_on_disk(dataset: Path) -> None:
    written(dataset, *(CodedRow(row, memory(f"m{row}", valid_to=NOW + 5), vector(row)) for row in (1, 2)))
    codes.erase(dataset, [2, 700], DIMENSIONS)
    left = Codes(dataset, DIMENSIONS)
    assert (left.rows, left.count()) == (3, 1)
    for path in (dataset / codes.FOLDER).iterdir():
        content = path.read_bytes()
        size = len(content) // 3
        assert any(content[size : 2 * size])
        assert not any(content[2 * size :])


def test_codes_that_are_open_notice_new_rows_and_another_file(dataset: Path) -> None:
    opened = written(dataset, CodedRow(1, memory("a"), vector(1)))
    assert opened.is_current()
    written(dataset, CodedRow(2, memory("b"), vector(2)))
    assert not opened.is_current()
    # What was mapped before stays readable.
    assert opened.nearest(vector(1), ANYWHERE, 5) == [1]


def test_a_writer_that_was_killed_while_the_files_grew_left_them_usable(dataset: Path) -> None:
    written(dataset, CodedRow(1, memory("a"), vector(1)))
    code = dataset / codes.FOLDER / "code"
    with code.open("r+b") as file:
        file.truncate(10 * code.stat().st_size)
    assert Codes(dataset, DIMENSIONS).nearest(vector(1), ANYWHERE, 5) == [1]
    assert written(dataset, CodedRow(3, memory("b"), vector(2))).nearest(vector(1), ANYWHERE, 5) == [1, 3]


@pytest.mark.parametrize("name", ["code", "validity", "standing"])
def test_a_file_that_is_too_short_is_an_error(dataset: Path, name: str) -> None:
    written(dataset, CodedRow(1, memory("a"), vector(1)), CodedRow(2, memory("b"), vector(2)))
    path = dataset / codes.FOLDER / name
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size // 2)
    with pytest.raises(ValueError, match="incomplete"):
        Codes(dataset, DIMENSIONS)
