"""A piece of a document in an answer, and what documents add to a recall of memories."""

from collections.abc import Mapping

from msgspec import Struct, field

from satchel.domain.canonical import Json
from satchel.domain.document import DocKind
from satchel.domain.passage import PassageId
from satchel.domain.ranking import Contribution
from satchel.domain.record import SourceKind, Trust


class DocHit(Struct, frozen=True):
    """A piece of a document in an answer: what it says, how it is cited, and why it stands where it stands."""

    id: PassageId
    citation: str
    """doc:<collection>:<path>#<chunk>"""
    ref: str
    """What its source calls the document: its path, or the name it was given."""
    collection: str
    path: str
    kind: DocKind
    title: str
    heading: tuple[str, ...]
    first_line: int
    last_line: int
    text: str
    scope: str
    rank: int
    score: float
    contributions: tuple[Contribution, ...]
    relevance: float
    """From 0 to 1: how likely it is about what was asked, whatever else was found."""
    match: tuple[str, ...]
    """What found it: lexical, vector, exact."""
    at: int | None
    """When the document was changed last."""
    source_kind: SourceKind = SourceKind.OPERATOR
    trust: Trust = Trust.TRUSTED


def _disabled() -> dict[str, Json]:
    return {"enabled": False, "consulted": False, "trigger": "disabled"}


class ColdLane(Struct, frozen=True):
    """What documents gave to a recall that had found too little, and what the receipt says of it."""

    docs: tuple[DocHit, ...] = ()
    section: Mapping[str, Json] = field(default_factory=_disabled)
