"""Views of conversations and decisions."""

from collections.abc import Mapping, Sequence

from satchel.conversations import values
from satchel.domain.conversation import READ, ClauseKind, Decision, Message, Summary
from satchel.interfaces.cli.views.lines import Lines, Views, count, found_items, one_line, scopes_named
from satchel.interfaces.local_time import local_day

_CLAUSE_LABELS = {
    ClauseKind.QUESTION: "asked",
    ClauseKind.CAUSE: "because",
    ClauseKind.ALTERNATIVE: "rather than",
    ClauseKind.EVIDENCE: "evidence",
    ClauseKind.EFFECT: "so",
    ClauseKind.REPLACED: "instead of",
}


def _added(result: values.MessagesAdded) -> Lines:
    yield f"added {result.added} to {one_line(result.conversation, 60)}", "green"
    if result.known:
        yield f"  {count(result.known, 'message')} {'was' if result.known == 1 else 'were'} there already", "dim"
    for ref in result.refs[:5]:
        yield f"  {ref}", "dim"
    if result.decisions:
        yield f"  {count(len(result.decisions), 'decision')}: {', '.join(result.decisions[:3])}", "dim"
    if result.redacted:
        yield f"  {result.redacted} contained secrets, which were masked", "yellow"


def _transcript(result: values.Transcript) -> Lines:
    for summary in result.summaries:
        yield from _summary(summary)
    for message in result.messages:
        yield _message(message), ""
    for one in result.decisions:
        yield f"decided: {one_line(one.choice, 100)}", "bold"
        yield f"  {one.id}", "dim"


def _summary(one: Summary) -> Lines:
    yield f"[{one.id}] {one.kind} of {count(one.descendants, 'message')}, {local_day(one.earliest_at)}", "bold"
    for line in one.content.splitlines():
        yield f"  {one_line(line)}", ""
    if one.stale:
        yield "  a message it summarizes was forgotten", "yellow"


def _message(one: Message) -> str:
    speaker = f"{one_line(one.by, 40)} ({one.role})" if one.by else one.role
    return f"{one.seq:>3} {speaker}: {'(forgotten)' if one.erased else one_line(one.content)}  [{one.ref}]"


def _expanded(result: values.Expanded) -> Lines:
    yield from _summary(result.summary)
    yield "summarizes", "dim"
    for summary in result.summaries:
        yield from _summary(summary)
    for message in result.messages:
        yield _message(message), ""


def _list(result: values.ConversationList) -> Lines:
    if not result.conversations:
        yield f"no conversations in {scopes_named(result.scope)}", "dim"
    for one in result.conversations:
        title = f" · {one_line(one.title, 80)}" if one.title else ""
        yield f"{one_line(one.name, 60)} · {count(one.messages, 'message')} · {local_day(one.updated_at)}{title}", ""


def _why(result: values.DecisionReason) -> Lines:
    if result.decision is None:
        yield "not found in the messages that are indexed" if result.unindexed else "not recorded", "yellow"
    elif not result.recorded:
        yield f"read from the conversation, not recorded as a decision (likelihood {result.relevance:.2g}):", "yellow"
    here = result.chain.index(result.decision) if result.decision else 0
    for place, one in enumerate(result.chain):
        yield from _decision(
            one, "decided" if place == here else "later" if place < here else "before that", result.speakers
        )
    for one in result.causes:
        yield from _decision(one, "follows from", result.speakers)
    if result.discussion:
        yield from _discussion(result.discussed_in, result.discussion)


def _discussion(conversation: str, messages: Sequence[Message]) -> Lines:
    """Yield messages of a conversation with a line for each day, and "…" where messages are left out."""
    days = [local_day(one.at) for one in messages]
    period = days[0] if days[0] == days[-1] else f"{days[0]} to {days[-1]}"
    yield f"talked about here: {one_line(conversation, 60)} · {period}", "dim"
    last, day = 0, days[0]
    for one, its_day in zip(messages, days, strict=True):
        if one.seq > last + 1:
            yield "  …", "dim"
        if its_day != day:
            yield f"  {its_day}", "dim"
        yield _message(one), ""
        last, day = one.seq, its_day


def _decision(one: Decision, heading: str, speakers: Mapping[str, str]) -> Lines:
    yield f"{heading}: {one_line(one.choice, 120)}", "bold"
    for clause in one.clauses:
        yield f"  {_CLAUSE_LABELS[clause.kind]}: {one_line(clause.text)}{_cited(clause.message, speakers)}", ""
    if not one.clauses_of(ClauseKind.CAUSE):
        yield f"  because: {'no reason found' if one.rule == READ else 'not recorded'}", "yellow"
    # What was only read has no id that another command would know.
    id = "" if one.rule == READ else f" · {one.id}"
    yield f"  {local_day(one.at)} · {one.trust}{id}{_cited(one.message, speakers)}", "dim"


def _cited(ref: str | None, speakers: Mapping[str, str]) -> str:
    if ref is None:
        return ""
    name = f"  {one_line(speakers[ref], 40)}" if ref in speakers else ""
    return f"{name}  [{ref}]"


def _decided(result: values.DecisionAdded) -> Lines:
    yield f"recorded {result.decision.id}", "green"
    if result.decision.replaces:
        yield f"  replaces {result.decision.replaces}", "dim"


def _forgotten(result: values.MessagesForgotten) -> Lines:
    yield f"forgot {count(result.messages, 'message')} of {one_line(result.conversation, 60)}", "green"
    yield f"  and {count(result.decisions, 'decision')}; {count(result.summaries, 'summary')} rewritten", "dim"


VIEWS: Views = {
    "conversation add": _added,
    "conversation decide": _decided,
    "conversation show": _transcript,
    "conversation expand": _expanded,
    "conversation why": _why,
    "conversation list": _list,
    "conversation search": found_items,
    "conversation forget": _forgotten,
}
