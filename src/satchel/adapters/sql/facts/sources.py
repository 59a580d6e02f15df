"""The records that a fact can cite, table by table, and how each shows that it has changed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from satchel.adapters.sql.engine import Connection, first
from satchel.adapters.sql.where import Clause, one_of
from satchel.domain.facts import FactSource, FactSourceType, FactStatus, SourceRef
from satchel.domain.record import State, Trust

if TYPE_CHECKING:
    from satchel.domain.scope import Reach


class SourceTable(NamedTuple):
    """A table of citable records. Columns are SQL over the alias `x`."""

    kind: FactSourceType
    table: str
    id: str
    digest: str
    trust: str
    scope: str
    text: str
    is_live: str = "true"


# A receipt of the whole store has no scope, and is no source; nor is a damaged one.
_SCOPE_OF_RECEIPT = "CASE WHEN json_valid(x.body) THEN json_extract(x.body, '$.asked.scope') END"
_LIVE = f"x.state NOT IN ('{State.ARCHIVED}', '{State.RETIRED}')"
_LANE = "(SELECT * FROM passages WHERE lane = '{}')"
SOURCE_TABLES = (
    SourceTable(FactSourceType.MEMORY, "memories", "x.id", "x.content_hash", "x.trust", "x.scope", "x.text", _LIVE),
    SourceTable(FactSourceType.MEMORY, "observations", "x.id", "x.content_hash", "x.trust", "x.scope", "x.text", _LIVE),
    SourceTable(FactSourceType.EPISODIC, "messages", "x.ref", "x.identity_hash", "x.trust", "x.scope", "x.content"),
    SourceTable(
        FactSourceType.DOC, _LANE.format("documents"), "x.id", "x.content_hash", "x.trust", "x.scope", "x.text"
    ),
    SourceTable(
        FactSourceType.EPISODIC, _LANE.format("episodes"), "x.id", "x.content_hash", "x.trust", "x.scope", "x.text"
    ),
    # Receipts and log lines never change, so their digests only say that they exist.
    SourceTable(FactSourceType.RECEIPT, "receipts", "x.digest", "x.digest", "'trusted'", _SCOPE_OF_RECEIPT, "x.body"),
    SourceTable(
        FactSourceType.DAILY_LOG, "log_lines", "x.number", "'line:' || x.number", "'untrusted'", "x.scope", "x.text"
    ),
)


def find(db: Connection, source: SourceRef, reach: Reach) -> FactSource | None:
    """Return the digest, trust and state of a record as it is now; None if it does not exist or is out of reach."""
    for table in SOURCE_TABLES:
        if table.kind is source.kind:
            within, scopes = _within(table, reach)
            query = (
                f"SELECT {table.digest}, {table.trust}, {table.is_live} FROM {table.table} x "
                f"WHERE {table.id} = ? AND {within} LIMIT 1"
            )
            try:
                if (row := first(db.execute(query, [_key(table, source.ref), *scopes]))) is not None:
                    return FactSource(str(row[0]), Trust(row[1]), bool(row[2]))
            except ValueError:
                # A record whose hash or trust is damaged is no source until it is mended.
                return None
    return None


def text_of(db: Connection, source: SourceRef, reach: Reach, trusts: Sequence[Trust]) -> str | None:
    """Return the text of a record, if it may be seen."""
    for table in SOURCE_TABLES:
        if table.kind is source.kind:
            within, scopes = _within(table, reach)
            trusted, values = one_of(table.trust, trusts)
            query = f"SELECT {table.text} FROM {table.table} x WHERE {table.id} = ? AND {within} AND {trusted} LIMIT 1"
            row = first(db.execute(query, [_key(table, source.ref), *scopes, *values]))
            if row is not None:
                return str(row[0])
    return None


def text_by_id(db: Connection, id: str) -> tuple[str, str] | None:
    """Return scope and text of any record that can be erased by its id."""
    for table in SOURCE_TABLES:
        if table.kind not in (FactSourceType.RECEIPT, FactSourceType.DAILY_LOG):
            # As bytes: a damaged text must not keep its record from being erased.
            text = f"CAST({table.text} AS BLOB)"
            query = f"SELECT {table.scope}, {text} FROM {table.table} x WHERE {table.id} = ? LIMIT 1"
            if (row := first(db.execute(query, (id,)))) is not None:
                return str(row[0]), row[1].decode("utf-8", "backslashreplace")
    return None


def _within(table: SourceTable, reach: Reach) -> Clause:
    return ("true", []) if reach.everywhere else one_of(table.scope, reach.scopes)


def _key(table: SourceTable, ref: str) -> str | int:
    if table.kind is not FactSourceType.DAILY_LOG:
        return ref
    return int(ref) if ref.isascii() and ref.isdigit() and len(ref) < 16 else -1


def _is_intact(table: SourceTable, condition: str = "true") -> str:
    key = "CAST(s.ref AS INTEGER)" if table.kind is FactSourceType.DAILY_LOG else "s.ref"
    return (
        f"(s.kind = '{table.kind}' AND EXISTS "
        f"(SELECT 1 FROM {table.table} x WHERE {table.id} = {key} AND {table.digest} = s.digest AND {condition}))"
    )


# The condition on a fact `m` that each of its sources exists and is unchanged, and that one still counts.
SOURCES_INTACT = (
    "NOT EXISTS (SELECT 1 FROM fact_sources s WHERE s.fact_id = m.id AND NOT ("
    + " OR ".join(map(_is_intact, SOURCE_TABLES))
    + f")) AND (m.stored_status <> '{FactStatus.ACTIVE}' OR EXISTS "
    "(SELECT 1 FROM fact_sources s WHERE s.fact_id = m.id AND ("
    + " OR ".join(_is_intact(table, table.is_live) for table in SOURCE_TABLES)
    + ")))"
)
