"""A local server for embeddings."""

from contextlib import AbstractContextManager
from typing import Any

from satchel.adapters.embedders.hashing import Hashing
from tests.adapters import servers


def friendly(embedder: Hashing) -> AbstractContextManager[servers.Seen]:
    """Serve the vectors of an embedder, unscaled and in reverse order, as the protocol allows."""

    def respond(request: dict[str, Any]) -> Any:
        vectors = embedder.embed(request["input"])
        items = [{"index": i, "embedding": [3 * x for x in vector]} for i, vector in enumerate(vectors)]
        return {"object": "list", "data": items[::-1]}

    return servers.friendly(respond)
