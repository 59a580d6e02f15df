"""Transactions of a store in PostgreSQL, and what becomes of errors."""

from collections.abc import Iterator
from contextlib import closing

import pytest

from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.errors import SatchelError, Unavailable
from tests.adapters.samples import memory, store

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
