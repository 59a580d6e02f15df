"""Many rows written at once are the rows that were given."""

from contextlib import closing

from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from tests.adapters.samples import HOSTILE

COLUMNS = "number INTEGER, word TEXT, share REAL, bytes BLOB"
INSERT = "INSERT INTO rows (number, word, share, bytes) VALUES (?, ?, ?, ?)"


def test_rows_written_together_are_those_written_one_by_one(address: str) -> None:
    given = [
        (place, None if place % 7 == 0 else word.replace("\0", " "), (None, 0.1, 3, float("inf"))[place % 4], word.encode()[:50] or None)
        for place, word in enumerate([*HOSTILE, "", "{}", "{a,b}", "NULL", '\\"', "a\\"])
    ]  # fmt: skip
    with closing(PostgresLedger(parse_address(address))) as ledger, ledger.database.writing() as db:
        for table in ("rows", "singly"):
            db.execute(f"CREATE TABLE {table} ({COLUMNS})")
        db.executemany(INSERT, given)
        for row in given:
            db.execute(INSERT.replace("rows", "singly"), row)
        compared = "SELECT count(*) FROM (SELECT * FROM rows INTERSECT ALL SELECT * FROM singly) AS same"
        assert db.execute(compared).get == len(given)

        changes = [(f"{word}!" if word else None, number) for number, word, _, _ in given]
        db.executemany("UPDATE rows SET word = ? WHERE number = ?", [("replaced", 1), *changes])
        found = db.execute("SELECT word, number FROM rows ORDER BY number").fetchall()
        assert found == changes


def test_a_row_given_twice_keeps_its_last_values(address: str) -> None:
    upsert = "INSERT INTO rows (number, word) VALUES (?, ?) ON CONFLICT (number) DO UPDATE SET word = excluded.word"
    with closing(PostgresLedger(parse_address(address))) as ledger, ledger.database.writing() as db:
        db.execute("CREATE TABLE rows (number INTEGER PRIMARY KEY, word TEXT)")
        db.executemany(upsert, [(number % 3, f"word {number}") for number in range(9)])
        assert db.execute("SELECT word FROM rows ORDER BY number").fetchall() == [("word 6",), ("word 7",), ("word 8",)]
