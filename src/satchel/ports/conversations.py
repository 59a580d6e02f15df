"""Conversations: read-only transcripts of any database, and the ledger's own conversations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from satchel.domain.conversation import Conversation, Decision, DecisionId, Message, OpenConversation, Summary
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach
    from satchel.domain.view import View


class Transcripts(Protocol):
    """Transcripts of a database, the ledger's or another program's."""

    def conversations(self, view: View, limit: int) -> list[Conversation]:
        """Return the conversations within a view, newest first."""
        ...

    def find(self, name: str, view: View) -> Conversation | None:
        """Return the conversation with a name."""
        ...

    def messages(self, conversation: int, view: View, first: int, last: int | None = None) -> list[Message]:
        """Return the messages of a conversation between two positions, in order."""
        ...

    def summaries(self, conversation: int, view: View) -> list[Summary]:
        """Return the summaries of a conversation, in order."""
        ...

    def summary(self, id: str, view: View) -> Summary | None:
        """Return one summary."""
        ...

    def parts_of(self, summary: Summary, view: View) -> tuple[list[Summary], list[Message]]:
        """Return the summaries and messages that a summary was made of, in order."""
        ...

    def newest(self, view: View, limit: int) -> list[tuple[Conversation, list[Message]]]:
        """Return the messages added last by conversation, oldest first; conversations in the order in which they began."""
        ...


class ConversationStore(Transcripts, Protocol):
    """The ledger's own conversations. Reads and writes within `MemoryStore.transaction` are atomic."""

    def open(self, name: str, scope: str, title: str | None, at: int) -> OpenConversation:
        """Return the conversation with a name in a scope; create it if there is none."""
        ...

    def conversation_of(self, ref: str, view: View) -> Conversation | None:
        """Return the conversation of a message."""
        ...

    def said_at(self, conversation: Conversation, moments: Sequence[int]) -> list[Message]:
        """Return the messages of a conversation with one of some times."""
        ...

    def append(self, conversation: Conversation, messages: Sequence[Message], receipt: Receipt) -> None:
        """Add messages at the end."""
        ...

    def keep_summaries(self, conversation: Conversation, summaries: Sequence[Summary]) -> None:
        """Store summaries, replacing those that exist."""
        ...

    def keep_decisions(self, conversation: Conversation, decisions: Sequence[Decision]) -> None:
        """Store decisions with their clauses, updating those that exist."""
        ...

    def decide(self, conversation: Conversation, decision: Decision, receipt: Receipt) -> None:
        """Store a decision that was added by hand."""
        ...

    def decisions(self, view: View, conversation: int | None = None) -> list[Decision]:
        """Return decisions, oldest first."""
        ...

    def decision(self, id: DecisionId, reach: Reach) -> Decision | None:
        """Return one decision."""
        ...

    def confirm(self, refs: Sequence[str]) -> None:
        """Make messages trusted, with the passages by which they are searched."""
        ...

    def is_quoted_by_trusted(self, id: str) -> bool:
        """Return whether erasing a memory or observation would erase a trusted message with it."""
        ...

    def contains(self, fragment: str, *, scope: str, excluding: Sequence[str]) -> bool:
        """Return whether a message or decision contains a fragment, leaving out messages of `scope` with any of these texts."""
        ...

    def erase_own_texts(self, conversation: Conversation) -> int:
        """Erase the title of a conversation and the decisions added to it by hand; return the number of decisions."""
        ...

    def refs(self, conversation: int) -> list[str]:
        """Return the refs of all messages that are not erased, damaged ones too."""
        ...

    def erase(self, refs: Sequence[str], reach: Reach, receipt: Receipt) -> tuple[int, int]:
        """Erase the text of messages, and everything based on them; return the number of messages and of decisions."""
        ...
