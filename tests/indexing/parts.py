"""Embedders that fail in every way, a clock that is told the time, and a ledger's stock of texts."""

import math
from array import array
from collections.abc import Callable, Mapping, Sequence
from typing import NoReturn

import pytest
from msgspec.structs import replace

from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.domain.embedding import Clamp, Space, Vector
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import admin_view
from satchel.errors import EmbeddingFailed, Unavailable
from satchel.indexing.memory_index import IndexedStore
from satchel.ports import CatchUp, Change, Clock, Embedder, Feed, Ledger, Progress

LIMITS = Clamp(max_chars=200, head_chars=50)
TOY = Space("toy", 2)
WIDE = Space("toy", 3)
OTHER = Space("other", 2)
WIDE_OTHER = Space("other", 3)


def vector_of(text: str) -> Vector:
    return array("f", [1.0, float(len(text) % 7)])


class Toy:
    """Embeds a text by its length, and records every call."""

    dimensions: int | None

    def __init__(self, name: str = "toy") -> None:
        self.name = name
        self.dimensions = 2
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        self.calls.append(list(texts))
        return [self.one(text) for text in texts]

    def one(self, text: str) -> Vector:
        return vector_of(text)

    @property
    def texts(self) -> list[str]:
        """Every text it embedded, in order."""
        return [text for call in self.calls for text in call]


class Lazy(Toy):
    """Knows its dimensions only after the first answer, as a remote model does."""

    def __init__(self, name: str = "toy") -> None:
        super().__init__(name)
        self.dimensions = None

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        made = super().embed(texts)
        self.dimensions = 2
        return made


class Down(Toy):
    """Fails while it is down."""

    def __init__(self, code: str = "endpoint_unreachable", *, answers_first: int = 0, name: str = "toy") -> None:
        super().__init__(name)
        self.code = code
        self.answers_left = answers_first

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if not self.answers_left:
            self.calls.append(list(texts))
            raise EmbeddingFailed("it is down", code=self.code)
        self.answers_left -= 1
        return super().embed(texts)


class Picky(Toy):
    """Refuses a whole batch if one text is too long."""

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        if any("too long" in text for text in texts):
            self.calls.append(list(texts))
            raise EmbeddingFailed("one is too long", code="input_too_long")
        return super().embed(texts)


class Wide(Toy):
    """Makes longer vectors, like another model of the same name."""

    def __init__(self, name: str = "toy") -> None:
        super().__init__(name)
        self.dimensions = 3

    def one(self, text: str) -> Vector:
        return array("f", [*vector_of(text), 1.0])


class Miscounting(Toy):
    """Returns one vector too few or too many."""

    def __init__(self, too_many: int, *, alone: bool = True) -> None:
        super().__init__()
        self._too_many, self._alone = too_many, alone

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        made = super().embed(texts)
        if len(texts) == 1 and not self._alone:
            return made
        return made[: self._too_many] if self._too_many < 0 else made + made[: self._too_many]


class Odd(Toy):
    """Returns unusable vectors for some texts."""

    def one(self, text: str) -> Vector:
        odd = {
            "nan": [math.nan, 1.0],
            "inf": [math.inf, 1.0],
            "zero": [0.0, 0.0],
            "short": [1.0],
            "long": [1.0, 2.0, 3.0],
            "empty": [],
        }
        return array("f", odd[text]) if text in odd else vector_of(text)


class LazyOdd(Odd, Lazy):
    """Returns unusable vectors, and does not know its dimensions."""


class Meddling(Toy):
    """Changes the store during its first embedding."""

    def __init__(self, meddle: Callable[[], None]) -> None:
        super().__init__()
        self._meddle: Callable[[], None] | None = meddle

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        made = super().embed(texts)
        if self._meddle:
            meddle, self._meddle = self._meddle, None
            meddle()
        return made


class ToldClock:
    """A clock that advances by a fixed step per reading."""

    def __init__(self, step: float = 0.0) -> None:
        self.time = 0.0
        self._step = step

    def now(self) -> int:
        return int(self.time * 1000)

    def ticks(self) -> float:
        self.time += self._step
        return self.time


class WatchedIndex(InMemoryIndex):
    """An index that records its calls and can return a given result."""

    def __init__(self, answer: CatchUp | None = None) -> None:
        super().__init__()
        self.answer = answer
        self.log: list[str] = []
        self.seconds: list[float | None] = []

    def catch_up(
        self, feed: Feed, space: Space, *, seconds: float | None = None, progress: Progress | None = None
    ) -> CatchUp:
        self.log.append(f"catch up in {space.name}")
        self.seconds.append(seconds)
        told = list(self.log)
        answer = self.answer or super().catch_up(feed, space, seconds=seconds, progress=progress)
        self.log = told  # without what the index did to itself
        return answer

    def optimize(self, *, only_if_due: bool = False) -> bool:
        self.log.append("optimize")
        return True

    def drop(self, *, only: str = "", seconds: float | None = None) -> None:
        super().drop(only=only, seconds=seconds)
        self.log.append("drop")


def keep(ledger: Ledger, *texts: str) -> list[MemoryId]:
    """Store texts, oldest first, under the ids m00, m01, …"""
    first = ledger.memories.tally(admin_view(EVERYWHERE, 0)).memories
    memories = [
        Memory(MemoryId(f"m{number:02}"), text, "global", created_at=number, updated_at=number)
        for number, text in enumerate(texts, start=first)
    ]
    ledger.memories.commit([Change(one, None, "store", "test") for one in memories], Receipt("store", {}))
    return [one.id for one in memories]


def change(ledger: Ledger, id: MemoryId, text: str) -> None:
    before = fetch(ledger, id)
    after = replace(before, text=text, content_hash="")
    ledger.memories.commit([Change(after, before, "revise", "test")], Receipt("revise", {}))


def erase(ledger: Ledger, id: MemoryId) -> None:
    assert ledger.memories.erase(id, EVERYWHERE, "test", Receipt("forget", {}))


def fetch(ledger: Ledger, id: MemoryId) -> Memory:
    return ledger.memories.fetch([id], admin_view(EVERYWHERE, 0))[id]


def embedded(ledger: Ledger, space: Space = TOY) -> dict[str, Vector]:
    """Every vector of a space, by id."""
    ids = [id for id, _ in ledger.feed.fingerprints()]
    return {str(id): vector for id, vector in sorted(ledger.vectors.get(space, ids).items())}


def derived(
    ledger: Ledger,
    embedder: Embedder | None = None,
    index: WatchedIndex | None = None,
    *,
    clock: Clock | None = None,
    others: Mapping[str, Embedder] | None = None,
) -> IndexedStore:
    used = index or WatchedIndex()
    named = others or {}
    return IndexedStore(
        ledger, lambda: used, lambda name: embedder if name is None else named[name], LIMITS, clock or ToldClock()
    )


def untouchable() -> NoReturn:
    raise AssertionError("the index was called for, and it takes a third of a second to load")


def code_of(call: object) -> str:
    assert callable(call)
    with pytest.raises(Unavailable) as caught:
        call()
    return caught.value.code
