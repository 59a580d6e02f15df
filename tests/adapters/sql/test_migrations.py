"""Opening new, older, newer, foreign and damaged files."""

from pathlib import Path

import apsw
import pytest

from satchel.adapters.sql.engine import Connection
from satchel.adapters.sql.migrations import MIGRATIONS, run_migrations
from satchel.adapters.sql.schema_version import SCHEMA_VERSION, migrate
from satchel.adapters.sqlite.connection import APPLICATION_ID
from satchel.adapters.sqlite.database import Database
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.record import MemoryId
from satchel.errors import Corrupt, InvalidRequest, NewerStore
from satchel.ports import ChainState
from tests.adapters.samples import ALL, SPACE, change, embed, memory, store, unit


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "ledger.sqlite3"


def version(path: Path) -> tuple[int, int, list[str]]:
    """Return the version, the application id, and the tables of a file."""
    connection = apsw.Connection(str(path))
    names = [row[0] for row in connection.execute("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")]
    found = (connection.execute("PRAGMA user_version").get, connection.execute("PRAGMA application_id").get, names)
    connection.close()
    return found


def filled(path: Path) -> bytes:
    """Make a ledger with a few records, and return the bytes of its file."""
    ledger = SqliteLedger(path)
    for number in range(40):
        store(ledger, memory(f"m{number}", f"text {number} " * 40))
    ledger.close()
    return path.read_bytes()


def test_the_version_of_the_schema_counts_its_migrations() -> None:
    assert len(MIGRATIONS) == SCHEMA_VERSION


def test_a_fresh_ledger_has_run_every_migration(path: Path) -> None:
    SqliteLedger(path).close()
    found, application, tables = version(path)
    assert (found, application) == (len(MIGRATIONS), APPLICATION_ID)
    assert {"events", "memories", "memories_text", "receipts", "sequence", "spaces", "tombstones", "use"} <= {*tables}


@pytest.mark.parametrize("known", range(1, len(MIGRATIONS)))
def test_an_older_ledger_is_migrated_and_works(path: Path, known: int) -> None:
    older = Database(path)
    run_migrations(older, MIGRATIONS[:known])
    older.close()
    assert version(path)[0] == known
    ledger = SqliteLedger(path)
    store(ledger, memory("a"))
    assert [one.id for one in ledger.memories.page(ALL, 10)] == ["a"]
    ledger.close()
    SqliteLedger(path.with_name("fresh")).close()
    assert version(path) == version(path.with_name("fresh"))


def test_migrating_keeps_the_records(path: Path) -> None:
    filled(path)

    def next_migration(db: Connection) -> None:
        db.execute("ALTER TABLE memories ADD COLUMN colour TEXT")

    database = Database(path)
    run_migrations(database, (*MIGRATIONS, next_migration))
    with database.reading() as db:
        assert db.execute("SELECT count(*), count(colour) FROM memories").get == (40, 0)
    database.close()
    assert version(path)[0] == len(MIGRATIONS) + 1


def test_a_failing_migration_leaves_the_old_version_intact(path: Path) -> None:
    filled(path)
    before = version(path)

    def half_done(db: Connection) -> None:
        db.execute("CREATE TABLE half (done)")
        db.execute("DELETE FROM memories")

    def failing(db: Connection) -> None:
        db.execute("ALTER TABLE memories DROP COLUMN text")
        raise RuntimeError("stopped in the middle")

    database = Database(path)
    with pytest.raises(RuntimeError):
        run_migrations(database, (*MIGRATIONS, half_done, failing))
    database.close()
    assert version(path) == before
    ledger = SqliteLedger(path)
    assert len(ledger.memories.page(ALL, 100)) == 40
    ledger.close()


def test_a_newer_ledger_is_refused_untouched(path: Path) -> None:
    filled(path)
    connection = apsw.Connection(str(path))
    connection.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(NewerStore):
        SqliteLedger(path)
    assert path.read_bytes() == before


def test_another_programs_database_is_refused_untouched(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE bookmarks (url)")
    connection.close()
    before = path.read_bytes()
    with pytest.raises(InvalidRequest) as refused:
        SqliteLedger(path)
    assert refused.value.code == "not_a_ledger"
    assert path.read_bytes() == before
    assert [file.name for file in path.parent.iterdir()] == [path.name]


def test_another_programs_empty_database_is_refused_by_its_application_id(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA application_id = 7")
    connection.execute("VACUUM")
    connection.close()
    with pytest.raises(InvalidRequest) as refused:
        SqliteLedger(path)
    assert refused.value.code == "not_a_ledger"


@pytest.mark.parametrize(
    "garbage", [b"\0" * 4096, b"not a database " * 400, b"xy", b"SQLite format 3\0", b"{}\n" * 2000]
)
def test_a_garbage_file_is_corrupt_and_unchanged(path: Path, garbage: bytes) -> None:
    path.write_bytes(garbage)
    with pytest.raises(Corrupt):
        SqliteLedger(path)
    assert path.read_bytes() == garbage


@pytest.mark.parametrize("share", [0.0001, 0.0004, 0.002, 0.01, 0.03, 0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_truncated_file_is_corrupt_and_unchanged(path: Path, share: float) -> None:
    whole = filled(path)
    cut = whole[: max(1, int(len(whole) * share))]
    path.write_bytes(cut)
    with pytest.raises(Corrupt):
        SqliteLedger(path)
    assert path.read_bytes() == cut


def test_a_file_cut_within_its_last_page_is_noticed_unless_nothing_was_lost(path: Path) -> None:
    """SQLite fills a page that is cut short with zeros and opens the file, so the check-up has to see it."""
    whole = filled(path)
    for cut in range(100, 4_096, 400):
        path.write_bytes(whole[:-cut])
        ledger = SqliteLedger(path)
        if "bad" not in {one.status for one in ledger.check_up()}:
            assert {one.text for one in ledger.memories.page(ALL, 100)} == {f"text {n} " * 40 for n in range(40)}
            assert ledger.receipts.verify() == ChainState(40, None)
        ledger.close()


@pytest.mark.parametrize("moment", range(10))
def test_a_ledger_that_another_process_is_creating_is_accepted(path: Path, moment: int) -> None:
    """One opening of a new store migrates it between any two statements of another."""
    first = Database(path)
    statements: list[str] = []

    def interrupted(_: apsw.Cursor, statement: str, __: object) -> bool:
        statements.append(statement)
        if len(statements) == moment + 1:
            migrate(first)
        return True

    def watch(connection: apsw.Connection) -> None:
        connection.exec_trace = interrupted

    apsw.connection_hooks.append(watch)
    try:
        second = Database(path)
    finally:
        apsw.connection_hooks.remove(watch)
        statements += [""] * (moment + 1)
    migrate(second)
    second.close()
    first.close()
    assert version(path)[0] == len(MIGRATIONS)


def test_receipts_are_found_by_index_from_the_first_version_that_has_them(path: Path) -> None:
    database = Database(path)
    run_migrations(database, MIGRATIONS[:6])
    with database.reading() as db:
        indexes = db.execute("SELECT name FROM sqlite_schema WHERE type = 'index' AND sql LIKE '%ON receipts %'")
        assert {name for (name,) in indexes} == {"receipts_digest", "receipts_link", "receipts_operation"}
    database.close()


def test_vectors_stored_with_the_whole_hash_of_their_text_stay_in_use(path: Path) -> None:
    """Earlier versions stored all of the hash beside a vector."""
    ledger = SqliteLedger(path)
    store(ledger, memory("same", "a walrus"), memory("changed", "a seal"))
    embed(ledger, {"same": unit(1, 0, 0, 0), "changed": unit(0, 1, 0, 0)})
    ledger.close()
    older = apsw.Connection(str(path))
    older.execute("UPDATE vectors SET content_hash = (SELECT content_hash FROM memories m WHERE m.row = vectors.row)")
    assert older.execute("SELECT DISTINCT length(content_hash) FROM vectors").get == len("sha256:") + 64
    older.close()
    ledger = SqliteLedger(path)
    change(ledger, memory("changed", "a seal"), text="a narwhal")
    ids = [MemoryId("same"), MemoryId("changed")]
    assert ledger.vectors.get(SPACE, ids) == {"same": unit(1, 0, 0, 0)}
    assert [one.id for one in ledger.memories.nearest(unit(1, 0, 0, 0), ALL, 5)] == ["same"]
    assert {item.id: item.vector is not None for item in ledger.feed.since(0, SPACE, 5)} == {
        "same": True,
        "changed": False,
    }
    assert [one.id for one in ledger.vectors.pending(SPACE, 5)] == ["changed"]
    ledger.vectors.adopt(SPACE)
    assert ledger.vectors.backlog(SPACE) == (1, 0)
    ledger.close()


@pytest.mark.parametrize(
    ("query", "index"),
    [
        ("SELECT row FROM memories WHERE embedding = 'waiting' ORDER BY row DESC", "memories_embedding"),
        ("SELECT row FROM memories m WHERE (m.embedding = 'waiting' OR m.embedding = 'skipped')", "memories_embedding"),
        ("SELECT row FROM memories WHERE scope = 'a' ORDER BY created_at DESC, id DESC", "memories_newest"),
        ("SELECT row FROM memories ORDER BY created_at DESC, id DESC", "memories_everywhere"),
        ("SELECT row, kind FROM memories WHERE scope = 'a' ORDER BY updated_at DESC, id", "shelf_recent"),
    ],
)
def test_the_indexes_answer_without_sorting(query: str, index: str) -> None:
    database = Database(None)
    migrate(database)
    with database.reading() as db:
        plan = " ".join(str(row[3]) for row in db.execute(f"EXPLAIN QUERY PLAN {query}"))
    database.close()
    assert index in plan
    assert "TEMP B-TREE" not in plan
