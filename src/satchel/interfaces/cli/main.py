"""The command line: parse, call, present."""

import sys
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from itertools import takewhile
from typing import Any

from satchel.config import is_debugging, read_sources, router_database
from satchel.domain.envelope import Failed, Ok, Outcome, outcome_of
from satchel.errors import InvalidRequest, SatchelError, Unavailable
from satchel.interfaces.cli.arguments import arguments as given_arguments
from satchel.interfaces.cli.commands import Command
from satchel.interfaces.cli.parser import command_of, meant, understood
from satchel.interfaces.cli.present import Screen
from satchel.interfaces.cli.served import served
from satchel.interfaces.cli.views.lines import fields
from satchel.interfaces.cli.views.lookup import view_of
from satchel.interfaces.failures import exit_code, failed
from satchel.interfaces.operations import Operation, Session
from satchel.interfaces.shapes import shape_of

INTERRUPTED = 130
# Far more than may be stored, and little enough for any machine.
MAX_INPUT_CHARS = 50_000_000


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    screen = Screen(as_json=_for_a_program(arguments))
    operation: Operation | Command | None = None
    try:
        given = understood(arguments or ["--help"])
        operation = given._operation
        if isinstance(operation, Command):
            return operation.run(read_sources(home=getattr(given, "home", None)), given)
        return _perform(operation, given, screen)
    except SatchelError as error:
        return _fail(screen, operation or meant(error), error, exit_code(error))
    except KeyboardInterrupt:
        screen.show_note("stopped; what was done so far is kept, and the same command goes on from there")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough.
        return 0
    except OSError as error:
        unavailable = Unavailable(
            f"the system refused: {error.strerror or error}" + (f": {error.filename}" if error.filename else ""),
            code="io_error",
            hint="check that the path exists and who owns it",
        )
        return _fail(screen, operation, unavailable, Outcome.FAILED)
    except Exception as error:  # the outermost edge: a person gets one line, whatever happened
        if is_debugging():
            raise
        defect = SatchelError(
            f"internal error: {type(error).__name__}: {error}",
            code="internal_error",
            hint="SATCHEL_DEBUG=1 shows where",
        )
        return _fail(screen, operation, defect, Outcome.FAILED)


def _for_a_program(arguments: Sequence[str]) -> bool:
    """Say whether the answer is to be JSON. What stands after "--" is text, whatever it looks like."""
    options = takewhile(lambda word: word != "--", arguments)
    return any(word in ("--json", "--input-json") or word.startswith("--input-json=") for word in options)


def _fail(screen: Screen, operation: Operation | Command | None, error: SatchelError, code: int) -> int:
    shape = shape_of(command_of(operation)) if operation else None
    screen.show_failure(_failure(operation, error), shape)
    fixed = shape.exit_code if shape and screen.as_json else None
    return code if fixed is None else fixed


def _perform(operation: Operation, given: Namespace, screen: Screen) -> int:
    session = Session(
        read_sources(home=getattr(given, "home", None), ledger=_database(operation, given)),
        "cli",
        progress=screen.show_progress,
        note=screen.show_note,
        tell=screen.tell,
        pipes=True,
    )
    try:
        parameters = given_arguments(operation, given, _standard_input)
        answer, code = _answer(operation, session, parameters, screen)
    finally:
        session.close()
        screen.end_progress()
    command, explain = command_of(operation), getattr(given, "explain", False)
    view = fields if screen.as_json else view_of(command, explain=explain)
    screen.show(answer, shape=shape_of(command), view=view, explain=explain)
    return code


def _answer(operation: Operation, session: Session, values: Mapping[str, Any], screen: Screen) -> tuple[Ok[Any], int]:
    """Return the answer with the command's exit code, from the store's server if one runs."""
    if found := served(operation, session.sources, values, session.actor, typed=not screen.as_json):
        return found
    answer = operation.run(session, values)
    return answer, outcome_of(answer.result)


def _database(operation: Operation, given: Namespace) -> str | None:
    """Return the database of its own that an operation works on: as --db says, else the environment, unless --home does."""
    if not operation.own_database:
        return None
    named: str | None = getattr(given, "db", None)
    if named == "":
        raise InvalidRequest("the database has no name", code="invalid_setting", hint="give --db a file")
    if named is not None or hasattr(given, "home"):
        return named
    return router_database()


def _standard_input() -> str:
    """Read everything, so that a text that is too long is refused and never cut."""
    return "" if sys.stdin is None else sys.stdin.read(MAX_INPUT_CHARS).rstrip("\n")


def _failure(operation: Operation | Command | None, error: SatchelError) -> Failed:
    return failed(operation.name if operation else "command line", error, at=time.time_ns() // 1_000_000)
