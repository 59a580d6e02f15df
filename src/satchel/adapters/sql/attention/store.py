"""What the attention router keeps in a ledger: candidate lists, details of memories, and packets.

A packet is stored item by item, so that forgetting a memory finds the packets that were made of it.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from msgspec import convert

from satchel.adapters.sql import receipts
from satchel.adapters.sql.engine import Connection, Database, Row, first
from satchel.adapters.sql.facts import sources
from satchel.adapters.sql.memories.rows import MEMORIES, SELECTED
from satchel.adapters.sql.records import ReadableColumn, RecordFormat, read_page
from satchel.adapters.sql.where import Clause, all_of, id_batches, one_of, reach_clause, view_clause
from satchel.domain.attention import DURABLE_LEVEL, GLOBAL, Details, Packet, Slot
from satchel.domain.canonical import Json, canonical
from satchel.domain.fragments import FragmentSearch, QuotedTexts
from satchel.domain.record import Memory, MemoryId
from satchel.domain.view import LIVE_STATES, View
from satchel.errors import Unavailable
from satchel.ports import NewPacket, PacketItem, StoredPacket

if TYPE_CHECKING:
    from satchel.domain.receipt import Receipt
    from satchel.domain.scope import Reach

# The conditions of the shelf_* indexes. SQLite uses an index only for a query that repeats its condition.
_LIVE = "m.state NOT IN ('archived', 'retired')"
_DURABLE = f"(m.abstraction >= {DURABLE_LEVEL} OR m.role_scope IS NULL OR m.role_scope = '{GLOBAL}')"
_BY_IMPORTANCE = "coalesce(m.importance, 0.5) DESC, m.updated_at DESC, m.id"
_BY_TIME = "m.updated_at DESC, m.id"

# The ids of a packet's memories are stored as items, in a slot that no text has.
_SELECTED_IDS = "selected_memory_ids"


class SqlCandidateLists:
    """Implements ports.CandidateLists. Each list is read in the order of its own index, until enough is found."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def of_task(self, task: str, view: View, limit: int) -> list[Memory]:
        return self._select("m.task = ?", [task], _BY_IMPORTANCE, view, limit)

    def of_session(self, session: str, view: View, limit: int) -> list[Memory]:
        return self._select("m.session = ?", [session], _BY_IMPORTANCE, view, limit)

    def durable(self, view: View, limit: int) -> list[Memory]:
        return self._select(_DURABLE, [], _BY_IMPORTANCE, view, limit)

    def recent(self, view: View, limit: int) -> list[Memory]:
        return self._select("true", [], _BY_TIME, view, limit)

    def _select(self, which: str, values: list[Any], order: str, view: View, limit: int) -> list[Memory]:
        where, limits = view_clause(view)
        live = _LIVE if set(view.states) <= set(LIVE_STATES) else "true"
        # The index covers everything the view checks, so that only the best are read whole.
        query = f"""
            SELECT {SELECTED} FROM (
                SELECT m.row AS row FROM memories m WHERE {live} AND {which} AND {where} ORDER BY {order} LIMIT ?
            ) AS best JOIN memories m ON m.row = best.row ORDER BY {order}"""
        with self._database.reading() as db:
            return list(MEMORIES.read(db, query, [*values, *limits, limit]))


class SqlDetails:
    """Implements ports.DetailsStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def put(self, id: MemoryId, details: Details) -> None:
        if details == Details():
            return
        with self._database.writing() as db:
            db.execute(
                "INSERT INTO details (memory_id, data, source_refs, recency) VALUES (?, ?, ?, ?)",
                (id, canonical(details.data), canonical(details.source_refs), details.recency),
            )

    def of(self, ids: Sequence[MemoryId]) -> Mapping[MemoryId, Details]:
        found: dict[MemoryId, Details] = {}
        with self._database.reading() as db:
            for among, values in id_batches("memory_id", ids):
                found.update(DETAILS.read(db, f"SELECT {DETAILS.selected} FROM details m WHERE {among}", values))
        return found


class SqlPackets:
    """Implements ports.PacketStore."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, packet: NewPacket, receipt: Receipt, max_kept: int) -> bool:
        if self._database.read_only:
            return False
        try:
            with self._database.writing(optional=True) as db:
                if max_kept:
                    _insert_packet(db, packet)
                _drop_oldest_packets(db, max_kept)
                receipts.append(db, receipt)
                receipts.count_use(db, packet.selected, receipt.at)
        except Unavailable:
            return False
        return bool(max_kept)

    def recent(self, view: View, limit: int) -> list[StoredPacket]:
        return self._newest(reach_clause(view.reach), limit)

    def find(self, id: str, reach: Reach) -> StoredPacket | None:
        return next(iter(self._newest(all_of(one_of("m.id", [id]), reach_clause(reach)), 1)), None)

    def walk(self, reach: Reach) -> list[NewPacket]:
        where, values = reach_clause(reach)
        query = f"SELECT {PACKETS.selected} FROM packets m WHERE {where} ORDER BY m.created_at, m.id"
        with self._database.reading() as db:
            return [_with_sources(db, row) for row in list(PACKETS.read(db, query, values))]

    def restore(self, packets: Sequence[NewPacket], receipt: Receipt) -> int:
        with self._database.writing() as db:
            new = [one for one in packets if _can_restore(db, one)]
            for one in new:
                _insert_packet(db, one)
            if new:
                receipts.append(db, receipt)
            return len(new)

    def contains(self, fragment: str, *, excluding: str) -> bool:
        query = """
            SELECT 1 FROM packets m LEFT JOIN packet_items i ON i.packet = m.row
            WHERE m.id <> ?1 AND (instr(m.goal, ?2) > 0 OR instr(coalesce(i.text, ''), ?2) > 0) LIMIT 1"""
        with self._database.reading() as db:
            return first(db.execute(query, (excluding, fragment))) is not None

    def erase(self, id: str, receipt: Receipt) -> None:
        with self._database.writing() as db:
            _delete_packets(
                db, [row for (row,) in list[Row](db.execute("SELECT row FROM packets WHERE id = ?", (id,)))]
            )
            receipts.append(db, receipt)

    def _newest(self, clause: Clause, limit: int) -> list[StoredPacket]:
        where, values = clause
        query = f"SELECT {PACKETS.selected} FROM packets m WHERE {where} ORDER BY m.row DESC LIMIT ?"
        with self._database.reading() as db:
            rows = read_page(PACKETS, db, query, values, limit)
            items = _packet_items(db, [row[2] for row in rows])
            return [_packet(row, items[row[2]]) for row in rows]


def erase(db: Connection, memory: Memory, *, everywhere: bool) -> None:
    """Erase the details of a memory, and every packet that was made of it or repeats its title."""
    db.execute("DELETE FROM details WHERE memory_id = ?", (memory.id,))
    made_of = "SELECT packet FROM packet_items WHERE memory_id = ?"
    _delete_packets(db, [row for (row,) in list[Row](db.execute(made_of, (memory.id,)))])
    _erase_repeating(db, [memory.title or ""], 1, None if everywhere else memory.scope)


def erase_dependents(db: Connection, ids: Sequence[str], *, everywhere: bool) -> None:
    """Erase the packets whose goal or other text repeats these records, in their own scope or in all."""
    texts: dict[str | None, list[str]] = defaultdict(list)
    for record in (sources.text_by_id(db, id) for id in ids):
        if record is not None:
            scope, text = record
            texts[None if everywhere else scope].append(text)
    for within, repeated in texts.items():
        _erase_repeating(db, repeated, len(repeated), within)


def erase_scope(db: Connection, scope: str) -> None:
    """Erase every packet of a scope that has no memory left: their goals belong to nothing that could be forgotten."""
    of_scope = "SELECT row FROM packets WHERE scope = ?"
    _delete_packets(db, [row for (row,) in list[Row](db.execute(of_scope, (scope,)))])


def _erase_repeating(db: Connection, texts: Iterable[str], count: int, scope: str | None) -> None:
    """Erase the packets of a scope, or of all, whose request repeats one of some texts; `count` says of how many."""
    if requested := _requested_texts(db, scope):
        quoted = QuotedTexts((text for _, text in requested), searches=count)
        for trace in map(FragmentSearch, texts):
            if quoted.hold(trace):
                _delete_packets(db, trace.among(requested))


def _requested_texts(db: Connection, scope: str | None) -> list[tuple[int, str]]:
    """Return the goal and every other text of each packet's request, with the number of the packet."""
    found = _texts(db, "SELECT row, CAST(goal AS BLOB) FROM packets")
    found += _texts(db, "SELECT packet, CAST(text AS BLOB) FROM packet_items WHERE memory_id IS NULL")
    if scope is None:
        return found
    of_scope = {row for (row,) in list[Row](db.execute("SELECT row FROM packets WHERE scope = ?", (scope,)))}
    return [one for one in found if one[0] in of_scope]


def _delete_packets(db: Connection, rows: Sequence[int]) -> None:
    numbers = [(row,) for row in dict.fromkeys(rows)]
    db.executemany("DELETE FROM packet_items WHERE packet = ?", numbers)
    db.executemany("DELETE FROM packets WHERE row = ?", numbers)


def _insert_packet(db: Connection, packet: NewPacket) -> None:
    db.execute(
        "INSERT INTO packets (id, scope, session, task, step_role, goal, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (packet.id, packet.scope, packet.session, packet.task, packet.step_role, packet.goal, packet.created_at),
    )
    row = db.last_insert_rowid()
    texts = [(row, item.slot.value, item.text, item.memory_id) for item in packet.items]
    ids = [(row, _SELECTED_IDS, "", id) for id in packet.selected]
    db.executemany("INSERT INTO packet_items (packet, slot, text, memory_id) VALUES (?, ?, ?, ?)", [*texts, *ids])


def _with_sources(db: Connection, row: Row) -> NewPacket:
    id, scope, number, session, task, step_role, goal, created_at = row
    query = f"SELECT {PACKET_ITEMS.selected} FROM packet_items m WHERE m.packet = ? ORDER BY m.row"
    found = [(slot, text, memory_id) for *_, slot, text, memory_id in PACKET_ITEMS.read(db, query, (number,))]
    items = tuple(PacketItem(Slot(slot), text, memory_id) for slot, text, memory_id in found if slot != _SELECTED_IDS)
    selected = tuple(memory_id for slot, _, memory_id in found if slot == _SELECTED_IDS)
    return NewPacket(id, scope, session, task, step_role, goal, items, selected, created_at)


def _can_restore(db: Connection, packet: NewPacket) -> bool:
    """Return whether a packet is new here, and cannot repeat what this store has forgotten."""
    named = {*packet.selected, *(item.memory_id for item in packet.items if item.memory_id is not None)}
    known = "SELECT 1 FROM memories WHERE id = ?"
    is_known = first(db.execute("SELECT 1 FROM packets WHERE id = ?", (packet.id,))) is not None
    # Its goal may repeat a text that was forgotten since.
    forgotten = "SELECT 1 FROM tombstones WHERE scope = ? AND forgotten_at >= ? LIMIT 1"
    if is_known or first(db.execute(forgotten, (packet.scope, packet.created_at))) is not None:
        return False
    return all(first(db.execute(known, (id,))) is not None for id in sorted(named))


def _drop_oldest_packets(db: Connection, max_kept: int) -> None:
    """Keep the newest, found by row number without counting: where some were erased, fewer are kept."""
    last = "(SELECT max(row) FROM packets) - ?"
    db.execute(f"DELETE FROM packet_items WHERE packet <= {last}", (max_kept,))
    db.execute(f"DELETE FROM packets WHERE row <= {last}", (max_kept,))


def _packet_items(db: Connection, rows: Sequence[int]) -> dict[int, dict[str, list[str]]]:
    found: dict[int, dict[str, list[str]]] = {row: defaultdict(list) for row in rows}
    among, values = one_of("packet", [str(row) for row in rows])
    query = f"SELECT {PACKET_ITEMS.selected} FROM packet_items m WHERE {among} ORDER BY m.row"
    for _, _, row, slot, text, memory_id in PACKET_ITEMS.read(db, query, values) if rows else ():
        found[row][slot].append(memory_id if slot == _SELECTED_IDS else text)
    return found


def _packet(row: Row, items: dict[str, list[str]]) -> StoredPacket:
    id, _, _, session, task, step_role, goal, created_at = row
    lists = {slot.value: tuple(items[slot.value]) for slot in Slot}
    packet = Packet(goal, step_role, **lists, selected_memory_ids=tuple(items[_SELECTED_IDS]))
    return StoredPacket(id, session, task, packet, created_at)


def _texts(db: Connection, query: str) -> list[tuple[int, str]]:
    """Return rows with their text. A damaged text is compared as well as it can be read."""
    return [(row, text.decode("utf-8", "backslashreplace")) for row, text in list[Row](db.execute(query))]


def _details(row: Row) -> tuple[MemoryId, Details]:
    id, _, data, refs, recency = row
    return MemoryId(id), Details(_object(data), _strings(refs), recency)


def _object(text: str) -> dict[str, Json]:
    return convert(json.loads(text), dict[str, Any])


def _strings(text: str) -> tuple[str, ...]:
    return convert(json.loads(text), tuple[str, ...])


def _item(row: Row) -> Row:
    if row[3] != _SELECTED_IDS:
        Slot(row[3])
    return row


DETAILS = RecordFormat(
    "details",
    {
        "id": "m.memory_id",
        "scope": "''",
        **{name: f"m.{name}" for name in ("data", "source_refs", "recency")},
    },
    from_row=_details,
    readable={"data": ReadableColumn(_object, "{}"), "source_refs": ReadableColumn(_strings, "[]")},
)
PACKETS = RecordFormat(
    "packet",
    {name: f"m.{name}" for name in ("id", "scope", "row", "session", "task", "step_role", "goal", "created_at")},
    from_row=lambda row: row,
)
PACKET_ITEMS = RecordFormat(
    "packet item",
    {
        "id": "(SELECT id FROM packets o WHERE o.row = m.packet)",
        "scope": "''",
        **{name: f"m.{name}" for name in ("packet", "slot", "text", "memory_id")},
    },
    from_row=_item,
    readable={"slot": ReadableColumn(Slot, next(iter(Slot)).value)},
)
