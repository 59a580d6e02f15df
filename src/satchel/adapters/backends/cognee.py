"""A Cognee server, asked only for what it returns without a language model.

It gives no scores. A line with both entities of a query is fully relevant; otherwise the words decide.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from satchel.adapters.backends import options
from satchel.adapters.backends.remote import post
from satchel.adapters.remote_json import BadAnswer
from satchel.domain.routing import BackendEntry, BackendQuery, BackendReply, RouteItem
from satchel.routing.contract import item, reply
from satchel.routing.prepare import PreparedQuery, entities, prepare_query
from satchel.routing.text_relevance import relevance

NAME = "cognee"
# Relevance of a line with two of the query's entities, and with one.
CONNECTED, TOUCHED = 1.0, 0.5
MAX_TEXTS = 200
_TEXT_FIELDS = ("text", "content", "search_result", "context", "triplet", "name", "description")
# Cognee does not say when a text was added.
_UNKNOWN = "1970-01-01T00:00:00Z"


class CogneeServer:
    """Implements ports.backend.Backend over `POST /api/v1/search`."""

    def __init__(self, entry: BackendEntry) -> None:
        self.name = NAME
        self._url = options.text(entry, "url", "http://localhost:8000")
        self._key = options.text(entry, "api_key", "")
        self._type = options.text(entry, "search_type", "GRAPH_COMPLETION")
        self._datasets = options.texts(entry, "datasets")

    def ask(self, asked: BackendQuery) -> BackendReply:
        """Search the graph for context only, since a completion would need a model."""
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


def _item(text: str, query: PreparedQuery) -> RouteItem | None:
    value = _value(text, query)
    return item(text, value, NAME, _UNKNOWN) if value > 0 else None


def _value(text: str, query: PreparedQuery) -> float:
    named = [name.lower() for name in entities(query)]
    held = sum(name in text.lower() for name in named)
    if held >= 2:
        return CONNECTED
    return max(TOUCHED if held else 0.0, min(0.9, relevance(query, text)))


def _texts(answer: Any) -> Sequence[str]:
    """Return the lines of an answer, whose items are texts or objects with a text in them."""
    if not isinstance(answer, list):
        raise BadAnswer("not a list")
    found = dict.fromkeys(line for one in answer for text in _within(one) for line in text.splitlines() if line.strip())
    return [line.strip() for line in list(found)[:MAX_TEXTS]]


def _within(value: Any, depth: int = 0) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list) and depth < 4:
        for one in value:
            yield from _within(one, depth + 1)
    elif isinstance(value, dict) and depth < 4:
        for name in _TEXT_FIELDS:
            if name in value:
                yield from _within(value[name], depth + 1)
