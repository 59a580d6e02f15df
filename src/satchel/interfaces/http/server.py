"""`satchel serve`: run the server of a store until it is stopped."""

import asyncio
import errno
import logging
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

import uvicorn
from msgspec.structs import asdict, replace

from satchel import __version__
from satchel.adapters.clock import SystemClock
from satchel.adapters.server_files import MAX_LOG_BYTES, PRIVATE_FILE, ServerFiles
from satchel.adapters.token_file import TOKEN_BYTES, TokenFile
from satchel.adapters.upload_files import UploadFiles
from satchel.config import Settings, load, sources_of
from satchel.errors import Unavailable
from satchel.interfaces.agents import Bounds
from satchel.interfaces.http.access import Access
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.app import make_app
from satchel.interfaces.http.inspector_route import InspectorRoute, wanted_port
from satchel.interfaces.http.lifetime import FileState, Lifetime, state_of
from satchel.interfaces.http.mcp_route import McpRoute
from satchel.interfaces.http.raw_client import HAS_UNIX_SOCKETS
from satchel.interfaces.http.status import InspectorAddress, ServerStatus
from satchel.interfaces.http.timeouts import TimeoutProtocol
from satchel.interfaces.http.workers import Workers
from satchel.interfaces.operations import Session
from satchel.locations import SETTINGS_FILE, fingerprint
from satchel.os_calls import limit_memory_arenas, unsupported
from satchel.wiring.adapters import ledger_path

LOOPBACK = "127.0.0.1"
MAX_CONNECTIONS = 1_000
BACKLOG = 512
# Uvicorn ticks ten times a second.
TICKS_PER_CHECK = 10
_log = logging.getLogger("satchel.serve")


def serve(
    home: Path,
    port: int | None,
    files: Path | None,
    announce: Callable[[ServerStatus], None],
    *,
    on_demand: bool = False,
) -> int:
    """Serve the store in a folder until stopped; return the exit code. Agents may use files in the folder `files`.

    With `on_demand` it also ends when it is unused, and writes its log to a file.
    """
    if not HAS_UNIX_SOCKETS:
        raise unsupported("Unix sockets, which a server needs,", "every other command works without a server")
    # Before there are threads, which would each get a heap.
    limit_memory_arenas()
    own_files = ServerFiles(home)
    if on_demand:
        _log_to_file(own_files.log)
    else:
        logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="satchel serve: %(message)s")
    # Until it serves, either signal interrupts the start, and its files are removed.
    with _signals_go_to(signal.default_int_handler), own_files.locked():
        # Before the settings are read: if one changes in between, clients are refused instead of answered wrongly.
        own, settings_state = fingerprint(str(home), __version__), state_of(home / SETTINGS_FILE)
        settings = load(home=str(home))
        _clear(own_files)
        try:
            lifetime_of = (lambda: _lifetime(own_files, settings, settings_state)) if on_demand else None
            _serve(own_files, settings, own, port, files, announce, lifetime_of)
        finally:
            _clear(own_files)
    return 0


def _clear(own_files: ServerFiles) -> None:
    """Remove the files of a server, and the uploads that were not imported."""
    if own_files.clear():
        UploadFiles(own_files.home).clear()


def _lifetime(own_files: ServerFiles, settings: Settings, settings_state: FileState) -> Lifetime:
    return Lifetime(
        ledger_path(settings),
        own_files.home / SETTINGS_FILE,
        settings_state,
        idle_seconds=settings.serve.idle_minutes * 60,
        ticks=SystemClock().ticks,
        used=own_files.touch_status,
    )


def _log_to_file(path: Path) -> None:
    from logging.handlers import RotatingFileHandler

    handler = RotatingFileHandler(path, maxBytes=MAX_LOG_BYTES, backupCount=1, encoding="utf-8", delay=True)
    logging.basicConfig(handlers=[handler], level=logging.INFO, format="%(asctime)s %(process)d %(message)s")


def _serve(
    own_files: ServerFiles,
    settings: Settings,
    own: str,
    port: int | None,
    files: Path | None,
    announce: Callable[[ServerStatus], None],
    lifetime_of: Callable[[], Lifetime] | None,
) -> None:
    workers = Workers(lambda: open_session(settings), ledger_path(settings))
    try:
        workers.open()
        lifetime = lifetime_of() if lifetime_of else None
        with _listening(own_files, port) as sockets:
            status = _status(own_files.home, own, sockets)
            if lifetime is not None:
                status = replace(status, on_demand=True, idle_minutes=settings.serve.idle_minutes)
            token = secrets.token_urlsafe(TOKEN_BYTES)
            agents = Bounds(read_only=settings.read_only, folder=files)
            in_use = lifetime.request if lifetime else nullcontext
            mcp = McpRoute(workers, agents, settings.scope_policy, in_use)
            uploads = UploadFiles(own_files.home)
            inspector = InspectorRoute(workers, SystemClock(), uploads, read_only=settings.read_only, in_use=in_use)

            async def open_inspector(given: Mapping[str, Any]) -> InspectorAddress:
                nonlocal status
                wanted = wanted_port(given, status.port)
                if status.port is None:
                    try:
                        tcp = _bound_to_loopback(wanted)
                    except Unavailable as error:
                        raise RequestRejected(503, error) from None
                    status = replace(status, port=tcp.getsockname()[1])
                    await server.listen_on(tcp)
                    own_files.write_status(asdict(status))
                return inspector.entry(status.port or 0)

            app = make_app(
                workers,
                lambda: replace(status, idle_end=own_files.idle_end(asdict(status))),
                agents,
                access=Access(token, TokenFile(own_files.home), agents),
                fingerprint=own,
                stop=lambda: server.stop(),
                mcp=mcp,
                inspector=inspector,
                open_inspector=open_inspector,
                in_use=in_use,
            )
            server = _Server(_configuration(app), lifetime, (mcp.close, inspector.close))
            with _signals_go_to(server.handle_exit):
                own_files.write_token(token)
                own_files.write_status(asdict(status))
                own_files.note_start()
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
        local.listen(BACKLOG)
        yield sockets
    finally:
        for one in sockets:
            one.close()


def _bound_to_loopback(port: int) -> socket.socket:
    """Return a socket that listens on a port of the loopback address; 0 for any."""
    tcp = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        tcp.bind((LOOPBACK, port))
        tcp.listen(BACKLOG)
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
    """A uvicorn server that returns after a signal, so that we can clean up, or at the end of its lifetime."""

    def __init__(
        self,
        configuration: uvicorn.Config,
        lifetime: Lifetime | None,
        end_sessions: Sequence[Callable[[], Awaitable[None]]],
    ) -> None:
        super().__init__(configuration)
        self._lifetime = lifetime
        self._end_sessions = end_sessions

    async def on_tick(self, counter: int) -> bool:
        """Stop if there is a reason to end."""
        if self._lifetime and counter % TICKS_PER_CHECK == 0 and (reason := self._lifetime.reason_to_end()):
            _log.info("ended: %s", reason)
            self.stop()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the sessions first: uvicorn waits for open event streams, which have no end of their own."""
        for end in self._end_sessions:
            await end()
        await super().shutdown(sockets)

    async def listen_on(self, tcp: socket.socket) -> None:
        """Accept connections on one more socket."""

        def protocol() -> asyncio.Protocol:
            return TimeoutProtocol(self.config, self.server_state, self.lifespan.state)

        self.servers.append(await asyncio.get_running_loop().create_server(protocol, sock=tcp, backlog=BACKLOG))

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
