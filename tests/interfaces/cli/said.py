"""What the command line says, command by command, of one home."""

import json
from pathlib import Path
from typing import Any

import pytest

from satchel.interfaces.cli.main import main


class Said:
    """Runs commands on one home and returns what they print."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._home, self._capsys = home, capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        assert main([*arguments, "--home", str(self._home)]) == code
        return self._capsys.readouterr().out

    def json(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        """Return the envelope of an answer."""
        envelope = json.loads(self(*arguments, "--json", code=code))
        assert isinstance(envelope, dict)
        return envelope
