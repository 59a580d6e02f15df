"""A small store is searched in its ledger, and gets an index when it grows."""

import subprocess
import sys
from array import array
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.adapters.growing_index import UNFINISHED_FACTOR, GrowingIndex, GrowingPassageIndex
from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.adapters.lance.folder import DatasetFolder
from satchel.adapters.lance.index import LanceIndex
from satchel.adapters.lance.passages import LancePassageIndex
from satchel.adapters.sql.float16 import FLOAT32_BYTES, pack, repack, unpack, unpack_matrix
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.config import Settings, load
from satchel.domain.embedding import Space
from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView, with_content_hash
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import INDEX_UNREACHABLE, CatchUp, Embedded, Ledger, MissingExtra
from tests.adapters.samples import ALL, SPACE, change, embed, erase, memory, populations, store, unit, views

EAST = unit(1, 0, 0, 0)
FROM = 3


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger(tmp_path / "ledger.sqlite3")
    yield opened
    opened.close()


def growing(ledger: SqliteLedger, folder: Path, from_memories: int = FROM) -> GrowingIndex:
    return GrowingIndex(
        ledger,
        lambda: LanceIndex(folder, ledger.memories),
        DatasetFolder(folder, "memories"),
        from_memories=from_memories,
    )


def nearest(index: GrowingIndex, view: View = ALL) -> list[str]:
    return [one.id for one in index.nearest(EAST, view, 50)]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(populations(), views(), st.data())
def test_the_ledger_finds_what_an_exact_scan_finds(population: list[Memory], view: View, data: st.DataObject) -> None:
    ledger, plain = SqliteLedger(None), InMemoryIndex()
    if population:
        store(ledger, *population)
    embedded = data.draw(st.sets(st.sampled_from([one.id for one in population]))) if population else set()
    embed(ledger, {id: unit(1, number, 0, 2) for number, id in enumerate(sorted(embedded))})
    plain.catch_up(ledger.feed, SPACE)
    with TemporaryDirectory() as folder:
        found = growing(ledger, Path(folder), 99).nearest(EAST, view, 50)
    expected = plain.nearest(EAST, view, 50)
    assert [(one.id, one.content_hash) for one in found] == [(one.id, one.content_hash) for one in expected]
    assert [one.score for one in found] == pytest.approx([one.score for one in expected], abs=1e-3)
    ledger.close()


def test_a_changed_text_is_not_found_by_its_old_vector(ledger: SqliteLedger, tmp_path: Path) -> None:
    one = memory("a", "red apple")
    store(ledger, one)
    embed(ledger, {"a": EAST})
    index = growing(ledger, tmp_path / "index")
    assert nearest(index) == ["a"]
    change(ledger, one, text="green apple")
    assert nearest(index) == []


def test_vectors_of_another_length_are_not_compared(ledger: SqliteLedger, tmp_path: Path) -> None:
    store(ledger, memory("a", "red apple"))
    embed(ledger, {"a": unit(1, 2, 2)}, Space("another", 3))
    assert nearest(growing(ledger, tmp_path / "index")) == []


def test_a_store_that_outgrows_its_ledger_gets_an_index(ledger: SqliteLedger, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    index = growing(ledger, folder)
    store(ledger, memory("a", "red apple"), memory("b", "yellow banana"))
    embed(ledger, {"a": EAST, "b": unit(0, 1, 0, 0)})
    assert index.catch_up(ledger.feed, SPACE) == CatchUp()
    assert (index.in_ledger, folder.exists(), index.status().vector_index) == (True, False, "the ledger")
    assert (nearest(index), [one.id for one in index.match(["apple"], ALL, 5)]) == (["a", "b"], ["a"])
    store(ledger, memory("c", "green apple"))
    embed(ledger, {"c": unit(0, 0, 1, 0)})
    assert index.catch_up(ledger.feed, SPACE).applied == 3
    assert (index.in_ledger, index.status().vector_index) == (False, "codes")
    assert (nearest(index)[0], {one.id for one in index.match(["apple"], ALL, 5)}) == ("a", {"a", "c"})


@pytest.mark.parametrize(("code", "answers"), [(INDEX_UNREACHABLE, True), ("index_unusable", False)])
def test_while_the_index_cannot_be_reached_the_ledger_answers(
    ledger: SqliteLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str, answers: bool
) -> None:
    index = growing(ledger, tmp_path / "index", 0)
    store(ledger, memory("a", "red apple"))
    embed(ledger, {"a": EAST})
    index.catch_up(ledger.feed, SPACE)

    def fail(*_: object) -> list[object]:
        raise Unavailable("the bucket is away", code=code)

    monkeypatch.setattr(LanceIndex, "nearest", fail)
    monkeypatch.setattr(LanceIndex, "match", fail)
    with nullcontext() if answers else pytest.raises(Unavailable):
        assert (nearest(index), [one.id for one in index.match(["apple"], ALL, 5)]) == (["a"], ["a"])


def test_until_the_index_is_built_the_ledger_answers(
    ledger: SqliteLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = growing(ledger, tmp_path / "index")
    fruit = [memory(str(number), f"apple {number}") for number in range(FROM)]
    store(ledger, *fruit)
    embed(ledger, {one.id: EAST for one in fruit})
    with monkeypatch.context() as patched:
        patched.setattr(LanceIndex, "catch_up", lambda *_, **__: CatchUp(applied=1, behind=2))
        assert index.catch_up(ledger.feed, SPACE).current
        assert (index.in_ledger, nearest(index)) == (True, ["0", "1", "2"])
        more = [memory(str(number), f"apple {number}") for number in range(FROM, UNFINISHED_FACTOR * FROM)]
        store(ledger, *more)
        assert not index.catch_up(ledger.feed, SPACE).current
    assert index.catch_up(ledger.feed, SPACE).current
    assert not index.in_ledger


def test_an_index_that_is_no_longer_updated_is_removed(ledger: SqliteLedger, tmp_path: Path) -> None:
    folder, one = tmp_path / "index", memory("a", "the alarm code")
    store(ledger, one)
    embed(ledger, {"a": EAST})
    growing(ledger, folder, 0).catch_up(ledger.feed, SPACE)
    assert (folder / "memories.lance").exists()
    index = growing(ledger, folder)
    erase(ledger, one.id)
    assert index.catch_up(ledger.feed, SPACE) == CatchUp()
    assert not (folder / "memories.lance").exists()


def test_an_index_that_cannot_be_removed_is_reported(
    ledger: SqliteLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "index"
    store(ledger, memory("a", "the alarm code"))
    embed(ledger, {"a": EAST})
    growing(ledger, folder, 0).catch_up(ledger.feed, SPACE)
    unwritable = GrowingIndex(
        ledger,
        lambda: LanceIndex(folder, ledger.memories, read_only=True),
        DatasetFolder(folder, "memories", read_only=True),
        from_memories=FROM,
    )
    assert not unwritable.catch_up(ledger.feed, SPACE).current
    assert nearest(unwritable) == ["a"]


def test_forgetting_and_the_doctor_work_in_a_small_store(settings: Settings, home: Path) -> None:
    small = load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 10_000})
    with Satchel.open(settings=settings) as keeping:
        keeping.store("the walrus sleeps")
        keeping.recall("walrus")
        assert (home / "index" / "memories.lance").exists()
    with Satchel.open(settings=small) as opened:
        secret = opened.store("the alarm code is forty-two seventeen").result.id
        found = opened.recall("alarm code")
        assert (found.result.hits[0].memory.id, found.receipt.warnings) == (secret, ())
        assert found.receipt.considered["lexical_source"] == "ledger"
        report = opened.maintenance.index_build().result
        assert (report.rows, report.rows_with_vectors, report.behind, report.vector_index) == (2, 2, 0, "the ledger")
        check = opened.forget(secret, verify=True).result.check
        assert check is not None
        assert (check.conclusive, check.found_after) == (True, ())
        check_up = opened.maintenance.doctor().result
        assert check_up.healthy
        assert "none is needed: 1 memories" in next(one.message for one in check_up.findings if one.check == "index")
        assert not (home / "index" / "memories.lance").exists()
    with Satchel.open(settings=settings) as grown:
        assert [hit.memory.text for hit in grown.recall("walrus").result.hits] == ["the walrus sleeps"]
        assert (home / "index" / "memories.lance").exists()


def test_a_small_store_loads_no_lance(home: Path) -> None:
    script = (
        "import sys\nfrom satchel.app import Satchel\nfrom satchel.config import load\n"
        "with Satchel.open(settings=load(home=sys.argv[1], embedding={'provider': 'hashing'})) as memory:\n"
        "    id = memory.store('the walrus sleeps').result.id\n"
        "    assert memory.recall('walrus').receipt.body['considered']['vector'] == 1\n"
        "    memory.maintenance.index_build()\n"
        "    memory.forget(id)\n"
        "print([name for name in ('lance', 'pyarrow') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", script, str(home)], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("[]", "")


# Without the packages for a large index


MISSING = MissingExtra("an index needs the extra [index]", "pip install it")


def without_lance(ledger: Ledger, folder: Path, from_memories: int = FROM) -> GrowingIndex:
    def unopened() -> LanceIndex:
        raise AssertionError("Lance is not installed")

    files = DatasetFolder(folder, "memories")
    return GrowingIndex(ledger, unopened, files, from_memories=from_memories, missing=MISSING)


def test_without_lance_a_large_store_is_searched_in_its_ledger(ledger: SqliteLedger, tmp_path: Path) -> None:
    index = without_lance(ledger, tmp_path / "index")
    fruit = [memory(str(number), f"apple {number}") for number in range(3 * FROM)]
    store(ledger, *fruit[: FROM - 1])
    embed(ledger, {one.id: unit(1, number, 0, 0) for number, one in enumerate(fruit[: FROM - 1])})
    assert (index.catch_up(ledger.feed, SPACE), index.status().missing) == (CatchUp(), None)

    store(ledger, *fruit[FROM - 1 :])
    embed(ledger, {one.id: unit(1, number, 0, 0) for number, one in enumerate(fruit)})
    caught_up = index.catch_up(ledger.feed, SPACE)

    assert (caught_up, caught_up.current, index.in_ledger) == (CatchUp(missing=MISSING), True, True)
    assert index.status().missing == MISSING
    assert nearest(index) == [one.id for one in fruit]
    assert len(index.match(["apple"], ALL, 50)) == len(fruit)
    assert list(index.fingerprints()) == list(ledger.feed.fingerprints())
    index.optimize()


def test_without_lance_an_index_on_disk_is_kept_until_something_is_forgotten(
    ledger: SqliteLedger, tmp_path: Path
) -> None:
    folder, fruit = tmp_path / "index", [memory(str(number), f"apple {number}") for number in range(FROM)]
    store(ledger, *fruit)
    embed(ledger, {one.id: EAST for one in fruit})
    growing(ledger, folder).catch_up(ledger.feed, SPACE)
    files = DatasetFolder(folder, "memories")
    index = without_lance(ledger, folder)

    index.catch_up(ledger.feed, SPACE)
    assert (files.exists(), nearest(index)) == (True, ["0", "1", "2"])
    index.drop(seconds=1)
    assert not files.exists()


# Passages


@pytest.fixture
def passages(ledger: SqliteLedger) -> SqliteLedger:
    ledger.vectors.adopt(SPACE)
    for number in range(2 * FROM):
        one = Passage(
            id=PassageId(f"p{number}"),
            lane=EvidenceLane.EPISODES,
            scope="here",
            group="talk",
            position=number,
            text=" ".join(["x" * 899] * 2),
        )
        ledger.passages.put([with_content_hash(one)], [], Receipt("test", {}))
        waiting = ledger.passages.vectors.pending(SPACE, 50)
        made = [unit(1, number + part, 0, 0) for part in range(len(waiting))]
        embedded = [Embedded(one.id, one.content_hash, made[place]) for place, one in enumerate(waiting)]
        ledger.passages.vectors.put(SPACE, embedded)
    return ledger


PASSAGE_VIEW = PassageView(EvidenceLane.EPISODES, EVERYWHERE)


def passage_index(ledger: Ledger, folder: Path, from_parts: int, **more: Any) -> GrowingPassageIndex:
    large = LancePassageIndex(folder)
    return GrowingPassageIndex(ledger, lambda: large, DatasetFolder(folder, "passages"), from_parts=from_parts, **more)


def test_few_passages_are_searched_in_the_ledger_as_by_an_index(passages: SqliteLedger, tmp_path: Path) -> None:
    indexed = passage_index(passages, tmp_path / "one", FROM)
    in_ledger = passage_index(passages, tmp_path / "other", 20 * FROM)
    for index in (indexed, in_ledger):
        assert index.catch_up(passages.passages.feed, SPACE).current

    assert (indexed.status().vector_index, in_ledger.status().vector_index) == ("exact scan", "the ledger")
    assert indexed.status().rows == in_ledger.status().rows == 4 * FROM
    assert list(indexed.fingerprints()) == list(in_ledger.fingerprints())
    found = in_ledger.nearest(EAST, PASSAGE_VIEW, 4)
    assert found == indexed.nearest(EAST, PASSAGE_VIEW, 4) == ["p0", "p1", "p2", "p3"]
    assert not (tmp_path / "other").exists()


def test_until_the_index_of_passages_is_built_the_ledger_answers(
    passages: SqliteLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = passage_index(passages, tmp_path / "index", 13 * FROM)
    with monkeypatch.context() as patched:
        patched.setattr(LancePassageIndex, "catch_up", lambda *_, **__: CatchUp(applied=1, behind=2))
        assert index.catch_up(passages.passages.feed, SPACE).current
        assert index.nearest(EAST, PASSAGE_VIEW, 2) == ["p0", "p1"]
        assert index.status().vector_index == "the ledger"
    assert index.catch_up(passages.passages.feed, SPACE).current
    assert index.status().vector_index == "exact scan"


def test_an_index_of_few_passages_is_removed(passages: SqliteLedger, tmp_path: Path) -> None:
    folder = tmp_path / "index"
    passage_index(passages, folder, FROM).catch_up(passages.passages.feed, SPACE)
    assert (folder / "passages.lance").exists()

    assert passage_index(passages, folder, 20 * FROM).catch_up(passages.passages.feed, SPACE).current
    assert not (folder / "passages.lance").exists()


def test_without_lance_many_passages_are_searched_in_the_ledger(passages: SqliteLedger, tmp_path: Path) -> None:
    index = passage_index(passages, tmp_path / "index", FROM, missing=MISSING)

    assert index.catch_up(passages.passages.feed, SPACE) == CatchUp(missing=MISSING)
    assert index.status().missing == MISSING
    assert index.nearest(EAST, PASSAGE_VIEW, 2) == ["p0", "p1"]


# Vectors as bytes


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.floats(-1, 1, width=16), min_size=1, max_size=8))
def test_float16_values_survive_packing(numbers: list[float]) -> None:
    vector = array("f", numbers)
    assert unpack(pack(vector), len(vector)) == vector
    assert unpack_matrix([pack(vector), vector.tobytes()], len(vector)).tolist() == [list(vector)] * 2


def test_float32_vectors_are_read_and_converted(ledger: SqliteLedger) -> None:
    fruit = [memory(str(number), f"apple {number}") for number in range(5)]
    store(ledger, *fruit)
    embed(ledger, {one.id: unit(1, 2, 3, 4) for one in fruit})
    ids, before = [one.id for one in fruit], unit(1, 2, 3, 4)
    with ledger.database.writing() as db:
        db.execute("UPDATE vectors SET vector = ? WHERE row < 4", (before.tobytes(),))
    assert ledger.vectors.get(SPACE, ids[:1]) == {"0": before}
    cosines = ledger.vectors.cosines(SPACE, before, ids)
    assert ledger.vectors.convert_to_float16() == 3
    assert ledger.vectors.convert_to_float16() == 0
    with ledger.database.reading() as db:
        assert {length for (length,) in db.execute("SELECT length(vector) FROM vectors")} == {FLOAT32_BYTES * 4 // 2}
    assert ledger.vectors.cosines(SPACE, before, ids) == pytest.approx(cosines, abs=1e-3)
    assert ledger.vectors.get(SPACE, ids)[ids[0]] == unpack(repack(before.tobytes(), 4), 4)


def test_a_small_store_is_recalled_as_of_a_tag(home: Path) -> None:
    small = load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 10_000})
    with Satchel.open(settings=small) as opened:
        then = opened.store("the walrus sleeps").result.seq
        opened.store("the walrus wakes at noon")
        assert len(opened.recall("walrus", mode="vector").result.hits) == 2
        for mode in ("hybrid", "vector"):
            found = opened.recall("walrus", mode=mode, as_of=then)
            assert [hit.memory.text for hit in found.result.hits] == ["the walrus sleeps"]
            assert found.receipt.considered["vector"] == 1
