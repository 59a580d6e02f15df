"""Files that a browser sent to be imported: in the store's folder, private, under random names."""

import os
import secrets
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

from satchel.errors import Unavailable
from satchel.locations import UPLOADS
from satchel.os_calls import CLOSE_ON_EXEC

_PRIVATE_FILE = 0o600
_PRIVATE_FOLDER = 0o700
_NAME_BYTES = 16


class UploadFiles:
    """The uploads of a store; `home` is its folder, with links resolved."""

    def __init__(self, home: Path) -> None:
        self._folder = home / UPLOADS

    def create(self) -> tuple[Path, BinaryIO]:
        """Return a new empty file, open for writing."""
        path = self._folder / secrets.token_hex(_NAME_BYTES)
        try:
            self._folder.mkdir(mode=_PRIVATE_FOLDER, exist_ok=True)
            handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | CLOSE_ON_EXEC, _PRIVATE_FILE)
        except OSError as error:
            raise Unavailable(f"the upload cannot be kept: {error.strerror}", code="io_error") from None
        return path, os.fdopen(handle, "wb")

    def remove(self, path: Path) -> None:
        """Remove an upload, if it is still there, and the folder with the last one."""
        with suppress(OSError):
            path.unlink()
        with suppress(OSError):
            self._folder.rmdir()

    def clear(self) -> None:
        """Remove all uploads, also those of a server that was killed."""
        if self._folder.is_symlink():
            return
        with suppress(OSError):
            for path in list(self._folder.iterdir()):
                path.unlink()
            self._folder.rmdir()
