"""Rerank: a second reranking on the best candidates adds to their scores, and the order follows."""

from collections.abc import Callable, Collection, Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import RerankPolicy
from satchel.domain.ranking import Contribution, Ranked
from satchel.domain.record import Memory, MemoryId
from satchel.errors import InvalidRequest, Unavailable
from satchel.ports import Reranker

RERANK = "rerank"


class Reranking(Struct, frozen=True):
    """Somebody to ask, and on which terms."""

    reranker: Callable[[], Reranker]
    """Makes it; a setting that is wrong shows only then."""
    policy: RerankPolicy


def reconsidered(
    query: str, ranked: Sequence[Ranked], memories: Mapping[MemoryId, Memory], reranking: Reranking
) -> tuple[list[Ranked], str]:
    """Return the candidates after the second reranking, and what went wrong if it could not be had: the order then stays."""
    best = chosen(ranked, reranking.policy)
    try:
        scores = reranking.reranker().rerank(query, [memories[one.id].text for one in best])
    except (Unavailable, InvalidRequest) as error:
        return list(ranked), error.code
    raw = {one.id: score for one, score in zip(best, scores, strict=True)}
    gained = values(raw, reranking.policy)
    parts = {id: Contribution(RERANK, rank, raw[id], value) for rank, (id, value) in enumerate(gained.items(), start=1)}
    heard = [
        replace(one, contributions=(*one.contributions, parts[one.id])) if one.id in parts else one for one in ranked
    ]
    return reordered(heard, parts), ""


def chosen(ranked: Sequence[Ranked], policy: RerankPolicy) -> Sequence[Ranked]:
    """Return the candidates worth a second reranking: the best, as many as may be sent."""
    return ranked[: policy.candidates]


def values(scores: Mapping[MemoryId, float], policy: RerankPolicy) -> dict[MemoryId, float]:
    """Return what each reranked candidate gains, the best first, ties by id."""
    best_first = sorted(scores, key=lambda id: (-scores[id], id))
    return {id: policy.weight * scores[id] for id in best_first}


def reordered(ranked: Sequence[Ranked], reranked: Collection[MemoryId]) -> list[Ranked]:
    """Order the reranked by their new scores, ties by id. The others were below all of them, and keep their places."""
    first = sorted((one for one in ranked if one.id in reranked), key=lambda one: (-one.score, one.id))
    return [*first, *(one for one in ranked if one.id not in reranked)]
