"""Who the present call works for, so that a store with replicas can show callers what they wrote themselves."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar

_caller: ContextVar[str] = ContextVar("satchel_caller", default="")


@contextmanager
def working_for(caller: str) -> Iterator[None]:
    """Name the caller of the block."""
    token = _caller.set(caller)
    try:
        yield
    finally:
        _caller.reset(token)


def present_caller() -> str:
    """Return the name of the caller; empty if the process works for nobody else."""
    return _caller.get()
