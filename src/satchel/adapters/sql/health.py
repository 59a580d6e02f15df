"""Health checks of a ledger that every engine has, and the repairs."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from satchel.adapters.sql.attention.edges import count_dangling, remove_dangling
from satchel.adapters.sql.facts import store as facts
from satchel.adapters.sql.full_text import all_full_texts
from satchel.adapters.sql.memories import fulltext
from satchel.adapters.sql.observations import store as observations
from satchel.adapters.sql.passages import rows as passages
from satchel.adapters.sql.quarantine import damaged_records
from satchel.domain.answers import HealthFinding
from satchel.errors import Corrupt, Unavailable
from satchel.ports.damage import name_damaged

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection, Database


def check_records(database: Database, *, fix: bool) -> list[HealthFinding]:
    """Check the records and what is derived from them, and with `fix` repair what can be repaired."""
    return [
        examined(database, "memory texts", _hashes_finding),
        _full_text_finding(database, fix),
        _edges_finding(database, fix),
        *_facts_finding(database),
    ]


def examined(database: Database, check: str, finding: Callable[[Connection], HealthFinding]) -> HealthFinding:
    """Return the finding of a check, which is bad if the database cannot be read for it."""
    try:
        with database.reading() as db:
            return finding(db)
    except (Corrupt, Unavailable) as error:
        return HealthFinding(check, "bad", error.message, error.hint)


def rebuild_full_texts(db: Connection) -> None:
    """Index every text again."""
    for module in (fulltext, observations, passages, facts):
        module.rebuild_full_text(db)


def _hashes_finding(db: Connection) -> HealthFinding:
    if damaged := damaged_records(db):
        message = f"{len(damaged)} records are unreadable or do not match their hash: {name_damaged(damaged)}"
        fix = "restore a backup, or run satchel doctor --fix to quarantine them"
        return HealthFinding("memory texts", "bad", message, fix)
    return HealthFinding("memory texts", "ok", "every text matches its hash")


def _full_text_finding(database: Database, fix: bool) -> HealthFinding:
    was_read_only = database.read_only
    try:
        # The check needs the write lock, although it changes nothing.
        with database.writing(optional=not fix) as db:
            wrong = sum(map(db.count_mismatches, all_full_texts()))
        problem = f"{wrong} records differ from their full text" if wrong else ""
    except Corrupt as error:
        problem = error.message
    except Unavailable as error:
        if fix and not was_read_only:
            raise
        # A full disk, too, lets the store be opened for reading only; one that is to be read-only needs no repair.
        hint = "" if error.code == "read_only" else error.hint
        return HealthFinding("full text", "warning", f"not examined: {error.message}", hint)
    if not problem:
        return HealthFinding("full text", "ok", "every record is in the full text")
    if not fix:
        return HealthFinding("full text", "bad", problem, "satchel doctor --fix rebuilds it")
    with database.writing() as db:
        rebuild_full_texts(db)
    return HealthFinding("full text", "ok", f"rebuilt ({problem})")


def _edges_finding(database: Database, fix: bool) -> HealthFinding:
    with database.writing() if fix else database.reading() as db:
        dangling = remove_dangling(db) if fix else count_dangling(db)
    if not dangling:
        return HealthFinding("edges", "ok", "every edge joins two memories")
    if fix:
        return HealthFinding("edges", "ok", f"{dangling} led to no memory; removed")
    return HealthFinding("edges", "bad", f"{dangling} lead to no memory", "satchel doctor --fix removes them")


def _facts_finding(database: Database) -> list[HealthFinding]:
    with database.reading() as db:
        stale = facts.count_unsupported(db)
    if not stale:
        return []
    message = f"{stale} facts rest on a source that was changed or forgotten; they are not used in answers"
    return [HealthFinding("facts", "warning", message, "satchel fact stale --apply marks them")]
