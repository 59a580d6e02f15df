"""One of several writer processes. Arguments: KIND HOME STORES NUMBER. Prints "ready", waits for a line, then stores."""

import json
import sqlite3
import sys
import time
from collections.abc import Callable
from pathlib import Path

from satchel.app import Satchel
from satchel.errors import SatchelError

SATCHEL, BARE = "satchel", "bare SQLite inserts"
BUSY_TIMEOUT_SECONDS = 60.0


def main() -> None:
    """Write, then print the times and the number of errors as JSON."""
    kind, home, stores, number = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3]), sys.argv[4]
    write = Satchel.open(home).store if kind == SATCHEL else _bare(home / "bare.sqlite3")
    _say("ready")
    sys.stdin.readline()
    times, errors = list[float](), 0
    for count in range(stores):
        started = time.perf_counter()
        try:
            write(f"Writer {number} noted that the kettle was filled {count} times.")
            times.append((time.perf_counter() - started) * 1000)
        except (SatchelError, sqlite3.Error):
            errors += 1
    _say(json.dumps({"times": times, "errors": errors}))


def _bare(path: Path) -> Callable[[str], object]:
    """Return an insert into a bare table that is as durable as the ledger."""
    connection = sqlite3.connect(path, timeout=BUSY_TIMEOUT_SECONDS, isolation_level=None)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("CREATE TABLE IF NOT EXISTS texts (row INTEGER PRIMARY KEY, body TEXT NOT NULL)")

    def insert(text: str) -> None:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute("INSERT INTO texts (body) VALUES (?)", (text,))
        connection.execute("COMMIT")

    return insert


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
