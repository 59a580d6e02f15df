"""What the readers of a dataset share, and for how long."""

import gc
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.lance import reaches
from satchel.adapters.lance.codes import Codes
from satchel.adapters.lance.dataset import shared_session
from satchel.adapters.lance.index import LanceIndex
from satchel.adapters.lance.shared import shared
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.scope import Reach
from satchel.domain.view import View
from tests.adapters.samples import NOW, SPACE, embed, memory, store, unit


class Part:
    """Something that readers share."""


def test_readers_of_one_dataset_share_until_the_last_is_gone() -> None:
    first = shared(Part, Path("a"))
    assert shared(Part, Path("a")) is first
    assert shared(Part, Path("b")) is not first
    first.__dict__["mark"] = True
    del first
    gc.collect()
    assert not shared(Part, Path("a")).__dict__


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    opened = SqliteLedger(None)
    store(opened, *(memory(f"m{number}", "walrus", scope=f"s{number}") for number in range(4)))
    embed(opened, {f"m{number}": unit(1, number, 0, 0) for number in range(4)})
    yield opened
    opened.close()


def test_the_codes_are_mapped_once_for_all_readers(
    ledger: SqliteLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    readers = [LanceIndex(tmp_path / "index", ledger.memories) for _ in range(3)]
    readers[0].catch_up(ledger.feed, SPACE)
    mapped: list[Path] = []

    class Counted(Codes):
        def __init__(self, dataset: Path, dimensions: int) -> None:
            mapped.append(dataset)
            super().__init__(dataset, dimensions)

    monkeypatch.setattr("satchel.adapters.lance.codes.Codes", Counted)
    view = View(Reach(("s1",)), NOW)
    for reader in readers * 2:
        assert [one.id for one in reader.nearest(unit(1, 1, 0, 0), view, 5)] == ["m1"]
    assert len(mapped) == 1

    readers[1].drop()
    readers[1].catch_up(ledger.feed, SPACE)
    mapped.clear()  # of what wrote them
    for reader in readers:
        assert [one.id for one in reader.nearest(unit(1, 1, 0, 0), view, 5)] == ["m1"]
    assert len(mapped) == 1


def test_a_reader_of_many_scopes_remembers_only_some(
    ledger: SqliteLedger, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reaches, "MAX_REACHES", 2)
    index = LanceIndex(tmp_path / "index", ledger.memories)
    index.catch_up(ledger.feed, SPACE)
    for scope in ("s0", "s1", "s2", "s3", "s0"):
        assert [one.id for one in index.match(["walrus"], View(Reach((scope,)), NOW), 5)] == [f"m{scope[1]}"]
    (known,) = shared(reaches.ReachCache, tmp_path / "index" / "memories.lance")._known.values()
    assert [one.name for one in known] == ["s3", "s0"]


def test_after_a_merge_every_reader_begins_with_empty_caches(ledger: SqliteLedger, tmp_path: Path) -> None:
    readers = [LanceIndex(tmp_path / "index", ledger.memories) for _ in range(2)]
    readers[0].catch_up(ledger.feed, SPACE)
    view, before = View(Reach(("s1",)), NOW), shared_session()
    for reader in readers * 2:
        assert [one.id for one in reader.match(["walrus"], view, 5)] == ["m1"]
    cached = before.size_bytes()

    readers[0].optimize()
    assert shared_session() is not before
    assert shared_session().size_bytes() < cached
    for reader in readers:
        assert [one.id for one in reader.match(["walrus"], view, 5)] == ["m1"]
    assert shared_session().size_bytes() > 0, "the readers use the new caches"
