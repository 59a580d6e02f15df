"""Hears of writes to a store in PostgreSQL, whichever process on whichever machine makes them."""

import time
from typing import Any

import psycopg

from satchel.adapters.postgres.address import StoreAddress

_CONNECT_SECONDS = 5
# A server whose machine is gone is noticed within a minute.
_OPTIONS: dict[str, Any] = {
    "autocommit": True,
    "connect_timeout": _CONNECT_SECONDS,
    "application_name": "satchel-listener",
    "keepalives_idle": 30,
    "keepalives_interval": 10,
    "keepalives_count": 3,
}
_MAX_NAME = 63


def channel_of(schema: str) -> str:
    """Return the name under which writes to the store in a schema are notified."""
    return f"satchel_{schema}"[:_MAX_NAME]


class Listener:
    """Waits for notifications. Without a connection it polls, and connects again as soon as it can."""

    def __init__(self, address: StoreAddress) -> None:
        self._address = address
        self._connection: psycopg.Connection[Any] | None = None

    def wait(self, seconds: float) -> bool:
        """Wait for a write, some seconds at most; return whether there may have been one."""
        try:
            if self._connection is None:
                self._connection = psycopg.connect(self._address.conninfo, **_OPTIONS)
                self._connection.execute(f"LISTEN {channel_of(self._address.schema)}".encode())
                # Nobody was listening until now.
                return True
            return self._notified(self._connection, seconds)
        except psycopg.Error:
            self.close()
            time.sleep(seconds)
            return True

    def _notified(self, connection: psycopg.Connection[Any], seconds: float) -> bool:
        first = [*connection.notifies(timeout=seconds, stop_after=1)]
        # One look answers all that came meanwhile.
        return bool([*first, *connection.notifies(timeout=0)])

    def close(self) -> None:
        """Close the connection, if there is one."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
