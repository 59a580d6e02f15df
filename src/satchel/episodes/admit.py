"""Episodes: how a turn that somebody hands over becomes a passage of evidence. Nothing is concluded from what it says."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.canonical import Json, canonical
from satchel.domain.episode import KIND_OF_ROLE, KINDS, Episode, RefusedTurn
from satchel.domain.moment import LAST_MOMENT, parse_moment
from satchel.domain.passage import EvidenceLane, Passage, PassageId, sealed
from satchel.domain.periods import date_in_words
from satchel.domain.policies.episodes import EpisodePolicy
from satchel.domain.record import Trust
from satchel.domain.text import MAX_FIELD_CHARS, checked
from satchel.errors import InvalidRequest, SatchelError

PREFIX = "ep-"
DEFAULT_SESSION = "default"
MOST_TURNS = 100_000
MOST_REFUSED = 20
# Nobody hands over a turn of more than this by intention, and masking takes time.
MAX_GIVEN_CHARS = 1_000_000
ELLIPSIS = " …"
PRIVATE = re.compile(r"<private>|\[(?:private|noexport|nomem)\]", re.IGNORECASE)
FIELDS = frozenset({"text", "session", "speaker", "role", "at", "id", "kind", "scope", "trust"})


class Turn(Struct, frozen=True):
    """A turn as it was handed over, checked."""

    number: int
    text: str
    session: str
    speaker: str | None
    kind: str
    at: int | None
    ref: str | None
    scope: str
    trust: Trust
    occurrence: int = 0
    """How often the very same turn stood before it."""


class Rules(Struct, frozen=True):
    """What turns are checked by, and made into passages with."""

    policy: EpisodePolicy
    now: int
    place: Callable[[str | None, str], tuple[str, str]]
    """Returns the scope of a turn that names one or not, and its text without the tag that named it."""
    mask: Callable[[str], tuple[str, Sequence[tuple[str, int]]]]
    """Returns a text without its secrets, and which there were."""
    clean: Callable[[str], str]
    """Returns a text without what a host put in."""
    trust: Trust
    """The highest tier that the channel gives."""
    lower: Callable[[Trust, Trust], Trust]


class Read(Struct):
    """Turns as far as they can be kept, and what became of the others."""

    turns: list[Turn]
    refused: list[RefusedTurn]
    refused_count: int = 0
    private: int = 0
    shortened: int = 0
    masked: Counter[str] | None = None


def read(given: Sequence[Any], rules: Rules) -> Read:
    """Check turns one by one: one that cannot be kept is named with the reason, and the others are kept."""
    if len(given) > MOST_TURNS:
        raise InvalidRequest(
            f"{len(given):,} turns at once, {MOST_TURNS:,} are allowed", code="too_many", hint="add them in parts"
        )
    found = Read([], [], masked=Counter())
    seen: Counter[tuple[object, ...]] = Counter()
    for number, one in enumerate(given, start=1):
        try:
            turn = _turn(number, one, rules, found)
        except SatchelError as error:
            found.refused_count += 1
            if len(found.refused) < MOST_REFUSED:
                found.refused.append(RefusedTurn(number, error.code, error.message))
            continue
        if turn is None:
            found.private += 1
            continue
        same = (turn.scope, turn.session, turn.ref, turn.speaker, turn.at, turn.text)
        found.turns.append(replace(turn, occurrence=seen[same]))
        seen[same] += 1
    return found


def of_lines(text: str) -> list[Any]:
    """Return what JSON lines hold, in their order. A line that is no JSON is kept as the text it is, to be refused."""
    found: list[Any] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            found.append(line)
    return found


def _turn(number: int, given: Any, rules: Rules, found: Read) -> Turn | None:
    if not isinstance(given, Mapping):
        raise InvalidRequest("a turn is an object with a text", code="wrong_type")
    if unknown := sorted(str(name) for name in given if name not in FIELDS):
        raise InvalidRequest(f"a turn has no field {unknown[0][:40]!r}", code="unknown_param")
    text = given.get("text")
    if not isinstance(text, str):
        raise InvalidRequest("a turn has a text", code="missing_param")
    if PRIVATE.search(text[:MAX_GIVEN_CHARS]):
        return None
    scope, text = rules.place(_optional(given, "scope"), text[:MAX_GIVEN_CHARS])
    kind = _kind(given)
    if kind.startswith("conversation."):
        text = rules.clean(text)
    # Masked before it is cut: half a secret would not be known for one.
    text, secrets = rules.mask(text)
    limit = rules.policy.max_chars
    if len(text) > limit:
        found.shortened += 1
        text = text[: limit - len(ELLIPSIS)] + ELLIPSIS
    checked(text, "text", limit=limit)
    if found.masked is not None:
        found.masked.update(dict(secrets))
    asked = _optional(given, "trust")
    return Turn(
        number=number,
        text=text,
        session=_optional(given, "session") or DEFAULT_SESSION,
        speaker=_optional(given, "speaker"),
        kind=kind,
        at=_moment(given.get("at")),
        ref=_optional(given, "id"),
        scope=scope,
        trust=rules.trust if asked is None else rules.lower(_trust(asked), rules.trust),
    )


def _optional(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is None or value == "":
        return None
    if type(value) is int and name in ("id", "session"):
        value = str(value)
    return checked(value, name, limit=MAX_FIELD_CHARS)


def _kind(given: Mapping[str, Any]) -> str:
    if kind := _optional(given, "kind"):
        if kind not in KINDS:
            raise InvalidRequest(f"unknown kind {kind[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(KINDS)}")
        return kind
    role = (_optional(given, "role") or "user").lower()
    return KIND_OF_ROLE.get(role, "conversation.user")


def _trust(word: str) -> Trust:
    try:
        return Trust(word)
    except ValueError:
        raise InvalidRequest(
            f"unknown trust {word[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(Trust)}"
        ) from None


def _moment(value: Any) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return parse_moment(value, "at")
    if type(value) is not int or not 0 <= value <= LAST_MOMENT:
        raise InvalidRequest("'at' is a date, or milliseconds since 1970", code="invalid_date")
    return value


def identity(turn: Turn, now: int) -> PassageId:
    """Return the id of a turn: the same one for the same turn, so that nothing is kept twice.

    A turn without an id and without a time is told apart by the moment at which it was handed over.
    """
    told: list[Json] = [turn.scope, turn.session, turn.ref]
    if turn.ref is None:
        told += [turn.speaker, now if turn.at is None else turn.at, turn.text, turn.occurrence]
    return PassageId(PREFIX + hashlib.sha256(canonical(told).encode()).hexdigest()[:24])


def passage(turn: Turn, id: PassageId, position: int, now: int, embedded: str) -> Passage:
    """Return the passage that a turn is kept as."""
    at = now if turn.at is None else turn.at
    return sealed(
        Passage(
            id=id,
            lane=EvidenceLane.EPISODES,
            scope=turn.scope,
            group=turn.session,
            position=position,
            text=turn.text,
            about=" ".join(filter(None, (turn.speaker, date_in_words(at)))),
            meaning="" if embedded == turn.text else embedded,
            trust=turn.trust,
            kind=turn.kind,
            speaker=turn.speaker,
            at=at,
            added_at=now,
            ref=turn.ref,
        )
    )


def episode(passage: Passage) -> Episode:
    """Return a passage as the turn it is."""
    return Episode(
        id=passage.id,
        session=passage.group,
        position=passage.position,
        scope=passage.scope,
        kind=passage.kind,
        trust=passage.trust,
        text=passage.text,
        speaker=passage.speaker,
        at=passage.at,
        ref=passage.ref,
    )


def spoken_name(speaker: str | None) -> str | None:
    """Return who speaks, unless that is only a word for a part in a conversation."""
    return None if speaker is None or speaker.lower() in KIND_OF_ROLE else speaker
