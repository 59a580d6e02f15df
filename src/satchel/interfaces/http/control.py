"""Query and stop the server of a store."""

import time
from pathlib import Path

from msgspec.structs import replace

from satchel import __version__
from satchel.adapters.server_files import ServerFiles
from satchel.errors import Unavailable
from satchel.interfaces.http import client
from satchel.interfaces.http.status import ServerStatus
from satchel.interfaces.serialization import from_json
from satchel.locations import fingerprint

STOP_SECONDS = 60.0
_PAUSE_SECONDS = 0.02


def status_of(home: Path) -> ServerStatus:
    """Return the status of the server of a store, and whether its settings are those of this process."""
    files = ServerFiles(home)
    if not files.is_running():
        return ServerStatus(str(home), running=False)
    answer = client.ask(home, "GET /v1/status")
    if answer is None:
        running = files.running()
        pid = running.pid if running else None
        problem = "it is starting" if pid is None else "it does not answer"
        return ServerStatus(str(home), running=True, pid=pid, problem=problem)
    status: ServerStatus = from_json(ServerStatus, answer.get("result"))
    return replace(
        status,
        current=status.fingerprint == fingerprint(str(home), __version__),
        idle_end=files.idle_end({"idle_minutes": status.idle_minutes}),
    )


def stop_on_demand(home: Path) -> None:
    """Stop a server that a hook started, and wait until it has exited; leave any other alone."""
    running = ServerFiles(home).running()
    if running is not None and running.on_demand:
        stop(home)


def stop(home: Path) -> ServerStatus:
    """Stop the server of a store, and wait until it has exited."""
    files = ServerFiles(home)
    deadline = time.monotonic() + STOP_SECONDS
    asked = False
    while files.is_running():
        asked = asked or client.ask(home, "POST /v1/stop") is not None
        if time.monotonic() > deadline:
            pid = (files.read_status() or {}).get("pid", "unknown")
            reason = "is still finishing its work" if asked else "does not answer"
            raise Unavailable(f"the server (process {pid}) {reason}", code="still_serving", hint="try again later")
        time.sleep(_PAUSE_SECONDS)
    return ServerStatus(str(home), running=False)
