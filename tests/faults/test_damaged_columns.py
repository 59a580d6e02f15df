"""An undecodable byte in any text column of any table: every operation answers, and `doctor --fix` mends it."""

import shutil
from pathlib import Path

import apsw
import pytest

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.errors import SatchelError
from tests.faults.extent import extent
from tests.faults.filled_store import TEXTS, open_store
from tests.faults.operations import OPERATIONS

# Receipts stay as they are, a chain that was mended would prove nothing; so does the name of a change's receipt.
NOT_MENDED = {"receipts", "receipt_head", "events.receipt"}
# What cannot be answered without the damaged row, before it is mended.
FAILS = {
    "conversations.session_id": {"conversation show", "conversation add"},
    "conversations.scope": {"conversation show", "conversation add"},
}


def text_columns() -> list[str]:
    """Return every text column of the ledger as table.column."""
    ledger = SqliteLedger(None)
    with ledger.database.reading() as db:
        tables = [
            name for (name,) in db.execute("SELECT name FROM sqlite_schema WHERE sql LIKE 'CREATE TABLE%STRICT%'")
        ]
        columns = [
            f"{table}.{name}"
            for table in tables
            for _, name, type, *_ in db.execute(f"PRAGMA table_info({table})").fetchall()
            if type == "TEXT"
        ]
    ledger.close()
    return columns


SHORT = (
    "conversations.session_id",
    "conversations.updated_at",
    "facts.assertion",
    "messages.content",
    "graph_sightings.name",
    "packet_items.text",
    "passages.id",
    "receipts.body",
    "tags.note",
)


def damage(home: Path, table: str, column: str) -> bool:
    """Make a column of the middle row undecodable; False if no row has a value there."""
    connection = apsw.Connection(str(home / "ledger.sqlite3"))
    connection.execute("PRAGMA ignore_check_constraints = ON")
    keys = [name for _, name, _, _, _, part in connection.execute(f"PRAGMA table_info({table})").fetchall() if part]
    named = ", ".join(f'"{key}"' for key in keys or ["rowid"])
    found = connection.execute(f'SELECT {named} FROM {table} WHERE "{column}" IS NOT NULL ORDER BY 1').fetchall()
    if found:
        where = " AND ".join(f'"{key}" = ?' for key in keys or ["rowid"])
        update = f"""UPDATE {table} SET "{column}" = CAST(x'ff' AS TEXT) WHERE {where}"""
        connection.execute(update, found[len(found) // 2])
    connection.close()
    return bool(found)


@pytest.mark.parametrize("place", extent(SHORT, text_columns()))
def test_every_operation_answers(filled: Path, home: Path, place: str) -> None:
    shutil.copytree(filled, home)
    table, column = place.split(".")
    if not damage(home, table, column):
        pytest.skip("no row has a value there")
    failed = set()
    with open_store(home) as store:
        for name, operation in OPERATIONS.items():
            try:
                operation(store)
            except SatchelError as error:
                assert error.code in ("damaged_record", "store_damaged", "not_found"), (name, error.code)
                failed.add(name)
        assert failed <= FAILS.get(place, set())
        for name in FAILS.get(place, set()):
            OPERATIONS[name](store)
        listed = {one.text for one in store.memories.list(limit=100).result.memories}
        findings = {one.check for one in store.maintenance.doctor().result.findings if one.status == "bad"}
    assert len(set(TEXTS) - listed) <= 1
    if NOT_MENDED.isdisjoint({table, place}):
        assert findings == set()
    else:
        assert findings == {"receipts"}
