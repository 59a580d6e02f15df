"""Ctrl-C: end a command at once while nothing is open, and in order while it works.

Loads only built-in modules: an interrupt before the handler is set is a traceback.
"""

import _signal  # type: ignore[import-not-found]  # signal without its enumerations
import _thread
import os
import time

# As in typing, which would have to be loaded for it.
TYPE_CHECKING = False

if TYPE_CHECKING:
    from typing import NoReturn

EXIT_CODE = 130
# Time for a command to put things in order. Then the process ends, which a store survives at any moment.
MAX_SECONDS = 1.5


class _State:
    """What the signal handler knows. There is one handler in a process."""

    working = False
    """A command works, and has something to put in order."""
    deferred = 0
    interrupted = False


def end_on_interrupt() -> None:
    """Let Ctrl-C end the process without a traceback, unless it is ignored or handled otherwise."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _handle)


def raise_on_interrupt() -> None:
    """Let Ctrl-C raise KeyboardInterrupt from now on, and end the process if that takes too long."""
    _State.working = True


def was_interrupted() -> bool:
    """Return whether Ctrl-C was pressed, also if a library swallowed the exception."""
    return _State.interrupted


def raise_if_interrupted() -> None:
    """Raise KeyboardInterrupt if Ctrl-C was pressed."""
    if _State.interrupted and not _State.deferred:
        raise KeyboardInterrupt


class Deferred:
    """Raises KeyboardInterrupt only at its end: extension modules print an exception in their import, or report another."""

    def __enter__(self) -> None:
        """Begin to wait; Python raises KeyboardInterrupt only in the main thread."""
        _State.deferred += _in_main_thread()

    def __exit__(self, *error: object) -> None:
        """Raise what waited."""
        if _in_main_thread():
            _State.deferred -= 1
            raise_if_interrupted()


def end_process() -> "NoReturn":
    """End the process without waiting for its threads, one of which may wait forever."""
    os._exit(EXIT_CODE)


def _handle(number: int, frame: object) -> None:
    if not _State.working:
        end_process()
    if not _State.interrupted:
        _State.interrupted = True
        _thread.start_new_thread(_end_later, ())
    raise_if_interrupted()


def _end_later() -> None:
    time.sleep(MAX_SECONDS)
    end_process()


def _in_main_thread() -> bool:
    return _thread.get_ident() == _MAIN_THREAD


_MAIN_THREAD = _thread.get_ident()
