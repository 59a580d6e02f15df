"""The remote embedder: any server that speaks the OpenAI embeddings protocol."""

import math
from array import array
from collections.abc import Sequence
from typing import Any

from satchel.adapters.remote_json import RemoteJson, Unusable, in_order
from satchel.domain.embedding import Vector
from satchel.errors import EmbeddingFailed

BATCH = 64
# A vector of 8,192 numbers with all their digits stays under this; anything longer is not an embedding.
MAX_BYTES_PER_TEXT = 256 * 1024
MAX_BYTES_AROUND = 64 * 1024


class OpenAiCompatible:
    """Vectors from ``POST {url}/embeddings``. The timeout is the whole time that one request of 64 texts may take."""

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str = "",
        dimensions: int | None = None,
        timeout_seconds: float = 30.0,
    ) -> None:
        self._server = RemoteJson("embedding", url, "embeddings", api_key, timeout_seconds, failure=EmbeddingFailed)
        self._model = model
        self._asked_dimensions = dimensions
        self.dimensions = dimensions
        self.name = f"openai:{model}" if dimensions is None else f"openai:{model}:{dimensions}"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, in order."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), BATCH):
            vectors += self._batch(texts[start : start + BATCH])
        return vectors

    def _batch(self, texts: Sequence[str]) -> list[Vector]:
        limit = MAX_BYTES_AROUND + MAX_BYTES_PER_TEXT * len(texts)
        return self._server.post(self._request(texts), limit, lambda answer: self._read(answer, len(texts)))

    def _request(self, texts: Sequence[str]) -> dict[str, object]:
        request: dict[str, object] = {"model": self._model, "input": list(texts)}
        if self._asked_dimensions is not None:
            request["dimensions"] = self._asked_dimensions
        return request

    def _read(self, answer: Any, count: int) -> list[Vector]:
        vectors = in_order(answer, "data", count, _vector)
        expected = self.dimensions or len(vectors[0])
        if any(len(vector) != expected for vector in vectors):
            raise Unusable(f"a vector has not the expected {expected} dimensions")
        self.dimensions = expected
        return vectors


def _vector(item: dict[str, Any]) -> Vector:
    numbers = item.get("embedding")
    # By exact type: True is an int to Python, but no coordinate.
    if not isinstance(numbers, list) or not numbers or set(map(type, numbers)) - {int, float}:
        raise Unusable("an item has no list of numbers")
    return _unit(numbers)


def _unit(numbers: list[float]) -> Vector:
    try:
        length = math.hypot(*numbers)
        if math.isfinite(length):
            # A zero vector stays one; the core has its own word for it.
            return array("f", [number / (length or 1.0) for number in numbers])
    except OverflowError:  # a whole number beyond every float
        pass
    raise Unusable("a number is not finite")
