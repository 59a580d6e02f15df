"""How Citus could spread the tables of a real store."""

from collections.abc import Iterator
from contextlib import closing

import psycopg
import pytest
from bench.placement import DISTRIBUTED, LOCAL, REFERENCE, Report, check_store, lines, read_tables

from satchel.adapters.postgres.address import parse_address
from satchel.adapters.postgres.ledger import PostgresLedger


@pytest.fixture
def connection(address: str) -> Iterator[psycopg.Connection[tuple[object, ...]]]:
    with closing(PostgresLedger(parse_address(address))), psycopg.connect(parse_address(address).conninfo) as opened:
        yield opened


@pytest.fixture
def report(address: str, connection: psycopg.Connection[tuple[object, ...]]) -> Report:
    return check_store(connection, parse_address(address))


def test_a_store_can_be_distributed_as_a_schema(report: Report) -> None:
    assert report.schema_problems == ()
    assert report.triggers > 0
    assert "the schema as a whole: yes" in lines(report)[-1]


def test_every_table_has_a_place_and_a_reason(report: Report) -> None:
    by_kind: dict[str, set[str]] = {}
    for one in report.placements:
        assert one.reason
        by_kind.setdefault(one.kind, set()).add(one.table)
    assert by_kind[DISTRIBUTED] >= {"documents", "document_collections", "documents_forgotten", "scope_seeds"}
    assert by_kind[REFERENCE] == {"spaces", "full_text_sizes", "word_counts", "store_version"}
    assert {"memories", "vectors", "receipts"} <= by_kind[LOCAL]


def test_the_keys_of_codes_have_the_scope(address: str, connection: psycopg.Connection[tuple[object, ...]]) -> None:
    tables = read_tables(connection, parse_address(address).schema)
    for name in ("near_vectors", "near_passages"):
        assert tables[name].unique and all("scope" in columns for columns in tables[name].unique)
