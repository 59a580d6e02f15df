"""Fixtures shared by the embedder tests."""

from pathlib import Path

import pytest

from satchel.adapters.embedders.weights import install
from tests.adapters.embedders import tiny


@pytest.fixture(scope="session")
def tiny_files() -> dict[str, bytes]:
    return tiny.files()


@pytest.fixture(scope="session")
def tiny_model(tiny_files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed tiny model; not to be changed."""
    place = tmp_path_factory.mktemp("tiny")
    source = tiny.folder(place / "source", tiny_files)
    return Path(install(place / "model", source=source, recipe=tiny.recipe(tiny_files)).folder)
