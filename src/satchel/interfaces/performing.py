"""An operation performed for somebody else: whatever happens, the server that does it lives on."""

import logging
import time
from collections.abc import Mapping
from typing import Any

from satchel.config import is_debugging
from satchel.domain.envelope import Failed, Ok
from satchel.errors import SatchelError, Unavailable
from satchel.interfaces.agent_arguments import arguments
from satchel.interfaces.failures import failed
from satchel.interfaces.operations import Operation, Session
from satchel.interfaces.toolbox import Bounds

_log = logging.getLogger(__name__)


def performed(
    session: Session, operation: Operation, bounds: Bounds, given: Mapping[str, Any], client: str
) -> Ok[Any] | SatchelError:
    """Check what was given, run the operation, and return its answer or the error it ended in."""
    try:
        return operation.run(session, arguments(operation, bounds, given, client))
    except SatchelError as error:
        return error
    except OSError as error:
        return Unavailable(f"the system refused: {error.strerror}", code="io_error")
    except BaseException as error:  # noqa: BLE001  the outermost edge; panics of Rust libraries arrive outside Exception
        _log.error("%s: %s", operation.name, type(error).__name__, exc_info=is_debugging())
        return SatchelError(f"internal error: {type(error).__name__}", code="internal_error")


def failure(operation: Operation, error: SatchelError) -> Failed:
    """Return the envelope of the error an operation ended in."""
    return failed(operation.name, error, at=time.time_ns() // 1_000_000)
