"""Beside: a call that runs in another thread while its caller does something else."""

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")

MOST_AT_ONCE = 16
# Threads wait for their next call rather than being started for each. A process that was forked has none of them.
_pools: "dict[int, ThreadPoolExecutor]" = {}


def beside(call: Callable[[], T]) -> "Future[T]":
    """Start a call that leaves Python's lock alone for most of its time: embedding, or a search by an index."""
    pool = _pools.get(os.getpid())
    if pool is None:
        from concurrent.futures import ThreadPoolExecutor  # a command that searches by words does without

        pool = _pools.setdefault(os.getpid(), ThreadPoolExecutor(MOST_AT_ONCE, "satchel-beside"))
    return pool.submit(call)
