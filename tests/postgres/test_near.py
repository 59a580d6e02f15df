"""Vectors found by their codes are those of an exact comparison, whatever has happened to their records."""

import random
from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from msgspec.structs import replace

from satchel.adapters.postgres import near_stores
from satchel.adapters.postgres.address import StoreAddress, parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.adapters.postgres.near import differing_bits
from satchel.adapters.sql.memories import search
from satchel.adapters.sql.passages.store import SqlPassages
from satchel.domain.embedding import Space, Vector
from satchel.domain.passage import EvidenceLane, Passage, PassageId, PassageView, with_content_hash
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Label, Memory, State, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View
from satchel.ports import Embedded
from tests.adapters.samples import NOW, change, embed, erase, memory, store, unit
from tests.postgres.server import PostgresServer

DIMENSIONS = 16
SPACE = Space("random", DIMENSIONS)
SCOPES = ("red", "blue", "green")


def vector(chance: random.Random) -> Vector:
    return unit(*(chance.gauss(0, 1) for _ in range(DIMENSIONS)))


def some_memory(chance: random.Random, number: int) -> Memory:
    return memory(
        f"m{number}",
        f"note {number}",
        scope=chance.choice(SCOPES),
        trust=chance.choice(list(Trust)),
        label=chance.choice(list(Label)),
        state=chance.choice(list(State)),
        kind=chance.choice(list(Kind)),
        valid_from=chance.choice((None, NOW - 10, NOW + 10)),
        valid_to=chance.choice((None, NOW - 10, NOW + 10)),
        media_refs=chance.choice(((), ("image:a",), ("b.mp3",))),
    )


def some_view(chance: random.Random) -> View:
    return View(
        chance.choice((EVERYWHERE, Reach(("red",)), Reach(("red", "blue")))),
        NOW,
        trusts=tuple(chance.sample(list(Trust), 2)),
        states=tuple(chance.sample(list(State), 3)),
        kinds=tuple(chance.sample(list(Kind), chance.choice((0, 4)))),
        labels=tuple(chance.sample(list(Label), chance.choice((0, 2)))),
        media=chance.choice((None, None, "image", "any")),
        timeless=chance.random() < 0.3,
    )


@pytest.fixture
def ledger(address: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[PostgresLedger]:
    # By codes however few there are.
    monkeypatch.setattr(near_stores, "FEW_VECTORS", -1)
    with closing(PostgresLedger(parse_address(address))) as opened:
        yield opened


def assert_exact(ledger: PostgresLedger, chance: random.Random, views: int = 40) -> None:
    found = 0
    for _ in range(views):
        asked, view = vector(chance), some_view(chance)
        with ledger.database.reading() as db:
            wanted = search.nearest(db, asked, view, 10)
        assert ledger.memories.nearest(asked, view, 10) == wanted
        found += len(wanted)
    assert found > views


def test_codes_know_what_a_view_checks(ledger: PostgresLedger) -> None:
    chance = random.Random(1)
    memories = [some_memory(chance, number) for number in range(300)]
    store(ledger, *memories)
    embed(ledger, {one.id: vector(chance) for one in memories}, SPACE)
    assert_exact(ledger, chance)

    for one in memories[:100]:
        other = some_memory(chance, 0)
        change(
            ledger,
            one,
            trust=other.trust,
            label=other.label,
            state=other.state,
            kind=other.kind,
            valid_to=other.valid_to,
        )
    with ledger.database.writing() as db:
        db.execute("UPDATE memories SET scope = 'blue' WHERE scope = 'green'")
    for one in memories[100:130]:
        erase(ledger, one.id)
    assert_exact(ledger, chance)
    with ledger.database.reading() as db:
        assert db.execute("SELECT count(*) FROM near_vectors").get == 270


def test_the_nearest_of_many_are_found(ledger: PostgresLedger) -> None:
    chance = random.Random(2)
    memories = [memory(f"m{number}", f"note {number}", scope=SCOPES[number % 3]) for number in range(3_000)]
    store(ledger, *memories)
    embed(ledger, {one.id: vector(chance) for one in memories}, SPACE)
    shared = 0
    for _ in range(20):
        asked, view = vector(chance), View(Reach(("red",)), NOW)
        with ledger.database.reading() as db:
            wanted = {one.id for one in search.nearest(db, asked, view, 10)}
        shared += len(wanted & {one.id for one in ledger.memories.nearest(asked, view, 10)})
    assert shared >= 198


def test_a_server_without_pgvector_finds_the_same(server: PostgresServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near_stores, "FEW_VECTORS", -1)
    chance = random.Random(6)
    with closing(PostgresLedger(parse_address(server.own_database("plain")))) as plain:
        memories = [some_memory(chance, number) for number in range(300)]
        store(plain, *memories)
        embed(plain, {one.id: vector(chance) for one in memories}, SPACE)
        with plain.database.reading() as db:
            assert differing_bits(db).startswith("bit_count")
        assert_exact(plain, chance)


def test_a_record_that_is_named_is_compared_too(ledger: PostgresLedger) -> None:
    chance = random.Random(3)
    store(ledger, *(memory(f"m{number}", f"note {number}") for number in range(20)))
    embed(ledger, {f"m{number}": vector(chance) for number in range(20)}, SPACE)
    named = [memory("m7").id]
    found = ledger.memories.nearest(vector(chance), View(EVERYWHERE, NOW), 1, named)
    assert named[0] in {one.id for one in found}
    assert len({one.id for one in found} - set(named)) <= 1


def passage(chance: random.Random, number: int) -> Passage:
    return with_content_hash(
        Passage(
            id=PassageId(f"p{number}"),
            lane=chance.choice(list(EvidenceLane)),
            scope=chance.choice(SCOPES),
            group=chance.choice(("talk", "walk")),
            position=number,
            text=f"passage {number}",
            trust=chance.choice((Trust.TRUSTED, Trust.UNTRUSTED)),
            kind=chance.choice(("said", "written")),
            at=chance.choice((None, 10, 20)),
        )
    )


def test_codes_of_passages_know_what_a_view_checks(ledger: PostgresLedger) -> None:
    chance = random.Random(4)
    passages = [passage(chance, number) for number in range(200)]
    ledger.passages.put(passages, [], Receipt("test", {}))
    ledger.passages.vectors.adopt(SPACE)
    waiting = ledger.passages.vectors.pending(SPACE, 500)
    ledger.passages.vectors.put(SPACE, [Embedded(one.id, one.content_hash, vector(chance)) for one in waiting])
    with ledger.database.writing() as db:
        db.execute("UPDATE passages SET scope = 'blue', trust = 'trusted' WHERE scope = 'green'")
    ledger.passages.put([], [one.id for one in passages[:20]], None)
    exact, found = SqlPassages(ledger.database), 0
    for _ in range(40):
        view = PassageView(
            chance.choice(list(EvidenceLane)),
            chance.choice((EVERYWHERE, Reach(("red",)), Reach(("blue", "red")))),
            trusts=chance.choice(((Trust.TRUSTED,), (Trust.TRUSTED, Trust.UNTRUSTED))),
            groups=chance.choice(((), ("talk",))),
            kinds=chance.choice(((), ("said",))),
            since=chance.choice((None, 15)),
        )
        asked = vector(chance)
        wanted = exact.nearest(asked, view, 5)
        assert ledger.passages.nearest(asked, view, 5) == wanted
        found += len(wanted)
    assert found > 40


def test_a_store_without_codes_gets_them_when_it_is_opened(address: str, ledger: PostgresLedger) -> None:
    chance = random.Random(5)
    store(ledger, *(memory(f"m{number}", f"note {number}") for number in range(2_500)))
    embed(ledger, {f"m{number}": vector(chance) for number in range(2_500)}, SPACE)
    place = parse_address(address)
    before = _codes(place)
    with psycopg.connect(place.conninfo, autocommit=True) as administrator:
        for statement in (
            "DROP TABLE {0}.near_passages",
            "DROP TABLE {0}.near_vectors",
            "CREATE TABLE {0}.near_vectors (old text)",
        ):
            administrator.execute(statement.format(place.schema).encode())
    with closing(PostgresLedger(place)) as opened:
        assert _codes(place) == before and len(before) == 2_500
        assert len(opened.memories.nearest(vector(chance), replace(View(EVERYWHERE, NOW)), 10)) == 10


def _codes(place: StoreAddress) -> list[tuple[object, ...]]:
    with psycopg.connect(place.conninfo) as connection:
        connection.execute("SELECT set_config('satchel.scopes', '*', true)")
        return connection.execute(f"SELECT * FROM {place.schema}.near_vectors ORDER BY row".encode()).fetchall()
