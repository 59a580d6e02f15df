"""Answers over HTTP: the envelope, or the shape of an agent's tool, with the status and the exit code that go with it."""

import json
import time
from collections.abc import Mapping
from typing import Any

from starlette.responses import Response

from satchel.domain.envelope import Failed, Ok
from satchel.domain.outcome import outcome_of
from satchel.errors import SatchelError
from satchel.interfaces import toolbox
from satchel.interfaces.encode import envelope
from satchel.interfaces.failures import exit_code, failed, http_status
from satchel.interfaces.http.raw_client import EXIT_CODE
from satchel.interfaces.operations import Operation
from satchel.interfaces.performing import failure

# One request to a connection: there is no second one to smuggle anything into, and none that holds a place.
_ALWAYS = {"connection": "close", "cache-control": "no-store", "x-content-type-options": "nosniff"}


class Turned(Exception):
    """A request that is turned away before anything is done."""

    def __init__(self, status: int, error: SatchelError) -> None:
        super().__init__(error.code)
        self.status = status
        self.error = error


def performed(operation: Operation, outcome: Ok[Any] | SatchelError) -> Response:
    """Return the answer to a request that was carried out, or that failed on the way."""
    if isinstance(outcome, SatchelError):
        status, code = http_status(outcome), exit_code(outcome)
        answer: Ok[Any] | Failed = failure(operation, outcome)
    else:
        status, code, answer = 200, outcome_of(outcome.result), outcome
    body = _tool_result(operation, answer) if operation.agents_only else envelope(answer)
    return written(body, status, {EXIT_CODE: str(code)})


def turned_away(request: Turned) -> Response:
    """Return the answer to a request that was turned away."""
    answer = failed("request", request.error, at=time.time_ns() // 1_000_000)
    headers = {"www-authenticate": "Bearer"} if request.status == 401 else {}
    return written(envelope(answer), request.status, headers)


def written(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return an answer as JSON. Half of a surrogate pair, which UTF-8 cannot hold, is written as its escape."""
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(data, status, {**_ALWAYS, **(headers or {})}, "application/json")


def _tool_result(operation: Operation, answer: Ok[Any] | Failed) -> dict[str, Any]:
    said = toolbox.addressed(answer) if isinstance(answer, Failed) else answer
    content = [{"type": "text", "text": toolbox.text_of(said)}]
    result = {"content": content, "details": toolbox.structured(operation, said)}
    return result | ({"isError": True} if isinstance(said, Failed) else {})
