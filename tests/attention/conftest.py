"""An attention router over an in-memory store for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attention.stores import AttentionStore, open_test_store


@pytest.fixture
def router(tmp_path: Path) -> Iterator[AttentionStore]:
    with open_test_store(tmp_path) as opened:
        yield opened
