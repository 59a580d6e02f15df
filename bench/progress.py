"""Progress of long work, on standard error: one line that is overwritten on a terminal, few lines in a log."""

import sys
import time

_TERMINAL_SECONDS, _LOG_SECONDS = 0.5, 20.0
_last = [0.0]


def show(done: int, total: int, what: str) -> None:
    """Print how far something is, if the last line is old enough."""
    terminal = sys.stderr.isatty()
    complete = done >= total and terminal
    if not complete and time.monotonic() - _last[0] < (_TERMINAL_SECONDS if terminal else _LOG_SECONDS):
        return
    _last[0] = time.monotonic()
    start, end = ("\r", "\n" if complete else "") if terminal else ("", "\n")
    print(f"{start}{what}: {done:,} of {total:,} ", end=end, file=sys.stderr, flush=True)


def say(what: str) -> None:
    """Print what comes next."""
    print(what, file=sys.stderr, flush=True)
