"""Run commands on one home and return what they print."""

import json
from pathlib import Path
from typing import Any

import pytest

from satchel.interfaces.cli.main import main


class Answer:
    """The exit code and the output of one command."""

    def __init__(self, code: int, out: str, err: str) -> None:
        self.code, self.out, self.err = code, out, err

    @property
    def json(self) -> dict[str, Any]:
        """The one JSON object on standard output."""
        (line,) = self.out.splitlines()
        parsed: dict[str, Any] = json.loads(line)
        return parsed

    @property
    def result(self) -> Any:
        """The result in that object."""
        return self.json["result"]

    @property
    def error(self) -> Any:
        """The error in that object."""
        return self.json["error"]


class CliRunner:
    """Runs commands in this process and checks their exit codes."""

    def __init__(self, home: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self._home, self._capsys = home, capsys

    def __call__(self, *arguments: str, code: int = 0) -> str:
        """Return the standard output of a command; with a code that is not 0, its standard error too."""
        assert main([*arguments, "--home", str(self._home)]) == code
        printed = self._capsys.readouterr()
        return printed.out + (printed.err if code else "")

    def json(self, *arguments: str, code: int = 0) -> dict[str, Any]:
        """Return the JSON object that a command prints."""
        answer = json.loads(self(*arguments, "--json", code=code))
        assert isinstance(answer, dict)
        return answer
