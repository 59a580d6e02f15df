"""Place: where a passage of a document stands, read back from what is kept beside it."""

import json

from satchel.domain.document import DocKind, Place
from satchel.domain.passage import Passage


def place_of(passage: Passage) -> Place:
    """Return where a passage stands."""
    kept = json.loads(passage.detail or "{}")
    first, last = kept["lines"]
    return Place(
        kept["collection"], kept["path"], DocKind(kept["kind"]), tuple(kept["heading"]), first, last, kept["chunk"]
    )
