"""The remote reranker: any server with the rerank API of Cohere, or one of its dialects."""

import math
from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct, field

from satchel.adapters.remote_json import RemoteJson, Unusable, in_order
from satchel.domain.policies import RerankStyle
from satchel.errors import InvalidRequest, RerankFailed

MAX_BYTES_AROUND = 64 * 1024
MAX_BYTES_PER_RESULT = 1024
# Some servers send the texts back; a character that JSON escapes as a surrogate pair takes twelve bytes.
MAX_BYTES_PER_CHARACTER = 12


class Style(Struct, frozen=True):
    """Where a dialect of the API keeps what all of them have."""

    texts: str
    most: str
    """The field for how many results are wanted; empty where all of them come unasked."""
    results: str
    """The field of the answer that lists the results; empty where the answer is the list."""
    score: str
    more: dict[str, object] = field(default_factory=dict)


STYLES = {
    # Also Jina, vLLM, llama.cpp, OpenVINO and most gateways.
    RerankStyle.COHERE: Style("documents", "top_n", "results", "relevance_score"),
    RerankStyle.VOYAGE: Style("documents", "top_k", "data", "relevance_score"),
    # It refuses long texts unless told to cut them.
    RerankStyle.TEI: Style("texts", "", "", "score", {"truncate": True}),
}


class RemoteReranker:
    """Scores from ``POST {url}/rerank``: of a few texts, cut and without their secrets, in one bounded request."""

    def __init__(
        self,
        url: str,
        model: str,
        api_key: str = "",
        *,
        style: str = RerankStyle.COHERE,
        logits: bool = False,
        most_texts: int = 20,
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
        self._most_texts = most_texts
        self._max_chars = max_chars
        self._mask = mask
        self.name = f"{style}:{model}" if model else style

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        """Return one score from 0 to 1 per text, in order."""
        if len(texts) > self._most_texts:
            raise RerankFailed(f"{len(texts)} texts, {self._most_texts} may be sent", code="too_many_texts")
        if not texts:
            return []
        sent = [self._shown(text) for text in texts]
        limit = MAX_BYTES_AROUND + sum(MAX_BYTES_PER_RESULT + MAX_BYTES_PER_CHARACTER * len(text) for text in sent)
        return self._server.post(
            self._request(self._shown(query), sent),
            limit,
            lambda answer: in_order(answer, self._style.results, len(sent), self._score),
        )

    def _shown(self, text: str) -> str:
        # Masked first: half a secret is not recognised as one.
        return self._mask(text)[: self._max_chars]

    def _request(self, query: str, texts: list[str]) -> dict[str, object]:
        request: dict[str, object] = {"query": query, self._style.texts: texts, **self._style.more}
        if self._model:
            request["model"] = self._model
        if self._style.most:
            request[self._style.most] = len(texts)
        return request

    def _score(self, item: dict[str, Any]) -> float:
        score = item.get(self._style.score)
        if not isinstance(score, int | float) or isinstance(score, bool):
            raise Unusable("a result has no score")
        if self._logits:
            return _probability(score)
        if not 0 <= score <= 1:
            raise Unusable("a score is not from 0 to 1 (servers that send logits have a setting)")
        return float(score)


def _probability(logit: float) -> float:
    try:
        if math.isfinite(logit):
            return (1 + math.tanh(logit / 2)) / 2  # the logistic function, in the form that cannot overflow
    except OverflowError:  # a whole number beyond every float
        pass
    raise Unusable("a score is not finite")
