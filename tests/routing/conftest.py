"""Fixtures of the router tests: the state folder, and backends that behave as a test says."""

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel


class State:
    """The folder of the router's files."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def write(self, backends: dict[str, Any], **more: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        document = {"version": "2.0", "installed_at": "2026-03-17T14:30:00Z", "backends": backends, **more}
        (self.folder / "backends.json").write_text(json.dumps(document), encoding="utf-8")

    def rules(self, **said: Any) -> None:
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "router-config.json").write_text(json.dumps(said), encoding="utf-8")

    def program(self, body: str) -> dict[str, Any]:
        """Return the entry of a qmd that is a test program."""
        command = [sys.executable, "-c", body]
        return {"status": "ready", "adapter": "qmd-cli", "options": {"command": command, "collection": "c"}}

    @property
    def log(self) -> list[str]:
        path = self.folder / "router.log"
        return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


@pytest.fixture
def state(tmp_path: Path) -> State:
    """The state folder of the router, in a temporary home."""
    return State(tmp_path / "person" / ".openclaw" / "state")


@pytest.fixture
def filled(memory: Satchel) -> Satchel:
    """A store with a few memories, none as new as another."""
    clock = memory.parts.clock
    for text, kind in (
        ("parseAuthToken reads the bearer token from the header", "other"),
        ("We decided to keep orders in PostgreSQL, since the reports need JSON columns", "decision"),
        ("The release train leaves every second Tuesday", "other"),
    ):
        stored_at = memory.store(text, kind=kind).result.created_at
        while clock.now() <= stored_at:
            pass
    return memory
