"""The embedder of a local model: a sentence encoder with int8 weights on ONNX Runtime."""

import os
import threading
from array import array
from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from satchel.adapters.embedders.model_files import (
    CHINESE_FILE,
    GRAPH_FILE,
    TENSORS_FILE,
    TOKENIZER_FILE,
    damage,
)
from satchel.adapters.embedders.runtime import load_runtime, open_session
from satchel.adapters.embedders.text_tokens import TextTokens, read_tokens
from satchel.domain.embedding import Vector
from satchel.errors import EmbeddingFailed
from satchel.threads import run_in_background

if TYPE_CHECKING:
    from onnxruntime import InferenceSession

DIMENSIONS = 384
MAX_TOKENS = 256
# More characters than 256 tokens ever cover; keeps the tokenizer from reading a whole book.
MAX_CHARS = 20_000
MAX_THREADS = 4
# Questions come again: from every host, and from every lane of a turn. Their vectors take 1.5 KB each.
RECENT_TEXTS = 1_000
MAX_RECENT_CHARS = 2_000


class _Engine(Struct, frozen=True):
    """The loaded model."""

    session: "InferenceSession"
    tokens: TextTokens


class OnnxEncoder:
    """Implements ports.Embedder with a model folder, which is loaded with the first text.

    A vector depends only on its text, to the last bit, because every text is run alone, in parallel threads. In a
    padded batch the int8 scale covers all texts, which moved the same text by up to 0.02 cosine, and a batch of 32 was
    no faster than 32 single runs in parallel.
    """

    dimensions: Final = DIMENSIONS

    def __init__(self, name: str, folder: Path, install_hint: str, threads: int | None = None) -> None:
        self.name = name
        self._folder = folder
        self._install_hint = install_hint
        self._threads = default_threads() if threads is None else max(1, threads)
        self._engine: _Engine | None = None
        self._lock = threading.Lock()
        self._recent = lru_cache(RECENT_TEXTS)(lambda text: _embed(self._load(), text).tobytes())

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, in order."""
        if not texts:
            return []
        if len(texts) == 1 and len(texts[0]) <= MAX_RECENT_CHARS:
            return [array("f", self._recent(texts[0]))]
        engine = self._load()
        workers = min(self._threads, len(texts))
        if workers == 1:
            return [_embed(engine, text) for text in texts]
        from concurrent.futures import ThreadPoolExecutor  # not needed for a single query

        with ThreadPoolExecutor(workers, "satchel-embedding") as pool:
            return list(pool.map(partial(_embed, engine), texts))

    def _load(self) -> _Engine:
        with self._lock:
            if self._engine is None:
                self._engine = _load(self.name, self._folder, self._install_hint)
            return self._engine


def default_threads() -> int:
    """Return the number of usable cores, at most four: more do not help a small model."""
    affinity = getattr(os, "sched_getaffinity", None)  # not on macOS
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min(MAX_THREADS, cores))


def _load(name: str, folder: Path, install_hint: str) -> _Engine:
    try:
        _require_files(folder, install_hint)
    except OSError as error:  # an unreadable folder
        raise _broken(folder, error.strerror or "unreadable", install_hint) from error
    # During the loading, which takes longer: changed weights must not be used silently.
    checked = run_in_background(lambda: damage(name, folder, quick=True))
    try:
        onnxruntime = load_runtime()
        import tokenizers  # noqa: F401
    except ImportError as error:
        raise EmbeddingFailed(f"the embedding runtime cannot be loaded: {error}", code="runtime_missing") from error
    try:
        tokens = read_tokens(folder / TOKENIZER_FILE, folder / CHINESE_FILE, MAX_TOKENS)
        session = open_session(onnxruntime, folder / GRAPH_FILE)
    # Both libraries raise Exception or direct subclasses of it.
    except Exception as error:
        raise _broken(folder, str(error).split("\n", 1)[0], install_hint) from error
    _require_shape(folder, session, install_hint)
    if problem := checked.result():
        raise _broken(folder, problem, install_hint)
    return _Engine(session, tokens)


def _require_files(folder: Path, install_hint: str) -> None:
    if not folder.is_dir():
        raise EmbeddingFailed(f"no embedding model in {folder}", code="model_missing", hint=install_hint)
    for name in (GRAPH_FILE, TENSORS_FILE, TOKENIZER_FILE):
        if not (folder / name).is_file():
            raise _broken(folder, f"{name} is missing", install_hint)


def _require_shape(folder: Path, session: "InferenceSession", install_hint: str) -> None:
    inputs = {value.name for value in session.get_inputs()}
    widths = [value.shape[-1] for value in session.get_outputs()]
    if inputs != {"input_ids", "attention_mask"} or widths != [DIMENSIONS]:
        raise _broken(folder, "the graph belongs to another model", install_hint)


def _broken(folder: Path, reason: str, install_hint: str) -> EmbeddingFailed:
    message = f"the embedding model in {folder} is broken: {reason}"
    return EmbeddingFailed(message, code="model_broken", hint=install_hint)


def _embed(engine: _Engine, text: str) -> Vector:
    import numpy as np

    # Replace lone surrogates, which cannot be encoded as UTF-8.
    clean = text[:MAX_CHARS].encode("utf-8", "replace").decode("utf-8")
    ids = np.array([engine.tokens.ids(clean)], dtype=np.int64)
    try:
        (found,) = engine.session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})
    # The runtime's errors are direct subclasses of Exception.
    except Exception as error:
        raise EmbeddingFailed(f"the embedding model failed: {type(error).__name__}") from error
    return array("f", found.astype(np.float32, copy=False).tobytes())
