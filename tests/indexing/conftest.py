"""A ledger in memory."""

from collections.abc import Iterator

import pytest

from satchel.adapters.sqlite.ledger import SqliteLedger


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    opened = SqliteLedger(None)
    yield opened
    opened.close()
