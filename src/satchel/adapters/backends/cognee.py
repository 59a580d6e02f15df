"""A Cognee server: a graph of what was taken in, asked only for what it can say without a language model.

It gives no score. A line that has both of the things a question names is what was asked for; else the words decide.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from satchel.adapters.backends import options
from satchel.adapters.backends.remote import post
from satchel.adapters.remote_json import Unusable
from satchel.domain.routing import Asked, Entry, Item, Reply
from satchel.routing.contract import item, reply
from satchel.routing.prepare import PreparedQuery, entities, prepare_query
from satchel.routing.text_relevance import relevance

NAME = "cognee"
CONNECTED, TOUCHED = 1.0, 0.5
MAX_TEXTS = 200
_TEXT_FIELDS = ("text", "content", "search_result", "context", "triplet", "name", "description")
# It does not say when anything was taken in.
_UNKNOWN = "1970-01-01T00:00:00Z"


class CogneeServer:
    """Implements ports.backend.Backend over `POST /api/v1/search`."""

    def __init__(self, entry: Entry) -> None:
        self.name = NAME
        self._url = options.text(entry, "url", "http://localhost:8000")
        self._key = options.text(entry, "api_key", "")
        self._type = options.text(entry, "search_type", "GRAPH_COMPLETION")
        self._datasets = options.texts(entry, "datasets")

    def ask(self, asked: Asked) -> Reply:
        """Search the graph for its context alone: a completion would wait for a model."""
        request: dict[str, object] = {
            "search_type": self._type,
            "query": asked.query,
            "top_k": asked.limit,
            "only_context": True,
        }
        if self._datasets:
            request["datasets"] = list(self._datasets)
        texts = post(
            "cognee", self._url, "api/v1/search", request, asked.deadline, _texts,
            api_key=self._key, key_header="X-Api-Key",
        )  # fmt: skip
        query = prepare_query(asked.query)
        found = [_item(text, query) for text in texts]
        return reply(NAME, asked, [one for one in found if one is not None])


def _item(text: str, query: PreparedQuery) -> Item | None:
    value = _value(text, query)
    return item(text, value, NAME, _UNKNOWN) if value > 0 else None


def _value(text: str, query: PreparedQuery) -> float:
    named = [name.lower() for name in entities(query)]
    held = sum(name in text.lower() for name in named)
    if held >= 2:
        return CONNECTED
    return max(TOUCHED if held else 0.0, min(0.9, relevance(query, text)))


def _texts(said: Any) -> Sequence[str]:
    """Return the texts of an answer: items with a result in them, or plain values; a result of many lines is many."""
    if not isinstance(said, list):
        raise Unusable("it is no list")
    found = dict.fromkeys(line for one in said for text in _within(one) for line in text.splitlines() if line.strip())
    return [line.strip() for line in list(found)[:MAX_TEXTS]]


def _within(said: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(said, str):
        yield said
    elif isinstance(said, list) and depth < 4:
        for one in said:
            yield from _within(one, depth + 1)
    elif isinstance(said, dict) and depth < 4:
        for name in _TEXT_FIELDS:
            if name in said:
                yield from _within(said[name], depth + 1)
