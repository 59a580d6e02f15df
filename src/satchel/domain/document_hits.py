"""Document hits, and the documents fallback of a recall."""

from msgspec import Struct

from satchel.domain.document import DocKind
from satchel.domain.passage import PassageId
from satchel.domain.ranking import Contribution
from satchel.domain.receipt_sections import ColdLane
from satchel.domain.record import SourceKind, Trust


class DocHit(Struct, frozen=True):
    """A document chunk in an answer: its text, its citation, and the contributions to its score."""

    id: PassageId
    citation: str
    """doc:<collection>:<path>#<chunk>"""
    ref: str
    """The document's path, or the name the caller gave it."""
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
    """The probability, from 0 to 1, that it is about the question; independent of the other hits."""
    match: tuple[str, ...]
    """What found it: lexical, vector, exact."""
    at: int | None
    """When the document was last changed."""
    source_kind: SourceKind = SourceKind.OPERATOR
    trust: Trust = Trust.TRUSTED


class DocumentFallback(Struct, frozen=True):
    """The document hits added to a recall that found too few memories, and the receipt section about them."""

    docs: tuple[DocHit, ...] = ()
    section: ColdLane = ColdLane(enabled=False, consulted=False, trigger="disabled")
