"""The Lance index of passages: search, views, catching up and repair."""

from array import array
from collections.abc import Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.adapters.lance.passages import LancePassageIndex
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.embedding import Space
from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView, with_content_hash
from satchel.domain.receipt import Receipt
from satchel.domain.record import Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.ports import Embedded

SPACE = Space("toy", 3)
VIEW = PassageView(EvidenceLane.EPISODES, Reach(("here",)))
RECEIPT = Receipt("test", {})


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[SqliteLedger]:
    opened = SqliteLedger(tmp_path / "ledger.sqlite3")
    opened.vectors.adopt(SPACE)
    yield opened
    opened.close()


@pytest.fixture
def index(tmp_path: Path) -> LancePassageIndex:
    return LancePassageIndex(tmp_path / "index")


def keep(ledger: SqliteLedger, id: str, *vectors: tuple[float, float, float], **more: object) -> None:
    given: dict[str, object] = {"lane": EvidenceLane.EPISODES, "scope": "here", "group": "it's", "at": 5, **more}
    text = " ".join(["x" * 899] * len(vectors))
    ledger.passages.put([with_content_hash(Passage(id=PassageId(id), position=0, text=text, **given))], [], RECEIPT)  # type: ignore[arg-type]
    waiting = sorted(ledger.passages.vectors.pending(SPACE, 50), key=lambda one: one.id)
    made = [Embedded(one.id, one.content_hash, array("f", v)) for one, v in zip(waiting, vectors, strict=True)]
    ledger.passages.vectors.put(SPACE, made)


def followed(index: LancePassageIndex, ledger: SqliteLedger) -> LancePassageIndex:
    assert index.catch_up(ledger.passages.feed, SPACE).current
    return index


def near(index: LancePassageIndex, view: PassageView = VIEW, limit: int = 5) -> list[str]:
    return list(index.nearest(array("f", (1, 0, 0)), view, limit))


def agrees(index: LancePassageIndex, ledger: SqliteLedger) -> bool:
    return list(index.fingerprints()) == list(ledger.passages.feed.fingerprints())


def test_a_passage_is_returned_once_for_its_nearest_part(index: LancePassageIndex, ledger: SqliteLedger) -> None:
    keep(ledger, "long", (0, 0, 1), (1, 0.1, 0), (1, 0.2, 0))
    keep(ledger, "short", (1, 0.5, 0))

    assert near(followed(index, ledger)) == ["long", "short"]


def test_the_view_is_applied_before_the_limit(index: LancePassageIndex, ledger: SqliteLedger) -> None:
    for number in range(30):
        keep(ledger, f"there{number}", (1, 0, 0), scope="there")
    keep(ledger, "hidden", (1, 0, 0), trust=Trust.QUARANTINED)
    keep(ledger, "document", (1, 0, 0), lane=EvidenceLane.DOCUMENTS)
    keep(ledger, "mine", (0, 1, 0), kind="spoken")
    followed(index, ledger)

    assert near(index, limit=1) == ["mine"]
    assert near(index, replace(VIEW, groups=("it's",), kinds=("spoken",), since=5, until=6)) == ["mine"]
    assert near(index, replace(VIEW, until=5)) == near(index, replace(VIEW, kinds=("none",))) == []
    assert near(index, replace(VIEW, lane=EvidenceLane.DOCUMENTS)) == ["document"]
    assert "hidden" not in near(index, replace(VIEW, reach=EVERYWHERE), limit=50)


def test_a_shorter_text_leaves_no_old_parts(index: LancePassageIndex, ledger: SqliteLedger) -> None:
    keep(ledger, "a", (1, 0, 0), (0, 1, 0))
    followed(index, ledger)
    keep(ledger, "a", (0, 0, 1))

    assert agrees(followed(index, ledger), ledger)
    assert [name for name, _ in index.fingerprints()] == ["a#0"]


def test_an_erased_passage_leaves_no_row_and_no_older_version(index: LancePassageIndex, ledger: SqliteLedger) -> None:
    keep(ledger, "secret-id", (1, 0, 0))
    keep(ledger, "other", (0, 1, 0))
    followed(index, ledger)
    ledger.passages.erase([PassageId("secret-id")], VIEW, RECEIPT)

    followed(index, ledger)

    assert near(index) == ["other"]
    assert index.status().versions <= 2
    holding = [file for file in index._path.parent.rglob("*") if file.is_file() and b"secret-id" in file.read_bytes()]
    assert holding == []


def test_a_damaged_dataset_is_rebuilt_without_embedding(index: LancePassageIndex, ledger: SqliteLedger) -> None:
    keep(ledger, "a", (1, 0, 0))
    followed(index, ledger)
    for file in index._path.rglob("*.manifest"):
        file.write_bytes(b"no manifest")

    again = LancePassageIndex(index._path.parent)
    caught_up = again.catch_up(ledger.passages.feed, SPACE)

    assert caught_up.repaired
    assert near(again) == ["a"]
    assert agrees(again, ledger)


def test_another_space_rebuilds_the_dataset(index: LancePassageIndex, ledger: SqliteLedger) -> None:
    keep(ledger, "a", (1, 0, 0))
    followed(index, ledger)
    other = Space("other", 2)
    ledger.vectors.adopt(other)

    assert index.catch_up(ledger.passages.feed, other).repaired
    assert index.status().rows == 0


def test_a_missing_index_finds_nothing(index: LancePassageIndex) -> None:
    assert near(index) == []
    assert not index.status().exists
