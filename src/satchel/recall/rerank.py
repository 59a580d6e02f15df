"""Rerank the best candidates with a reranker, whose scores are added to theirs."""

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
    """A reranker and the policy for using it."""

    reranker: Callable[[], Reranker]
    """Creates the reranker when first needed; raises InvalidRequest for a wrong setting."""
    policy: RerankPolicy


def rerank(
    query: str, ranked: Sequence[Ranked], memories: Mapping[MemoryId, Memory], reranking: Reranking
) -> tuple[list[Ranked], str]:
    """Return the candidates after reranking and an empty string; if it fails, the same candidates and the error code."""
    best = rerank_candidates(ranked, reranking.policy)
    try:
        scores = reranking.reranker().rerank(query, [memories[one.id].text for one in best])
    except (Unavailable, InvalidRequest) as error:
        return list(ranked), error.code
    raw = {one.id: score for one, score in zip(best, scores, strict=True)}
    gains = rerank_gains(raw, reranking.policy)
    parts = {id: Contribution(RERANK, rank, raw[id], gain) for rank, (id, gain) in enumerate(gains.items(), start=1)}
    rescored = [
        replace(one, contributions=(*one.contributions, parts[one.id])) if one.id in parts else one for one in ranked
    ]
    return reorder(rescored, parts), ""


def rerank_candidates(ranked: Sequence[Ranked], policy: RerankPolicy) -> Sequence[Ranked]:
    """Return the best candidates, as many as the policy sends to the reranker."""
    return ranked[: policy.candidates]


def rerank_gains(scores: Mapping[MemoryId, float], policy: RerankPolicy) -> dict[MemoryId, float]:
    """Return what each reranked candidate gains, best first, ties by id."""
    best_first = sorted(scores, key=lambda id: (-scores[id], id))
    return {id: policy.weight * scores[id] for id in best_first}


def reorder(ranked: Sequence[Ranked], reranked: Collection[MemoryId]) -> list[Ranked]:
    """Sort the reranked candidates by their new scores, ties by id. The others keep their order below them."""
    first = sorted((one for one in ranked if one.id in reranked), key=lambda one: (-one.score, one.id))
    return [*first, *(one for one in ranked if one.id not in reranked)]
