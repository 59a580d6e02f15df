"""Read the receipt of each operation into sentences."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from msgspec import UNSET, Struct, ValidationError, convert
from msgspec.structs import replace

from satchel.domain.counting import count
from satchel.domain.receipt_sections import (
    AttentionAsked,
    AttentionConsidered,
    AttentionDecided,
    BudgetSection,
    CapturedEntry,
    ColdLane,
    EpisodesAsked,
    EpisodesConsidered,
    EpisodesDecided,
    FallbackSection,
    HitEntry,
    LaneTop,
    LifecycleSection,
    PackAsked,
    PackConsidered,
    PackDecided,
    PackEntry,
    PreflightSection,
    QuestionAsked,
    RankedEntry,
    RecallConsidered,
    RecallDecided,
    RouteAsked,
    RouteConsidered,
    RouteDecided,
    ScoredId,
    ScoreEntry,
    StoreAsked,
    StoreDecided,
    TurnAfterAsked,
    TurnAfterDecided,
    TurnBeforeDecided,
    TurnStartDecided,
)
from satchel.explaining.meanings import PACKED, PACKETS, RULES, SKIPS, TIERS, meaning
from satchel.explaining.receipt_values import MAX_LINES, Body, counted, facts_of, fields, joined, listed, number
from satchel.explaining.values import BudgetUse, ExplanationSection, RecordMention

ELSEWHERE = "fallback scopes"
_DIGEST_CHARS = 19

A = TypeVar("A")
C = TypeVar("C")
D = TypeVar("D")


class ReceiptReading(Struct, frozen=True):
    """What a receipt says about the operation and about single records."""

    sections: tuple[ExplanationSection, ...] = ()
    included: tuple[RecordMention, ...] = ()
    left_out: tuple[RecordMention, ...] = ()
    budget: BudgetUse | None = None
    nothing: str = ""
    """Why the operation answered nothing, if it says so."""


def reading(operation: str, body: Body) -> ReceiptReading:
    """Read the receipt of an operation. One that does not have the sections of its operation is read as any other."""
    try:
        return READERS.get(operation, _anything)(body)
    except ValidationError:
        return _anything(body)


def _sections(body: Body, asked: type[A], considered: type[C], decided: type[D]) -> tuple[A, C, D]:
    return (
        convert(body.get("asked", {}), asked, strict=False),
        convert(body.get("considered", {}), considered, strict=False),
        convert(body.get("decided", {}), decided, strict=False),
    )


# Readers of operations with typed sections


def _recall(body: Body) -> ReceiptReading:
    asked, considered, decided = _sections(body, QuestionAsked, RecallConsidered, RecallDecided)
    hits, lifecycle = decided.hits, decided.lifecycle or LifecycleSection()
    outcome = f"{len(hits)} returned, {len(decided.below_limit)} ranked below them"
    return ReceiptReading(
        sections=(
            ExplanationSection("asked", tuple(_question(asked))),
            ExplanationSection("searched", tuple(_searched(considered, lifecycle))),
            ExplanationSection(ELSEWHERE, tuple(_elsewhere(lifecycle))),
            ExplanationSection("decided", (outcome, f"relevance of the answer {number(decided.relevance)}")),
        ),
        included=tuple(_hit(hit, place, len(hits)) for place, hit in enumerate(hits, start=1)),
        left_out=(
            *(_mention(one.id, "limit", _score(one)) for one in decided.below_limit),
            *(_mention(one.id, one.rule) for one in decided.held_out),
        ),
    )


def _hit(hit: HitEntry, place: int, of: int) -> RecordMention:
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


def _score(one: ScoredId) -> tuple[str, ...]:
    return () if one.score is UNSET else (f"score {number(one.score)}",)


def _episodes(body: Body) -> ReceiptReading:
    _, _, decided = _sections(body, EpisodesAsked, EpisodesConsidered, EpisodesDecided)
    hits = decided.hits
    other = {name: value for name, value in fields(body.get("decided")).items() if name != "hits"}
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(_asked(body))),
            ExplanationSection("searched", tuple(_facts(body, "considered"))),
            ExplanationSection("decided", (counted(len(hits), "hit"), *facts_of(other))),
        ),
        included=tuple(_hit(hit, place, len(hits)) for place, hit in enumerate(hits, start=1)),
    )


def _question(asked: QuestionAsked) -> Iterator[str]:
    if asked.query_digest:
        yield f"a query of {asked.query_chars or 0} characters, stored as {asked.query_digest[:_DIGEST_CHARS]} only"
    if asked.scope:
        yield f"in scope '{asked.scope}'" + _SCOPE_MODES.get(asked.scope_mode or "", "")
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


_MODES = {"hybrid": "words and meaning", "lexical": "words", "vector": "meaning"}
_SCOPE_MODES = {
    "explicit": ", given explicitly",
    "inferred": ", from a tag in the text",
    "project": ", the project of the folder",
    "global": ", the default",
}


# By the reason why no replica answered; empty if one did.
_READS = {
    "": "answered by a replica that was at most {:g} seconds behind",
    "behind": "answered by the primary server: every replica was more than {:g} seconds behind",
    "own_write": "answered by the primary server: no replica had what the caller had just written",
    "unreachable": "answered by the primary server: no replica could be reached",
    "failed": "answered by the primary server: a replica failed",
}


def _searched(considered: RecallConsidered, lifecycle: LifecycleSection) -> Iterator[str]:
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


def _elsewhere(lifecycle: LifecycleSection) -> Iterator[str]:
    fallback = lifecycle.fallback or FallbackSection()
    if fallback.consulted_scopes:
        yield f"{joined(fallback.consulted_scopes)}; {counted(fallback.contributed, 'hit')} from them"


def _turn_before(body: Body) -> ReceiptReading:
    asked, considered, decided = _sections(body, QuestionAsked, RecallConsidered, TurnBeforeDecided)
    lifecycle, injected = decided.lifecycle, decided.injected or ()
    question = ExplanationSection("asked", tuple(_question(asked)))
    if lifecycle.skipped:
        reason = f"nothing was recalled: {meaning(str(lifecycle.skip_reason), SKIPS)}"
        return ReceiptReading((question, ExplanationSection("decided", (reason,))), nothing=reason)
    budget = lifecycle.budget or BudgetSection()
    outcome = [
        f"{lifecycle.final_count} selected, {lifecycle.injected_count} injected before the prompt",
        f"{budget.after_chars} characters of at most {budget.max_chars}",
    ]
    if lifecycle.working_set and lifecycle.working_set.generated:
        outcome.append("with a working set")
    return ReceiptReading(
        (
            question,
            ExplanationSection("searched", tuple(_searched(considered, lifecycle))),
            ExplanationSection(ELSEWHERE, tuple(_elsewhere(lifecycle))),
            ExplanationSection("decided", tuple(outcome)),
        ),
        included=(
            *(_hit(one, place, len(injected)) for place, one in enumerate(injected, start=1)),
            *(_observed(one) for one in lifecycle.observations or ()),
        ),
        left_out=tuple(_mention(one.id, one.rule) for one in decided.left_out or ()),
        budget=BudgetUse(budget.after_chars, budget.max_chars, "characters") if budget.enabled else None,
    )


def _turn_start(body: Body) -> ReceiptReading:
    asked, considered, decided = _sections(body, QuestionAsked, dict[str, Any], TurnStartDecided)
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(_question(asked))),
            ExplanationSection("searched", tuple(facts_of(considered))),
            ExplanationSection("decided", (f"{len(decided.injected)} injected at the start of the session",)),
        ),
        included=tuple(_mention(id, "opens_session") for id in decided.injected),
        left_out=tuple(_mention(id, "budget") for id in decided.dropped),
    )


def _observed(one: LaneTop) -> RecordMention:
    return _mention(one.id, "rank", (f"relevance {number(one.score)}", "an observation, shown as evidence"))


def _turn_after(body: Body) -> ReceiptReading:
    _, _, decided = _sections(body, TurnAfterAsked, dict[str, Any], TurnAfterDecided)
    capture, captured = decided.auto_capture, decided.captured
    facts = [f"{counted(capture.candidate_extraction_count, 'sentence')} with a signal"]
    facts += [f"{number} left out: {name.replace('_', ' ')}" for name, number in capture.filtered_out.items() if number]
    facts.append(f"{capture.stored_count} stored")
    return ReceiptReading(
        (ExplanationSection("asked", tuple(_facts(body, "asked"))), ExplanationSection("decided", tuple(facts))),
        included=tuple(_captured(one) for one in captured if one.id),
        left_out=tuple(_captured(one) for one in captured if not one.id),
    )


def _captured(one: CapturedEntry) -> RecordMention:
    return _mention(one.id or "", one.action, (f"{one.kind}, by the cue '{one.cue}'",))


def _attention_route(body: Body) -> ReceiptReading:
    asked, considered, decided = _sections(body, AttentionAsked, AttentionConsidered, AttentionDecided)
    ranked = {one.id: one for one in decided.memories}
    reasons = {one.id: one.reason for one in decided.left_out}
    passed_over = [id for id in ranked if id not in decided.selected and id not in reasons]
    chosen = [f"block {one.block} {number(one.score)}" for one in decided.blocks if one.selected]
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(_goal(asked))),
            ExplanationSection("searched", tuple(_gathered(considered))),
            ExplanationSection(
                "decided", (*chosen, f"{decided.chars} characters from {count(len(decided.selected), 'memory')}")
            ),
        ),
        included=tuple(_row(id, "selected", ranked) for id in decided.selected),
        left_out=(
            *(_row(id, rule, ranked) for id, rule in reasons.items()),
            *(_row(id, "not_selected", ranked) for id in passed_over),
        ),
    )


def _goal(asked: AttentionAsked) -> Iterator[str]:
    digest = asked.request_digest[:_DIGEST_CHARS]
    yield f"a goal of {counted(asked.goal_chars, 'character')}" + (f", stored as {digest} only" if digest else "")
    if asked.role:
        yield f"for the role {asked.role}"
    if asked.scope:
        yield f"in scope '{asked.scope}'"
    yield "by words and meaning" if asked.meaning else "by words"


_SOURCES = {
    "text": "by the words of the goal",
    "task": "of the task",
    "session": "of the session",
    "rules": "that are rules",
    "durable": "durable",
    "recent": "recent",
    "graph": "from the graph",
}


def _gathered(considered: AttentionConsidered) -> Iterator[str]:
    for name, words in _SOURCES.items():
        if found := getattr(considered, name):
            yield f"{counted(found, 'candidate')} {words}"
    for block, found in considered.blocks.items():
        if found:
            yield f"{counted(found, 'candidate')} in the block {block}"
    measured = f", {considered.measured_by_meaning} of them by meaning" if considered.measured_by_meaning else ""
    yield f"{considered.ranked} ranked{measured}"


def _row(id: str, rule: str, ranked: Mapping[str, RankedEntry]) -> RecordMention:
    row = ranked.get(id)
    reasons = (f"score {number(row.score)}", f"block {row.block}") if row else ()
    return RecordMention(id, "", rule, meaning(rule.partition(":")[0], {**RULES, **PACKETS}), reasons)


def _pack(body: Body) -> ReceiptReading:
    asked, considered, decided = _sections(body, PackAsked, PackConsidered, PackDecided)
    searched = [
        f"{name}: {one.found} found" + (f", {one.problem}" if one.problem else "")
        for name, one in considered.lanes.items()
        if one.searched or one.problem
    ]
    outcome = [f"{decided.tokens} tokens of at most {asked.budget_tokens}"]
    if decided.excluded_unlisted:
        outcome.append(f"{decided.excluded_unlisted} more were left out and are not listed")
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(_question(replace(asked, limit=asked.max_items)))),
            ExplanationSection("searched", tuple(searched)),
            ExplanationSection("decided", tuple(outcome)),
        ),
        included=tuple(_packed(one, "selected") for one in decided.included),
        left_out=tuple(_packed(one, "not_selected") for one in decided.excluded),
        budget=BudgetUse(decided.tokens, asked.budget_tokens, "tokens") if asked.budget_tokens else None,
    )


def _packed(one: PackEntry, otherwise: str) -> RecordMention:
    """Describe a pack decision."""
    rule = one.rules[0] if one.rules else otherwise
    reasons = [f"lane {one.lane}", f"relevance {number(one.relevance)}"]
    reasons += [f"layer {one.layer}"] if one.layer is not None else []
    reasons += [f"rules {', '.join(one.rules)}"] if len(one.rules) > 1 else []
    return RecordMention(one.id, "", rule, meaning(rule, {**RULES, **PACKED}), tuple(reasons))


def _store(body: Body) -> ReceiptReading:
    _, _, decided = _sections(body, StoreAsked, dict[str, Any], StoreDecided)
    reasons = [f"{decided.trust} by the rule {decided.trust_rule}"] if decided.trust else []
    reasons += [f"likeness {decided.likeness}"] if decided.likeness else []
    reasons += [f"it reads as an order to the agent: {joined(decided.order_reasons)}"] if decided.order_reasons else []
    preflight = decided.preflight or PreflightSection()
    checked = [f"the check before the write returned {preflight.governor_status}"] if preflight.attempted else []
    checked += [f"{one.code}: {one.detail}" for one in preflight.reasons]
    placed = _SCOPE_MODES.get(decided.scope_mode, "").removeprefix(", ")
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(_facts(body, "asked"))),
            ExplanationSection("decided", (*([f"its scope: {placed}"] if placed else []), *checked)),
        ),
        included=(_mention(decided.id, decided.action, reasons),),
    )


def _route(body: Body) -> ReceiptReading:
    _, considered, decided = _sections(body, RouteAsked, RouteConsidered, RouteDecided)
    tried = [
        f"{one.backend} {one.mode}: {one.outcome}, {one.result_count} results, relevance {number(one.relevance)}"
        + (f" ({one.error_code})" if one.error_code else "")
        for one in considered.attempts
    ]
    skipped = [f"skipped: {one}" for one in considered.skipped]
    outcome = (
        f"rule {decided.rule}, stage {decided.stage}, by the signals {joined(decided.signals)}",
        f"{decided.status} from {decided.routed_to}, relevance {number(decided.relevance)}",
    )
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(_asked(body))),
            ExplanationSection("searched", (*tried, *skipped)),
            ExplanationSection("decided", outcome),
        ),
        included=tuple(_mention(id, "rank") for id in decided.ids),
    )


READERS: Mapping[str, Callable[[Body], ReceiptReading]] = {
    "recall": _recall,
    "episodes search": _episodes,
    "turn start": _turn_start,
    "turn before": _turn_before,
    "turn after": _turn_after,
    "attention route": _attention_route,
    "pack": _pack,
    "route": _route,
    "store": _store,
}


# The reader of any other receipt


def _anything(body: Body) -> ReceiptReading:
    """Read any other receipt: its facts, and the records in its lists."""
    decided = fields(body.get("decided"))
    mentions = [one for name, value in decided.items() for one in _mentions(name, value)]
    named_alone = _named_alone(decided)
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(_asked(body))),
            ExplanationSection("searched", tuple(_facts(body, "considered"))),
            ExplanationSection("decided", tuple(facts_of(decided))),
        ),
        included=(*named_alone, *(one for one, stopped in mentions if not stopped)),
        left_out=tuple(one for one, stopped in mentions if stopped),
    )


def _facts(body: Body, section: str) -> Iterator[str]:
    return facts_of(fields(body.get(section)))


def _asked(body: Body) -> Iterator[str]:
    """Yield the request: the query first, if there is one, then the other options."""
    asked = fields(body.get("asked"))
    shown = {name: asked[name] for name in ("query_digest", "query_chars", "scope") if name in asked}
    if "query_digest" in shown:
        with suppress(ValidationError):
            question = convert(shown, QuestionAsked, strict=False)
            asked = {name: value for name, value in asked.items() if name not in shown}
            yield from _question(question)
    yield from facts_of(asked)


def _named_alone(decided: Body) -> tuple[RecordMention, ...]:
    if not isinstance(decided.get("id"), str):
        return ()
    rule = str(decided.get("action") or decided.get("reason_code") or "")
    return (_mention(decided["id"], rule),)


def _mentions(name: str, value: Any) -> Iterator[tuple[RecordMention, bool]]:
    """Yield the records of a list, and whether a rule excluded each."""
    for one in listed(value):
        row = fields(one)
        if not isinstance(row.get("id"), str):
            continue
        stop = row.get("rule") or row.get("reason")
        facts = {key: fact for key, fact in row.items() if key not in ("id", "rule", "reason")}
        yield _mention(row["id"], str(stop or name), tuple(facts_of(facts))[:MAX_LINES]), bool(stop)


def _mention(id: str, rule: str, reasons: Sequence[str] = ()) -> RecordMention:
    return RecordMention(id, "", rule, meaning(rule, RULES), tuple(reasons))
