"""The version of the schema, apart from the migrations, which most commands need not load: their ledger is up to date."""

from __future__ import annotations

from typing import TYPE_CHECKING

from satchel.errors import NewerStore

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Database

SCHEMA_VERSION = 22
"""How many migrations there are."""


def migrate(database: Database) -> None:
    """Bring a ledger up to date. One of a newer version is refused and left unchanged."""
    with database.reading() as db:
        version = db.schema_version()
    if version > SCHEMA_VERSION:
        raise newer_store(database.location, version, SCHEMA_VERSION)
    if version < SCHEMA_VERSION:
        from satchel.adapters.sql.migrations import run_migrations

        run_migrations(database)


def newer_store(location: str, found: int, known: int) -> NewerStore:
    """Return the error for a ledger written by a newer version."""
    return NewerStore(
        f"{location} has schema {found}, this version knows up to {known}",
        hint="upgrade Satchel; the store has not been touched",
    )
