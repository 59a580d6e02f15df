"""A local server that reranks by shared words."""

from contextlib import AbstractContextManager
from typing import Any

from tests.adapters import servers


def words_in_common(query: str, text: str) -> float:
    asked = set(query.split())
    return len(asked & set(text.split())) / max(1, len(asked))


def shared_words(style: str) -> AbstractContextManager[servers.Seen]:
    """Serve scores in one of the styles, best first, as the documentation of these servers shows it."""

    def respond(request: dict[str, Any]) -> Any:
        texts = request["texts" if style == "tei" else "documents"]
        scores = sorted(((words_in_common(request["query"], text), i) for i, text in enumerate(texts)), reverse=True)
        if style == "tei":
            return [{"index": i, "score": score} for score, i in scores]
        items = [{"index": i, "relevance_score": score, "document": {"text": texts[i]}} for score, i in scores]
        if style == "voyage":
            return {"object": "list", "data": items, "model": request["model"], "usage": {"total_tokens": 1}}
        return {"id": "1", "results": items, "meta": {"api_version": {"version": "2"}}}

    return servers.friendly(respond)
