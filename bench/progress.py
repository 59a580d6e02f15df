"""Progress of long work, on standard error: one line that is written over."""

import sys
import time

# A terminal is written over; a log should stay short.
_LEAST_SECONDS = 0.5 if sys.stderr.isatty() else 20.0
_last = [0.0]


def show(done: int, total: int, what: str) -> None:
    """Say how far something is, now and then."""
    if done < total and time.monotonic() - _last[0] < _LEAST_SECONDS:
        return
    _last[0] = time.monotonic()
    print(f"\r{what}: {done:,} of {total:,} ", end="\n" if done >= total else "", file=sys.stderr, flush=True)


def say(what: str) -> None:
    """Say what comes next."""
    print(what, file=sys.stderr, flush=True)
