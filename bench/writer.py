"""One of many writers, a process of its own: KIND HOME STORES NUMBER. Says it is ready, waits for a line, stores."""

import json
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

from satchel.bootstrap import Satchel
from satchel.errors import SatchelError

SATCHEL, BARE = "satchel", "bare"
PATIENCE_SECONDS = 60.0


def open_bare(path: Path) -> sqlite3.Connection:
    """Open a bare table that is as durable as the ledger."""
    connection = sqlite3.connect(path, timeout=PATIENCE_SECONDS, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS texts (row INTEGER PRIMARY KEY, body TEXT NOT NULL)")
    return connection


def bare_insert(connection: sqlite3.Connection, text: str) -> None:
    """Insert one text and commit it."""
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("INSERT INTO texts (body) VALUES (?)", (text,))
    connection.execute("COMMIT")


def main() -> None:
    """Write, and report each time taken and each error."""
    kind, home, stores, number = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    write = _writer(kind, home)
    print("ready", flush=True)
    sys.stdin.readline()
    times, errors = list[float](), 0
    for count in range(stores):
        started = time.perf_counter()
        try:
            write(f"Writer {number} noted that the kettle was filled {count} times.")
            times.append((time.perf_counter() - started) * 1000)
        except (SatchelError, sqlite3.Error):
            errors += 1
    print(json.dumps({"times": times, "errors": errors}), flush=True)


def _writer(kind: str, home: Path) -> Callable[[str], object]:
    if kind == SATCHEL:
        return Satchel.open(home).store
    connection = open_bare(home / "bare.sqlite3")
    return lambda text: bare_insert(connection, text)


if __name__ == "__main__":
    main()
