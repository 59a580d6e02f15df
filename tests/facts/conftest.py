"""Fixtures: a store whose clock tests can set."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.facts.stores import ClockedStore, open_store


@pytest.fixture
def store(home: Path) -> Iterator[ClockedStore]:
    """A store on disk, without an embedding model."""
    with open_store(home) as one:
        yield one
