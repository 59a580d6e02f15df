"""Another program's conversations, as they may be read here: without secrets, and without orders to an agent."""

from collections.abc import Iterable

from msgspec.structs import replace

from satchel.conversations.summaries import NOTHING_TOLD
from satchel.domain.conversation import Conversation, Message, Summary
from satchel.domain.record import Trust
from satchel.domain.safety.injection import injections
from satchel.domain.safety.redact import redacted
from satchel.domain.view import View
from satchel.ports import Transcripts


class OutsideTranscripts:
    """Implements ports.Transcripts over those of another program, which neither masks nor judges what it keeps."""

    def __init__(self, source: Transcripts) -> None:
        self._source = source

    def conversations(self, view: View, limit: int) -> list[Conversation]:
        return [_titled(one) for one in self._source.conversations(view, limit)]

    def find(self, name: str, view: View) -> Conversation | None:
        found = self._source.find(name, view)
        return None if found is None else _titled(found)

    def messages(self, conversation: int, view: View, first: int, last: int | None = None) -> list[Message]:
        return _seen(self._source.messages(conversation, view, first, last), view)

    def summaries(self, conversation: int, view: View) -> list[Summary]:
        return [_told(one) for one in self._source.summaries(conversation, view)]

    def summary(self, id: str, view: View) -> Summary | None:
        found = self._source.summary(id, view)
        return None if found is None else _told(found)

    def told_by(self, summary: Summary, view: View) -> tuple[list[Summary], list[Message]]:
        lower, messages = self._source.told_by(summary, view)
        return [_told(one) for one in lower], _seen(messages, view)

    def newest(self, view: View, limit: int) -> list[tuple[Conversation, list[Message]]]:
        return [(_titled(one), _seen(messages, view)) for one, messages in self._source.newest(view, limit)]


def _seen(messages: Iterable[Message], view: View) -> list[Message]:
    judged = (
        replace(
            one,
            content=redacted(one.content).text,
            trust=Trust.QUARANTINED if injections(one.content) else one.trust,
        )
        for one in messages
    )
    return [one for one in judged if one.trust in view.trusts]


def _told(summary: Summary) -> Summary:
    held_back = bool(injections(summary.content))
    return replace(summary, content=NOTHING_TOLD if held_back else redacted(summary.content).text)


def _titled(conversation: Conversation) -> Conversation:
    title = conversation.title
    return conversation if title is None else replace(conversation, title=redacted(title).text)
