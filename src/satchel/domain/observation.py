"""The observation: one captured event, kept as evidence. It says what happened, and nothing concludes from it by itself."""

from typing import NewType

from msgspec import Struct
from msgspec.structs import force_setattr

from satchel.domain.canonical import canonical, digest
from satchel.domain.record import Label, State, Trust

ObservationId = NewType("ObservationId", str)

ID_PREFIX = "obs:"


class Observation(Struct, frozen=True):
    """One event as the ledger holds it. Times are milliseconds since the epoch, UTC."""

    id: ObservationId
    key: str
    """What its source calls it. The id is made from it and the scope, so no scope can shadow another's events."""
    scope: str
    kind: str
    at: int
    """When it happened, as the event says."""
    captured_at: int
    summary: str
    text: str
    detail: str | None = None
    """Everything else that was said, as canonical JSON."""
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
    """Who graded it; None when nobody did, or when the event said so itself."""
    signals: tuple[str, ...] = ()
    """What the grader went by."""
    state: State = State.CAPTURED
    payload: str | None = None
    """The artifact that holds text and detail whole, where they were too long."""
    payload_bytes: int = 0
    source: str = ""
    offset: int = 0
    """With the source: the line of the spool it was read from."""
    revived_at: int | None = None
    content_hash: str = ""

    def __post_init__(self) -> None:
        if not self.content_hash:
            force_setattr(self, "content_hash", content_digest(self))


def observation_id(scope: str, key: str) -> ObservationId:
    """Return the id of an event: the same for the same event of the same scope, whenever it is read."""
    return ObservationId(ID_PREFIX + digest(canonical([scope, key])).removeprefix("sha256:")[:32])


def is_observation_id(text: str) -> bool:
    """Say whether an id is that of an observation."""
    return text.startswith(ID_PREFIX)


def content_digest(observation: Observation) -> str:
    """Return the digest over what was observed. Grades, states and use are no part of it."""
    return digest(
        canonical([observation.kind, observation.at, observation.summary, observation.text, observation.detail])
    )
