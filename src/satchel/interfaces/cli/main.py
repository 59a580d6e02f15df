"""The command line: parse, call, present."""

import os
import sys
import time
from argparse import Namespace
from collections.abc import Sequence
from itertools import takewhile
from typing import Any

from satchel.config import debugging, load
from satchel.domain.envelope import Failed, Ok
from satchel.errors import SatchelError, Unavailable
from satchel.interfaces.cli.commands import Command
from satchel.interfaces.cli.parser import build_parser
from satchel.interfaces.cli.present import Screen
from satchel.interfaces.failures import FAILED, exit_code, failed, verdict
from satchel.interfaces.operations import Operation, Session

INTERRUPTED = 130
# Far more than may be stored, and little enough for any machine.
MAX_INPUT_CHARS = 50_000_000


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    # What stands after "--" is text, whatever it looks like.
    screen = Screen(as_json="--json" in [*takewhile(lambda word: word != "--", arguments)])
    operation: Operation | Command | None = None
    try:
        given = build_parser().parse_args(arguments or ["--help"])
        operation = given._operation
        if isinstance(operation, Command):
            return operation.run(load(home=getattr(given, "home", None)), given)
        return _perform(operation, given, screen)
    except SatchelError as error:
        screen.show_failure(_failure(operation, error))
        return exit_code(error)
    except KeyboardInterrupt:
        screen.show_note("stopped; what was done so far is kept, and the same command goes on from there")
        return INTERRUPTED
    except BrokenPipeError:
        # Whoever read our output has seen enough. Python would complain once more when it flushes at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        unavailable = Unavailable(
            f"the system refused: {error.strerror or error}" + (f": {error.filename}" if error.filename else ""),
            code="io_error",
            hint="check that the path exists and who owns it",
        )
        screen.show_failure(_failure(operation, unavailable))
        return FAILED
    except Exception as error:  # the outermost edge: a person gets one line, whatever happened
        if debugging():
            raise
        defect = SatchelError(
            f"internal error: {type(error).__name__}: {error}",
            code="internal_error",
            hint="SATCHEL_DEBUG=1 shows where",
        )
        screen.show_failure(_failure(operation, defect))
        return FAILED


def _perform(operation: Operation, given: Namespace, screen: Screen) -> int:
    session = Session(
        load(home=getattr(given, "home", None)),
        "cli",
        progress=screen.show_progress,
        note=screen.show_note,
        tell=screen.tell,
        pipes=True,
    )
    try:
        answer = operation.run(session, _parameters(operation, given))
    finally:
        session.close()
        screen.end_progress()
    return _present(given, answer, screen)


def _present(given: Namespace, answer: Ok[Any], screen: Screen) -> int:
    screen.show(answer, explain=getattr(given, "explain", False))
    return verdict(answer.result)


def _parameters(operation: Operation, given: Namespace) -> dict[str, Any]:
    values: dict[str, Any] = {}
    for parameter in operation.parameters:
        value = getattr(given, parameter.name)
        if parameter.only_shown:
            continue
        if parameter.from_stdin and value == "-":
            value = _standard_input()
        if parameter.repeated:
            value = tuple(value or ())
        values[parameter.name] = value
    return values


def _standard_input() -> str:
    """Read everything, so that a text that is too long is refused and never cut."""
    return "" if sys.stdin is None else sys.stdin.read(MAX_INPUT_CHARS).rstrip("\n")


def _failure(operation: Operation | Command | None, error: SatchelError) -> Failed:
    return failed(operation.name if operation else "command line", error, at=time.time_ns() // 1_000_000)
