"""A connection: timeouts for a silent or slow client, and the end of one that sends no HTTP."""

import asyncio

from uvicorn.protocols.http.h11_impl import H11Protocol

# Maximum time for the headers of a request to arrive.
HEAD_SECONDS = 10.0
# Maximum time for the client to read the response.
READING_SECONDS = 30.0


class TimeoutProtocol(H11Protocol):
    """HTTP/1.1 with timeouts for receiving the headers and for sending the response."""

    _timer: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Start the timeout for the headers."""
        super().connection_made(transport)
        self._timer = self.loop.call_later(HEAD_SECONDS, self._abort_if_silent)

    def on_response_complete(self) -> None:
        """Start the timeout for the response."""
        super().on_response_complete()
        self._cancel_timer()
        self._timer = self.loop.call_later(READING_SECONDS, self.transport.abort)

    def send_400_response(self, msg: str) -> None:
        """Refuse a request that stops being HTTP in its body. The app that was reading it has nobody left to answer."""
        if self.cycle is not None:
            self.cycle.disconnected = True
        super().send_400_response(msg)

    def connection_lost(self, exc: Exception | None) -> None:
        """Cancel the timeout."""
        self._cancel_timer()
        super().connection_lost(exc)

    def _cancel_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()

    def _abort_if_silent(self) -> None:
        if self.cycle is None:
            self.transport.abort()
