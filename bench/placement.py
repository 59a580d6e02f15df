"""Says how Citus could spread the tables of a store, by its documented rules: python -m bench.placement ADDRESS

Reads the catalogue of a store in PostgreSQL. Two ways are checked. By scope, with `create_distributed_table`: every primary
key and unique index has the scope, and foreign keys are between such tables with the scope on both sides, or to reference
tables. By schema, with `citus_schema_distribute`: a whole store is on one server, and several stores are spread.
"""

import sys
from collections.abc import Mapping, Sequence
from typing import Any

import psycopg
from msgspec import Struct

from satchel.adapters.postgres.address import StoreAddress, parse_address
from satchel.errors import SatchelError

COLUMN = "scope"
DISTRIBUTED, REFERENCE, LOCAL = "distributed by scope", "reference table", "local"
# Small tables without a scope that every server would need a copy of.
EVERYWHERE = {
    "spaces": "the embedding models in use",
    "full_text_sizes": "what scores of words are computed from",
    "word_counts": "what scores of words are computed from",
    "store_version": "the number of the schema",
}
# Tables of the whole store.
WHOLE_STORE = {
    "sequence": "one order of all changes of a store",
    "passage_sequence": "one order of all changes of its passages",
    "graph_revision": "one number for the whole graph",
    "receipts": "one chain over all scopes",
    "receipt_head": "the end of that chain",
    "tags": "a name for a state of the whole store",
    "spool_cursors": "how far each machine's events were read",
    "scope_moves": "a move has two scopes",
    "moved_records": "a move has two scopes",
    "access_list": "users and tokens of the whole store",
}


class Placement(Struct, frozen=True):
    """Where Citus could put a table, and why."""

    table: str
    kind: str
    reason: str


class ForeignKey(Struct, frozen=True):
    """A foreign key, with its columns in order."""

    target: str
    columns: tuple[str, ...]
    target_columns: tuple[str, ...]
    same_schema: bool


class Table(Struct, frozen=True):
    """What the rules ask about a table."""

    name: str
    columns: tuple[str, ...]
    unique: tuple[tuple[str, ...], ...]
    """The columns of its primary key and of each unique index."""
    foreign_keys: tuple[ForeignKey, ...]
    triggers: int
    small_numbers: bool
    """Whether a numbered column is smaller than bigint."""


class Report(Struct, frozen=True):
    """How a store could be spread."""

    placements: tuple[Placement, ...]
    schema_problems: tuple[str, ...]
    """What keeps the schema as a whole from being distributed."""
    triggers: int
    """Its triggers, for which `citus.enable_unsafe_triggers` must be on."""


def check_store(connection: psycopg.Connection[Any], address: StoreAddress) -> Report:
    """Read the catalogue of a store and apply the rules."""
    tables = read_tables(connection, address.schema)
    problems = [f"{one.name} has a numbered column that is no bigint" for one in tables.values() if one.small_numbers]
    problems += [
        f"{one.name} refers to a table of another schema"
        for one in tables.values()
        if not all(key.same_schema for key in one.foreign_keys)
    ]
    return Report(tuple(place(tables)), tuple(problems), sum(one.triggers for one in tables.values()))


def place(tables: Mapping[str, Table]) -> list[Placement]:
    """Apply the rules of `create_distributed_table` and `create_reference_table` until nothing changes any more."""
    found = {name: _place_alone(one) for name, one in sorted(tables.items())}
    while True:
        changed = {name: _place_keys(tables[name], one, found) for name, one in found.items()}
        if changed == found:
            return [*found.values()]
        found = changed


def _place_alone(table: Table) -> Placement:
    if table.name in EVERYWHERE:
        return Placement(table.name, REFERENCE, EVERYWHERE[table.name])
    if table.name in WHOLE_STORE:
        return Placement(table.name, LOCAL, WHOLE_STORE[table.name])
    if COLUMN not in table.columns:
        return Placement(table.name, LOCAL, "no column scope: its rows belong to those of another table")
    if without := [columns for columns in table.unique if COLUMN not in columns]:
        keys = ", ".join(f"({', '.join(columns)})" for columns in without)
        return Placement(table.name, LOCAL, f"unique without the scope: {keys}")
    return Placement(table.name, DISTRIBUTED, "every key has the scope")


def _place_keys(table: Table, placement: Placement, found: Mapping[str, Placement]) -> Placement:
    if placement.kind == LOCAL:
        return placement
    for key in table.foreign_keys:
        target = found[key.target].kind if key.target in found else LOCAL
        if target == REFERENCE or (target == DISTRIBUTED == placement.kind and _shares_scope(key)):
            continue
        return Placement(table.name, LOCAL, f"refers to {key.target}, which is {target}")
    return placement


def _shares_scope(key: ForeignKey) -> bool:
    return (COLUMN, COLUMN) in zip(key.columns, key.target_columns, strict=True)


def read_tables(connection: psycopg.Connection[Any], schema: str) -> dict[str, Table]:
    """Read the tables of a schema from the catalogue."""
    keys: dict[str, list[ForeignKey]] = {}
    for name, target, columns, target_columns, same in connection.execute(_FOREIGN_KEYS, (schema,)):
        keys.setdefault(name, []).append(ForeignKey(target, tuple(columns), tuple(target_columns), same))
    unique: dict[str, list[tuple[str, ...]]] = {}
    for name, columns in connection.execute(_UNIQUE, (schema,)):
        unique.setdefault(name, []).append(tuple(columns))
    return {
        name: Table(name, tuple(columns), tuple(unique.get(name, ())), tuple(keys.get(name, ())), triggers, small)
        for name, columns, triggers, small in connection.execute(_TABLES, (schema,))
    }


_TABLES = """
    SELECT c.relname::text,
        ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped),
        (SELECT count(*) FROM pg_trigger t WHERE t.tgrelid = c.oid AND NOT t.tgisinternal),
        EXISTS (SELECT 1 FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attidentity <> '' AND a.atttypid <> 'bigint'::regtype)
    FROM pg_class c WHERE c.relnamespace = to_regnamespace(%s) AND c.relkind IN ('r', 'p')"""
_UNIQUE = """
    SELECT c.relname::text, ARRAY(
        SELECT coalesce(a.attname::text, '') FROM unnest(i.indkey) WITH ORDINALITY AS k (number, place)
        LEFT JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number
        WHERE k.place <= i.indnkeyatts ORDER BY k.place)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid
    WHERE i.indisunique AND c.relnamespace = to_regnamespace(%s) AND c.relkind IN ('r', 'p') ORDER BY i.indexrelid"""
_FOREIGN_KEYS = """
    SELECT c.relname::text, t.relname::text,
        ARRAY(SELECT a.attname::text FROM unnest(f.conkey) WITH ORDINALITY AS k (number, place)
              JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = k.number ORDER BY k.place),
        ARRAY(SELECT a.attname::text FROM unnest(f.confkey) WITH ORDINALITY AS k (number, place)
              JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = k.number ORDER BY k.place),
        t.relnamespace = c.relnamespace
    FROM pg_constraint f JOIN pg_class c ON c.oid = f.conrelid JOIN pg_class t ON t.oid = f.confrelid
    WHERE f.contype = 'f' AND c.relnamespace = to_regnamespace(%s)"""


def lines(report: Report) -> list[str]:
    """Return a report for a terminal."""
    shown = [f"{one.table:<22} {one.kind:<21} {one.reason}" for one in report.placements]
    whole = (
        "; ".join(report.schema_problems) or f"yes, with citus.enable_unsafe_triggers for {report.triggers} triggers"
    )
    return [*shown, "", f"the schema as a whole: {whole}"]


def main(arguments: Sequence[str]) -> int:
    """Print the report of the store at an address."""
    if len(arguments) != 1:
        print("usage: python -m bench.placement ADDRESS", file=sys.stderr)
        return 2
    try:
        address = parse_address(arguments[0])
    except SatchelError as error:
        print(f"bench: {error.message} ({error.hint})", file=sys.stderr)
        return 2
    with psycopg.connect(address.conninfo) as connection:
        print("\n".join(lines(check_store(connection, address))))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
