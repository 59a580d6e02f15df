"""The least a search can be, run as a script of its own: DATABASE EXPRESSION SCOPE, answered as JSON."""

import json
import sqlite3
import sys

QUERY = "SELECT rowid, body, rank FROM texts WHERE texts MATCH ? AND scope = ? ORDER BY rank LIMIT 5"


def main() -> None:
    """Search, print, leave."""
    path, expression, scope = sys.argv[1:]
    print(json.dumps(sqlite3.connect(path).execute(QUERY, (expression, scope)).fetchall()))


if __name__ == "__main__":
    main()
