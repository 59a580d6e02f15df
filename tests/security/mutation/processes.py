"""Run work in forked processes, so that nothing it changes outlives it."""

import os
import signal
import traceback
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")
SURVIVED, KILLED = 0, 1
# What a child says if the runner itself failed, which is no verdict on the tests.
FAILED = 70
# Tests write to the standard streams; what the runner has to say goes past them.
_complaints = os.dup(2)


def complain(text: str) -> None:
    """Write a line to the stream of errors with which the runner was started."""
    os.write(_complaints, f"{text}\n".encode())


def fork_each(jobs: Iterable[tuple[T, Callable[[], int]]], workers: int) -> Iterator[tuple[T, int]]:
    """Run each job in a process of its own, and yield its name and exit status; negative if a signal ended it."""
    running: dict[int, T] = {}
    for name, job in jobs:
        if len(running) >= workers:
            yield _ended(running)
        running[_fork(job)] = name
    while running:
        yield _ended(running)


def limit_time(seconds: float) -> None:
    """End this process after some time of computing, or four times as long of waiting: its mutant does not end."""
    for timer, ending, limit in (
        (signal.ITIMER_PROF, signal.SIGPROF, seconds),
        (signal.ITIMER_REAL, signal.SIGALRM, 4 * seconds),
    ):
        signal.signal(ending, signal.SIG_DFL)
        signal.setitimer(timer, limit)


def _fork(job: Callable[[], int]) -> int:
    child = os.fork()
    if child:
        return child
    status = FAILED
    try:
        os.setpgrp()
        status = job()
    except BaseException:  # noqa: BLE001  the parent must not see an exception of its child
        complain(traceback.format_exc())
    finally:
        os._exit(status)


def _ended(running: dict[int, T]) -> tuple[T, int]:
    child, status = os.wait()
    return running.pop(child), os.waitstatus_to_exitcode(status)
