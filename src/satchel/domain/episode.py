"""Episodes: verbatim turns of a conversation, and the results of the operations on them."""

from collections.abc import Mapping

from msgspec import Struct, field

from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.passage import PassageId
from satchel.domain.ranking import Contribution
from satchel.domain.record import Trust

# The kind of a turn by the role name that hosts use.
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
    """One turn of a session."""

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
    """Its id in the source."""


class EpisodeHit(Struct, frozen=True):
    """A turn in an answer, with its rank and the contributions to its score."""

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
    """The probability, from 0 to 1, that it is about the question; independent of the other hits."""
    before: tuple[Episode, ...] = ()
    """The turns before it, if neighbours were requested."""
    after: tuple[Episode, ...] = ()
    matched: tuple[PassageId, ...] = ()
    """For a session hit: its best turns."""


class EpisodesFound(Struct, frozen=True):
    """The result of an episode search."""

    query: str
    mode: str
    level: str
    scope: str
    relevance: float
    vector_status: str
    """used, off, or why vector search was not used."""
    hits: tuple[EpisodeHit, ...] = ()


class RefusedTurn(Struct, frozen=True):
    """A turn that was refused, and why."""

    number: int
    """Its position in the input, from 1."""
    code: str
    message: str


class EpisodesAdded(Struct, frozen=True):
    """The result of adding turns."""

    added: int
    known: int
    """Number of turns that were stored before."""
    private: int
    """Number of turns marked as private, which are not stored."""
    shortened: int
    masked: Mapping[str, int]
    """Number of masked secrets by kind."""
    sessions: tuple[str, ...]
    ids: tuple[PassageId, ...]
    """The turns that were added or known, in order."""
    refused: tuple[RefusedTurn, ...] = ()
    waiting: int = 0
    """Number of parts without a vector; only lexical search finds them."""

    @property
    def outcome(self) -> Outcome:
        """Failed if every turn was refused."""
        return failed_if(bool(self.refused) and not (self.added or self.known))


class EpisodesEmbedded(Struct, frozen=True):
    """The result of embedding the backlog of turns."""

    made: int
    skipped: Mapping[str, int]
    waiting: int


class EpisodeList(Struct, frozen=True):
    """A page of turns, newest first."""

    episodes: tuple[Episode, ...]
    next: str | None = None
    """The cursor of the next page, or None."""


class SessionLine(Struct, frozen=True):
    """One session in a list."""

    session: str
    scope: str
    episodes: int
    first_at: int | None
    last_at: int | None


class SessionList(Struct, frozen=True):
    """A page of sessions, latest first."""

    sessions: tuple[SessionLine, ...]
    next: str | None = None


class EpisodeShown(Struct, frozen=True):
    """One complete turn, and the turns around it."""

    episode: Episode
    before: tuple[Episode, ...] = ()
    after: tuple[Episode, ...] = ()


class EpisodesPruned(Struct, frozen=True):
    """The result of applying retention."""

    dropped: int
    by_kind: Mapping[str, int] = field(default_factory=dict)
    days: Mapping[str, int] = field(default_factory=dict)
    dry_run: bool = False
