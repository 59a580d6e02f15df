"""Sections and mentions that the receipts of several operations share."""

from collections.abc import Iterator, Sequence
from contextlib import suppress

from msgspec import UNSET, Struct, ValidationError, convert

from satchel.domain.counting import count
from satchel.domain.receipt_sections import (
    ColdLane,
    FallbackSection,
    HitEntry,
    LifecycleSection,
    QuestionAsked,
    RecallConsidered,
    ScoreEntry,
)
from satchel.explaining.meanings import RULES, TIERS, meaning
from satchel.explaining.receipt_values import Body, counted, facts_of, fields, joined, number
from satchel.explaining.values import BudgetUse, ExplanationSection, RecordMention

ELSEWHERE = "fallback scopes"
DIGEST_CHARS = 19

_MODES = {"hybrid": "words and meaning", "lexical": "words", "vector": "meaning"}
SCOPE_MODES = {
    "explicit": "given explicitly",
    "inferred": "from a tag in the text",
    "project": "the project of the folder",
    "global": "the default",
}
# By the reason why no replica answered; empty if one did.
_READS = {
    "": "answered by a replica that was at most {:g} seconds behind",
    "behind": "answered by the primary server: every replica was more than {:g} seconds behind",
    "own_write": "answered by the primary server: no replica had what the caller had just written",
    "unreachable": "answered by the primary server: no replica could be reached",
    "failed": "answered by the primary server: a replica failed",
}


class ReceiptReading(Struct, frozen=True):
    """What a receipt says about the operation and about single records."""

    sections: tuple[ExplanationSection, ...] = ()
    included: tuple[RecordMention, ...] = ()
    left_out: tuple[RecordMention, ...] = ()
    budget: BudgetUse | None = None
    nothing: str = ""
    """Why the operation answered nothing, if it says so."""


def question_lines(asked: QuestionAsked) -> Iterator[str]:
    """Yield what a question asked for."""
    if asked.query_digest:
        yield f"a query of {asked.query_chars or 0} characters, stored as {asked.query_digest[:DIGEST_CHARS]} only"
    if asked.scope == "*":
        yield "in all scopes"
    elif asked.scope:
        mode = SCOPE_MODES.get(asked.scope_mode or "")
        yield f"in scope '{asked.scope}'" + (f", {mode}" if mode else "")
    if asked.mode:
        yield f"by {_MODES.get(asked.mode, asked.mode)}" + (f", at most {asked.limit}" if asked.limit else "")
    if asked.kinds:
        yield f"only {joined(asked.kinds)}"
    if asked.media:
        yield f"only with media: {asked.media}"
    if asked.untrusted:
        yield "including untrusted memories"
    if asked.as_of is not UNSET:
        yield f"as of sequence number {asked.as_of}"


def asked_lines(body: Body) -> Iterator[str]:
    """Yield the request: the query first, if there is one, then the other options."""
    asked = fields(body.get("asked"))
    shown = {name: asked[name] for name in ("query_digest", "query_chars", "scope") if name in asked}
    if "query_digest" in shown:
        with suppress(ValidationError):
            question = convert(shown, QuestionAsked, strict=False)
            asked = {name: value for name, value in asked.items() if name not in shown}
            yield from question_lines(question)
    yield from facts_of(asked)


def search_lines(considered: RecallConsidered, lifecycle: LifecycleSection) -> Iterator[str]:
    """Yield where a recall searched, and how much it found there."""
    if considered.lexical is not UNSET:
        yield f"by words: {counted(considered.lexical, 'candidate')}, from the {considered.lexical_source}"
    if considered.vector is not UNSET:
        space = considered.embedding_space
        yield f"by meaning: {counted(considered.vector, 'candidate')}" + (f" in the space {space}" if space else "")
    if considered.fused is not UNSET:
        yield f"fused: {counted(considered.fused, 'candidate')}"
    if considered.embeddings_waiting:
        yield f"{count(considered.embeddings_waiting, 'text')} without a vector"
    if considered.index_behind:
        yield f"the index was {count(considered.index_behind, 'change')} behind"
    if considered.reads:
        yield _READS.get(considered.reads.reason, "answered by the primary server").format(
            considered.reads.max_lag_seconds
        )
    if considered.reranker:
        yield f"reranked by {considered.reranker}"
    if lifecycle.tiers_searched:
        yield f"tiers {joined(lifecycle.tiers_searched)} of {joined(lifecycle.trust_searched or ())} records"
    cold = lifecycle.cold_lane or ColdLane()
    if cold.consulted:
        yield f"documents, since memories had too little: {counted(cold.returned or 0, 'passage')} added"


def fallback_lines(lifecycle: LifecycleSection) -> Iterator[str]:
    """Yield the fallback scopes that were searched."""
    fallback = lifecycle.fallback or FallbackSection()
    if fallback.consulted_scopes:
        yield f"{joined(fallback.consulted_scopes)}; {counted(fallback.contributed, 'hit')} from them"


def facts_in(body: Body, section: str) -> Iterator[str]:
    """Yield the facts of a section as they are written there."""
    return facts_of(fields(body.get(section)))


def hit_mention(hit: HitEntry, place: int, of: int) -> RecordMention:
    """Return a hit with the parts of its score."""
    tier = f", tier {TIERS.get(hit.label, hit.label)} ({hit.label})" if hit.label else ""
    reasons = [
        f"score {number(hit.score)}",
        *(_contribution(name, part) for name, part in hit.parts.items()),
        f"relevance {number(hit.relevance)}",
        f"{hit.trust}{tier}",
    ]
    if hit.judged is not UNSET:
        reasons.append(f"the reader gives it a likelihood of {number(hit.judged)} to help with this prompt")
    if hit.origin == "fallback":
        reasons.append("from a fallback scope")
    return RecordMention(hit.id, "", "rank", f"number {place} of {of}", tuple(reasons))


def _contribution(name: str, part: ScoreEntry) -> str:
    rank = f"rank {part.rank}, " if part.rank is not None else ""
    sign = "-" if part.value < 0 else "+"
    return f"{name} {sign}{number(abs(part.value))} ({rank}from {number(part.raw)})"


def mention(id: str, rule: str, reasons: Sequence[str] = ()) -> RecordMention:
    """Return a record with the rule that included it or left it out."""
    return RecordMention(id, "", rule, meaning(rule, RULES), tuple(reasons))
