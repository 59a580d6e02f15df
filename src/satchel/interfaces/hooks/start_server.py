"""Start the store's server in the background, so that the next turn finds everything loaded."""

import os
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from satchel import __version__
from satchel.adapters.server_files import MAX_LOG_BYTES, PRIVATE_FILE, ServerFiles
from satchel.config import Settings
from satchel.interfaces.http.raw_client import HAS_UNIX_SOCKETS, ConnectionLost, exchange
from satchel.os_calls import CLOSE_ON_EXEC
from satchel.wiring.store_path import ledger_path

# The same package as this process, wherever the current folder is.
_PROGRAM = "import sys; sys.path.append(sys.argv.pop(1)); from satchel.__main__ import start; start()"
_PACKAGES = Path(__file__).parents[3]
# The host waits for the hook, so a server of another version has little time to agree to its end.
STOP_SECONDS = 0.5


def start_server(settings: Settings) -> None:
    """Start the server of a store if none runs, and wait for nothing. A read-only store, or a ledger elsewhere, has none.

    A server of another version is stopped; the next turn then starts one of this version. May raise OSError.
    """
    if settings.read_only or settings.has_own_file or not HAS_UNIX_SOCKETS:
        return
    files = ServerFiles(ledger_path(settings).parent)
    lock = files.lock_for_start(time.time())
    if lock is None:
        _stop_other_version(files)
        return
    try:
        _spawn(files, lock)
    finally:
        # The lock itself stays with the new process.
        os.close(lock)


def _spawn(files: ServerFiles, lock: int) -> None:
    log = os.open(files.log, os.O_WRONLY | os.O_CREAT | os.O_APPEND | CLOSE_ON_EXEC, PRIVATE_FILE)
    try:
        # Only starts that fail write here directly; the server itself writes to a log with a limit.
        if os.fstat(log).st_size > MAX_LOG_BYTES:
            os.ftruncate(log, 0)
        words = ("serve", "--on-demand", "--home", str(files.home))
        process = subprocess.Popen(
            [sys.executable, "-P", "-c", _PROGRAM, str(_PACKAGES), *words],
            stdin=lock,
            stdout=subprocess.DEVNULL,
            stderr=log,
            # Not the host's folder, which would stay in use.
            cwd=files.home,
            start_new_session=True,
        )
    finally:
        os.close(log)
    # It outlives this process, which must not wait for it or complain that it still runs.
    process.returncode = 0


def _stop_other_version(files: ServerFiles) -> None:
    running = files.running()
    if running is None or not running.on_demand or running.version in (None, __version__):
        return
    headers = {"Content-Type": "application/json", "Content-Length": "2"}
    with suppress(ConnectionLost, ValueError):
        exchange(str(files.home), "POST /v1/stop", headers, b"{}", STOP_SECONDS, greeting_seconds=STOP_SECONDS)
