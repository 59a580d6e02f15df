"""Answer a question within one view: search tier by tier, fuse, verify against the ledger and boost."""

from collections.abc import Mapping, Sequence
from heapq import nsmallest

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.policies import RecallPolicy
from satchel.domain.ranking import Candidate, Hit, Ranked
from satchel.domain.record import WORKING_SET, Memory, MemoryId, Trust, is_intact
from satchel.domain.view import View, held_out_by
from satchel.ports import Frequencies, Ledger, MemoryStore
from satchel.ports.damage import HASH_MISMATCH, DamagedRecord, report, reported_ids
from satchel.recall import relevance, tiers
from satchel.recall.fusion import FUSIONS, LEXICAL, VECTOR, add_boosts
from satchel.recall.lanes import LaneCandidates, VectorQuery, gather_candidates, score_by_cosine
from satchel.recall.named import (
    StatedName,
    add_named,
    memory_text,
    name_distinction,
    name_strengths,
    stated_names,
    strength_of,
)
from satchel.recall.neighbours import add_neighbours
from satchel.recall.prefetch import MAX_NAMED, Prefetch, prefetch
from satchel.recall.request import RecallQuestion
from satchel.recall.rerank import Reranking, rerank
from satchel.recall.tiers import TierStep
from satchel.recall.values import HeldOut

# Number of best lexical matches that are checked for how much of the question they cover.
COVERAGE_SAMPLE = 3
# Number of records with a number of the question that are checked for the name which the question states.
MAX_NAMED_CHECKED = 200
# A hit from the first likelihood on is listed before those below the second. Closer bounds cost answers on LoCoMo.
CLEARLY_GOOD, CLEARLY_IMPLAUSIBLE = 0.5, 0.07


class ScopeAnswer(Struct, frozen=True):
    """The hits within one view, and what happened to every other candidate."""

    hits: tuple[Hit, ...] = ()
    nearest: tuple[Hit, ...] = ()
    """The best candidates below the minimum relevance: with the hits, at most as many as asked for."""
    below_limit: tuple[Ranked, ...] = ()
    held_out: tuple[HeldOut, ...] = ()
    candidates: LaneCandidates = field(default_factory=lambda: LaneCandidates({}, "none"))
    mismatches: int = 0
    """Number of candidates whose id or content hash does not match the ledger."""
    steps: tuple[TierStep, ...] = ()
    """The tier steps that were searched."""
    records: Mapping[MemoryId, Memory] = field(default_factory=dict)
    """The verified records of all candidates."""
    ranked: tuple[Ranked, ...] = ()
    """All verified candidates, best first."""
    rerank_problem: str = ""
    """Why reranking failed, or empty."""


class RelevanceScorer(Struct, frozen=True):
    """Scores the relevance of records to one question."""

    question: RecallQuestion
    space: str
    weights: Mapping[str, float]
    """The weight of each question term: rare terms weigh more."""
    known: dict[tuple[MemoryId, str, float | None, float], float] = field(default_factory=dict)
    """The relevance of the texts that were scored before: every tier step ranks all candidates so far again."""

    def to_hit(self, one: Ranked, memory: Memory, distinction: float = 0.0) -> Hit:
        """Return a ranked candidate as a hit with its relevance.

        `distinction` is how far a name that the question states sets some candidates apart.
        """
        cosine = next((part.raw for part in one.contributions if part.name == VECTOR), None)
        named = strength_of(one.contributions)
        key = memory.id, memory.content_hash, cosine, named
        if key not in self.known:
            words, labels = relevance.memory_words(memory), relevance.memory_labels(memory)
            self.known[key] = relevance.hit_relevance(
                self.question.terms, words, cosine, self.space, self.weights, labels, has_name=named >= 1
            )
        found = self.known[key] if named else relevance.without_name(self.known[key], distinction)
        return Hit(memory, 0, one.score, one.contributions, found)

    @property
    def rates_meaning(self) -> bool:
        """Whether cosines to this question are calibrated."""
        return relevance.is_calibrated(self.space, self.question.terms)

    def likelihood(self, hit: Hit) -> float:
        """Return how likely a hit is about the question, considering whether its meaning was rated."""
        return relevance.likelihood(hit.relevance, rated=self.rates_meaning and hit.raw(VECTOR) is not None)

    def is_relevant(self, hit: Hit, min_relevance: float) -> bool:
        """Return whether a hit reaches the minimum. Words alone cannot rule a memory out, at the default minimum.

        They are all there is without a calibrated space. In a script that the model does not know, a telling word counts.
        """
        if hit.relevance >= min_relevance or min_relevance > relevance.MIN_BY_WORDS:
            return hit.relevance >= min_relevance
        by_words = hit.raw(VECTOR) is None or self.space not in relevance.CALIBRATIONS
        return by_words or (not self.rates_meaning and self._shares_telling_word(hit.memory))

    def _shares_telling_word(self, memory: Memory) -> bool:
        terms = [term for term in self.question.terms if self.weights.get(term, 1.0) >= relevance.MIN_TELLING_WEIGHT]
        words = relevance.memory_words(memory)
        return any(not words.isdisjoint(relevance.word_forms(term)) for term in terms)

    def is_unrated(self, hit: Hit) -> bool:
        """Return whether only a cosine speaks for a hit, and the model does not know the script of the question."""
        return hit.raw(VECTOR) is not None and not self.rates_meaning

    def lexical_coverage(self, matches: Sequence[Candidate], records: Mapping[MemoryId, Memory]) -> float:
        """Return the share of the question that the best lexical matches cover; 1 if cosines are not calibrated."""
        if not self.rates_meaning:
            return 1.0
        best = nsmallest(COVERAGE_SAMPLE, matches, key=lambda one: (-one.score, one.id))
        words = [relevance.memory_words(records[one.id]) for one in best if one.id in records]
        return relevance.best_coverage(self.question.terms, words, self.weights)


def answer_in_scope(
    question: RecallQuestion,
    view: View,
    ledger: Ledger,
    vector_query: VectorQuery | None,
    policy: RecallPolicy,
    reranking: Reranking | None = None,
    prefetched: Prefetch | None = None,
) -> ScopeAnswer:
    """Find the memories within a view that answer a question. Prefetched lookups are not repeated."""
    known = prefetched or prefetch(question, view, ledger, policy)
    scorer = _scorer(question, known.frequencies, vector_query)
    found, early = ScopeAnswer(), known.early
    for step in known.steps:
        likelihoods = [scorer.likelihood(hit) for hit in found.hits]
        lacks_name = _lacks_name(question, found, known.frequencies)
        if found.steps and not tiers.needs_step(
            found.steps[-1], step, likelihoods, question.limit, lacks_name=lacks_name
        ):
            break
        within = tiers.narrow_view(view, step, known.tiers)
        candidates = gather_candidates(question, within, ledger.memories, ledger.vectors, vector_query, early)
        candidates = _add_named_candidates(candidates, question, within, ledger, vector_query, known.frequencies)
        found = _add_step(found, step, candidates, scorer, view, within, ledger.memories, policy)
        early = None
    found = _add_contenders(found, known, scorer, view, ledger, vector_query, policy)
    if reranking is not None and found.ranked:
        reranked, problem = rerank(question.text, found.ranked, found.records, reranking)
        ranked = _keep_places_for_trusted(reranked, found.records, question.limit, policy)
        hits, nearest = split_hits(ranked, found.records, scorer, policy.min_relevance, question.limit)
        found = replace(found, ranked=tuple(ranked), hits=hits, nearest=nearest, rerank_problem=problem)
    else:
        found = replace(found, hits=_good_first(found.hits, scorer))
    skipped = [trust for step in known.steps if step not in found.steps for trust in step.trusts]
    return _account(found, question, view, ledger.memories, known.held_out, gated=Trust.UNTRUSTED in skipped)


def relevance_scorer(question: RecallQuestion, ledger: Ledger, vector_query: VectorQuery | None) -> RelevanceScorer:
    """Return a scorer whose term weights come from the term frequencies of this store."""
    return _scorer(question, ledger.memories.frequencies(question.terms), vector_query)


def _scorer(question: RecallQuestion, frequencies: Frequencies, vector_query: VectorQuery | None) -> RelevanceScorer:
    space = vector_query.space.name if vector_query else ""
    return RelevanceScorer(question, space, relevance.term_weights(frequencies.holding, frequencies.records))


def _add_step(
    before: ScopeAnswer,
    step: TierStep,
    found: LaneCandidates,
    scorer: RelevanceScorer,
    view: View,
    within: View,
    memories: MemoryStore,
    policy: RecallPolicy,
) -> ScopeAnswer:
    """Add the candidates of one tier step, found within its part of the view, and rank them with all earlier ones."""
    hashes = {one.id: one.content_hash for lane in found.lanes.values() for one in lane}
    verified = _verified(memories, hashes, within)
    candidates, records = before.candidates.joined(found), {**before.records, **verified}
    coverage = scorer.lexical_coverage(candidates.lanes.get(LEXICAL, []), records)
    fused = FUSIONS[policy.fusion](candidates.lanes, coverage)
    in_sessions = add_neighbours(fused, records, lambda members: memories.next_in_session(members, view))
    boosted = add_boosts(in_sessions, records, policy, view.now)
    named = add_named(boosted, records, _names(scorer.question, candidates))
    ranked = _keep_places_for_trusted(named, records, scorer.question.limit, policy)
    hits, nearest = split_hits(ranked, records, scorer, policy.min_relevance, scorer.question.limit)
    return ScopeAnswer(
        hits=hits,
        nearest=nearest,
        candidates=candidates,
        # A damaged record is not the index's fault.
        mismatches=before.mismatches + len(hashes.keys() - verified.keys() - reported_ids()),
        steps=(*before.steps, step),
        records=records,
        ranked=tuple(ranked),
    )


def _names(question: RecallQuestion, candidates: LaneCandidates) -> Sequence[StatedName]:
    """Return the names that a question states; none if its words were not searched for."""
    return stated_names(question.text) if LEXICAL in candidates.lanes else ()


def _lacks_name(question: RecallQuestion, found: ScopeAnswer, frequencies: Frequencies) -> bool:
    """Return whether the store has the number of a stated name, and no candidate contains it."""
    if not _names(question, found.candidates) or name_distinction(one.contributions for one in found.ranked):
        return False
    return bool(_terms_with_digits(frequencies))


def _terms_with_digits(frequencies: Frequencies) -> list[str]:
    return [term for term, held in frequencies.holding.items() if held and any(map(str.isdigit, term))]


def _add_named_candidates(
    found: LaneCandidates,
    question: RecallQuestion,
    view: View,
    ledger: Ledger,
    query: VectorQuery | None,
    frequencies: Frequencies,
) -> LaneCandidates:
    """Add the records with a stated name that the lanes do not have: a common number alone does not bring them."""
    names, terms = _names(question, found), _terms_with_digits(frequencies)
    if not names or not terms:
        return found
    lexical = found.lanes[LEXICAL]
    known, lowest = {one.id for one in lexical}, min((one.score for one in lexical), default=0.0)
    others = [one for one in ledger.memories.match(terms, view, MAX_NAMED_CHECKED) if one.id not in known]
    records = ledger.memories.fetch([one.id for one in others], view, verify=False)
    texts = {id: memory_text(record) for id, record in records.items()}
    # The ledger's scores may be on another scale than those of the index.
    named = [
        replace(one, score=min(one.score, lowest))
        for one in others
        if one.id in texts and any(name_strengths(names, texts[one.id]))
    ][: question.pool]
    if not named:
        return found
    lanes = {**found.lanes, LEXICAL: [*lexical, *named]}
    if query is not None and VECTOR in lanes:
        near = {one.id for one in lanes[VECTOR]}
        unscored = [one for one in named if one.id not in near]
        lanes[VECTOR] = [*lanes[VECTOR], *score_by_cosine(unscored, ledger.vectors, query)]
    return replace(found, lanes=lanes)


def _add_contenders(
    found: ScopeAnswer,
    known: Prefetch,
    scorer: RelevanceScorer,
    view: View,
    ledger: Ledger,
    vector_query: VectorQuery | None,
    policy: RecallPolicy,
) -> ScopeAnswer:
    """Add the untrusted records behind the trust gate that answer clearly better than every trusted one."""
    step = tiers.contender_step(known.steps, found.steps)
    best = max((scorer.likelihood(hit) for hit in found.hits), default=0.0)
    if step is None or best >= tiers.CERTAIN:
        return found
    within = replace(view, trusts=step.trusts, labels=step.labels)
    candidates = gather_candidates(scorer.question, within, ledger.memories, ledger.vectors, vector_query)
    candidates = _add_named_candidates(candidates, scorer.question, within, ledger, vector_query, known.frequencies)
    alone = _add_step(ScopeAnswer(), step, candidates, scorer, view, within, ledger.memories, policy)
    better = {hit.memory.id for hit in alone.hits if tiers.is_clearly_better(scorer.likelihood(hit), best)}
    if not better:
        return replace(found, mismatches=found.mismatches + alone.mismatches)
    joined = _add_step(found, step, candidates.only(better), scorer, view, within, ledger.memories, policy)
    # The tier as a whole stays behind the gate.
    return replace(joined, steps=found.steps, mismatches=found.mismatches + alone.mismatches)


def _verified(memories: MemoryStore, hashes: Mapping[MemoryId, str], view: View) -> dict[MemoryId, Memory]:
    """Fetch candidates from the ledger and keep those that are the ones the index has. The hits are verified later."""
    found = memories.fetch(list(hashes), view, verify=False)
    return {id: memory for id, memory in found.items() if memory.content_hash == hashes[id]}


def _keep_places_for_trusted(
    ranked: Sequence[Ranked], records: Mapping[MemoryId, Memory], limit: int, policy: RecallPolicy
) -> list[Ranked]:
    """Move untrusted records that would take more than half of the places behind all trusted ones."""
    if not policy.trust_gate:
        return list(ranked)
    first, last, untrusted = list[Ranked](), list[Ranked](), 0
    for one in ranked:
        untrusted += records[one.id].trust is not Trust.TRUSTED
        is_too_many = untrusted > limit // 2 and records[one.id].trust is not Trust.TRUSTED
        (last if is_too_many else first).append(one)
    return [*first, *last]


def split_hits(
    ranked: Sequence[Ranked],
    records: Mapping[MemoryId, Memory],
    scorer: RelevanceScorer,
    min_relevance: float,
    limit: int,
) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
    """Return the hits, and the best candidates below the minimum relevance in the places that are left.

    An unrated candidate is a hit only if a relevant one ranks below it: a list of such candidates alone is no answer.
    Damaged records are reported and left out. Only those that would be returned are verified, since it takes time.
    """
    hits, nearest = _split(ranked, records, scorer, min_relevance, limit)
    damaged = {hit.memory.id: hit.memory for hit in (*hits, *nearest) if not is_intact(hit.memory)}
    if not damaged:
        return hits, nearest
    for memory in damaged.values():
        report(DamagedRecord("memory", memory.id, memory.scope, HASH_MISMATCH))
    intact = [one for one in ranked if one.id not in damaged]
    return split_hits(intact, records, scorer, min_relevance, limit)


def _split(
    ranked: Sequence[Ranked],
    records: Mapping[MemoryId, Memory],
    scorer: RelevanceScorer,
    min_relevance: float,
    limit: int,
) -> tuple[tuple[Hit, ...], tuple[Hit, ...]]:
    hits: list[Hit] = []
    below: list[Hit] = []
    unrated: list[Hit] = []
    distinction = name_distinction(one.contributions for one in ranked)
    for one in ranked:
        if len(hits) == limit:
            break
        hit = scorer.to_hit(one, records[one.id], distinction)
        if scorer.is_relevant(hit, min_relevance):
            fitting = unrated[: limit - len(hits) - 1]
            hits += [*fitting, hit]
            unrated = unrated[len(fitting) :]
        elif min_relevance <= relevance.MIN_BY_WORDS and scorer.is_unrated(hit):
            unrated.append(hit)
        else:
            below.append(hit)
    numbered = tuple(replace(hit, rank=rank) for rank, hit in enumerate([*hits, *unrated, *below][:limit], start=1))
    return numbered[: len(hits)], numbered[len(hits) :]


def _good_first(hits: Sequence[Hit], scorer: RelevanceScorer) -> tuple[Hit, ...]:
    """Move good hits before clearly implausible ones. Otherwise the order by score stays: it finds more than that by relevance."""
    ordered: list[Hit] = []
    for hit in hits:
        place = len(ordered)
        if scorer.likelihood(hit) >= CLEARLY_GOOD:
            while place and scorer.likelihood(ordered[place - 1]) < CLEARLY_IMPLAUSIBLE:
                place -= 1
        ordered.insert(place, hit)
    return tuple(replace(hit, rank=rank) for rank, hit in enumerate(ordered, start=1))


def _account(
    found: ScopeAnswer,
    question: RecallQuestion,
    view: View,
    memories: MemoryStore,
    excluded: Sequence[Memory],
    *,
    gated: bool,
) -> ScopeAnswer:
    """Name the matches that were not returned, and the rule that kept each of them out."""
    returned = {hit.memory.id for hit in found.hits}
    others = tuple(one for one in found.ranked if one.id not in returned)[:MAX_NAMED]
    # Working sets only repeat other memories.
    ordinary = [one for one in excluded if not one.id.startswith(WORKING_SET)]
    held_out = [HeldOut(one.id, rule) for one in ordinary if (rule := held_out_by(one, view))]
    if gated and len(held_out) < MAX_NAMED:
        untrusted = replace(view, trusts=(Trust.UNTRUSTED,))
        behind_gate = memories.match(question.terms, untrusted, MAX_NAMED - len(held_out))
        held_out += [HeldOut(one.id, "trust_gate") for one in behind_gate if one.id not in returned]
    return replace(found, below_limit=others, held_out=tuple(held_out))
