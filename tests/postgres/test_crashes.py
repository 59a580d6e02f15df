"""A crash of the server while a process writes: what was acknowledged is there, once, and the receipts verify."""

import random
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import psycopg
import pytest

from satchel.adapters.postgres import database
from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.app import Satchel
from satchel.config import load
from satchel.errors import Unavailable
from tests.postgres.server import PostgresServer
from tests.postgres.writer import text_of

CRASHES = 10
SCHEMA = "crashes"


@pytest.fixture
def primary() -> Iterator[PostgresServer]:
    """A server of its own, with the durability that a team's server has."""
    started = PostgresServer()
    yield started
    started.remove()


class Writer:
    """A process that writes, and what the store has acknowledged to it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self._process = process
        self.acknowledged: list[int] = []

    def await_writes(self, count: int) -> None:
        """Wait until the store has acknowledged some more writes."""
        assert self._process.stdout is not None
        for _ in range(count):
            line = self._process.stdout.readline()
            assert line, "the writer has ended"
            self.acknowledged.append(int(line))

    def finish(self) -> None:
        """Stop the process in the middle of its work and take what it has printed."""
        self._process.kill()
        printed, _ = self._process.communicate()
        # Of a line that is cut off nothing is known.
        self.acknowledged += map(int, printed.splitlines(keepends=True)[: printed.count("\n")])


@contextmanager
def writing(home: Path, address: str) -> Iterator[Writer]:
    command = [sys.executable, "-m", "tests.postgres.writer", str(home), address]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield Writer(process)
        finally:
            process.kill()


def check_store(home: Path, address: str, acknowledged: list[int]) -> None:
    """Check that every acknowledged write is there, each write once, and the chain of receipts intact."""
    with Satchel.open(settings=load(home=str(home), ledger=address)) as memory:
        with memory.parts.ledger.database.reading() as db:  # type: ignore[attr-defined]
            stored = Counter(text for (text,) in db.execute("SELECT text FROM memories"))
        assert not [number for number in acknowledged if text_of(number) not in stored]
        # The process is ahead of what it has printed by one write at most.
        assert {*stored} <= {text_of(number) for number in range(len(acknowledged) + 1)}
        assert {*stored.values()} == {1}
        assert memory.parts.ledger.receipts.verify().broken_at is None
        assert "bad" not in {one.status for one in memory.parts.ledger.check_up()}


def test_crashes_of_the_server_lose_no_acknowledged_write(primary: PostgresServer, tmp_path: Path) -> None:
    chance = random.Random(7)
    address = primary.address(SCHEMA)
    with writing(tmp_path / "writer", address) as writer:
        for _ in range(CRASHES):
            writer.await_writes(chance.randint(1, 15))
            primary.stop("immediate")
            primary.start()
        writer.await_writes(5)
        writer.finish()
    assert writer.acknowledged == [*range(len(writer.acknowledged))]
    check_store(tmp_path / "reader", address, writer.acknowledged)


def test_a_promoted_replica_has_every_acknowledged_write(primary: PostgresServer, tmp_path: Path) -> None:
    with primary.replica() as replica:
        replicate_synchronously(primary)
        address = primary.address(SCHEMA, replica)
        with writing(tmp_path / "writer", address) as writer:
            writer.await_writes(30)
            primary.stop("immediate")
            replica.promote()
            writer.await_writes(30)
            writer.finish()
        assert writer.acknowledged == [*range(len(writer.acknowledged))]
        check_store(tmp_path / "reader", replica.address(SCHEMA), writer.acknowledged)


def replicate_synchronously(primary: PostgresServer) -> None:
    """Let a commit wait until the replica has it on disk, and wait for the replica to follow."""
    with psycopg.connect(primary.conninfo, autocommit=True) as administrator:
        administrator.execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        administrator.execute("SELECT pg_reload_conf()")
        query = "SELECT sync_state FROM pg_stat_replication"
        while [state for (state,) in administrator.execute(query)] != ["sync"]:
            administrator.execute("SELECT pg_sleep(0.05)")


def test_one_call_fails_after_a_restart_whatever_connections_were_idle(primary: PostgresServer) -> None:
    with closing(PostgresLedger(parse_address(primary.address(SCHEMA)))) as ledger:
        with ledger.database.snapshot(), ledger.database.snapshot(), ledger.database.snapshot():
            pass
        primary.stop("immediate")
        primary.start()
        with pytest.raises(Unavailable):
            ledger.memories.scopes()
        for _ in range(5):
            assert not ledger.memories.scopes()


def test_a_server_that_comes_back_after_a_while_is_used_at_once(
    primary: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(PostgresLedger(parse_address(primary.address(SCHEMA)))) as ledger:
        primary.stop("immediate")
        monkeypatch.setattr(database, "CONNECT_SECONDS", 1.0)
        for _ in range(9):
            with pytest.raises(Unavailable):
                ledger.memories.scopes()
        primary.start()
        monkeypatch.setattr(database, "CONNECT_SECONDS", 5.0)
        assert not ledger.memories.scopes()
