"""A store for each test."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.observations.stores import Store, opened


@pytest.fixture
def store(home: Path) -> Iterator[Store]:
    """A real store whose clock the test can set."""
    with opened(home) as opened_store:
        yield opened_store
