"""Statements for many rows become one over arrays, or stay as they are."""

from satchel.adapters.postgres.arrays import NUMBERS, TEXTS, array_of
from satchel.adapters.postgres.bulk import bulk_call, bulk_statement
from satchel.domain.record import Trust
from tests.tables import each_case


def test_an_insert_takes_an_array_for_each_column() -> None:
    statement = bulk_statement("INSERT INTO grades (memory_id, grade) VALUES (?, ?)")
    assert statement is not None
    call = bulk_call(statement, [("a", 1), ("b", None)])
    assert call is not None
    assert call.text == (
        "INSERT INTO grades (memory_id, grade) SELECT given.c0, given.c1 "
        "FROM unnest(%s::text[], %s::bigint[]) AS given (c0, c1) "
    )
    assert call.values == [array_of(TEXTS, ["a", "b"]), array_of(NUMBERS, [1, None])]


def test_a_column_without_values_is_null() -> None:
    statement = bulk_statement("UPDATE events SET before = ?, reason = ? WHERE seq = ?")
    assert statement is not None
    call = bulk_call(statement, [(None, "x", 1), (None, "y", 2)])
    assert call is not None
    assert call.text == (
        "UPDATE events SET before = NULL, reason = given.c1 "
        "FROM unnest(%s::text[], %s::bigint[]) AS given (c1, c2) WHERE events.seq = given.c2"
    )


def test_of_rows_with_the_same_key_the_last_one_counts() -> None:
    upsert = "INSERT INTO use (memory_id, recalled) VALUES (?, ?) ON CONFLICT (memory_id) DO UPDATE SET recalled = excluded.recalled"
    statement = bulk_statement(upsert)
    assert statement is not None
    call = bulk_call(statement, [("a", 1), ("b", 2), ("a", 3)])
    assert call is not None and call.values == [array_of(TEXTS, ["a", "b"]), array_of(NUMBERS, [3, 2])]


@each_case(
    "sql",
    [
        "UPDATE tags SET note = ? WHERE name IN (?)",
        "INSERT INTO tags (name, seq) VALUES (?, CAST(? AS INTEGER))",
        "INSERT INTO tags (name) VALUES (?) ON CONFLICT (name) DO UPDATE SET seq = ?",
        "DELETE FROM tags WHERE name = ?",
    ],
)
def test_other_statements_are_run_for_each_row(sql: str) -> None:
    assert bulk_statement(sql) is None


def test_a_column_of_several_types_is_sent_row_by_row() -> None:
    statement = bulk_statement("INSERT INTO tags (name) VALUES (?)")
    assert statement is not None and bulk_call(statement, [("a",), (b"b",)]) is None


def test_enums_and_truth_values_are_sent_as_their_values() -> None:
    statement = bulk_statement("INSERT INTO tags (name, seq) VALUES (?, ?)")
    assert statement is not None
    assert bulk_call(statement, [(Trust.TRUSTED, True), ("b", 2)]) == bulk_call(statement, [("trusted", 1), ("b", 2)])
