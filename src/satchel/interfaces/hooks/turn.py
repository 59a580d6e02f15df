"""`satchel turn start`, `turn before` and `turn after`: one JSON object in, one out.

Hosts call these around every turn. If anything fails, the turn goes on: the answer is empty and has the reason, which
is also printed to standard error. The exit code is 1 if `turn after` could not keep everything, else 0.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from satchel.config import SettingsSources, is_debugging, read_sources
from satchel.domain.envelope import Ok, outcome_of
from satchel.domain.receipt import Receipt
from satchel.errors import InvalidRequest, SatchelError
from satchel.interfaces.cli.present import Screen
from satchel.interfaces.hooks.host_input import turn_arguments
from satchel.interfaces.hooks.local_store import LocalStore, start_server_for
from satchel.interfaces.hooks.turn_client import GREETING_SECONDS, SERVER_SECONDS
from satchel.interfaces.http import client
from satchel.interfaces.operations import Operation, operations_in
from satchel.interfaces.serialization import from_json, receipt_from_json
from satchel.turns.values import TurnAfter, TurnBefore, TurnStart
from satchel.wiring.store_path import ledger_path

MAX_INPUT_BYTES = 20_000_000
_BY_NAME = {operation.name: operation for operation in operations_in("turns")}


def run(which: str, home: str | None, *, ask_server: bool) -> int:
    """Run the hook "start", "before" or "after" of the store in a folder, without the command line, which loads more.

    `ask_server` is False if a server was asked already and did not answer.
    """
    request = partial(_read_request, None, None)
    return _run(_BY_NAME[f"turn {which}"], lambda: read_sources(home=home), request, ask_server=ask_server)


def start(sources: SettingsSources, text: str | None, scope: str | None) -> int:
    """Print the block for the start of a session."""
    return _run(_BY_NAME["turn start"], lambda: sources, partial(_read_request, text, scope))


def before(sources: SettingsSources, text: str | None, scope: str | None) -> int:
    """Print the block for the prompt."""
    return _run(_BY_NAME["turn before"], lambda: sources, partial(_read_request, text, scope))


def after(sources: SettingsSources, text: str | None, scope: str | None) -> int:
    """Capture memories from a turn and print them."""
    return _run(_BY_NAME["turn after"], lambda: sources, partial(_read_request, text, scope))


def _run(
    operation: Operation,
    read: Callable[[], SettingsSources],
    read_request: Callable[[], dict[str, Any]],
    *,
    ask_server: bool = True,
) -> int:
    sources = None
    try:
        sources = read()
        answer = _perform(operation, sources, read_request(), ask_server=ask_server)
    except BaseException as error:  # noqa: BLE001  the outermost edge: nothing may block the turn
        answer = _empty_answer(operation, error)
    for warning in answer.receipt.warnings:
        sys.stderr.write(f"satchel turn: {warning}\n")
    Screen(as_json=True).show(answer)
    sys.stdout.flush()
    if sources is not None:
        start_server_for(sources)
    return outcome_of(answer.result)


def _perform(operation: Operation, sources: SettingsSources, given: Mapping[str, Any], *, ask_server: bool) -> Ok[Any]:
    if ask_server:
        # A server is asked only what is valid.
        turn_arguments(operation, {one.name: one for one in operation.parameters}, given)
        if (answer := _served(operation, sources, given)) is not None:
            return answer
    store = LocalStore(sources)
    try:
        return store.run(operation, given)
    finally:
        store.close()


def _served(operation: Operation, sources: SettingsSources, request: Mapping[str, Any]) -> Ok[Any] | None:
    """Ask the store's server, if one runs: it also searches by meaning."""
    name = operation.name.replace(" ", "_")
    home = ledger_path(sources.settings).parent
    # Repeatable: duplicates of captured memories are recognised.
    answer = client.call(
        home,
        name,
        request,
        actor="hook",
        repeatable=True,
        seconds=SERVER_SECONDS,
        greeting_seconds=GREETING_SECONDS,
    )
    if answer is None or "result" not in answer.envelope:
        return None
    return Ok(from_json(operation.result, answer.envelope["result"]), receipt_from_json(answer.envelope.get("receipt")))


def _read_request(text: str | None, scope: str | None) -> dict[str, Any]:
    """Return the input, from the command line or standard input, in the scope that the command line names."""
    raw = sys.stdin.buffer.read(MAX_INPUT_BYTES + 1) if text is None or text == "-" else os.fsencode(text)
    if len(raw) > MAX_INPUT_BYTES:
        raise InvalidRequest(f"the input has more than {MAX_INPUT_BYTES:,} bytes", code="text_too_long")
    try:
        request = json.loads(raw.decode("utf-8", "replace"))
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"the input is not valid JSON: {error}", code="invalid_json") from error
    if not isinstance(request, dict):
        raise InvalidRequest("the input must be a JSON object", code="invalid_json")
    return request if scope is None else {**request, "scope": scope}


def _empty_answer(operation: Operation, error: BaseException) -> Ok[Any]:
    code = str(error.code) if isinstance(error, SatchelError) else "internal_error"
    message = " ".join(error.message.split()) if isinstance(error, SatchelError) else type(error).__name__
    if is_debugging():
        import traceback  # slow to import

        traceback.print_exception(error)
    receipt = Receipt(
        operation.name,
        asked={},
        decided={"error": code},
        warnings=(f"{code}: {message}",),
        at=time.time_ns() // 1_000_000,
    )
    empty: dict[Any, Any] = {
        TurnStart: TurnStart("", True, code, ""),
        TurnBefore: TurnBefore("", True, code, "", "none"),
        TurnAfter: TurnAfter((), True, code, ""),
    }
    return Ok(empty[operation.result], receipt)
