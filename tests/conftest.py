"""Fixtures of every test: a clean environment, and a store in a temporary folder."""

import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import is_hypothesis_test
from msgspec.structs import replace

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.app import Satchel
from satchel.config import Settings, load
from tests.environment import clean, is_personal
from tests.faults.extent import is_whole

if TYPE_CHECKING:
    from satchel.adapters.embedders.onnx_encoder import OnnxEncoder

# Once, when the tests start: what is read at import, by fixtures of a module or by child processes is clean as well.
clean()

FOLDER = Path(__file__).parent
# Processes, servers, files of SQLite and Lance, the real model, examples of the docs, stores to measure: `make quick`
# does without them, and does not even import these folders.
SLOW_FOLDERS = frozenset(
    FOLDER / name
    for name in (
        "adapters", "benchmarks", "browser", "corpus", "faults", "security", "interfaces/cli", "interfaces/hooks", "interfaces/http",
        "interfaces/inspector", "interfaces/install", "interfaces/mcp", "promises", "skills",
    )
)  # fmt: skip
SLOW_FIXTURES = frozenset({"memory", "dated", "encoder", "settings"})
NOT_SLOW = "not slow"
# Need packages that `make test-postgres` installs.
SERVED_FOLDERS = (FOLDER / "postgres", FOLDER / "bucket")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave the slow folders unread where no slow test is wanted, and those that need a server of their own."""
    if collection_path in SERVED_FOLDERS and not _is_asked_for(collection_path, config):
        return True
    return True if config.option.markexpr == NOT_SLOW and collection_path in SLOW_FOLDERS else None


def _is_asked_for(folder: Path, config: pytest.Config) -> bool:
    asked = (Path(config.invocation_params.dir, name.partition("::")[0]) for name in config.args)
    return any(one == folder or folder in one.parents for one in asked)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark what is slow by where it is, what it uses and what its module imports, so that nobody has to."""
    missing = [folder for folder in SLOW_FOLDERS if not folder.is_dir()]
    assert not missing, f"moved? SLOW_FOLDERS names {missing}"
    for item in items:
        if _is_slow(item):
            item.add_marker("slow")
    if not is_whole() and (left_out := [item for item in items if item.get_closest_marker("whole")]):
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item not in left_out]


def _is_slow(item: pytest.Item) -> bool:
    module = vars(getattr(item, "module", None) or object)
    return (
        not SLOW_FOLDERS.isdisjoint(item.path.parents)
        or not SLOW_FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
        or "subprocess" in module
        or is_hypothesis_test(getattr(item, "obj", None))
    )


@pytest.fixture(autouse=True)
def _own_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Keep what an earlier test set from this one, and every test from the store of the person who runs it."""
    for name in filter(is_personal, list(os.environ)):
        monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(tmp_path / "person"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "person" / "data"))


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """The folder of a store that does not exist yet."""
    return tmp_path / "home"


@pytest.fixture
def empty_store(home: Path) -> Path:
    """The folder of a store without memories: reading commands create none."""
    Satchel.open(settings=load(home=str(home))).close()
    return home


@pytest.fixture
def settings(home: Path) -> Settings:
    """Settings for a store that keeps an index however small, with the model-free embedder and time to embed everything."""
    return load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 10_000, "index_from": 0})


@pytest.fixture
def memory(settings: Settings) -> Iterator[Satchel]:
    """A real store: SQLite and Lance in a folder, with the model-free embedder."""
    with Satchel.open(settings=settings) as opened:
        yield opened


class TickingClock:
    """A clock on which every look is a minute later."""

    def __init__(self) -> None:
        self._now = 1_700_000_000_000

    def now(self) -> int:
        self._now += 60_000
        return self._now

    def ticks(self) -> float:
        return 0.0


@pytest.fixture
def dated(memory: Satchel) -> Satchel:
    """A store in which every memory is newer than the one before."""
    return Satchel(replace(memory.parts, clock=TickingClock()))


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    """A ledger in memory."""
    opened = SqliteLedger(None)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def encoder() -> "OnnxEncoder":
    """The bundled model. Imported late: the inference runtime is slow to load."""
    from satchel.adapters.embedders.bundled import bundled_encoder

    return bundled_encoder(threads=2)
