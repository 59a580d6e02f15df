"""The remote reranker: any server with Cohere's rerank API or one of its dialects."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, field

from satchel.adapters.remote_json import BadAnswer, RemoteJson, read_results
from satchel.domain.policies import RerankStyle
from satchel.errors import InvalidRequest, RerankFailed

# Limits of the answer size: overhead, per result, and per character of the texts.
MAX_BYTES_AROUND = 64 * 1024
MAX_BYTES_PER_RESULT = 1024
# Some servers return the texts; a character escaped as a surrogate pair takes twelve bytes.
MAX_BYTES_PER_CHARACTER = 12


class Style(Struct, frozen=True):
    """The field names of a dialect of the API."""

    texts: str
    limit: str
    """The field for the number of results; empty if all are always returned."""
    results: str
    """The field of the answer with the results; empty if the answer is the list."""
    score: str
    extra: dict[str, object] = field(default_factory=dict)


STYLES = {
    # Also Jina, vLLM, llama.cpp, OpenVINO and most gateways.
    RerankStyle.COHERE: Style("documents", "top_n", "results", "relevance_score"),
    RerankStyle.VOYAGE: Style("documents", "top_k", "data", "relevance_score"),
    # TEI rejects long texts unless told to truncate them.
    RerankStyle.TEI: Style("texts", "", "", "score", {"truncate": True}),
}


class RemoteReranker:
    """Scores from ``POST {url}/rerank``, for a few texts, truncated and with secrets masked, in one bounded request."""

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str = "",
        *,
        style: str = RerankStyle.COHERE,
        logits: bool = False,
        max_texts: int = 20,
        max_chars: int = 2000,
        timeout_seconds: float = 2.0,
        mask: Callable[[str], str],
    ) -> None:
        if style not in STYLES:
            raise InvalidRequest(f"unknown rerank style {style[:40]!r}", code="unknown_word", hint=", ".join(STYLES))
        self._server = RemoteJson("rerank", url, "rerank", api_key, timeout_seconds, failure=RerankFailed)
        self._model = model
        self._style = STYLES[RerankStyle(style)]
        self._logits = logits
        self._max_texts = max_texts
        self._max_chars = max_chars
        self._mask = mask
        self.name = f"{style}:{model}" if model else style

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score from 0 to 1 per text, in order."""
        if len(texts) > self._max_texts:
            raise RerankFailed(f"{len(texts)} texts, at most {self._max_texts} may be sent", code="too_many_texts")
        if not texts:
            return []
        sent = [self._prepare(text) for text in texts]
        limit = MAX_BYTES_AROUND + sum(MAX_BYTES_PER_RESULT + MAX_BYTES_PER_CHARACTER * len(text) for text in sent)
        return self._server.post(
            self._request(self._prepare(query), sent),
            limit,
            lambda answer: read_results(answer, self._style.results, len(sent), self._score),
        )

    def _prepare(self, text: str) -> str:
        # Masked before truncation: half a secret would not be recognised.
        return self._mask(text)[: self._max_chars]

    def _request(self, query: str, texts: list[str]) -> dict[str, object]:
        request: dict[str, object] = {"query": query, self._style.texts: texts, **self._style.extra}
        if self._model:
            request["model"] = self._model
        if self._style.limit:
            request[self._style.limit] = len(texts)
        return request

    def _score(self, item: dict[str, Any]) -> float:
        score = item.get(self._style.score)
        if not isinstance(score, int | float) or isinstance(score, bool):
            raise BadAnswer("a result has no score")
        if self._logits:
            return _probability(score)
        if not 0 <= score <= 1:
            raise BadAnswer("a score is not from 0 to 1 (servers that send logits have a setting)")
        return float(score)


def _probability(logit: float) -> float:
    try:
        if math.isfinite(logit):
            return (1 + math.tanh(logit / 2)) / 2  # the logistic function, in the form that cannot overflow
    except OverflowError:  # an integer too large for a float
        pass
    raise BadAnswer("a score is not finite")
