"""Conversations: messages, their summaries, and the decisions made in them with their reasons."""

from collections.abc import Sequence
from functools import cached_property
from typing import Annotated

from msgspec.structs import replace

from satchel.conversations.chains import link_replacements, require_no_cycle
from satchel.conversations.decisions import find_decisions
from satchel.conversations.derivation import Derivation, whole_scope
from satchel.conversations.discussions import DiscussionSearch, reading_facts
from satchel.conversations.external import ExternalTranscripts
from satchel.conversations.lane_items import decision_item, message_item
from satchel.conversations.message_search import MessageSearch, MessagesFound
from satchel.conversations.messages import (
    MAX_MESSAGES,
    content_trust,
    masked_text,
    parse_channel,
    parse_drafts,
    parse_message,
    without_known,
)
from satchel.conversations.read_answers import is_certain, with_reading
from satchel.conversations.summaries import top_summaries
from satchel.conversations.values import (
    ConversationList,
    DecisionAdded,
    DecisionReason,
    Expanded,
    MessagesAdded,
    MessagesForgotten,
    Transcript,
)
from satchel.conversations.why_answers import WhyAnswer, recorded_answer
from satchel.conversations.why_questions import find_decision, without_present
from satchel.core.operations import Channel, Param, Scope, operation
from satchel.core.service import Service, page_size
from satchel.domain.canonical import Json
from satchel.domain.conversation import (
    EXPLICIT,
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
from satchel.domain.moment import parse_moment
from satchel.domain.passage import EvidenceLane
from satchel.domain.ranking import LaneAnswer
from satchel.domain.receipt import question_facts
from satchel.domain.record import SourceKind
from satchel.domain.scope import Reach
from satchel.domain.sentences import unquoted_sentences
from satchel.domain.text import check_text, replace_undecodable
from satchel.domain.trust import grant_trust, lowest_trust
from satchel.domain.view import View
from satchel.errors import NotFound
from satchel.ports import Progress, Transcripts
from satchel.recall import relevance
from satchel.recall.request import Mode, parse_question

DEFAULT_NAME = "main"
MAX_SHOWN = 200
# Maximum number of messages of an external database searched for decisions, newest first.
MAX_READ = 20_000

_Conversation = Annotated[str, Param("name of the conversation")]
_At = Annotated[str | None, Param("when it was said; now if omitted")]
_Lossless = Annotated[
    str | None,
    Param("read this lossless-claw database instead; nothing is written to it", file=True, operator_only=True),
]


class Conversations(Service):
    """Stores conversations and answers what was decided in them, why, and what it replaced."""

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
            bool, Param(f"the text is JSON, one message to a line: role, content, at, by; at most {MAX_MESSAGES}")
        ] = False,
        by: Annotated[str | None, Param("name of who said it")] = None,
        at: _At = None,
        title: Annotated[str | None, Param("what the conversation is about")] = None,
        source_kind: Channel = SourceKind.OPERATOR.value,
        scope: Scope = None,
    ) -> Ok[MessagesAdded]:
        """Add a message to the end of a conversation.

        Secrets are masked. Decisions are recognised by rules, in English and Chinese; every eight messages get a
        summary in their own words.
        """
        with self._run("conversation add", writes=True) as run:
            within, now = self._reach(scope), self._clock.now()
            name = check_text(conversation, "conversation")
            channel, default = parse_channel(source_kind), {"role": role, "by": by, "at": at}
            given = (
                parse_drafts(text, {**default, "role": Speaker.USER}, now, channel)
                if jsonl
                else [parse_message({**default, "content": text}, now, channel)]
            )
            masked_title = None if title is None else masked_text(title, "title")
            with self._ledger.memories.transaction():
                opened = self._ledger.conversations.open(name, within.scopes[0], masked_title, now)
                dated = [one.at for one in given if one.is_dated]
                drafts = without_known(given, self._ledger.conversations.said_at(opened, dated))
                known = len(given) - len(drafts)
                if not drafts:
                    return run.done(MessagesAdded(name, opened.scope, 0, (), (), 0, 0, known), known=known)
                messages = [
                    Message(message_ref(*opened.ids_from, seq), seq, *draft[:4], by=draft.by)
                    for seq, draft in enumerate(drafts, opened.messages + 1)
                ]
                refs = [one.ref for one in messages]
                redacted = sum(one.has_secrets for one in drafts)
                chars = sum(len(one.content) for one in messages)
                run.asked = {"scope": opened.scope, "messages": len(messages), "chars": chars}
                run.considered = {"known": known} if known else {}
                receipt = run.receipt(refs=refs, redacted=redacted, trust=[one.trust for one in messages])
                self._ledger.conversations.append(opened, messages, receipt)
                decisions = self._derivation.update_decisions(opened, messages[0].seq)
                summaries = self._derivation.update_summaries(opened, messages[-1].seq)
            new = tuple(one.id for one in decisions if not set(one.citations).isdisjoint(refs))
            added = MessagesAdded(name, opened.scope, len(messages), tuple(refs), new, summaries, redacted, known)
            return run.committed(added, receipt)

    @operation(
        "conversation decide",
        writes=True,
        operator_only=True,
        examples=('satchel conversation decide "Use SQLite" --topic database --because "no server to run"',),
    )
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
        with self._run("conversation decide", writes=True) as run:
            within, now = self._reach(scope), self._clock.now()
            name, trust = check_text(conversation, "conversation"), grant_trust(parse_channel(source_kind), None)
            masked_choice = masked_text(choice, "choice")
            moment = now if at is None else parse_moment(at, "at")
            clauses = _clauses(because, alternatives, evidence, effects)
            with self._ledger.memories.transaction():
                named = [self._known_decision(id, within) for id in (*([replaces] if replaces else []), *caused_by)]
                opened = self._ledger.conversations.open(name, within.scopes[0], None, now)
                by_content = map(content_trust, (masked_choice, *(one.text for one in clauses)))
                decision = Decision(
                    id=decision_id(*opened.ids_from, f"explicit {masked_choice} {moment}"),
                    scope=opened.scope,
                    conversation=name,
                    choice=masked_choice,
                    topic="" if topic is None else masked_text(topic, "topic"),
                    statement=masked_choice,
                    message=None,
                    at=moment,
                    trust=lowest_trust([trust, *by_content, *(one.trust for one in named)]),
                    rule=EXPLICIT,
                    clauses=clauses,
                    replaces=DecisionId(replaces) if replaces else None,
                    caused_by=tuple(map(DecisionId, caused_by)),
                    reverses=replaces is not None,
                )
                known = self._ledger.conversations.decisions(whole_scope(opened.scope))
                require_no_cycle(decision, known)
                (linked,) = link_replacements([decision], [one for one in known if one.id != decision.id])
                run.asked = {"scope": opened.scope}
                receipt = run.receipt(id=linked.id, replaces=linked.replaces, trust=linked.trust)
                self._ledger.conversations.decide(opened, linked, receipt)
            return run.committed(DecisionAdded(linked, writes_performed=True), receipt)

    @operation(
        "conversation forget",
        writes=True,
        destructive=True,
        operator_only=True,
        examples=("satchel conversation forget api",),
    )
    def forget(
        self,
        id: Annotated[str, Param("id of the message, or name of the conversation", positional=True)],
        *,
        scope: Scope = None,
    ) -> Ok[MessagesForgotten]:
        """Forget a message or a whole conversation, with everything based on it.

        The positions of the messages stay, without their words. Summaries are written again; decisions and facts based
        on them are removed or become stale. With a whole conversation go its title and the decisions added by hand.
        """
        with self._run("conversation forget", writes=True) as run:
            within = self._reach(scope)
            run.asked = {"scope": within.name}
            with self._ledger.memories.transaction():
                store, view = self._ledger.conversations, whole_scope(within.scopes[0])
                conversation, refs = self._to_erase(replace_undecodable(id), view)
                by_hand = 0 if store.conversation_of(id, view) else store.erase_own_texts(conversation)
                receipt = run.receipt(messages=refs)
                messages, decisions = store.erase(refs, within, receipt)
                opened = store.open(conversation.name, conversation.scope, None, self._clock.now())
                summaries = self._derivation.update_summaries(
                    replace(opened, messages=conversation.messages), conversation.messages
                )
            self._ledger.memories.scrub()
            return run.committed(
                MessagesForgotten(conversation.name, messages, decisions + by_hand, summaries), receipt
            )

    def _to_erase(self, id: str, view: View) -> tuple[Conversation, Sequence[str]]:
        """Return the conversation that an id or a name refers to, and the messages to erase."""
        store = self._ledger.conversations
        if conversation := store.conversation_of(id, view):
            return conversation, [id]
        if conversation := store.find(id, view):
            return conversation, store.refs(conversation.id)
        raise NotFound(
            f"no message or conversation {id[:80]!r} in {view.reach}", hint="'satchel conversation list' shows them"
        )

    # Reading

    @operation("conversation list", examples=("satchel conversation list",))
    def list(
        self,
        *,
        scope: Scope = None,
        limit: Annotated[int, Param("how many to list")] = 50,
        lossless: _Lossless = None,
    ) -> Ok[ConversationList]:
        """List conversations, newest first."""
        view = self._view(scope)
        asked: dict[str, Json] = {"scope": view.reach.name, "limit": limit, "lossless": lossless is not None}
        with self._run("conversation list", asked) as run:
            found = self._transcripts(lossless).conversations(view, page_size(limit))
            return run.done(ConversationList(view.reach.name, tuple(found)), returned=len(found))

    @operation("conversation show", examples=("satchel conversation show api",))
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
        view = self._view(scope)
        with self._run("conversation show", {"scope": view.reach.name}) as run:
            source = self._transcripts(lossless)
            name = replace_undecodable(conversation or DEFAULT_NAME)
            found = source.find(name, view)
            if found is None:
                raise NotFound(
                    f"no conversation {name[:80]!r} in {view.reach}", hint="'satchel conversation list' shows them"
                )
            summaries = top_summaries(source.summaries(found.id, view))
            summarized = sum(one.descendants for one in summaries)
            messages = source.messages(found.id, view, max(summarized, found.messages - MAX_SHOWN) + 1)
            decisions = [one for one in self._decisions(view, lossless) if one.conversation == found.name]
            transcript = Transcript(found, tuple(summaries), tuple(messages), tuple(decisions))
            return run.done(transcript, summaries=[one.id for one in summaries], messages=len(messages))

    @operation("conversation expand", examples=("satchel conversation expand ID",))
    def expand(
        self,
        id: Annotated[str, Param("id of the summary", positional=True)],
        *,
        scope: Scope = None,
        lossless: _Lossless = None,
    ) -> Ok[Expanded]:
        """Show the messages of a summary."""
        view = self._view(scope)
        with self._run("conversation expand", {"scope": view.reach.name}) as run:
            source = self._transcripts(lossless)
            summary = source.summary(replace_undecodable(id), view)
            if summary is None:
                raise NotFound(f"no summary {id[:80]!r} in {view.reach}", hint="'satchel conversation show' lists them")
            lower, messages = source.parts_of(summary, view)
            run.decided = {"summaries": [one.id for one in lower], "messages": [one.ref for one in messages]}
            return run.done(Expanded(summary, tuple(lower), tuple(messages)))

    @operation("conversation why", served=True, examples=('satchel conversation why "why did we choose Postgres?"',))
    def why(
        self,
        question: Annotated[str, Param("such as: why did we choose Postgres?", positional=True, stdin=True)],
        *,
        scope: Scope = None,
        lossless: _Lossless = None,
        progress: Progress | None = None,
    ) -> Ok[DecisionReason]:
        """Say why something was decided, and what it replaced.

        If none is recorded, the discussions are read for it: the answer then says how likely it is right. Unless that
        is certain, it also shows where the matter was talked about.
        """
        view = self._view(scope)
        with self._run("conversation why") as run:
            said = parse_question(question, Mode.LEXICAL, 1).text
            text = without_present(said)
            decisions = self._decisions(view, lossless)
            answer = recorded_answer(text, decisions)
            run.asked = {**question_facts(said), "scope": view.reach.name, "lossless": lossless is not None}
            run.considered = {"decisions": len(decisions)}
            if lossless is None and not answer.has_reason:
                matches = self._messages.find_for_why(text, view, progress)
                answer, read = self._read_answer(answer, text, matches, view)
                run.considered = {"decisions": len(decisions), **({"read": read} if read else {})}
                run.warn(matches.warning, matches.pending.warning if matches.pending else "")
            run.decided = {"discussion": [one.ref for one in answer.discussion]} if answer.discussion else {}
            chain = [one.id for one in answer.chain]
            reason = answer.as_reason(said, view.reach.name)
            reason = replace(reason, speakers=self._messages.speakers(reason.citations, view))
            return run.done(reason, recorded=answer.recorded, chain=chain)

    def _read_answer(
        self, answer: WhyAnswer, text: str, matches: MessagesFound, view: View
    ) -> tuple[WhyAnswer, Sequence[Json]]:
        """Complete an answer with what the discussions say, and the discussion unless that is certain.

        Also return what the receipt says about the discussions.
        """
        readings = DiscussionSearch(self._parts).read(text, matches, view)
        completed = with_reading(answer, readings)
        name, shown = ("", []) if is_certain(completed) else self._messages.discussion(matches, view)
        unindexed = matches.pending.messages if matches.pending else 0
        return replace(completed, discussion=tuple(shown), discussed_in=name, unindexed=unindexed), reading_facts(
            readings
        )

    @operation("conversation search", served=True, examples=('satchel conversation search "Postgres"',))
    def search(
        self,
        query: Annotated[str, Param("what to look for", positional=True, stdin=True)],
        *,
        mode: Annotated[str, Param("by words, by meaning, or both", choices=Mode)] = Mode.HYBRID,
        scope: Scope = None,
        limit: Annotated[int, Param("how many to return, 1 to 50")] = 8,
    ) -> Ok[LaneAnswer]:
        """Find decisions and messages by words and meaning."""
        view = self._view(scope)
        with self._run("conversation search") as run:
            question = parse_question(query, mode, limit)
            matches = self._messages.find(question, view)
            answer = find_decision(without_present(question.text), self._ledger.conversations.decisions(view))
            counted = self._ledger.passages.frequencies(question.terms, EvidenceLane.CONVERSATIONS)
            weights = relevance.term_weights(counted.holding, counted.records)
            found = [decision_item(question.terms, answer.decision, weights)] if answer else []
            found += [message_item(hit) for hit in matches.found.hits]
            items = sorted(found, key=lambda item: (-item.relevance, item.kind, item.id))[:limit]
            run.asked = {**question_facts(question.text), "scope": view.reach.name, "limit": limit}
            if matches.warning:
                run.warn(matches.warning)
            answered = LaneAnswer(view.reach.name, tuple(items))
            return run.done(answered, hits={one.id: one.relevance for one in items})

    @cached_property
    def _derivation(self) -> Derivation:
        return Derivation(self._parts)

    @cached_property
    def _messages(self) -> MessageSearch:
        return MessageSearch(self._parts)

    def _view(self, scope: str | None) -> View:
        return View(self._reach(scope), self._clock.now())

    def _transcripts(self, lossless: str | None) -> Transcripts:
        return self._ledger.conversations if lossless is None else ExternalTranscripts(self._parts.lossless(lossless))

    def _decisions(self, view: View, lossless: str | None) -> Sequence[Decision]:
        """Return visible decisions in order. Those of an external database are found in its messages."""
        if lossless is None:
            return self._ledger.conversations.decisions(view)
        found = []
        for conversation, messages in self._transcripts(lossless).newest(view, MAX_READ):
            found += find_decisions(conversation.scope, conversation.name, messages, unquoted_sentences)
        return link_replacements(sorted(found, key=lambda one: one.at), [])

    def _known_decision(self, id: str, within: Reach) -> Decision:
        found = self._ledger.conversations.decision(DecisionId(replace_undecodable(id)), within)
        if found is None:
            raise NotFound(f"no decision {id[:80]!r} in {within}", hint="'satchel conversation show' lists them")
        return found


def _clauses(
    because: Sequence[str], alternatives: Sequence[str], evidence: Sequence[str], effects: Sequence[str]
) -> tuple[Clause, ...]:
    texts_of = (
        (ClauseKind.CAUSE, because),
        (ClauseKind.ALTERNATIVE, alternatives),
        (ClauseKind.EVIDENCE, evidence),
        (ClauseKind.EFFECT, effects),
    )
    return tuple(Clause(kind, masked_text(text, kind), None) for kind, texts in texts_of for text in texts)
