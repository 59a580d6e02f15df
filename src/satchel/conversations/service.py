"""Conversations: messages in, nothing lost; summaries that expand to their sources, and why what was decided."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated

from satchel.conversations.chains import chain_of, link_replacements, require_no_cycle
from satchel.conversations.decisions import WINDOW, find_decisions
from satchel.conversations.external import ExternalTranscripts
from satchel.conversations.messages import (
    MAX_MESSAGES,
    content_trust,
    masked_text,
    parse_channel,
    parse_lines,
    parse_message,
)
from satchel.conversations.summaries import MESSAGES_PER_LEAF, missing_summaries, top_summaries
from satchel.conversations.values import (
    ConversationList,
    DecisionAdded,
    DecisionReason,
    Expanded,
    MessagesAdded,
    MessagesForgotten,
    Transcript,
)
from satchel.conversations.why_questions import find_decision
from satchel.core.operations import Channel, Param, Scope, operation
from satchel.core.service import Service, page_size
from satchel.domain.canonical import Json
from satchel.domain.conversation import (
    Clause,
    ClauseKind,
    Conversation,
    Decision,
    DecisionId,
    Message,
    Speaker,
    decision_id,
    message_ref,
)
from satchel.domain.envelope import Ok
from satchel.domain.lane import LaneAnswer, LaneItem
from satchel.domain.moment import parse_moment
from satchel.domain.receipt import question_facts
from satchel.domain.record import SourceKind, Trust
from satchel.domain.safety.injection import injections
from satchel.domain.scope import Reach
from satchel.domain.sentences import sentences, unquoted_sentences
from satchel.domain.shorten import shortened
from satchel.domain.text import checked, readable
from satchel.domain.trust import granted, lowest
from satchel.domain.view import View
from satchel.domain.words import text_terms
from satchel.errors import NotFound
from satchel.ports import Transcripts
from satchel.recall import relevance
from satchel.recall.question import Mode, ask

DEFAULT_NAME = "main"
MAX_SHOWN = 200
# So many messages of another program's database are read for its decisions, the newest ones.
MAX_READ = 20_000
MAX_ITEM_CHARS = 500


_Conversation = Annotated[str, Param("name of the conversation")]
_At = Annotated[str | None, Param("when it was said; now if omitted")]
_Lossless = Annotated[
    str | None,
    Param("read this lossless-claw database instead; nothing is written to it", file=True, operator_only=True),
]


class Conversations(Service):
    """Keeps conversations whole, and finds in them what was decided, why, and instead of what."""

    # Writing

    @operation(
        "conversation add",
        writes=True,
        operator_only=True,
        examples=('satchel conversation add "We decided to use Postgres because it handles JSON" --conversation api',),
    )
    def add(
        self,
        text: Annotated[str, Param("what was said", positional=True, stdin=True)],
        *,
        conversation: _Conversation = DEFAULT_NAME,
        role: Annotated[str, Param("who said it", choices=Speaker)] = Speaker.USER.value,
        jsonl: Annotated[
            bool, Param(f"the text is JSON, one message to a line: role, content, at; at most {MAX_MESSAGES}")
        ] = False,
        at: _At = None,
        title: Annotated[str | None, Param("what the conversation is about")] = None,
        source_kind: Channel = SourceKind.OPERATOR.value,
        scope: Scope = None,
    ) -> Ok[MessagesAdded]:
        """Add a message to the end of a conversation.

        Secrets are masked. Decisions are recognised by rules, in English and Chinese; every eight messages get a
        summary in their own words.
        """
        self._require_writable()
        started, within, now = self._clock.ticks(), self._reach(scope), self._clock.now()
        name = checked(conversation, "conversation")
        moment = now if at is None else parse_moment(at, "at")
        given = parse_lines(text) if jsonl else [{"role": role, "content": text}]
        channel = parse_channel(source_kind)
        drafts = [parse_message(one, moment, channel) for one in given]
        with self._ledger.memories.transaction():
            kept = self._ledger.conversations.open(
                name, within.scopes[0], None if title is None else masked_text(title, "title"), now
            )
            messages = [
                Message(message_ref(kept.scope, name, kept.messages + place), kept.messages + place, *one)
                for place, (one, _) in enumerate(drafts, 1)
            ]
            with_secrets = sum(had_secrets for _, had_secrets in drafts)
            refs: list[Json] = [one.ref for one in messages]
            receipt = self._receipt(
                "conversation add",
                started,
                asked={
                    "scope": kept.scope,
                    "messages": len(messages),
                    "chars": sum(len(one.content) for one in messages),
                },
                decided={"refs": refs, "redacted": with_secrets, "trust": [one.trust for one in messages]},
            )
            self._ledger.conversations.append(kept, messages, receipt)
            decided = self._decide_anew(kept, messages[0].seq)
            summed = self._sum_up(kept, messages[-1].seq, before=kept.messages)
        said = MessagesAdded(
            name,
            kept.scope,
            len(messages),
            tuple(one.ref for one in messages),
            tuple(one.id for one in decided if not set(one.citations).isdisjoint(one.ref for one in messages)),
            summed,
            with_secrets,
        )
        return Ok(said, self._kept(receipt, started))

    def _decide_anew(self, kept: Conversation, first_new: int) -> list[Decision]:
        """Look for decisions in what is new, and just before it: a reason may come after what it is the reason for."""
        view = _all_of(kept.scope)
        from_seq = max(1, first_new - WINDOW)
        near = self._ledger.conversations.messages(kept.id, view, max(1, from_seq - WINDOW))
        found = find_decisions(kept.scope, kept.name, near, unquoted_sentences, from_seq=from_seq)
        if not found:
            return []
        fresh = {one.id for one in found}
        earlier = [one for one in self._ledger.conversations.decisions(view) if one.id not in fresh]
        first = min(one.at for one in found)
        linked = link_replacements(found, [one for one in earlier if one.at <= first])
        self._ledger.conversations.keep_decisions(kept, linked)
        return linked

    def _sum_up(self, kept: Conversation, last: int, *, before: int) -> int:
        """Tell what is complete, and what was forgotten in part, in fewer words; return how many summaries that made."""
        view, whole = _all_of(kept.scope), last // MESSAGES_PER_LEAF
        known = self._ledger.conversations.summaries(kept.id, view)
        if whole == before // MESSAGES_PER_LEAF and not any(one.stale for one in known):
            return 0
        made = missing_summaries(
            kept.scope,
            kept.name,
            known,
            lambda first, end: self._ledger.conversations.messages(kept.id, view, first, end),
            last,
            sentences,
            lambda said: not injections(said),
        )
        self._ledger.conversations.keep_summaries(kept, made)
        return len(made)

    @operation("conversation decide", writes=True, operator_only=True)
    def decide(
        self,
        choice: Annotated[str, Param("what was decided", positional=True)],
        *,
        conversation: _Conversation = DEFAULT_NAME,
        topic: Annotated[str | None, Param("what the decision is about")] = None,
        because: Annotated[Sequence[str], Param("a reason", flag="because")] = (),
        alternatives: Annotated[Sequence[str], Param("an alternative", flag="alternative")] = (),
        evidence: Annotated[Sequence[str], Param("evidence for it", flag="evidence")] = (),
        effects: Annotated[Sequence[str], Param("an effect of it", flag="effect")] = (),
        replaces: Annotated[str | None, Param("id of the decision it replaces")] = None,
        caused_by: Annotated[Sequence[str], Param("id of a decision it follows from", flag="caused-by")] = (),
        at: _At = None,
        source_kind: Channel = SourceKind.OPERATOR.value,
        scope: Scope = None,
    ) -> Ok[DecisionAdded]:
        """Add a decision by hand.

        A decision that would be its own reason, directly or through others, is refused.
        """
        self._require_writable()
        started, within, now = self._clock.ticks(), self._reach(scope), self._clock.now()
        name, trust = checked(conversation, "conversation"), granted(parse_channel(source_kind), None)
        said = masked_text(choice, "choice")
        moment = now if at is None else parse_moment(at, "at")
        clauses = _clauses(because, alternatives, evidence, effects)
        with self._ledger.memories.transaction():
            named = [self._known_decision(id, within) for id in (*([replaces] if replaces else []), *caused_by)]
            kept = self._ledger.conversations.open(name, within.scopes[0], None, now)
            decision = Decision(
                id=decision_id(kept.scope, name, f"explicit {said} {moment}"),
                scope=kept.scope,
                conversation=name,
                choice=said,
                topic="" if topic is None else masked_text(topic, "topic"),
                statement=said,
                message=None,
                at=moment,
                trust=lowest(
                    [trust, *map(content_trust, (said, *(one.text for one in clauses))), *(one.trust for one in named)]
                ),
                rule="explicit",
                clauses=clauses,
                replaces=DecisionId(replaces) if replaces else None,
                caused_by=tuple(map(DecisionId, caused_by)),
                reverses=replaces is not None,
            )
            known = self._ledger.conversations.decisions(_all_of(kept.scope))
            require_no_cycle(decision, _edges(known))
            (linked,) = link_replacements([decision], [one for one in known if one.id != decision.id])
            facts: dict[str, Json] = {"id": linked.id, "replaces": linked.replaces, "trust": linked.trust}
            receipt = self._receipt("conversation decide", started, asked={"scope": kept.scope}, decided=facts)
            self._ledger.conversations.decide(kept, linked, receipt)
        return Ok(DecisionAdded(linked, writes_performed=True), self._kept(receipt, started))

    @operation("conversation forget", writes=True, destructive=True, operator_only=True)
    def forget(
        self,
        id: Annotated[str, Param("id of the message, or name of the conversation", positional=True)],
        *,
        scope: Scope = None,
    ) -> Ok[MessagesForgotten]:
        """Forget a message or a whole conversation, with everything based on it.

        The positions of the messages stay, without their words. Summaries are written again; decisions and facts based
        on them are removed or become stale.
        """
        self._require_writable()
        started, within = self._clock.ticks(), self._reach(scope)
        view, asked = _all_of(within.scopes[0]), readable(id)
        with self._ledger.memories.transaction():
            kept, refs = self._meant(asked, view)
            listed: list[Json] = list(refs)
            receipt = self._receipt(
                "conversation forget", started, asked={"scope": within.name}, decided={"messages": listed}
            )
            messages, decisions = self._ledger.conversations.erase(refs, within, receipt)
            summaries = self._sum_up(kept, kept.messages, before=kept.messages)
        self._ledger.memories.scrub()
        return Ok(MessagesForgotten(kept.name, messages, decisions, summaries), self._kept(receipt, started))

    def _meant(self, id: str, view: View) -> tuple[Conversation, Sequence[str]]:
        if kept := self._ledger.conversations.conversation_of(id, view):
            return kept, (id,)
        if kept := self._ledger.conversations.find(id, view):
            return kept, [one.ref for one in self._ledger.conversations.messages(kept.id, view, 1) if not one.erased]
        raise NotFound(f"no message or conversation {id[:80]!r} in {view.reach}", hint="satchel conversation list")

    # Reading

    @operation("conversation list")
    def list(
        self,
        *,
        scope: Scope = None,
        limit: Annotated[int, Param("how many to list")] = 50,
        lossless: _Lossless = None,
    ) -> Ok[ConversationList]:
        """List conversations, newest first."""
        started, view = self._clock.ticks(), self._view(scope)
        found = self._transcripts(lossless).conversations(view, page_size(limit))
        asked: dict[str, Json] = {"scope": view.reach.name, "limit": limit, "lossless": lossless is not None}
        receipt = self._receipt("conversation list", started, asked=asked, decided={"returned": len(found)})
        return Ok(ConversationList(view.reach.name, tuple(found)), receipt)

    @operation("conversation show")
    def show(
        self,
        conversation: Annotated[
            str | None, Param(f"name of the conversation; {DEFAULT_NAME} if omitted", positional=True)
        ] = None,
        *,
        scope: Scope = None,
        lossless: _Lossless = None,
    ) -> Ok[Transcript]:
        """Show a conversation: summaries, messages not summarised yet, and decisions."""
        started, view = self._clock.ticks(), self._view(scope)
        source = self._transcripts(lossless)
        name = readable(conversation or DEFAULT_NAME)
        kept = source.find(name, view)
        if kept is None:
            raise NotFound(f"no conversation {name[:80]!r} in {view.reach}", hint="satchel conversation list")
        summaries = top_summaries(source.summaries(kept.id, view))
        told = sum(one.descendants for one in summaries)
        messages = source.messages(kept.id, view, max(told, kept.messages - MAX_SHOWN) + 1)
        decisions = [one for one in self._decisions(view, lossless) if one.conversation == kept.name]
        shown = Transcript(kept, tuple(summaries), tuple(messages), tuple(decisions))
        decided: dict[str, Json] = {"summaries": [one.id for one in summaries], "messages": len(messages)}
        return Ok(shown, self._receipt("conversation show", started, asked={"scope": view.reach.name}, decided=decided))

    @operation("conversation expand")
    def expand(
        self,
        id: Annotated[str, Param("id of the summary", positional=True)],
        *,
        scope: Scope = None,
        lossless: _Lossless = None,
    ) -> Ok[Expanded]:
        """Show the messages of a summary."""
        started, view = self._clock.ticks(), self._view(scope)
        source = self._transcripts(lossless)
        summary = source.summary(readable(id), view)
        if summary is None:
            raise NotFound(f"no summary {id[:80]!r} in {view.reach}", hint="satchel conversation show names them")
        lower, messages = source.parts_of(summary, view)
        decided: dict[str, Json] = {"summaries": [one.id for one in lower], "messages": [one.ref for one in messages]}
        receipt = self._receipt("conversation expand", started, asked={"scope": view.reach.name}, decided=decided)
        return Ok(Expanded(summary, tuple(lower), tuple(messages)), receipt)

    @operation("conversation why", examples=('satchel conversation why "why did we choose Postgres?"',))
    def why(
        self,
        question: Annotated[str, Param("such as: why did we choose Postgres?", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        lossless: _Lossless = None,
    ) -> Ok[DecisionReason]:
        """Say why something was decided, and what it replaced.

        If no decision is recorded, the answer says so.
        """
        started, view = self._clock.ticks(), self._view(scope)
        said = ask(question, Mode.LEXICAL, 1).text
        decisions = self._decisions(view, lossless)
        answer = find_decision(said, decisions)
        chain = [] if answer is None else chain_of(answer.decision, decisions)
        causes = [] if answer is None else [one for one in decisions if one.id in answer.decision.caused_by]
        why = DecisionReason(
            question=said,
            scope=view.reach.name,
            recorded=answer is not None,
            decision=None if answer is None else answer.decision,
            chain=tuple(chain),
            causes=tuple(causes),
            relevance=0.0 if answer is None else round(answer.share, relevance.DIGITS),
            citations=tuple(dict.fromkeys(ref for one in (*chain, *causes) for ref in one.citations)),
        )
        receipt = self._receipt(
            "conversation why",
            started,
            asked={**question_facts(said), "scope": view.reach.name, "lossless": lossless is not None},
            considered={"decisions": len(decisions)},
            decided={"recorded": why.recorded, "chain": [one.id for one in chain]},
        )
        return Ok(why, receipt)

    @operation("conversation search")
    def search(
        self,
        query: Annotated[str, Param("what to look for", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        limit: Annotated[int, Param("how many to return, 1 to 50")] = 8,
    ) -> Ok[LaneAnswer]:
        """Find decisions and messages by their words."""
        started, view = self._clock.ticks(), self._view(scope)
        question = ask(query, Mode.LEXICAL, limit)
        answer = find_decision(question.text, self._ledger.conversations.decisions(view))
        frequencies = self._ledger.conversations.frequencies(question.terms)
        weights = relevance.weights(frequencies.holding, frequencies.records)
        found = [_decision_item(question.terms, answer.decision, weights)] if answer else []
        found += [
            _message_item(question.terms, one, weights)
            for one in self._ledger.conversations.match(question.terms, view, limit)
        ]
        items = sorted(found, key=lambda item: (-item.relevance, item.kind, item.id))[:limit]
        asked: dict[str, Json] = {**question_facts(question.text), "scope": view.reach.name, "limit": limit}
        receipt = self._receipt(
            "conversation search", started, asked=asked, decided={"hits": {one.id: one.relevance for one in items}}
        )
        return Ok(LaneAnswer(view.reach.name, tuple(items)), receipt)

    # How the operations above get at things

    def _view(self, scope: str | None) -> View:
        return View(self._reach(scope), self._clock.now())

    def _transcripts(self, lossless: str | None) -> Transcripts:
        return self._ledger.conversations if lossless is None else ExternalTranscripts(self._parts.lossless(lossless))

    def _decisions(self, view: View, lossless: str | None) -> Sequence[Decision]:
        """Return the decisions that may be seen, in order; of another program's database, as its messages make them."""
        if lossless is None:
            return self._ledger.conversations.decisions(view)
        found = []
        for kept, messages in self._transcripts(lossless).newest(view, MAX_READ):
            found += find_decisions(kept.scope, kept.name, messages, unquoted_sentences)
        return link_replacements(sorted(found, key=lambda one: one.at), [])

    def _known_decision(self, id: str, within: Reach) -> Decision:
        found = self._ledger.conversations.decision(DecisionId(readable(id)), within)
        if found is None:
            raise NotFound(f"no decision {id[:80]!r} in {within}", hint="satchel conversation show names them")
        return found


def _clauses(
    because: Sequence[str], alternatives: Sequence[str], evidence: Sequence[str], effects: Sequence[str]
) -> tuple[Clause, ...]:
    given = (
        (ClauseKind.CAUSE, because),
        (ClauseKind.ALTERNATIVE, alternatives),
        (ClauseKind.EVIDENCE, evidence),
        (ClauseKind.EFFECT, effects),
    )
    return tuple(Clause(kind, masked_text(text, kind), None) for kind, texts in given for text in texts)


def _all_of(scope: str) -> View:
    return View(Reach((scope,)), 0, trusts=tuple(Trust))


def _edges(known: Iterable[Decision]) -> dict[DecisionId, tuple[DecisionId, ...]]:
    return {one.id: (*([one.replaces] if one.replaces else []), *one.caused_by) for one in known}


def _decision_item(terms: Sequence[str], one: Decision, weights: Mapping[str, float]) -> LaneItem:
    because = "; ".join(clause.text for clause in one.clauses_of(ClauseKind.CAUSE))
    text = f"{one.statement}{f' (because {because})' if because and because not in one.statement else ''}"
    words = text_terms(f"{text} {one.choice} {one.topic}")
    value = relevance.of_hit(terms, words, None, None, weights)
    return LaneItem(one.id, shortened(text, MAX_ITEM_CHARS), value, one.trust, one.citations, "decision", one.at)


def _message_item(terms: Sequence[str], one: Message, weights: Mapping[str, float]) -> LaneItem:
    value = relevance.of_hit(terms, text_terms(one.content), None, None, weights)
    return LaneItem(one.ref, shortened(one.content, MAX_ITEM_CHARS), value, one.trust, (one.ref,), "message", one.at)
