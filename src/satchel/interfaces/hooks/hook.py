"""The fast path of `satchel hook HOST EVENT`: a host's own JSON in, an answer in its own form out, always exit code 0.

Exit code 2 would block the host's turn, and any text on standard output could end up in a prompt. So whatever goes wrong, even
in the command line, is recorded in the store's folder, where `satchel doctor` shows it, and the host goes on.
"""

import _thread
import json
import os
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from satchel.adapters.hook_files import record_failure
from satchel.domain import host_keys
from satchel.domain.hosts import CLAUDE_CODE, CODEX, CODEX_NOTIFY, CURSOR, GEMINI
from satchel.domain.scope_name import AUTO_SCOPE
from satchel.errors import InvalidRequest, ReadOnlyMode, SatchelError, Unavailable
from satchel.locations import home_folder, store_location

MAX_INPUT_BYTES = 20_000_000
CHUNK = 1 << 20
# Hosts end a hook that takes too long; the installed ones after 10 seconds. This one ends before, and says so.
MAX_SECONDS = 8.0
SESSION_END = "SessionEnd"
START, BEFORE, TOOL, TRANSCRIPT, PROMPT, INGEST = "start", "before", "tool", "transcript", "prompt", "ingest"
ACTIONS: Mapping[str, Mapping[str, str]] = {
    CLAUDE_CODE: {
        "SessionStart": START,
        "UserPromptSubmit": BEFORE,
        "PostToolUse": TOOL,
        "PostToolUseFailure": TOOL,
        "PreCompact": TRANSCRIPT,
        "Stop": TRANSCRIPT,
        "SessionEnd": TRANSCRIPT,
    },
    CODEX: {
        "SessionStart": START,
        "UserPromptSubmit": BEFORE,
        "PostToolUse": TOOL,
        "PreCompact": TRANSCRIPT,
        "Stop": TRANSCRIPT,
        "SessionEnd": TRANSCRIPT,
        CODEX_NOTIFY: PROMPT,
    },
    # The end of a turn has its prompt. Nothing else of the conversation is needed.
    GEMINI: {
        "SessionStart": START,
        "BeforeAgent": BEFORE,
        "AfterTool": TOOL,
        "AfterAgent": PROMPT,
        "PreCompress": INGEST,
        "SessionEnd": INGEST,
    },
    CURSOR: {
        "sessionStart": START,
        "beforeSubmitPrompt": PROMPT,
        "postToolUse": TOOL,
        "postToolUseFailure": TOOL,
    },
}
"""What is done at each event of each host."""
_OPTIONS = {"--home": "home", "--scope": "scope"}


class HookArguments(NamedTuple):
    """The arguments of `satchel hook`."""

    host: str = ""
    event: str = ""
    home: str | None = None
    scope: str | None = None
    input: str | None = None
    """The input, if it is an argument; else it is on standard input."""
    problem: str = ""
    """What is wrong with the command line."""


def parse_arguments(arguments: Sequence[str]) -> HookArguments | None:
    """Parse a `satchel hook` command line, right or wrong; None for another command, and for --help."""
    options, words, problem = dict[str, str](), list[str](), ""
    rest = iter(arguments)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in _OPTIONS:
            options[_OPTIONS[name]] = value if equals else next(rest, "")
        elif word.startswith("-") and word not in ("-", "--json") and len(words) < 3:
            problem = problem or f"unknown option {word[:40]}"
        elif word != "--json":
            words.append(word)
    if words[:1] != ["hook"] or any(word in ("--help", "-h") for word in arguments):
        return None
    if len(words) not in (3, 4):
        problem = problem or "HOST and EVENT are needed; see 'satchel help hook'"
    _, host, event, given, *_ = [*words, "", "", "", ""]
    given_input = given if given not in ("", "-") else None
    return HookArguments(host, event, options.get("home"), options.get("scope"), given_input, problem)


def run(given: HookArguments, load_libraries: Callable[[], None]) -> int:
    """Handle an event. The exit code is always 0.

    `load_libraries` is called before anything that needs more than the standard library.
    """
    try:
        with _time_limit(given, MAX_SECONDS):
            _print(_unconditional_answer(given))
            context, finish = _handle(given, load_libraries)
            _print(_answer(given, context))
            finish()
    except BaseException as error:  # noqa: BLE001  the outermost edge: nothing may stop the host
        _fail(given, error)
    return 0


def _handle(given: HookArguments, load_libraries: Callable[[], None]) -> tuple[str, Callable[[], None]]:
    """Do what the event asks for. Return the context for the model, if there is any, and how to finish."""
    action = ACTIONS.get(given.host, {}).get(given.event)
    if given.problem or action is None:
        raise InvalidRequest(given.problem or "this event is not handled", code="usage")
    event = _with_folder(_parse(_read(given))) | {host_keys.EVENT_NAME[0]: given.event}
    if action == TOOL:
        _capture_tool(given, event)
        return "", lambda: None
    from satchel.interfaces.hooks.store_caller import StoreCaller

    caller = StoreCaller(given.home, load_libraries)
    around = {"scope": given.scope or AUTO_SCOPE, "cwd": host_keys.first_of(host_keys.FOLDER, event)}
    if action in (START, BEFORE):
        prompt = {"prompt": host_keys.first_of(host_keys.PROMPT, event)} if action == BEFORE else {}
        found = caller.call(f"turn {action}", {**around, **prompt})
        return str(found["block"]), caller.finish
    _capture_session(caller, given, action, event, around)
    return "", caller.finish


def _capture_tool(given: HookArguments, event: Mapping[str, Any]) -> None:
    from satchel.interfaces.hooks import capture
    from satchel.interfaces.hooks.tool_event import tool_event
    from satchel.observations.telling_lines import telling_lines

    kept = tool_event(given.host, event)
    if kept is None:
        return
    scope = given.scope or AUTO_SCOPE
    spool, context = capture.destination(capture.CaptureArguments(given.home, scope))
    now = time.time_ns()
    context = context._replace(
        now=now // 1_000_000, nonce=f"{os.getpid()}.{now % 1_000_000_000}", excerpt=telling_lines
    )
    count = capture.CaptureCounts()
    capture.keep(spool, [json.dumps(kept).encode()], context, count)
    if count.rejected:
        raise InvalidRequest(f"the event was rejected: {count.reason}", code=count.reason)


def _capture_session(
    caller: Any, given: HookArguments, action: str, event: Mapping[str, Any], around: Mapping[str, Any]
) -> None:
    from satchel.interfaces.hooks import session_capture

    folder = _folder(given.home, writable=True)
    around = {**around, "session": session_capture.session_name(event)}
    with session_capture.open_session(folder, given.host, event) as file:
        if action == TRANSCRIPT and not (given.event == SESSION_END and session_capture.has_no_transcript(event)):
            session_capture.capture_transcript(caller, file, event, around)
        elif action == PROMPT:
            session_capture.capture_prompt(caller, file, event, around)
        session_capture.ingest_events(caller, file, folder)


# Input


def _read(given: HookArguments) -> bytes:
    if given.input is not None:
        return os.fsencode(given.input)
    pieces, size = list[bytes](), 0
    while piece := sys.stdin.buffer.read(CHUNK):
        size += len(piece)
        # All of it is read, so that the host can finish writing.
        if size <= MAX_INPUT_BYTES:
            pieces.append(piece)
    if size > MAX_INPUT_BYTES:
        raise InvalidRequest(f"the input has more than {MAX_INPUT_BYTES:,} bytes", code="text_too_long")
    return b"".join(pieces)


def _parse(raw: bytes) -> dict[str, Any]:
    try:
        found = json.loads(raw.decode("utf-8", "replace"), parse_constant=lambda name: None)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest(f"the input is not valid JSON: {error}", code="invalid_json") from None
    if not isinstance(found, dict):
        raise InvalidRequest("the input must be a JSON object", code="invalid_json")
    if b"\\ud" in raw.lower():
        # Half of a character cannot be stored.
        return dict(json.loads(json.dumps(found, ensure_ascii=False).encode("utf-8", "replace")))
    return found


def _with_folder(event: dict[str, Any]) -> dict[str, Any]:
    """Return an event with the folder that the host works in. Cursor names all folders of a window."""
    roots = event.get(host_keys.FOLDERS)
    if host_keys.first_of(host_keys.FOLDER, event) is None and isinstance(roots, list) and roots:
        return {**event, "cwd": roots[0]}
    return event


# Output


def _print(answer: Mapping[str, Any] | None) -> None:
    if answer is not None:
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


def _answer(given: HookArguments, context: str) -> dict[str, Any] | None:
    if not context:
        return None
    if given.host == CURSOR:
        return {"additional_context": context}
    return {"hookSpecificOutput": {"hookEventName": given.event, "additionalContext": context}}


def _unconditional_answer(given: HookArguments) -> dict[str, Any] | None:
    """Return the answer without which a host could hold the prompt back."""
    return {"continue": True} if given.host == CURSOR and given.event == "beforeSubmitPrompt" else None


# Failures


def _fail(given: HookArguments, error: BaseException) -> None:
    """Record a failure where `satchel doctor` finds it, and print it on standard error."""
    reason = error.message if isinstance(error, SatchelError) else f"{type(error).__name__}: {error}"
    reason = " ".join(reason.split())
    # A store that must not be written gets no record either.
    if not isinstance(error, ReadOnlyMode):
        try:
            record_failure(_folder(given.home), given.host, given.event, reason, time.time_ns() // 1_000_000)
        except (SatchelError, OSError, ValueError) as other:
            reason = f"{reason}; not recorded: {other}"
    try:
        what = f"{given.event} of {given.host}: " if given.event else ""
        sys.stderr.write(f"satchel hook: {what}{reason}\n".encode("ascii", "replace").decode())
        sys.stderr.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stderr.fileno())


def _folder(home: str | None, *, writable: bool = False) -> str:
    """Return the folder of the store. With `writable`, raise ReadOnlyMode if nothing may be written to it."""
    if (known := store_location(home)) is not None:
        return known
    from satchel.config import load

    try:
        settings = load(home=home)
    except SatchelError:
        if writable:
            raise
        # The settings are invalid, but the folder that they are in is known.
        return home_folder(home)
    if writable and settings.read_only:
        raise ReadOnlyMode("nothing may be written: read_only is set", hint="see 'satchel config explain read_only'")
    return str(settings.evidence_folder)


@contextmanager
def _time_limit(given: HookArguments, seconds: float) -> Iterator[None]:
    """End the process if what is done takes too long, such as waiting for a lock. The store survives that at any time.

    By a thread, since a signal would wait for SQLite.
    """
    done = _thread.allocate_lock()
    done.acquire()

    def watch() -> None:
        if not done.acquire(timeout=seconds):
            _fail(given, Unavailable(f"it took more than {seconds:g} seconds", code="too_slow"))
            os._exit(0)

    _thread.start_new_thread(watch, ())
    try:
        yield
    finally:
        done.release()
