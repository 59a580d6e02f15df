"""Let a server perform an operation: the store's own, which has everything loaded, or one on another machine."""

import os
from collections.abc import Mapping
from typing import Any

from satchel.config import Settings, SettingsSources
from satchel.domain.envelope import Ok
from satchel.domain.scope import check_scope
from satchel.domain.scope_name import AUTO_SCOPE
from satchel.errors import InvalidRequest, Refused, Unavailable
from satchel.interfaces.failures import reported_error
from satchel.interfaces.http import client
from satchel.interfaces.operations import Operation
from satchel.interfaces.serialization import from_json, receipt_from_json
from satchel.wiring.store_path import ledger_path


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


def ask_remote(
    operation: Operation, settings: Settings, given: Mapping[str, Any], *, typed: bool
) -> tuple[Ok[Any], int]:
    """Return the answer and exit code of the server that the setting remote.url names, or raise its error."""
    if operation.terminal_only or operation.agents_only:
        raise local_only(operation.name)
    from satchel.interfaces.http.remote import RemoteServer  # loads OpenSSL, which most commands do without

    remote = settings.remote
    server = RemoteServer(remote.url, remote.token, remote.ca_file)
    sent = _to_send(operation, settings, given)
    answer = server.call(operation.name.replace(" ", "_").replace("-", "_"), sent, repeatable=not operation.writes)
    return answer_of(operation, answer, typed=typed), answer.exit_code


_WHERE_TO_RUN = "run it on the server's machine, or without --url and SATCHEL_URL for the store on this one"


def local_only(name: str, hint: str = _WHERE_TO_RUN) -> Refused:
    """Return the refusal of a command that a server on another machine cannot perform."""
    return Refused(f"{name} works on this machine only", code="local_only", hint=hint)


def _to_send(operation: Operation, settings: Settings, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what differs from the defaults, which the server knows itself."""
    by_name = {one.name: one for one in operation.parameters}
    if "yes" in by_name and not (given.get("yes") or given.get("dry_run")):
        raise InvalidRequest(
            f"{operation.name} asks nobody on a server",
            code="needs_yes",
            hint="--dry-run shows what it would do, --yes does it",
        )
    sent = {
        name: value for name, value in given.items() if name != "yes" and value not in (by_name[name].default, None, ())
    }
    for name in sent:
        if by_name[name].terminal_only:
            raise local_only(by_name[name].option)
    if sent.get("scope") == AUTO_SCOPE:
        from satchel.wiring.adapters import scope_policy_in

        # The project of this folder, which the server does not know.
        sent["scope"] = check_scope(AUTO_SCOPE, scope_policy_in(settings.scope_policy, os.curdir))
    return sent


def answer_of(operation: Operation, answer: client.ServerAnswer, *, typed: bool) -> Ok[Any]:
    """Return the answer that a server gave, with a result of the operation's type if `typed`; or raise its error."""
    error = answer.envelope.get("error")
    if isinstance(error, dict):
        raise reported_error(
            answer.status, answer.exit_code, str(error["code"]), str(error["message"]), str(error["hint"])
        )
    try:
        result = answer.envelope.get("result")
        receipt = receipt_from_json(answer.envelope.get("receipt"))
        return Ok(from_json(operation.result, result) if typed else result, receipt)
    except ValueError:
        raise Unavailable(
            "the server's answer is invalid", code="server_lost", hint="restart 'satchel serve'"
        ) from None
