"""The indexes of a store in a bucket do what those in a folder do."""

from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.lance import bucket as in_bucket
from satchel.adapters.lance import follower
from satchel.adapters.lance.bucket import DatasetInBucket
from satchel.adapters.lance.index import LanceIndex
from satchel.adapters.lance.passages import LancePassageIndex
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.embedding import Space
from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView, with_content_hash
from satchel.domain.receipt import Receipt
from satchel.domain.scope import Reach
from satchel.ports import Embedded
from tests.adapters.lance.test_index import add, agrees
from tests.adapters.samples import SPACE, embed, erase, memory, store, unit
from tests.bucket.conftest import ObjectStorage


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    opened = SqliteLedger(None)
    yield opened
    opened.close()


def objects(folder: Path, bucket: str) -> DatasetInBucket:
    return DatasetInBucket(folder, "memories", bucket)


def filled(ledger: SqliteLedger, folder: Path, bucket: str, rounds: int = 3) -> LanceIndex:
    index = LanceIndex(folder, ledger.memories, bucket=bucket)
    for number in range(rounds):
        add(ledger, number)
        assert index.catch_up(ledger.feed, SPACE).current
    return index


def test_it_follows_the_ledger(ledger: SqliteLedger, tmp_path: Path, bucket: str) -> None:
    index = filled(ledger, tmp_path, bucket)
    assert agrees(index, ledger)
    assert any(name.startswith("data/") for name in objects(tmp_path, bucket).names())
    # Only the codes and the lock are on the disk.
    names = sorted(path.name for path in tmp_path.rglob("*") if path.is_file())
    assert names == ["code", "generation", "scope", "standing", "validity", "writer.lock"]

    again = LanceIndex(tmp_path, ledger.memories, bucket=bucket)
    assert again.catch_up(ledger.feed, SPACE).applied == 0
    assert agrees(again, ledger)
    assert again.pending(ledger.feed, SPACE) == ()
    add(ledger, 7)
    assert len(again.pending(ledger.feed, SPACE)) == 1


def test_it_is_optimized_and_rebuilt(ledger: SqliteLedger, tmp_path: Path, bucket: str) -> None:
    index = filled(ledger, tmp_path, bucket, rounds=4)
    assert index.status().fragments == 4
    assert index.optimize()
    assert index.status().fragments == 1 and agrees(index, ledger)

    index.drop()
    assert objects(tmp_path, bucket).names() == [] and not index.status().exists
    assert index.catch_up(ledger.feed, SPACE).current and agrees(index, ledger)


def test_a_forgotten_text_is_in_no_object_and_no_older_version(
    ledger: SqliteLedger, tmp_path: Path, bucket: str
) -> None:
    index = filled(ledger, tmp_path, bucket)
    store(ledger, memory("secret", "the zanzibarium password", title="quetzalcoatlus"))
    embed(ledger, {"secret": unit(0, 0, 0, 1)})
    index.catch_up(ledger.feed, SPACE)
    words = [b"zanzibarium", b"quetzalcoatlus"]
    assert all(objects(tmp_path, bucket).search([word]).holding for word in words)

    erase(ledger, "secret")
    assert index.catch_up(ledger.feed, SPACE).current
    assert objects(tmp_path, bucket).search([*words, b"zanzibar"]).holding == ()
    assert index.status().versions <= 2 and agrees(index, ledger)


def test_codes_of_another_build_are_not_used(ledger: SqliteLedger, tmp_path: Path, bucket: str) -> None:
    filled(ledger, tmp_path / "here", bucket)
    elsewhere = LanceIndex(tmp_path / "elsewhere", ledger.memories, bucket=bucket)
    assert elsewhere.catch_up(ledger.feed, SPACE).repaired
    assert agrees(elsewhere, ledger)


def test_an_index_without_a_version_is_made_anew(ledger: SqliteLedger, tmp_path: Path, bucket: str) -> None:
    filled(ledger, tmp_path, bucket)
    files = objects(tmp_path, bucket)
    before = set(files.names("data"))
    for name in files.names("_versions"):
        files.delete(name)
    index = LanceIndex(tmp_path, ledger.memories, bucket=bucket)
    assert index.catch_up(ledger.feed, SPACE).current and agrees(index, ledger)
    assert before.isdisjoint(files.names("data"))


def test_a_bucket_that_fails_in_the_middle_keeps_its_index(
    ledger: SqliteLedger, tmp_path: Path, bucket: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = filled(ledger, tmp_path, bucket)
    add(ledger, 7)
    with monkeypatch.context() as patch:

        def fail(*noted: object) -> None:
            raise OSError("LanceError(IO): Generic S3 error: error sending request")

        patch.setattr(follower, "mark_applied", fail)
        done = index.catch_up(ledger.feed, SPACE)
    assert (done.code, done.current) == ("index_unreachable", False)
    assert objects(tmp_path, bucket).names("_versions")
    assert index.catch_up(ledger.feed, SPACE).repaired == "" and agrees(index, ledger)


def test_passages_are_found(ledger: SqliteLedger, tmp_path: Path, bucket: str) -> None:
    space = Space("toy", 3)
    said = Passage(PassageId("p1"), EvidenceLane.EPISODES, "here", "talk", 0, text="a walrus in the harbour")
    ledger.passages.put([with_content_hash(said)], [], Receipt("test", {}))
    ledger.passages.vectors.adopt(space)
    (waiting,) = ledger.passages.vectors.pending(space, 5)
    ledger.passages.vectors.put(space, [Embedded(waiting.id, waiting.content_hash, array("f", (1, 0, 0)))])
    index = LancePassageIndex(tmp_path, bucket=bucket)
    assert index.catch_up(ledger.passages.feed, space).current
    view = PassageView(EvidenceLane.EPISODES, Reach(("here",)))
    assert index.nearest(array("f", (1, 0, 0)), view, 5) == ["p1"]
    ledger.passages.put([], [said.id], None)
    assert index.catch_up(ledger.passages.feed, space).current
    assert index.nearest(array("f", (1, 0, 0)), view, 5) == []


def test_an_unreachable_bucket_is_left_alone_for_a_while(
    ledger: SqliteLedger, tmp_path: Path, bucket: str, storage: ObjectStorage
) -> None:
    missing = bucket.replace("memories-", "missing-")
    index = LanceIndex(tmp_path, ledger.memories, bucket=missing)
    add(ledger, 1)
    done = index.catch_up(ledger.feed, SPACE)
    assert done.code == "index_unreachable"
    assert done.problem == "the bucket of the index cannot be reached: there is no such bucket"
    # It is not asked again so soon, though it would answer now.
    storage.make_bucket(missing.removeprefix("s3://").partition("/")[0])
    assert index.catch_up(ledger.feed, SPACE).problem == done.problem
    in_bucket._failed.clear()
    assert index.catch_up(ledger.feed, SPACE).current
