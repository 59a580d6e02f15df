"""An embedder that remembers: vectors are kept by the hash of their text, so that a benchmark's second run is quick."""

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw

from satchel.domain.embedding import Vector
from satchel.errors import Unavailable
from satchel.ports import Embedder

FILE = "vectors.sqlite3"
_PATIENCE_MS = 60_000
# What is embedded at a time, and kept when it is done: a run that is stopped goes on from there.
_BATCH = 256


class Remembering:
    """Implements ports.Embedder over another one, with a file of vectors beside it. Several processes may share the file."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = apsw.Connection(str(folder / FILE))
            self._file.set_busy_timeout(_PATIENCE_MS)
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        except (OSError, apsw.Error) as error:
            raise Unavailable(f"vectors cannot be kept in {folder}: {error}", code="no_cache") from None

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int | None:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        made: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            made.extend(self._embedded(texts[start : start + _BATCH]))
        return made

    def _embedded(self, texts: Sequence[str]) -> Iterator[Vector]:
        keys = [self._key(text) for text in texts]
        known = {key: vector for key in set(keys) if (vector := self._kept(key)) is not None}
        unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = dict(zip(unknown, self._embedder.embed(list(unknown.values())), strict=True)) if unknown else {}
        with self._file:
            self._file.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?)", ((key, one.tobytes()) for key, one in made.items())
            )
        return (made[key] if key in made else known[key] for key in keys)

    def _kept(self, key: bytes) -> Vector | None:
        for (vector,) in self._file.execute("SELECT vector FROM vectors WHERE key = ?", (key,)):
            return array("f", vector)
        return None

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.name}\0{text}".encode("utf-8", "surrogatepass")).digest()
