"""The fast path of `satchel turn`: if a server runs, it does the work and little is loaded here."""

import io
import sys

from satchel.errors import SatchelError
from satchel.interfaces.http.raw_client import EXIT_CODE, ConnectionLost, post
from satchel.locations import store_location

# One byte more than allowed: the slow path reports that it is too much.
MAX_INPUT_BYTES = 20_000_001
# Maximum time a turn waits for a server to accept it, and then for the answer. A server that hangs costs every turn this
# much; one that is only slow makes the turn work on its own.
GREETING_SECONDS = 1.0
SERVER_SECONDS = 5.0
_OK = 200
# Every answer without warnings contains this; quotation marks in texts are escaped, so no text does.
_NO_WARNINGS = b'"warnings": []'


def parse_arguments(arguments: list[str]) -> tuple[str, str | None] | None:
    """Return the hook and the home folder of a plain command line; None for anything else."""
    words, home = [one for one in arguments if one != "--json"], None
    if "--home" in words[:-1]:
        index = words.index("--home")
        home = words[index + 1]
        del words[index : index + 2]
    return (words[1], home) if words in (["turn", "start"], ["turn", "before"], ["turn", "after"]) else None


def run(which: str, home: str | None) -> tuple[bool, int | None]:
    """Ask the server and print its answer. If there is none, leave the input on sys.stdin.

    Return whether it was asked, and the exit code if it answered. It is not asked if only the settings tell where it is.
    """
    raw = sys.stdin.buffer.read(MAX_INPUT_BYTES)
    sys.stdin = io.TextIOWrapper(io.BytesIO(raw), encoding="utf-8", errors="replace")
    try:
        folder = store_location(home)
    except (SatchelError, OSError, ValueError):
        folder = None
    if folder is None:
        return False, None
    answer = ask_server(f"turn_{which}", folder, raw)
    if answer is None:
        return True, None
    code, body = answer
    if _NO_WARNINGS not in body:
        import json

        for warning in json.loads(body)["receipt"]["body"]["warnings"]:
            sys.stderr.write(f"satchel turn: {warning}\n")
    sys.stdout.write(body.decode("utf-8") + "\n")
    return True, code


def ask_server(name: str, folder: str, raw: bytes) -> tuple[int, bytes] | None:
    """Ask the server of a store to perform an operation. Return the exit code and its answer; None if it gave none."""
    try:
        # Repeatable: duplicates of captured memories are recognised.
        reply = post(folder, name, raw, "hook", SERVER_SECONDS, GREETING_SECONDS)
        if reply is None or reply[0] != _OK or EXIT_CODE not in reply[1]:
            return None
        return int(reply[1][EXIT_CODE]), reply[2]
    except (OSError, ValueError, ConnectionLost):
        return None
