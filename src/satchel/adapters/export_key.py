"""The key by which a store recognises its own exports: a private file in the store's folder."""

import os
import secrets
from pathlib import Path

from satchel.errors import Corrupt
from satchel.os_calls import sync_folder

KEY_BYTES = 32
PRIVATE_FILE = 0o600


class ExportKeyFile:
    """Implements core.parts.ExportKey."""

    def __init__(self, path: Path, *, read_only: bool) -> None:
        self._path = path
        self._read_only = read_only

    def __call__(self, *, create: bool) -> bytes | None:
        if create and not self._read_only and not self._path.exists():
            self._make()
        try:
            text = self._path.read_text(encoding="ascii").strip()
            key = bytes.fromhex(text)
        except FileNotFoundError:
            return None
        except ValueError as error:
            raise self._damaged() from error
        if len(key) != KEY_BYTES:
            raise self._damaged()
        return key

    def _make(self) -> None:
        """Write a new key, unless another process does so first."""
        new = self._path.with_name(f"{self._path.name}.{os.getpid()}.new")
        try:
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE), "w") as file:
                file.write(secrets.token_hex(KEY_BYTES) + "\n")
                file.flush()
                os.fsync(file.fileno())
            try:
                os.link(new, self._path)
            except FileExistsError:
                return
            except OSError:
                # A file system without hard links.
                new.replace(self._path)
        finally:
            new.unlink(missing_ok=True)
        sync_folder(self._path.parent)

    def _damaged(self) -> Corrupt:
        return Corrupt(
            f"{self._path} is not a key",
            hint="remove it: the next signed export makes a new one, and files signed before count as unsigned",
        )
