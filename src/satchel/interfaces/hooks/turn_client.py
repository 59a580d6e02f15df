"""The short way of `satchel turn`: where a server runs, it does the work, and nothing else has to be loaded here."""

import io
import sys

from satchel.errors import SatchelError
from satchel.interfaces.http.raw_client import EXIT_CODE, Lost, post
from satchel.locations import plain_place

# One more than is read of anything: the long way says that it is too much.
MAX_INPUT_BYTES = 20_000_001
# A turn waits no longer for a server than this.
SERVER_SECONDS = 10.0
_DONE = 200
# What every answer without a warning holds; text inside an answer has its quotation marks escaped.
_NO_WARNINGS = b'"warnings": []'


def understood(arguments: list[str]) -> tuple[str, str | None] | None:
    """Return which hook a command line means and in which home, or None where it says more than can be told here."""
    words, home = [one for one in arguments if one != "--json"], None
    if "--home" in words[:-1]:
        place = words.index("--home")
        home = words[place + 1]
        del words[place : place + 2]
    return (words[1], home) if words in (["turn", "before"], ["turn", "after"]) else None


def run(which: str, home: str | None) -> bool:
    """Let the server do it, and print its answer; False when the long way has to be gone, with the input still there."""
    raw = sys.stdin.buffer.read(MAX_INPUT_BYTES)
    sys.stdin = io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8", errors="replace")
    answer = _answered(which, home, raw)
    if answer is None:
        return False
    if _NO_WARNINGS not in answer:
        import json

        for warning in json.loads(answer)["receipt"]["body"]["warnings"]:
            sys.stderr.write(f"satchel turn: {warning}\n")
    sys.stdout.write(answer.decode("utf-8") + "\n")
    return True


def _answered(which: str, home: str | None, raw: bytes) -> bytes | None:
    """Return the server's answer to what stands on standard input; what is no object it turns away."""
    try:
        place = plain_place(home)
        # Done twice, a turn leaves no more than done once: what was kept is recognised.
        reply = None if place is None else post(place[0], f"turn_{which}", raw, "hook", SERVER_SECONDS)
    except (SatchelError, OSError, ValueError, Lost):
        return None
    if reply is None or reply[0] != _DONE or EXIT_CODE not in reply[1]:
        return None
    return reply[2]
