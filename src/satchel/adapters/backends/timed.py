"""Asking a backend within a time. Each call has a thread of its own, which nobody waits for once the time is over.

A thread cannot be killed, so whatever a backend starts it has to end itself: adapters of programs and servers get the
deadline and keep it. What is left of a call that was given up is only ever dropped.
"""

import threading
import time
from collections.abc import Callable

from satchel.domain.routing import Asked, Code
from satchel.domain.text import readable
from satchel.errors import BackendFailed, SatchelError
from satchel.ports.backend import Answered, Backend, Broke, Result, TimedOut


class TimedCaller:
    """Implements ports.backend.Caller."""

    def start(self, backend: Backend, asked: Asked, seconds: float) -> Callable[[], Result]:
        began = time.monotonic()
        done = threading.Event()
        results: list[Result] = []

        def run() -> None:
            results.append(_asked(backend, asked, began))
            done.set()

        # A daemon, so that a backend which never returns does not keep the program alive.
        threading.Thread(target=run, daemon=True, name=f"satchel-route-{backend.name}").start()

        def wait() -> Result:
            done.wait(max(0.0, began + seconds - time.monotonic()))
            waited = time.monotonic() - began
            return results[0] if results and results[0].seconds <= seconds else TimedOut(waited)

        return wait


def _asked(backend: Backend, asked: Asked, began: float) -> Result:
    try:
        reply = backend.ask(asked)
        return Answered(reply, time.monotonic() - began)
    except BackendFailed as error:
        return Broke(error.code, error.message, time.monotonic() - began)
    except SatchelError as error:
        return Broke(Code.ERROR, error.message, time.monotonic() - began)
    except BaseException as error:  # noqa: BLE001  a backend may be anybody's: one that breaks must not take the router with it
        reason = readable(f"{type(error).__name__}: {error}"[:500])
        return Broke(Code.ERROR, reason, time.monotonic() - began)
