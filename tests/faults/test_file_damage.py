"""Damage to every file of a store: no wrong row, no empty answer without a word, and a way back."""

import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel import Satchel
from satchel.domain.envelope import Ok
from satchel.errors import Corrupt, SatchelError, Unavailable
from satchel.interfaces.cli.main import main
from tests.faults.extent import extent
from tests.faults.file_damage import DAMAGES, PAGE, UNREADABLE, flip, restore_permissions
from tests.faults.filled_store import LOGGED, TEXTS, open_store, with_log

QUESTION = "ship leaves harbour at dawn"
# Codes that name no reason.
VAGUE = ("internal", "ledger_error")
# Satchel removes no folder that it did not make, and changes no permissions of what it cannot read.
OPERATORS_TASK = ("replaced by a folder", "unreadable")
NEW = "The maroon ship arrives at noon"
FORGOTTEN = "a thing about the quay"
KNOWN = {*TEXTS, LOGGED, NEW, "Never sail in fog"}


class Case:
    """A damaged store, and what its operations answered."""

    def __init__(self, home: Path) -> None:
        self._home = home
        self.errors: dict[str, SatchelError] = {}
        self.answers: dict[str, Ok[Any]] = {}

    def run(self, name: str, operation: Callable[[Satchel], Ok[Any]]) -> None:
        """Open the store and run one operation, as a command does. Any other exception fails the test."""
        try:
            with open_store(self._home) as store:
                self.answers[name] = operation(store)
        except SatchelError as error:
            assert error.code not in VAGUE, f"{name}: {error.message}"
            self.errors[name] = error

    def is_warned(self, name: str) -> bool:
        """Return whether an operation failed, or warned of something."""
        return name in self.errors or bool(self.answers[name].receipt.warnings)


def use(home: Path, tmp_path: Path) -> Case:
    """Use a damaged store in every way, and check what comes back."""
    case = Case(home)
    case.run("list", lambda store: store.memories.list(limit=100))
    case.run("recall", lambda store: store.recall(QUESTION, limit=20))
    case.run("pack", lambda store: store.pack(QUESTION))
    case.run("turn before", lambda store: store.turn.before(QUESTION))
    case.run("store", lambda store: store.store(NEW))
    case.run("forget", lambda store: store.forget(store.store(FORGOTTEN).result.id))
    case.run("export", lambda store: store.transfer.export(str(tmp_path / "out.jsonl"), all_scopes=True))
    case.run("ingest", lambda store: store.observations.ingest())
    case.run("doctor", lambda store: store.maintenance.doctor())
    case.run("doctor --fix", lambda store: store.maintenance.doctor(fix=True))
    case.run("doctor again", lambda store: store.maintenance.doctor())
    case.run("list again", lambda store: store.memories.list(limit=100))
    case.run("recall again", lambda store: store.recall(QUESTION, limit=20))
    check_texts(case)
    return case


def check_texts(case: Case) -> None:
    """Check that every text that was returned is a text that was stored, and that nothing is missing without a word."""
    known = KNOWN | ({FORGOTTEN} if "forget" in case.errors else set())
    for name in ("list", "list again"):
        if name in case.answers:
            listed = {one.text for one in case.answers[name].result.memories}
            escaped = {text for text in listed - known if "\\x" in text}
            assert listed - known - escaped == set(), name
            assert set(TEXTS) <= listed or case.is_warned(name) or case.is_warned("list"), name
    for name in ("recall", "recall again"):
        if name in case.answers:
            found = [hit.memory.text for hit in case.answers[name].result.hits]
            assert set(found) <= known, name
            assert found or case.is_warned(name), name


def is_healthy(case: Case) -> bool:
    """Return whether the doctor found nothing wrong after its repair."""
    return "doctor again" in case.answers and bool(case.answers["doctor again"].result.healthy)


@pytest.fixture(scope="module")
def stores(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A closed store, and one that was copied while it was open."""
    home = tmp_path_factory.mktemp("open") / "home"
    with_log(filled, home)
    return {"closed": filled, "open": home}


@pytest.fixture
def damaged_home(tmp_path: Path) -> Iterator[Path]:
    """A folder for a damaged store, removed whatever its permissions."""
    home = tmp_path / "damaged"
    yield home
    if home.exists():
        restore_permissions(home)


KINDS = (
    "closed: ledger.sqlite3", "open: ledger.sqlite3", "open: ledger.sqlite3-wal", "open: ledger.sqlite3-shm",
    "closed: ledger.sqlite3.made", "closed: config.toml", "closed: serve.tokens", "closed: hook-failures.json", "closed: hook-sessions/*.json",
    "closed: spool/*.jsonl", "closed: spool/*.lock", "closed: index/*.lock",
    *(f"closed: index/{table}.lance/{part}" for table in ("memories", "passages") for part in (
        "_versions/*.manifest", "_versions/*.json", "_transactions/*.txn", "data/*.lance", "_indices/*/*.lance",
    )),
)  # fmt: skip
ALL_DAMAGES = DAMAGES | ({} if os.geteuid() == 0 else UNREADABLE)
SHORT = (
    ("open: ledger.sqlite3-wal", "halved"),
    ("closed: config.toml", "byte flipped at 0%"),
    ("closed: spool/*.jsonl", "page zeroed"),
    ("closed: index/memories.lance/_versions/*.manifest", "emptied"),
    ("closed: index/memories.lance/data/*.lance", "byte flipped at 50%"),
)


@pytest.mark.parametrize(
    ("kind", "damage"), extent(SHORT, [(kind, damage) for kind in KINDS for damage in ALL_DAMAGES])
)
def test_damage_to_files_of_a_kind(
    stores: dict[str, Path], damaged_home: Path, tmp_path: Path, kind: str, damage: str
) -> None:
    state, pattern = kind.split(": ")
    names = sorted(str(path.relative_to(stores[state])) for path in stores[state].glob(pattern) if path.is_file())
    assert names, f"no file {pattern}"
    for name in extent(names[-1:], spread(names, damage)):
        shutil.rmtree(damaged_home, ignore_errors=True)
        shutil.copytree(stores[state], damaged_home)
        ALL_DAMAGES[damage](damaged_home / name)
        case = use(damaged_home, tmp_path)
        check_recovery(name, damage, case)
        (tmp_path / "out.jsonl").unlink(missing_ok=True)


def spread(names: list[str], damage: str) -> list[str]:
    """Return the files to damage in this way: the newest in every way, each of the others in a quarter of the ways.

    Lance keeps many old versions of a few kinds, which are read alike.
    """
    first = [*ALL_DAMAGES].index(damage)
    return [name for place, name in enumerate(names) if (place + first) % 4 == 0 or name == names[-1]]


def check_recovery(name: str, damage: str, case: Case) -> None:
    """Check that a store works without what can be done without, and says clearly what it cannot do."""
    if name.startswith("ledger.sqlite3"):
        assert all(isinstance(error, Corrupt | Unavailable) for error in case.errors.values()), case.errors
    elif name == "config.toml":
        assert all(error.hint for error in case.errors.values()), case.errors
    elif damage in OPERATORS_TASK:
        assert all(isinstance(error, Unavailable) for error in case.errors.values()), case.errors
    else:
        assert case.errors == {}
        assert is_healthy(case), case.answers["doctor again"].result.findings
        assert set(TEXTS) <= {one.text for one in case.answers["list"].result.memories}


PLACES = (0, 5, 12, 700, 2048, 3500, 4090)
"""Bytes of a page: its type, its number of cells, a cell pointer, and content."""


@pytest.fixture(scope="module")
def ledger_only(filled: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A store of nothing but its ledger."""
    home = tmp_path_factory.mktemp("ledger") / "home"
    home.mkdir()
    for name in ("ledger.sqlite3", "ledger.sqlite3.made"):
        shutil.copy(filled / name, home / name)
    return home


@pytest.mark.parametrize("share", extent([0.0, 0.4, 0.7], [number / 200 for number in range(200)]))
def test_a_flipped_byte_on_every_page(ledger_only: Path, damaged_home: Path, tmp_path: Path, share: float) -> None:
    pages = (ledger_only / "ledger.sqlite3").stat().st_size // PAGE
    first, last = int(pages * share), int(pages * (share + 1 / 200))
    for page in range(first, max(last, first + 1)):
        for place in extent(PLACES[:2], PLACES):
            shutil.rmtree(damaged_home, ignore_errors=True)
            shutil.copytree(ledger_only, damaged_home)
            flip_at(damaged_home / "ledger.sqlite3", page * PAGE + place)
            check_page(damaged_home, tmp_path, f"page {page + 1}, byte {place}")


def flip_at(path: Path, position: int) -> None:
    """Change one byte."""
    with path.open("r+b") as file:
        file.seek(position)
        (found,) = file.read(1)
        file.seek(position)
        file.write(bytes([found ^ 0x55]))


def check_page(home: Path, tmp_path: Path, where: str) -> None:
    """Check that damage to a page is found by the doctor, or changes nothing that is returned."""
    case = Case(home)
    case.run("doctor", lambda store: store.maintenance.doctor())
    case.run("list", lambda store: store.memories.list(limit=100))
    case.run("recall", lambda store: store.recall("ship", mode="lexical", limit=20))
    case.run("export", lambda store: store.transfer.export(str(tmp_path / "out.jsonl"), all_scopes=True, force=True))
    case.run("store", lambda store: store.store(NEW))
    case.run("doctor --fix", lambda store: store.maintenance.doctor(fix=True))
    case.run("doctor again", lambda store: store.maintenance.doctor())
    case.run("list again", lambda store: store.memories.list(limit=100))
    is_found = "doctor" in case.errors or not case.answers["doctor"].result.healthy
    for name in ("list", "list again"):
        if name in case.answers:
            listed = {one.text for one in case.answers[name].result.memories}
            assert all(text in KNOWN or "\\x" in text or is_found for text in listed), (where, name)
            assert set(TEXTS) <= listed or is_found or case.is_warned(name), (where, name)
            assert listed or case.is_warned(name), (where, name)
    if "recall" in case.answers:
        assert {hit.memory.text for hit in case.answers["recall"].result.hits} <= KNOWN, where


@pytest.mark.parametrize("share", extent([0.1, 0.6], [number / 80 for number in range(80)]))
def test_no_flipped_byte_of_the_index_gives_a_wrong_row(
    stores: dict[str, Path], damaged_home: Path, share: float
) -> None:
    shutil.copytree(stores["closed"], damaged_home)
    for path in damaged_home.glob("index/*.lance/data/*.lance"):
        flip(share)(path)
    for mode in ("vector", "hybrid"):
        with open_store(damaged_home) as store:
            found = [hit.memory.text for hit in store.recall(QUESTION, mode=mode, limit=20).result.hits]
        assert found and set(found) <= KNOWN


COMMANDS = (
    ("list",), ("recall", QUESTION), ("pack", QUESTION), ("turn", "before", QUESTION), ("store", NEW),
    ("export", "-"), ("forget", "--query", "ship"), ("doctor",), ("doctor", "--fix"), ("index", "rebuild"), ("stats",),
)  # fmt: skip
EXIT_CODES = (0, 1, 2, 3)
COMMANDS_SHORT = (("ledger.sqlite3", "halved"), ("config.toml", "byte flipped at 0%"))
COMMANDS_FULL = [
    (name, damage) for name in ("ledger.sqlite3", "config.toml", "spool/00000001.jsonl") for damage in DAMAGES
]


@pytest.mark.parametrize(("name", "damage"), extent(COMMANDS_SHORT, COMMANDS_FULL))
def test_commands_end_with_a_documented_exit_code(
    stores: dict[str, Path], damaged_home: Path, capsys: pytest.CaptureFixture[str], name: str, damage: str
) -> None:
    shutil.copytree(stores["closed"], damaged_home)
    DAMAGES[damage](damaged_home / name)
    for command in COMMANDS:
        assert main([*command, "--home", str(damaged_home)]) in EXIT_CODES, command
        printed = capsys.readouterr()
        assert "Traceback" not in printed.err and "internal error" not in printed.err.lower(), (command, printed.err)
