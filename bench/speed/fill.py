"""Fill a store with generated memories as anybody can: by an import of rows, with their vectors where these are known."""

import json
import random
import uuid
from collections.abc import Iterator, Sequence
from itertools import repeat
from pathlib import Path

from bench.speed.corpus import MIXED_SCOPES, SEED, Text
from satchel.adapters.clock import SystemClock
from satchel.app import Satchel
from satchel.domain.canonical import Json
from satchel.domain.embedding import Space, Vector
from satchel.errors import Unavailable
from satchel.memories.row_vectors import VECTOR, vector_field
from satchel.ports import Progress

GRADED_OF_MIXED, UNTRUSTED_OF_MIXED = 0.3, 0.2
_MINUTE_MS = 60_000


def write_rows(
    path: Path, contents: Sequence[Text], space: Space | None = None, vectors: Sequence[Vector] | None = None
) -> None:
    """Write generated memories as the rows of an export."""
    with path.open("w", encoding="utf-8") as file:
        for row, vector in zip(_rows(contents), repeat(None) if vectors is None else vectors, strict=False):
            if space is not None and vector is not None:
                row[VECTOR] = vector_field(space, vector)
            file.write(f"{json.dumps(row, ensure_ascii=False)}\n")


def import_rows(memory: Satchel, path: Path, count: int, progress: Progress) -> None:
    """Import the rows. Raises unless all of them were imported."""
    imported = memory.transfer.import_(str(path), trusted=True, progress=progress).result.imported
    if imported != count:
        raise Unavailable(f"only {imported} of {count} rows were imported", code="bench_failed")


def _rows(contents: Sequence[Text]) -> Iterator[dict[str, Json]]:
    chance, now = random.Random(SEED), SystemClock().now()
    for place, one in enumerate(contents):
        # 1 % each are quarantined and expired, so that the rules of a view have something to leave out.
        quarantined, expired = chance.random() < 0.01, chance.random() < 0.01
        mixed = one.scope in MIXED_SCOPES
        graded = not mixed or chance.random() < GRADED_OF_MIXED
        untrusted = mixed and chance.random() < UNTRUSTED_OF_MIXED
        importance = round(chance.random(), 2) if graded else None
        yield {
            "id": str(uuid.UUID(int=chance.getrandbits(128), version=4)),
            "text": one.text,
            "kind": one.kind,
            "scope": one.scope,
            "createdAt": now - (len(contents) - place) * _MINUTE_MS,
            **({} if importance is None else {"importance": importance}),
            **({"trust_tier": "quarantined"} if quarantined else {"trust_tier": "untrusted"} if untrusted else {}),
            **({"valid_to": "2024-01-01"} if expired else {}),
        }
