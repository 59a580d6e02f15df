"""What every test gets: an environment of its own, and a store in a folder of its own."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.config import Settings, load

# The model is installed once per machine; each test's home folder is new, so the place is fixed before that.
os.environ.setdefault("SATCHEL_MODELS", str(load().models_folder))


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Let no setting of the person who runs the tests reach them, and no test reach that person's store."""
    for name in [name for name in os.environ if name.startswith("SATCHEL_") and name != "SATCHEL_MODELS"]:
        monkeypatch.delenv(name)
    monkeypatch.delenv("MAR_DB_PATH", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "person" / "data"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a store that does not exist yet."""
    return tmp_path / "home"


@pytest.fixture
def settings(home: Path) -> Settings:
    """Settings for a store that keeps an index however small, with the model-free embedder and time to embed everything."""
    return load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 10_000, "index_from": 0})


@pytest.fixture
def memory(settings: Settings) -> Iterator[Satchel]:
    """A real store: SQLite and Lance in a folder, with the model-free embedder."""
    with Satchel.open(settings=settings) as opened:
        yield opened
