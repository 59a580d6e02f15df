"""What tests of knowledge get: a store whose clock they can set."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.facts.stores import Known, known


@pytest.fixture
def store(home: Path) -> Iterator[Known]:
    """A real store in a folder, without a model."""
    with known(home) as one:
        yield one
