"""What a lane brings to a bundle: candidates, each with how relevant and how trusted it is, and what it rests on."""

from msgspec import Struct

from satchel.domain.record import Trust


class LaneItem(Struct, frozen=True):
    """One thing that a lane brings to a bundle."""

    id: str
    text: str
    relevance: float
    trust: Trust
    citations: tuple[str, ...]
    kind: str
    at: int
    """When it was said or asserted, in milliseconds since the epoch."""


class LaneAnswer(Struct, frozen=True):
    """What a lane brings, best first."""

    scope: str
    items: tuple[LaneItem, ...]
