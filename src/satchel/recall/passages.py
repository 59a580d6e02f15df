"""Search of verbatim evidence: words, what stands beside them, and meaning, fused by score; each hit is one passage.

A short answer is found by the question before it: what a passage's neighbours score is lent to it, and what they mean it
means a little. A hit is still the passage in the middle, and what is returned does not grow.
"""

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import Passage, PassageHit, PassageId, PassageView
from satchel.domain.ranking import Contribution
from satchel.domain.words import segmented
from satchel.errors import Unavailable
from satchel.ports import PassageIndex, PassageStore
from satchel.recall import relevance
from satchel.recall.fuse import LEXICAL, MOST_LEXICAL, VECTOR
from satchel.recall.question import Mode

NEIGHBOURS = "neighbours"
# How many candidates each lane brings, whatever the limit; more when more are wanted.
POOL = 120
# So many of the best matches by word lend to their neighbours.
LENDERS = 120
# Every passage that holds a word costs time. The rarest words are looked for first, as long as no more passages than
# this hold them together: in a small store that is all of them, in a large one it leaves out the least telling.
MOST_MATCHED = 10_000
# How much of its score a match lends to what stands one place away, and two.
LENT = (0.7, 0.35)
# How much what stands beside a passage counts for its meaning, where both say next to nothing by themselves.
COMPANY = 0.4
# So many of the best by word, and of the nearest, are judged by their company as well.
IN_COMPANY = 80
# A short passage needs its neighbours, a long one speaks for itself: one of so many words gets half of what is lent.
HALF_LENT_WORDS = 100
# So many of the best matches by word are looked at for how much of the question they cover.
COVERING = 3
# No more of a passage is looked at for how much of the question it covers.
MAX_JUDGED_CHARS = 4_000

Scores = Mapping[PassageId, float]


class Weights(Struct, frozen=True):
    """How much each ingredient of a search counts: one at nothing is left out, as a benchmark does to see what it gives."""

    lent: tuple[float, ...] = LENT
    company: float = COMPANY
    half_lent_words: float = HALF_LENT_WORDS
    words: float | None = None
    """How far words decide; None means as far as the best match by word covers what was asked."""

    def need(self, words: int) -> float:
        """Return how much of what is lent a passage of so many words gets."""
        return self.half_lent_words / (self.half_lent_words + words)


WEIGHTS = Weights()


class PassageMeaning(Struct, frozen=True):
    """What a search by meaning needs: the question's vector, its space, and an index that can be searched."""

    vector: Vector
    space: Space
    index: PassageIndex


class Weighed(Struct, frozen=True):
    """A candidate on its way to being a hit."""

    passage: Passage
    contributions: tuple[Contribution, ...]

    @property
    def score(self) -> float:
        """The sum of the contributions."""
        return math.fsum(part.value for part in self.contributions)


Prior = Callable[[Sequence[Weighed]], Mapping[PassageId, Contribution]]
"""What is known of passages before the question is compared with them, as further named contributions."""


class PassagesFound(Struct, frozen=True):
    """The hits of a search, and what they were chosen from."""

    hits: tuple[PassageHit, ...]
    lanes: Mapping[str, int]
    """How many candidates each lane brought."""
    lexical_share: float
    """How much the words counted against the meaning: 0 to 1."""
    below_limit: tuple[PassageId, ...] = ()
    strays: int = 0
    """Candidates that are not in the ledger as the index has them."""
    problem: str = ""
    """Why meaning could not be asked, or empty."""


def search(
    terms: Sequence[str],
    mode: Mode,
    sight: PassageView,
    limit: int,
    passages: PassageStore,
    meaning: PassageMeaning | None,
    priors: Sequence[Prior] = (),
    words_count: float = 1.0,
    depth: int = 0,
    spread: float = 0.0,
    count: Weights = WEIGHTS,
) -> PassagesFound:
    """Find the passages within a sight that answer a question. Without meaning, or when it fails, words answer.

    `words_count` says how far words are to be relied on beside meaning, compared with plain language. So many matches by
    word as `depth` says are scored: what its meaning has found counts for its words as well, however many match better.
    A hit costs those behind it of the same group as much as `spread` says.
    """
    pool = max(POOL, 2 * limit)
    counted = passages.frequencies(terms, sight.lane)
    near, problem = _nearest(meaning, sight, pool) if mode is not Mode.LEXICAL else ([], "")
    by_meaning = meaning if mode is not Mode.LEXICAL and not problem else None
    own = (
        _by_word(_worthwhile(terms, counted.holding), sight, max(pool, depth), passages)
        if mode is not Mode.VECTOR or by_meaning is None
        else {}
    )
    lent = _lent(own, sight, passages, count)
    named = list(dict.fromkeys([*_best(_sum(own, lent), pool), *near]))
    found = passages.fetch(named, sight)
    best = [id for id in (*_best(own, IN_COMPANY), *near[:IN_COMPANY]) if id in found]
    cosines, company = (
        ({}, {}) if by_meaning is None else _measured(by_meaning, list(found), best, sight, passages, count)
    )
    weights = relevance.weights(counted.holding, counted.records)
    space = by_meaning.space.name if by_meaning else None
    words = {id: _words(found[id]) for id in _best({id: own[id] for id in found if id in own}, COVERING)}
    share = _lexical_share(terms, words.values(), space, weights, bool(own), bool(cosines))
    share = share if count.words is None or not cosines or not own else count.words
    share = share * words_count if cosines else share
    weighed = _fused(found, own, lent, cosines, company, share)
    for prior in priors:
        weighed = _with(weighed, prior(weighed))
    ranked = _spread_out(weighed, spread) if spread else sorted(weighed, key=_place)
    hits = tuple(
        PassageHit(
            one.passage,
            rank,
            one.score,
            one.contributions,
            relevance.of_hit(terms, _words(one.passage), cosines.get(one.passage.id), space, weights),
        )
        for rank, one in enumerate(ranked[:limit], start=1)
    )
    return PassagesFound(
        hits=hits,
        lanes={LEXICAL: len(own), NEIGHBOURS: len(lent.keys() - own.keys()), VECTOR: len(near)},
        lexical_share=share,
        below_limit=tuple(one.passage.id for one in ranked[limit : limit + 10]),
        strays=len(set(near) - found.keys()),
        problem=problem,
    )


def _nearest(meaning: PassageMeaning | None, sight: PassageView, pool: int) -> tuple[list[PassageId], str]:
    if meaning is None:
        return [], ""
    try:
        return meaning.index.nearest(meaning.vector, sight, pool), ""
    except Unavailable as error:
        return [], error.message


def _worthwhile(terms: Sequence[str], holding: Mapping[str, int]) -> list[str]:
    """Return the words to look for: the rarest, as many as there is time for, and one at the least."""
    chosen, matched = list[str](), 0
    for term in sorted(terms, key=lambda term: (holding[term], term)):
        matched += holding[term]
        if chosen and matched > MOST_MATCHED:
            break
        chosen.append(term)
    return chosen


def _by_word(terms: Sequence[str], sight: PassageView, pool: int, passages: PassageStore) -> dict[PassageId, float]:
    return {one.id: one.score for one in passages.match(terms, sight, pool)}


def _lent(own: Scores, sight: PassageView, passages: PassageStore, count: Weights) -> dict[PassageId, float]:
    """Return what each passage gets from the matches beside it: the less, the better it matches itself."""
    lent: dict[PassageId, float] = {}
    most = max(own.values(), default=0.0)
    for pair in passages.neighbours(_best(own, LENDERS), sight, len(count.lent)):
        value = count.need(pair.neighbour_words) * count.lent[pair.distance - 1] * own[pair.id]
        lent[pair.neighbour] = lent.get(pair.neighbour, 0.0) + value
    return {id: value * (1 - own.get(id, 0.0) / most) for id, value in lent.items()} if most > 0 else {}


def _sum(own: Scores, lent: Scores) -> dict[PassageId, float]:
    return {id: own.get(id, 0.0) + lent.get(id, 0.0) for id in {*own, *lent}}


def _best(scores: Scores, most: int) -> list[PassageId]:
    return sorted(scores, key=lambda id: (-scores[id], id))[:most]


def _measured(
    meaning: PassageMeaning,
    ids: Sequence[PassageId],
    best: Sequence[PassageId],
    sight: PassageView,
    passages: PassageStore,
    count: Weights,
) -> tuple[dict[PassageId, float], dict[PassageId, float]]:
    """Measure passages against the vectors of the ledger: how near each is, and the best of them in the company they keep."""
    pairs = passages.neighbours(list(dict.fromkeys(best)), sight, 1)
    measured = passages.similarities(meaning.vector, meaning.space, list({*ids, *(pair.neighbour for pair in pairs)}))
    near = {id: measured[id] for id in ids if id in measured}
    sums, weights = dict(near), dict.fromkeys(near, 1.0)
    for pair in pairs:
        if pair.id in near and pair.neighbour in measured:
            # What is long speaks for itself, and says too much to tell what stands beside it.
            weight = count.company * count.need(pair.words) * count.need(pair.neighbour_words)
            sums[pair.id] += weight * measured[pair.neighbour]
            weights[pair.id] += weight
    return near, {id: sums[id] / weights[id] for id in near}


def _words(passage: Passage) -> frozenset[str]:
    return frozenset(segmented(f"{passage.about} {passage.searched[:MAX_JUDGED_CHARS]}").split())


def _lexical_share(
    terms: Sequence[str],
    best: Iterable[frozenset[str]],
    space: str | None,
    weights: Mapping[str, float],
    has_words: bool,
    has_meaning: bool,
) -> float:
    """Return how far words decide: as far as the best match by word covers what was asked, and never alone."""
    if not has_meaning:
        return 1.0
    if not has_words:
        return 0.0
    if not relevance.understands(space, terms):
        return MOST_LEXICAL
    covered = max((relevance.signals(terms, one, None, None, weights).share for one in best), default=0.0)
    return MOST_LEXICAL * covered


def _fused(
    found: Mapping[PassageId, Passage],
    own: Scores,
    lent: Scores,
    cosines: Scores,
    company: Scores,
    share: float,
) -> list[Weighed]:
    """Put words and meaning on one scale: the best match by word, with what it is lent, and the nearest in company are 1."""
    most = max((own.get(id, 0.0) + lent.get(id, 0.0) for id in found), default=0.0)
    by_word = share / most if most > 0 else 0.0
    floor, best = min(company.values(), default=0.0), max(company.values(), default=0.0)
    by_meaning = (1 - share) / (best - floor) if best > floor else 0.0
    own_rank, near_rank = _ranks(own), _ranks(cosines)
    weighed = []
    for id, passage in found.items():
        parts = []
        if id in own and by_word:
            parts.append(Contribution(LEXICAL, own_rank[id], own[id], by_word * own[id]))
        if id in cosines:
            value = by_meaning * (cosines[id] - floor) if by_meaning else 1 - share
            parts.append(Contribution(VECTOR, near_rank[id], cosines[id], value))
        gained = by_word * lent.get(id, 0.0) + by_meaning * (company.get(id, 0.0) - cosines.get(id, 0.0))
        if gained:
            parts.append(Contribution(NEIGHBOURS, None, gained, gained))
        weighed.append(Weighed(passage, tuple(parts)))
    return weighed


def _ranks(scores: Scores) -> dict[PassageId, int]:
    return {id: rank for rank, id in enumerate(_best(scores, len(scores)), start=1)}


def _place(one: Weighed) -> tuple[float, PassageId]:
    return -one.score, one.passage.id


def _spread_out(weighed: Sequence[Weighed], cost: float) -> list[Weighed]:
    """Rank so that each hit makes the others of its group a little dearer: what answers may stand in many."""
    groups: dict[tuple[str, str], list[Weighed]] = {}
    for one in sorted(weighed, key=_place, reverse=True):
        groups.setdefault((one.passage.scope, one.passage.group), []).append(one)
    heads = [(*_place(members[-1]), 0, members) for members in groups.values()]
    heapq.heapify(heads)
    ranked = []
    while heads:
        _, _, before, members = heapq.heappop(heads)
        one = members.pop()
        paid = (Contribution("spread", None, float(before), -cost * before),) if before else ()
        ranked.append(Weighed(one.passage, (*one.contributions, *paid)))
        if members:
            following = members[-1]
            place = cost * (before + 1) - following.score
            heapq.heappush(heads, (place, following.passage.id, before + 1, members))
    return ranked


def _with(weighed: Sequence[Weighed], more: Mapping[PassageId, Contribution]) -> list[Weighed]:
    return [
        Weighed(one.passage, (*one.contributions, more[one.passage.id])) if one.passage.id in more else one
        for one in weighed
    ]
