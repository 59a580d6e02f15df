"""Run calls in background threads, and let threads take turns."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

T = TypeVar("T")

MAX_THREADS = 16
# One pool per process id: a forked child has none of its parent's threads.
_pools: "dict[int, ThreadPoolExecutor]" = {}


def run_in_background(call: Callable[[], T]) -> "Future[T]":
    """Start a call that mostly releases the GIL, such as embedding or an index search.

    It runs in the context of its caller, which holds the scopes that may be seen.
    """
    pool = _pools.get(os.getpid())
    if pool is None:
        from concurrent.futures import ThreadPoolExecutor  # slow to import, and a lexical search does not need it

        pool = _pools.setdefault(os.getpid(), ThreadPoolExecutor(MAX_THREADS, "satchel-background"))
    return pool.submit(copy_context().run, call)


_embedding = threading.Lock()


@contextmanager
def embedding_turn(seconds: float) -> Iterator[bool]:
    """Let one thread at a time embed new texts. Yields whether this one has its turn, for which it waits some seconds."""
    has_turn = _embedding.acquire(timeout=max(0.0, seconds))
    try:
        yield has_turn
    finally:
        if has_turn:
            _embedding.release()
