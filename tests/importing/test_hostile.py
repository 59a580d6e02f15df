"""Damaged and hostile sources: a report per record, good records kept, and nothing else changed."""

from pathlib import Path

from satchel.app import Satchel
from satchel.errors import SatchelError
from tests.importing.hostile import CASES, Hostile
from tests.importing.imports import import_all
from tests.tables import each_case, fresh_folder


def test_there_are_cases_enough() -> None:
    assert len({one.name for one in CASES}) == len(CASES) >= 50


@each_case("case", CASES, ids=lambda case: case.name)
def test_what_is_good_of_a_hostile_source_is_imported_and_the_rest_reported(
    memory: Satchel, tmp_path: Path, case: Hostile
) -> None:
    folder = fresh_folder(tmp_path)
    source = case.make(folder)
    scope, own = folder.name.lower().replace("_", "x"), memory.store(f"Mine, in {folder.name}").result.id
    before = everything(folder)
    try:
        done = import_all(memory, source, scope=scope, kind=case.kind)
    except SatchelError as error:
        assert error.code == case.error, error
    else:
        assert not case.error
        assert (done.new, sorted(one.reason for one in done.refusals)) == (case.new, sorted(case.reasons))
        assert import_all(memory, source, scope=scope, kind=case.kind).new == 0
    assert everything(folder) == before
    assert memory.get(own).result.memory.state == "active"
    assert not any("secret" in one.text for one in memory.memories.list(scope=scope, limit=100).result.memories)


def test_the_store_is_healthy_afterwards(memory: Satchel, tmp_path: Path) -> None:
    for case in CASES[::5]:
        folder = fresh_folder(tmp_path)
        try:
            import_all(memory, case.make(folder), kind=case.kind)
        except SatchelError:
            continue
    assert memory.maintenance.doctor().result.healthy
    assert memory.maintenance.receipts_verify().result.broken_at is None


def everything(folder: Path) -> list[tuple[str, int]]:
    """Return the files below a folder with their sizes; links and pipes are not followed."""
    return sorted((str(one), one.lstat().st_size) for one in folder.rglob("*"))
