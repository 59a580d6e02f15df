"""How much each user, and each program's token, may ask for: requests per minute, records stored per day."""

import math
import threading
from collections import Counter
from collections.abc import Callable, Iterator

from satchel.errors import LimitReached
from satchel.interfaces.http.metrics import Family, Sample

MINUTE = 60.0
HOUR = 3600.0
HOURS_PER_DAY = 24


class Limits:
    """Counts in the memory of one server, from its start on. The local operator is not counted."""

    def __init__(self, requests_per_minute: int, records_per_day: int, ticks: Callable[[], float]) -> None:
        """0 means without limit. `ticks` returns seconds that only go forward."""
        self._per_minute, self._per_day, self._ticks = requests_per_minute, records_per_day, ticks
        # Records are counted on the threads of the workers.
        self._lock = threading.Lock()
        self._allowances: dict[str, tuple[float, float]] = {}
        self._hours: dict[str, dict[int, int]] = {}
        self._requests: Counter[str] = Counter()
        self._records: Counter[str] = Counter()
        self._refused: Counter[tuple[str, str]] = Counter()

    def count_request(self, who: str) -> None:
        """Count a request. Raises LimitReached if there were too many: an allowance for a minute refills steadily."""
        if not who:
            return
        with self._lock:
            now = self._ticks()
            left, since = self._allowances.get(who, (float(self._per_minute), now))
            left = min(float(self._per_minute), left + (now - since) * self._per_minute / MINUTE)
            if self._per_minute and left < 1:
                self._allowances[who] = left, now
                self._refused[who, "requests"] += 1
                wait = math.ceil((1 - left) * MINUTE / self._per_minute)
                message = f"more than {self._per_minute:,} requests per minute"
                raise LimitReached(message, code="too_many_requests", hint=_when(wait), retry_after=wait)
            self._allowances[who] = left - 1, now
            self._requests[who] += 1

    def count_records(self, who: str, count: int) -> None:
        """Count records that are about to be stored. Raises LimitReached if they would be too many for the last 24 hours."""
        if not who:
            return
        with self._lock:
            hour = int(self._ticks() // HOUR)
            hours = {one: stored for one, stored in self._hours.get(who, {}).items() if one > hour - HOURS_PER_DAY}
            if self._per_day and sum(hours.values()) + count > self._per_day:
                self._refused[who, "records"] += 1
                wait = math.ceil((min(hours, default=hour) + HOURS_PER_DAY) * HOUR - self._ticks())
                message = f"more than {self._per_day:,} records stored within a day"
                raise LimitReached(message, code="too_many_records", hint=_when(wait), retry_after=wait)
            hours[hour] = hours.get(hour, 0) + count
            self._hours[who] = hours
            self._records[who] += count

    def families(self) -> Iterator[Family]:
        """Return what was counted."""
        with self._lock:
            requests, records, refused = sorted(self._requests.items()), sorted(self._records.items()), self._refused
            limited = [Sample(count, {"user": who, "limit": limit}) for (who, limit), count in sorted(refused.items())]
        yield Family("satchel_user_requests_total", "counter", "Requests by user or token.", _samples(requests))
        yield Family("satchel_user_records_total", "counter", "Records sent by user or token.", _samples(records))
        yield Family("satchel_user_limited_total", "counter", "Requests beyond a limit.", limited)


def _when(wait: int) -> str:
    return f"try again in {wait:,} seconds"


def _samples(counted: list[tuple[str, int]]) -> list[Sample]:
    return [Sample(count, {"user": who}) for who, count in counted]
