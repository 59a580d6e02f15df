"""A passage: one verbatim unit of evidence, a turn of a conversation or a chunk of a document; and who may see it."""

from enum import StrEnum
from typing import NewType

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.ranking import Contribution
from satchel.domain.record import Trust
from satchel.domain.scope import Reach

PassageId = NewType("PassageId", str)

# As much as the model reads at once; of a longer text the best part counts.
PART_CHARS = 900
# A part may begin this much earlier than the last one ended, so that no sentence is lost at a seam.
MOST_PARTS = 40
# Stands in no text: between what a passage says and the same in other words, which gets parts of its own.
ANOTHER_READING = "\f"


class EvidenceLane(StrEnum):
    """The two bodies of evidence. Each has a full text of its own: a word that is common in one may be rare in the other."""

    EPISODES = "episodes"
    DOCUMENTS = "documents"


class Passage(Struct, frozen=True):
    """One verbatim unit of evidence. Its neighbours help to find it, and are no part of what is shown."""

    id: PassageId
    lane: EvidenceLane
    scope: str
    group: str
    """What it is a part of: a session, a document."""
    position: int
    """Its place there; neighbours are those one or two places away."""
    text: str
    """What is shown."""
    own: str = ""
    """What it is found by, where that is not its text."""
    about: str = ""
    """What else it is found by, with less weight: its date in words, who spoke, headings, a path, parts of identifiers."""
    meaning: str = ""
    """What is embedded, where that is not its text: without the names of those who speak."""
    trust: Trust = Trust.TRUSTED
    kind: str = ""
    """Its sort within the lane: conversation.user, markdown, code."""
    speaker: str | None = None
    at: int | None = None
    """When it was said or written."""
    added_at: int = 0
    ref: str | None = None
    """What its source calls it."""
    detail: str | None = None
    """More that the lane keeps beside it, as canonical JSON."""
    content_hash: str = ""

    @property
    def searched(self) -> str:
        """The words it is found by."""
        return self.own or self.text

    @property
    def embedded(self) -> str:
        """The text that its vectors are made of."""
        return self.meaning or self.text


class PassageView(Struct, frozen=True):
    """The passages of a lane that a request may see. An empty rule admits everything."""

    lane: EvidenceLane
    reach: Reach
    trusts: tuple[Trust, ...] = (Trust.TRUSTED, Trust.UNTRUSTED)
    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    """Exclusive end."""

    def admits(self, passage: Passage) -> bool:
        """Return whether the view admits a passage."""
        return (
            passage.lane is self.lane
            and self.reach.admits(passage.scope)
            and passage.trust in self.trusts
            and (not self.groups or passage.group in self.groups)
            and (not self.kinds or passage.kind in self.kinds)
            and (self.since is None or (passage.at is not None and passage.at >= self.since))
            and (self.until is None or (passage.at is not None and passage.at < self.until))
        )


class PassageHit(Struct, frozen=True):
    """A passage in an answer, and why it stands where it stands."""

    passage: Passage
    rank: int
    score: float
    """The sum of the contributions."""
    contributions: tuple[Contribution, ...]
    relevance: float
    """From 0 to 1: how likely it is about what was asked, whatever else was found."""


def everything(lane: EvidenceLane, reach: Reach) -> PassageView:
    """Return a view of every passage of a lane within reach, including quarantined ones."""
    return PassageView(lane, reach, trusts=tuple(Trust))


def content_digest(passage: Passage) -> str:
    """Return the digest of all that a passage is shown as, found by and embedded from."""
    said: list[Json] = [passage.text, passage.own, passage.about, passage.meaning, passage.group, passage.position]
    return digest(canonical(said))


def sealed(passage: Passage) -> Passage:
    """Return a passage with its content hash."""
    return replace(passage, content_hash=content_digest(passage))


def parts(passage: Passage) -> list[tuple[int, int]]:
    """Return where the parts of a passage begin and end that get a vector each; cut between words where there are any."""
    text, found, start = passage.embedded, list[tuple[int, int]](), 0
    while start < len(text) and len(found) < MOST_PARTS:
        if text[start] == ANOTHER_READING:
            start += 1
        end = min(len(text), start + PART_CHARS)
        if (other := text.find(ANOTHER_READING, start, end)) >= 0:
            found.append((start, other))
            start = other
            continue
        if end < len(text):
            # Not before the middle: a part without spaces is cut where it is full.
            space = text.rfind(" ", start + PART_CHARS // 2, end)
            end = end if space < 0 else space
        found.append((start, end))
        start = end
    return found or [(0, 0)]
