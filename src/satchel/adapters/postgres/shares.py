"""The shares of the texts to embed, as rows that a worker locks for as long as it embeds.

No writer touches them, so a claim delays nobody. It ends with the worker's transaction, also if the worker is killed.
"""

from satchel.adapters.postgres.connection import Connection
from satchel.adapters.sql.engine import SHARES

# The server finds out within a minute that the machine of a worker is gone, and ends its transaction.
BEGIN_CLAIM = "BEGIN; SET LOCAL tcp_keepalives_idle = 30; SET LOCAL tcp_keepalives_interval = 10; SET LOCAL tcp_keepalives_count = 3"


def create_shares(db: Connection) -> None:
    """Make the rows, unless they are there."""
    db.execute("CREATE TABLE IF NOT EXISTS embedding_shares (share INTEGER PRIMARY KEY)")
    db.executemany("INSERT INTO embedding_shares VALUES (?) ON CONFLICT DO NOTHING", [(one,) for one in range(SHARES)])


def has_shares(db: Connection) -> bool:
    """Return whether the rows are there."""
    return db.execute("SELECT to_regclass('embedding_shares') IS NOT NULL").get is True


def lock_shares(db: Connection, shares: list[int], count: int) -> list[int]:
    """Lock some of these shares that nobody else has locked, the first ones if possible."""
    query = (
        "SELECT share FROM embedding_shares WHERE share = ANY(?) "
        "ORDER BY array_position(?, share) LIMIT ? FOR UPDATE SKIP LOCKED"
    )
    return [share for (share,) in db.execute(query, (shares, shares, count))]
