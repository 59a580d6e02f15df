"""Convert a memory to a row of an export file, and a row to a memory."""

import re
from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Any, TypeVar

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.admit import MAX_LIST_ITEMS, Draft, admit
from satchel.domain.attention import Details
from satchel.domain.canonical import Json, canonical
from satchel.domain.inspection import inspect_memory
from satchel.domain.moment import FIRST_MOMENT, LAST_MOMENT, iso, parse_moment
from satchel.domain.policies import ScopePolicy
from satchel.domain.record import Label, Memory, MemoryId, SourceKind, State, Trust
from satchel.domain.scope import resolve_scope
from satchel.domain.text import check_optional_text, check_text
from satchel.domain.trust import CEILING, outranks
from satchel.errors import InvalidRequest
from satchel.memories.row_vectors import RowVector, row_vector
from satchel.ports.damage import DamagedRecord

MAX_ABSTRACTION = 3
MAX_ID_CHARS = 128
MAX_DETAILS_CHARS = 50_000
_NO_DETAILS = Details()
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/-]*")

# The names a file may use for each field: ours and those of the specification. The first one present counts.
NAMES: dict[str, tuple[str, ...]] = {
    "id": ("id",),
    "text": ("text",),
    "kind": ("kind", "category"),
    "importance": ("importance",),
    "label": ("importance_label", "label"),
    "scope": ("scope",),
    "trust": ("trust_tier", "trust"),
    "source_kind": ("source_kind",),
    "source_ref": ("source_ref",),
    "created_at": ("createdAt", "created_at"),
    "updated_at": ("updatedAt", "updated_at"),
    "title": ("title",),
    "language": ("lang", "language"),
    "session": ("session",),
    "task": ("task",),
    "role_scope": ("role_scope",),
    "abstraction": ("abstraction",),
    "confidence": ("confidence",),
    "success": ("success", "success_score"),
    "keywords": ("keywords",),
    "tags": ("tags",),
    "media_refs": ("media_refs",),
    "valid_from": ("valid_from", "validFrom"),
    "valid_to": ("valid_to", "validTo"),
    "state": ("state",),
    "replaced_by": ("replaced_by",),
    "reason": ("reason",),
}
_FIELD_OF = {names[0]: field for field, names in NAMES.items()}
_FIELD_OF_OTHER = {name: field for field, names in NAMES.items() for name in names[1:]}
_NO_FIELDS: dict[str, Json] = dict.fromkeys(NAMES)
# Free text, which may contain secrets.
_FREE = ("text", "title", "source_ref", "session", "task", "role_scope", "reason")
_FREE_LISTS = ("tags", "keywords", "media_refs")

# Aliases used by the specification's tools. None of them grants more than "untrusted".
_LABELS = {"high": "must_remember", "medium": "nice_to_have", "low": "ignore", "trivial": "ignore", "none": "unknown"}
_TIERS = dict.fromkeys(("user", "operator", "import", "system", "tool", "web"), Trust.UNTRUSTED.value)

Word = TypeVar("Word", bound=StrEnum)


class ParsedRow(Struct, frozen=True, gc=False):
    """A valid row: its memory, whose id is the one in the file, or empty."""

    memory: Memory
    wanted: MemoryId | None
    """The id in the file, if valid."""
    lowered: bool
    """Whether the file claimed more trust than an import can give."""
    misplaced: bool
    """Whether the tag in its text names an invalid scope, and the default scope was taken."""
    unknown_fields: int
    is_order: bool
    """Whether it reads as an order to the agent and is quarantined."""
    vector: RowVector | None = None
    details: Details = Details()


def memory_row(memory: Memory) -> dict[str, Json]:
    """Return a memory as a row: the common fields first, then all others with a value."""
    row: dict[str, Json] = {
        "id": memory.id,
        "text": memory.text,
        "category": memory.category,
        "kind": memory.kind,
        "importance": memory.importance,
        "importance_label": memory.label,
        "scope": memory.scope,
        "trust_tier": memory.trust,
        "source_kind": memory.source_kind,
        "source_ref": memory.source_ref,
        "createdAt": memory.created_at,
        "updatedAt": memory.updated_at,
        "state": memory.state,
    }
    rest = {NAMES[name][0]: getattr(memory, name) for name in NAMES if NAMES[name][0] not in row}
    empty = {
        name for name, value in rest.items() if value is None or value == () or (name, value) == ("abstraction", 0)
    }
    return row | {name: value for name, value in rest.items() if name not in empty}


def damaged_row(record: DamagedRecord) -> dict[str, Json]:
    """Return a damaged record as a row: its text and undecodable columns as bytes in base64. It cannot be imported."""
    raw = {name: one for name, one in record.columns.items() if isinstance(one, bytes) or name == "text"}
    encoded = {name: one.encode() if isinstance(one, str) else one for name, one in raw.items()}
    readable = {name: one for name, one in record.columns.items() if name not in raw and one is not None}
    return {
        **readable,
        "id": record.id,
        "damaged": record.problem,
        "record": record.kind,
        "base64": {name: b64encode(one).decode() for name, one in encoded.items() if isinstance(one, bytes)},
    }


def mask_memory(memory: Memory, mask: Callable[[str], str]) -> Memory:
    """Return a memory with a mask applied to all free text."""
    written: dict[str, Any] = {name: mask(text) for name in _FREE if (text := getattr(memory, name))}
    lists: dict[str, Any] = {name: tuple(map(mask, texts)) for name in _FREE_LISTS if (texts := getattr(memory, name))}
    return replace(memory, **written, **lists, content_hash="")


def parse_row(
    row: Mapping[str, Json],
    *,
    scope: str | None,
    policy: ScopePolicy,
    now: int,
    trusted: bool = False,
    details: Details = _NO_DETAILS,
) -> ParsedRow:
    """Parse a row through the channel "import", or raise InvalidRequest with the reason as its code.

    A given scope overrides the row's own. A file can only lower trust: `trusted` says that the operator vouches for it.
    """
    fields, unknown = _fields(row)
    if row.get("damaged") is not None:
        raise InvalidRequest("the row is a damaged record", code="damaged")
    if fields["text"] is None:
        raise InvalidRequest("the row has no text", code="missing_text")
    claimed = _word(Trust, fields["trust"], "trust", _TIERS)
    ceiling = CEILING[SourceKind.IMPORT]
    lowered = claimed is not None and outranks(claimed, ceiling) and not trusted
    text = _text(fields, "text") or ""
    named = scope or _text(fields, "scope") or None
    placement = resolve_scope(named, text, policy)
    if placement.invalid and named is not None:
        # In the default scope, others would see what was meant for one scope.
        raise InvalidRequest("the scope of the row is not valid", code="invalid_scope")
    draft = Draft(
        text=text,
        scope=placement.scope,
        kind=_text(fields, "kind") or "other",
        importance=_number(fields, "importance"),
        trust=ceiling if claimed is not None and outranks(claimed, ceiling) else claimed,
        source_kind=SourceKind.IMPORT,
        source_ref=_text(fields, "source_ref"),
        title=_text(fields, "title"),
        session=_text(fields, "session"),
        task=_text(fields, "task"),
        language=_text(fields, "language"),
        tags=_texts(fields, "tags"),
        keywords=_texts(fields, "keywords"),
        media=_texts(fields, "media_refs"),
        valid_from=_moment_text(fields, "valid_from"),
        valid_to=_moment_text(fields, "valid_to"),
    )
    wanted = _id(fields["id"])
    # The operator's own words may be orders.
    trust = (claimed or Trust.TRUSTED) if trusted else None
    restored = _restored(admit(draft, id=wanted or MemoryId(""), now=now), fields, now, trust)
    memory, orders = (restored, ()) if trusted else inspect_memory(restored, *_details_text(details))
    vector = row_vector(row)
    return ParsedRow(
        memory, wanted, lowered, placement.invalid, unknown - (vector is not None), bool(orders), vector, details
    )


def _details_text(details: Details) -> tuple[str, ...]:
    """Return the text of details, to inspect it. Raises InvalidRequest if it cannot be stored."""
    if details == Details():
        return ()
    check_text(canonical((details.data, details.source_refs)), "the details", limit=MAX_DETAILS_CHARS)
    return (canonical(details.data),)


def _fields(row: Mapping[str, Json]) -> tuple[dict[str, Json], int]:
    """Return the value of every field, under whichever of its names the row has it, and how many names are unknown.

    Of several names of a field, the first counts.
    """
    fields, others, unknown = _NO_FIELDS.copy(), False, 0
    for name, value in row.items():
        if (field := _FIELD_OF.get(name)) is not None:
            fields[field] = value
        elif name in _FIELD_OF_OTHER:
            others = True
        else:
            unknown += 1
    if others:
        for name, field in _FIELD_OF_OTHER.items():
            if fields[field] is None:
                fields[field] = row.get(name)
    return fields, unknown


def _restored(memory: Memory, fields: Mapping[str, Json], now: int, trust: Trust | None) -> Memory:
    """Add the fields that only an import may set, and the trust that the operator gives, if any."""
    created_at = _moment(fields, "created_at", now)
    label = _word(Label, fields["label"], "importance label", _LABELS)
    return replace(
        memory,
        trust=trust or memory.trust,
        label=label or memory.label,
        role_scope=check_optional_text(_text(fields, "role_scope"), "the role scope"),
        abstraction=_level(fields["abstraction"]),
        confidence=_share(fields, "confidence"),
        success=_share(fields, "success"),
        state=_word(State, fields["state"], "state", {}) or memory.state,
        replaced_by=_id(fields["replaced_by"]),
        reason=check_optional_text(_text(fields, "reason"), "the reason"),
        created_at=created_at,
        updated_at=max(created_at, _moment(fields, "updated_at", created_at)),
    )


def _text(fields: Mapping[str, Json], name: str) -> str | None:
    value = fields[name]
    if value is not None and not isinstance(value, str):
        raise InvalidRequest(f"{name} must be a string", code="wrong_type")
    return value


def _texts(fields: Mapping[str, Json], name: str) -> tuple[str, ...]:
    value = fields[name]
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Sequence):
        raise InvalidRequest(f"{name} must be a list of texts", code="wrong_type")
    if len(value) > MAX_LIST_ITEMS:
        raise InvalidRequest(f"more than {MAX_LIST_ITEMS} {name}", code="too_many")
    return tuple(one if isinstance(one, str) else _wrong_type(name) for one in value)


def _wrong_type(name: str) -> str:
    raise InvalidRequest(f"{name} must be a list of texts", code="wrong_type")


def _number(fields: Mapping[str, Json], name: str) -> float | None:
    value = fields[name]
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidRequest(f"{name} must be a number", code="wrong_type")
    return float(value)


def _share(fields: Mapping[str, Json], name: str) -> float | None:
    value = _number(fields, name)
    if value is not None and not 0.0 <= value <= 1.0:
        raise InvalidRequest(f"{name} is outside 0 to 1", code="out_of_range")
    return value


def _level(value: Json) -> int:
    if value is None:
        return 0
    if type(value) is not int or not 0 <= value <= MAX_ABSTRACTION:
        raise InvalidRequest(f"the abstraction is not one of 0 to {MAX_ABSTRACTION}", code="out_of_range")
    return value


def _moment(fields: Mapping[str, Json], name: str, otherwise: int) -> int:
    value = fields[name]
    if type(value) is int and FIRST_MOMENT <= value <= LAST_MOMENT:
        return value
    text = _moment_text(fields, name)
    return otherwise if text is None else parse_moment(text, name)


def _moment_text(fields: Mapping[str, Json], name: str) -> str | None:
    """Return a time as text; a file may give milliseconds since the epoch."""
    value = fields[name]
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise InvalidRequest(f"{name} must be a time", code="wrong_type")
    if not FIRST_MOMENT <= value <= LAST_MOMENT:
        raise InvalidRequest(f"{name} is outside the supported years", code="invalid_date")
    return iso(int(value))


def _word(words: type[Word], value: Json, field: str, aliases: Mapping[str, str]) -> Word | None:
    if value is None:
        return None
    if not isinstance(value, str):
        raise InvalidRequest(f"{field} must be a string", code="wrong_type")
    said = value.strip().casefold()
    try:
        return words(aliases.get(said, said))
    except ValueError:
        raise InvalidRequest(f"unknown {field}", code="unknown_word") from None


def _id(value: Json) -> MemoryId | None:
    """Return a value as an id, or None if it is not a valid one."""
    if not isinstance(value, str) or len(value) > MAX_ID_CHARS or not _ID.fullmatch(value):
        return None
    return MemoryId(value)
