"""Views of facts."""

import json
import shlex

from satchel.facts import values
from satchel.interfaces.cli.views.lines import Lines, Views, count, found_items, one_line, scopes_named


def _asserted(result: values.Asserted) -> Lines:
    done = {"created": "asserted", "duplicate": "already asserted", "planned": "would assert"}[result.action]
    yield f"{done} {result.fact.id}", "green" if result.action == "created" else "yellow"
    yield from _fact(result.fact)
    for id in result.fact.supersedes:
        yield f"  supersedes {id}", "dim"


def _current(result: values.CurrentFacts) -> Lines:
    if not result.facts:
        yield f"no current facts about {one_line(result.subject, 80)} in {scopes_named(result.scope)}", "dim"
    for fact in result.facts:
        yield from _fact(fact)
    for one in result.excluded:
        yield f"  left out: {one.id} ({one.reason})", "dim"


def _subjects(result: values.FactSubjects) -> Lines:
    for one in result.subjects:
        yield f"{one_line(one.subject, 80)}", "bold"
        yield f"  {count(one.facts, 'fact')} in scope {one.scope}, from {one.first[:10]} to {one.last[:10]}", "dim"
    if not result.subjects:
        yield "no facts", "dim"
    if result.next:
        yield f"more: --after {shlex.quote(one_line(result.next))}", "dim"


def _timeline(result: values.FactTimeline) -> Lines:
    if not result.facts:
        yield f"no facts about {one_line(result.subject, 80)} in {scopes_named(result.scope)}", "dim"
    for fact in result.facts:
        yield from _fact(fact)


def _fact(fact: values.FactRecord) -> Lines:
    value = fact.object.value if isinstance(fact.object.value, str) else json.dumps(fact.object.value)
    until = "" if fact.valid_to is None else f" until {fact.valid_to[:10]}"
    statement = f"{one_line(fact.subject.label, 60)} {fact.predicate} {one_line(value, 100)}"
    yield f"{statement} · from {fact.valid_from[:10]}{until} · {fact.status}", "bold"
    sources = ", ".join(f"{one.kind}:{one.ref}" for one in fact.source_refs)
    yield f"  {fact.id} · {fact.confidence_tier} · {fact.trust} · {sources}", "dim"


def _ended(result: values.Ended) -> Lines:
    yield from _fact(result.fact)
    if not result.writes_performed:
        yield "  nothing was written", "yellow"


def _linted(result: values.Linted) -> Lines:
    yield (
        f"checked {count(result.checked, 'fact')}: {count(result.errors, 'error')}, {count(result.warnings, 'warning')}",
        "",
    )
    for one in result.findings:
        yield f"  {one.severity} {one.code}: {one.fact} ({one.detail})", "red" if one.severity == "error" else "yellow"


def _stale(result: values.StaleFacts) -> Lines:
    if not result.facts:
        yield "no stale facts", "green"
    for fact in result.facts:
        yield from _fact(fact)
    if result.applied:
        yield f"marked {result.applied} as stale", "green"


def _pack(result: values.FactPack) -> Lines:
    text = str(result.pack["bundle_text"])
    yield from ((line, "") for line in text.splitlines())
    if not text:
        yield "no facts to pack", "dim"


def _rebuilt(result: values.RebuiltFacts) -> Lines:
    yield (
        f"rebuilt {count(result.facts, 'fact')} from {count(result.events, 'event')}; {count(result.changed, 'row')} differed",
        "green",
    )
    if result.misnamed:
        yield f"{count(result.misnamed, 'assertion')} with a wrong id: the ledger was edited by hand", "red"


def _proposed(result: values.Proposed) -> Lines:
    if not result.proposals:
        yield "no rule found a fact in it", "dim"
    for one in result.proposals:
        known = " (known)" if one.known else ""
        yield f"{one.subject} {one.predicate} {one.object}{known}", "bold"
        yield f"  {one.rule}: {one_line(one.sentence)}", "dim"
    yield "nothing was written", "dim"


def _registry(result: values.Registry) -> Lines:
    for one in result.predicates:
        yield f"{one.name} · {one.cardinality} · {', '.join(one.object_types)} · also {', '.join(one.aliases)}", ""


VIEWS: Views = {
    "fact assert": _asserted,
    "fact current": _current,
    "fact subjects": _subjects,
    "fact timeline": _timeline,
    "fact invalidate": _ended,
    "fact lint": _linted,
    "fact stale": _stale,
    "fact pack": _pack,
    "fact search": found_items,
    "fact rebuild": _rebuilt,
    "fact propose": _proposed,
    "fact registry": _registry,
}
