"""Validate turns and turn them into passages."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.arguments import one_of
from satchel.domain.canonical import Json, canonical
from satchel.domain.episode import KIND_OF_ROLE, KINDS, Episode, RefusedTurn
from satchel.domain.moment import LAST_MOMENT, parse_moment
from satchel.domain.passage import EvidenceLane, Passage, PassageId, with_content_hash
from satchel.domain.periods import date_in_words
from satchel.domain.policies.episodes import EpisodePolicy
from satchel.domain.record import Trust
from satchel.domain.text import MAX_FIELD_CHARS, check_text
from satchel.errors import InvalidRequest, SatchelError

PREFIX = "ep-"
DEFAULT_SESSION = "default"
OWN_KIND = "conversation.user"
MAX_TURNS = 100_000
MAX_REFUSED = 20
# Maximum length of a turn before truncation; masking longer texts would take too long.
MAX_GIVEN_CHARS = 1_000_000
ELLIPSIS = " …"
PRIVATE = re.compile(r"<private>|\[(?:private|noexport|nomem)\]", re.IGNORECASE)
FIELDS = frozenset({"text", "session", "speaker", "role", "at", "id", "kind", "scope", "trust"})


class IncomingTurn(Struct, frozen=True):
    """A validated turn."""

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
    """Number of identical turns before it."""


class TurnRules(Struct, frozen=True):
    """How turns are validated and stored."""

    policy: EpisodePolicy
    now: int
    place: Callable[[str | None, str], tuple[str, str]]
    """Returns the scope of a turn from its scope field and text, and the text without a scope tag."""
    mask: Callable[[str], tuple[str, Sequence[tuple[str, int]]]]
    """Returns a text with secrets masked, and the counts by type."""
    clean: Callable[[str], str]
    """Returns a text without blocks injected by a host."""
    trust: Trust
    """The highest trust of the channel."""
    lower: Callable[[Trust, Trust], Trust]
    is_order: Callable[[str], bool]
    """Whether a text reads as an order to the agent."""


class ParsedTurns(Struct):
    """The valid turns, and what was refused or left out."""

    turns: list[IncomingTurn]
    refused: list[RefusedTurn]
    refused_count: int = 0
    private: int = 0
    shortened: int = 0
    masked: Counter[str] | None = None
    quarantined: int = 0
    """Turns that read as an order to the agent."""


def parse_turns(given: Sequence[Any], rules: TurnRules, *, max_refused: int = MAX_REFUSED) -> ParsedTurns:
    """Validate turns one by one; the first invalid ones are reported with the reason."""
    if len(given) > MAX_TURNS:
        raise InvalidRequest(
            f"{len(given):,} turns at once, {MAX_TURNS:,} are allowed", code="too_many", hint="add them in parts"
        )
    found = ParsedTurns([], [], masked=Counter())
    seen: Counter[tuple[object, ...]] = Counter()
    for number, one in enumerate(given, start=1):
        try:
            turn = _turn(number, one, rules, found)
        except SatchelError as error:
            found.refused_count += 1
            if len(found.refused) < max_refused:
                found.refused.append(RefusedTurn(number, error.code, error.message))
            continue
        if turn is None:
            found.private += 1
            continue
        same = (turn.scope, turn.session, turn.ref, turn.speaker, turn.at, turn.text)
        found.turns.append(replace(turn, occurrence=seen[same]))
        seen[same] += 1
    return found


def parse_json_lines(text: str) -> list[Any]:
    """Parse JSON lines in order. An invalid line stays a text, to be refused later."""
    found: list[Any] = []
    for line in text.splitlines():
        if not line.strip():
            continue
        try:
            found.append(json.loads(line))
        except (ValueError, RecursionError):
            found.append(line)
    return found


def _turn(number: int, given: Any, rules: TurnRules, found: ParsedTurns) -> IncomingTurn | None:
    if not isinstance(given, Mapping):
        raise InvalidRequest("a turn must be an object with a text", code="wrong_type")
    if unknown := sorted(str(name) for name in given if name not in FIELDS):
        raise InvalidRequest(f"a turn has no field {unknown[0][:40]!r}", code="unknown_param")
    text = given.get("text")
    if not isinstance(text, str):
        raise InvalidRequest("a turn needs a text", code="missing_param")
    if PRIVATE.search(text[:MAX_GIVEN_CHARS]):
        return None
    scope, text = rules.place(_optional(given, "scope"), text[:MAX_GIVEN_CHARS])
    kind = _kind(given)
    if kind.startswith("conversation."):
        text = rules.clean(text)
    # Masked before truncation: half a secret would not be recognized.
    text, secrets = rules.mask(text)
    limit = rules.policy.max_chars
    if len(text) > limit:
        found.shortened += 1
        text = text[: limit - len(ELLIPSIS)] + ELLIPSIS
    check_text(text, "text", limit=limit)
    if found.masked is not None:
        found.masked.update(dict(secrets))
    asked = _optional(given, "trust")
    trust = rules.trust if asked is None else rules.lower(one_of(Trust, asked, "trust"), rules.trust)
    # The person's own words in a trusted channel may be orders; what agents, tools and others say is inspected.
    own = rules.trust is Trust.TRUSTED and kind == OWN_KIND
    if not own and rules.is_order(text):
        trust = Trust.QUARANTINED
        found.quarantined += 1
    return IncomingTurn(
        number=number,
        text=text,
        session=_optional(given, "session") or DEFAULT_SESSION,
        speaker=_optional(given, "speaker"),
        kind=kind,
        at=_moment(given.get("at")),
        ref=_optional(given, "id"),
        scope=scope,
        trust=trust,
    )


def _optional(given: Mapping[str, Any], name: str) -> str | None:
    value = given.get(name)
    if value is None or value == "":
        return None
    if type(value) is int and name in ("id", "session"):
        value = str(value)
    return check_text(value, name, limit=MAX_FIELD_CHARS)


def _kind(given: Mapping[str, Any]) -> str:
    if kind := _optional(given, "kind"):
        if kind not in KINDS:
            raise InvalidRequest(f"unknown kind {kind[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(KINDS)}")
        return kind
    role = (_optional(given, "role") or "user").lower()
    return KIND_OF_ROLE.get(role, "conversation.user")


def _moment(value: Any) -> int | None:
    if value is None or value == "":
        return None
    if isinstance(value, str):
        return parse_moment(value, "at")
    if type(value) is not int or not 0 <= value <= LAST_MOMENT:
        raise InvalidRequest("'at' must be a date or milliseconds since 1970", code="invalid_date")
    return value


def turn_id(turn: IncomingTurn, seed: str, now: int) -> PassageId:
    """Return the id of a turn from a seed of its scope, equal for equal turns, so that nothing is stored twice.

    A turn with neither id nor time is identified by the time at which it was added.
    """
    identity: list[Json] = [seed, turn.session, turn.ref]
    if turn.ref is None:
        identity += [turn.speaker, now if turn.at is None else turn.at, turn.text, turn.occurrence]
    return PassageId(PREFIX + hashlib.sha256(canonical(identity).encode()).hexdigest()[:24])


def passage(turn: IncomingTurn, id: PassageId, position: int, now: int, embedded: str) -> Passage:
    """Return the passage of a turn."""
    at = now if turn.at is None else turn.at
    return with_content_hash(
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
    """Return a passage as an episode."""
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


def speaker_name(speaker: str | None) -> str | None:
    """Return the speaker's name, unless it is only a role."""
    return None if speaker is None or speaker.lower() in KIND_OF_ROLE else speaker
