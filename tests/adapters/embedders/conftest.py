"""Fixtures shared by the embedder tests."""

import os
from pathlib import Path

import pytest

from satchel.adapters.embedders.minilm import NAME, MiniLm
from satchel.adapters.embedders.weights import install
from tests.adapters.embedders import tiny


@pytest.fixture(scope="session")
def minilm() -> MiniLm:
    """The real model, installed by make."""
    models = os.environ.get("SATCHEL_MODELS")
    if not models or not (Path(models) / NAME).is_dir():
        pytest.fail(f"these tests need {NAME} in the folder that SATCHEL_MODELS names: satchel model install")
    return MiniLm(Path(models) / NAME, threads=2)


@pytest.fixture(scope="session")
def tiny_files() -> dict[str, bytes]:
    return tiny.files()


@pytest.fixture(scope="session")
def tiny_model(tiny_files: dict[str, bytes], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An installed tiny model; not to be changed."""
    place = tmp_path_factory.mktemp("tiny")
    source = tiny.folder(place / "source", tiny_files)
    return Path(install(place / "model", source=source, recipe=tiny.recipe(tiny_files)).folder)
