"""Backups of a store on this machine: one file from the ledger and the files beside it, and a store from such a file."""

import hashlib
import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from satchel.adapters import age_encryption, extras
from satchel.adapters.backup_files import LEDGER, evidence_files, has_store, put_in_place, waiting_files, write_evidence
from satchel.adapters.exchange_files import ExchangeFiles
from satchel.adapters.server_files import ServerFiles
from satchel.adapters.sqlite import backup
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.backup import BackedUp, BackupRestored
from satchel.domain.envelope import Ok
from satchel.errors import Conflict, Corrupt, InvalidRequest
from satchel.os_calls import lock_folder
from satchel.ports import Progress

CHUNK_BYTES = 1 << 20
MAX_PASSPHRASE_BYTES = 1_000
RESTORE_STEPS = 3


class StoreBackups:
    """Implements ports.BackupMaker over a store's folder."""

    def __init__(self, ledger: Path, exchange: ExchangeFiles) -> None:
        self._ledger = ledger
        self._exchange = exchange

    def make(self, path: str, *, passphrase_file: str | None, force: bool, progress: Progress | None) -> BackedUp:
        passphrase = _passphrase(passphrase_file)
        self._exchange.check(path, force=force)
        home = self._ledger.parent
        # In the store's own folder: the unencrypted copy is as private as the ledger.
        with _work_folder(home) as folder:
            copy = folder / LEDGER
            waiting = waiting_files(home)
            backup.copy_ledger(self._ledger, copy, progress)
            backup.add_files(copy, evidence_files(home, waiting))
            contents = backup.check_copy(copy)
            pieces = _chunks(copy)
            if passphrase is not None:
                pieces = iter([_encrypted(copy.read_bytes(), passphrase)])
            digest = hashlib.sha256()
            size = self._exchange.write(path, _digesting(pieces, digest.update), force=force)
            if self._written(path) != digest.hexdigest():
                raise Corrupt(
                    f"{path} does not read back as it was written", code="damaged_backup", hint="check the disk"
                )
        return BackedUp(path, size, passphrase is not None, f"sha256:{digest.hexdigest()}", contents)

    def command(self, path: str, *, encrypted: bool) -> str:
        file = Path(path).expanduser().absolute()
        words = [sys.executable, "-m", "satchel", "--home", str(self._ledger.parent), "backup", str(file), "--force"]
        return shlex.join(words) + (" --passphrase-file PASSPHRASE_FILE" if encrypted else "")

    def _written(self, path: str) -> str:
        digest = hashlib.sha256()
        with self._exchange.read(path) as file:
            for chunk in file.chunks:
                digest.update(chunk)
        return digest.hexdigest()


def restore_backup(
    settings: Settings,
    path: str,
    *,
    actor: str,
    passphrase_file: str | None,
    replace: bool,
    stamp: str,
    progress: Progress,
) -> Ok[BackupRestored]:
    """Make the store of the settings from a backup. One that is there is moved aside, if that is wanted."""
    if settings.address:
        raise InvalidRequest("a backup is restored into a folder; 'satchel move' copies that into a database")
    if settings.has_own_file:
        raise InvalidRequest("a backup is restored into a store's folder, not into a single ledger", hint="use --home")
    home = settings.ledger_file.parent
    if has_store(home) and not replace:
        raise Conflict(
            f"there is a store in {home}",
            code="store_exists",
            hint="--replace moves it aside; --home names another folder",
        )
    if ServerFiles(home).running() is not None:
        raise Conflict("a server keeps the store open", code="busy", hint="'satchel serve --stop' stops it")
    home.mkdir(mode=0o700, parents=True, exist_ok=True)
    with _work_folder(home) as folder:
        copy = folder / LEDGER
        progress(0, RESTORE_STEPS, "reading the backup")
        _fetch(settings, path, copy, _passphrase(passphrase_file))
        progress(1, RESTORE_STEPS, "checking it")
        contents = backup.check_copy(copy)
        write_evidence(folder, backup.take_files(copy))
        aside = None
        if has_store(home):
            aside = home.with_name(f"{home.name}.replaced-{stamp}")
            # A damaged ledger cannot be closed; it is kept with its log, as it is.
            with suppress(Corrupt):
                if (home / LEDGER).exists():
                    backup.close_for_moving(home / LEDGER)
        restored = BackupRestored(path, str(home), None if aside is None else str(aside), contents)
        progress(2, RESTORE_STEPS, "preparing the store")
        # Before the ledger is switched, so that the switch is the whole change; also brings an old one up to date.
        with Satchel.open(folder, actor=actor, folder=None) as prepared:
            answer = prepared.backups.record_restore(restored)
        # Closing ignores a log that could not be written into the file.
        backup.close_for_moving(copy)
        backup.check_copy(copy)
        put_in_place(folder, home, aside)
    progress(RESTORE_STEPS, RESTORE_STEPS, "restored")
    return answer


def _fetch(settings: Settings, path: str, copy: Path, passphrase: str | None) -> None:
    """Copy a backup into a private file, decrypted."""
    with ExchangeFiles(settings.ledger_file.parent, pipes=False).read(path) as file:
        begin = next(file.chunks, b"")
        with os.fdopen(os.open(copy, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as target:
            if begin.startswith(age_encryption.MAGIC):
                if passphrase is None:
                    raise InvalidRequest(f"{path} is encrypted", code="missing_param", hint="give --passphrase-file")
                target.write(age_encryption.decrypt(begin + b"".join(file.chunks), passphrase))
            elif begin.startswith(backup.MAGIC):
                target.write(begin)
                for chunk in file.chunks:
                    target.write(chunk)
            else:
                raise InvalidRequest(f"{path} is not a backup of a Satchel store", code="not_a_backup")
            target.flush()
            os.fsync(target.fileno())


def _passphrase(file: str | None) -> str | None:
    """Return the first line of a file, if one is named and what it is for is installed."""
    if file is None:
        return None
    extras.require(extras.BACKUP)
    with ExchangeFiles(Path(os.devnull), pipes=True).read(file) as opened:
        text = next(opened.chunks, b"")[:MAX_PASSPHRASE_BYTES]
    try:
        return text.partition(b"\n")[0].rstrip(b"\r").decode()
    except UnicodeDecodeError:
        raise InvalidRequest("the passphrase is not UTF-8", code="weak_passphrase", hint="write it as text") from None


def _encrypted(data: bytes, passphrase: str) -> bytes:
    encrypted = age_encryption.encrypt(data, passphrase)
    if age_encryption.decrypt(encrypted, passphrase) != data:
        raise Corrupt("the encrypted backup does not decrypt to the store", code="damaged_backup")
    return encrypted


@contextmanager
def _work_folder(home: Path) -> Iterator[Path]:
    try:
        folder = Path(mkdtemp(prefix=".backup.", dir=home))
    except PermissionError:
        # A store that can only be read is backed up through the folder for temporary files, which is as private.
        folder = Path(mkdtemp(prefix=".backup."))
    # The doctor removes such folders unless they are locked.
    handle = lock_folder(folder)
    try:
        yield folder
    finally:
        os.close(handle)
        rmtree(folder, ignore_errors=True)


def _chunks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while chunk := file.read(CHUNK_BYTES):
            yield chunk


def _digesting(pieces: Iterator[bytes], update: Callable[[bytes], None]) -> Iterator[bytes]:
    for piece in pieces:
        update(piece)
        yield piece
