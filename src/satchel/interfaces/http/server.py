"""`satchel serve`: run the server of a store until it is stopped."""

import logging
import os
import secrets
import signal
import socket
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from types import FrameType
from typing import Any

from msgspec import Struct
from msgspec.structs import asdict, replace
from starlette.requests import Request

from satchel import __version__
from satchel.adapters.access_file import TOKEN_BYTES
from satchel.adapters.clock import SystemClock
from satchel.adapters.server_files import MAX_LOG_BYTES, ServerFiles
from satchel.adapters.upload_files import UploadFiles
from satchel.config import Settings, load, sources_of
from satchel.errors import Unavailable
from satchel.interfaces.agents import Bounds, operator_only
from satchel.interfaces.http.access import Access, sender_digest, sender_of
from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.app import make_app
from satchel.interfaces.http.binding import Binding, bracketed
from satchel.interfaces.http.certificate import Certificate
from satchel.interfaces.http.hosts import ON_SOCKET, REACHED, Reached, on_loopback
from satchel.interfaces.http.http_server import HttpServer, NetworkSocket, configuration
from satchel.interfaces.http.inspector_route import InspectorRoute, wanted_port
from satchel.interfaces.http.lifetime import FileState, Lifetime, state_of
from satchel.interfaces.http.limits import Limits
from satchel.interfaces.http.listening import LOOPBACK, tcp_socket, unix_socket, usual_socket
from satchel.interfaces.http.mcp_route import McpRoute
from satchel.interfaces.http.raw_client import HAS_UNIX_SOCKETS
from satchel.interfaces.http.status import InspectorAddress, ServerStatus
from satchel.interfaces.http.workers import Workers
from satchel.interfaces.operations import Session
from satchel.locations import SETTINGS_FILE, fingerprint
from satchel.os_calls import limit_memory_arenas, unsupported
from satchel.wiring.adapters import open_access
from satchel.wiring.store_path import ledger_path

_log = logging.getLogger("satchel.serve")


def serve(
    home: Path,
    port: int | None,
    files: Path | None,
    announce: Callable[[ServerStatus], None],
    *,
    on_demand: bool = False,
    binding: Binding | None = None,
) -> int:
    """Serve the store in a folder until stopped; return the exit code. Agents may use files in the folder `files`.

    With `on_demand` it also ends when it is unused, and writes its log to a file. `binding` is where other machines reach it.
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
        limits = Limits(settings.serve.requests_per_minute, settings.serve.records_per_day, SystemClock().ticks)
        _clear(own_files)
        try:
            with _opened_workers(settings, limits) as workers, _listening(own_files, port, binding) as listening:
                lifetime = _lifetime(own_files, settings, settings_state) if on_demand else None
                _serve(own_files, settings, own, workers, limits, listening, files, announce, lifetime)
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


@contextmanager
def _opened_workers(settings: Settings, limits: Limits) -> Iterator[Workers]:
    ledger = None if settings.address else ledger_path(settings)
    workers = Workers(lambda: open_session(settings, limits.count_records), ledger)
    try:
        workers.open()
        yield workers
    finally:
        workers.close()


def _serve(
    own_files: ServerFiles,
    settings: Settings,
    own: str,
    workers: Workers,
    limits: Limits,
    listening: "_Listening",
    files: Path | None,
    announce: Callable[[ServerStatus], None],
    lifetime: Lifetime | None,
) -> None:
    status = _status(own_files.home, own, listening)
    if lifetime is not None:
        status = replace(status, on_demand=True, idle_minutes=settings.serve.idle_minutes)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    agents = Bounds(read_only=settings.read_only, folder=files)
    in_use = lifetime.request if lifetime else nullcontext
    mcp = McpRoute(workers, agents, settings.scope_policy, in_use)
    access = Access(token, open_access(settings), agents, SystemClock(), limits)
    inspector = InspectorRoute(
        workers, SystemClock(), access, UploadFiles(own_files.home), read_only=settings.read_only, in_use=in_use
    )

    async def open_inspector(request: Request, given: Mapping[str, Any]) -> InspectorAddress:
        nonlocal status
        if not sender_of(request).may_inspect:
            raise RequestRejected(403, operator_only("the inspector", "it needs the role operator in every scope"))
        reached: Reached = request.scope[REACHED]
        if reached.by_network:
            origin = f"{request.url.scheme}://{request.headers['host']}"
            return inspector.entry(origin, listening.network_port or 0, sender_digest(request))
        wanted = wanted_port(given, status.port)
        if status.port is None:
            try:
                tcp = usual_socket(own_files.home) if wanted is None else tcp_socket(wanted)
            except Unavailable as error:
                raise RequestRejected(503, error) from None
            status = replace(status, port=tcp.getsockname()[1])
            await server.listen_on(tcp)
            own_files.write_status(asdict(status))
        return inspector.entry(f"http://{LOOPBACK}:{status.port}", status.port or 0, sender_digest(request))

    app = make_app(
        workers,
        lambda: replace(status, idle_end=own_files.idle_end(asdict(status))),
        agents,
        access=access,
        limits=limits,
        fingerprint=own,
        stop=lambda: server.stop(),
        mcp=mcp,
        inspector=inspector,
        open_inspector=open_inspector,
        reached_at=listening.reached_at,
        in_use=in_use,
    )
    server = HttpServer(configuration(app), lifetime, (mcp.close, inspector.close), listening.network)
    with _signals_go_to(server.handle_exit):
        own_files.write_token(token)
        own_files.write_status(asdict(status))
        own_files.note_start()
        announce(status)
        server.run(listening.local)


def open_session(settings: Settings, count_records: Callable[[str, int], None] = lambda who, count: None) -> Session:
    """Return a session that writes to the log: a server has no terminal."""
    return Session(
        sources_of(settings),
        "http",
        progress=lambda done, total, what: None,
        note=_log.info,
        tell=_log.info,
        # Where the server was started says nothing about its callers.
        folder=None,
        count_records=count_records,
    )


def _status(home: Path, own: str, listening: "_Listening") -> ServerStatus:
    return ServerStatus(
        home=str(home),
        running=True,
        pid=os.getpid(),
        version=__version__,
        since=time.time_ns() // 1_000_000,
        socket=listening.local[0].getsockname(),
        port=listening.local[1].getsockname()[1] if len(listening.local) > 1 else None,
        url=listening.url,
        bind=listening.bind,
        fingerprint=own,
        current=True,
    )


class _Listening(Struct, frozen=True):
    """The sockets of a server."""

    local: list[socket.socket]
    """The Unix socket, and that of a port of the loopback address if one was asked for."""
    binding: Binding | None
    network: NetworkSocket | None

    @property
    def network_port(self) -> int | None:
        """The port for other machines."""
        return None if self.network is None else int(self.network.socket.getsockname()[1])

    @property
    def url(self) -> str | None:
        """The address to give to other machines."""
        return self.binding.url(self.network_port or 0) if self.binding else None

    @property
    def bind(self) -> str | None:
        """The address and port for other machines."""
        return f"{bracketed(self.binding.address)}:{self.network_port}" if self.binding else None

    def reached_at(self, port: int | None) -> Reached:
        """Return how requests reach a port; None is the Unix socket."""
        if port is None:
            return ON_SOCKET
        return self.binding.reached(port) if self.binding and port == self.network_port else on_loopback(port)


@contextmanager
def _listening(own_files: ServerFiles, port: int | None, binding: Binding | None) -> Iterator[_Listening]:
    with ExitStack() as stack:
        network = None
        if binding is not None:
            # Before anything else, since these are what is most often wrong.
            certificate = Certificate(binding.certificate) if binding.certificate else None
            network = NetworkSocket(stack.enter_context(tcp_socket(binding.port, binding.address)), certificate)
        local = [stack.enter_context(unix_socket(own_files))]
        if port is not None:
            local.append(stack.enter_context(tcp_socket(port)))
        yield _Listening(local, binding, network)


@contextmanager
def _signals_go_to(handler: Callable[[int, FrameType | None], object]) -> Iterator[None]:
    before = {one: signal.signal(one, handler) for one in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for one, earlier in before.items():
            signal.signal(one, earlier)
