"""The Lance index: LanceDB compatibility, repair, compaction, privacy and erasure."""

import os
import random
import shutil
import threading
from collections.abc import Callable, Iterator
from collections.abc import Set as AbstractSet
from datetime import timedelta
from pathlib import Path
from tempfile import mkdtemp

import lance
import lancedb
import pytest

from satchel.adapters.lance import dataset as lance_dataset
from satchel.adapters.lance import follower, reaches
from satchel.adapters.lance.follower import COMPACT_AT_FRAGMENTS
from satchel.adapters.lance.index import LanceIndex
from satchel.adapters.lance.schema import MAX_APPENDED
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.config import Settings, load
from satchel.domain.embedding import Space, Vector
from satchel.domain.record import Kind, Label, Memory, SourceKind, Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import CatchUp
from tests.adapters import children
from tests.adapters.samples import NOW, SPACE, change, embed, erase, memory, store, unit, without_generation

GLOBAL = View(Reach(("global",)), NOW)
WIDE = Space("test-128", 128)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    opened = SqliteLedger(None)
    yield opened
    opened.close()


def filled(ledger: SqliteLedger, folder: Path, rounds: int = 3) -> LanceIndex:
    """Make an index that caught up in several steps, so that it has several versions and files."""
    index = LanceIndex(folder, ledger.memories)
    for number in range(rounds):
        add(ledger, number)
        assert index.catch_up(ledger.feed, SPACE).current
    return index


def add(ledger: SqliteLedger, number: int) -> None:
    store(ledger, memory(f"m{number:03}", f"walrus number {number}"))
    embed(ledger, {f"m{number:03}": unit(1, number, 0, 0)})


def agrees(index: LanceIndex, ledger: SqliteLedger) -> bool:
    """Return whether an index has and finds everything that its ledger has."""
    known = dict(ledger.feed.fingerprints())
    by_word = {one.id: one.content_hash for one in index.match(["walrus"], GLOBAL, 1_000)}
    by_meaning = {one.id: one.content_hash for one in index.nearest(unit(1, 0, 0, 0), GLOBAL, 1_000)}
    return dict(index.fingerprints()) == by_word == by_meaning == known


@pytest.mark.parametrize("count", [1, MAX_APPENDED, MAX_APPENDED + 1])
def test_a_batch_that_is_applied_twice_is_there_once(
    ledger: SqliteLedger, folder: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    index = filled(ledger, folder)
    for number in range(100, 100 + count):
        add(ledger, number)
    with monkeypatch.context() as patch:
        # As if the process were killed before it notes what it has applied.
        patch.setattr(follower, "mark_applied", lambda *noted: None)
        index.catch_up(ledger.feed, SPACE, seconds=0)
    assert index.catch_up(ledger.feed, SPACE).current

    assert index.status().rows == 3 + count
    assert agrees(index, ledger)


def test_a_changed_record_beside_a_new_one_replaces_its_row(ledger: SqliteLedger, folder: Path) -> None:
    index = filled(ledger, folder)
    change(ledger, memory("m001", "walrus number 1"), importance=0.9)
    add(ledger, 7)
    assert index.catch_up(ledger.feed, SPACE).current

    assert index.status().rows == 4
    assert dict(index.fingerprints()) == dict(ledger.feed.fingerprints())


# LanceDB compatibility


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_the_table_can_be_read_and_searched_by_lancedb(ledger: SqliteLedger, folder: Path) -> None:
    chinese = Memory(
        id=memory("zh").id,
        text="我们的数据库在上海",
        scope="work",
        created_at=5,
        updated_at=6,
        kind=Kind.PROCEDURE,
        importance=0.5,
        label=Label.NICE_TO_HAVE,
        trust=Trust.UNTRUSTED,
        source_kind=SourceKind.WEB,
        source_ref="https://example.org",
        language="zh",
        media_refs=("file:///a.png",),
    )
    store(ledger, memory("en", "The walrus sleeps on the ice"), memory("bare", "no vector"), chinese)
    embed(ledger, {"en": unit(1, 0, 0, 0), "zh": unit(0, 1, 0, 0)})
    LanceIndex(folder, ledger.memories, for_lancedb=True).catch_up(ledger.feed, SPACE)

    database = lancedb.connect(str(folder))
    table = database.open_table("memories")
    wanted = [
        *("id", "text", "vector", "createdAt", "category", "importance", "importance_label", "scope", "trust_tier"),
        *("source_kind", "source_ref", "lang", "media_refs", "media_kind"),
    ]
    assert {*wanted} <= {*table.schema.names}
    rows = {row["id"]: row for row in table.to_arrow().to_pylist()}
    assert [rows["zh"][name] for name in wanted] == [
        "zh",
        "我们的数据库在上海",
        [0.0, 1.0, 0.0, 0.0],
        5,
        "other",
        0.5,
        "nice_to_have",
        "work",
        "untrusted",
        "web",
        "https://example.org",
        "zh",
        ["file:///a.png"],
        "image",
    ]
    assert rows["bare"]["vector"] is None
    assert [row["id"] for row in table.search([0.1, 1.0, 0.0, 0.0]).limit(1).to_list()] == ["zh"]
    for question, id in (("walrus", "en"), ("sleeping", "en"), ("数据库", "zh"), ("上海", "zh")):
        found = table.search(question, query_type="fts", fts_columns="text").limit(5).to_list()
        assert [row["id"] for row in found] == [id]


def test_the_text_is_indexed_with_the_icu_tokenizer(ledger: SqliteLedger, folder: Path) -> None:
    add(ledger, 1)
    LanceIndex(folder, ledger.memories, for_lancedb=True).catch_up(ledger.feed, SPACE)
    dataset = lance.dataset(str(folder / "memories.lance"))
    kinds = {found.field_names[0]: found.index_type for found in dataset.describe_indices()}
    assert {name: kinds[name] for name in ("text", "terms", "id", "scope", "importance_label", "category")} == {
        "text": "Inverted",
        "terms": "Inverted",
        "id": "BTree",
        "scope": "BTree",
        "importance_label": "Bitmap",
        "category": "Bitmap",
    }
    text = next(found for found in dataset.describe_indices() if found.field_names == ["text"])
    assert text.details["base_tokenizer"] == "icu"


# Damage


def cut_in_half(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def empty(path: Path) -> None:
    path.write_bytes(b"")


def overwrite(path: Path) -> None:
    path.write_bytes(b"garbage " * 100)


@pytest.mark.parametrize("damage", [cut_in_half, empty, overwrite])
@pytest.mark.parametrize("manifests", [1, 2, 1_000])
@pytest.mark.parametrize("fresh", [True, False], ids=["reopened", "still open"])
def test_damaged_manifests_are_repaired_by_the_next_catch_up(
    ledger: SqliteLedger, folder: Path, damage: Callable[[Path], None], manifests: int, fresh: bool
) -> None:
    index = filled(ledger, folder)
    for path in sorted((folder / "memories.lance" / "_versions").glob("*.manifest"))[:manifests]:
        damage(path)
    add(ledger, 99)
    again = LanceIndex(folder, ledger.memories) if fresh else index
    assert again.catch_up(ledger.feed, SPACE).current
    assert agrees(again, ledger)
    assert agrees(LanceIndex(folder, ledger.memories), ledger)
    assert without_generation(again.catch_up(ledger.feed, SPACE)) == CatchUp()


def test_a_repair_is_reported_once(ledger: SqliteLedger, folder: Path) -> None:
    filled(ledger, folder)
    empty(sorted((folder / "memories.lance" / "_versions").glob("*.manifest"))[0])
    index = LanceIndex(folder, ledger.memories)
    assert index.status().problem
    assert index.catch_up(ledger.feed, SPACE).repaired
    assert not index.catch_up(ledger.feed, SPACE).repaired
    assert not index.status().problem


def test_missing_data_files_are_noticed_and_rebuilt_when_the_index_is_next_written(
    ledger: SqliteLedger, folder: Path
) -> None:
    index = filled(ledger, folder)
    for path in (folder / "memories.lance" / "data").iterdir():
        path.unlink()
    change(ledger, ledger.memories.page(GLOBAL, 1)[0], title="so that the old row has to be read")
    again = LanceIndex(folder, ledger.memories)
    caught_up = again.catch_up(ledger.feed, SPACE)
    assert (caught_up.problem, caught_up.current, bool(caught_up.repaired)) == ("", True, True)
    assert agrees(again, ledger)
    assert agrees(index, ledger)


@pytest.mark.parametrize("lost", ["index", "index/memories.lance", "index/memories.lance/_versions"])
def test_a_missing_folder_is_rebuilt(ledger: SqliteLedger, folder: Path, lost: str) -> None:
    index = filled(ledger, folder)
    shutil.rmtree(folder.parent / lost)
    assert index.catch_up(ledger.feed, SPACE).current
    assert agrees(index, ledger)


def test_a_file_instead_of_the_folder_is_a_problem_and_not_a_crash(ledger: SqliteLedger, folder: Path) -> None:
    folder.write_bytes(b"")
    add(ledger, 1)
    caught_up = LanceIndex(folder, ledger.memories).catch_up(ledger.feed, SPACE)
    assert caught_up.problem
    assert caught_up.behind == 1


def test_an_index_of_an_earlier_version_is_rebuilt_from_the_vectors_of_the_ledger(
    ledger: SqliteLedger, folder: Path
) -> None:
    index = filled(ledger, folder)
    lance.dataset(str(folder / "memories.lance")).update_config({"satchel.format": "2"})
    caught_up = index.catch_up(ledger.feed, SPACE)
    assert (caught_up.applied, caught_up.current, bool(caught_up.repaired)) == (3, True, True)
    assert agrees(index, ledger)


def test_whether_the_table_is_for_lancedb_too_can_be_changed(ledger: SqliteLedger, folder: Path) -> None:
    filled(ledger, folder)
    for for_lancedb in (True, False):
        index = LanceIndex(folder, ledger.memories, for_lancedb=for_lancedb)
        assert index.catch_up(ledger.feed, SPACE).applied == 3
        columns = lance.dataset(str(folder / "memories.lance")).schema.names
        assert [name in columns for name in ("text", "vector", "terms")] == [for_lancedb, for_lancedb, True]
        assert agrees(index, ledger)


# Damage seen through the façade. Hits come from the ledger, so a damaged index may miss one but never invent one.


@pytest.fixture(scope="module")
def pristine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store with an index of several files; not to be changed."""
    home = tmp_path_factory.mktemp("pristine") / "home"
    with Satchel.open(settings=facade(home)) as opened:
        for number in range(12):
            opened.store(f"walrus {number} of topic{number % 5}", scope="global" if number % 3 else "other")
        opened.recall("walrus")
        opened.forget(opened.store("a late walrus").result.id)
        opened.store("the last walrus")
        opened.recall("walrus")
    return home


def facade(home: Path) -> Settings:
    return load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 10_000, "index_from": 0})


def well_afterwards(home: Path) -> None:
    """Recall from a damaged store, write to it and repair it, checking that no result is ever wrong."""
    with Satchel.open(settings=facade(home)) as opened:
        truth = {one.id: one.text for one in opened.memories.list(limit=100).result.memories}
        assert len(truth) == 9
        for question in ("walrus", "topic3"):
            hits = opened.recall(question, limit=20).result.hits
            assert [truth[hit.memory.id] for hit in hits] == [hit.memory.text for hit in hits]
            assert hits
        new = opened.store("a new walrus").result.id
        assert new in {hit.memory.id for hit in opened.recall("a new walrus", limit=20).result.hits}
        assert opened.maintenance.doctor(fix=True).result.healthy
        mended = opened.recall("walrus", limit=20)
        if mended.receipt.warnings:
            mended = opened.recall("walrus", limit=20)
        assert mended.receipt.warnings == ()
        assert {hit.memory.id for hit in mended.result.hits} == {*truth, new}


@pytest.mark.parametrize("part", range(4))
def test_a_flipped_byte_never_gives_a_wrong_row(pristine: Path, tmp_path: Path, part: int) -> None:
    found = (pristine / "index").rglob("*")
    files = sorted(path for path in found if path.is_file() and (path.suffix == ".lance" or "codes" in path.parts))
    places = [(path, at) for path in files for at in range(0, path.stat().st_size, 7)]
    for number, (path, at) in enumerate(places[part * 13 :: len(places) // 10]):
        home = tmp_path / str(number)
        shutil.copytree(pristine, home)
        damaged = home / path.relative_to(pristine)
        content = bytearray(damaged.read_bytes())
        content[at] ^= 0xFF
        damaged.write_bytes(content)
        well_afterwards(home)


@pytest.mark.parametrize("kind", ["data", "_indices", "_versions", "_transactions", "codes"])
def test_a_deleted_file_loses_nothing(pristine: Path, tmp_path: Path, kind: str) -> None:
    for number, path in enumerate(sorted(path for path in (pristine / "index").rglob("*") if path.is_file())):
        if kind in path.parts and number % 2:
            home = tmp_path / str(number)
            shutil.copytree(pristine, home)
            (home / path.relative_to(pristine)).unlink()
            well_afterwards(home)


def test_an_index_of_another_store_is_rebuilt(pristine: Path, settings: Settings, home: Path) -> None:
    with Satchel.open(settings=settings) as opened:
        for number in range(12):
            opened.store(f"narwhal {number}")
        opened.recall("narwhal")
    shutil.rmtree(home / "index")
    shutil.copytree(pristine / "index", home / "index")
    with Satchel.open(settings=settings) as opened:
        for _ in range(2):
            assert {hit.memory.text.split()[0] for hit in opened.recall("walrus narwhal").result.hits} <= {"narwhal"}
        assert opened.maintenance.doctor(fix=True).result.healthy
        assert len(opened.recall("narwhal", limit=20).result.hits) == 12


@pytest.fixture
def shared(pristine: Path) -> Iterator[Path]:
    """A store that another user can access, unlike pytest's own folders."""
    place = Path(mkdtemp())
    place.chmod(0o755)
    shutil.copytree(pristine, place / "home")
    for path in [*place.rglob("*")]:
        path.chmod(0o777 if path.is_dir() else 0o666)
    yield place / "home"
    for path in [*place.rglob("*")]:
        path.chmod(0o700)
    shutil.rmtree(place)


def test_with_an_unwritable_index_new_records_are_found_by_words(shared: Path) -> None:
    for path in [*(shared / "index").rglob("*"), shared / "index"]:
        path.chmod(0o555 if path.is_dir() else 0o444)
    result = children.run(
        """
as_nobody()
memory = opened(place)
before = memory.recall("walrus")
new = memory.store("a new walrus").result.id
after = memory.recall("a new walrus")
answer([list(before.receipt.warnings), [warning.partition(":")[0] for warning in after.receipt.warnings],
        len(before.result.hits), after.result.hits[0].memory.id == new, code_of(lambda: memory.maintenance.index_rebuild()),
        code_of(lambda: memory.maintenance.doctor())])
""",
        shared,
    )
    # New records are found by words, indexed ones still by meaning.
    assert result == [[], [], 5, True, "read_only", "done"]


# Concurrency


def test_two_threads_can_catch_up_and_search_at_the_same_time(ledger: SqliteLedger, folder: Path) -> None:
    shared, problems = LanceIndex(folder, ledger.memories), list[BaseException]()

    def work(index: LanceIndex, first: int) -> None:
        try:
            for number in range(first, first + 10):
                add(ledger, number)
                index.catch_up(ledger.feed, SPACE)
                assert index.nearest(unit(1, 0, 0, 0), GLOBAL, 5)
                assert index.match(["walrus"], GLOBAL, 5)
        except BaseException as error:  # noqa: BLE001  a thread cannot raise into its test
            problems.append(error)

    own = LanceIndex(folder, ledger.memories)
    threads = [
        threading.Thread(target=work, args=(index, first)) for index, first in ((shared, 0), (shared, 100), (own, 200))
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert problems == []
    assert shared.catch_up(ledger.feed, SPACE).current
    assert len(list(shared.fingerprints())) == 30
    assert agrees(shared, ledger)


def test_a_busy_writer_is_not_waited_for(ledger: SqliteLedger, folder: Path) -> None:
    index = filled(ledger, folder)
    add(ledger, 50)
    with LanceIndex(folder, ledger.memories)._writing(None):
        assert without_generation(index.catch_up(ledger.feed, SPACE, seconds=0.0)) == CatchUp(behind=1)
    assert without_generation(index.catch_up(ledger.feed, SPACE, seconds=0.0)) == CatchUp(applied=1)


# Compaction


def test_many_small_steps_leave_few_fragments_and_versions(
    ledger: SqliteLedger, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_dataset, "VERSION_GRACE", timedelta(0))
    index, most = LanceIndex(folder, ledger.memories), (0, 0)
    for number in range(120):
        add(ledger, number)
        index.catch_up(ledger.feed, SPACE)
        index.optimize(only_if_due=True)
        status = index.status()
        most = max(most[0], status.fragments), max(most[1], status.versions)
    assert most[0] <= COMPACT_AT_FRAGMENTS + 1
    assert most[1] <= 5 * COMPACT_AT_FRAGMENTS
    assert agrees(index, ledger)


def test_catching_up_merges_nothing(ledger: SqliteLedger, folder: Path) -> None:
    index = LanceIndex(folder, ledger.memories)
    for number in range(COMPACT_AT_FRAGMENTS + 5):
        add(ledger, number)
        index.catch_up(ledger.feed, SPACE, seconds=10.0)

    assert index.status().small_fragments == COMPACT_AT_FRAGMENTS + 5
    assert index.optimize(only_if_due=True)
    assert index.status().small_fragments < COMPACT_AT_FRAGMENTS
    assert not index.optimize(only_if_due=True)
    assert agrees(index, ledger)


def test_a_merge_that_is_due_does_not_wait_for_another_writer(ledger: SqliteLedger, folder: Path) -> None:
    index = filled(ledger, folder)
    with LanceIndex(folder, ledger.memories)._writing(None):
        assert not index.optimize(only_if_due=True)


def test_full_fragments_of_a_large_store_are_not_compacted(
    ledger: SqliteLedger, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(lance_dataset, "ROWS_PER_FRAGMENT", 1)
    compacted: list[int] = []
    monkeypatch.setattr(follower, "compact", lambda dataset: compacted.append(dataset.count_rows()))
    index = LanceIndex(folder, ledger.memories)
    for number in range(COMPACT_AT_FRAGMENTS + 5):
        add(ledger, number)
        index.catch_up(ledger.feed, SPACE)

    assert index.status().fragments > COMPACT_AT_FRAGMENTS
    assert compacted == []


def test_optimizing_leaves_one_fragment_and_no_row_unindexed(ledger: SqliteLedger, folder: Path) -> None:
    index = filled(ledger, folder, rounds=6)
    assert index.status().fragments > 1
    index.optimize()
    status = index.status()
    assert (status.fragments, status.unindexed_rows, status.rows) == (1, 0, 6)
    assert agrees(index, ledger)


# Codes of vectors


def many(ledger: SqliteLedger, few: AbstractSet[str] = frozenset()) -> dict[str, Vector]:
    """Store more records than the ledger compares for one search, some of them in a small scope; return their vectors."""
    chance = random.Random(7)
    # About a hundred matters, as texts are: nearest to each other are those about the same.
    matters = [[chance.gauss(0, 1) for _ in range(128)] for _ in range(100)]
    about = [matters[number % len(matters)] for number in range(3_000)]
    vectors = {
        f"m{number:04}": unit(*(value + chance.gauss(0, 0.7) for value in matter))
        for number, matter in enumerate(about)
    }
    store(ledger, *(memory(id, scope="few" if id in few else "global") for id in vectors))
    embed(ledger, vectors, WIDE)
    return vectors


def exact(ledger: SqliteLedger, vector: Vector, view: View, limit: int) -> list[str]:
    return [one.id for one in ledger.memories.nearest(vector, view, limit)]


def test_of_many_records_the_nearest_are_found(ledger: SqliteLedger, folder: Path) -> None:
    vectors = many(ledger)
    index = LanceIndex(folder, ledger.memories)
    index.catch_up(ledger.feed, WIDE)
    status = index.status()
    assert (status.vector_index, status.rows_with_vectors, status.outgrown) == ("codes", 3_000, False)
    found = [
        len({*exact(ledger, vector, GLOBAL, 10)} & {one.id for one in index.nearest(vector, GLOBAL, 60)})
        for vector in list(vectors.values())[:50]
    ]
    assert sum(found) >= 0.98 * 10 * len(found)
    for vector in list(vectors.values())[:5]:
        assert index.nearest(vector, GLOBAL, 3) == ledger.memories.nearest(vector, GLOBAL, 3)


def test_a_small_scope_is_searched_completely(ledger: SqliteLedger, folder: Path) -> None:
    few = frozenset(f"m{number:04}" for number in range(0, 3_000, 127))
    vectors = many(ledger, few)
    index = LanceIndex(folder, ledger.memories)
    index.catch_up(ledger.feed, WIDE)
    view = View(Reach(("few",)), NOW)
    for vector in list(vectors.values())[:20]:
        assert [one.id for one in index.nearest(vector, view, 10)] == exact(ledger, vector, view, 10)


def test_a_later_record_is_found_until_it_is_forgotten(ledger: SqliteLedger, folder: Path) -> None:
    vectors = many(ledger)
    index, reader = LanceIndex(folder, ledger.memories), LanceIndex(folder, ledger.memories)
    index.catch_up(ledger.feed, WIDE)
    opposite = unit(*(-number for number in vectors["m0000"]))
    assert reader.nearest(opposite, GLOBAL, 1)[0].id != "late"
    store(ledger, memory("late", "late walrus"))
    embed(ledger, {"late": opposite}, WIDE)
    index.catch_up(ledger.feed, WIDE)
    assert [one.nearest(opposite, GLOBAL, 1)[0].id for one in (index, reader)] == ["late", "late"]
    erase(ledger, "late")
    index.catch_up(ledger.feed, WIDE)
    assert "late" not in {one.id for one in reader.nearest(opposite, GLOBAL, 3_001)}
    assert index.status().rows_with_vectors == 3_000


def test_a_new_record_in_the_row_of_a_forgotten_one_is_found(ledger: SqliteLedger, folder: Path) -> None:
    index = filled(ledger, folder)
    erase(ledger, "m002")
    store(ledger, memory("new", "walrus number 9"))
    embed(ledger, {"new": unit(0, 0, 1, 0)})
    rows = {str(item.id): item.row for item in ledger.feed.since(0, SPACE, 10)}
    assert rows["new"] == 3
    assert index.catch_up(ledger.feed, SPACE).current
    assert agrees(index, ledger)


@pytest.mark.parametrize("name", ["code", "validity", "standing", "scope"])
@pytest.mark.parametrize("damage", [Path.unlink, empty])
def test_without_its_codes_an_index_is_unusable_and_rebuilt(
    ledger: SqliteLedger, folder: Path, name: str, damage: Callable[[Path], None]
) -> None:
    index = filled(ledger, folder)
    damage(folder / "memories.lance" / "codes" / name)
    again = LanceIndex(folder, ledger.memories)
    if (name, damage) == ("scope", empty):
        assert again.nearest(unit(1, 0, 0, 0), GLOBAL, 5) == []
    else:
        assert again.status().problem
        with pytest.raises(Unavailable):
            again.nearest(unit(1, 0, 0, 0), GLOBAL, 5)
    index.drop()
    assert again.catch_up(ledger.feed, SPACE).current
    assert agrees(again, ledger)


def halve(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


@pytest.mark.parametrize(("name", "damage"), [("scope", Path.unlink), ("code", Path.unlink), ("code", halve)])
def test_new_memories_do_not_wait_for_an_index_without_its_codes(
    ledger: SqliteLedger, folder: Path, name: str, damage: Callable[[Path], None]
) -> None:
    filled(ledger, folder)
    add(ledger, 7)
    damage(folder / "memories.lance" / "codes" / name)
    index = LanceIndex(folder, ledger.memories)

    assert index.pending(ledger.feed, SPACE) == ()
    caught_up = index.catch_up(ledger.feed, SPACE)
    assert caught_up.current and caught_up.repaired
    assert agrees(index, ledger)


# Privacy


def test_only_the_owner_can_read_the_files(tmp_path: Path) -> None:
    modes = children.run(
        """
os.umask(0)
memory = opened(place / "home")
for text in ("first", "second"):
    memory.store(text)
    memory.recall(text)
memory.forget(memory.memories.list().result.memories[0].id)
memory.maintenance.index_rebuild()
answer([[str(path), path.is_dir(), oct(path.stat().st_mode & 0o777)] for path in (place / "home").rglob("*")])
""",
        tmp_path,
    )
    assert len(modes) > 10
    assert [(path, mode) for path, is_folder, mode in modes if mode != ("0o700" if is_folder else "0o600")] == []


def holding(folder: Path, needle: bytes) -> list[str]:
    return [str(path) for path in sorted(folder.rglob("*")) if path.is_file() and needle in path.read_bytes()]


def test_a_forgotten_text_is_in_no_file_and_no_older_version(ledger: SqliteLedger, folder: Path) -> None:
    index = filled(ledger, folder)
    store(ledger, memory("secret", "the zanzibarium password", title="quetzalcoatlus", tags=("axolotlish",)))
    embed(ledger, {"secret": unit(0, 0, 0, 1)})
    index.catch_up(ledger.feed, SPACE)
    words = (b"zanzibarium", b"quetzalcoatlus", b"axolotlish")
    assert all(holding(folder, word) for word in words)
    reader = LanceIndex(folder, ledger.memories)
    assert [one.id for one in reader.match(["zanzibarium"], GLOBAL, 5)] == ["secret"]
    erase(ledger, "secret")
    assert index.catch_up(ledger.feed, SPACE).current
    assert [holding(folder, word) for word in (*words, b"zanzibar", b"axolotl", b"quetzalcoatl")] == [[]] * 6
    assert index.status().versions <= 2
    assert reader.match(["zanzibarium"], GLOBAL, 5) == []
    assert agrees(reader, ledger)


def test_earlier_texts_of_a_forgotten_record_are_erased_too(ledger: SqliteLedger, folder: Path) -> None:
    index = filled(ledger, folder)
    store(ledger, memory("secret", "the zanzibarium password"))
    index.catch_up(ledger.feed, SPACE)
    change(ledger, memory("secret", "the zanzibarium password"), text="an axolotlish password")
    index.catch_up(ledger.feed, SPACE)
    erase(ledger, "secret")
    index.catch_up(ledger.feed, SPACE)
    assert holding(folder, b"zanzibarium") == holding(folder, b"axolotlish") == []


def test_files_of_a_killed_writer_are_erased_too(ledger: SqliteLedger, folder: Path) -> None:
    """A writer killed before its commit leaves a data file that belongs to no version."""
    index = filled(ledger, folder)
    store(ledger, memory("secret", "the zanzibarium password"))
    index.catch_up(ledger.feed, SPACE)
    data = folder / "memories.lance" / "data"
    (orphan,) = [path for path in data.iterdir() if b"zanzibarium" in path.read_bytes()]
    shutil.copy(orphan, data / f"{'01' * 12}0123456789abcdef0123456789.lance")
    erase(ledger, "secret")
    index.catch_up(ledger.feed, SPACE)
    assert holding(folder, b"zanzibarium") == []
    assert agrees(index, ledger)


def test_a_few_records_may_wait_after_a_write(ledger: SqliteLedger, folder: Path) -> None:
    index = filled(ledger, folder)
    assert index.pending(ledger.feed, SPACE) == (), "it has everything"

    add(ledger, 7)

    assert [one.id for one in index.pending(ledger.feed, SPACE)] == ["m007"]
    assert LanceIndex(folder, ledger.memories).pending(ledger.feed, SPACE) == index.pending(ledger.feed, SPACE)
    assert index.catch_up(ledger.feed, SPACE).current
    assert index.pending(ledger.feed, SPACE) == ()


def test_many_or_erased_records_do_not_wait(
    ledger: SqliteLedger, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("satchel.adapters.lance.index.MAX_PENDING", 2)
    index = filled(ledger, folder)
    for number in (7, 8):
        add(ledger, number)
    assert len(index.pending(ledger.feed, SPACE)) == 2

    add(ledger, 9)
    assert index.pending(ledger.feed, SPACE) == ()
    index.catch_up(ledger.feed, SPACE)
    erase(ledger, "m001")

    assert index.pending(ledger.feed, SPACE) == ()


def test_nothing_waits_if_the_last_write_was_long_ago_or_cannot_be_told(ledger: SqliteLedger, folder: Path) -> None:
    index = filled(ledger, folder)
    add(ledger, 7)
    versions = next(folder.glob("*.lance")) / "_versions"

    for written in (0, 4_000_000_000):
        os.utime(versions, (written, written))
        assert index.pending(ledger.feed, SPACE) == ()
    shutil.rmtree(folder)
    assert index.pending(ledger.feed, SPACE) == ()


def test_nothing_waits_for_an_index_of_another_space_or_history(ledger: SqliteLedger, folder: Path) -> None:
    index = filled(ledger, folder)
    add(ledger, 7)
    other = SqliteLedger(None)

    assert index.pending(ledger.feed, Space("other", 4)) == ()
    assert index.pending(other.feed, SPACE) == ()
    other.close()


def test_readers_share_what_is_known_of_a_scope(
    ledger: SqliteLedger, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    index = filled(ledger, folder)
    made: list[Reach] = []
    real = reaches._summarise

    def summarise(dataset: lance.LanceDataset, reach: Reach) -> reaches.ReachSummary:
        made.append(reach)
        return real(dataset, reach)

    monkeypatch.setattr(reaches, "_summarise", summarise)

    for reader in (index, LanceIndex(folder, ledger.memories), index):
        assert len(reader.match(["walrus"], GLOBAL, 5)) == 3

    assert len(made) == 1
    add(ledger, 7)
    index.catch_up(ledger.feed, SPACE)
    assert len(index.match(["walrus"], GLOBAL, 5)) == 4
    assert len(made) == 2
