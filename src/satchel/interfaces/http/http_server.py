"""uvicorn with our sockets, signals and end."""

import asyncio
import logging
import socket
import ssl
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager

import uvicorn
from msgspec import Struct

from satchel.interfaces.http.certificate import Certificate
from satchel.interfaces.http.lifetime import Lifetime
from satchel.interfaces.http.listening import BACKLOG
from satchel.interfaces.http.timeouts import HEAD_SECONDS, TimeoutProtocol

MAX_CONNECTIONS = 1_000
# Uvicorn ticks ten times a second.
TICKS_PER_CHECK = 10
_log = logging.getLogger("satchel.serve")


class NetworkSocket(Struct, frozen=True):
    """The socket for other machines, and the certificate that it encrypts with; None if a proxy does."""

    socket: socket.socket
    certificate: Certificate | None


def configuration(app: object) -> uvicorn.Config:
    """Return how uvicorn runs the app: one request per connection, no headers or logs of its own."""
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


class HttpServer(uvicorn.Server):
    """A uvicorn server that returns after a signal, so that we can clean up, or at the end of its lifetime."""

    def __init__(
        self,
        configuration: uvicorn.Config,
        lifetime: Lifetime | None,
        end_sessions: Sequence[Callable[[], Awaitable[None]]],
        network: NetworkSocket | None = None,
    ) -> None:
        super().__init__(configuration)
        self._network = network
        self._lifetime = lifetime
        self._end_sessions = end_sessions

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Accept connections on the given sockets, and on the network's, which alone is encrypted."""
        await super().startup(sockets)
        if self._network is not None:
            certificate = self._network.certificate
            await self.listen_on(self._network.socket, certificate.context if certificate else None)

    async def on_tick(self, counter: int) -> bool:
        """Load a changed certificate, and stop if there is a reason to end."""
        if counter % TICKS_PER_CHECK == 0:
            if self._network is not None and self._network.certificate is not None:
                self._network.certificate.reload()
            if self._lifetime and (reason := self._lifetime.reason_to_end()):
                _log.info("ended: %s", reason)
                self.stop()
        return await super().on_tick(counter)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the sessions first: uvicorn waits for open event streams, which have no end of their own."""
        for end in self._end_sessions:
            await end()
        await super().shutdown(sockets)

    async def listen_on(self, tcp: socket.socket, encrypted: ssl.SSLContext | None = None) -> None:
        """Accept connections on one more socket."""

        def protocol() -> asyncio.Protocol:
            return TimeoutProtocol(self.config, self.server_state, self.lifespan.state)

        patience = HEAD_SECONDS if encrypted else None
        loop = asyncio.get_running_loop()
        self.servers.append(
            await loop.create_server(protocol, sock=tcp, backlog=BACKLOG, ssl=encrypted, ssl_handshake_timeout=patience)
        )

    def stop(self) -> None:
        """Finish running requests and accept no new ones."""
        self.should_exit = True

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Do nothing: we handle signals. Uvicorn would raise the signal again after shutdown and kill the process."""
        yield
