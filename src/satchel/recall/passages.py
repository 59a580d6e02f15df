"""Search passages: BM25 and vector scores, smoothed over neighbouring passages and fused. Each hit is one passage.

A short answer is found through the question before it: passages receive a share of their neighbours' BM25 scores and
cosines. The hit is still the single passage, so the result does not grow.
"""

import heapq
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Protocol, TypeVar

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import EvidenceLane, Passage, PassageHit, PassageId, PassageView, is_intact
from satchel.domain.ranking import Contribution
from satchel.domain.words import content_terms, segment
from satchel.errors import Unavailable
from satchel.ports import NeighbourPair, PassageIndex, PassageMatch, PassageStore
from satchel.ports.damage import HASH_MISMATCH, DamagedRecord, report, reported_ids
from satchel.recall import relevance
from satchel.recall.fusion import LEXICAL, VECTOR
from satchel.recall.named import StatedName, name_distinction, name_strengths, named_gain, strength_of
from satchel.recall.request import Mode

NEIGHBOURS = "neighbours"
# Minimum number of candidates per lane.
POOL = 120
# Number of best lexical matches that pass a share of their score to their neighbours.
MAX_SHARING = 120
# Each passage that holds a term costs time. Terms are searched rarest first, while the passages that hold them number at
# most this many in all: in a small store that is every term, in a large one the most common terms are skipped.
MAX_MATCHED = 10_000
# Share of its BM25 score that a match passes to passages one and two positions away.
NEIGHBOUR_SHARES = (0.7, 0.35)
# Weights of the cosines of the passage before and the one after, if both passages are very short.
NEIGHBOUR_COSINES = (0.35, 0.35)
# Number of best lexical matches and of nearest passages whose cosine is smoothed over their neighbours.
MAX_SMOOTHED = 80
# A short passage needs its neighbours more than a long one: a passage with this many words gets half of the share.
HALF_SHARE_WORDS = 60
# Lexical weight if the best lexical matches cover the whole question.
MAX_LEXICAL_SHARE = 0.45
# Number of best lexical matches that are checked for how much of the question they cover.
COVERAGE_SAMPLE = 3
# Maximum number of characters of a passage that are checked for coverage and relevance.
MAX_JUDGED_CHARS = 4_000
MAX_BELOW_LIMIT = 10
# A hit below the minimum relevance is left out if its score is below this share of the best score.
TAIL_SHARE = 0.5
# Minimum share of the question that a label has to make up.
MIN_LABEL_SHARE = 0.5

Scores = Mapping[PassageId, float]


class PassageWeights(Struct, frozen=True):
    """The weight of each part of a passage search. A weight of 0 switches a part off, as the ablation benchmark does."""

    neighbour_shares: tuple[float, ...] = NEIGHBOUR_SHARES
    neighbour_cosines: tuple[float, float] = NEIGHBOUR_COSINES
    half_share_words: float = HALF_SHARE_WORDS
    half_match_words: float = math.inf
    """Number of words of a passage that keeps half of its BM25 score; infinite means that length does not count."""
    lexical_share: float | None = None
    """A fixed lexical weight; None means one that depends on how much of the question the best lexical match covers."""

    def need(self, words: int) -> float:
        """Return the share of its neighbours' scores that a passage of this length gets."""
        return self.half_share_words / (self.half_share_words + words)

    def matched(self, match: PassageMatch) -> float:
        """Return the score of a match: a long passage has many words by chance, more than BM25 allows for."""
        return match.score / (1 + match.words / self.half_match_words)


WEIGHTS = PassageWeights()


class PassageVectorQuery(Struct, frozen=True):
    """The question's vector, its space, and the index to search."""

    vector: Vector
    space: Space
    index: PassageIndex


class ScoredPassage(Struct, frozen=True):
    """A candidate with the contributions to its score."""

    passage: Passage
    contributions: tuple[Contribution, ...]

    @property
    def score(self) -> float:
        """The sum of the contributions."""
        return math.fsum(part.value for part in self.contributions)


Labels = Callable[[Passage], Iterable[str]]
"""Returns the titles of a passage, which name what it is about."""
Prior = Callable[[Sequence[ScoredPassage]], Mapping[PassageId, Contribution]]
"""Returns one more named contribution for some of the candidates."""


class PassagesFound(Struct, frozen=True):
    """The hits of a passage search, and the candidates they were chosen from."""

    hits: tuple[PassageHit, ...]
    lanes: Mapping[str, int]
    """Number of candidates per lane."""
    lexical_share: float
    """The lexical weight against the vector weight: 0 to 1."""
    below_limit: tuple[PassageId, ...] = ()
    mismatches: int = 0
    """Number of candidates of the index that the ledger does not have."""
    problem: str = ""
    """Why the index could not be searched, or empty."""


def search_passages(
    terms: Sequence[str],
    mode: Mode,
    view: PassageView,
    limit: int,
    passages: PassageStore,
    query: PassageVectorQuery | None,
    priors: Sequence[Prior] = (),
    lexical_factor: float = 1.0,
    depth: int = 0,
    spread: float = 0.0,
    weights: PassageWeights = WEIGHTS,
    labels: Labels | None = None,
    names: Sequence[StatedName] = (),
) -> PassagesFound:
    """Find the passages within a view that answer a question. Without a vector query, or if it fails, only words count.

    `lexical_factor` scales the lexical weight for text other than plain language. `depth` is the minimum number of
    lexical matches that are scored, so that vector candidates get their BM25 score too. `spread` is the penalty per
    earlier hit of the same group. `names` are those that the question states; a search by meaning alone ignores them.
    """
    pool = max(POOL, 2 * limit)
    frequencies = passages.frequencies(terms, view.lane)
    near, problem = _nearest(query, view, pool) if mode is not Mode.LEXICAL else ([], "")
    usable = query if mode is not Mode.LEXICAL and not problem else None
    own: dict[PassageId, float] = {}
    if mode is not Mode.VECTOR or usable is None:
        affordable = _affordable_terms(terms, frequencies.holding)
        own = {one.id: weights.matched(one) for one in passages.match(affordable, view, max(pool, depth))}
    sharing = _best(own, MAX_SHARING)
    pairs = passages.neighbours(sharing, view, len(weights.neighbour_shares))
    shared = _shared_scores(own, pairs, weights)
    total = {id: own.get(id, 0.0) + shared.get(id, 0.0) for id in {*own, *shared}}
    found = passages.fetch(list(dict.fromkeys([*_best(total, pool), *near])), view, verify=False)
    cosines, smoothed = dict[PassageId, float](), dict[PassageId, float]()
    if usable is not None:
        best = dict.fromkeys(id for id in (*_best(own, MAX_SMOOTHED), *near[:MAX_SMOOTHED]) if id in found)
        # The neighbours of lexical matches are known already: looking them up takes time.
        known = set(sharing) if weights.neighbour_shares else set()
        adjacent = [pair for pair in pairs if abs(pair.offset) == 1 and pair.id in best]
        adjacent += passages.neighbours([id for id in best if id not in known], view, 1)
        cosines, smoothed = _cosines(usable, list(found), adjacent, passages, weights)
    term_weights = relevance.term_weights(frequencies.holding, frequencies.records)
    space = usable.space.name if usable else None
    sample = [_words(found[id]) for id in _best({id: own[id] for id in found if id in own}, COVERAGE_SAMPLE)]
    share = _lexical_share(terms, sample, space, term_weights, bool(own), bool(cosines), weights.lexical_share)
    share = share * lexical_factor if cosines else share
    scored = _fuse(found, own, shared, cosines, smoothed, share)
    for prior in priors:
        scored = _add(scored, prior(scored))
    if mode is not Mode.VECTOR or usable is None:
        scored = _add(scored, _named_gains(scored, names, lexical_factor))
    ranked = _spread_groups(scored, spread) if spread else sorted(scored, key=_sort_key)
    ranked = _without_damaged(ranked, limit)
    distinction = name_distinction(one.contributions for one in scored)

    def rated(one: ScoredPassage) -> float:
        named = strength_of(one.contributions)
        value = relevance.hit_relevance(
            terms,
            _words(one.passage),
            cosines.get(one.passage.id),
            space,
            term_weights,
            _telling_labels(labels(one.passage) if labels else (), terms, term_weights),
            has_name=named >= 1,
        )
        return value if named else relevance.without_name(value, distinction)

    hits = tuple(
        PassageHit(one.passage, rank, one.score, one.contributions, rated(one))
        for rank, one in enumerate(ranked[:limit], start=1)
    )
    return PassagesFound(
        hits=hits,
        lanes={LEXICAL: len(own), NEIGHBOURS: len(shared.keys() - own.keys()), VECTOR: len(near)},
        lexical_share=share,
        below_limit=tuple(one.passage.id for one in ranked[limit : limit + MAX_BELOW_LIMIT]),
        # A damaged passage is not the index's fault.
        mismatches=len(set(near) - found.keys() - reported_ids()),
        problem=problem,
    )


class Rated(Protocol):
    """A hit of a passage search, in any form."""

    @property
    def score(self) -> float:
        """What orders the hits."""
        ...

    @property
    def relevance(self) -> float:
        """The probability that it is about the question."""
        ...


AnyHit = TypeVar("AnyHit", bound=Rated)


def without_tail(hits: Sequence[AnyHit], min_relevance: float, *, rated: bool) -> list[AnyHit]:
    """Leave out the hits that are neither relevant enough nor near the best by score.

    Relevance alone would leave out answers that only their speaker, date or session brought. If their meaning is not rated,
    words alone cannot rule them out, at the default minimum.
    """
    if not rated and min_relevance <= relevance.MIN_BY_WORDS:
        return list(hits)
    least = TAIL_SHARE * max((hit.score for hit in hits), default=0.0)
    return [
        hit for hit in hits if hit.score >= least or relevance.likelihood(hit.relevance, rated=rated) >= min_relevance
    ]


def _named_gains(
    scored: Sequence[ScoredPassage], names: Sequence[StatedName], factor: float
) -> Mapping[PassageId, Contribution]:
    """Return what each candidate gains by the names that the question states."""
    if not names:
        return {}
    scale = factor * max((one.score for one in scored), default=0.0)
    gains = {one.passage.id: named_gain(name_strengths(names, _naming_text(one.passage)), scale) for one in scored}
    return {id: gain for id, gain in gains.items() if gain is not None}


def _telling_labels(
    labels: Iterable[str], terms: Sequence[str], term_weights: Mapping[str, float]
) -> Iterator[frozenset[str]]:
    """Yield the content words of the labels that make up most of the question: a title says what a whole text is about."""
    for label in labels:
        words = frozenset(content_terms(label[: relevance.MAX_LABEL_CHARS]))
        if relevance.best_coverage(terms, [words], term_weights) >= MIN_LABEL_SHARE:
            yield words


def _without_damaged(ranked: Sequence[ScoredPassage], limit: int) -> list[ScoredPassage]:
    """Leave out damaged passages and report them. Only those that would be returned are verified: it takes time."""
    kept = list(ranked)
    while damaged := [one.passage for one in kept[:limit] if not is_intact(one.passage)]:
        for passage in damaged:
            report(DamagedRecord("passage", passage.id, passage.scope, HASH_MISMATCH))
        gone = {passage.id for passage in damaged}
        kept = [one for one in kept if one.passage.id not in gone]
    return kept


def _nearest(query: PassageVectorQuery | None, view: PassageView, pool: int) -> tuple[list[PassageId], str]:
    if query is None:
        return [], ""
    try:
        return query.index.nearest(query.vector, view, pool), ""
    except Unavailable as error:
        return [], error.message


def _affordable_terms(terms: Sequence[str], holding: Mapping[str, int]) -> list[str]:
    """Return the rarest terms within MAX_MATCHED, and at least one."""
    chosen, matched = list[str](), 0
    for term in sorted(terms, key=lambda term: (holding[term], term)):
        matched += holding[term]
        if chosen and matched > MAX_MATCHED:
            break
        chosen.append(term)
    return chosen


def _shared_scores(own: Scores, pairs: Iterable[NeighbourPair], weights: PassageWeights) -> Scores:
    """Return the score that each passage gets from neighbouring matches: less, the better it matches itself."""
    shared: dict[PassageId, float] = {}
    best = max(own.values(), default=0.0)
    for pair in pairs:
        share = weights.need(pair.neighbour_words) * weights.neighbour_shares[abs(pair.offset) - 1] * own[pair.id]
        shared[pair.neighbour] = shared.get(pair.neighbour, 0.0) + share
    return {id: score * (1 - own.get(id, 0.0) / best) for id, score in shared.items()} if best > 0 else {}


def _best(scores: Scores, count: int) -> list[PassageId]:
    return sorted(scores, key=lambda id: (-scores[id], id))[:count]


def _cosines(
    query: PassageVectorQuery,
    ids: Sequence[PassageId],
    pairs: Sequence[NeighbourPair],
    passages: PassageStore,
    weights: PassageWeights,
) -> tuple[dict[PassageId, float], dict[PassageId, float]]:
    """Return the cosine of each passage from the ledger's vectors, and the same smoothed by the neighbours of some."""
    measured = passages.similarities(query.vector, query.space, list({*ids, *(pair.neighbour for pair in pairs)}))
    cosines = {id: measured[id] for id in ids if id in measured}
    sums, totals = dict(cosines), dict.fromkeys(cosines, 1.0)
    before, after = weights.neighbour_cosines
    for pair in pairs:
        if pair.id in cosines and pair.neighbour in measured:
            # Long passages need no context, and are too broad to serve as context.
            most = before if pair.offset < 0 else after
            weight = most * weights.need(pair.words) * weights.need(pair.neighbour_words)
            sums[pair.id] += weight * measured[pair.neighbour]
            totals[pair.id] += weight
    return cosines, {id: sums[id] / totals[id] for id in cosines}


def _words(passage: Passage) -> frozenset[str]:
    return frozenset(segment(_judged(passage)).split())


def _naming_text(passage: Passage) -> str:
    # Every turn of a day has its date: the period of a question decides about that.
    return _judged(passage) if passage.lane is EvidenceLane.DOCUMENTS else passage.searched[:MAX_JUDGED_CHARS]


def _judged(passage: Passage) -> str:
    return f"{passage.about} {passage.searched[:MAX_JUDGED_CHARS]}"


def _lexical_share(
    terms: Sequence[str],
    sample: Iterable[frozenset[str]],
    space: str | None,
    term_weights: Mapping[str, float],
    has_words: bool,
    has_cosines: bool,
    fixed: float | None,
) -> float:
    """Return the lexical weight: it grows with the root of the best lexical match's coverage, up to a cap below 1."""
    if not has_cosines:
        return 1.0
    if not has_words:
        return 0.0
    if fixed is not None:
        return fixed
    if not relevance.is_calibrated(space, terms):
        return MAX_LEXICAL_SHARE
    return MAX_LEXICAL_SHARE * math.sqrt(relevance.best_coverage(terms, sample, term_weights))


def _fuse(
    found: Mapping[PassageId, Passage],
    own: Scores,
    shared: Scores,
    cosines: Scores,
    smoothed: Scores,
    share: float,
) -> list[ScoredPassage]:
    """Fuse BM25 scores and cosines on one scale, where the best smoothed value of each is 1."""
    best_lexical = max((own.get(id, 0.0) + shared.get(id, 0.0) for id in found), default=0.0)
    lexical_scale = share / best_lexical if best_lexical > 0 else 0.0
    floor, best = min(smoothed.values(), default=0.0), max(smoothed.values(), default=0.0)
    vector_scale = (1 - share) / (best - floor) if best > floor else 0.0
    own_ranks, cosine_ranks = _ranks(own), _ranks(cosines)
    scored = []
    for id, passage in found.items():
        parts = []
        if id in own and lexical_scale:
            parts.append(Contribution(LEXICAL, own_ranks[id], own[id], lexical_scale * own[id]))
        if id in cosines:
            value = vector_scale * (cosines[id] - floor) if vector_scale else 1 - share
            parts.append(Contribution(VECTOR, cosine_ranks[id], cosines[id], value))
        gained = lexical_scale * shared.get(id, 0.0) + vector_scale * (smoothed.get(id, 0.0) - cosines.get(id, 0.0))
        if gained:
            parts.append(Contribution(NEIGHBOURS, None, gained, gained))
        scored.append(ScoredPassage(passage, tuple(parts)))
    return scored


def _ranks(scores: Scores) -> dict[PassageId, int]:
    return {id: rank for rank, id in enumerate(_best(scores, len(scores)), start=1)}


def _sort_key(one: ScoredPassage) -> tuple[float, PassageId]:
    return -one.score, one.passage.id


def _spread_groups(scored: Sequence[ScoredPassage], penalty: float) -> list[ScoredPassage]:
    """Rank with a penalty for each earlier hit of the same group, so that several groups are represented."""
    groups: dict[tuple[str, str], list[ScoredPassage]] = {}
    for one in sorted(scored, key=_sort_key, reverse=True):
        groups.setdefault(one.passage.group_key, []).append(one)
    heads = [(*_sort_key(members[-1]), 0, members) for members in groups.values()]
    heapq.heapify(heads)
    ranked = []
    while heads:
        _, _, before, members = heapq.heappop(heads)
        one = members.pop()
        paid = (Contribution("spread", None, float(before), -penalty * before),) if before else ()
        ranked.append(ScoredPassage(one.passage, (*one.contributions, *paid)))
        if members:
            following = members[-1]
            key = penalty * (before + 1) - following.score
            heapq.heappush(heads, (key, following.passage.id, before + 1, members))
    return ranked


def _add(scored: Sequence[ScoredPassage], more: Mapping[PassageId, Contribution]) -> list[ScoredPassage]:
    return [
        ScoredPassage(one.passage, (*one.contributions, more[one.passage.id])) if one.passage.id in more else one
        for one in scored
    ]
