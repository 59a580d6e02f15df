"""Equal texts: the keys by which a SQLite ledger finds a text again, in the same words or nearly the same."""

import hashlib
from functools import lru_cache

import apsw

from satchel.adapters.sqlite.database import first
from satchel.adapters.sqlite.where import one_of
from satchel.domain.similarity import statement_key
from satchel.domain.text import normalised
from satchel.domain.view import LIVE_STATES
from satchel.ports import Saying

KEY_BYTES = 16
_LIVE, _LIVE_VALUES = one_of("state", LIVE_STATES)


def text_key(text: str) -> bytes:
    """Return the same few bytes for every text that says the same."""
    return _key(normalised(text))


@lru_cache(maxsize=1)
def gist_key(text: str) -> bytes:
    """Return the same few bytes for every text that says the same in nearly the same words."""
    # A store asks twice: whether the text is known, and to keep it.
    return _key(statement_key(text))


def said(db: apsw.Connection, saying: Saying) -> bool:
    """Say whether a record of the scope says this, and whether it holds or has been put away likewise."""
    query = f"SELECT 1 FROM memories WHERE scope = ? AND text_key = ? AND ({_LIVE}) = ? LIMIT 1"
    return first(db.execute(query, [saying.scope, _key(saying.text), *_LIVE_VALUES, saying.live])) is not None


def _key(plain: str) -> bytes:
    return hashlib.sha256(plain.encode()).digest()[:KEY_BYTES]
