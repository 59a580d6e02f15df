"""Ingestion of documents when a server starts."""

from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.config import read_sources
from satchel.interfaces.http.workers import Workers
from satchel.interfaces.operations import Session


@pytest.mark.parametrize("wanted", [True, False])
def test_configured_folders_are_ingested_on_start(
    wanted: bool, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = tmp_path / "handbook"
    root.mkdir()
    (root / "a.md").write_text("tea\n", encoding="utf-8")
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    monkeypatch.setenv("SATCHEL_DOCS_COLD_LANE_SOURCE_ROOTS", str(root))
    monkeypatch.setenv("SATCHEL_DOCS_COLD_LANE_INGEST_ON_START", str(wanted).lower())

    def session() -> Session:
        return Session(read_sources(), "server", progress=lambda *_: None, note=lambda _: None, tell=lambda _: None)

    workers = Workers(session, home / "ledger.sqlite3")
    workers.open()
    workers.close()

    with Satchel.open() as memory:
        assert [one.path for one in memory.documents.list().result.documents] == (["a.md"] if wanted else [])
