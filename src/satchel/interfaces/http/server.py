"""`satchel serve`: run the server of a store until it is stopped."""

import errno
import logging
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

import uvicorn
from msgspec.structs import asdict

from satchel import __version__
from satchel.config import Settings, load, sources_of
from satchel.errors import Unavailable
from satchel.interfaces.agents import Bounds
from satchel.interfaces.http.app import make_app
from satchel.interfaces.http.locations import PRIVATE_FILE, ServerFiles
from satchel.interfaces.http.status import ServerStatus
from satchel.interfaces.http.timeouts import TimeoutProtocol
from satchel.interfaces.http.workers import Workers
from satchel.interfaces.operations import Session
from satchel.locations import fingerprint
from satchel.wiring.adapters import ledger_path

LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 32
MAX_CONNECTIONS = 1_000
BACKLOG = 512
_log = logging.getLogger("satchel.serve")


def serve(home: Path, port: int | None, files: Path | None, announce: Callable[[ServerStatus], None]) -> int:
    """Serve the store in a folder until stopped; return the exit code. Agents may use files in the folder `files`."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="satchel serve: %(message)s")
    own_files = ServerFiles(home)
    # Until it serves, either signal interrupts the start, and its files are removed.
    with _signals_go_to(signal.default_int_handler), own_files.locked():
        # Before the settings are read: if one changes in between, clients are refused instead of answered wrongly.
        own = fingerprint(str(home), __version__)
        settings = load(home=str(home))
        own_files.clear()
        try:
            _serve(own_files, settings, own, port, files, announce)
        finally:
            own_files.clear()
    return 0


def _serve(
    own_files: ServerFiles,
    settings: Settings,
    own: str,
    port: int | None,
    files: Path | None,
    announce: Callable[[ServerStatus], None],
) -> None:
    workers = Workers(lambda: open_session(settings), ledger_path(settings))
    try:
        workers.open()
        with _listening(own_files, port) as sockets:
            status = _status(own_files.home, own, sockets)
            token = secrets.token_urlsafe(TOKEN_BYTES)
            agents = Bounds(read_only=settings.read_only, folder=files)
            app = make_app(workers, status, agents, token=token, fingerprint=own, stop=lambda: server.stop())
            server = _Server(_configuration(app))
            with _signals_go_to(server.handle_exit):
                own_files.write_token(token)
                own_files.write_status(asdict(status))
                announce(status)
                server.run(sockets)
    finally:
        workers.close()


def open_session(settings: Settings) -> Session:
    """Return a session that writes to the log: a server has no terminal."""
    return Session(
        sources_of(settings),
        "http",
        progress=lambda done, total, what: None,
        note=_log.info,
        tell=_log.info,
        # Where the server was started says nothing about its callers.
        folder=None,
    )


def _status(home: Path, own: str, sockets: list[socket.socket]) -> ServerStatus:
    return ServerStatus(
        home=str(home),
        running=True,
        pid=os.getpid(),
        version=__version__,
        since=time.time_ns() // 1_000_000,
        socket=sockets[0].getsockname(),
        port=sockets[1].getsockname()[1] if len(sockets) > 1 else None,
        fingerprint=own,
        current=True,
    )


@contextmanager
def _listening(own_files: ServerFiles, port: int | None) -> Iterator[list[socket.socket]]:
    """Listen on the Unix socket and, if a port is given, on the loopback address; never on another address."""
    path = own_files.socket()
    own_files.make_folder(path)
    local = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sockets = [local]
    try:
        local.bind(os.fspath(path))
        # Before it listens, so nobody else can connect.
        path.chmod(PRIVATE_FILE)
        if port is not None:
            sockets.append(_bound_to_loopback(port))
        for one in sockets:
            one.listen(BACKLOG)
        yield sockets
    finally:
        for one in sockets:
            one.close()


def _bound_to_loopback(port: int) -> socket.socket:
    tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        tcp.bind((LOOPBACK, port))
    except OSError as error:
        tcp.close()
        taken = error.errno == errno.EADDRINUSE
        raise Unavailable(
            f"port {port} cannot be used: {error.strerror}",
            code="port_taken" if taken else "io_error",
            hint="choose another with --port",
        ) from None
    return tcp


def _configuration(app: object) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        http=TimeoutProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        # No header may override the address of the client.
        proxy_headers=False,
        server_header=False,
        date_header=False,
        log_config=None,
        log_level="warning",
        access_log=False,
        limit_concurrency=MAX_CONNECTIONS,
        backlog=BACKLOG,
        timeout_keep_alive=1,
    )


class _Server(uvicorn.Server):
    """A uvicorn server that returns after a signal, so that we can clean up."""

    def stop(self) -> None:
        """Finish running requests and accept no new ones."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing: we handle signals. Uvicorn would raise the signal again after shutdown and kill the process."""
        yield


@contextmanager
def _signals_go_to(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    before = {one: signal.signal(one, handler) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, earlier in before.items():
            signal.signal(one, earlier)
