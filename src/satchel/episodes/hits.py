"""What a search of episodes answers, and what its receipt says of it."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.domain.canonical import Json
from satchel.domain.episode import EpisodeHit
from satchel.domain.moment import iso
from satchel.domain.passage import PassageHit
from satchel.episodes import admit as episodes
from satchel.recall.episodes import BEST_OF_SESSION
from satchel.recall.passages import PassageMeaning, PassagesFound
from satchel.recall.prepare import Prepared
from satchel.recall.question import Mode


def turn_hits(found: Sequence[PassageHit]) -> list[EpisodeHit]:
    """Return turns as they were found."""
    return [_hit(one) for one in found]


def session_hits(found: Sequence[PassageHit], limit: int) -> list[EpisodeHit]:
    """Return the best turn of each session, in the order in which they were found: a session is as good as it."""
    sessions: dict[tuple[str, str], list[PassageHit]] = {}
    for one in found:
        sessions.setdefault((one.passage.scope, one.passage.group), []).append(one)
    best = list(sessions.values())[:limit]
    return [
        replace(_hit(turns[0]), rank=rank, matched=tuple(one.passage.id for one in turns[:BEST_OF_SESSION]))
        for rank, turns in enumerate(best, start=1)
    ]


def _hit(one: PassageHit) -> EpisodeHit:
    told = episodes.episode(one.passage)
    return EpisodeHit(
        **{name: getattr(told, name) for name in told.__struct_fields__},
        rank=one.rank,
        score=one.score,
        contributions=one.contributions,
        relevance=one.relevance,
    )


def vector_status(mode: Mode, warning: str, found: PassagesFound, meaning: PassageMeaning | None) -> str:
    """Say whether meaning was used, and if not, why."""
    if mode is Mode.LEXICAL:
        return "off"
    if meaning is not None and not found.problem:
        return "used"
    return found.problem or warning or "nothing is embedded yet"


def search_warnings(warning: str, found: PassagesFound, waiting: int, clamped: bool) -> tuple[str, ...]:
    """Say what was in the way of a full answer."""
    candidates = (
        warning,
        found.problem and f"index_unusable: {found.problem}",
        found.strays and f"index_mismatch: {found.strays} candidates did not match the ledger and were left out",
        waiting and f"embeddings_waiting: {waiting} texts have no vector yet; words find them",
        clamped and "query_clamped: only the beginning of the query was used",
    )
    return tuple(str(one) for one in candidates if one)


def prepared_facts(prepared: Prepared) -> dict[str, Json]:
    """Say how a question was understood, without repeating it."""
    return {
        "terms": len(prepared.terms),
        "phrases": len(prepared.phrases),
        "names": len(prepared.names),
        "stop_phrases": list(prepared.dropped),
        "periods": [[iso(one.since)[:10], iso(one.until)[:10]] for one in prepared.periods],
        "seeks": [name for name in ("time", "several", "summary", "help") if getattr(prepared, f"seeks_{name}")],
        "speaker": "named"
        if prepared.names
        else "assistant"
        if prepared.of_assistant
        else "asker"
        if prepared.of_asker
        else "any",
    }


def hit_facts(hit: EpisodeHit) -> dict[str, Json]:
    """Say of a hit what made it one, without its text."""
    parts: dict[str, Json] = {
        part.name: {"rank": part.rank, "raw": part.raw, "value": part.value} for part in hit.contributions
    }
    return {"id": hit.id, "score": hit.score, "relevance": hit.relevance, "trust": hit.trust, "parts": parts}
