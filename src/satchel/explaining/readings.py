"""Read the receipt of each operation into sentences. Receipts may be from other versions, so every field is optional."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from msgspec import Struct

from satchel.explaining.meanings import PACKED, RULES, SKIPS, TIERS, meaning
from satchel.explaining.receipt_values import MAX_LINES, Body, counted, facts_of, fields, joined, listed, number
from satchel.explaining.values import ExplanationSection, RecordMention

ELSEWHERE = "fallback scopes"
_DIGEST_CHARS = 19


class ReceiptReading(Struct, frozen=True):
    """What a receipt says about the operation and about single records."""

    sections: tuple[ExplanationSection, ...] = ()
    included: tuple[RecordMention, ...] = ()
    left_out: tuple[RecordMention, ...] = ()


def reading(operation: str, body: Body) -> ReceiptReading:
    """Read the receipt of an operation."""
    return READERS.get(operation, _anything)(body)


# Readers of operations with a receipt layout of their own


def _recall(body: Body) -> ReceiptReading:
    asked, considered, decided = _parts(body)
    hits = [fields(one) for one in listed(decided.get("hits"))]
    lifecycle = fields(decided.get("lifecycle"))
    outcome = f"{len(hits)} returned, {len(listed(decided.get('below_limit')))} ranked below them"
    return ReceiptReading(
        sections=(
            ExplanationSection("asked", tuple(_question(asked))),
            ExplanationSection("searched", tuple(_searched(considered, lifecycle))),
            ExplanationSection(ELSEWHERE, tuple(_elsewhere(lifecycle))),
            ExplanationSection("decided", (outcome, f"relevance of the answer {number(decided.get('relevance'))}")),
        ),
        included=tuple(_hit(hit, place, len(hits)) for place, hit in enumerate(hits, start=1)),
        left_out=(
            *(_left_out(one, "limit") for one in listed(decided.get("below_limit"))),
            *(_left_out(one) for one in listed(decided.get("held_out"))),
        ),
    )


def _hit(hit: Body, place: int, of: int) -> RecordMention:
    parts = fields(hit.get("parts"))
    label = str(hit.get("label", ""))
    tier = f", tier {TIERS.get(label, label)} ({label})" if label else ""
    reasons = [
        f"score {number(hit.get('score'))}",
        *(_contribution(name, fields(part)) for name, part in parts.items()),
        f"relevance {number(hit.get('relevance'))}",
        f"{hit.get('trust', 'unknown')}{tier}",
    ]
    if hit.get("origin") == "fallback":
        reasons.append("from a fallback scope")
    return RecordMention(str(hit.get("id", "")), "", "rank", f"number {place} of {of}", tuple(reasons))


def _contribution(name: str, part: Body) -> str:
    rank = f"rank {part['rank']}, " if part.get("rank") is not None else ""
    return f"{name} +{number(part.get('value'))} ({rank}from {number(part.get('raw'))})"


def _episodes(body: Body) -> ReceiptReading:
    asked, considered, decided = _parts(body)
    hits = [fields(one) for one in listed(decided.get("hits"))]
    other = {name: value for name, value in decided.items() if name != "hits"}
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(_asked(asked))),
            ExplanationSection("searched", tuple(facts_of(considered))),
            ExplanationSection("decided", (counted(len(hits), "hit"), *facts_of(other))),
        ),
        included=tuple(_hit(hit, place, len(hits)) for place, hit in enumerate(hits, start=1)),
    )


def _question(asked: Body) -> Iterator[str]:
    if "query_digest" in asked:
        name = str(asked["query_digest"])[:_DIGEST_CHARS]
        yield f"a query of {asked.get('query_chars', 0)} characters, stored as {name} only"
    if asked.get("scope") is not None:
        yield f"in scope '{asked['scope']}'" + _SCOPE_MODES.get(str(asked.get("scope_mode")), "")
    if "mode" in asked:
        yield f"by {_MODES.get(str(asked['mode']), asked['mode'])}, at most {asked.get('limit')}"
    if asked.get("kinds"):
        yield f"only {joined(asked['kinds'])}"
    if asked.get("untrusted"):
        yield "including untrusted memories"
    if asked.get("as_of") is not None:
        yield f"as of sequence number {asked['as_of']}"


_MODES = {"hybrid": "words and meaning", "lexical": "words", "vector": "meaning"}
_SCOPE_MODES = {
    "explicit": ", given explicitly",
    "inferred": ", from a tag in the text",
    "global": ", the default",
}


def _searched(considered: Body, lifecycle: Body) -> Iterator[str]:
    source = considered.get("lexical_source")
    if "lexical" in considered:
        yield f"by words: {counted(considered['lexical'], 'candidate')}, from the {source}"
    if "vector" in considered:
        space = considered.get("embedding_space")
        yield f"by meaning: {counted(considered['vector'], 'candidate')}" + (f" in the space {space}" if space else "")
    if "fused" in considered:
        yield f"fused: {counted(considered['fused'], 'candidate')}"
    if waiting := considered.get("embeddings_waiting"):
        yield f"{waiting} memories had no vector yet"
    if behind := considered.get("index_behind"):
        yield f"the index was {behind} changes behind"
    if reranker := considered.get("reranker"):
        yield f"reranked by {reranker}"
    if tiers := listed(lifecycle.get("tiersSearched")):
        yield f"tiers {joined(tiers)} of {joined(lifecycle.get('trustSearched'))} records"
    cold = fields(lifecycle.get("coldLane"))
    if cold.get("consulted"):
        yield f"documents, since memories had too little: {counted(cold.get('returned', 0), 'passage')} added"


def _elsewhere(lifecycle: Body) -> Iterator[str]:
    fallback = fields(lifecycle.get("fallback"))
    if scopes := listed(fallback.get("consultedScopes")):
        yield f"{joined(scopes)}; {counted(fallback.get('contributed', 0), 'hit')} from them"


def _turn_before(body: Body) -> ReceiptReading:
    asked, considered, decided = _parts(body)
    lifecycle = fields(decided.get("lifecycle"))
    question = ExplanationSection("asked", tuple(_question(asked)))
    if lifecycle.get("skipped"):
        reason = str(lifecycle.get("skipReason"))
        return ReceiptReading(
            (question, ExplanationSection("decided", (f"nothing was recalled: {meaning(reason, SKIPS)}",)))
        )
    budget = fields(lifecycle.get("budget"))
    dropped = listed(budget.get("droppedIds"))
    outcome = [
        f"{lifecycle.get('finalCount', 0)} selected, {lifecycle.get('injectedCount', 0)} injected before the prompt",
        f"{budget.get('afterChars', 0)} characters of at most {budget.get('maxChars', 0)}",
    ]
    if fields(lifecycle.get("workingSet")).get("generated"):
        outcome.append("with a working set")
    why = [fields(one) for one in listed(lifecycle.get("whyTheseIds"))]
    return ReceiptReading(
        (
            question,
            ExplanationSection("searched", tuple(_searched(considered, lifecycle))),
            ExplanationSection(ELSEWHERE, tuple(_elsewhere(lifecycle))),
            ExplanationSection("decided", tuple(outcome)),
        ),
        included=tuple(_turn_hit(one) for one in why if one.get("id") not in dropped),
        left_out=tuple(_left_out({"id": id}, "budget") for id in dropped),
    )


def _turn_hit(one: Body) -> RecordMention:
    reasons = (
        f"score {number(one.get('score'))}",
        f"relevance {number(one.get('relevance'))}",
        f"tier {one.get('tier')}",
        f"found by {joined(one.get('signals'))}",
    )
    return RecordMention(str(one.get("id", "")), "", "rank", RULES["rank"], reasons)


def _turn_after(body: Body) -> ReceiptReading:
    asked, _, decided = _parts(body)
    capture = fields(decided.get("autoCapture"))
    filtered = {name: count for name, count in fields(capture.get("filteredOut")).items() if count}
    captured = [fields(one) for one in listed(decided.get("captured"))]
    kept = [one for one in captured if one.get("id")]
    facts = [f"{capture.get('candidateExtractionCount', 0)} sentences with a signal"]
    facts += [f"{count} left out: {name.replace('_', ' ')}" for name, count in filtered.items()]
    facts.append(f"{capture.get('storedCount', 0)} stored")
    return ReceiptReading(
        (ExplanationSection("asked", tuple(facts_of(asked))), ExplanationSection("decided", tuple(facts))),
        included=tuple(_captured(one) for one in kept),
        left_out=tuple(_captured(one) for one in captured if one not in kept),
    )


def _captured(one: Body) -> RecordMention:
    rule = str(one.get("action", ""))
    reasons = (f"{one.get('kind')}, by the cue '{one.get('cue')}'",)
    return RecordMention(str(one.get("id") or ""), "", rule, meaning(rule, RULES), reasons)


def _attention_route(body: Body) -> ReceiptReading:
    asked, considered, decided = _parts(body)
    ranked = {str(fields(one).get("id")): fields(one) for one in listed(decided.get("memories"))}
    selected = [str(id) for id in listed(decided.get("selected"))]
    reasons = {str(fields(one).get("id")): str(fields(one).get("reason")) for one in listed(decided.get("left_out"))}
    passed_over = [id for id in ranked if id not in selected and id not in reasons]
    blocks = [fields(one) for one in listed(decided.get("blocks"))]
    chosen = [f"block {one.get('block')} {number(one.get('score'))}" for one in blocks if one.get("selected")]
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(facts_of(asked))),
            ExplanationSection("searched", tuple(facts_of(considered))),
            ExplanationSection(
                "decided", (*chosen, f"{decided.get('chars', 0)} characters from {len(selected)} memories")
            ),
        ),
        included=tuple(_row(id, "selected", ranked) for id in selected),
        left_out=(
            *(_row(id, rule, ranked) for id, rule in reasons.items()),
            *(_row(id, "not_selected", ranked) for id in passed_over),
        ),
    )


def _pack(body: Body) -> ReceiptReading:
    asked, considered, decided = _parts(body)
    lanes = {name: fields(one) for name, one in fields(considered.get("lanes")).items()}
    searched = [
        f"{name}: {one.get('found', 0)} found" + (f", {one['problem']}" if one.get("problem") else "")
        for name, one in lanes.items()
        if one.get("searched") or one.get("problem")
    ]
    outcome = [f"{decided.get('tokens', 0)} tokens of at most {asked.get('budget_tokens', 0)}"]
    if more := decided.get("excluded_unlisted"):
        outcome.append(f"{more} more were left out and are not listed")
    return ReceiptReading(
        (
            ExplanationSection("asked", (*_question({**asked, "limit": asked.get("max_items")}),)),
            ExplanationSection("searched", tuple(searched)),
            ExplanationSection("decided", tuple(outcome)),
        ),
        included=tuple(_packed(one, "selected") for one in listed(decided.get("included"))),
        left_out=tuple(_packed(one, "not_selected") for one in listed(decided.get("excluded"))),
    )


def _packed(one: Any, otherwise: str) -> RecordMention:
    """Describe a pack decision."""
    row = fields(one)
    rules = [str(rule) for rule in listed(row.get("rules"))]
    rule = rules[0] if rules else otherwise
    reasons = [f"lane {row.get('lane')}", f"relevance {number(row.get('relevance'))}"]
    reasons += [f"layer {row['layer']}"] if row.get("layer") is not None else []
    reasons += [f"rules {', '.join(rules)}"] if len(rules) > 1 else []
    return RecordMention(str(row.get("id", "")), "", rule, meaning(rule, {**RULES, **PACKED}), tuple(reasons))


def _row(id: str, rule: str, ranked: Mapping[str, Body]) -> RecordMention:
    row = ranked.get(id, {})
    reasons = (f"score {number(row.get('score'))}", f"block {row.get('block')}") if row else ()
    return RecordMention(id, "", rule, meaning(rule, RULES), reasons)


def _store(body: Body) -> ReceiptReading:
    asked, _, decided = _parts(body)
    rule = str(decided.get("action", ""))
    reasons = [f"{decided['trust']} by the rule {decided.get('trust_rule')}"] if "trust" in decided else []
    reasons += [f"likeness {decided['likeness']}"] if "likeness" in decided else []
    preflight = fields(decided.get("preflight"))
    checked = (
        [f"the check before the write returned {preflight.get('governorStatus')}"] if preflight.get("attempted") else []
    )
    checked += [f"{fields(one).get('code')}: {fields(one).get('detail')}" for one in listed(preflight.get("reasons"))]
    placed = _SCOPE_MODES.get(str(decided.get("scope_mode")), "").removeprefix(", ")
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(facts_of(asked))),
            ExplanationSection("decided", (*([f"its scope: {placed}"] if placed else []), *checked)),
        ),
        included=(RecordMention(str(decided.get("id", "")), "", rule, meaning(rule, RULES), tuple(reasons)),),
    )


def _anything(body: Body) -> ReceiptReading:
    """Read any other receipt: its facts, and the records in its lists."""
    asked, considered, decided = _parts(body)
    mentions = [one for name, value in decided.items() for one in _mentions(name, value)]
    named_alone = _named_alone(decided)
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(_asked(asked))),
            ExplanationSection("searched", tuple(facts_of(considered))),
            ExplanationSection("decided", tuple(facts_of(decided))),
        ),
        included=(*named_alone, *(one for one, stopped in mentions if not stopped)),
        left_out=tuple(one for one, stopped in mentions if stopped),
    )


def _asked(asked: Body) -> Iterator[str]:
    """Yield the request: the query first, if there is one, then the other options."""
    if "query_digest" in asked:
        shown = ("query_digest", "query_chars", "scope")
        yield from _question({name: asked.get(name) for name in shown})
        asked = {name: value for name, value in asked.items() if name not in shown}
    yield from facts_of(asked)


def _route(body: Body) -> ReceiptReading:
    asked, considered, decided = _parts(body)
    attempts = [fields(one) for one in listed(considered.get("attempts"))]
    tried = [
        f"{one.get('backend')} {one.get('mode')}: {one.get('outcome')}, {one.get('result_count')} results, "
        f"relevance {number(one.get('relevance'))}" + (f" ({one['error_code']})" if one.get("error_code") else "")
        for one in attempts
    ]
    skipped = [f"skipped: {one}" for one in listed(considered.get("skipped"))]
    outcome = [
        f"rule {decided.get('rule')}, stage {decided.get('stage')}, by the signals {joined(decided.get('signals'))}",
        f"{decided.get('status')} from {decided.get('routed_to')}, relevance {number(decided.get('relevance'))}",
    ]
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(_asked(asked))),
            ExplanationSection("searched", (*tried, *skipped)),
            ExplanationSection("decided", tuple(outcome)),
        ),
        included=tuple(RecordMention(str(id), "", "rank", RULES["rank"]) for id in listed(decided.get("ids"))),
    )


READERS: Mapping[str, Callable[[Body], ReceiptReading]] = {
    "recall": _recall,
    "episodes search": _episodes,
    "turn before": _turn_before,
    "turn after": _turn_after,
    "attention route": _attention_route,
    "pack": _pack,
    "route": _route,
    "store": _store,
}


def _named_alone(decided: Body) -> tuple[RecordMention, ...]:
    if not isinstance(decided.get("id"), str):
        return ()
    rule = str(decided.get("action") or decided.get("reason_code") or "")
    return (RecordMention(decided["id"], "", rule, meaning(rule, RULES)),)


def _mentions(name: str, value: Any) -> Iterator[tuple[RecordMention, bool]]:
    """Yield the records of a list, and whether a rule excluded each."""
    for one in listed(value):
        row = fields(one)
        if not isinstance(row.get("id"), str):
            continue
        stop = row.get("rule") or row.get("reason")
        rule = str(stop or name)
        facts = {key: fact for key, fact in row.items() if key not in ("id", "rule", "reason")}
        yield RecordMention(row["id"], "", rule, meaning(rule, RULES), tuple(facts_of(facts))[:MAX_LINES]), bool(stop)


def _left_out(one: Any, rule: str = "") -> RecordMention:
    row = fields(one)
    by = rule or str(row.get("rule", ""))
    reasons = (f"score {number(row['score'])}",) if "score" in row else ()
    return RecordMention(str(row.get("id", "")), "", by, meaning(by, RULES), reasons)


def _parts(body: Body) -> tuple[Body, Body, Body]:
    return fields(body.get("asked")), fields(body.get("considered")), fields(body.get("decided"))
