"""Temporal facts, as a person sees them."""

import json
from collections.abc import Callable

from satchel.facts.values import (
    Asserted,
    CurrentFacts,
    Ended,
    FactPack,
    FactRecord,
    FactTimeline,
    Linted,
    Proposed,
    RebuiltFacts,
    Registry,
    StaleFacts,
)
from satchel.interfaces.cli.views.lane import lane
from satchel.interfaces.cli.views.lines import Lines, one_line


def _asserted(result: Asserted) -> Lines:
    said = {"created": "asserted", "duplicate": "asserted before", "planned": "would assert"}[result.action]
    yield f"{said} {result.fact.id}", "green" if result.action == "created" else "yellow"
    yield from _fact(result.fact)
    for id in result.fact.supersedes:
        yield f"  it supersedes {id}", "dim"


def _current(result: CurrentFacts) -> Lines:
    if not result.facts:
        yield f"nothing is known to be true of {one_line(result.subject, 80)} in scope {result.scope}", "dim"
    for fact in result.facts:
        yield from _fact(fact)
    for one in result.excluded:
        yield f"  left out: {one.id} ({one.reason})", "dim"


def _timeline(result: FactTimeline) -> Lines:
    if not result.facts:
        yield f"nothing was said of {one_line(result.subject, 80)} in scope {result.scope}", "dim"
    for fact in result.facts:
        yield from _fact(fact)


def _fact(fact: FactRecord) -> Lines:
    value = fact.object.value if isinstance(fact.object.value, str) else json.dumps(fact.object.value)
    until = "" if fact.valid_to is None else f" until {fact.valid_to[:10]}"
    told = f"{one_line(fact.subject.label, 60)} {fact.predicate} {one_line(value, 100)}"
    yield f"{told} · from {fact.valid_from[:10]}{until} · {fact.status}", "bold"
    sources = ", ".join(f"{one.kind}:{one.ref}" for one in fact.source_refs)
    yield f"  {fact.id} · {fact.confidence_tier} · {fact.trust} · {sources}", "dim"


def _ended(result: Ended) -> Lines:
    yield from _fact(result.fact)
    if not result.writes_performed:
        yield "  nothing was written", "yellow"


def _linted(result: Linted) -> Lines:
    yield f"{result.checked} facts examined: {result.errors} errors, {result.warnings} warnings", ""
    for one in result.findings:
        yield f"  {one.severity} {one.code}: {one.fact} ({one.detail})", "red" if one.severity == "error" else "yellow"


def _stale(result: StaleFacts) -> Lines:
    if not result.facts:
        yield "no fact is stale", "green"
    for fact in result.facts:
        yield from _fact(fact)
    if result.applied:
        yield f"{result.applied} marked in the view", "green"


def _pack(result: FactPack) -> Lines:
    text = str(result.pack["bundle_text"])
    yield from ((line, "") for line in text.splitlines())
    if not text:
        yield "no fact fits", "dim"


def _rebuilt(result: RebuiltFacts) -> Lines:
    yield f"{result.facts} facts made of {result.events} events, {result.changed} rows were different", "green"
    if result.misnamed:
        yield f"{result.misnamed} assertions do not give their id: the ledger was changed by hand", "red"


def _proposed(result: Proposed) -> Lines:
    if not result.proposals:
        yield "it states no fact that a rule knows", "dim"
    for one in result.proposals:
        known = " (known)" if one.known else ""
        yield f"{one.subject} {one.predicate} {one.object}{known}", "bold"
        yield f"  {one.rule}: {one_line(one.sentence)}", "dim"
    yield "nothing was written", "dim"


def _registry(result: Registry) -> Lines:
    for one in result.predicates:
        yield f"{one.name} · {one.cardinality} · {', '.join(one.object_types)} · also {', '.join(one.aliases)}", ""


VIEWS: dict[str, Callable[..., Lines]] = {
    "fact assert": _asserted,
    "fact current": _current,
    "fact timeline": _timeline,
    "fact invalidate": _ended,
    "fact lint": _linted,
    "fact stale": _stale,
    "fact pack": _pack,
    "fact search": lane,
    "fact rebuild": _rebuilt,
    "fact propose": _proposed,
    "fact registry": _registry,
}
