"""Convert passage hits into episode hits: turns, or the best turn of each session."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.domain.episode import EpisodeHit
from satchel.domain.passage import PassageHit
from satchel.episodes import admit as episodes

# Number of matching turns that are named for each session.
MAX_MATCHED_TURNS = 3


def turn_hits(found: Sequence[PassageHit]) -> list[EpisodeHit]:
    """Return each found turn as a hit."""
    return [_hit(one) for one in found]


def session_hits(found: Sequence[PassageHit], limit: int) -> list[EpisodeHit]:
    """Return the best turn of each session, in rank order."""
    sessions: dict[tuple[str, str], list[PassageHit]] = {}
    for one in found:
        sessions.setdefault((one.passage.scope, one.passage.group), []).append(one)
    best = list(sessions.values())[:limit]
    return [
        replace(_hit(turns[0]), rank=rank, matched=tuple(one.passage.id for one in turns[:MAX_MATCHED_TURNS]))
        for rank, turns in enumerate(best, start=1)
    ]


def _hit(one: PassageHit) -> EpisodeHit:
    found = episodes.episode(one.passage)
    return EpisodeHit(
        **{name: getattr(found, name) for name in found.__struct_fields__},
        rank=one.rank,
        score=one.score,
        contributions=one.contributions,
        relevance=one.relevance,
    )
