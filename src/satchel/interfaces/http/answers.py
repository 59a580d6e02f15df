"""HTTP responses: the envelope or a tool result, with status and exit code."""

import json
import re
from collections.abc import Mapping
from typing import Any

from msgspec.structs import replace
from starlette.responses import Response

from satchel.domain.envelope import Failed, Ok, outcome_of
from satchel.errors import LimitReached, SatchelError
from satchel.interfaces import toolbox
from satchel.interfaces.agents import Bounds
from satchel.interfaces.failures import exit_code, failure_of, http_status
from satchel.interfaces.http.raw_client import EXIT_CODE
from satchel.interfaces.operations import Operation
from satchel.interfaces.serialization import envelope

# One request per connection: no request smuggling, and no idle connection counts against the limit.
_ALWAYS = {"connection": "close", "cache-control": "no-store", "x-content-type-options": "nosniff"}

_OPTION = re.compile(r"--[a-z][a-z-]*")


class RequestRejected(Exception):
    """A request rejected before anything was done."""

    def __init__(self, status: int, error: SatchelError) -> None:
        super().__init__(error.code)
        self.status = status
        self.error = error


def operation_response(
    operation: Operation, outcome: Ok[Any] | SatchelError, bounds: Bounds, *, for_command: bool = False
) -> Response:
    """Return the response to an operation that was performed or failed within these bounds.

    With `for_command`, the command line shows it to a person, and hints name its options.
    """
    if isinstance(outcome, SatchelError):
        status, code = http_status(outcome), exit_code(outcome)
        described = failure_of if bounds.operator else toolbox.agent_failure
        failure = described(operation.name, outcome)
        answer: Ok[Any] | Failed = failure if for_command else _with_parameter_names(failure, operation)
    else:
        status, code, answer = 200, outcome_of(outcome.result), outcome
    body = _tool_result(operation, answer) if operation.agents_only else envelope(answer)
    waiting = _waiting(outcome) if isinstance(outcome, SatchelError) else {}
    return json_response(body, status, {EXIT_CODE: str(code), **waiting})


def _with_parameter_names(failure: Failed, operation: Operation) -> Failed:
    """Return a failure whose hint names the parameters of a request instead of options, unless it quotes a command."""
    if "satchel " in failure.hint:
        return failure
    names = {one.option: one.name for one in operation.parameters}
    hint = _OPTION.sub(lambda found: repr(names.get(found.group(), found.group())), failure.hint)
    return replace(failure, hint=hint)


def rejection_response(rejected: RequestRejected, headers: Mapping[str, str] | None = None) -> Response:
    """Return the response to a rejected request."""
    answer = failure_of("request", rejected.error)
    asks_for_token = {"www-authenticate": "Bearer"} if rejected.status == 401 else {}
    return json_response(
        envelope(answer), rejected.status, {**asks_for_token, **_waiting(rejected.error), **(headers or {})}
    )


def _waiting(error: SatchelError) -> dict[str, str]:
    return {"retry-after": str(error.retry_after)} if isinstance(error, LimitReached) else {}


def text_response(text: str, kind: str) -> Response:
    """Return a response of a text type."""
    return Response(text, headers=_ALWAYS, media_type=kind)


def json_response(body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None) -> Response:
    """Return a JSON response. Lone surrogates, which UTF-8 cannot encode, are escaped."""
    data = json.dumps(body, ensure_ascii=False).encode("utf-8", "backslashreplace")
    return Response(data, status, {**_ALWAYS, **(headers or {})}, "application/json")


def _tool_result(operation: Operation, answer: Ok[Any] | Failed) -> dict[str, Any]:
    content = [{"type": "text", "text": toolbox.text_of(answer)}]
    result = {"content": content, "details": toolbox.structured_content(operation, answer)}
    return result | ({"isError": True} if isinstance(answer, Failed) else {})
