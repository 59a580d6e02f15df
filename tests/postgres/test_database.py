"""Transactions of a store in PostgreSQL, and what becomes of errors."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from satchel.adapters.postgres.access import PostgresAccess
from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.errors import InvalidRequest, SatchelError, Unavailable
from tests.adapters.samples import memory, store
from tests.postgres.server import PostgresServer

COUNT = "SELECT count(*) FROM memories"


@pytest.fixture
def ledgers(address: str) -> Iterator[tuple[PostgresLedger, PostgresLedger]]:
    """The same store, as two processes have it open."""
    with (
        closing(PostgresLedger(parse_address(address))) as one,
        closing(PostgresLedger(parse_address(address))) as other,
    ):
        yield one, other


def test_an_optional_write_gives_up_while_another_process_writes(
    ledgers: tuple[PostgresLedger, PostgresLedger],
) -> None:
    one, other = ledgers
    with one.database.writing(), pytest.raises(Unavailable) as refused, other.database.writing(optional=True):
        pass
    assert refused.value.code == "busy"

    # The connection that had to wait serves the next write.
    store(other, memory("a"))
    with one.database.reading() as db:
        assert db.execute(COUNT).get == 1


def test_a_failed_statement_leaves_nothing_of_its_transaction(ledgers: tuple[PostgresLedger, PostgresLedger]) -> None:
    one, other = ledgers
    with pytest.raises(SatchelError) as failed, one.database.writing() as db:
        db.execute("DELETE FROM sequence")
        db.execute("SELECT no_such_column FROM memories").fetchall()
    # A message of the server may quote a record.
    assert failed.value.code == "ledger_error" and "no_such_column" not in failed.value.message

    store(one, memory("a"))
    with other.database.reading() as db:
        assert db.execute(COUNT).get == 1


def test_a_reader_keeps_its_state_while_another_process_writes(
    ledgers: tuple[PostgresLedger, PostgresLedger],
) -> None:
    one, other = ledgers
    with one.database.reading() as db:
        assert db.execute(COUNT).get == 0
        store(other, memory("a"))
        assert db.execute(COUNT).get == 0
    with one.database.reading() as db:
        assert db.execute(COUNT).get == 1


def test_long_lists_of_ids_are_planned_for_the_table_as_it_is(ledgers: tuple[PostgresLedger, PostgresLedger]) -> None:
    one, _ = ledgers
    ids = [f"id-{number}" for number in range(100)]
    with one.database.writing() as db:
        for _ in range(10):
            db.execute(f"SELECT id FROM memories WHERE id IN ({', '.join('?' * len(ids))})", ids).fetchall()
        assert db.execute("SELECT count(*) FROM pg_prepared_statements WHERE statement LIKE '%FROM memories%'").get == 0


def test_a_database_that_cannot_hold_every_text_is_refused(server: PostgresServer) -> None:
    address = server.own_database("latin", "ENCODING 'LATIN1' TEMPLATE template0")
    with pytest.raises(InvalidRequest, match="LATIN1"):
        PostgresLedger(parse_address(address))


def test_texts_are_sent_in_utf8_whatever_the_environment_says(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PGCLIENTENCODING", "LATIN1")
    with closing(PostgresLedger(parse_address(address))) as ledger:
        store(ledger, memory("a", "我们决定"))
        with ledger.database.reading() as db:
            assert db.execute("SELECT text FROM memories").get == "我们决定"


def test_a_user_who_may_make_no_schema_gets_one_from_the_administrator(server: PostgresServer) -> None:
    own = server.own_database("limited")
    with psycopg.connect(server.conninfo.replace("/postgres?", "/limited?"), autocommit=True) as administrator:
        administrator.execute("ALTER DATABASE limited OWNER TO CURRENT_USER")
        administrator.execute("CREATE SCHEMA team AUTHORIZATION limited")
    address = parse_address(f"{own}&schema=team")
    with closing(PostgresAccess(address)) as access:
        access.change(lambda known: known)
    with closing(PostgresLedger(address)) as ledger:
        store(ledger, memory("a"))
