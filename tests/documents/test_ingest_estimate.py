"""The progress of an ingest covers all its work, so the time left can be estimated from it."""

from collections.abc import Sequence
from pathlib import Path

from satchel.adapters.embedders.hashing import Hashing
from satchel.app import Satchel
from satchel.config import load
from satchel.domain.embedding import Vector

FILES = 2_000
# What the model takes for a text, in the time that a document takes otherwise.
MODEL_SHARE = 20


class CountingEmbedder(Hashing):
    """Counts the texts that it embedded, in place of a clock."""

    embedded = 0

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.embedded += len(texts)
        return super().embed(texts)


def test_the_estimate_after_a_tenth_of_the_files_holds(tmp_path: Path) -> None:
    notes, embedder = tmp_path / "notes", CountingEmbedder()
    notes.mkdir()
    for number in range(FILES):
        text = "".join(f"## Part {part}\n\nText {number}.\n\n" for part in range(1 + number % 3))
        (notes / f"{number:05}.md").write_text(text, encoding="utf-8")
    reports: list[tuple[float, int]] = []

    def ticks(done: int) -> float:
        return done + MODEL_SHARE * embedder.embedded

    with Satchel.open(settings=load(home=str(tmp_path / "home")), embedder=embedder) as memory:
        ingested = memory.documents.ingest(
            [str(notes)],
            progress=lambda done, total, what: reports.append((ticks(done), done)) if what == "documents" else None,
        ).result

    end = ticks(FILES)
    at, done = next((at, done) for at, done in reports if done >= FILES / 10)
    assert 0.7 <= (at * FILES / done) / end <= 1.3
    assert (ingested.added, ingested.embedded, ingested.embeddings_waiting) == (FILES, embedder.embedded, 0)
