"""Copies a store between a file and a database. The copy is made aside and takes its place when it is complete."""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from shutil import rmtree

from msgspec import Struct
from msgspec.structs import replace

from satchel.adapters import extras
from satchel.adapters.backup_files import LEDGER
from satchel.adapters.sql.copying import check_copied, copy_rows
from satchel.adapters.sql.engine import first
from satchel.adapters.sql.sql_ledger import SqlLedger
from satchel.adapters.sqlite import backup
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.envelope import Ok
from satchel.domain.move import StoreMoved
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.locations import DATABASE_SCHEMES
from satchel.os_calls import sync_folder
from satchel.ports import Progress
from satchel.wiring.store_path import ledger_path, store_exists

TO_FILE = "file"
_FOLDER = "moving"


class _Destination(Struct, frozen=True):
    """Where a copy is made, and how it takes its place."""

    setting: str
    shown: str
    open_aside: Callable[[], SqlLedger]
    discard: Callable[[], None]
    put_in_place: Callable[[], None]


def move_store(settings: Settings, to: str, *, actor: str, progress: Progress | None) -> Ok[StoreMoved]:
    """Copy the store of the settings to another place."""
    target = _destination(settings, to)
    with closing(_open_source(settings)) as source, source.database.writing() as rows:
        marker = (source.feed.tip(), source.feed.landmark())
        with _aside(target, marker) as copy:
            total = copy_rows(rows, copy, progress)
            copy.rebuild_derived()
            digest = check_copied(rows, copy)
            with copy.database.writing() as db:
                db.execute("DROP TABLE moving")
        target.put_in_place()
        moved = StoreMoved(source.location, target.shown, total, digest, target.setting)
    with Satchel.open(settings=replace(settings, ledger=target.setting), actor=actor, folder=None) as store:
        return store.backups.record_move(moved)


def _open_source(settings: Settings) -> SqlLedger:
    if settings.address:
        return _open_database(settings.address)
    path = ledger_path(settings)
    if not store_exists(settings):
        raise NotFound(f"no store in {path.parent}", code="no_store", hint="name one with --home or --store")
    return SqliteLedger(path)


def _open_database(address: str) -> SqlLedger:
    extras.require(extras.POSTGRES)
    from satchel.adapters.postgres.address import parse_address
    from satchel.adapters.postgres.ledger import PostgresLedger

    return PostgresLedger(parse_address(address))


@contextmanager
def _aside(target: _Destination, marker: tuple[int, str]) -> Iterator[SqlLedger]:
    """Open the copy that an interrupted move left, if the store has not changed since; else an empty one."""
    copy = target.open_aside()
    if _marker(copy) not in (None, marker):
        copy.close()
        target.discard()
        copy = target.open_aside()
    with closing(copy):
        if _marker(copy) is None:
            with copy.database.writing() as db:
                db.execute("CREATE TABLE moving (tip INTEGER NOT NULL, landmark TEXT NOT NULL)")
                db.execute("INSERT INTO moving VALUES (?, ?)", marker)
        yield copy


def _marker(copy: SqlLedger) -> tuple[int, str] | None:
    with copy.database.reading() as db:
        found = first(db.execute("SELECT tip, landmark FROM moving")) if db.columns("moving") else None
    return None if found is None else (int(found[0]), str(found[1]))


def _destination(settings: Settings, to: str) -> _Destination:
    if to == TO_FILE and settings.address:
        return _to_file(settings)
    if to.startswith(DATABASE_SCHEMES):
        return _to_database(settings, to)
    raise InvalidRequest(
        "a store is moved into a database, or from a database into the file of the home folder",
        hint=f"--to postgresql://user@host/database, or --store … move --to {TO_FILE}",
    )


def _to_file(settings: Settings) -> _Destination:
    home = settings.home_folder
    folder, ledger = home / _FOLDER, home / LEDGER
    if ledger.exists():
        raise Conflict(
            f"there is a ledger in {home}",
            code="store_exists",
            hint="move it aside, or name another folder with --home",
        )

    def put_in_place() -> None:
        backup.close_for_moving(folder / LEDGER)
        (folder / LEDGER).rename(ledger)
        sync_folder(home)
        rmtree(folder)

    def open_aside() -> SqlLedger:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        return SqliteLedger(folder / LEDGER)

    return _Destination("", str(ledger), open_aside, lambda: rmtree(folder), put_in_place)


def _to_database(settings: Settings, to: str) -> _Destination:
    extras.require(extras.POSTGRES)
    from satchel.adapters.postgres.address import parse_address
    from satchel.adapters.postgres.ledger import PostgresLedger, StagedSchema

    address = parse_address(to)
    if settings.address and parse_address(settings.address) == address:
        raise InvalidRequest("the store is there already")
    staged = StagedSchema(address)
    staged.check_free()
    return _Destination(to, address.shown, lambda: PostgresLedger(staged.address), staged.discard, staged.put_in_place)
