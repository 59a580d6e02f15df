"""`satchel open`: start the server if none runs, and return where a browser enters the inspector."""

import json
import time
from pathlib import Path

from satchel.adapters.server_files import ServerFiles
from satchel.config import Settings
from satchel.config.settings import RemoteSettings
from satchel.errors import NotFound, SatchelError, Unavailable
from satchel.interfaces.hooks.start_server import start_server
from satchel.interfaces.http import raw_client
from satchel.interfaces.http.raw_client import ConnectionLost
from satchel.interfaces.http.remote import RemoteServer
from satchel.interfaces.http.status import InspectorAddress
from satchel.interfaces.serialization import from_json
from satchel.wiring.store_path import ledger_path, store_exists

START_SECONDS = 30.0
ANSWER_SECONDS = 10.0
_PAUSE_SECONDS = 0.05
_WRONG_TOKEN = 401
_BY_HAND = "run 'satchel serve' in another terminal, then 'satchel open' again"


def open_inspector(settings: Settings, port: int | None) -> InspectorAddress:
    """Return the address of the inspector, with a token for one browser."""
    home = ledger_path(settings).parent
    files = ServerFiles(home)
    if not files.is_running():
        _start(settings)
    deadline = time.monotonic() + START_SECONDS
    while (answer := _ask(home, port)) is None:
        if time.monotonic() > deadline or not files.is_running():
            raise Unavailable(
                "the server did not start", code="not_serving", hint=f"{files.log} says why; or {_BY_HAND}"
            )
        time.sleep(_PAUSE_SECONDS)
    return answer


def open_remote_inspector(remote: RemoteSettings) -> InspectorAddress:
    """Return the address of the inspector of a server on another machine, with a token for one browser."""
    answer = RemoteServer(remote.url, remote.token, remote.ca_file).call("open", {}, repeatable=True)
    opened: InspectorAddress = from_json(InspectorAddress, answer.envelope.get("result"))
    return opened


def show_in_browser(address: str) -> bool:
    """Open a window with an address, and return whether there is a browser for that."""
    import webbrowser

    try:
        found = webbrowser.get()
    except webbrowser.Error:
        return False
    # A browser in the terminal would take it over; only those are plain GenericBrowsers.
    return type(found) is not webbrowser.GenericBrowser and found.open(address)


def _start(settings: Settings) -> None:
    if settings.read_only or settings.has_own_file:
        raise Unavailable("no server is running, and none is started for this store", code="not_serving", hint=_BY_HAND)
    if not store_exists(settings):
        raise NotFound(
            f"no store in {ledger_path(settings).parent}",
            hint='store a memory first: satchel store "We ship on Thursdays"',
        )
    start_server(settings)


def _ask(home: Path, port: int | None) -> InspectorAddress | None:
    body = json.dumps({} if port is None else {"port": port}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body))}
    try:
        reply = raw_client.exchange(str(home), "POST /v1/open", headers, body, ANSWER_SECONDS)
        # A server that is starting may not have written its token yet.
        answer = None if reply is None or reply[0] == _WRONG_TOKEN else json.loads(reply[2])
    except (OSError, ValueError, ConnectionLost):
        return None
    if not isinstance(answer, dict):
        return None
    if isinstance(error := answer.get("error"), dict):
        raise SatchelError(str(error["message"]), code=str(error["code"]), hint=str(error["hint"]))
    found: InspectorAddress = from_json(InspectorAddress, answer.get("result"))
    return found
