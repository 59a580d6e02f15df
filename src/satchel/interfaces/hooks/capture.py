"""The fast path of `satchel capture`: hooks wait for it, so it loads as little as possible.

It handles the common forms of the command; anything else, such as --help, goes to the full command line.
"""

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from satchel.adapters.spool import SpoolFolder
from satchel.domain.scope_name import AUTO_SCOPE, DEFAULT_SCOPE, MAX_SCOPE_CHARS, strict_name
from satchel.errors import InvalidRequest, ReadOnlyMode, SatchelError
from satchel.locations import default_location
from satchel.observations.event import CaptureContext
from satchel.observations.intake import EventStream, parse_events

STANDARD_INPUT = 0
# Maximum bytes per read.
CHUNK = 1 << 20
INTERRUPTED = 130
_OPTIONS = {"--home": "home", "--scope": "scope"}


class CaptureArguments(NamedTuple):
    """The arguments of `satchel capture`."""

    home: str | None = None
    scope: str | None = None
    events: str = "-"
    as_json: bool = False


class CaptureCounts:
    """Numbers of events so far."""

    def __init__(self) -> None:
        self.captured = self.private = self.rejected = self.misplaced = 0
        self.reason = ""
        """Why the first rejected event was rejected."""


def parse_arguments(arguments: Sequence[str]) -> CaptureArguments | None:
    """Parse a plain `satchel capture` command line; None for anything else."""
    options, words, as_json = dict[str, str](), list[str](), False
    rest = iter(arguments)
    for word in rest:
        name, equals, value = word.partition("=")
        if name in _OPTIONS:
            given = value if equals else next(rest, None)
            if given is None:
                return None
            options[_OPTIONS[name]] = given
        elif word == "--json":
            as_json = True
        elif word.startswith("-") and word != "-":
            return None
        else:
            words.append(word)
    if words[:1] != ["capture"] or len(words) > 2:
        return None
    return CaptureArguments(options.get("home"), options.get("scope"), words[1] if len(words) == 2 else "-", as_json)


def run(given: CaptureArguments) -> int:
    """Capture the events and return the exit code. Without --json nothing is printed: hosts put hook output into prompts."""
    try:
        count = _capture(given)
        return _answer(given, count)
    except KeyboardInterrupt:
        return INTERRUPTED
    except SatchelError as error:
        return _fail(given, error)
    except Exception as error:  # noqa: BLE001  the outermost edge: a host gets one line
        return _fail(given, SatchelError(f"internal error: {type(error).__name__}: {error}", code="internal_error"))


def _capture(given: CaptureArguments) -> CaptureCounts:
    spool, here = destination(given)
    count, stream = CaptureCounts(), EventStream()
    for number, raws in enumerate(_read_events(stream, given.events)):
        now = time.time_ns()
        token = f"{os.getpid()}.{now % 1_000_000_000}.{number}"
        keep(spool, raws, here._replace(now=now // 1_000_000, nonce=token), count)
    return count


def destination(given: CaptureArguments) -> tuple[SpoolFolder, CaptureContext]:
    """Return the spool and the context of all events; load the settings only if necessary."""
    place = default_location(given.home)
    if place is not None and (given.scope is None or strict_name(given.scope) is not None):
        context = CaptureContext(0, place[1], given.scope, project_scope=_project_finder(MAX_SCOPE_CHARS))
        return SpoolFolder(Path(place[0])), context
    from satchel.config import load
    from satchel.domain.scope import check_scope, parse_scope

    settings = load(home=given.home)
    if settings.read_only:
        raise ReadOnlyMode("nothing may be written: read_only is set", hint="see 'satchel config explain read_only'")
    policy = settings.scope_policy
    fixed = given.scope if given.scope in (None, AUTO_SCOPE) else check_scope(given.scope, policy)
    finder = _project_finder(policy.max_scope_length)
    return (
        SpoolFolder(settings.evidence_folder),
        CaptureContext(0, policy.default_scope, fixed, lambda text: parse_scope(text, policy), finder),
    )


def _project_finder(longest: int) -> Callable[[str | None], str]:
    found: dict[str | None, str] = {}

    def find(folder: str | None) -> str:
        if folder not in found:
            from satchel.adapters.project import project_scope  # only where the scope is auto

            found[folder] = project_scope(folder or os.curdir, longest) or DEFAULT_SCOPE
        return found[folder]

    return find


def keep(spool: SpoolFolder, raws: Sequence[bytes], around: CaptureContext, count: CaptureCounts) -> None:
    """Write events to the spool, with their payloads and dead letters."""
    found = parse_events(raws, around, f"capture:{around.now}.{around.nonce}")
    for name, text in found.payloads:
        spool.put(name, text)
    if found.lines:
        spool.append(found.lines)
    spool.add_dead_letters(found.letters)
    count.captured += len(found.lines)
    count.private += found.private
    count.rejected += len(found.letters)
    count.misplaced += found.misplaced
    count.reason = count.reason or (found.letters[0].reason if found.letters else "")


def _read_events(stream: EventStream, events: str) -> Iterator[list[bytes]]:
    """Yield the events that have arrived after each read."""
    read: Callable[[], bytes] = lambda: os.read(STANDARD_INPUT, CHUNK)  # noqa: E731  one of two readers
    if events != "-":
        pieces = iter([os.fsencode(events), b""])
        read = lambda: next(pieces)  # noqa: E731  the other reader
    while piece := read():
        if raws := stream.feed(piece):
            yield raws
    if raws := [raw for raw in stream.end() if raw.strip()]:
        yield raws


def _answer(given: CaptureArguments, count: CaptureCounts) -> int:
    if not (count.captured or count.private or count.rejected):
        raise InvalidRequest("no event was given", code="missing_param", hint="give one JSON object, or one per line")
    if count.rejected and not (count.captured or count.private):
        raise InvalidRequest(_rejection(count), code=count.reason, hint="see dead-letters.jsonl in the store's folder")
    if given.as_json:
        _show(given, count)
    elif count.rejected:
        sys.stderr.write(f"satchel: {_rejection(count)} (see dead-letters.jsonl in the store's folder)\n")
    if count.misplaced and not given.as_json:
        sys.stderr.write(f"satchel: {_events(count.misplaced)} with an invalid scope put into the default scope\n")
    return 1 if count.rejected else 0


def _rejection(count: CaptureCounts) -> str:
    first = ", the first" if count.rejected > 1 else ""
    return f"{_events(count.rejected)} rejected{first}: {count.reason}"


def _events(number: int) -> str:
    return f"{number:,} event{'s' if number > 1 else ''}"


def _show(given: CaptureArguments, count: CaptureCounts) -> None:
    from satchel.domain.envelope import Ok
    from satchel.interfaces.cli.present import Screen
    from satchel.interfaces.failures import writing_output
    from satchel.observations.values import CaptureResult, capture_receipt

    captured = CaptureResult(count.captured, count.private, count.rejected, count.misplaced)
    receipt = capture_receipt(captured, given.scope, time.time_ns() // 1_000_000)
    with writing_output(done=True):
        Screen(as_json=True).show(Ok(captured, receipt))


def _fail(given: CaptureArguments, error: SatchelError) -> int:
    from satchel.interfaces.cli.present import Screen
    from satchel.interfaces.failures import exit_code, failure_of

    Screen(as_json=given.as_json).show_failure(failure_of("capture", error))
    return exit_code(error)
