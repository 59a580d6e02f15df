"""The embedder of a benchmark: loaded once for all its stores, with its vectors cached between runs."""

import hashlib
from array import array
from collections.abc import Iterator, Sequence
from pathlib import Path

import apsw

from satchel.config import Settings
from satchel.config.values import folder, platform_folder
from satchel.domain.embedding import DEFAULT_PROVIDER, Vector
from satchel.errors import EmbeddingFailed, InvalidRequest, Unavailable
from satchel.ports import Embedder
from satchel.recall.request import Mode
from satchel.wiring.embedding import make_embedder

FILE = "vectors.sqlite3"
_BUSY_TIMEOUT_MS = 60_000
# Each batch is saved when it is done, so an interrupted run continues from there.
_BATCH = 256


def load_embedder(settings: Settings, mode: Mode, name: str | None, cache: str | None) -> Embedder | None:
    """Return the embedder that a mode needs; None for lexical. A broken embedder is an error, not a low score."""
    if mode is Mode.LEXICAL:
        return None
    embedder = make_embedder(name or settings.embedding.provider or DEFAULT_PROVIDER, settings)
    if embedder is None:
        hint = f"--embedder {DEFAULT_PROVIDER}, or --mode lexical"
        raise InvalidRequest(f"{mode} needs an embedder", code="no_embedder", hint=hint)
    try:
        embedder.embed(["ready?"])
    except EmbeddingFailed as error:
        raise Unavailable(f"{mode} needs an embedder: {error.message}", code=error.code, hint=error.hint) from None
    return CachedEmbedder(embedder, cache_folder(cache))


def load_uncached(settings: Settings) -> Embedder:
    """Return the configured embedder, or the default one, checked to work."""
    embedder = make_embedder(settings.embedding.provider or DEFAULT_PROVIDER, settings)
    if embedder is None:
        raise Unavailable("this benchmark needs an embedder", code="no_embedder", hint="set embedding.provider")
    embedder.embed(["ready?"])
    return embedder


def cache_folder(named: str | None) -> Path:
    """Return the folder where vectors are kept between runs."""
    return folder(named) if named else platform_folder() / "bench"


class CachedEmbedder:
    """Implements ports.Embedder over another one, with a file of vectors by hash of text. Processes may share the file."""

    def __init__(self, embedder: Embedder, folder: Path) -> None:
        self._embedder = embedder
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            self._file = apsw.Connection(str(folder / FILE))
            self._file.set_busy_timeout(_BUSY_TIMEOUT_MS)
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB NOT NULL)")
        except (OSError, apsw.Error) as error:
            raise Unavailable(f"cannot cache vectors in {folder}: {error}", code="no_cache") from None

    @property
    def name(self) -> str:
        return self._embedder.name

    @property
    def dimensions(self) -> int | None:
        return self._embedder.dimensions

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        made: list[Vector] = []
        for start in range(0, len(texts), _BATCH):
            made.extend(self._embed_batch(texts[start : start + _BATCH]))
        return made

    def _embed_batch(self, texts: Sequence[str]) -> Iterator[Vector]:
        keys = [self._key(text) for text in texts]
        known = {key: vector for key in set(keys) if (vector := self._cached(key)) is not None}
        unknown = {key: text for key, text in zip(keys, texts, strict=True) if key not in known}
        made = dict(zip(unknown, self._embedder.embed(list(unknown.values())), strict=True)) if unknown else {}
        with self._file:
            self._file.executemany(
                "INSERT OR IGNORE INTO vectors VALUES (?, ?)", ((key, one.tobytes()) for key, one in made.items())
            )
        return (made[key] if key in made else known[key] for key in keys)

    def _cached(self, key: bytes) -> Vector | None:
        for (vector,) in self._file.execute("SELECT vector FROM vectors WHERE key = ?", (key,)):
            return array("f", vector)
        return None

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(f"{self.name}\0{text}".encode("utf-8", "surrogatepass")).digest()
