"""Conversations, as a person sees them."""

from collections.abc import Callable

from satchel.conversations.values import (
    ConversationList,
    DecisionAdded,
    DecisionReason,
    Expanded,
    MessagesAdded,
    MessagesForgotten,
    Transcript,
)
from satchel.domain.conversation import ClauseKind, Decision, Message, Summary
from satchel.domain.moment import iso
from satchel.interfaces.cli.views.lane import lane
from satchel.interfaces.cli.views.lines import Lines, one_line

_LEADS = {
    ClauseKind.QUESTION: "asked",
    ClauseKind.CAUSE: "because",
    ClauseKind.ALTERNATIVE: "rather than",
    ClauseKind.EVIDENCE: "evidence",
    ClauseKind.EFFECT: "so",
    ClauseKind.REPLACED: "instead of",
}


def _said(result: MessagesAdded) -> Lines:
    yield f"added {result.added} to {one_line(result.conversation, 60)}", "green"
    for ref in result.refs[:5]:
        yield f"  {ref}", "dim"
    if result.decisions:
        yield f"  {len(result.decisions)} decisions: {', '.join(result.decisions[:3])}", "dim"
    if result.redacted:
        yield f"  {result.redacted} held secrets, which are masked", "yellow"


def _transcript(result: Transcript) -> Lines:
    for summary in result.summaries:
        yield from _summary(summary)
    for message in result.messages:
        yield _message(message), ""
    for one in result.decisions:
        yield f"decided: {one_line(one.choice, 100)}", "bold"
        yield f"  {one.id}", "dim"


def _summary(one: Summary) -> Lines:
    yield f"[{one.id}] {one.kind} of {one.descendants} messages, {iso(one.earliest_at)[:10]}", "bold"
    for line in one.content.splitlines():
        yield f"  {one_line(line)}", ""
    if one.stale:
        yield "  something it told of was forgotten", "yellow"


def _message(one: Message) -> str:
    return f"{one.seq:>3} {one.role}: {'(forgotten)' if one.erased else one_line(one.content)}  [{one.ref}]"


def _expanded(result: Expanded) -> Lines:
    yield from _summary(result.summary)
    yield "made of", "dim"
    for summary in result.summaries:
        yield from _summary(summary)
    for message in result.messages:
        yield _message(message), ""


def _list(result: ConversationList) -> Lines:
    if not result.conversations:
        yield f"no conversations in scope {result.scope}", "dim"
    for one in result.conversations:
        title = f" · {one_line(one.title, 80)}" if one.title else ""
        yield f"{one_line(one.name, 60)} · {one.messages} messages · {iso(one.updated_at)[:10]}{title}", ""


def _why(result: DecisionReason) -> Lines:
    if result.decision is None:
        yield "not recorded", "yellow"
        return
    here = result.chain.index(result.decision)
    for place, one in enumerate(result.chain):
        yield from _decision(one, "decided" if place == here else "later" if place < here else "before that")
    for one in result.causes:
        yield from _decision(one, "follows from")


def _decision(one: Decision, told: str) -> Lines:
    yield f"{told}: {one_line(one.choice, 120)}", "bold"
    for clause in one.clauses:
        yield f"  {_LEADS[clause.kind]}: {one_line(clause.text)}{_cited(clause.message)}", ""
    if not one.clauses_of(ClauseKind.CAUSE):
        yield "  because: not recorded", "yellow"
    yield f"  {iso(one.at)[:10]} · {one.trust} · {one.id}{_cited(one.message)}", "dim"


def _cited(ref: str | None) -> str:
    return f"  [{ref}]" if ref else ""


def _decided(result: DecisionAdded) -> Lines:
    yield f"recorded {result.decision.id}", "green"
    if result.decision.replaces:
        yield f"  it replaces {result.decision.replaces}", "dim"


def _unsaid(result: MessagesForgotten) -> Lines:
    yield f"forgot {result.messages} messages of {one_line(result.conversation, 60)}", "green"
    yield f"  {result.decisions} decisions went with them, {result.summaries} summaries were told anew", "dim"


VIEWS: dict[str, Callable[..., Lines]] = {
    "conversation add": _said,
    "conversation decide": _decided,
    "conversation show": _transcript,
    "conversation expand": _expanded,
    "conversation why": _why,
    "conversation list": _list,
    "conversation search": lane,
    "conversation forget": _unsaid,
}
