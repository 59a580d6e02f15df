"""Commands that serve the store: to an agent over MCP, to programs and other commands, to a browser."""

import os
import sys
import time
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from satchel.config import SettingsSources
from satchel.domain.envelope import Ok, outcome_of
from satchel.domain.receipt import Receipt
from satchel.domain.scope import check_scope
from satchel.domain.scope_name import AUTO_SCOPE
from satchel.errors import InvalidRequest, NotFound
from satchel.interfaces.cli.present import Screen
from satchel.interfaces.cli.views.lines import Lines
from satchel.interfaces.http.status import InspectorAddress, ServerStatus
from satchel.interfaces.local_time import local_time
from satchel.wiring.adapters import scope_policy_in
from satchel.wiring.store_path import ledger_path, store_exists

if TYPE_CHECKING:
    from satchel.interfaces.http.binding import Binding

MAX_PORT = 65_535


def serve_agent(sources: SettingsSources, given: Namespace) -> int:
    """Serve one agent over MCP on standard input and output."""
    from satchel.interfaces.agents import Bounds, chosen_tools
    from satchel.interfaces.http.served import local_only

    settings = sources.settings
    if settings.remote.url:
        raise local_only("mcp", f"give the host the address {settings.remote.url.rstrip('/')}/mcp and a token instead")
    policy = scope_policy_in(settings.scope_policy, os.curdir)
    scope = None if given.scope is None else check_scope(given.scope, policy)
    bounds = Bounds(
        scope,
        given.read_only or settings.read_only,
        _folder_for_files(given.files),
        chosen_tools(given.tools or ()),
        follows_project=given.scope == AUTO_SCOPE,
    )
    if sys.stdin.isatty():
        Screen(as_json=False).show_note(
            "serving MCP on standard input and output: a client starts this command itself ('satchel install --list' "
            "shows the hosts). Ctrl-C ends it"
        )
    from satchel.interfaces.mcp.start import serve

    return serve(settings, bounds)


def serve_store(sources: SettingsSources, given: Namespace) -> int:
    """Keep the store open for other commands and programs, or show or stop the process that does."""
    settings = sources.settings
    home, screen = ledger_path(settings).parent, Screen(as_json=getattr(given, "json", False))
    _check_port(given.port)
    if getattr(given, "url", None):
        from satchel.interfaces.http.served import local_only

        raise local_only("serve")
    binding = _binding(given)
    if given.status or given.stop:
        from satchel.interfaces.http.control import status_of, stop

        if given.stop:
            from satchel.adapters.server_files import ServerFiles

            was_running = ServerFiles(home).is_running()
            screen.show(_status_answer(stop(home)), view=_stopped_lines if was_running else _server_lines)
            return 0
        found = status_of(home)
        screen.show(_status_answer(found), view=_server_lines)
        return outcome_of(found)
    if not given.on_demand:
        from satchel.interfaces.http.control import stop_on_demand

        stop_on_demand(home)
    elif not store_exists(settings):
        # It was removed since a hook asked for the server, which must not create it again.
        raise NotFound(f"no store in {home}", hint="'satchel serve' without --on-demand creates one")
    from satchel.interfaces.http.server import serve

    def announce(status: ServerStatus) -> None:
        screen.show(_status_answer(status), view=_server_lines)
        # The process that started the server may be waiting for this line on a pipe.
        sys.stdout.flush()

    files = _folder_for_files(given.files)
    return serve(home, given.port, files, announce, on_demand=given.on_demand, binding=binding)


def _binding(given: Namespace) -> "Binding | None":
    """Return where other machines reach the server; None if they do not."""
    if given.bind is None:
        if given.tls_cert or given.tls_key or given.behind_proxy or given.host_name:
            raise InvalidRequest(
                "nothing to encrypt: the server listens on this machine alone",
                code="bad_bind",
                hint="give --bind ADDRESS:PORT too, such as --bind 0.0.0.0:7711",
            )
        return None
    from satchel.interfaces.http.binding import make_binding

    return make_binding(
        given.bind,
        certificate=given.tls_cert,
        key=given.tls_key,
        names=given.host_name or (),
        behind_proxy=given.behind_proxy,
    )


def open_in_browser(sources: SettingsSources, given: Namespace) -> int:
    """Open the inspector in a browser, or print its address."""
    from satchel.interfaces.http.open_inspector import open_inspector, open_remote_inspector, show_in_browser

    _check_port(given.port)
    if sources.settings.remote.url:
        opened = open_remote_inspector(sources.settings.remote)
    else:
        opened = open_inspector(sources.settings, given.port)
    shown = given.browser and show_in_browser(opened.address)
    receipt = Receipt("open", asked={}, decided={"port": opened.port}, at=time.time_ns() // 1_000_000)
    screen = Screen(as_json=getattr(given, "json", False))
    screen.show(Ok(opened, receipt), view=_opened_in_browser if shown else _address_lines)
    return 0


def _opened_in_browser(result: InspectorAddress) -> Lines:
    yield f"opened the inspector in your browser: {result.address.partition('/open')[0]}", ""


def _address_lines(result: InspectorAddress) -> Lines:
    here = " on this machine" if result.address.startswith("http://127.0.0.1:") else ""
    yield f"open this address in a browser{here} within a minute; it works once:", ""
    yield f"  {result.address}", "bold"


def _server_lines(result: ServerStatus) -> Lines:
    if not result.running:
        yield f"no server is running for {result.home}", ""
        return
    yield f"serving {result.home}", "bold"
    if result.problem:
        yield f"  process {result.pid}: {result.problem}", "red"
        return
    yield f"  process {result.pid}, version {result.version}, since {local_time(result.since or 0)}", "dim"
    if result.idle_end is not None:
        yield f"  started on demand; ends at {local_time(result.idle_end)} if nobody uses it until then", "dim"
    yield f"  socket {result.socket}", ""
    if result.port is not None:
        yield f"  http://127.0.0.1:{result.port}", ""
    if result.url is not None:
        yield f"  {result.url}, on {result.bind}", ""
    if not result.current:
        yield "  it has other settings than yours: commands do not use it until it is restarted", "yellow"


def _stopped_lines(result: ServerStatus) -> Lines:
    yield f"stopped the server for {result.home}", ""


def _status_answer(status: ServerStatus) -> Ok[ServerStatus]:
    return Ok(status, Receipt("serve", asked={}, decided={"running": status.running}, at=time.time_ns() // 1_000_000))


def _check_port(port: int | None) -> None:
    if port is not None and not 0 <= port <= MAX_PORT:
        raise InvalidRequest(f"invalid port {port}", code="bad_port", hint=f"0 to {MAX_PORT}; 0 for any")


def _folder_for_files(name: str | None) -> Path | None:
    if name is None:
        return None
    folder = Path(name)
    with suppress(RuntimeError):  # an unknown user has no home folder
        folder = folder.expanduser()
    # An empty name would mean the current folder.
    if not name.strip() or not folder.is_dir():
        raise InvalidRequest(f"{name[:80]!r} is not a folder", code="not_a_folder", hint="create it first")
    return folder.resolve()
