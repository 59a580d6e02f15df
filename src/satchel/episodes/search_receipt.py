"""Describe a search in episodes on its receipt, without any text."""

from collections.abc import Sequence

from satchel.domain.canonical import Json
from satchel.domain.episode import EpisodeHit
from satchel.domain.moment import iso
from satchel.domain.receipt_sections import EpisodesConsidered, EpisodesDecided, HitEntry, ScoreEntry
from satchel.episodes.search import EpisodeMatches
from satchel.recall.analyze import QuestionAnalysis
from satchel.recall.request import Mode


def vector_status(mode: Mode, matches: EpisodeMatches) -> str:
    """Return whether vectors were used, and why not."""
    if mode is Mode.LEXICAL:
        return "off"
    if matches.meaning is not None and not matches.found.problem:
        return "used"
    return matches.found.problem or matches.ready.warning or "nothing is embedded yet"


def search_warnings(matches: EpisodeMatches, clamped: bool) -> tuple[str, ...]:
    """Return the warnings of a search."""
    found, waiting = matches.found, matches.ready.waiting
    candidates = (
        matches.ready.warning,
        found.problem and f"index_unusable: {found.problem}",
        found.mismatches
        and f"index_mismatch: {found.mismatches} candidates did not match the ledger and were left out",
        waiting and f"embeddings_waiting: {waiting} texts have no vector yet; words find them",
        clamped and "query_clamped: only the beginning of the query was used",
    )
    return tuple(str(one) for one in candidates if one)


def considered(matches: EpisodeMatches) -> EpisodesConsidered:
    """Count the candidates of each lane."""
    found, ready = matches.found, matches.ready
    return EpisodesConsidered(**found.lanes, strays=found.mismatches, embeddings_waiting=ready.waiting)


def decided(matches: EpisodeMatches, hits: Sequence[EpisodeHit], relevance: float) -> EpisodesDecided:
    """Describe the hits of an answer, and how its question was understood."""
    return EpisodesDecided(
        prepared=_prepared_facts(matches.prepared),
        lexical_share=round(matches.found.lexical_share, 4),
        relevance=relevance,
        hits=[_hit_entry(hit) for hit in hits],
        below_limit=list(matches.found.below_limit),
    )


def _prepared_facts(prepared: QuestionAnalysis) -> dict[str, Json]:
    """Describe how a query was understood, without its text."""
    return {
        "terms": len(prepared.terms),
        "phrases": len(prepared.phrases),
        "names": len(prepared.names),
        "stop_phrases": list(prepared.dropped),
        "periods": [[iso(one.since)[:10], iso(one.until)[:10]] for one in prepared.periods],
        "seeks": [name for name in ("time", "several", "summary", "help") if getattr(prepared, f"seeks_{name}")],
        "speaker": _speaker(prepared),
    }


def _speaker(prepared: QuestionAnalysis) -> str:
    """Return whose words a question is after."""
    if prepared.names:
        return "named"
    if prepared.of_assistant:
        return "assistant"
    return "asker" if prepared.of_asker else "any"


def _hit_entry(hit: EpisodeHit) -> HitEntry:
    """Describe a hit's score, without its text."""
    parts = {part.name: ScoreEntry(part.rank, part.raw, part.value) for part in hit.contributions}
    return HitEntry(id=hit.id, score=hit.score, relevance=hit.relevance, trust=hit.trust, parts=parts)
