"""How patient a server is with a connection: none may hold a place by saying nothing, or by not listening."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

HEAD_SECONDS = 10.0
READING_SECONDS = 30.0


class PatientProtocol(H11Protocol):
    """HTTP/1.1 with an end to waiting: for the head of the request, and for the answer to be read."""

    _limit: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Give the head of the request so long."""
        super().connection_made(transport)
        self._limit = self.loop.call_later(HEAD_SECONDS, self._cut_off_if_silent)

    def on_response_complete(self) -> None:
        """Give the answer so long to be read."""
        super().on_response_complete()
        self._limited_to(READING_SECONDS)

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the limit."""
        if self._limit is not None:
            self._limit.cancel()
        super().connection_lost(exc)

    def _limited_to(self, seconds: float) -> None:
        if self._limit is not None:
            self._limit.cancel()
        self._limit = self.loop.call_later(seconds, self.transport.abort)

    def _cut_off_if_silent(self) -> None:
        if self.cycle is None:
            self.transport.abort()
