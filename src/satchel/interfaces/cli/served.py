"""The command line through a running server: the same answer, without loading what the server has loaded."""

from collections.abc import Mapping
from typing import Any

from satchel.config import Survey
from satchel.domain.envelope import Ok
from satchel.errors import Unavailable
from satchel.interfaces.decode import answer_of
from satchel.interfaces.failures import error_of
from satchel.interfaces.http import client
from satchel.interfaces.operations import Operation
from satchel.wiring.adapters import ledger_path


def served(operation: Operation, survey: Survey, given: Mapping[str, Any], actor: str) -> Ok[Any] | None:
    """Return the answer of the store's server, or raise its error; None when the operation is to be done here."""
    if not operation.served:
        return None
    name = operation.name.replace(" ", "_")
    home = ledger_path(survey.settings).parent
    answer = client.call(home, name, given, actor=actor, repeatable=not operation.writes)
    if answer is None:
        return None
    error = answer.envelope.get("error")
    if isinstance(error, dict):
        raise error_of(answer.exit_code, str(error["code"]), str(error["message"]), str(error["hint"]))
    try:
        return answer_of(operation.result, answer.envelope)
    except ValueError:
        raise Unavailable("the server's answer cannot be read", code="server_lost", hint="restart it") from None
