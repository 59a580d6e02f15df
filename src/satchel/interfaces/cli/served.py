"""The command line through a running server: the same answer, without loading what the server has loaded."""

from collections.abc import Mapping
from typing import Any

from satchel.config import SettingsSources
from satchel.domain.envelope import Ok
from satchel.errors import Unavailable
from satchel.interfaces.decode import decoded, receipt_of
from satchel.interfaces.failures import error_of
from satchel.interfaces.http import client
from satchel.interfaces.operations import Operation
from satchel.wiring.adapters import ledger_path


def served(
    operation: Operation, sources: SettingsSources, given: Mapping[str, Any], actor: str, *, typed: bool
) -> tuple[Ok[Any], int] | None:
    """Return the answer of the store's server with its exit code, or raise its error; None if none answers.

    The result is of the operation's type with `typed`, else as it came: plain JSON.
    """
    if not operation.served:
        return None
    name = operation.name.replace(" ", "_")
    home = ledger_path(sources.settings).parent
    answer = client.call(home, name, given, actor=actor, repeatable=not operation.writes)
    if answer is None:
        return None
    error = answer.envelope.get("error")
    if isinstance(error, dict):
        raise error_of(answer.exit_code, str(error["code"]), str(error["message"]), str(error["hint"]))
    try:
        result = answer.envelope.get("result")
        receipt = receipt_of(answer.envelope.get("receipt"))
        return Ok(decoded(operation.result, result) if typed else result, receipt), answer.exit_code
    except ValueError:
        raise Unavailable("the server's answer cannot be read", code="server_lost", hint="restart it") from None
