"""Let a running server perform an operation, which has everything loaded."""

from collections.abc import Mapping
from typing import Any

from satchel.config import SettingsSources
from satchel.domain.envelope import Ok
from satchel.errors import Unavailable
from satchel.interfaces.failures import reported_error
from satchel.interfaces.http import client
from satchel.interfaces.operations import Operation
from satchel.interfaces.serialization import from_json, receipt_from_json
from satchel.wiring.adapters import ledger_path


def ask_server(
    operation: Operation, sources: SettingsSources, given: Mapping[str, Any], actor: str, *, typed: bool
) -> tuple[Ok[Any], int] | None:
    """Return the server's answer and exit code, or raise the error it reports; None if no server answers.

    The result has the operation's type with `typed`, and is plain JSON without.
    """
    if not operation.served:
        return None
    name = operation.name.replace(" ", "_")
    home = ledger_path(sources.settings).parent
    answer = client.call(home, name, given, actor=actor, repeatable=not operation.writes)
    return None if answer is None else (answer_of(operation, answer, typed=typed), answer.exit_code)


def answer_of(operation: Operation, answer: client.ServerAnswer, *, typed: bool) -> Ok[Any]:
    """Return the answer that a server gave, with a result of the operation's type if `typed`; or raise its error."""
    error = answer.envelope.get("error")
    if isinstance(error, dict):
        raise reported_error(answer.exit_code, str(error["code"]), str(error["message"]), str(error["hint"]))
    try:
        result = answer.envelope.get("result")
        receipt = receipt_from_json(answer.envelope.get("receipt"))
        return Ok(from_json(operation.result, result) if typed else result, receipt)
    except ValueError:
        raise Unavailable(
            "the server's answer is invalid", code="server_lost", hint="restart 'satchel serve'"
        ) from None
