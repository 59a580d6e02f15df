"""`satchel serve`: a store kept open for others, until it is told to stop."""

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
from satchel.config import Settings, load, surveyed
from satchel.errors import Unavailable
from satchel.interfaces.http.app import make_app
from satchel.interfaces.http.locations import PRIVATE_FILE, Place
from satchel.interfaces.http.status import ServerStatus
from satchel.interfaces.http.timeouts import PatientProtocol
from satchel.interfaces.http.workers import Desk
from satchel.interfaces.operations import Session
from satchel.interfaces.toolbox import Bounds
from satchel.locations import fingerprint
from satchel.wiring.adapters import ledger_path

LOOPBACK = "127.0.0.1"
TOKEN_BYTES = 32
MAX_CONNECTIONS = 1_000
BACKLOG = 512
_log = logging.getLogger("satchel.serve")


def serve(home: Path, port: int | None, files: Path | None, tell: Callable[[ServerStatus], None]) -> int:
    """Serve the store in a folder until somebody says stop; return the exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="satchel serve: %(message)s")
    place = Place(home)
    # Until it serves, either signal breaks off what it is doing, and what it has left is cleared away.
    with _signals_go_to(signal.default_int_handler), place.alone():
        # Taken before the settings are read: one that changes in between makes clients turn away, never wrong.
        own = fingerprint(str(home), __version__)
        settings = load(home=str(home))
        place.clear()
        try:
            _serve(place, settings, own, port, files, tell)
        finally:
            place.clear()
    return 0


def _serve(
    place: Place,
    settings: Settings,
    own: str,
    port: int | None,
    files: Path | None,
    tell: Callable[[ServerStatus], None],
) -> None:
    desk = Desk(lambda: open_session(settings), ledger_path(settings))
    try:
        desk.open()
        with _listening(place, port) as sockets:
            status = _status(place, own, sockets)
            token = secrets.token_urlsafe(TOKEN_BYTES)
            agents = Bounds(read_only=settings.read_only, folder=files)
            # The app can stop the server that it is part of.
            app = make_app(desk, status, agents, token=token, fingerprint=own, stop=lambda: server.stop())
            server = _Server(_configuration(app))
            with _signals_go_to(server.handle_exit):
                place.leave_token(token)
                place.leave_note(asdict(status))
                tell(status)
                server.run(sockets)
    finally:
        desk.close()


def open_session(settings: Settings) -> Session:
    """Return a session that keeps its words to itself: it is nobody's terminal."""
    return Session(surveyed(settings), "http", progress=lambda done, total, what: None, note=_log.info, tell=_log.info)


def _status(place: Place, own: str, sockets: list[socket.socket]) -> ServerStatus:
    return ServerStatus(
        home=str(place.home),
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
def _listening(place: Place, port: int | None) -> Iterator[list[socket.socket]]:
    """Listen on the socket of the place, and with a port on this machine's own address; never on another."""
    path = place.socket()
    place.make_folder(path)
    near = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sockets = [near]
    try:
        near.bind(os.fspath(path))
        # Nobody can connect before it listens, so it is never anybody else's.
        path.chmod(PRIVATE_FILE)
        if port is not None:
            sockets.append(_on_loopback(port))
        for one in sockets:
            one.listen(BACKLOG)
        yield sockets
    finally:
        for one in sockets:
            one.close()


def _on_loopback(port: int) -> socket.socket:
    far = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    far.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        far.bind((LOOPBACK, port))
    except OSError as error:
        far.close()
        taken = error.errno == errno.EADDRINUSE
        raise Unavailable(
            f"port {port} cannot be used: {error.strerror}",
            code="port_taken" if taken else "io_error",
            hint="choose another with --port",
        ) from None
    return far


def _configuration(app: object) -> uvicorn.Config:
    return uvicorn.Config(
        app,  # type: ignore[arg-type]
        http=PatientProtocol,
        ws="none",
        loop="asyncio",
        lifespan="off",
        # Whoever asks is who connects: no header may say otherwise.
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
    """A server that ends by returning, whichever signal it was, so that what follows is done."""

    def stop(self) -> None:
        """Finish what runs, take nothing new."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave the signals to us. Uvicorn would send itself the same signal once more, and die of it."""
        yield


@contextmanager
def _signals_go_to(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    before = {one: signal.signal(one, handler) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, earlier in before.items():
            signal.signal(one, earlier)
