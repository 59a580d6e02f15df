"""Walk through a review in a terminal: show each record, and read a key that says what to do with it."""

import os
import re
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import Enum, auto
from typing import Any

from satchel.domain.envelope import Ok
from satchel.domain.record import Trust
from satchel.errors import SatchelError
from satchel.interfaces.cli.views.lines import Lines, tally
from satchel.interfaces.cli.views.memories import forgotten
from satchel.interfaces.cli.views.reviews import confirmed, item_facts, review_counts
from satchel.memories.values import ReviewItem, ReviewPage
from satchel.os_calls import unsupported

MAX_SHOWN_CHARS = 2_000
END_OF_INPUT = "\x04"
# A key: an escape sequence, such as that of an arrow, or one character.
_KEY = re.compile(r"\x1b(?:\[[0-9;]*[A-Za-z~]|O.)?|.", re.DOTALL)
_PROMPT = "y confirm · n skip · f forget · q quit · ? help"
_HELP = (
    "y            confirm it: it is trusted from now on, as if you had stored it",
    "n, space, ⏎  leave it as it is, and show the next",
    "f            forget it: erase it everywhere, without undo",
    "q, Ctrl-D    stop here; what you decided is kept",
)

Perform = Callable[[str, Mapping[str, Any]], Ok[Any]]
"""Runs an operation by its name."""


class Choice(Enum):
    """What to do with a record."""

    CONFIRM = auto()
    SKIP = auto()
    FORGET = auto()
    HELP = auto()
    QUIT = auto()


_CHOICES = {
    "y": Choice.CONFIRM,
    "n": Choice.SKIP,
    " ": Choice.SKIP,
    "\r": Choice.SKIP,
    "\n": Choice.SKIP,
    "\x1b[B": Choice.SKIP,
    "\x1b[C": Choice.SKIP,
    "f": Choice.FORGET,
    "?": Choice.HELP,
    "h": Choice.HELP,
    "q": Choice.QUIT,
    "\x1b": Choice.QUIT,
    END_OF_INPUT: Choice.QUIT,
}


@contextmanager
def pressed_keys() -> Iterator[Iterator[str]]:
    """Read keys as they are pressed; the terminal is as before when the block ends. Ctrl-C interrupts."""
    try:
        import termios
        import tty
    except ImportError:
        hint = "'satchel review' lists them, 'satchel confirm ID' and 'satchel forget ID' decide"
        raise unsupported("single key presses", hint) from None
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    try:
        # What was typed before anything was shown is dropped.
        tty.setcbreak(terminal)
        yield _keys(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def _keys(terminal: int) -> Iterator[str]:
    while read := os.read(terminal, 1024):
        yield from _KEY.findall(read.decode("utf-8", "replace"))


def walk(
    page: ReviewPage,
    keys: Iterator[str],
    perform: Perform,
    show: Callable[[Lines], None],
    fail: Callable[[SatchelError], None],
) -> None:
    """Show the records of a page one by one, and do what the keys say."""
    done: Counter[str] = Counter()
    if not page.items:
        show(iter([("nothing to review", "dim")]))
        return
    show(iter([(review_counts(page), "bold")]))
    for number, item in enumerate(page.items, 1):
        show(_card(item, number, len(page.items)))
        choice = _choose(item, keys, show)
        if choice is Choice.QUIT:
            break
        try:
            if choice is Choice.CONFIRM:
                given = {"ids": (item.id,), "scope": item.scope, "quarantined": item.trust is Trust.QUARANTINED}
                show(confirmed(perform("confirm", given).result))
                done["confirmed"] += 1
            elif choice is Choice.FORGET:
                show(forgotten(perform("forget", {"id": item.id, "scope": item.scope}).result))
                done["forgotten"] += 1
        except SatchelError as error:
            # Another process may have changed or forgotten it meanwhile: the others can still be decided.
            fail(error)
    left = len(page.items) - done.total()
    show(_summary(done, left, page.next))


def _card(item: ReviewItem, number: int, total: int) -> Lines:
    quarantined = item.trust is Trust.QUARANTINED
    yield "", ""
    yield f"{number}/{total}  {item.id}", "dim"
    if quarantined:
        yield "⚠️  QUARANTINED: it reaches no prompt unless you confirm it", "red"
    if item.title and item.title != item.text:
        yield item.title, "bold"
    for line in item.text[:MAX_SHOWN_CHARS].splitlines():
        yield f"  {line}", "red" if quarantined else "bold"
    if (more := len(item.text) - MAX_SHOWN_CHARS) > 0:
        yield f"  … {more:,} more characters: 'satchel get {item.id}'", "dim"
    yield from item_facts(item)
    yield _PROMPT, "cyan"


def _choose(item: ReviewItem, keys: Iterator[str], show: Callable[[Lines], None]) -> Choice:
    """Read keys until they say what to do. Erasing, and trusting what is quarantined, take the key twice."""
    while True:
        key = next(keys, END_OF_INPUT)
        choice = _CHOICES.get(key.lower())
        if choice is None or choice is Choice.HELP:
            help = _HELP if choice else ()
            show(iter([*((line, "dim") for line in help), (_PROMPT, "cyan")]))
            continue
        question = _question(item, choice)
        if not question:
            return choice
        show(iter([(question, "yellow")]))
        again = _CHOICES.get(next(keys, END_OF_INPUT).lower())
        if again in (choice, Choice.QUIT):
            return again
        show(iter([(f"nothing was done · {_PROMPT}", "cyan")]))


def _question(item: ReviewItem, choice: Choice) -> str:
    if choice is Choice.FORGET:
        return "erase it everywhere, without undo? press f again"
    if choice is Choice.CONFIRM and item.trust is Trust.QUARANTINED:
        return "it was quarantined: trust it nevertheless? press y again"
    return ""


def _summary(done: Counter[str], left: int, following: str | None) -> Lines:
    yield "", ""
    yield tally({**done, "left as they were": left}) or "nothing was changed", "green"
    if following:
        yield f"more: satchel review --after {following}", "dim"
