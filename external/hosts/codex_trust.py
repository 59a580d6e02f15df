"""Trusts the hooks of Codex as a person does in `/hooks`, through the interface that Codex has for editors."""

import json
import subprocess
import threading
from pathlib import Path
from typing import Any, Self

from external.hosts.model import PATIENCE
from external.hosts.scratch import PROGRAMS, Scratch


class AppServer:
    """A running `codex app-server`."""

    def __init__(self, scratch: Scratch, project: Path) -> None:
        self._process = subprocess.Popen(
            [str(PROGRAMS / "codex"), "app-server"],
            cwd=project,
            env=scratch.variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        # A server that does not answer is killed; reading from it then ends.
        self._limit = threading.Timer(PATIENCE, self._process.kill)
        self._limit.start()
        self._number = 0

    def __enter__(self) -> Self:
        self.ask("initialize", {"clientInfo": {"name": "tests", "version": "1"}})
        return self

    def __exit__(self, *failure: object) -> None:
        self._limit.cancel()
        self._process.kill()
        self._process.communicate()

    def ask(self, method: str, parameters: dict[str, Any]) -> Any:
        """Return the result of a request."""
        assert self._process.stdin is not None and self._process.stdout is not None
        self._number += 1
        request = {"jsonrpc": "2.0", "id": self._number, "method": method, "params": parameters}
        self._process.stdin.write(json.dumps(request) + "\n")
        self._process.stdin.flush()
        for line in self._process.stdout:
            answer = json.loads(line)
            # Notifications have no id.
            if answer.get("id") == self._number:
                return answer["result"]
        raise AssertionError(f"codex app-server did not answer {method}")


def hooks_of_codex(scratch: Scratch, project: Path) -> list[dict[str, Any]]:
    """Return the hooks that Codex finds, each with its `trustStatus`."""
    with AppServer(scratch, project) as server:
        return _hooks(server, project)


def trust_hooks(scratch: Scratch, project: Path) -> None:
    """Trust every hook as it is now; Codex keeps this in its config.toml."""
    with AppServer(scratch, project) as server:
        trusted = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in _hooks(server, project)}
        edit = {"keyPath": "hooks.state", "value": trusted, "mergeStrategy": "upsert"}
        server.ask("config/batchWrite", {"edits": [edit]})


def _hooks(server: AppServer, project: Path) -> list[dict[str, Any]]:
    [folder] = server.ask("hooks/list", {"cwds": [str(project)]})["data"]
    return list(folder["hooks"])
