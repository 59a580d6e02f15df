"""Observations: captured events that are kept as evidence, and their grades."""

from collections.abc import Callable
from typing import NewType

from msgspec import Struct
from msgspec.structs import force_setattr

from satchel.domain.canonical import canonical, digest
from satchel.domain.record import Label, State, Trust

ObservationId = NewType("ObservationId", str)

ID_PREFIX = "obs:"


class Observation(Struct, frozen=True):
    """One event as the ledger stores it. Times are milliseconds since the epoch, UTC."""

    id: ObservationId
    key: str
    """Its id in the source. The observation id is derived from it and the scope, so scopes cannot collide."""
    scope: str
    kind: str
    at: int
    """When it happened, according to the event."""
    captured_at: int
    summary: str
    text: str
    detail: str | None = None
    """All other fields of the event, as canonical JSON."""
    tool_name: str | None = None
    tool_call_id: str | None = None
    session: str | None = None
    agent: str | None = None
    synthetic: bool = False
    language: str | None = None
    trust: Trust = Trust.UNTRUSTED
    importance: float | None = None
    label: Label = Label.UNKNOWN
    grader: str | None = None
    """The grader; None if it was not graded, or the event had its own grade."""
    signals: tuple[str, ...] = ()
    """The signals of the grade."""
    state: State = State.CAPTURED
    payload: str | None = None
    """The artifact that holds the full text and detail, if they were too long."""
    payload_bytes: int = 0
    source: str = ""
    offset: int = 0
    """With the source: the spool line it was read from."""
    revived_at: int | None = None
    content_hash: str = ""

    def __post_init__(self) -> None:
        if not self.content_hash:
            force_setattr(self, "content_hash", content_digest(self))


class KeptObservation(Struct, frozen=True):
    """An observation graded as worth keeping, found as evidence for a question."""

    observation: Observation
    text: str
    """What it says: its text, or its summary without one."""
    excerpt: str
    """The part of the text around the words of the question, on one line."""
    relevance: float


class Grade(Struct, frozen=True):
    """An importance score from 0 to 1, its label, and the signals behind it."""

    score: float
    label: Label
    signals: tuple[str, ...]


class Grader(Struct, frozen=True):
    """A function that grades texts, with the name and version recorded on every grade."""

    method: str
    version: int
    grade: Callable[[str], Grade]


def observation_id(scope: str, key: str) -> ObservationId:
    """Return the id of an event: stable for the same key and scope."""
    return ObservationId(ID_PREFIX + digest(canonical([scope, key])).removeprefix("sha256:")[:32])


def is_observation_id(text: str) -> bool:
    """Return whether an id belongs to an observation."""
    return text.startswith(ID_PREFIX)


def content_digest(observation: Observation) -> str:
    """Return the digest of the observed content, without grade, state and usage."""
    return digest(
        canonical([observation.kind, observation.at, observation.summary, observation.text, observation.detail])
    )
