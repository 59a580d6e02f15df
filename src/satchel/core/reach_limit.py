"""The scopes that a caller may see at most, for a store that enforces them once more below the application.

Every query is narrowed to its scopes anyway. This is the second lock: a database that knows the limit holds it even if a
query forgets to.
"""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar

_allowed: ContextVar[tuple[str, ...] | None] = ContextVar("satchel_allowed_scopes", default=None)


@contextmanager
def limited_to(scopes: Sequence[str] | None) -> Iterator[None]:
    """Limit what the block may see. None sets no limit: the operator is asking. A limit is never widened inside."""
    if scopes is None or _allowed.get() is not None:
        yield
        return
    token = _allowed.set(tuple(scopes))
    try:
        yield
    finally:
        _allowed.reset(token)


@contextmanager
def lifted() -> Iterator[None]:
    """Lift the limit for work of the store itself, of which the caller sees nothing: events of any scope come in."""
    token = _allowed.set(None)
    try:
        yield
    finally:
        _allowed.reset(token)


def allowed_scopes() -> tuple[str, ...] | None:
    """Return the scopes that may be seen; None means all."""
    return _allowed.get()
