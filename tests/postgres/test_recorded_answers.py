"""The fixed corpus of commands answers over PostgreSQL what it answered over SQLite: results, receipts and their digests.

What is compared is what `tests/corpus` recorded, without timings.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.corpus.record import AREAS, expected, replayed
from tests.postgres.plugin import InPostgres, schemas

# Its store is a file that an earlier version wrote.
_OF_A_FILE = "store"
# They are about the store's files: where it is, how its engine is, whether an erased text is still in a file.
_BY_NATURE = re.compile(r"(?:SATCHEL_\w+=\S+ )*(?:attention init|doctor|.* --verify)\b")


@pytest.fixture(autouse=True)
def _in_postgresql(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr("satchel.wiring.adapters.SqliteLedger", InPostgres)
    yield
    schemas.free_all()


@pytest.fixture(scope="module", autouse=True)
def _server() -> Iterator[None]:
    yield
    schemas.stop()


@pytest.mark.parametrize("area", sorted({*AREAS} - {_OF_A_FILE}))
def test_every_command_answers_as_over_sqlite(area: str, tmp_path: Path) -> None:
    recorded: list[dict[str, Any]] = json.loads(expected(area).read_text(encoding="utf-8"))
    entries = replayed(area, tmp_path.resolve())
    assert [entry["run"] for entry in entries] == [entry["run"] for entry in recorded]
    compared = [(one, other) for one, other in zip(entries, recorded, strict=True) if not _BY_NATURE.match(one["run"])]
    assert len(compared) > len(recorded) * 0.7
    differing = [one["run"] for one, other in compared if one != other]
    assert not differing
    assert schemas.was_used
