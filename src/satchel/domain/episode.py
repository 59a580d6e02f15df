"""Episodes: turns of a conversation kept word for word. What operations on them take and answer."""

from collections.abc import Mapping

from msgspec import Struct, field

from satchel.domain.outcome import Outcome, failed_if
from satchel.domain.passage import PassageId
from satchel.domain.ranking import Contribution
from satchel.domain.record import Trust

# What a turn is, by the word that hosts have for who speaks.
KIND_OF_ROLE: Mapping[str, str] = {
    "user": "conversation.user",
    "human": "conversation.user",
    "assistant": "conversation.assistant",
    "ai": "conversation.assistant",
    "agent": "conversation.assistant",
    "tool": "tool.result",
    "function": "tool.result",
    "system": "ops.observation",
}
KINDS = (
    "conversation.user",
    "conversation.assistant",
    "tool.call",
    "tool.result",
    "ops.alert",
    "ops.decision",
    "ops.observation",
)


class Episode(Struct, frozen=True):
    """One turn: who said what, when, and where in which session."""

    id: PassageId
    session: str
    position: int
    scope: str
    kind: str
    trust: Trust
    text: str
    speaker: str | None = None
    at: int | None = None
    ref: str | None = None
    """What its source calls it."""


class EpisodeHit(Struct, frozen=True):
    """A turn that was found, and why it stands where it stands."""

    id: PassageId
    session: str
    position: int
    scope: str
    kind: str
    trust: Trust
    text: str
    speaker: str | None
    at: int | None
    ref: str | None
    rank: int
    score: float
    """The sum of the contributions."""
    contributions: tuple[Contribution, ...]
    relevance: float
    """From 0 to 1: how likely it is about what was asked, whatever else was found."""
    before: tuple[Episode, ...] = ()
    """The turns before it, when neighbours were asked for."""
    after: tuple[Episode, ...] = ()
    matched: tuple[PassageId, ...] = ()
    """Of a session, its best turns."""


class EpisodesFound(Struct, frozen=True):
    """What a search of episodes brought."""

    query: str
    mode: str
    level: str
    scope: str
    relevance: float
    vector_status: str
    """How far meaning took part: used, off, or why it did not."""
    hits: tuple[EpisodeHit, ...] = ()


class RefusedTurn(Struct, frozen=True):
    """A turn that was not kept, and why."""

    number: int
    """Its place in what was given, from 1."""
    code: str
    message: str


class EpisodesAdded(Struct, frozen=True):
    """What became of turns that were given."""

    added: int
    known: int
    """Turns that were kept before."""
    private: int
    """Turns that are marked as not to be kept."""
    shortened: int
    masked: Mapping[str, int]
    """The secrets that were masked, by kind."""
    sessions: tuple[str, ...]
    ids: tuple[PassageId, ...]
    """The turns that were added or known, in order."""
    refused: tuple[RefusedTurn, ...] = ()
    waiting: int = 0
    """Parts of texts that wait for a vector; they are found by words until then."""

    @property
    def outcome(self) -> Outcome:
        """Failed when nothing could be kept of what was given."""
        return failed_if(bool(self.refused) and not (self.added or self.known))


class EpisodesEmbedded(Struct, frozen=True):
    """What embedding came to."""

    made: int
    skipped: Mapping[str, int]
    waiting: int


class EpisodeList(Struct, frozen=True):
    """A page of turns, newest first."""

    episodes: tuple[Episode, ...]
    next: str | None = None
    """The mark of the next page, or None."""


class SessionLine(Struct, frozen=True):
    """One session in a list."""

    session: str
    scope: str
    episodes: int
    first_at: int | None
    last_at: int | None


class SessionList(Struct, frozen=True):
    """A page of sessions, the latest first."""

    sessions: tuple[SessionLine, ...]
    next: str | None = None


class EpisodeShown(Struct, frozen=True):
    """One turn whole, and those around it."""

    episode: Episode
    before: tuple[Episode, ...] = ()
    after: tuple[Episode, ...] = ()


class EpisodesPruned(Struct, frozen=True):
    """What was dropped because it was kept long enough."""

    dropped: int
    by_kind: Mapping[str, int] = field(default_factory=dict)
    days: Mapping[str, int] = field(default_factory=dict)
    dry_run: bool = False
