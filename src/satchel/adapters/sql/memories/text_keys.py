"""Keys by which a ledger finds equal and nearly equal texts."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING

from satchel.adapters.sql.records import decodable_rows
from satchel.adapters.sql.where import IDS_PER_QUERY, one_of
from satchel.domain.similarity import normalized_statement_key
from satchel.domain.text import normalize_text
from satchel.domain.view import LIVE_STATES
from satchel.ports import TextKey

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection

KEY_BYTES = 16
_LIVE, _LIVE_VALUES = one_of("state", LIVE_STATES)


def text_key(text: str) -> bytes:
    """Return a key that is the same for texts with the same normalised form."""
    return text_keys(text)[0]


def gist_key(text: str) -> bytes:
    """Return a key that is the same for texts in nearly the same words."""
    return text_keys(text)[1]


@lru_cache(maxsize=1)
def text_keys(text: str) -> tuple[bytes, bytes]:
    """Return both keys of a text."""
    # Cached, since a store needs them twice: to look for the text, and to insert it.
    normalized = normalize_text(text)
    return _key(normalized), _key(normalized_statement_key(normalized))


def known_texts(db: Connection, keys: Sequence[TextKey]) -> frozenset[TextKey]:
    """Return those of some texts that a live (or archived) record of their scope has."""
    digests = [_key(one.text) for one in keys]
    asked = {(one.scope, digest, one.live): one for one, digest in zip(keys, digests, strict=True)}
    found = set[TextKey]()
    for start in range(0, len(keys), IDS_PER_QUERY):
        batch = digests[start : start + IDS_PER_QUERY]
        query = f"""
            SELECT DISTINCT scope, text_key, {_LIVE} FROM memories INDEXED BY memories_text_key
            WHERE text_key IN ({", ".join("?" * len(batch))})"""
        rows = ((scope, key, bool(live)) for scope, key, live in decodable_rows(db, query, [*_LIVE_VALUES, *batch]))
        found.update(asked[row] for row in rows if row in asked)
    return frozenset(found)


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:KEY_BYTES]
