"""The tokens that the operator created for programs: their digests, in a private file in the store's folder."""

import hashlib
import os
import secrets
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import msgspec

from satchel.domain.access import TOKEN_PREFIX, AccessToken
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.os_calls import READ_NOW, lock_folder, sync_folder

TOKENS = "serve.tokens"
TOKEN_BYTES = 32
MAX_TOKENS = 1_000
MAX_FILE_BYTES = 2 << 20
_Tokens = tuple[AccessToken, ...]


class TokenFile:
    """Reads the file at every question, so that a revoked token is refused at once by a running server."""

    def __init__(self, home: Path) -> None:
        self._path = home / TOKENS

    def tokens(self) -> _Tokens:
        """Return the tokens in the order of their names; none if there is no file. Raises InvalidRequest if it is damaged."""
        try:
            # Non-blocking: a named pipe would hang the server.
            with os.fdopen(os.open(self._path, READ_NOW), "rb") as file:
                content = file.read(MAX_FILE_BYTES + 1)
            return msgspec.json.decode(content, type=_Tokens)
        except FileNotFoundError:
            return ()
        except (OSError, msgspec.MsgspecError):
            hint = "remove it and create the tokens again"
            raise InvalidRequest(f"{TOKENS} is damaged", code="damaged_tokens", hint=hint) from None

    def find(self, secret: str) -> AccessToken | None:
        """Return the token that a secret belongs to; None if it belongs to none, or the file is damaged."""
        if not secret.startswith(TOKEN_PREFIX):
            return None
        digest, found = _digest(secret), None
        with suppress(InvalidRequest):
            for one in self.tokens():
                # Constant time, so that timing reveals nothing.
                if secrets.compare_digest(one.digest, digest):
                    found = one
        return found

    def create(
        self, name: str, now: int, *, scopes: tuple[str, ...], read_only: bool, expires_at: int | None
    ) -> tuple[AccessToken, str]:
        """Add a token; return it with its secret, which is kept nowhere."""
        secret = TOKEN_PREFIX + secrets.token_urlsafe(TOKEN_BYTES)
        token = AccessToken(name, _digest(secret), now, scopes, read_only, expires_at)

        def added(before: _Tokens) -> _Tokens:
            if any(one.name == name for one in before):
                hint = f"choose another name, or run 'satchel token revoke {name}' first"
                raise Conflict(f"there is a token {name!r} already", code="token_exists", hint=hint)
            if len(before) >= MAX_TOKENS:
                raise Conflict(f"there are {MAX_TOKENS:,} tokens already", code="too_many", hint="revoke some of them")
            return (*before, token)

        self._change(added)
        return token, secret

    def revoke(self, name: str) -> AccessToken:
        """Remove a token and return it. Raises NotFound if there is none of this name."""
        found = next((one for one in self.tokens() if one.name == name), None)
        if found is None:
            raise NotFound(f"no token {name[:80]!r}", code="no_token", hint="'satchel token list' shows all")
        self._change(lambda before: tuple(one for one in before if one.name != name))
        return found

    def _change(self, change: Callable[[_Tokens], _Tokens]) -> None:
        self._path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        handle = lock_folder(self._path.parent)
        try:
            changed = sorted(change(self.tokens()), key=lambda one: one.name)
            self._write(msgspec.json.format(msgspec.json.encode(changed), indent=2) + b"\n")
        finally:
            os.close(handle)

    def _write(self, content: bytes) -> None:
        from tempfile import mkstemp  # slow to import

        # mkstemp creates a private file, whatever the umask; `doctor` removes it if this process is killed.
        handle, name = mkstemp(prefix=f".{TOKENS}.", dir=self._path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            Path(name).replace(self._path)
        finally:
            Path(name).unlink(missing_ok=True)
        sync_folder(self._path.parent)


def _digest(secret: str) -> str:
    """Return the digest of a token. A token is 256 random bits, so a plain digest cannot be guessed back."""
    return hashlib.sha256(secret.encode("utf-8", "surrogatepass")).hexdigest()
