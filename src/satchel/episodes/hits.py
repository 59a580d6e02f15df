"""Convert passage hits into episode hits, and describe a search on its receipt."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.domain.canonical import Json
from satchel.domain.episode import EpisodeHit
from satchel.domain.moment import iso
from satchel.domain.passage import PassageHit
from satchel.domain.receipt_sections import HitEntry, ScoreEntry
from satchel.episodes import admit as episodes
from satchel.recall.analyze import QuestionAnalysis
from satchel.recall.passages import PassagesFound, PassageVectorQuery
from satchel.recall.request import Mode

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


def vector_status(mode: Mode, warning: str, found: PassagesFound, meaning: PassageVectorQuery | None) -> str:
    """Return whether vectors were used, and why not."""
    if mode is Mode.LEXICAL:
        return "off"
    if meaning is not None and not found.problem:
        return "used"
    return found.problem or warning or "nothing is embedded yet"


def search_warnings(warning: str, found: PassagesFound, waiting: int, clamped: bool) -> tuple[str, ...]:
    """Return the warnings of a search."""
    candidates = (
        warning,
        found.problem and f"index_unusable: {found.problem}",
        found.mismatches
        and f"index_mismatch: {found.mismatches} candidates did not match the ledger and were left out",
        waiting and f"embeddings_waiting: {waiting} texts have no vector yet; words find them",
        clamped and "query_clamped: only the beginning of the query was used",
    )
    return tuple(str(one) for one in candidates if one)


def prepared_facts(prepared: QuestionAnalysis) -> dict[str, Json]:
    """Describe how a query was understood, without its text."""
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


def hit_entry(hit: EpisodeHit) -> HitEntry:
    """Describe a hit's score, without its text."""
    parts = {part.name: ScoreEntry(part.rank, part.raw, part.value) for part in hit.contributions}
    return HitEntry(id=hit.id, score=hit.score, relevance=hit.relevance, trust=hit.trust, parts=parts)
