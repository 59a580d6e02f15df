"""Looking after a server from outside: whether one runs, and that it stops."""

import time
from pathlib import Path

from msgspec.structs import replace

from satchel import __version__
from satchel.errors import Unavailable
from satchel.interfaces.decode import decoded
from satchel.interfaces.http import client
from satchel.interfaces.http.locations import Place
from satchel.interfaces.http.status import ServerStatus
from satchel.locations import fingerprint

STOP_SECONDS = 60.0
_PAUSE_SECONDS = 0.02


def status_of(home: Path) -> ServerStatus:
    """Say whether a server runs for the store in a folder, and how it stands to the settings of this process."""
    place = Place(home)
    if not place.is_taken():
        return ServerStatus(str(home), running=False)
    answer = client.ask(home, "GET /v1/status")
    if answer is None:
        pid = (place.read_note() or {}).get("pid")
        known = pid if type(pid) is int else None
        return ServerStatus(str(home), running=True, pid=known, problem="it does not answer")
    status: ServerStatus = decoded(ServerStatus, answer.get("result"))
    return replace(status, current=status.fingerprint == fingerprint(str(home), __version__))


def stop(home: Path) -> ServerStatus:
    """Stop the server of the store in a folder, and wait until it has finished what it was doing."""
    place = Place(home)
    deadline = time.monotonic() + STOP_SECONDS
    asked = False
    while place.is_taken():
        asked = asked or client.ask(home, "POST /v1/stop") is not None
        if time.monotonic() > deadline:
            pid = (place.read_note() or {}).get("pid", "unknown")
            reason = "is still finishing what it was doing" if asked else "does not answer"
            raise Unavailable(f"the server (process {pid}) {reason}", code="still_serving", hint="try again later")
        time.sleep(_PAUSE_SECONDS)
    return ServerStatus(str(home), running=False)
