"""Keys by which a SQLite ledger finds equal and nearly equal texts."""

import hashlib
from functools import lru_cache

from satchel.adapters.sqlite.engine import Connection, first
from satchel.adapters.sqlite.where import one_of
from satchel.domain.similarity import statement_key
from satchel.domain.text import normalize_text
from satchel.domain.view import LIVE_STATES
from satchel.ports import TextKey

KEY_BYTES = 16
_LIVE, _LIVE_VALUES = one_of("state", LIVE_STATES)


def text_key(text: str) -> bytes:
    """Return a key that is the same for texts with the same normalised form."""
    return _key(normalize_text(text))


@lru_cache(maxsize=1)
def gist_key(text: str) -> bytes:
    """Return a key that is the same for texts in nearly the same words."""
    # Cached, since a store needs it twice: to look for the text, and to insert it.
    return _key(statement_key(text))


def has_text(db: Connection, key: TextKey) -> bool:
    """Return whether a live (or archived) record of the scope has this text."""
    query = f"SELECT 1 FROM memories WHERE scope = ? AND text_key = ? AND {'' if key.live else 'NOT '}{_LIVE} LIMIT 1"
    return first(db.execute(query, [key.scope, _key(key.text), *_LIVE_VALUES])) is not None


def _key(text: str) -> bytes:
    return hashlib.sha256(text.encode()).digest()[:KEY_BYTES]
