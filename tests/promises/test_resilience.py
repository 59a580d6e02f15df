"""Behaviour with other processes, a restored backup, and invalid arguments."""

import shutil
import subprocess
import sys
from pathlib import Path

import apsw
import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import EmbeddingSettings, Settings
from satchel.domain.policies import RecallPolicy
from satchel.errors import InvalidRequest


def _codes(warnings: tuple[str, ...]) -> list[str]:
    return [warning.partition(":")[0] for warning in warnings]


def _other(home: Path) -> apsw.Connection:
    """Open the ledger as another program does."""
    return apsw.Connection(str(home / "ledger.sqlite3"))


def test_a_recall_does_not_wait_for_a_long_write_of_another_process(settings: Settings, home: Path) -> None:
    with Satchel.open(settings=replace(settings, recall=RecallPolicy(catch_up_ms=300, index_from=0))) as memory:
        memory.store("the first walrus")
        memory.recall("walrus")
        memory.store("a second walrus")
        other = _other(home)
        other.execute("BEGIN IMMEDIATE")

        answer = memory.recall("walrus")

        assert {hit.memory.text for hit in answer.result.hits} == {"a second walrus", "the first walrus"}
        assert (_codes(answer.receipt.warnings), answer.receipt.kept) == (["busy"], False)
        other.execute("ROLLBACK")
        assert memory.recall("walrus").receipt.warnings == ()


def test_an_erasure_blocked_by_a_reader_is_reported_and_completed_later(memory: Satchel, home: Path) -> None:
    secret = memory.store("the alarm code is forty-two seventeen").result.id
    reader = _other(home)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM memories").fetchall()

    forgotten = memory.forget(secret, verify=True).result

    assert forgotten.pending == ("ledger",)
    assert "ledger" not in forgotten.erased_from
    assert not memory.maintenance.doctor().result.healthy
    reader.execute("COMMIT")
    reader.close()
    assert memory.maintenance.doctor(fix=True).result.healthy
    assert not any(b"forty-two" in path.read_bytes() for path in home.rglob("*") if path.is_file())


def _elsewhere(home: Path, text: str) -> list[str]:
    """Store a memory in another process, and return all texts that it sees."""
    script = (
        "import sys; from satchel.app import Satchel\n"
        "with Satchel.open(sys.argv[1]) as memory:\n"
        "    memory.store(sys.argv[2])\n"
        "    print(*sorted(one.text for one in memory.memories.list().result.memories), sep='\\n')"
    )
    done = subprocess.run([sys.executable, "-c", script, str(home), text], capture_output=True, text=True, check=True)
    return done.stdout.splitlines()


@pytest.mark.parametrize("before", ["verify", "open twice"])
def test_other_processes_see_stores_after_this_process_read_the_files(
    memory: Satchel, settings: Settings, home: Path, before: str
) -> None:
    gone = memory.store("the alarm code is forty-two seventeen").result.id
    if before == "verify":
        # It reads every file: closing any handle of the ledger would release this process's POSIX locks.
        memory.forget(gone, verify=True)
    else:
        Satchel.open(settings=settings).close()
        memory.forget(gone)

    _elsewhere(home, "a walrus of another process")
    memory.store("an elephant of this process")

    assert _elsewhere(home, "the last lion") == [
        "a walrus of another process",
        "an elephant of this process",
        "the last lion",
    ]


def test_erasure_verification_searches_a_compacted_index(memory: Satchel) -> None:
    for number in range(60):
        memory.store(f"walrus number {number} swims in the northern sea")
        if number % 6 == 0:
            memory.recall("walrus")
    secret = memory.store("the alarm code is forty-two seventeen").result.id
    memory.maintenance.index_build()

    holding = memory.parts.files.search([b"forty-two seventeen"]).holding
    assert any(name.startswith("index/") for name in holding)

    check = memory.forget(secret, verify=True).result.check
    assert check is not None
    assert (check.conclusive, check.found_before, check.found_after) == (True, len(holding), ())


def test_the_index_is_rebuilt_after_a_backup_is_restored(settings: Settings, home: Path) -> None:
    with Satchel.open(settings=settings) as memory:
        memory.store("the first walrus")
        memory.recall("walrus")
    shutil.copy(home / "ledger.sqlite3", home.parent / "backup")
    with Satchel.open(settings=settings) as memory:
        memory.store("a walrus that never was")
        memory.recall("walrus")
    for name in ("ledger.sqlite3-wal", "ledger.sqlite3-shm"):
        (home / name).unlink(missing_ok=True)
    shutil.copy(home.parent / "backup", home / "ledger.sqlite3")

    with Satchel.open(settings=settings) as memory:
        memory.store("another walrus")
        memory.store("one more walrus")
        texts = {hit.memory.text for hit in memory.recall("walrus").result.hits}
        assert texts == {"the first walrus", "another walrus", "one more walrus"}
        assert memory.maintenance.doctor().result.healthy


def test_a_stale_drop_does_not_remove_a_rebuilt_index(memory: Satchel) -> None:
    memory.store("the first walrus")
    memory.recall("walrus")
    index = memory.parts.index()
    stale = index.catch_up(
        memory.parts.ledger.feed, memory.parts.ledger.vectors.space() or pytest.fail("no space")
    ).generation
    memory.maintenance.index_rebuild()

    index.drop(only=stale, seconds=0)

    assert memory.maintenance.index_status().result.rows == 1


def test_equal_matches_are_ordered_by_id_at_the_candidate_limit(memory: Satchel) -> None:
    ids = sorted(memory.store(f"exactly the same words {number}").result.id for number in range(60))

    lexical = memory.recall("same words", mode="lexical", limit=5).result.hits
    assert [hit.memory.id for hit in lexical] == ids[:5]


def test_an_invalid_embedder_setting_leaves_recall_by_words(settings: Settings) -> None:
    with Satchel.open(settings=settings) as memory:
        memory.store("the first walrus")
    with Satchel.open(settings=replace(settings, embedding=EmbeddingSettings("openai", url="ftp://x"))) as memory:
        answer = memory.recall("walrus")
        assert [hit.memory.text for hit in answer.result.hits] == ["the first walrus"]
        assert len(answer.receipt.warnings) == 1
        assert memory.maintenance.doctor().result.healthy


def test_a_single_tag_is_not_split_into_letters(memory: Satchel) -> None:
    id = memory.store("x", tags="release").result.id
    assert memory.get(id).result.memory.tags == ("release",)


@pytest.mark.parametrize("wrong", [None, 3, b"bytes"])
def test_values_that_are_not_text_are_rejected(memory: Satchel, wrong: str) -> None:
    with pytest.raises(InvalidRequest):
        memory.store(wrong)
    with pytest.raises(InvalidRequest):
        memory.recall(wrong)


def test_values_that_are_not_numbers_are_rejected(memory: Satchel) -> None:
    for wrong in ("3", 2.5, True):
        with pytest.raises(InvalidRequest):
            memory.recall("x", limit=wrong)  # type: ignore[arg-type]
        with pytest.raises(InvalidRequest):
            memory.memories.list(limit=wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidRequest):
        memory.store("x", importance="high")  # type: ignore[arg-type]


def test_the_next_process_completes_a_blocked_forget(settings: Settings, home: Path) -> None:
    with Satchel.open(settings=settings) as memory:
        secret = memory.store("the alarm code is forty-two seventeen").result.id
        reader = _other(home)
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM memories").fetchall()
        assert memory.forget(secret).result.pending == ("ledger",)
        reader.execute("COMMIT")
        with Satchel.open(settings=settings) as another:
            assert another.maintenance.doctor().result.healthy
        reader.close()
