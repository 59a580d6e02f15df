"""Answer: candidates are gathered tier by tier, fused, checked against the ledger and weighed; and all are accounted for."""

from collections.abc import Iterator, Mapping, Sequence
from heapq import nsmallest
from itertools import islice

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.answers import HeldOut
from satchel.domain.policies import RecallPolicy
from satchel.domain.ranking import Candidate, Hit, Ranked
from satchel.domain.record import Memory, MemoryId, Trust
from satchel.domain.view import View, held_out_by
from satchel.ports import Frequencies, Ledger, MemoryStore
from satchel.recall import relevance, tiers
from satchel.recall.fuse import FUSIONS, LEXICAL, VECTOR
from satchel.recall.lanes import Gathered, Meaning, gather
from satchel.recall.prefetch import NAMED_OTHERS, Prefetched, prefetch
from satchel.recall.question import Question
from satchel.recall.rerank import Reranking, reconsidered
from satchel.recall.tiers import Step
from satchel.recall.weigh import weighed

# So many of the best matches by word are looked at for how much of the question they cover.
COVERING = 3


class Answer(Struct, frozen=True):
    """The hits within one reach, and what became of every other candidate."""

    hits: tuple[Hit, ...] = ()
    below_limit: tuple[Ranked, ...] = ()
    held_out: tuple[HeldOut, ...] = ()
    gathered: Gathered = field(default_factory=lambda: Gathered({}, "none"))
    strays: int = 0
    """Candidates that are not in the ledger as the index has them."""
    searched: tuple[Step, ...] = ()
    """The steps that were taken."""
    sound: Mapping[MemoryId, Memory] = field(default_factory=dict)
    """The records of all candidates that are what they were taken for."""
    ranked: tuple[Ranked, ...] = ()
    """All of them, best first."""
    rerank_problem: str = ""
    """Why the second reranking that was wanted could not be had, or empty."""


def answer(
    question: Question,
    view: View,
    ledger: Ledger,
    meaning: Meaning | None,
    policy: RecallPolicy,
    reranking: Reranking | None = None,
    prefetched: Prefetched | None = None,
) -> Answer:
    """Find the memories within a view that answer a question. What was prefetched of it is not looked up again."""
    known = prefetched or prefetch(question, view, ledger, policy, words=False)
    judge = _judge(question, known.counted, meaning)
    found, by_word = Answer(), known.by_word
    for step in known.planned:
        if found.searched and not tiers.goes_on(found.searched[-1], step, _relevances(found), question.limit):
            break
        within = tiers.narrowed(view, step, known.present)
        brought = gather(question, within, ledger.memories, ledger.vectors, meaning, by_word)
        found, by_word = _widened(found, step, brought, judge, within, ledger.memories, policy), None
    if reranking is not None and found.ranked:
        found = _reconsidered(found, judge, policy, reranking)
    spared = [trust for step in known.planned if step not in found.searched for trust in step.trusts]
    return _accounted(found, question, view, ledger.memories, known.kept_out, gated=Trust.UNTRUSTED in spared)


def _widened(
    before: Answer,
    step: Step,
    brought: Gathered,
    judge: "Judge",
    view: View,
    memories: MemoryStore,
    policy: RecallPolicy,
) -> Answer:
    """Take one step more: everything found so far is ranked anew together with what it brings."""
    nominated = {one.id: one.content_hash for candidates in brought.lanes.values() for one in candidates}
    new = _sound(memories, nominated, view)
    gathered, sound = before.gathered.joined(brought), {**before.sound, **new}
    fused = FUSIONS[policy.fusion](gathered.lanes, judge.covered(gathered.lanes.get(LEXICAL, []), sound))
    ranked = weighed(fused, sound, policy, view.now)
    return Answer(
        hits=tuple(_hits(ranked, sound, judge, policy.min_relevance)),
        gathered=gathered,
        strays=before.strays + len(nominated) - len(new),
        searched=(*before.searched, step),
        sound=sound,
        ranked=tuple(ranked),
    )


def _reconsidered(found: Answer, judge: "Judge", policy: RecallPolicy, reranking: Reranking) -> Answer:
    ranked, problem = reconsidered(judge.question.text, found.ranked, found.sound, reranking)
    hits = _hits(ranked, found.sound, judge, policy.min_relevance)
    return replace(found, ranked=tuple(ranked), hits=tuple(hits), rerank_problem=problem)


def judge_of(question: Question, ledger: Ledger, meaning: Meaning | None) -> "Judge":
    """Return who judges how relevant records are to a question, by how telling its words are in this store."""
    return _judge(question, ledger.memories.frequencies(question.terms), meaning)


def _judge(question: Question, counted: Frequencies, meaning: Meaning | None) -> "Judge":
    space = meaning.space.name if meaning else ""
    return Judge(question, space, relevance.weights(counted.holding, counted.records))


def _accounted(
    found: Answer, question: Question, view: View, memories: MemoryStore, kept_out: Sequence[Memory], *, gated: bool
) -> Answer:
    """Name what matched and was not returned, and the rule."""
    returned = {hit.memory.id for hit in found.hits}
    others = tuple(one for one in found.ranked if one.id not in returned)[:NAMED_OTHERS]
    held_out = [HeldOut(memory.id, rule) for memory in kept_out if (rule := held_out_by(memory, view))]
    if gated and len(held_out) < NAMED_OTHERS:
        untrusted = replace(view, trusts=(Trust.UNTRUSTED,))
        kept_back = memories.match(question.terms, untrusted, NAMED_OTHERS - len(held_out))
        held_out += [HeldOut(one.id, "trust_gate") for one in kept_back]
    return replace(found, below_limit=others, held_out=tuple(held_out))


def _sound(memories: MemoryStore, nominated: Mapping[MemoryId, str], view: View) -> dict[MemoryId, Memory]:
    """Fetch candidates from the ledger, and keep those that are what they were taken for."""
    found = memories.fetch(list(nominated), view)
    return {id: memory for id, memory in found.items() if memory.content_hash == nominated[id]}


def _hits(ranked: Sequence[Ranked], sound: Mapping[MemoryId, Memory], judge: "Judge", least: float) -> Iterator[Hit]:
    judged = (judge.hit(one, sound[one.id]) for one in ranked)
    relevant = (hit for hit in judged if hit.relevance >= least)
    for rank, hit in enumerate(islice(relevant, judge.question.limit), start=1):
        yield replace(hit, rank=rank)


class Judge(Struct, frozen=True):
    """Says how relevant a record is to one question."""

    question: Question
    space: str
    weights: Mapping[str, float]
    """How telling each of the question's terms is."""

    def hit(self, one: Ranked, memory: Memory) -> Hit:
        """Return a candidate as a hit."""
        cosine = next((part.raw for part in one.contributions if part.name == VECTOR), None)
        words = relevance.words_of(memory)
        value = relevance.of_hit(self.question.terms, words, cosine, self.space, self.weights)
        return Hit(memory, 0, one.score, one.contributions, value)

    def covered(self, by_word: Sequence[Candidate], sound: Mapping[MemoryId, Memory]) -> float:
        """Return how much of the question the best matches by word cover; all of it where meaning is no better guide."""
        if not relevance.understands(self.space, self.question.terms):
            return 1.0
        best = nsmallest(COVERING, by_word, key=lambda one: (-one.score, one.id))
        words = [relevance.words_of(sound[one.id]) for one in best if one.id in sound]
        terms = self.question.terms
        return max((relevance.signals(terms, one, None, None, self.weights).share for one in words), default=0.0)


def _relevances(found: Answer) -> list[float]:
    return [hit.relevance for hit in found.hits]
