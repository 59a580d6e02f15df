"""Passages: verbatim evidence (a turn, a document chunk or a message), and the view that filters them."""

from enum import StrEnum
from typing import NewType

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.ranking import Contribution
from satchel.domain.record import Trust
from satchel.domain.scope import Reach

PassageId = NewType("PassageId", str)

# Characters per embedded part: what the model reads at once. A long passage is scored by its best part.
PART_CHARS = 900
# Maximum number of parts per passage.
MAX_PARTS = 40
# Separates the text of a passage from its paraphrase, which is embedded in parts of its own. Never occurs in text.
ALTERNATIVE = "\f"


class EvidenceLane(StrEnum):
    """The kinds of evidence. Each has its own full-text index: a word can be common in one and rare in the other."""

    EPISODES = "episodes"
    DOCUMENTS = "documents"
    CONVERSATIONS = "conversations"


class Passage(Struct, frozen=True):
    """One verbatim unit of evidence. Its neighbours help to find it but are not shown."""

    id: PassageId
    lane: EvidenceLane
    scope: str
    group: str
    """The session or document it belongs to."""
    position: int
    """Its position there; neighbours are one or two positions away."""
    text: str
    """The text that is shown."""
    own: str = ""
    """The text that is searched, if different."""
    about: str = ""
    """More searched text with less weight: its date in words, the speaker, headings, a path, parts of identifiers."""
    meaning: str = ""
    """The text that is embedded, if different: without speaker names."""
    trust: Trust = Trust.TRUSTED
    kind: str = ""
    """Its kind within the lane: conversation.user, markdown, code."""
    speaker: str | None = None
    at: int | None = None
    """When it was said or written."""
    added_at: int = 0
    ref: str | None = None
    """Its id in the source."""
    detail: str | None = None
    """Lane-specific data, as canonical JSON."""
    content_hash: str = ""

    @property
    def searched(self) -> str:
        """The text that is searched."""
        return self.own or self.text

    @property
    def embedded(self) -> str:
        """The text that is embedded."""
        return self.meaning or self.text

    @property
    def group_key(self) -> tuple[str, str]:
        """The scope and the session or document it belongs to."""
        return self.scope, self.group


class PassageView(Struct, frozen=True):
    """What one request may see of a lane. An empty tuple means no restriction."""

    lane: EvidenceLane
    reach: Reach
    trusts: tuple[Trust, ...] = (Trust.TRUSTED, Trust.UNTRUSTED)
    groups: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    since: int | None = None
    until: int | None = None
    """Exclusive."""

    def admits(self, passage: Passage) -> bool:
        """Return whether a passage may be seen."""
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
    """A passage in an answer, with its rank and the contributions to its score."""

    passage: Passage
    rank: int
    score: float
    """The sum of the contributions."""
    contributions: tuple[Contribution, ...]
    relevance: float
    """The probability, from 0 to 1, that it is about the question; lower if another record has the number it states."""


def all_passages(lane: EvidenceLane, reach: Reach) -> PassageView:
    """Return the administrator's view: every passage of a lane within reach, including quarantined ones."""
    return PassageView(lane, reach, trusts=tuple(Trust))


def content_digest(passage: Passage) -> str:
    """Return the digest of everything that is shown, searched or embedded."""
    content: list[Json] = [passage.text, passage.own, passage.about, passage.meaning, passage.group, passage.position]
    return digest(canonical(content))


def is_intact(passage: Passage) -> bool:
    """Return whether the content of a passage matches its hash."""
    return content_digest(passage) == passage.content_hash


def with_content_hash(passage: Passage) -> Passage:
    """Return a passage with its content hash."""
    return replace(passage, content_hash=content_digest(passage))


def embedding_spans(passage: Passage) -> list[tuple[int, int]]:
    """Return the start and end of each part of a passage that gets its own vector, cut between words if possible."""
    text, spans, start = passage.embedded, list[tuple[int, int]](), 0
    while start < len(text) and len(spans) < MAX_PARTS:
        if text[start] == ALTERNATIVE:
            start += 1
        end = min(len(text), start + PART_CHARS)
        if (other := text.find(ALTERNATIVE, start, end)) >= 0:
            spans.append((start, other))
            start = other
            continue
        if end < len(text):
            # Not before the middle: text without spaces is cut at the full length.
            space = text.rfind(" ", start + PART_CHARS // 2, end)
            end = end if space < 0 else space
        spans.append((start, end))
        start = end
    return spans or [(0, 0)]
