"""Evidence in a review: episodes, document chunks and messages that were quarantined."""

from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView, all_passages
from satchel.domain.record import Label, SourceKind, State, Trust
from satchel.domain.scope import Reach
from satchel.memories.values import ReviewItem
from satchel.ports import Ledger

RECORDS = {
    EvidenceLane.EPISODES: "episode",
    EvidenceLane.DOCUMENTS: "document",
    EvidenceLane.CONVERSATIONS: "message",
}
"""What the passages of a lane are called in an answer."""


def find(ledger: Ledger, ids: Sequence[str], reach: Reach) -> dict[str, Passage]:
    """Return those of some ids that are passages, of any trust."""
    wanted = [PassageId(id) for id in ids]
    return {
        str(id): one
        for lane in EvidenceLane
        for id, one in ledger.passages.fetch(wanted, all_passages(lane, reach)).items()
    }


def quarantined(
    ledger: Ledger, lane: EvidenceLane, reach: Reach, batch: int, after: tuple[int, str] | None
) -> Iterator[Passage]:
    """Yield the quarantined passages of a lane, newest first, starting after a position."""
    view = _quarantined(lane, reach)
    while page := ledger.passages.page(view, batch, after):
        yield from page
        after = page[-1].at or 0, page[-1].id


def count(ledger: Ledger, reach: Reach) -> int:
    """Count the quarantined passages of all lanes."""
    return sum(ledger.passages.count(_quarantined(lane, reach)) for lane in EvidenceLane)


def confirm(ledger: Ledger, passages: Sequence[Passage]) -> None:
    """Make passages trusted. A message is stored apart from the passage by which it is searched."""
    messages = [one.id for one in passages if one.lane is EvidenceLane.CONVERSATIONS]
    ledger.passages.put([replace(one, trust=Trust.TRUSTED) for one in passages if one.id not in messages], [])
    ledger.conversations.confirm(messages)


def item(passage: Passage) -> ReviewItem:
    """Return a passage as a review shows it."""
    channel = SourceKind.IMPORT if passage.lane is EvidenceLane.DOCUMENTS else SourceKind.TOOL
    return ReviewItem(
        id=passage.id,
        record=RECORDS[passage.lane],
        text=passage.text,
        title=None,
        kind=RECORDS[passage.lane],
        label=Label.UNKNOWN,
        scope=passage.scope,
        trust=passage.trust,
        state=State.ACTIVE,
        source_kind=channel,
        source_ref=passage.ref or passage.speaker,
        session=passage.group,
        created_at=passage.added_at,
        used_at=None,
    )


def _quarantined(lane: EvidenceLane, reach: Reach) -> PassageView:
    return PassageView(lane, reach, trusts=(Trust.QUARANTINED,))
