"""Read the receipt of each operation into sentences."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, TypeVar

from msgspec import UNSET, ValidationError, convert
from msgspec.structs import replace

from satchel.domain.counting import count
from satchel.domain.receipt_sections import (
    AttentionAsked,
    AttentionConsidered,
    AttentionDecided,
    BudgetSection,
    CapturedEntry,
    EpisodesAsked,
    EpisodesConsidered,
    EpisodesDecided,
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
    StoreAsked,
    StoreDecided,
    TurnAfterAsked,
    TurnAfterDecided,
    TurnBeforeDecided,
    TurnStartDecided,
)
from satchel.explaining.any_receipt import read_any
from satchel.explaining.meanings import OUTCOMES, PACKED, PACKETS, RULES, SKIPS, meaning
from satchel.explaining.receipt_values import Body, counted, facts_of, fields, joined, number
from satchel.explaining.sections import (
    DIGEST_CHARS,
    ELSEWHERE,
    SCOPE_MODES,
    ReceiptReading,
    asked_lines,
    facts_in,
    fallback_lines,
    hit_mention,
    mention,
    question_lines,
    search_lines,
)
from satchel.explaining.values import BudgetUse, ExplanationSection, RecordMention

A = TypeVar("A")
C = TypeVar("C")
D = TypeVar("D")


def reading(operation: str, body: Body) -> ReceiptReading:
    """Read the receipt of an operation. One that does not have the sections of its operation is read as any other."""
    try:
        return READERS.get(operation, read_any)(body)
    except ValidationError:
        return read_any(body)


def _sections(body: Body, asked: type[A], considered: type[C], decided: type[D]) -> tuple[A, C, D]:
    return (
        convert(body.get("asked", {}), asked, strict=False),
        convert(body.get("considered", {}), considered, strict=False),
        convert(body.get("decided", {}), decided, strict=False),
    )


def _recall(body: Body) -> ReceiptReading:
    asked, considered, decided = _sections(body, QuestionAsked, RecallConsidered, RecallDecided)
    hits, lifecycle = decided.hits, decided.lifecycle or LifecycleSection()
    outcome = f"{len(hits)} returned, {len(decided.below_limit)} ranked below them"
    return ReceiptReading(
        sections=(
            ExplanationSection("asked", tuple(question_lines(asked))),
            ExplanationSection("searched", tuple(search_lines(considered, lifecycle))),
            ExplanationSection(ELSEWHERE, tuple(fallback_lines(lifecycle))),
            ExplanationSection("decided", (outcome, f"relevance of the answer {number(decided.relevance)}")),
        ),
        included=tuple(hit_mention(hit, place, len(hits)) for place, hit in enumerate(hits, start=1)),
        left_out=(
            *(mention(one.id, "limit", _score(one)) for one in decided.below_limit),
            *(mention(one.id, one.rule) for one in decided.held_out),
        ),
    )


def _score(one: ScoredId) -> tuple[str, ...]:
    return () if one.score is UNSET else (f"score {number(one.score)}",)


def _episodes(body: Body) -> ReceiptReading:
    _, _, decided = _sections(body, EpisodesAsked, EpisodesConsidered, EpisodesDecided)
    hits = decided.hits
    other = {name: value for name, value in fields(body.get("decided")).items() if name != "hits"}
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(asked_lines(body))),
            ExplanationSection("searched", tuple(facts_in(body, "considered"))),
            ExplanationSection("decided", (counted(len(hits), "hit"), *facts_of(other))),
        ),
        included=tuple(hit_mention(hit, place, len(hits)) for place, hit in enumerate(hits, start=1)),
    )


def _turn_before(body: Body) -> ReceiptReading:
    asked, considered, decided = _sections(body, QuestionAsked, RecallConsidered, TurnBeforeDecided)
    lifecycle, injected = decided.lifecycle, decided.injected or ()
    question = ExplanationSection("asked", tuple(question_lines(asked)))
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
            ExplanationSection("searched", tuple(search_lines(considered, lifecycle))),
            ExplanationSection(ELSEWHERE, tuple(fallback_lines(lifecycle))),
            ExplanationSection("decided", tuple(outcome)),
        ),
        included=(
            *(hit_mention(one, place, len(injected)) for place, one in enumerate(injected, start=1)),
            *(_observed(one) for one in lifecycle.observations or ()),
        ),
        left_out=tuple(mention(one.id, one.rule) for one in decided.left_out or ()),
        budget=BudgetUse(budget.after_chars, budget.max_chars, "characters") if budget.enabled else None,
    )


def _turn_start(body: Body) -> ReceiptReading:
    asked, considered, decided = _sections(body, QuestionAsked, dict[str, Any], TurnStartDecided)
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(question_lines(asked))),
            ExplanationSection("searched", tuple(facts_of(considered))),
            ExplanationSection("decided", (f"{len(decided.injected)} injected at the start of the session",)),
        ),
        included=tuple(mention(id, "opens_session") for id in decided.injected),
        left_out=tuple(mention(id, "budget") for id in decided.dropped),
    )


def _observed(one: LaneTop) -> RecordMention:
    return mention(one.id, "rank", (f"relevance {number(one.score)}", "an observation, shown as evidence"))


def _turn_after(body: Body) -> ReceiptReading:
    _, _, decided = _sections(body, TurnAfterAsked, dict[str, Any], TurnAfterDecided)
    capture, captured = decided.auto_capture, decided.captured
    facts = [f"{counted(capture.candidate_extraction_count, 'sentence')} with a signal"]
    facts += [f"{number} left out: {name.replace('_', ' ')}" for name, number in capture.filtered_out.items() if number]
    facts.append(f"{capture.stored_count} stored")
    return ReceiptReading(
        (ExplanationSection("asked", tuple(facts_in(body, "asked"))), ExplanationSection("decided", tuple(facts))),
        included=tuple(_captured(one) for one in captured if one.id),
        left_out=tuple(_captured(one) for one in captured if not one.id),
    )


def _captured(one: CapturedEntry) -> RecordMention:
    return mention(one.id or "", one.action, (f"{one.kind}, by the cue '{one.cue}'",))


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
    digest = asked.request_digest[:DIGEST_CHARS]
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
            ExplanationSection("asked", tuple(question_lines(replace(asked, limit=asked.max_items)))),
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
    placed = SCOPE_MODES.get(decided.scope_mode)
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(facts_in(body, "asked"))),
            ExplanationSection("decided", (*([f"its scope: {placed}"] if placed else []), *checked)),
        ),
        included=(mention(decided.id, decided.action, reasons),),
    )


def _route(body: Body) -> ReceiptReading:
    _, considered, decided = _sections(body, RouteAsked, RouteConsidered, RouteDecided)
    tried = [
        f"{one.backend}{f' {one.mode}' if one.mode else ''}: {meaning(one.outcome, OUTCOMES)}, "
        f"{counted(one.result_count, 'result')}, relevance {number(one.relevance)}"
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
            ExplanationSection("asked", tuple(asked_lines(body))),
            ExplanationSection("searched", (*tried, *skipped)),
            ExplanationSection("decided", outcome),
        ),
        included=tuple(mention(id, "rank") for id in decided.ids),
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
