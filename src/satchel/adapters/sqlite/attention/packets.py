"""The packets of a SQLite ledger, item by item, so that what is forgotten can be taken out of them."""

from collections import defaultdict
from collections.abc import Sequence

import apsw

from satchel.adapters.sqlite import receipts
from satchel.adapters.sqlite.database import Database, Row
from satchel.adapters.sqlite.where import one_of, reach_clause
from satchel.domain.attention import Packet, Slot
from satchel.domain.pieces import Trace
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import KeptPacket, MadePacket

# An id of a packet's list of memories stands beside the texts, in a slot that no text has.
_SELECTED = "selected_memory_ids"


class SqlitePackets:
    """Implements ports.Packets."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, packet: MadePacket, receipt: Receipt, most: int) -> bool:
        if self._database.read_only:
            return False
        try:
            with self._database.writing(receipts.READ_PATIENCE_MS) as db:
                if most:
                    _insert(db, packet)
                _drop_oldest(db, most)
                receipts.append(db, receipt)
                receipts.count_use(db, packet.selected, receipt.at)
        except Unavailable:
            return False
        return bool(most)

    def recent(self, view: View, limit: int) -> list[KeptPacket]:
        within, values = reach_clause(view.reach)
        columns = "m.row, m.id, m.session, m.task, m.step_role, m.goal, m.created_at"
        query = f"SELECT {columns} FROM packets m WHERE {within} ORDER BY m.row DESC LIMIT ?"
        with self._database.reading() as db:
            rows = list[Row](db.execute(query, [*values, limit]))
            items = _items(db, [row[0] for row in rows])
            return [_kept(row[1:], items[row[0]]) for row in rows]


def erase(db: apsw.Connection, memory: Memory) -> None:
    """Take out of every packet what came from a memory, and what a request had repeated of its text."""
    db.execute("DELETE FROM packet_items WHERE memory_id = ?", (memory.id,))
    trace = Trace(f"{memory.text}\n{memory.title or ''}")
    own_words = list[Row](db.execute("SELECT row, text FROM packet_items WHERE memory_id IS NULL"))
    db.executemany("DELETE FROM packet_items WHERE row = ?", [(row,) for row in trace.among(own_words)])
    goals = list[Row](db.execute("SELECT row, goal FROM packets"))
    db.executemany("UPDATE packets SET goal = '' WHERE row = ?", [(row,) for row in trace.among(goals)])


def _insert(db: apsw.Connection, packet: MadePacket) -> None:
    db.execute(
        "INSERT INTO packets (id, scope, session, task, step_role, goal, created_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (packet.id, packet.scope, packet.session, packet.task, packet.step_role, packet.goal, packet.created_at),
    )
    row = db.last_insert_rowid()
    texts = [(row, item.slot.value, item.text, item.memory_id) for item in packet.items]
    ids = [(row, _SELECTED, "", id) for id in packet.selected]
    db.executemany("INSERT INTO packet_items (packet, slot, text, memory_id) VALUES (?, ?, ?, ?)", [*texts, *ids])


def _drop_oldest(db: apsw.Connection, most: int) -> None:
    """Keep the newest. Rows are numbered one after another, so the oldest are found without counting."""
    last = "(SELECT max(row) FROM packets) - ?"
    db.execute(f"DELETE FROM packet_items WHERE packet <= {last}", (most,))
    db.execute(f"DELETE FROM packets WHERE row <= {last}", (most,))


def _items(db: apsw.Connection, rows: Sequence[int]) -> dict[int, dict[str, list[str]]]:
    found: dict[int, dict[str, list[str]]] = {row: defaultdict(list) for row in rows}
    among, values = one_of("packet", [str(row) for row in rows])
    query = f"SELECT packet, slot, text, memory_id FROM packet_items WHERE {among} ORDER BY row"
    for row, slot, text, memory_id in db.execute(query, values) if rows else ():
        found[row][slot].append(memory_id if slot == _SELECTED else text)
    return found


def _kept(row: Row, items: dict[str, list[str]]) -> KeptPacket:
    id, session, task, step_role, goal, created_at = row
    lists = {slot.value: tuple(items[slot.value]) for slot in Slot}
    packet = Packet(goal, step_role, **lists, selected_memory_ids=tuple(items[_SELECTED]))
    return KeptPacket(id, session, task, packet, created_at)
