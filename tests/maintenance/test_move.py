"""A store of an earlier version moves to the bundled model: resumable, with progress, never in two spaces at once."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from satchel.adapters.embedders import bundled, weights
from satchel.app import Satchel
from satchel.domain.embedding import BUNDLED_MODEL, MINILM_MODEL, Space, move_target, provider_of
from satchel.indexing.embed import BATCH_SIZE
from satchel.indexing.values import MoveProgress
from tests.adapters.embedders import tiny
from tests.maintenance.old_space import old_store, settings_of
from tests.tables import each_case

MEMORIES, TURNS = 3 * BATCH_SIZE, 5
TEXTS = MEMORIES + TURNS


@pytest.fixture
def old_home(home: Path) -> Path:
    """A store with vectors of MiniLM, which is not installed."""
    old_store(home, MEMORIES, TURNS)
    return home


def _install_tiny(home: Path, tmp_path: Path) -> None:
    """Put a tiny model where MiniLM is looked for."""
    files = tiny.files()
    folder = home.parent / "models" / MINILM_MODEL
    weights.install(folder, source=tiny.folder(tmp_path / "source", files), recipe=tiny.recipe(files))


def _space_of_a_recall(memory: Satchel) -> object:
    return memory.recall("walrus").receipt.considered["embedding_space"]


# Before the move


def test_with_the_old_model_the_old_vectors_answer(old_home: Path, tmp_path: Path) -> None:
    _install_tiny(old_home, tmp_path)
    with Satchel.open(settings=settings_of(old_home)) as memory:
        answer = memory.recall("walrus harbour", mode="vector")
        assert answer.receipt.warnings == ()
        assert answer.receipt.considered["embedding_space"] == MINILM_MODEL
        assert answer.result.hits


def test_without_the_old_model_words_answer_and_the_warning_names_the_rebuild(old_home: Path) -> None:
    with Satchel.open(settings=settings_of(old_home)) as memory:
        answer = memory.recall("walrus number 7")
        assert answer.result.hits[0].memory.text.startswith("walrus number 7 ")
        (warning,) = answer.receipt.warnings
        assert warning.startswith("model_missing: ")
        assert "satchel index rebuild" in warning


def test_a_move_that_is_due_is_reported(old_home: Path) -> None:
    with Satchel.open(settings=settings_of(old_home)) as memory:
        assert memory.maintenance.index_status().result.move == MoveProgress(BUNDLED_MODEL, 0, TEXTS)
        (finding,) = [one for one in memory.maintenance.doctor().result.findings if one.check == "embedding space"]
        assert finding.message.startswith(f"0 of {TEXTS} texts have vectors of {BUNDLED_MODEL}")
        assert "satchel index rebuild" in finding.fix


def test_doctor_finds_a_damaged_model(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = shutil.copytree(bundled.FOLDER, tmp_path / "model")
    tensors = folder / "model.onnx.data"
    tensors.write_bytes(b"\xff" + tensors.read_bytes()[1:])
    # Before: one encoder serves the whole process, and it must not be that of the damaged copy.
    bundled.bundled_encoder()
    monkeypatch.setattr(bundled, "FOLDER", folder)
    with Satchel.open(settings=settings_of(home)) as memory:
        found = memory.maintenance.doctor().result
        assert not found.healthy
        (finding,) = [one for one in found.findings if one.check == "embedding model"]
        assert finding.message.startswith(f"{BUNDLED_MODEL}: model.onnx.data is damaged")


@pytest.fixture
def earlier_home(home: Path) -> Path:
    """A store with vectors of the first encoder of our own, which is no longer part of the package."""
    old_store(home, MEMORIES, TURNS, model="satchel-encoder-1")
    return home


def test_a_store_of_the_first_encoder_answers_by_words_until_it_is_moved(earlier_home: Path) -> None:
    with Satchel.open(settings=settings_of(earlier_home)) as memory:
        answer = memory.recall("walrus number 7")
        assert answer.result.hits[0].memory.text.startswith("walrus number 7 ")
        (warning,) = answer.receipt.warnings
        assert warning.startswith("other_space: ") and "satchel index rebuild" in warning
        assert memory.maintenance.index_status().result.move == MoveProgress(BUNDLED_MODEL, 0, TEXTS)

        memory.maintenance.index_rebuild()
        assert _space_of_a_recall(memory) == BUNDLED_MODEL
        assert memory.parts.ledger.vectors.count(Space("satchel-encoder-1", 384)) == 0


# The command


def test_a_rebuild_moves_every_text(old_home: Path) -> None:
    with Satchel.open(settings=settings_of(old_home)) as memory:
        told: list[tuple[int, int, str]] = []
        report = memory.maintenance.index_rebuild(progress=lambda *one: told.append(one)).result

        assert (report.space, report.rows_with_vectors, report.move) == (BUNDLED_MODEL, MEMORIES, None)
        assert report.passages is not None
        assert (report.passages.rows, report.embeddings_waiting, report.passages.embeddings_waiting) == (TURNS, 0, 0)
        assert (MEMORIES, MEMORIES, "embedding") in told
        assert (TURNS, TURNS, "embedding") in told
        answer = memory.recall("walrus number 7")
        assert (answer.receipt.warnings, answer.receipt.considered["embedding_space"]) == ((), BUNDLED_MODEL)
        assert memory.maintenance.doctor().result.healthy


def test_a_configured_embedder_is_respected(old_home: Path, tmp_path: Path) -> None:
    _install_tiny(old_home, tmp_path)
    with Satchel.open(settings=settings_of(old_home, provider="minilm")) as memory:
        report = memory.maintenance.index_rebuild().result
        assert (report.space, report.move) == (MINILM_MODEL, None)


@each_case(
    "configured, space, target",
    [
        ("", MINILM_MODEL, "satchel"),
        ("satchel", MINILM_MODEL, "satchel"),
        ("", "satchel-encoder-1", "satchel"),
        ("minilm", "satchel-encoder-1", None),
        ("minilm", MINILM_MODEL, None),
        ("none", MINILM_MODEL, None),
        ("openai", MINILM_MODEL, None),
        ("", BUNDLED_MODEL, None),
        ("", "openai:text-embedding-3-small", None),
        ("", "hashing-256", None),
        ("satchel", "hashing-256", None),
        ("", None, None),
    ],
)
def test_only_vectors_of_the_earlier_default_move(configured: str, space: str | None, target: str | None) -> None:
    assert move_target(configured, Space(space, 384) if space else None) == target


@each_case(
    "space, provider",
    [
        (None, "satchel"),
        (BUNDLED_MODEL, "satchel"),
        (MINILM_MODEL, "minilm"),
        ("openai:all-minilm", "openai"),
        ("hashing-256", "hashing"),
        ("somebody-elses", "satchel"),
    ],
)
def test_a_space_belongs_to_a_provider(space: str | None, provider: str) -> None:
    assert provider_of(Space(space, 384) if space else None) == provider


# In steps


def test_searches_during_a_move_use_one_space(old_home: Path, tmp_path: Path) -> None:
    _install_tiny(old_home, tmp_path)
    with Satchel.open(settings=settings_of(old_home)) as memory:
        seen = []
        for _ in memory.maintenance.move():
            vectors, passages = memory.parts.ledger.vectors, memory.parts.ledger.passages.vectors
            assert vectors.space() == passages.space() == Space(MINILM_MODEL, 384)
            seen.append(_space_of_a_recall(memory))
            assert memory.recall("walrus").receipt.warnings == ()

        assert seen == [MINILM_MODEL] * (1 + MEMORIES // BATCH_SIZE)
        assert _space_of_a_recall(memory) == BUNDLED_MODEL
        # No vector of the old space is left.
        assert memory.parts.ledger.vectors.count(Space(MINILM_MODEL, 384)) == 0
        assert memory.parts.ledger.vectors.count(Space(BUNDLED_MODEL, 384)) == MEMORIES


def test_a_stopped_move_goes_on_where_it_stopped(old_home: Path) -> None:
    with Satchel.open(settings=settings_of(old_home)) as memory:
        steps = memory.maintenance.move()
        next(steps)
        next(steps)
        half = MoveProgress(BUNDLED_MODEL, TURNS + BATCH_SIZE, TEXTS)
        assert memory.maintenance.index_status().result.move == half
    with Satchel.open(settings=settings_of(old_home)) as memory:
        assert memory.maintenance.index_status().result.move == half
        assert len(list(memory.maintenance.move())) == MEMORIES // BATCH_SIZE - 1
        report = memory.maintenance.index_status().result
        assert (report.space, report.rows_with_vectors, report.move) == (BUNDLED_MODEL, MEMORIES, None)


def test_texts_of_meanwhile_are_moved_too(old_home: Path) -> None:
    with Satchel.open(settings=settings_of(old_home)) as memory:
        for number, _ in enumerate(memory.maintenance.move()):
            if number < 2:
                memory.store(f"a late seal, number {number}")
        report = memory.maintenance.index_status().result
        assert (report.space, report.rows_with_vectors, report.embeddings_waiting) == (BUNDLED_MODEL, MEMORIES + 2, 0)


def test_a_move_that_another_process_finished_is_not_repeated(old_home: Path) -> None:
    with Satchel.open(settings=settings_of(old_home)) as memory, Satchel.open(settings=settings_of(old_home)) as other:
        steps = memory.maintenance.move()
        next(steps)
        other.maintenance.index_rebuild()
        list(steps)
        rebuilds = memory.maintenance.receipts_list(operation="index rebuild").result
        assert len(rebuilds) == 1
        assert memory.maintenance.index_status().result.rows_with_vectors == MEMORIES


def test_a_store_of_the_bundled_model_has_nothing_to_move(home: Path) -> None:
    with Satchel.open(settings=settings_of(home)) as memory:
        memory.store("a new store")
        assert _space_of_a_recall(memory) == BUNDLED_MODEL
        assert list(memory.maintenance.move()) == []
        assert memory.maintenance.index_status().result.move is None


KILLED = """
import os, signal, sys
from pathlib import Path
from satchel.app import Satchel
from satchel.indexing import embed
from tests.maintenance.old_space import settings_of

embed.BULK_BATCH_SIZE = embed.BATCH_SIZE
told = []

def die(done, total, what):
    told.append(what)
    if told.count("embedding") == int(sys.argv[2]):
        os.kill(os.getpid(), signal.SIGKILL)

Satchel.open(settings=settings_of(Path(sys.argv[1]))).maintenance.index_rebuild(progress=die)
"""


def test_a_killed_rebuild_is_resumed_and_the_old_space_stays_until_then(old_home: Path, tmp_path: Path) -> None:
    _install_tiny(old_home, tmp_path)
    root = Path(__file__).parents[2]
    for batches in (1, 2):
        child = subprocess.run(
            [sys.executable, "-c", KILLED, str(old_home), str(batches)],
            cwd=root,
            env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
            check=False,
        )
        assert child.returncode == -signal.SIGKILL
        with Satchel.open(settings=settings_of(old_home)) as memory:
            assert _space_of_a_recall(memory) == MINILM_MODEL
    with Satchel.open(settings=settings_of(old_home)) as memory:
        # The first child embedded the turns, the second one two batches of memories.
        move = memory.maintenance.index_status().result.move
        assert move == MoveProgress(BUNDLED_MODEL, TURNS + 2 * BATCH_SIZE, TEXTS)
        told: list[tuple[int, int, str]] = []
        memory.maintenance.index_rebuild(progress=lambda *one: told.append(one))
        assert (BATCH_SIZE, BATCH_SIZE, "embedding") in told
        assert _space_of_a_recall(memory) == BUNDLED_MODEL
        assert memory.maintenance.doctor().result.healthy
