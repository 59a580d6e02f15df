"""Update what is derived from the messages of a conversation: the decisions made in them, and their summaries."""

from msgspec.structs import replace

from satchel.conversations.chains import link_replacements
from satchel.conversations.decisions import WINDOW, find_decisions
from satchel.conversations.summaries import MESSAGES_PER_LEAF, missing_summaries
from satchel.core.service import Service
from satchel.domain.conversation import Decision, OpenConversation
from satchel.domain.record import Trust
from satchel.domain.safety.injection import injections
from satchel.domain.scope import Reach
from satchel.domain.sentences import sentences, unquoted_sentences
from satchel.domain.view import View


def whole_scope(scope: str) -> View:
    """Return a view of everything in a scope, whatever its trust."""
    return View(Reach((scope,)), 0, trusts=tuple(Trust))


class Derivation(Service):
    """Derives decisions and summaries, within the transaction that changes their messages."""

    def update_decisions(self, conversation: OpenConversation, first_new: int) -> list[Decision]:
        """Find decisions in new messages and the ones just before: a reason may follow the decision."""
        view = whole_scope(conversation.scope)
        from_seq = max(1, first_new - WINDOW)
        messages = self._ledger.conversations.messages(conversation.id, view, max(1, from_seq - WINDOW))
        found = [
            replace(one, scope=conversation.scope, conversation=conversation.name)
            for one in find_decisions(*conversation.ids_from, messages, unquoted_sentences, from_seq=from_seq)
        ]
        if not found:
            return []
        ids, first = {one.id for one in found}, min(one.at for one in found)
        known = self._ledger.conversations.decisions(view)
        linked = link_replacements(found, [one for one in known if one.id not in ids and one.at <= first])
        self._ledger.conversations.keep_decisions(conversation, linked)
        return linked

    def update_summaries(self, conversation: OpenConversation, last: int) -> int:
        """Write missing and stale summaries of messages up to the last, and return how many."""
        view = whole_scope(conversation.scope)
        known = self._ledger.conversations.summaries(conversation.id, view)
        is_complete = last // MESSAGES_PER_LEAF == conversation.messages // MESSAGES_PER_LEAF
        if is_complete and not any(one.stale for one in known):
            return 0
        made = missing_summaries(
            *conversation.ids_from,
            known,
            lambda first, end: self._ledger.conversations.messages(conversation.id, view, first, end),
            last,
            sentences,
            lambda sentence: not injections(sentence),
        )
        self._ledger.conversations.keep_summaries(conversation, made)
        return len(made)
