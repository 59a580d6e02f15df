"""Stores of an earlier version: their vectors are those of a model that is no longer the default."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from satchel.adapters.embedders.hashing import Hashing
from satchel.app import Satchel
from satchel.config import Settings, load
from satchel.domain.embedding import MINILM_MODEL, Vector


class StandIn:
    """Implements ports.Embedder: the name and width of an earlier model, without its weights."""

    dimensions = 384

    def __init__(self, name: str = MINILM_MODEL) -> None:
        self.name = name

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        return Hashing(384).embed(texts)


def settings_of(home: Path, **embedding: Any) -> Settings:
    """Return settings without an installed MiniLM, with time to embed everything."""
    return load(home=str(home), models=str(home.parent / "models"), embedding=embedding, recall={"catch_up_ms": 10_000})


def old_store(home: Path, memories: int, turns: int = 0, model: str = MINILM_MODEL) -> list[str]:
    """Make a store with vectors of an earlier model, and return the texts of its memories."""
    texts = [f"walrus number {number} likes the {place} harbour" for number, place in _numbered(memories)]
    with Satchel.open(settings=settings_of(home), embedder=StandIn(model)) as memory:
        for text in texts:
            memory.store(text)
        for number in range(turns):
            memory.episodes.add(text=f"the captain told story {number}", session="ship")
        memory.maintenance.index_build()
        assert memory.maintenance.index_status().result.space == model
    return texts


def _numbered(count: int) -> list[tuple[int, str]]:
    places = ("old", "northern", "quiet", "busy", "frozen")
    return [(number, places[number % len(places)]) for number in range(count)]
