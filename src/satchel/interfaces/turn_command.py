"""The short way of `satchel turn`: where a server runs, it does the work, and nothing else has to be loaded here."""

import io
import json
import sys
from collections.abc import Sequence
from typing import NamedTuple

from satchel.errors import SatchelError
from satchel.interfaces.http import client
from satchel.place import plain_place

# One more than is read of anything: the long way says that it is too much.
MAX_INPUT_BYTES = 20_000_001
# A turn waits no longer for a server than this.
SERVER_SECONDS = 10.0


class Given(NamedTuple):
    """What the command line says."""

    which: str
    home: str | None


def understood(arguments: Sequence[str]) -> Given | None:
    """Return what a command line says, or None where it says more than can be told here."""
    words, home = [one for one in arguments if one != "--json"], None
    if "--home" in words[:-1]:
        place = words.index("--home")
        home = words[place + 1]
        del words[place : place + 2]
    return Given(words[1], home) if words in (["turn", "before"], ["turn", "after"]) else None


def run(given: Given) -> bool:
    """Let the server do it, and print its answer; False when the long way has to be gone, with the input still there."""
    raw = sys.stdin.buffer.read(MAX_INPUT_BYTES)
    sys.stdin = io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8", errors="replace")
    try:
        answer = _answered(given, raw)
    except (SatchelError, ValueError, RecursionError):
        return False
    if answer is None or "result" not in answer.envelope:
        return False
    for warning in answer.envelope["receipt"]["body"]["warnings"]:
        sys.stderr.write(f"satchel turn: {warning}\n")
    sys.stdout.write(json.dumps(answer.envelope, ensure_ascii=False) + "\n")
    return True


def _answered(given: Given, raw: bytes) -> client.Answer | None:
    place = plain_place(given.home)
    request = json.loads(raw)
    if place is None or not isinstance(request, dict):
        return None
    # Done twice, a turn leaves no more than done once: what was kept is recognised.
    return client.call(
        place.folder, f"turn_{given.which}", request, actor="hook", repeatable=True, seconds=SERVER_SECONDS
    )
