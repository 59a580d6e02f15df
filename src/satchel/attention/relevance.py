"""Find candidates by what the request asks, and judge every candidate's relevance to it.

A request asks for its goal, and for each of its recent failures and open questions. A candidate is as relevant as it is to
the one that it fits best. Untrusted memories are searched apart and do not count in word statistics, so that they can
neither crowd out trusted ones nor make their words look common.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import chain, zip_longest

from msgspec import Struct
from msgspec.structs import replace

from satchel.attention.request import AttentionRequest
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, MemoryId, Trust
from satchel.domain.view import View
from satchel.ports import Ledger
from satchel.recall.named import memory_text, name_strengths, stated_names
from satchel.recall.recaller import CandidateSearch, Recaller
from satchel.recall.relevance import hit_relevance, likelihood, memory_labels, memory_words, term_weights
from satchel.recall.request import POOL_FACTOR, Mode, parse_evidence_question

# Maximum number of questions that a request is searched by: the goal, then failures and open questions in turn.
MAX_QUESTIONS = 5
MAX_POOL = 500
# Share of its weight that a word of phrasing keeps.
PHRASING_WEIGHT = 0.25
_PHRASING_WORDS = (
    "add again another answer ask begin bring build change check choose close come complete continue create decide "
    "develop do draft edit figure find finish fix follow get give go handle help improve investigate keep let look make "
    "manage need new next now one open organise organize pick plan prepare produce provide put recommend repeat review "
    "revise run see set show start step suggest take tell think today tomorrow try two update use verify want way week "
    "work write yesterday "
    "一个 一個 一下 一些 今天 明天 下周 本周 这个 這個 那个 那個 检查 檢查 准备 準備 安排 处理 處理 进行 進行 完成 开始 開始 继续 "
    "繼續 需要 设计 設計 编写 編寫 修改 查看 看看 帮我 幫我 写一 寫一 推荐 推薦 计算 計算 怎样 怎樣 如何 可以 能不 不能 有没 有沒 没有 沒有"
)
_PHRASING = frozenset(_PHRASING_WORDS.split())


class Searches(Struct, frozen=True):
    """What the questions of a request found."""

    questions: tuple[CandidateSearch, ...]
    found: Mapping[Trust, tuple[MemoryId, ...]]
    """The candidates of each trust tier that has records, those of every question in turn."""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Why meaning could not be compared, each once."""
        return tuple(dict.fromkeys(one.warning for one in self.questions if one.warning))


class Nearness(Struct, frozen=True):
    """How close a memory is to a request."""

    relevance: float
    """The probability that it is about one of the request's questions."""
    cosine: float | None = None
    """The best cosine with one of them; None if not known."""


def search(
    request: AttentionRequest,
    view: View,
    recaller: Recaller,
    ledger: Ledger,
    policy: AttentionPolicy,
    *,
    by_meaning: bool,
) -> Searches:
    """Search by every question of a request."""
    present = {trust for trust, _ in ledger.memories.tiers(view.reach)}
    trusts = [trust for trust in view.trusts if trust in present]
    views = [replace(view, trusts=(trust,)) for trust in trusts]
    mode = Mode.HYBRID if by_meaning else Mode.LEXICAL
    # A question gathers several candidates for each that it returns.
    limit = max(1, policy.pool_text // POOL_FACTOR)
    asked = [parse_evidence_question(text, mode, limit, MAX_POOL) for text in _questions(request)]
    found = tuple(recaller.candidates(question, views) for question in asked)
    in_turn = [_in_turn([one.ids[place] for one in found], policy.pool_text) for place in range(len(views))]
    return Searches(found, dict(zip(trusts, in_turn, strict=True)))


def judge(memories: Sequence[Memory], searches: Searches, ledger: Ledger) -> dict[MemoryId, Nearness]:
    """Return how close each memory is to the request."""
    words = {memory.id: (memory_words(memory), memory_labels(memory)) for memory in memories}
    near = dict.fromkeys(words, Nearness(0.0))
    for one in searches.questions:
        terms, query = one.question.terms, one.vector_query
        frequencies = ledger.memories.frequencies(terms, trusted_only=True)
        named_weights = _without_phrasing(term_weights(frequencies.holding, frequencies.records))
        other_weights, named = _without_numbers(named_weights), _named(memories, one.question.text)
        cosines = ledger.vectors.cosines(query.space, query.vector, list(words)) if query else {}
        space = query.space.name if query else None
        for id, (held, labels) in words.items():
            cosine, weights = cosines.get(id), named_weights if id in named else other_weights
            value = likelihood(hit_relevance(terms, held, None, None, weights, labels), rated=False)
            if cosine is not None:
                # Meaning never lowers what words alone say.
                value = max(value, hit_relevance(terms, held, cosine, space, weights, labels))
            near[id] = _closer(near[id], Nearness(value, cosine))
    return near


def _without_phrasing(weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights with those of words that any goal may have lowered: they say what to do, not with what."""
    return {term: weight * (PHRASING_WEIGHT if term in _PHRASING else 1.0) for term, weight in weights.items()}


def _without_numbers(weights: Mapping[str, float]) -> dict[str, float]:
    """Return the weights with those of numbers lowered: "order 12 chairs" is not about account 12."""
    return {term: weight * (PHRASING_WEIGHT if term.isdigit() else 1.0) for term, weight in weights.items()}


def _named(memories: Sequence[Memory], question: str) -> set[MemoryId]:
    """Return the memories with a number or key that a question states as a name, such as "room 12"."""
    names = stated_names(question)
    return {memory.id for memory in memories if names and any(name_strengths(names, memory_text(memory)))}


def _closer(one: Nearness, other: Nearness) -> Nearness:
    cosines = [found.cosine for found in (one, other) if found.cosine is not None]
    return Nearness(max(one.relevance, other.relevance), max(cosines, default=None))


def _questions(request: AttentionRequest) -> list[str]:
    others = chain.from_iterable(zip_longest(request.failures, request.questions))
    return [request.goal, *(text for text in others if text)][:MAX_QUESTIONS]


def _in_turn(found: Iterable[Sequence[MemoryId]], limit: int) -> tuple[MemoryId, ...]:
    """Return the first ids of several lists, taken from each in turn."""
    ids = (id for id in chain.from_iterable(zip_longest(*found)) if id is not None)
    return tuple(dict.fromkeys(ids))[:limit]


def inherit(near: Mapping[MemoryId, Nearness], links: Iterable[tuple[MemoryId, MemoryId]]) -> dict[MemoryId, Nearness]:
    """Return the same with every source as relevant as the memory that it speaks about, if that is more."""
    found, pairs = dict(near), [pair for pair in links if pair[0] in near and pair[1] in near]
    for source, target in pairs:
        if found[target].relevance > found[source].relevance:
            found[source] = replace(found[source], relevance=found[target].relevance)
    return found
