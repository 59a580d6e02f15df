"""The state of a server, as a person sees it."""

from satchel.domain.moment import iso
from satchel.interfaces.cli.views.lines import Lines
from satchel.interfaces.http.status import ServerStatus


def server_lines(result: ServerStatus) -> Lines:
    """Yield where a server listens, or that none runs."""
    if not result.running:
        yield f"no server runs for {result.home}", ""
        return
    yield f"serving {result.home}", "bold"
    if result.problem:
        yield f"  process {result.pid}: {result.problem}", "red"
        return
    yield f"  process {result.pid}, version {result.version}, since {iso(result.since or 0)}", "dim"
    yield f"  socket {result.socket}", ""
    if result.port is not None:
        yield f"  http://127.0.0.1:{result.port}", ""
    if not result.current:
        yield "  started with other settings than yours: commands do without it until it is restarted", "yellow"
