"""The counts of words are those of the texts, whatever was written, moved or erased."""

import random
from collections.abc import Iterator
from contextlib import closing

import pytest

from satchel.adapters.postgres import functions
from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.adapters.sql.full_text import MEMORIES as TEXT
from satchel.adapters.sql.full_text import all_full_texts
from satchel.domain.passage import EvidenceLane, Passage, PassageId, with_content_hash
from satchel.domain.receipt import Receipt
from tests.adapters.samples import ALL, change, erase, memory, store

WORDS = ("harbour", "walrus", "user_id", "数据库", "sailing", "x")


@pytest.fixture
def ledger(address: str) -> Iterator[PostgresLedger]:
    with closing(PostgresLedger(parse_address(address))) as opened:
        yield opened


def text(chance: random.Random) -> str:
    return " ".join(chance.choices(WORDS, k=5))


def counts(ledger: PostgresLedger) -> dict[tuple[str, str], int]:
    with ledger.database.reading() as db:
        found = db.execute("SELECT name, word, rows FROM word_counts WHERE rows <> 0").fetchall()
    return {(name, word): rows for name, word, rows in found}


def counted_anew(ledger: PostgresLedger) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    with ledger.database.reading() as db:
        for one in all_full_texts():
            rows = db.execute(f"SELECT word, ndoc FROM ts_stat('SELECT words FROM {one.table}')")
            found.update(((one.table, word), count) for word, count in rows)
    return found


def test_counts_follow_every_change(ledger: PostgresLedger) -> None:
    chance = random.Random(1)
    memories = [memory(f"m{number}", text(chance), scope=chance.choice(("red", "blue"))) for number in range(60)]
    store(ledger, *memories)
    for one in memories[:20]:
        change(ledger, one, text=text(chance))
    for one in memories[20:30]:
        erase(ledger, one.id)
    for one in memories[30:40]:
        change(ledger, one, scope="white")
    with ledger.database.writing() as db:
        db.execute("UPDATE memories SET scope = 'green' WHERE scope = 'blue'")
    passages = [
        with_content_hash(
            Passage(PassageId(f"p{number}"), EvidenceLane.EPISODES, "red", "talk", number, text=text(chance))
        )
        for number in range(10)
    ]
    ledger.passages.put(passages, [], Receipt("test", {}))
    ledger.passages.put([], [passages[0].id], None)
    assert counts(ledger) == counted_anew(ledger)
    assert counts(ledger)["memories_text", "\x01green"] > 0


def test_a_word_of_no_text_is_not_kept(ledger: PostgresLedger) -> None:
    store(ledger, memory("secret", "hunter2"), memory("other", "harbour"))
    erase(ledger, "secret")
    with ledger.database.reading() as db:
        assert db.execute("SELECT count(*) FROM word_counts WHERE word LIKE 'hunter%'").get == 0


def test_texts_indexed_again_are_counted_once(ledger: PostgresLedger) -> None:
    store(ledger, *(memory(f"m{number}", text(random.Random(number))) for number in range(20)))
    before = counts(ledger)
    ledger.rebuild_derived()
    assert counts(ledger) == before == counted_anew(ledger)


def test_a_store_without_counts_gets_them_when_it_is_opened(address: str, ledger: PostgresLedger) -> None:
    store(ledger, *(memory(f"m{number}", text(random.Random(number))) for number in range(20)))
    before = counts(ledger)
    with ledger.database.writing() as db:
        db.execute("DROP TABLE word_counts")
        db.execute("ALTER TABLE memories_text DROP COLUMN usual, DROP COLUMN unusual")
    with closing(PostgresLedger(parse_address(address))) as opened:
        assert counts(opened) == before
        assert opened.memories.match(["walrus"], ALL, 5)


def test_a_store_whose_words_did_not_wait_lets_them(address: str, ledger: PostgresLedger) -> None:
    query = "SELECT count(*) FROM pg_class WHERE relkind = 'i' AND reloptions = ARRAY[CAST(? AS text)]"
    with ledger.database.writing() as db:
        wanted = db.execute(query, ("gin_pending_list_limit=64",)).get
        db.execute("ALTER INDEX memories_text_words_idx RESET (gin_pending_list_limit)")
        db.execute("ALTER INDEX memories_text_words_idx SET (fastupdate = off)")
    with ledger.database.reading():
        # Nobody waits for this reader.
        PostgresLedger(parse_address(address)).close()
    with closing(PostgresLedger(parse_address(address))) as opened, opened.database.reading() as db:
        assert db.execute(query, ("gin_pending_list_limit=64",)).get == wanted
        assert db.execute(query, ("fastupdate=off",)).get == 0


def test_a_large_scope_is_searched_by_the_rarest_words_that_it_has(ledger: PostgresLedger) -> None:
    def found(terms: list[str], scopes: list[str]) -> set[int]:
        rows = db.execute(f"SELECT found.row FROM {db.matches(TEXT)} AS found", (db.match_value(terms, scopes),))
        return {row for (row,) in rows}

    with ledger.database.writing() as db:
        for function in functions.WORD_FUNCTIONS:
            few = function.replace(str(functions.MAX_SCORED), "30").replace(str(functions.ENOUGH_SCORED), "5")
            db.execute(few)
        for number in range(1, 201):
            words = ("harbour " if number % 2 else "") + ("walrus" if number % 20 == 0 else "note")
            db.add_words(TEXT, [(number, ("", words, ""), f"team/{number % 2}")])
        rare = set(range(20, 201, 20))
        assert found(["harbour", "walrus"], ["team/0", "team/1"]) == rare
        # The rare word is only in the other scope. Of the common one, the newest texts are scored.
        assert found(["harbour", "walrus"], ["team/1"]) == set(range(141, 201, 2))
