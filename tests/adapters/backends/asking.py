"""Helpers to query a backend in tests."""

import time
from typing import Any

from satchel.adapters.backends.external import ConfiguredBackends
from satchel.domain.periods import Period
from satchel.domain.routing import BackendEntry, BackendQuery, BackendReply, BackendState
from satchel.errors import BackendFailed
from satchel.ports.reading import ReadUnread
from satchel.routing.contract import check_reply


def entry(name: str, adapter: str, **options: Any) -> BackendEntry:
    return BackendEntry(name, BackendState.READY, adapter, options)


def ask(
    entry: BackendEntry,
    query: str,
    *,
    mode: str | None = None,
    limit: int = 20,
    seconds: float = 5.0,
    read: ReadUnread = lambda question, discussions: [],
    period: Period | None = None,
) -> BackendReply:
    """Query the backend of an entry, and check that its reply keeps the contract."""
    asked = BackendQuery(query, mode, limit, time.monotonic() + seconds, period=period)
    answer = ConfiguredBackends(read).backend(entry).ask(asked)
    return check_reply(answer, entry.name, asked)


def refusal(entry: BackendEntry, query: str = "anything", **more: Any) -> BackendFailed:
    """Query a backend that must fail, and return the error."""
    try:
        ask(entry, query, **more)
    except BackendFailed as error:
        return error
    raise AssertionError("it answered")
