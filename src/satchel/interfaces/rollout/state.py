"""The state of a rollout: a small file in the store's folder, and the copy of OpenClaw's configuration."""

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import msgspec

from satchel.errors import InvalidRequest
from satchel.interfaces.install import files
from satchel.interfaces.rollout.values import RolloutState
from satchel.os_calls import lock_folder

FOLDER = "rollout"
_FILE = "state.json"


class RolloutFolder:
    """The folder of a rollout in the folder of a store."""

    def __init__(self, home: Path) -> None:
        self.folder = home / FOLDER

    @contextmanager
    def locked(self) -> Iterator[RolloutState]:
        """Keep other steps out meanwhile; yields the state as it is then."""
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = lock_folder(self.folder)
        try:
            yield self.load()
        finally:
            os.close(handle)

    def load(self) -> RolloutState:
        """Return the saved state, or the initial state if there is no file."""
        path = self.folder / _FILE
        content = files.read(path).content
        try:
            return RolloutState() if content is None else msgspec.json.decode(content, type=RolloutState)
        except msgspec.MsgspecError:
            raise InvalidRequest(
                f"{path} is damaged",
                code="rollout_state",
                hint="move it away; 'satchel uninstall openclaw' takes Satchel out of the memory slot",
            ) from None

    def save(self, state: RolloutState) -> None:
        """Write the state."""
        content = msgspec.json.format(msgspec.json.encode(state), indent=2) + b"\n"
        files.write(files.read(self.folder / _FILE), content)

    def back_up(self, name: str, content: bytes) -> str:
        """Keep a copy of a file, and return its path."""
        path = self.folder / Path(name).name
        files.write(files.read(path), content)
        return path.name

    def backup(self, name: str) -> bytes | None:
        """Return a copy; None if it is gone."""
        return files.read(self.folder / Path(name).name).content

    def remove_backup(self, name: str) -> None:
        """Remove a copy that is not needed any more: it may hold keys of the host."""
        with suppress(FileNotFoundError):
            (self.folder / Path(name).name).unlink()
