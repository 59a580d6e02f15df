"""Calls to backends: each within a deadline, and failing steps put on cooldown.

A thread cannot be killed, so every call has its own, which is abandoned when the time is over. Adapters of programs
and servers get the deadline too, and end whatever they started themselves; a late result is dropped.
"""

import threading
import time
from collections.abc import Callable

from satchel.domain.routing import BackendQuery, RouteErrorCode
from satchel.domain.text import replace_undecodable
from satchel.errors import BackendFailed, SatchelError
from satchel.ports.backend import Backend, BackendAnswered, BackendErrored, BackendOutcome, BackendTimedOut

# Length of the first cooldown; each further failure doubles it, up to the maximum.
FIRST_COOLDOWN_SECONDS = 60.0
MAX_COOLDOWN_SECONDS = 300.0


class TimedCaller:
    """Implements ports.backend.BackendCaller."""

    def start(self, backend: Backend, asked: BackendQuery, seconds: float) -> Callable[[], BackendOutcome]:
        began = time.monotonic()
        done = threading.Event()
        outcomes: list[BackendOutcome] = []

        def run() -> None:
            outcomes.append(_call(backend, asked, began))
            done.set()

        # A daemon, so that a backend which never returns does not keep the program alive.
        threading.Thread(target=run, daemon=True, name=f"satchel-route-{backend.name}").start()

        def wait() -> BackendOutcome:
            done.wait(max(0.0, began + seconds - time.monotonic()))
            waited = time.monotonic() - began
            return outcomes[0] if outcomes and outcomes[0].seconds <= seconds else BackendTimedOut(waited)

        return wait


def _call(backend: Backend, asked: BackendQuery, began: float) -> BackendOutcome:
    try:
        reply = backend.ask(asked)
        return BackendAnswered(reply, time.monotonic() - began)
    except BackendFailed as error:
        elapsed = time.monotonic() - began
        # An adapter that keeps to the deadline itself reports the same as one that was abandoned.
        if error.code == RouteErrorCode.TIMEOUT:
            return BackendTimedOut(elapsed)
        return BackendErrored(error.code, error.message, elapsed)
    except SatchelError as error:
        return BackendErrored(RouteErrorCode.ERROR, error.message, time.monotonic() - began)
    except BaseException as error:  # noqa: BLE001  a third-party backend that breaks must not break the router
        reason = replace_undecodable(f"{type(error).__name__}: {error}"[:500])
        return BackendErrored(RouteErrorCode.ERROR, reason, time.monotonic() - began)


class InMemoryCooldowns:
    """Implements ports.backend.Cooldowns for one process. The file of backends belongs to its installer."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._until: dict[str, tuple[float, float]] = {}

    def failed(self, step: str, at: float) -> None:
        with self._lock:
            _, before = self._until.get(step, (0.0, FIRST_COOLDOWN_SECONDS / 2))
            seconds = min(MAX_COOLDOWN_SECONDS, before * 2)
            self._until[step] = (at + seconds, seconds)

    def succeeded(self, step: str) -> None:
        with self._lock:
            self._until.pop(step, None)

    def cooling_down(self, at: float) -> frozenset[str]:
        with self._lock:
            return frozenset(step for step, (until, _) in self._until.items() if at < until)
