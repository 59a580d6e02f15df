"""A real replica answers recalls while it is fresh enough, and nothing else: its bound is kept, and so are scopes."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest

from satchel.adapters.postgres.database import PostgresDatabase
from satchel.app import Satchel
from satchel.config import load
from satchel.core.caller import working_for
from satchel.core.reach_limit import limited_to
from satchel.domain.envelope import Ok
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import View
from satchel.recall.values import Recalled
from tests.adapters.samples import NOW
from tests.postgres.server import PostgresServer

SCHEMA = "replicated"
HOUR = 3_600.0


@pytest.fixture(scope="module")
def primary() -> Iterator[PostgresServer]:
    started = PostgresServer(settings={"fsync": "off"})
    with psycopg.connect(started.conninfo, autocommit=True) as administrator:
        administrator.execute("CREATE EXTENSION vector")
        # Row-level security does not bind a superuser.
        administrator.execute("CREATE ROLE team LOGIN")
        administrator.execute("GRANT CREATE ON DATABASE postgres TO team")
    yield started
    started.remove()


@pytest.fixture(scope="module")
def replica(primary: PostgresServer) -> Iterator[PostgresServer]:
    with primary.replica() as started:
        yield started


@contextmanager
def opened(
    home: Path, primary: PostgresServer, replica: PostgresServer, schema: str, max_lag: float = HOUR
) -> Iterator[Satchel]:
    address, copy = (one.address(schema).replace("user=satchel", "user=team") for one in (primary, replica))
    settings = load(
        home=str(home),
        ledger=address,
        embedding={"provider": "hashing"},
        replicas={"addresses": [copy], "max_lag_seconds": max_lag},
    )
    with Satchel.open(settings=settings) as memory:
        yield memory


@pytest.fixture
def memory(
    primary: PostgresServer, replica: PostgresServer, tmp_path: Path, request: pytest.FixtureRequest
) -> Iterator[Satchel]:
    number = [one.name for one in request.session.items].index(request.node.name)
    with opened(tmp_path, primary, replica, f"replicated_{number}") as found:
        yield found


@pytest.fixture
def paused(replica: PostgresServer) -> Iterator[None]:
    """Let the replica fall behind: it goes on answering, from the state that it has."""
    yield
    _replay(replica, "pg_wal_replay_resume")


def _replay(replica: PostgresServer, function: str) -> None:
    with psycopg.connect(replica.conninfo, autocommit=True) as administrator:
        administrator.execute(f"SELECT {function}()".encode())


def pause(replica: PostgresServer) -> None:
    """Stop replaying, and wait until it has."""
    _replay(replica, "pg_wal_replay_pause")
    query = "SELECT pg_get_wal_replay_pause_state()"
    with psycopg.connect(replica.conninfo, autocommit=True) as administrator:
        while administrator.execute(query).fetchone() != ("paused",):
            administrator.execute("SELECT pg_sleep(0.02)")


def catch_up(primary: PostgresServer, replica: PostgresServer) -> None:
    """Wait until the replica has everything that the primary has."""
    with psycopg.connect(primary.conninfo, autocommit=True) as one:
        (end,) = one.execute("SELECT pg_current_wal_flush_lsn()").fetchone() or (None,)
    query = "SELECT pg_last_wal_replay_lsn() >= %s::pg_lsn"
    with psycopg.connect(replica.conninfo, autocommit=True) as other:
        while other.execute(query, (end,)).fetchone() != (True,):
            other.execute("SELECT pg_sleep(0.02)")


def reads(answer: Ok[Recalled]) -> Any:
    return answer.receipt.considered["reads"]


def texts(answer: Ok[Recalled]) -> list[str]:
    return [hit.memory.text for hit in answer.result.hits]


def database_of(memory: Satchel) -> PostgresDatabase:
    found = memory.parts.ledger.database  # type: ignore[attr-defined]
    assert isinstance(found, PostgresDatabase)
    return found


def test_a_replica_answers_and_the_receipt_says_so(
    memory: Satchel, primary: PostgresServer, replica: PostgresServer
) -> None:
    memory.store("The walrus lives in the harbour")
    memory.maintenance.index_build()
    catch_up(primary, replica)
    answer = memory.recall("where is the walrus?")
    assert texts(answer) == ["The walrus lives in the harbour"]
    assert reads(answer) == {"source": "replica", "max_lag_seconds": HOUR, "reason": ""}
    assert answer.receipt.kept
    said = memory.explaining.why(answer.receipt.digest).result
    assert "answered by a replica that was at most 3600 seconds behind" in str(said)


def test_a_caller_sees_its_own_write_and_another_sees_it_within_the_bound(
    memory: Satchel, primary: PostgresServer, replica: PostgresServer, paused: None
) -> None:
    catch_up(primary, replica)
    memory.recall("anything")  # notes the position of the primary that the replica has
    pause(replica)
    with working_for("user:anna/laptop"):
        memory.store("The walrus lives in the harbour")
        own = memory.recall("where is the walrus?")
        assert texts(own) == ["The walrus lives in the harbour"]
        assert (reads(own)["source"], reads(own)["reason"]) == ("primary", "own_write")
    with working_for("user:ben/laptop"):
        other = memory.recall("where is the walrus?")
        assert (texts(other), reads(other)["source"]) == ([], "replica")


def test_what_was_forgotten_is_not_served_beyond_the_bound(
    memory: Satchel, primary: PostgresServer, replica: PostgresServer, paused: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The clock of the bound is moved instead of waited for."""
    kept = memory.store("The walrus lives in the harbour").result.id
    catch_up(primary, replica)
    memory.recall("anything")
    pause(replica)
    memory.forget(kept)
    with working_for("user:ben/laptop"):
        within = memory.recall("where is the walrus?")
        assert (texts(within), reads(within)["source"]) == (["The walrus lives in the harbour"], "replica")
        replicas = database_of(memory).replicas
        late = replicas._ticks() + HOUR + 1
        monkeypatch.setattr(replicas, "_ticks", lambda: late)
        beyond = memory.recall("where is the walrus?")
    assert texts(beyond) == []
    assert reads(beyond) == {"source": "primary", "max_lag_seconds": HOUR, "reason": "behind"}


def test_a_replica_is_used_again_once_it_has_caught_up(
    memory: Satchel, primary: PostgresServer, replica: PostgresServer, paused: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    catch_up(primary, replica)
    pause(replica)
    memory.store("The walrus lives in the harbour")
    replicas = database_of(memory).replicas
    late = replicas._ticks() + HOUR + 1
    monkeypatch.setattr(replicas, "_ticks", lambda: late)
    assert reads(memory.recall("walrus"))["source"] == "primary"
    _replay(replica, "pg_wal_replay_resume")
    catch_up(primary, replica)
    again = memory.recall("walrus")
    assert (texts(again), reads(again)["source"]) == (["The walrus lives in the harbour"], "replica")


def test_scopes_hold_on_a_replica_even_if_the_filter_is_broken(
    memory: Satchel, primary: PostgresServer, replica: PostgresServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.store("The walrus of the red team", scope="red")
    memory.store("The walrus of the blue team", scope="blue")
    memory.maintenance.index_build()
    catch_up(primary, replica)
    with limited_to(["red"]):
        monkeypatch.setattr("satchel.adapters.sql.where.one_of", lambda column, values: ("true", []))
        ledger = memory.parts.ledger
        counted, used = ledger.read_from_replica(lambda: ledger.memories.count(View(EVERYWHERE, NOW)))
        answer = memory.recall("walrus", scope="red", limit=10)
    assert (counted, used and used.source) == (1, "replica")
    assert (texts(answer), reads(answer)["source"]) == (["The walrus of the red team"], "replica")


def test_a_recall_from_a_replica_embeds_nothing(
    memory: Satchel, primary: PostgresServer, replica: PostgresServer
) -> None:
    memory.store("The walrus lives in the harbour")
    catch_up(primary, replica)
    answer = memory.recall("walrus")
    assert (reads(answer)["source"], answer.receipt.considered["embeddings_waiting"]) == ("replica", 1)
    assert memory.parts.ledger.vectors.backlog(None) == (1, 0)


def test_other_reads_and_the_past_come_from_the_primary(
    memory: Satchel, primary: PostgresServer, replica: PostgresServer, paused: None
) -> None:
    pause(replica)
    kept = memory.store("The walrus lives in the harbour").result.id
    assert memory.get(kept).result.memory.text == "The walrus lives in the harbour"
    seq = memory.parts.ledger.feed.tip()
    assert texts(memory.recall("walrus", as_of=seq)) == ["The walrus lives in the harbour"]


def test_a_server_that_is_no_replica_or_does_not_answer_is_not_used(primary: PostgresServer, tmp_path: Path) -> None:
    with opened(tmp_path / "one", primary, primary, "alone") as memory:
        memory.store("The walrus lives in the harbour")
        assert reads(memory.recall("walrus"))["reason"] == "behind"
        findings = {one.check: one.status for one in memory.parts.ledger.check_up()}
        assert findings["replica"] == "warning"
    gone = PostgresServer(settings={"fsync": "off"})
    gone.remove()
    with opened(tmp_path / "two", primary, gone, "alone") as memory:
        answer = memory.recall("walrus")
        assert (texts(answer), reads(answer)["reason"]) == (["The walrus lives in the harbour"], "unreachable")


def test_what_a_replica_fails_to_answer_the_primary_does(
    memory: Satchel, primary: PostgresServer, replica: PostgresServer, paused: None
) -> None:
    catch_up(primary, replica)
    memory.recall("anything")
    pause(replica)
    database = database_of(memory)
    # The replica does not have this table yet.
    with database.writing(optional=True) as db:
        db.execute("CREATE TABLE later (value INTEGER)")

    def read() -> int:
        with database.reading() as db:
            return int(db.execute("SELECT count(*) FROM later").get)

    counted, used = database.read_from_replica(read)
    assert (counted, used and used.reason) == (0, "failed")
    assert reads(memory.recall("anything"))["reason"] == "unreachable", "it is left alone for a while"


def test_doctor_names_the_replica(memory: Satchel) -> None:
    (finding,) = [one for one in memory.parts.ledger.check_up() if one.check == "replica"]
    assert (finding.status, "answers recalls while it is at most 3600 s behind" in finding.message) == ("ok", True)
