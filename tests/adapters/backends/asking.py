"""How the tests of backends ask one."""

import time
from typing import Any

from satchel.adapters.backends.outside import OutsideBackends
from satchel.domain.routing import Asked, Entry, Reply, State
from satchel.errors import BackendFailed
from satchel.routing.contract import check_reply


def entry(name: str, adapter: str, **options: Any) -> Entry:
    return Entry(name, State.READY, adapter, options)


def ask(entry: Entry, query: str, *, mode: str | None = None, limit: int = 20, seconds: float = 5.0) -> Reply:
    """Ask the backend of an entry, and check that its answer keeps the contract."""
    asked = Asked(query, mode, limit, time.monotonic() + seconds)
    answer = OutsideBackends().backend(entry).ask(asked)
    return check_reply(answer, entry.name, asked)


def refusal(entry: Entry, query: str = "anything", **more: Any) -> BackendFailed:
    """Ask, and return the failure that comes of it."""
    try:
        ask(entry, query, **more)
    except BackendFailed as error:
        return error
    raise AssertionError("it answered")
