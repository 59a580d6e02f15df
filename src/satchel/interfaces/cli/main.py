"""The command line: parse a command, run its operation, print the answer."""

import os
import sys
from argparse import Namespace
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile
from typing import Any

from satchel import interrupts
from satchel.config import SettingsSources, is_asked_by_skill, is_debugging, read_sources, router_database
from satchel.domain.envelope import Ok, Outcome, outcome_of
from satchel.errors import InvalidRequest, SatchelError
from satchel.interfaces.cli import other_scopes
from satchel.interfaces.cli.arguments import read_arguments
from satchel.interfaces.cli.commands import Command
from satchel.interfaces.cli.erasing import ASKING_COMMANDS, question
from satchel.interfaces.cli.parser import intended_operation, parse_command_line
from satchel.interfaces.cli.present import Screen
from satchel.interfaces.cli.table import command_name
from satchel.interfaces.cli.views.lines import fields
from satchel.interfaces.cli.views.lookup import EXPLAINED_WITH, view_of
from satchel.interfaces.failures import exit_code, failure_of, system_error, writing_output
from satchel.interfaces.http.served import ask_remote, ask_server
from satchel.interfaces.operations import Operation, Session, area_of, operations_near
from satchel.interfaces.shapes import shape_of
from satchel.locations import DATABASE_SCHEMES

# They go on where they were interrupted.
_RESUMABLE = frozenset(
    {
        "docs ingest",
        "episodes embed",
        "graph extract",
        "graph rebuild",
        "import",
        "index build",
        "index optimize",
        "index rebuild",
        "ingest",
        "move",
        "review",
        "scopes delete",
        "tag restore",
    }
)
# They concern no store, and repair the settings while those are invalid.
_ABOUT_THIS_MACHINE = ("configuration", "machine", "install")
# Maximum characters of standard input: far above the limit of any text, so that a long text is rejected, not cut.
MAX_INPUT_CHARS = 50_000_000


def main(arguments: Sequence[str]) -> int:
    """Run one command and return its exit code."""
    screen = Screen(as_json=_wants_json(arguments))
    operation: Operation | Command | None = None
    try:
        given = parse_command_line(arguments or ["--help"])
        operation = given._operation
        if isinstance(operation, Command):
            return operation.run(_sources(given), given)
        return _run_operation(operation, given, screen)
    except SatchelError as error:
        return _fail(screen, operation or intended_operation(error), error, exit_code(error))
    except KeyboardInterrupt:
        screen.end_progress()
        if screen.is_asking:
            screen.show_note("\nnothing was changed")
        elif operation is not None and operation.name in _RESUMABLE:
            screen.show_note("stopped; finished work is kept: run the same command again to continue")
        return interrupts.EXIT_CODE
    except BrokenPipeError:
        # The reader of our output closed the pipe, as `head` does.
        return 0
    except OSError as error:
        return _fail(screen, operation, system_error(error, names_file=True), Outcome.FAILED)
    except Exception as error:  # the outermost edge: a person gets one line, whatever happened
        if is_debugging():
            raise
        defect = SatchelError(
            f"internal error: {type(error).__name__}: {error}",
            code="internal_error",
            hint="set SATCHEL_DEBUG=1 to see the traceback",
        )
        return _fail(screen, operation, defect, Outcome.FAILED)


def _wants_json(arguments: Sequence[str]) -> bool:
    """Decide before parsing, since parsing may fail. Words after "--" are not options."""
    options = takewhile(lambda word: word != "--", arguments)
    return any(word in ("--json", "--input-json") or word.startswith("--input-json=") for word in options)


def _fail(screen: Screen, operation: Operation | Command | None, error: SatchelError, code: int) -> int:
    shape = shape_of(command_name(operation)) if operation else None
    # Without a reader it is still a failure.
    with suppress(BrokenPipeError):
        screen.show_failure(failure_of(operation.name if operation else "command line", error), shape)
    fixed = shape.exit_code if shape and screen.as_json else None
    return code if fixed is None else fixed


def _run_operation(operation: Operation, given: Namespace, screen: Screen) -> int:
    session = Session(
        _sources(given, _database(operation, given)),
        "skill" if is_asked_by_skill() else "cli",
        progress=screen.show_progress,
        note=screen.show_note,
        tell=screen.show_early,
        ask=screen.ask,
        must_agree=screen.must_agree,
        edit_text=_edit_text,
        pipes=True,
        creates=operation.writes or operation.agents_only,
        answers_without_store=operation.answers_without_store,
    )
    interrupts.raise_on_interrupt()
    try:
        values = read_arguments(operation, given, _read_stdin)
        if not getattr(given, "yes", False) and not _may_erase(operation, session, values, screen):
            screen.show_note("nothing was erased")
            return Outcome.DONE
        answer, code = _answer(operation, session, values, screen)
        remarks = _remarks(operation, values, answer, session, screen)
        if operation.name == "review" and not screen.as_json and _can_press_keys():
            _walk_review(answer, session, screen)
            screen.show_warnings(remarks)
            return code
        if getattr(answer.result, "asks", False) and not screen.as_json and _can_press_keys():
            if not _agrees(answer, command_name(operation), remarks, screen):
                screen.show_lines(iter([("nothing was imported", "dim")]))
                return code
            answer, code = _answer(operation, session, {**values, "yes": True}, screen)
            remarks = ()
    finally:
        session.close()
        screen.end_progress()
    interrupts.raise_if_interrupted()
    command, explain = command_name(operation), getattr(given, "explain", False)
    traced = getattr(given, EXPLAINED_WITH.get(command, ""), False)
    view = fields if screen.as_json else view_of(command, explain=explain or traced)
    with writing_output(done=True):
        screen.show(answer, shape=shape_of(command), view=view, explain=explain)
    screen.show_warnings(remarks)
    return code


def _remarks(
    operation: Operation, values: Mapping[str, Any], answer: Ok[Any], session: Session, screen: Screen
) -> tuple[str, ...]:
    """Return what the answer leaves out because no scope was named. A program is told the scope in the receipt."""
    if screen.as_json:
        return ()
    perform = _performer(session, screen)
    try:
        if session.settings.remote.url:
            return ()
        found = other_scopes.remarks(
            operation.name,
            values,
            answer.result,
            session.settings,
            session.folder,
            lambda name, given: perform(name, given).result,
        )
        return tuple(found)
    except SatchelError:
        # The answer itself is there.
        return ()


def _performer(session: Session, screen: Screen) -> Callable[[str, Mapping[str, Any]], Ok[Any]]:
    """Return a function that performs another operation by its name."""

    def perform(name: str, values: Mapping[str, Any]) -> Ok[Any]:
        operation = next(one for one in operations_near(name) if one.name == name)
        return _answer(operation, session, values, screen)[0]

    return perform


def _sources(given: Namespace, ledger: str | None = None) -> SettingsSources:
    """Read the settings, as the options that every command has change them."""
    url = getattr(given, "url", None)
    remote = {"url": url} if url is not None else None
    return read_sources(home=getattr(given, "home", None), ledger=ledger or _address(given), remote=remote)


def _answer(operation: Operation, session: Session, values: Mapping[str, Any], screen: Screen) -> tuple[Ok[Any], int]:
    """Return the answer and the exit code, from a server elsewhere if one is set, or the store's own if one runs."""
    about_machine = area_of(operation.name.split()[0]) in _ABOUT_THIS_MACHINE
    if not about_machine and (settings := session.settings).remote.url:
        return ask_remote(operation, settings, values, typed=not screen.as_json)
    if found := ask_server(operation, session.sources, values, session.actor, typed=not screen.as_json):
        return found
    answer = operation.run(session, values)
    return answer, outcome_of(answer.result)


def _agrees(answer: Ok[Any], command: str, remarks: Sequence[str], screen: Screen) -> bool:
    """Show the preview of a command to the person at the terminal, and return whether to go on."""
    screen.end_progress()
    screen.show(answer, view=view_of(f"{command} preview"))
    screen.show_warnings(remarks)
    return screen.ask("import this?")


def _may_erase(operation: Operation, session: Session, values: Mapping[str, Any], screen: Screen) -> bool:
    """Ask the person at the terminal before a command that erases for good, naming what goes."""
    command = command_name(operation)
    if command not in ASKING_COMMANDS or screen.as_json or not _can_press_keys():
        return True

    def text_of(id: str) -> str:
        get = next(one for one in operations_near("get") if one.name == "get")
        asked = {one.name: one.default for one in get.parameters} | {"id": id}
        asked |= {name: values[name] for name in ("scope", "all_scopes")}
        shown = _answer(get, session, asked, screen)[0].result
        return str(getattr(getattr(shown, "memory", shown), "text", ""))

    asked = question(command, values, text_of)
    return not asked or screen.ask(asked)


def _can_press_keys() -> bool:
    # Windows has no termios.
    return os.name == "posix" and all(one is not None and one.isatty() for one in (sys.stdin, sys.stdout))


def _walk_review(answer: Ok[Any], session: Session, screen: Screen) -> None:
    from satchel.interfaces.cli import walk  # only for this command

    def fail(error: SatchelError) -> None:
        screen.show_failure(failure_of("review", error))

    with walk.pressed_keys() as keys:
        walk.walk(answer.result, keys, _performer(session, screen), screen.show_lines, fail)


def _edit_text(text: str) -> str:
    from satchel.interfaces.cli.editor import edit_text  # only for one command

    return edit_text(text)


def _database(operation: Operation, given: Namespace) -> str | None:
    """Return the separate database to work on: --db, or else the attention router's unless --home is given."""
    if not operation.own_database:
        return None
    named: str | None = getattr(given, "db", None)
    if named == "":
        raise InvalidRequest("--db is empty", code="invalid_setting", hint="name a file")
    if named is None and (address := _address(given)) is not None:
        return address
    if named is not None or hasattr(given, "home") or area_of(operation.name.split()[0]) != "attention":
        return named
    return router_database()


def _address(given: Namespace) -> str | None:
    """Return the database that holds the store, if --store names one."""
    named: str | None = getattr(given, "store", None)
    if named is not None and not named.startswith(DATABASE_SCHEMES):
        raise InvalidRequest(
            "--store is not the address of a database",
            code="invalid_setting",
            hint="for example: --store postgresql://satchel@db.example.org/satchel; --home names a folder",
        )
    return named


def _read_stdin() -> str:
    return "" if sys.stdin is None else sys.stdin.read(MAX_INPUT_CHARS).rstrip("\n")
