"""Conversations: the transcripts of any database that keeps them, and the ledger's own, which can be written."""

from collections.abc import Sequence
from typing import Protocol

from satchel.domain.conversation import Conversation, Decision, DecisionId, Message, Summary
from satchel.domain.receipt import Receipt
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.ports.memories import Frequencies


class Transcripts(Protocol):
    """What any database of conversations can be asked: the ledger's, or another program's."""

    def conversations(self, view: View, limit: int) -> list[Conversation]:
        """Return the conversations within a view, newest first."""
        ...

    def find(self, name: str, view: View) -> Conversation | None:
        """Return the conversation of a name."""
        ...

    def messages(self, conversation: int, view: View, first: int, last: int | None = None) -> list[Message]:
        """Return the messages of a conversation from a place to another, in order."""
        ...

    def summaries(self, conversation: int, view: View) -> list[Summary]:
        """Return the summaries of a conversation, in order."""
        ...

    def summary(self, id: str, view: View) -> Summary | None:
        """Return one summary."""
        ...

    def told_by(self, summary: Summary, view: View) -> tuple[list[Summary], list[Message]]:
        """Return exactly what a summary was made of, in order."""
        ...

    def newest(self, view: View, limit: int) -> list[tuple[Conversation, list[Message]]]:
        """Return the newest messages, oldest first within each conversation, and conversations by when they began."""
        ...


class Conversations(Transcripts, Protocol):
    """The ledger's own conversations. Within `Memories.alone` a look and a write are one."""

    def open(self, name: str, scope: str, title: str | None, at: int) -> Conversation:
        """Return the conversation of a name in a scope; begin it if there is none."""
        ...

    def holding(self, ref: str, view: View) -> Conversation | None:
        """Return the conversation that a message stands in."""
        ...

    def append(self, conversation: Conversation, messages: Sequence[Message], receipt: Receipt) -> None:
        """Add messages at the end."""
        ...

    def keep_summaries(self, conversation: Conversation, summaries: Sequence[Summary]) -> None:
        """Keep summaries; one that is there already is told anew."""
        ...

    def keep_decisions(self, conversation: Conversation, decisions: Sequence[Decision]) -> None:
        """Keep decisions, each with its parts; one that is there already is told anew."""
        ...

    def decide(self, conversation: Conversation, decision: Decision, receipt: Receipt) -> None:
        """Keep a decision that was added by hand."""
        ...

    def decisions(self, view: View, conversation: int | None = None) -> list[Decision]:
        """Return decisions in the order in which they were made."""
        ...

    def decision(self, id: DecisionId, reach: Reach) -> Decision | None:
        """Return one decision."""
        ...

    def match(self, terms: Sequence[str], view: View, limit: int) -> list[Message]:
        """Return the messages that hold one of the terms, best first."""
        ...

    def frequencies(self, terms: Sequence[str]) -> Frequencies:
        """Return in how many records each term stands, whatever their scope, and how many records there are."""
        ...

    def contains(self, fragment: str, *, scope: str, besides: Sequence[str]) -> bool:
        """Say whether a message or a decision holds a piece of text, apart from a scope's that hold one of these texts."""
        ...

    def erase(self, refs: Sequence[str], reach: Reach, receipt: Receipt) -> tuple[int, int]:
        """Forget the words of messages, and what rests on them; return how many messages and decisions went."""
        ...
