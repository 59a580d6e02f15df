"""Views of explanations."""

from satchel.explaining.values import (
    AnswerList,
    AnswerSummary,
    Conflicts,
    ConflictSide,
    ReceiptExplanation,
    RecordMention,
    Uses,
    WhyNot,
)
from satchel.interfaces.cli.views.lines import Lines, Views, count, one_line, scopes_named
from satchel.interfaces.local_time import local_day, local_time

_MARKS = {True: ("✓", "green"), False: ("✗", "red"), None: ("·", "dim")}


def _why(result: ReceiptExplanation) -> Lines:
    scope = f" in {scopes_named(result.scope)}" if result.scope else ""
    yield f"{result.operation}{scope}", "bold"
    yield f"{local_time(result.at)} · {result.duration_ms:.1f} ms · {result.receipt}", "dim"
    for section in result.sections:
        yield f"{section.title}:", "bold"
        for line in section.lines:
            yield f"  {one_line(line, 300)}", ""
    yield from _mentions("included:", result.included)
    yield from _mentions("left out:", result.left_out)
    for warned in result.warnings:
        yield f"! {one_line(warned.said, 300)}", "yellow"
        yield f"    {warned.meaning}", "dim"


def _mentions(title: str, mentions: tuple[RecordMention, ...]) -> Lines:
    if mentions:
        yield title, "bold"
    for one in mentions:
        words = f"  {one_line(one.words)}" if one.words else ""
        yield f"  {one_line(one.id) or '(not visible to you)'}{words}", ""
        yield f"    {one.rule}: {one.meaning}", "dim"
        for reason in one.reasons:
            yield f"      {one_line(reason)}", "cyan"


def _answers(result: AnswerList) -> Lines:
    for one in result.answers:
        role = f" for the {one_line(one.role)}" if one.role else ""
        scope = f" in {'all scopes' if one.scope == '*' else one.scope}" if one.scope else ""
        yield f"{local_time(one.at)}  {one.receipt[:19]}  {one.operation}{role}{scope}  {one.duration_ms:.1f} ms", ""
        yield f"    {one.nothing or _contents(one)}", "dim"
        if one.first:
            yield f"    first: {one_line(one.first)}", "dim"
    if not result.answers:
        yield "no answers yet", "dim"
    if result.next is not None:
        yield f"more: --before {result.next}", "dim"


def _contents(one: AnswerSummary) -> str:
    budget = f", {one.budget.used:,} of {one.budget.most:,} {one.budget.unit}" if one.budget else ""
    warned = f", warnings: {', '.join(map(one_line, one.warnings))}" if one.warnings else ""
    return f"{one.included} included, {one.left_out} left out{budget}{warned}"


def _why_not(result: WhyNot) -> Lines:
    words = f"  {one_line(result.words)}" if result.words else ""
    yield f"{one_line(result.expect)}{words}", "bold"
    if result.returned:
        yield "is returned", "green"
    else:
        yield f"is not returned, by rule '{result.rule}': {one_line(result.message)}", "red"
    for step in result.steps:
        mark, style = _MARKS[step.passed]
        yield f"  {mark} {step.stage}: {one_line(step.message)}", style
    if result.remedies:
        yield "to have it returned:", "bold"
    for one in result.remedies:
        yield f"  {one_line(one.change)}{' (tried)' if one.tried else ''}", ""
        if one.command:
            yield f"    {one_line(one.command, 400)}", "cyan"


def _uses(result: Uses) -> Lines:
    yield f"{result.id}", "bold"
    for use in result.uses:
        mark = "used" if use.included else "left out"
        yield (
            f"  {local_time(use.at)}  {use.operation}: {mark}, {use.rule}: {use.meaning}",
            "" if use.included else "dim",
        )
        yield f"    {use.receipt[:19]}", "dim"
    if not result.uses:
        yield "  no recent recall, turn or pack considered it", "dim"
    if len(result.versions) > 1:
        yield "versions, oldest first:", "bold"
        for one in result.versions:
            yield f"  {local_day(one.created_at)} · {one.state} · {one_line(one.id)}  {one_line(one.text)}", ""
    if result.links:
        yield "linked:", "bold"
    for link in result.links:
        yield f"  {link.type} {'→' if link.outgoing else '←'} {one_line(link.id)}  {one_line(link.text)}", ""


def _conflicts(result: Conflicts) -> Lines:
    if not result.conflicts:
        found = "nothing contradicts" if result.complete else "no conflict found among what was compared"
        yield f"{found} in {scopes_named(result.scope)}; {count(result.compared, 'memory')} compared", "dim"
    for number, one in enumerate(result.conflicts, start=1):
        yield f"{number}. {one.reason}", "bold"
        yield from _side("newer", one.newer)
        yield from _side("older", one.older)
    if result.conflicts:
        yield "to resolve the first: keep the newer, keep the older, or replace the older by a new text", "bold"
        for command in result.conflicts[0].resolve:
            yield f"  {command}", "cyan"


def _side(name: str, side: ConflictSide) -> Lines:
    yield f"   {name}: {one_line(side.text)}", ""
    yield f"     {local_day(side.created_at)} · {side.kind} · {side.label} · {side.trust} · {side.id}", "dim"


VIEWS: Views = {
    "answers": _answers,
    "conflicts": _conflicts,
    "uses": _uses,
    "why": _why,
    "why-not": _why_not,
}
