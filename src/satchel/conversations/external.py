"""Reads another program's conversations with secrets masked and injections quarantined."""

from collections.abc import Iterable

from msgspec.structs import replace

from satchel.conversations.summaries import NOTHING_TO_SUMMARIZE
from satchel.domain.conversation import Conversation, Message, Summary
from satchel.domain.record import Trust
from satchel.domain.safety.injection import injections
from satchel.domain.safety.orders.inspect import agent_orders
from satchel.domain.safety.redact import redacted
from satchel.domain.view import View
from satchel.ports import Transcripts


class ExternalTranscripts:
    """Wraps the transcripts of a program that neither masks secrets nor detects injections."""

    def __init__(self, source: Transcripts) -> None:
        self._source = source

    def conversations(self, view: View, limit: int) -> list[Conversation]:
        return [_clean_title(one) for one in self._source.conversations(view, limit)]

    def find(self, name: str, view: View) -> Conversation | None:
        found = self._source.find(name, view)
        return None if found is None else _clean_title(found)

    def messages(self, conversation: int, view: View, first: int, last: int | None = None) -> list[Message]:
        return _clean_messages(self._source.messages(conversation, view, first, last), view)

    def summaries(self, conversation: int, view: View) -> list[Summary]:
        return [_clean_summary(one) for one in self._source.summaries(conversation, view)]

    def summary(self, id: str, view: View) -> Summary | None:
        found = self._source.summary(id, view)
        return None if found is None else _clean_summary(found)

    def parts_of(self, summary: Summary, view: View) -> tuple[list[Summary], list[Message]]:
        lower, messages = self._source.parts_of(summary, view)
        return [_clean_summary(one) for one in lower], _clean_messages(messages, view)

    def newest(self, view: View, limit: int) -> list[tuple[Conversation, list[Message]]]:
        return [
            (_clean_title(one), _clean_messages(messages, view)) for one, messages in self._source.newest(view, limit)
        ]


def _clean_messages(messages: Iterable[Message], view: View) -> list[Message]:
    judged = (
        replace(
            one,
            content=redacted(one.content).text,
            trust=Trust.QUARANTINED if _is_unsafe(one.content) else one.trust,
        )
        for one in messages
    )
    return [one for one in judged if one.trust in view.trusts]


def _is_unsafe(text: str) -> bool:
    return bool(injections(text) or agent_orders(text))


def _clean_summary(summary: Summary) -> Summary:
    return replace(
        summary, content=NOTHING_TO_SUMMARIZE if _is_unsafe(summary.content) else redacted(summary.content).text
    )


def _clean_title(conversation: Conversation) -> Conversation:
    title = conversation.title
    return conversation if title is None else replace(conversation, title=redacted(title).text)
