"""A server over a store that has a record of every kind, and arguments for every operation."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from satchel.app import Satchel
from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.operations import Operation
from tests.interfaces.http.running import Server
from tests.security.canaries import MINE, fill
from tests.security.cases import CASES, filled_in, takes_scope
from tests.security.conftest import settings_of

Call = tuple[str, Operation, dict[str, Any]]
"""A name in the path, its operation, and arguments."""


def fill_store(home: Path) -> Mapping[str, str]:
    """Fill a store; return the ids of its records by kind."""
    with Satchel.open(settings=settings_of(home)) as memory:
        ids = fill(memory, MINE, "zqmine").ids
        memory.maintenance.index_build()
    return ids


def calls_of(ids: Mapping[str, str]) -> Iterator[Call]:
    """Yield calls of every operation that HTTP offers, those that only read first."""
    for name, operation in sorted(OFFERED.items(), key=lambda item: item[1].writes):
        for arguments in CASES[operation.name]:
            scope = {"scope": MINE} if takes_scope(operation) else {}
            yield name, operation, {**filled_in(arguments, ids), **scope}


@contextmanager
def filled_server(home: Path, *options: str) -> Iterator[tuple[Server, Mapping[str, str]]]:
    """Start a server over a filled store; yield it with the ids of the records."""
    ids = fill_store(home)
    server = Server(home, *options)
    try:
        yield server, ids
    finally:
        code = server.stop()
    assert code == 0
