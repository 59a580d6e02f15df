"""What a signed export holds besides memories: their details and edges, the facts, packets, and the signature.

The signature is an HMAC with a key of the store, over every row before it: it shows that a store of the same operator wrote
the file, and that nobody changed it since. Only then is what it says taken back exactly, trust included.
"""

import hmac
from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import Any

from msgspec import ValidationError, convert, to_builtins

from satchel.domain.attention import Details
from satchel.domain.canonical import Json
from satchel.domain.edges import EdgeType, MemoryEdge
from satchel.domain.facts import FactEvent
from satchel.domain.json_rows import RawRow, decode_row
from satchel.domain.record import MemoryId, SourceKind
from satchel.errors import InvalidRequest
from satchel.ports import NewPacket, PacketItem

FACT, PACKET, SIGNATURE = "fact_event", "packet", "signature"
OWN_RECORDS = (FACT, PACKET, SIGNATURE)
DETAILS, EDGES = "details", "edges"


class Signer:
    """Signs the rows of an export in the order written."""

    def __init__(self, key: bytes) -> None:
        self._hmac = hmac.new(key, digestmod=sha256)

    def add(self, row: bytes) -> None:
        """Add a row, without the punctuation between rows."""
        self._hmac.update(row + b"\n")

    @property
    def value(self) -> str:
        """The signature of the rows so far."""
        return f"hmac-sha256:{self._hmac.hexdigest()}"


def is_signed(rows: Iterable[RawRow], key: bytes) -> bool:
    """Return whether the last row is the signature of all others by this key."""
    signer, last = Signer(key), b""
    for row in rows:
        if row.problem:
            return False
        if last:
            signer.add(last)
        last = row.data.strip()
    try:
        signature = decode_row(last)
    except InvalidRequest:
        return False
    value = signature.get("value")
    return (
        signature.get("record") == SIGNATURE
        and isinstance(value, str)
        and hmac.compare_digest(value.encode(), signer.value.encode())
    )


def signature_row(value: str) -> dict[str, Json]:
    """Return the last row of a signed export."""
    return {"record": SIGNATURE, "value": value}


def additions(details: Details | None, edges: Iterable[MemoryEdge]) -> dict[str, Json]:
    """Return what the row of a memory holds besides its fields: its details, and the edges that start at it."""
    found: dict[str, Json] = {} if details is None else {DETAILS: to_builtins(details)}
    ordered = sorted(edges, key=lambda one: (one.target, one.type))
    listed: list[Json] = [[one.target, one.type.value, one.weight, one.created_at] for one in ordered]
    return found | ({EDGES: listed} if listed else {})


def fact_row(event: FactEvent) -> dict[str, Json]:
    """Return one event of the facts as a row."""
    return {"record": FACT, "event": to_builtins(event)}


def packet_row(packet: NewPacket) -> dict[str, Json]:
    """Return a packet with the sources of its texts as a row."""
    items = [one._asdict() for one in packet.items]
    return {"record": PACKET, "packet": to_builtins(packet._asdict() | {"items": items})}


def packet_of(row: Mapping[str, Json]) -> NewPacket:
    """Return the packet in a row."""
    fields = _converted(row.get("packet"), dict[str, Any])
    items = _converted(fields.get("items"), list[dict[str, Any]])
    listed = fields | {"items": [_in_order(one, PacketItem._fields) for one in items]}
    found: NewPacket = _converted(_in_order(listed, NewPacket._fields), NewPacket)
    return found


def _in_order(fields: Mapping[str, Any], names: Sequence[str]) -> list[Any]:
    """Return fields as a list, from which a named tuple is converted."""
    return [fields.get(name) for name in names]


def details_of(row: Mapping[str, Json]) -> Details | None:
    """Return the details in the row of a memory."""
    return None if row.get(DETAILS) is None else _converted(row[DETAILS], Details)


def edges_of(row: Mapping[str, Json]) -> Iterator[MemoryEdge]:
    """Yield the edges in the row of a memory."""
    for target, type, weight, created_at in _converted(row.get(EDGES) or [], list[tuple[str, EdgeType, float, int]]):
        yield MemoryEdge(MemoryId(str(row.get("id"))), MemoryId(target), type, weight, created_at)


def fact_of(row: Mapping[str, Json]) -> FactEvent:
    """Return the event of the facts in a row."""
    event: FactEvent = _converted(row.get("event"), FactEvent)
    return event


def source_of(row: Mapping[str, Json]) -> SourceKind:
    """Return the channel through which a memory came to the store that wrote the row."""
    kind: SourceKind = _converted(row.get("source_kind"), SourceKind)
    return kind


def _converted(value: Any, type: Any) -> Any:
    try:
        return convert(value, type)
    except ValidationError as error:
        raise InvalidRequest(str(error), code="wrong_type") from error
