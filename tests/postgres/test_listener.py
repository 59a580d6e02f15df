"""Every listener hears of a write, also after a lost connection."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest

from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.adapters.postgres.listener import Listener, channel_of
from tests.adapters.samples import memory, store
from tests.postgres.server import PostgresServer

LONG = 60.0


@pytest.fixture
def ledger(address: str) -> Iterator[PostgresLedger]:
    with closing(PostgresLedger(parse_address(address))) as opened:
        yield opened


@pytest.fixture
def listener(ledger: PostgresLedger, address: str) -> Iterator[Listener]:
    with closing(Listener(parse_address(address))) as listening:
        assert listening.wait(0), "what was written before it listened"
        yield listening


def test_a_write_is_heard_once_however_many_there_were(ledger: PostgresLedger, listener: Listener) -> None:
    assert not listener.wait(0)
    store(ledger, memory("a"))
    store(ledger, memory("b"))
    assert listener.wait(LONG)
    assert not listener.wait(0)


def test_what_is_only_noted_by_a_read_is_not_heard(ledger: PostgresLedger, listener: Listener) -> None:
    with ledger.database.writing(optional=True) as db:
        db.execute("SELECT 1")
    with ledger.database.reading() as db:
        db.execute("SELECT 1")
    assert not listener.wait(0)


def test_a_write_that_fails_is_not_heard(ledger: PostgresLedger, listener: Listener) -> None:
    with pytest.raises(ZeroDivisionError), ledger.database.writing():
        raise ZeroDivisionError
    assert not listener.wait(0)


def test_stores_of_one_database_do_not_wake_each_other(
    server: PostgresServer, ledger: PostgresLedger, listener: Listener
) -> None:
    with closing(PostgresLedger(parse_address(server.address("another")))) as other:
        store(other, memory("a"))
    assert not listener.wait(0)


def test_a_lost_connection_is_made_again_and_nothing_is_missed(
    server: PostgresServer, ledger: PostgresLedger, listener: Listener
) -> None:
    with psycopg.connect(server.conninfo, autocommit=True) as administrator:
        administrator.execute(
            "SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity WHERE application_name = 'satchel-listener'"
        )
    store(ledger, memory("a"))
    assert listener.wait(0), "it cannot know, so it looks"
    assert listener.wait(0), "connected again"
    assert not listener.wait(0)
    store(ledger, memory("b"))
    assert listener.wait(LONG)


def test_the_name_of_a_channel_fits() -> None:
    assert len(channel_of("s" * 63)) == 63
