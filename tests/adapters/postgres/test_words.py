"""Words for PostgreSQL: the stems of SQLite's tokenizer, as the text of a tsvector."""

import json

import apsw
from hypothesis import given
from hypothesis import strategies as st

from satchel.adapters.postgres.words import indexed_text, question, tokens
from satchel.adapters.sql.full_text import TOKENIZER


def test_words_are_told_apart_as_in_sqlite() -> None:
    assert tokens("Running user_id, Café's 中文") == ["run", "user", "id", "cafe", "s", "中文"]


def test_each_word_has_its_places_and_its_column() -> None:
    indexed = indexed_text(("red door", "red"), "team", (2.0, 1.0))
    assert indexed.vector == "'red':1A,4B 'door':2A '\x01team'"
    assert indexed.length == 3
    assert indexed.words == ("red", "door", "\x01team")
    assert (indexed.usual, indexed.unusual) == (2.0, {"red": 3.0})


def test_quotes_are_no_syntax() -> None:
    assert indexed_text(("it's",), "a'b", (1.0,)).vector == "'it':1A 's':2A '\x01a''b'"
    assert json.loads(question(["user_id"], ["a'b", "c"])) == {
        "terms": [{"tokens": ["user", "id"], "query": "'user' <-> 'id'"}],
        "within": "'\x01a''b' | '\x01c'",
        "scopes": ["\x01a'b", "\x01c"],
    }


def test_a_term_without_words_finds_nothing() -> None:
    assert json.loads(question(["!?", ""], None)) == {"terms": [], "within": None, "scopes": None}


@given(text=st.text(max_size=80))
def test_every_text_has_the_words_that_sqlite_finds(text: str) -> None:
    db = apsw.Connection(":memory:")
    db.execute(f"CREATE VIRTUAL TABLE t USING fts5 (a, content = '', tokenize = '{' '.join(TOKENIZER)}')")
    db.execute("INSERT INTO t (rowid, a) VALUES (1, ?)", (text.replace("\0", " "),))
    db.execute("CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)")
    found = [term for (term,) in db.execute("SELECT term FROM v ORDER BY offset")]
    assert tokens(text) == found
