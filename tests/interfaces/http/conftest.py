"""A server process per test module."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel.interfaces.cli.main import main
from tests.interfaces.http.running import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on its socket and on TCP."""
    running = Server(tmp_path_factory.mktemp("served") / "home", "--port", "0")
    yield running
    assert running.stop() == 0


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Callable[..., Server]]:
    """Start servers of one's own; those that still run are stopped."""
    started: list[Server] = []

    def start(home: Path | None = None, *options: str, **more: Any) -> Server:
        started.append(Server(home or tmp_path / "home", *options, **more))
        return started[-1]

    yield start
    for one in started:
        one.stop()


class Shell:
    """Commands as a person types them, with the environment that a server was started with."""

    def __init__(self, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self._capsys = capsys
        self._monkeypatch = monkeypatch

    def like(self, server: Server) -> "Shell":
        """Work with the settings of a server, and on its store."""
        for name in ("HOME", "XDG_DATA_HOME", "SATCHEL_EMBEDDER"):
            if name in server.environment:
                self._monkeypatch.setenv(name, server.environment[name])
        self._monkeypatch.setenv("SATCHEL_HOME", str(server.home))
        return self

    def run(self, *words: str) -> tuple[int, str, str]:
        """Run a command; return exit code, standard output, standard error."""
        code = main(words)
        said = self._capsys.readouterr()
        return code, said.out, said.err

    def alone(self, *words: str) -> tuple[int, str, str]:
        """Run a command with another setting than the server's: it does without it."""
        with self._monkeypatch.context() as patch:
            patch.setenv("SATCHEL_NOBODY_READS_THIS", "1")
            return self.run(*words)


@pytest.fixture
def shell(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Shell:
    """The command line in this process."""
    return Shell(capsys, monkeypatch)
