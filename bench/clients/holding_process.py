"""A process that holds a write transaction on a ledger. Arguments: LEDGER SECONDS. Prints "held" when it has begun."""

import sys
import time

import apsw


def main() -> None:
    """Write, wait, and roll back."""
    connection = apsw.Connection(sys.argv[1])
    connection.set_busy_timeout(60_000)
    connection.execute("BEGIN IMMEDIATE")
    connection.execute("CREATE TABLE held (row INTEGER PRIMARY KEY, body TEXT)")
    connection.execute("INSERT INTO held (body) VALUES ('a')")
    sys.stdout.write("held\n")
    sys.stdout.flush()
    time.sleep(float(sys.argv[2]))
    connection.execute("ROLLBACK")


if __name__ == "__main__":
    main()
