"""`satchel turn before` and `turn after`: one JSON object on standard input, one on standard output, and exit code 0.

A host calls these around every turn. Whatever goes wrong, the turn goes on: the answer is then an empty one with the
reason, and a line on standard error says the same.
"""

import json
import logging
import sys
import time
from collections.abc import Mapping
from typing import Any

from satchel.config import Survey, debugging
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest, SatchelError
from satchel.interfaces.arguments import arguments
from satchel.interfaces.cli.present import Screen
from satchel.interfaces.decode import receipt_of
from satchel.interfaces.hooks.turn_client import SERVER_SECONDS
from satchel.interfaces.http import client
from satchel.interfaces.operations import Operation, Session, of_area
from satchel.recall.question import Mode
from satchel.turns.values import TurnAfter, TurnBefore
from satchel.wiring.adapters import ledger_path

MAX_INPUT_BYTES = 20_000_000
_BY_NAME = {operation.name: operation for operation in of_area("turns")}
_log = logging.getLogger(__name__)


def before(survey: Survey) -> int:
    """Print what goes in front of a prompt. Without a server the words decide: a model takes too long to load."""
    return _hooked(_BY_NAME["turn before"], survey, {"mode": Mode.LEXICAL.value})


def after(survey: Survey) -> int:
    """Keep what a turn says, and print what was kept."""
    return _hooked(_BY_NAME["turn after"], survey, {})


def _hooked(operation: Operation, survey: Survey, own: Mapping[str, Any]) -> int:
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="satchel turn: %(message)s")
    try:
        answer = _performed(operation, survey, own)
    except BaseException as error:  # noqa: BLE001  the outermost edge: nothing may stand in the way of the turn
        answer = _empty(operation, error)
    for warning in answer.receipt.warnings:
        _log.warning("%s", warning)
    Screen(as_json=True).show(answer)
    return 0


def _performed(operation: Operation, survey: Survey, own: Mapping[str, Any]) -> Ok[Any]:
    parse_events = {one.name: one for one in operation.parameters}
    request = arguments(operation, parse_events, _request())
    if (answer := _served(operation, survey, request)) is not None:
        return answer
    session = Session(survey, "hook", progress=_unseen, note=_log.info, tell=_log.info)
    try:
        return operation.run(session, {**own, **request})
    finally:
        session.close()


def _served(operation: Operation, survey: Survey, request: Mapping[str, Any]) -> Ok[Any] | None:
    """Let the store's server do it, if one runs: it searches by meaning as well."""
    name = operation.name.replace(" ", "_")
    home = ledger_path(survey.settings).parent
    # Done twice, a turn leaves no more than done once: what was kept is recognised.
    answer = client.call(home, name, request, actor="hook", repeatable=True, seconds=SERVER_SECONDS)
    if answer is None or "result" not in answer.envelope:
        return None
    return Ok(answer.envelope["result"], receipt_of(answer.envelope.get("receipt")))


def _request() -> dict[str, Any]:
    raw = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1)
    if len(raw) > MAX_INPUT_BYTES:
        raise InvalidRequest(f"more than {MAX_INPUT_BYTES:,} bytes of input", code="text_too_long")
    try:
        request = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"the input is no JSON: {error}", code="invalid_json") from error
    if not isinstance(request, dict):
        raise InvalidRequest("the input is no JSON object", code="invalid_json")
    return request


def _empty(operation: Operation, error: BaseException) -> Ok[Any]:
    code = str(error.code) if isinstance(error, SatchelError) else "internal_error"
    message = error.message if isinstance(error, SatchelError) else type(error).__name__
    if debugging():
        _log.error("the hook failed", exc_info=error)
    receipt = Receipt(
        operation.name,
        asked={},
        decided={"error": code},
        warnings=(f"{code}: {message}",),
        at=time.time_ns() // 1_000_000,
    )
    empty: Any = TurnBefore("", True, code, "", "none") if operation.result is TurnBefore else TurnAfter((), True, code)
    return Ok(empty, receipt)


def _unseen(done: int, total: int, what: str) -> None:
    """A hook has nobody to show progress to."""
