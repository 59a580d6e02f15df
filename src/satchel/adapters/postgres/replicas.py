"""Replicas that answer recalls, if they are not too far behind the primary server.

A replica is compared with positions of the primary's log that this process noted lately: one that has replayed the log up to
a position has everything that was committed before it was noted. No clock of a server is involved.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Sequence
from enum import StrEnum

import psycopg
from psycopg_pool import ConnectionPool

from satchel.adapters.postgres.address import StoreAddress
from satchel.adapters.postgres.connection import Row

# How long a recall waits for a connection to a replica, and how long one that failed is left alone.
CONNECT_SECONDS = 1.0
ASIDE_SECONDS = 10.0
# A position of the primary is noted this often within the time that a replica may be behind.
NOTED_PER_LAG = 4
MAX_CALLERS = 10_000

PRIMARY_POSITION = "SELECT pg_wal_lsn_diff(pg_current_wal_flush_lsn(), '0/0')::bigint"
"""Where the log of the primary ends: everything that was acknowledged is before it."""
UNKNOWN_POSITION = 2**63 - 1
# A replica without a connection to its primary may follow one that was replaced.
_REPLAYED = """
    SELECT CASE WHEN pg_is_in_recovery() AND EXISTS (SELECT 1 FROM pg_stat_wal_receiver WHERE pid IS NOT NULL)
    THEN pg_wal_lsn_diff(pg_last_wal_replay_lsn(), '0/0')::bigint END"""


class Reason(StrEnum):
    """Why a replica did not answer."""

    BEHIND = "behind"
    OWN_WRITE = "own_write"
    """It does not have what the caller has just written."""
    UNREACHABLE = "unreachable"


class Replica:
    """One replica: its address and its connections."""

    def __init__(self, address: StoreAddress, pool: "ConnectionPool[psycopg.Connection[Row]]") -> None:
        self.address = address
        self.pool = pool
        self.aside_until = 0.0

    def replayed(self) -> int | None:
        """Return the position up to which it has replayed the log; None if it follows no primary. Raises psycopg.Error."""
        with self.pool.connection(timeout=CONNECT_SECONDS) as connection:
            row = connection.execute(_REPLAYED.encode()).fetchone()
        return None if row is None or row[0] is None else int(row[0])


class Replicas:
    """Chooses a replica for a recall."""

    def __init__(
        self, replicas: Sequence[Replica], max_lag_seconds: float, *, ticks: Callable[[], float] = time.monotonic
    ) -> None:
        self.all = tuple(replicas)
        self.max_lag_seconds = max_lag_seconds
        self._ticks = ticks
        self._lock = threading.Lock()
        self._noted: deque[tuple[float, int]] = deque()
        self._written: dict[str, tuple[float, int]] = {}
        self._next = 0

    def note_write(self, caller: str, position: int) -> None:
        """Note where the log ended after a write of a caller, who is to see it."""
        now = self._ticks()
        with self._lock:
            if len(self._written) >= MAX_CALLERS:
                # An older one is on every replica that may answer.
                self._written = {name: one for name, one in self._written.items() if not self._is_old(one[0], now)}
            self._written[caller] = now, position

    def choose(self, caller: str, primary_position: Callable[[], int]) -> Replica | Reason:
        """Return a replica that has everything that a recall of this caller must see, or why there is none."""
        self._note_position(primary_position)
        required, own = self._required(caller)
        reason = Reason.UNREACHABLE
        for replica in self._in_turn():
            if replica.aside_until > self._ticks():
                continue
            try:
                replayed = replica.replayed()
            except psycopg.Error:
                self.put_aside(replica)
                continue
            if replayed is not None and replayed >= max(required, own):
                return replica
            is_fresh = replayed is not None and replayed >= required
            reason = Reason.OWN_WRITE if is_fresh else Reason.BEHIND
        return reason

    def put_aside(self, replica: Replica) -> None:
        """Leave a replica that failed alone for a while."""
        replica.aside_until = self._ticks() + ASIDE_SECONDS

    def close(self) -> None:
        """Close the connections."""
        for replica in self.all:
            replica.pool.close()

    def _note_position(self, primary_position: Callable[[], int]) -> None:
        with self._lock:
            # Taken before the question, so that the position is not older than it.
            now = self._ticks()
            while self._noted and self._is_old(self._noted[0][0], now):
                self._noted.popleft()
            if not self._noted or now - self._noted[-1][0] >= self.max_lag_seconds / NOTED_PER_LAG:
                self._noted.append((now, primary_position()))

    def _required(self, caller: str) -> tuple[int, int]:
        """Return the positions that a replica must have replayed: to be fresh enough, and to have the caller's write."""
        with self._lock:
            at, own = self._written.get(caller, (0.0, 0))
            return self._noted[0][1], 0 if self._is_old(at, self._ticks()) else own

    def _is_old(self, at: float, now: float) -> bool:
        return now - at > self.max_lag_seconds

    def _in_turn(self) -> list[Replica]:
        with self._lock:
            self._next += 1
            start = self._next % len(self.all)
        return [*self.all[start:], *self.all[:start]]
