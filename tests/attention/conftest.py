"""A router over a store in memory, for every test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.attention.told import Told, told_store


@pytest.fixture
def router(tmp_path: Path) -> Iterator[Told]:
    with told_store(tmp_path) as opened:
        yield opened
