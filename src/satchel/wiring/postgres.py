"""Opens a store in PostgreSQL. Its driver is loaded only once it is needed."""

import logging
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import NoReturn

from msgspec.structs import replace

from satchel.adapters import extras
from satchel.adapters.growing_index import GrowingIndex, GrowingPassageIndex
from satchel.adapters.sql.sql_ledger import SqlLedger
from satchel.config import Settings
from satchel.ports import AccessStore, Index, Ledger, PassageIndex


def open_ledger(settings: Settings) -> SqlLedger:
    """Connect to the database of the settings, and make the store if there is none."""
    extras.require(extras.POSTGRES)
    from satchel.adapters.postgres.address import parse_address
    from satchel.adapters.postgres.ledger import PostgresLedger

    address = parse_address(settings.address)
    # They have the same tables, whatever else their addresses say.
    replicas = [replace(parse_address(one), schema=address.schema) for one in settings.replicas.addresses]
    if not settings.read_only:
        # Captured events, tokens and settings stay on this machine.
        settings.home_folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return PostgresLedger(
        address,
        read_only=settings.read_only,
        replicas=replicas,
        max_lag_seconds=settings.replicas.max_lag_seconds,
    )


def reach_problem(text: str) -> str:
    """Return why a database cannot be reached now; empty if it can."""
    extras.require(extras.POSTGRES)
    from satchel.adapters.postgres.address import parse_address
    from satchel.adapters.postgres.reach import reach_problem

    return reach_problem(parse_address(text), seconds=5)


@contextmanager
def telling(note: Callable[[str], None]) -> Iterator[None]:
    """Tell, while the block runs, that a server is waited for, and that a store was made."""
    teller = _Teller(note)
    log = logging.getLogger("satchel.postgres")
    log.setLevel(logging.INFO)
    log.addHandler(teller)
    try:
        yield
    finally:
        log.removeHandler(teller)


class _Teller(logging.Handler):
    def __init__(self, note: Callable[[str], None]) -> None:
        super().__init__(logging.INFO)
        self._note = note

    def emit(self, record: logging.LogRecord) -> None:
        self._note(record.getMessage())


@cache
def database_access(address: str) -> AccessStore:
    """Return the users and tokens in a database, which every server asks."""
    extras.require(extras.POSTGRES)
    from satchel.adapters.postgres.access import PostgresAccess
    from satchel.adapters.postgres.address import parse_address

    return PostgresAccess(parse_address(address))


def ledger_index(ledger: Ledger) -> Index:
    """Return the index of memories: the database itself, whatever the size of the store."""
    return GrowingIndex(ledger, _never_needed, _NoFiles(), from_memories=sys.maxsize)


def ledger_passage_index(ledger: Ledger) -> PassageIndex:
    """Return the index of passages: the database itself."""
    return GrowingPassageIndex(ledger, _never_needed, _NoFiles(), from_parts=sys.maxsize)


class _NoFiles:
    """Implements the files of an index that has none."""

    def exists(self) -> bool:
        return False

    def drop(self, *, seconds: float | None = None) -> None:
        pass


def _never_needed() -> NoReturn:
    raise AssertionError("a store in a database has no other index")
