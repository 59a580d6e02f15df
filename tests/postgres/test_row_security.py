"""The database shows a caller nothing of other scopes, even if the application's own filter is broken."""

import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from satchel.adapters.postgres.address import StoreAddress, parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.adapters.postgres.near import differing_bits
from satchel.adapters.postgres.row_security import tables_without_policy
from satchel.core.reach_limit import limited_to
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View
from satchel.domain.words import question_terms
from satchel.errors import SatchelError
from tests.adapters.samples import NOW, erase, memory, store
from tests.postgres.server import PostgresServer, programs

ROOT = Path(__file__).parents[2]
EVERYONE = View(EVERYWHERE, NOW)


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    started = PostgresServer(settings={"fsync": "off"})
    with psycopg.connect(parse_address(started.address("x")).conninfo, autocommit=True) as administrator:
        administrator.execute("CREATE ROLE team LOGIN")
        administrator.execute("GRANT CREATE ON DATABASE postgres TO team")
        administrator.execute("CREATE EXTENSION vector")
    yield started
    started.remove()


@pytest.fixture
def address(server: PostgresServer, request: pytest.FixtureRequest) -> StoreAddress:
    name = f"rows_{abs(hash(request.node.name)) % 10**8}"
    return parse_address(server.address(name).replace("user=satchel", "user=team"))


@pytest.fixture
def ledger(address: StoreAddress) -> Iterator[PostgresLedger]:
    opened = PostgresLedger(address)
    store(
        opened,
        memory("mine", "the walrus of the red team", scope="red"),
        memory("theirs", "the walrus of the blue team", scope="blue"),
    )
    yield opened
    opened.close()


def test_a_limited_caller_sees_its_scope_only_whatever_the_query_asks(ledger: PostgresLedger) -> None:
    with limited_to(["red"]):
        assert [one.id for one in ledger.memories.page(EVERYONE, 10)] == ["mine"]
        assert [one.id for one in ledger.memories.match(question_terms("walrus"), EVERYONE, 10)] == ["mine"]
        assert ledger.memories.count(EVERYONE) == 1
        assert set(ledger.memories.scopes()) == {"red"}
        assert not ledger.memories.contains("blue team", excluding=memory("mine", "x").id)
    assert ledger.memories.count(EVERYONE) == 2


def test_the_filter_of_the_application_may_be_broken(ledger: PostgresLedger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.adapters.sql.where.one_of", lambda column, values: ("true", []))
    view = View(Reach(("red",)), NOW)
    assert ledger.memories.count(view) == 2
    with limited_to(["red"]):
        assert ledger.memories.count(view) == 1
        assert [one.id for one in ledger.memories.page(view, 10)] == ["mine"]


def test_a_limited_caller_cannot_write_into_another_scope(ledger: PostgresLedger) -> None:
    with limited_to(["red"]), pytest.raises(SatchelError):
        store(ledger, memory("more", "put into blue", scope="blue"))
    with limited_to(["red"]):
        assert not erase(ledger, "theirs")
    assert ledger.memories.count(EVERYONE) == 2


def test_a_limited_caller_stores_after_the_rows_that_it_does_not_see(ledger: PostgresLedger) -> None:
    with limited_to(["red"]):
        store(ledger, memory("new", "the harbour of the red team", scope="red"))
    with limited_to(["white"]):
        store(ledger, memory("first", "the harbour of the white team", scope="white"))
    assert {one.id for one in ledger.memories.page(EVERYONE, 10)} == {"mine", "theirs", "new", "first"}


def test_a_limited_caller_weighs_words_as_everybody_does(ledger: PostgresLedger) -> None:
    wanted = ledger.memories.frequencies(["walrus", "red"])
    with limited_to(["red"]):
        assert ledger.memories.frequencies(["walrus", "red"]) == wanted


def test_history_follows_its_memory(ledger: PostgresLedger) -> None:
    with limited_to(["red"]):
        assert ledger.memories.history(memory("mine", "x").id)


def test_a_limit_is_not_widened_within(ledger: PostgresLedger) -> None:
    with limited_to(["red"]), limited_to(["blue", "red"]):
        assert set(ledger.memories.scopes()) == {"red"}


def test_a_connection_that_says_nothing_sees_nothing(ledger: PostgresLedger, address: StoreAddress) -> None:
    with psycopg.connect(address.conninfo) as connection:
        found = connection.execute(f"SELECT count(*) FROM {address.schema}.memories".encode()).fetchone()
    assert found == (0,)


def test_every_table_with_a_scope_has_a_policy(ledger: PostgresLedger) -> None:
    with ledger.database.reading() as db:
        assert not tables_without_policy(db)
    assert [one.status for one in ledger.check_up() if one.check == "row-level security"] == ["ok"]


def test_the_database_of_the_containers_is_made_for_a_user_that_is_bound_by_policies(server: PostgresServer) -> None:
    # The administrator of this server has the name already.
    script = (ROOT / "deploy" / "database.sql").read_text(encoding="utf-8").replace("satchel", "composed")
    subprocess.run(
        [programs() / "psql", "-v", "ON_ERROR_STOP=1", "--no-psqlrc", server.conninfo],
        input=script.encode(),
        env={"SATCHEL_DB_PASSWORD": "it's"},
        check=True,
        capture_output=True,
    )
    address = parse_address(f"postgresql:///composed?host={server.folder}&user=composed&schema=team")
    with closing(PostgresLedger(address)) as opened:
        store(opened, memory("mine"))
        findings = {one.check: one.status for one in opened.check_up()}
        assert findings["row-level security"] == "ok"
        with opened.database.reading() as db:
            assert differing_bits(db) == "{} <~> {}"
