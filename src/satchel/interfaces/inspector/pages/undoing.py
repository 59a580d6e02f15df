"""What a form has just done: the note about it, and taking it back."""

from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Any

from msgspec import Struct

from satchel.domain.envelope import Ok
from satchel.domain.undo import Undone, short_name
from satchel.errors import Conflict, InvalidRequest, NotFound, Refused, SatchelError
from satchel.interfaces.inspector.formatting import address
from satchel.interfaces.inspector.visit import Visit

MAX_CHANGES = 50
_BETWEEN = ","


class Done(Struct, frozen=True):
    """What was done, as the address of the page after it says."""

    note: str = ""
    changes: str = ""
    """The changes that can be taken back, for a hidden field; empty if there are none."""


def done_address(path: str, done: str, *receipts: str, **parameters: object) -> str:
    """Return the address of a page that says what was done, and offers to take back the changes of these receipts."""
    return address(path, **parameters, done=done, changes=_BETWEEN.join(map(short_name, receipts)))


def what_was_done(visit: Visit, notes: dict[str, str]) -> Done:
    """Return what the address says was done; nothing if it names none of the notes."""
    note = notes.get(visit.query.get("done", ""), "")
    return Done(note, visit.query.get("changes", "") if note else "")


async def take_back(visit: Visit) -> tuple[tuple[Undone, ...], bool]:
    """Take back the changes that a form names, the newest first. Return them, and whether that was all.

    What was changed or forgotten meanwhile is left as it is, unless nothing else is left.
    """
    changes = [one for one in visit.form.get("changes", "").split(_BETWEEN) if one]
    if not 0 < len(changes) <= MAX_CHANGES:
        raise InvalidRequest("the form names no change", code="missing_param", hint="'satchel undo list' names them")
    done = await each([partial(visit.ask, "undo", change=one) for one in reversed(changes)])
    return tuple(one.result for one in done), len(done) == len(changes)


async def each(steps: Sequence[Callable[[], Awaitable[Ok[Any]]]]) -> list[Ok[Any]]:
    """Do several things of which others may have done some meanwhile. Raises the first error if none could be done."""
    done: list[Ok[Any]] = []
    problems: list[SatchelError] = []
    for step in steps:
        try:
            done.append(await step())
        except (Conflict, NotFound, Refused) as error:
            problems.append(error)
    if problems and not done:
        raise problems[0]
    return done
