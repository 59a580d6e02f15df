"""The users and tokens of a store, in a private file in its folder: names, limits and digests, never a token."""

import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from satchel.domain.access import TOKEN_PREFIX, AccessToken, User
from satchel.domain.access_list import NOBODY, AccessList, find_token
from satchel.errors import InvalidRequest
from satchel.os_calls import READ_NOW, lock_folder, sync_folder

FILE = "serve.tokens"
TOKEN_BYTES = 32
MAX_FILE_BYTES = 4 << 20
# A file without users is a list of tokens.
_Content = AccessList | tuple[AccessToken, ...]


class AccessFile:
    """Implements ports.AccessStore. Reads the file at every question, so that a running server refuses a revoked token at once."""

    def __init__(self, home: Path) -> None:
        self._path = home / FILE

    def read(self) -> AccessList:
        try:
            # Non-blocking: a named pipe would hang the server.
            with os.fdopen(os.open(self._path, READ_NOW), "rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
            found = msgspec.json.decode(content, type=_Content)
        except FileNotFoundError:
            return NOBODY
        except (OSError, msgspec.MsgspecError):
            hint = "remove it and create the users and tokens again"
            raise InvalidRequest(f"{FILE} is damaged", code="damaged_tokens", hint=hint) from None
        return found if isinstance(found, AccessList) else AccessList((), found)

    def change(self, change: Callable[[AccessList], AccessList]) -> AccessList:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = lock_folder(self._path.parent)
        try:
            changed = change(self.read())
            self._write(msgspec.json.format(msgspec.json.encode(changed), indent=2) + b"\n")
        finally:
            os.close(handle)
        return changed

    def find(self, digest: str) -> tuple[AccessToken, User | None] | None:
        with suppress(InvalidRequest):
            return find_token(self.read(), digest)
        return None

    def _write(self, content: bytes) -> None:
        from tempfile import mkstemp  # slow to import

        # mkstemp creates a private file, whatever the umask; `doctor` removes it if this process is killed.
        handle, name = mkstemp(prefix=f".{FILE}.", dir=self._path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._path)
        finally:
            Path(name).unlink(missing_ok=True)
        sync_folder(self._path.parent)


def new_secret() -> str:
    """Return a new token."""
    return TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
