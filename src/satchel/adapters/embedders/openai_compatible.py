"""The remote embedder: any server with OpenAI's embeddings API."""

import math
from array import array
from collections.abc import Sequence
from typing import Any

from satchel.adapters.remote_json import BadAnswer, RemoteJson, read_results
from satchel.domain.embedding import Vector
from satchel.domain.safety.redact import mask
from satchel.errors import EmbeddingFailed

TEXTS_PER_REQUEST = 64
# Limits of the answer size. A vector of 8,192 numbers with all digits stays below.
MAX_BYTES_PER_TEXT = 256 * 1024
MAX_BYTES_AROUND = 64 * 1024


class OpenAiCompatible:
    """Implements ports.Embedder by ``POST {url}/embeddings``. The timeout is for one request of up to 64 texts.

    Secrets are masked before a text is sent.
    """

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str = "",
        dimensions: int | None = None,
        timeout_seconds: float = 30.0,
    ) -> None:
        self._server = RemoteJson(
            "embedding",
            url,
            "embeddings",
            api_key,
            timeout_seconds,
            failure=EmbeddingFailed,
            setting="embedding.url",
        )
        self._model = model
        self._asked_dimensions = dimensions
        self.dimensions = dimensions
        self.name = f"openai:{model}" if dimensions is None else f"openai:{model}:{dimensions}"

    def embed(self, texts: Sequence[str]) -> list[Vector]:
        """Return one unit vector per text, in order."""
        vectors: list[Vector] = []
        for start in range(0, len(texts), TEXTS_PER_REQUEST):
            vectors += self._batch(texts[start : start + TEXTS_PER_REQUEST])
        return vectors

    def _batch(self, texts: Sequence[str]) -> list[Vector]:
        limit = MAX_BYTES_AROUND + MAX_BYTES_PER_TEXT * len(texts)
        return self._server.post(self._request(texts), limit, lambda answer: self._read(answer, len(texts)))

    def _request(self, texts: Sequence[str]) -> dict[str, object]:
        request: dict[str, object] = {"model": self._model, "input": [mask(text) for text in texts]}
        if self._asked_dimensions is not None:
            request["dimensions"] = self._asked_dimensions
        return request

    def _read(self, answer: Any, count: int) -> list[Vector]:
        vectors = read_results(answer, "data", count, _vector)
        expected = self.dimensions or len(vectors[0])
        if any(len(vector) != expected for vector in vectors):
            raise BadAnswer(f"a vector does not have {expected} dimensions")
        self.dimensions = expected
        return vectors


def _vector(item: dict[str, Any]) -> Vector:
    numbers = item.get("embedding")
    # By exact type, since bool is a subclass of int.
    if not isinstance(numbers, list) or not numbers or set(map(type, numbers)) - {int, float}:
        raise BadAnswer("an item has no list of numbers")
    return _unit(numbers)


def _unit(numbers: list[float]) -> Vector:
    try:
        length = math.hypot(*numbers)
        if math.isfinite(length):
            # A zero vector stays zero; the core handles it.
            return array("f", [number / (length or 1.0) for number in numbers])
    except OverflowError:  # an integer too large for a float
        pass
    raise BadAnswer("a number is not finite")
