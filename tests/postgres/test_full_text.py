"""Full text in PostgreSQL finds what FTS5 finds, with the same scores in the same order."""

import random
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import NamedTuple

import pytest

from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger
from satchel.adapters.sql.engine import Connection
from satchel.adapters.sql.full_text import MEMORIES as TEXT
from satchel.adapters.sql.sql_ledger import SqlLedger
from satchel.domain.words import question_terms, segment
from tests.postgres.plugin import IN_A_FILE

TEXTS = 400
QUESTIONS = 50
ENGLISH = (
    "harbour", "harbours", "sailing", "sailed", "sails", "walrus", "walruses", "connect", "connection", "connected", "café",
    "cafe", "naïve", "RUNNING", "runs", "ran", "the", "of", "a", "it's", "3.14", "v2", "HTTPServer", "server-side", "Straße",
)  # fmt: skip
CHINESE = ("数据库", "数据", "服务器", "我们决定使用", "缓存失效", "苹果香蕉", "北京", "。")
IDENTIFIERS = (
    "max_retry_count",
    "retry_count",
    "count",
    "open_ledger",
    "_private",
    "a_b_a_b",
    "a_b",
    "snake__case",
    "x",
)
# A word too long for PostgreSQL, another that starts like it, and a long row of characters.
LONG = ("w" * 300, "w" * 300 + "v", "".join(map(chr, range(0x4E00, 0x4E00 + 300))))


class Row(NamedTuple):
    title: str
    body: str
    labels: str

    @property
    def words(self) -> tuple[str, str, str]:
        return segment(self.title), segment(self.body), segment(self.labels)


def phrase(chance: random.Random, longest: int) -> str:
    pools = chance.choices((ENGLISH, CHINESE, IDENTIFIERS, LONG), weights=(10, 4, 5, 1), k=chance.randint(0, longest))
    # Few words are common and many are rare, as in a language.
    return " ".join(pool[int(len(pool) * chance.random() ** 2)] for pool in pools)


def text(chance: random.Random) -> Row:
    return Row(phrase(chance, 4), phrase(chance, 40), phrase(chance, 3))


@contextmanager
def writing(ledger: SqlLedger) -> Iterator[Connection]:
    with ledger.database.writing() as db:
        yield db


def fill(db: Connection, seed: int) -> None:
    """Index texts, then remove and reword some of them."""
    chance = random.Random(seed)
    rows = {number: text(chance) for number in range(1, TEXTS + 1)}
    for number, row in rows.items():
        db.add_words(TEXT, [(number, row.words, "global")])
    for number in chance.sample(sorted(rows), TEXTS // 4):
        db.remove_words(TEXT, number, rows[number].words)
        if number % 2:
            db.add_words(TEXT, [(number, text(chance).words, "global")])


def questions(seed: int) -> list[list[str]]:
    chance = random.Random(-seed)
    asked = [phrase(chance, 5) for _ in range(QUESTIONS)]
    # As recall asks, and each word as it stands, which can be a phrase of several.
    return [terms for one in asked for terms in ([*question_terms(one)], one.split()) if terms]


def found(db: Connection, terms: list[str]) -> list[tuple[int, float]]:
    query = f"SELECT found.row, found.score FROM {db.matches(TEXT)} AS found ORDER BY found.score DESC, found.row"
    return [(int(row), float(score)) for row, score in db.execute(query, (db.match_value(terms),))]


@pytest.mark.parametrize("seed", range(1, 4))
def test_postgresql_finds_and_scores_as_fts5_does(seed: int, address: str) -> None:
    with (
        closing(IN_A_FILE()) as file,
        closing(PostgresLedger(parse_address(address))) as server,
        writing(file) as expected,
        writing(server) as got,
    ):
        fill(expected, seed)
        fill(got, seed)
        compared = 0
        for terms in questions(seed):
            wanted, answer = found(expected, terms), found(got, terms)
            assert [row for row, _ in answer] == [row for row, _ in wanted], terms
            assert [score for _, score in answer] == pytest.approx([score for _, score in wanted], abs=1e-9), terms
            assert got.count_matches(TEXT, terms) == expected.count_matches(TEXT, terms)
            compared += len(wanted)
        assert compared > TEXTS
        assert got.count_indexed(TEXT) == expected.count_indexed(TEXT)


def test_a_question_is_narrowed_to_its_scopes_before_the_limit(address: str) -> None:
    with closing(PostgresLedger(parse_address(address))) as server, writing(server) as db:
        for number in range(1, 21):
            db.add_words(TEXT, [(number, ("", "walrus", ""), f"team/{number % 2}" + "x" * 3000)])
        query = f"SELECT found.row FROM {db.matches(TEXT)} AS found ORDER BY 1"
        asked = db.match_value(["walrus"], ["team/1" + "x" * 3000])
        assert [row for (row,) in db.execute(query, (asked,))] == [*range(1, 21, 2)]
