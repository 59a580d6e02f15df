"""Vectors that leave a store with an export and come into another with an import."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.embedding import Space
from satchel.domain.record import MemoryId
from satchel.errors import InvalidRequest
from tests.tables import each_case

SPACE = Space("hashing-256", 256)
TEXTS = ("We ship on Thursdays", "The kettle is new", "喜欢简短的回答")


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Satchel]:
    """Another store with the same embedder."""
    with Satchel.open(settings=load(home=str(tmp_path / "other"), embedding={"provider": "hashing"})) as store:
        yield store


@pytest.fixture
def file(memory: Satchel, tmp_path: Path) -> Path:
    """The export of a store whose memories are embedded."""
    for text in TEXTS:
        memory.store(text)
    memory.maintenance.index_build()
    path = tmp_path / "memories.jsonl"
    memory.transfer.export(str(path), redact=False, vectors=True)
    return path


def rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def write(path: Path, *given: dict[str, Any]) -> Path:
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in given), encoding="utf-8")
    return path


def vectors(store: Satchel, path: Path) -> dict[str, list[float]]:
    ids = [MemoryId(row["id"]) for row in rows(path)]
    return {id: list(one) for id, one in store.parts.ledger.vectors.get(SPACE, ids).items()}


def warnings_of(answer: Any) -> list[str]:
    return [one for one in answer.receipt.warnings if one.startswith("vectors_left_out: ")]


def stated(**given: Any) -> dict[str, Any]:
    return {"id": "one", "text": "We ship on Thursdays", "vector": {"space": SPACE.name, **given}}


def test_vectors_come_back_as_they_were_and_nothing_is_embedded_again(
    memory: Satchel, other: Satchel, file: Path
) -> None:
    done = other.transfer.import_(str(file), trusted=True)

    assert (done.result.imported, done.result.vectors, warnings_of(done)) == (3, 3, [])
    assert other.parts.ledger.vectors.space() == SPACE
    assert other.parts.ledger.vectors.backlog(SPACE) == (0, 0)
    assert len(vectors(memory, file)) == 3
    assert vectors(other, file) == vectors(memory, file)


def test_a_search_by_meaning_finds_them_at_once(memory: Satchel, other: Satchel, file: Path) -> None:
    other.transfer.import_(str(file), trusted=True)

    for text in TEXTS:
        assert other.recall(text, mode="vector", limit=1).result.hits[0].memory.text == text


def test_the_state_of_a_store_does_not_depend_on_its_vectors(memory: Satchel, tmp_path: Path, file: Path) -> None:
    states = [
        memory.transfer.export(str(tmp_path / f"{vectors}"), redact=False, sign=True, vectors=vectors).result.state
        for vectors in (False, True)
    ]

    assert states[0] == states[1]


def test_a_signed_export_with_vectors_is_taken_for_an_own_one(memory: Satchel, other: Satchel, tmp_path: Path) -> None:
    memory.store("We ship on Thursdays")
    memory.maintenance.index_build()
    path, key = tmp_path / "all.jsonl", "export-key"
    memory.transfer.export(str(path), redact=False, sign=True, vectors=True)
    (tmp_path / "other" / key).write_bytes(next(tmp_path.rglob(key)).read_bytes())
    (tmp_path / "other" / key).chmod(0o600)

    done = other.transfer.import_(str(path), trusted=True)

    assert (done.result.vectors, list(done.receipt.warnings)) == (1, [])
    assert other.memories.list().result.memories[0].source_kind == "operator"


def test_nobody_vouches_for_the_vectors_of_an_untrusted_file(other: Satchel, file: Path) -> None:
    done = other.transfer.import_(str(file))

    assert (done.result.imported, done.result.vectors) == (3, 0)
    assert warnings_of(done) == [
        "vectors_left_out: vectors of 3 rows were left out (not_trusted 3); their texts will be embedded"
    ]
    assert vectors(other, file) == {}


def test_a_masked_export_has_no_vectors(memory: Satchel, tmp_path: Path) -> None:
    for given in ({"redact": True}, {"redact": False, "format": "markdown"}):
        with pytest.raises(InvalidRequest) as error:
            memory.transfer.export(str(tmp_path / "file"), vectors=True, **given)
        assert error.value.code == "conflicting_params"
    assert not (tmp_path / "file").exists()


def test_a_store_without_vectors_exports_rows_without_them(memory: Satchel, tmp_path: Path) -> None:
    memory.store("We ship on Thursdays")
    memory.transfer.export(str(tmp_path / "file"), redact=False, vectors=True)

    assert ["vector" in row for row in rows(tmp_path / "file")] == [False]


@each_case(
    ("given", "reason"),
    [
        (stated(space="another-model", numbers=[1.0] * 256), "other_space 1"),
        (stated(numbers=[1.0] * 255), "wrong_dimension 1"),
        (stated(float16="AAAA"), "wrong_dimension 1"),
        (stated(), "wrong_dimension 1"),
        (stated(float16="not base64!"), "unreadable 1"),
        (stated(numbers="1, 2"), "unreadable 1"),
        (stated(space=7), "unreadable 1"),
        ({**stated(), "vector": {}}, "unreadable 1"),
        (stated(numbers=[0.0] * 256), "unusable 1"),
        (stated(numbers=[1e300] * 256), "unusable 1"),
        (stated(float16="AHwA" * 170 + "AHw="), "unusable 1"),
    ],
)
def test_a_vector_that_cannot_be_used_does_not_keep_its_memory_out(tmp_path: Path, given: Any, reason: str) -> None:
    with Satchel.open(settings=load(home=mkdtemp(dir=tmp_path), embedding={"provider": "hashing"})) as store:
        done = store.transfer.import_(str(write(tmp_path / "rows", given)), trusted=True)

        assert (done.result.imported, done.result.failed, done.result.vectors) == (1, 0, 0)
        assert warnings_of(done) == [
            f"vectors_left_out: vectors of 1 rows were left out ({reason}); their texts will be embedded"
        ]
        assert store.parts.ledger.vectors.backlog(None) == (1, 0)


def test_numbers_of_any_length_become_a_unit_vector(other: Satchel, tmp_path: Path) -> None:
    path = write(tmp_path / "rows", stated(numbers=[3.0, 4.0, *[0.0] * 254]), {**stated(), "id": "two", "text": "no"})
    done = other.transfer.import_(str(path), trusted=True)

    assert done.result.vectors == 1
    assert vectors(other, path)["one"][:2] == pytest.approx([0.6, 0.8], abs=1e-3)


def test_a_store_without_an_embedder_takes_no_vectors(tmp_path: Path, file: Path) -> None:
    settings = load(home=str(tmp_path / "plain"), embedding={"provider": "none"})
    with Satchel.open(settings=settings) as store:
        done = store.transfer.import_(str(file), trusted=True)

        assert (done.result.imported, done.result.vectors) == (3, 0)
        assert store.parts.ledger.vectors.space() is None


def test_a_dry_run_counts_vectors_and_writes_none(other: Satchel, file: Path) -> None:
    done = other.transfer.import_(str(file), trusted=True, dry_run=True)

    assert done.result.vectors == 3
    assert other.parts.ledger.vectors.space() is None


def test_a_row_that_is_there_already_brings_no_vector(other: Satchel, file: Path) -> None:
    other.transfer.import_(str(file))
    done = other.transfer.import_(str(file), trusted=True)

    assert (done.result.imported, done.result.vectors, warnings_of(done)) == (0, 0, [])
    assert vectors(other, file) == {}
