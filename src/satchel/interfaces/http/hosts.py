"""The names under which a server is reached: which Host headers and Origins it accepts."""

from collections.abc import Sequence
from functools import cache

from msgspec import Struct

REACHED = "satchel.reached"
"""The key in a request's ASGI scope under which is how it reached the server."""
_LOCAL = ("localhost", "127.0.0.1", "[::1]")


class Reached(Struct, frozen=True):
    """How requests reach one of the server's sockets."""

    hosts: frozenset[str]
    """Host headers, in lower case."""
    origins: frozenset[str]
    secure: bool = False
    """Whether browsers reach it by https, here or at a proxy in front of it."""
    by_network: bool = False
    """Whether others than this machine reach it; the local operator's token is not accepted there."""


ON_SOCKET = Reached(frozenset({"localhost", "localhost."}), frozenset())
"""Over the Unix socket there are no ports and no web pages."""


@cache
def on_loopback(port: int) -> Reached:
    """Return how this machine reaches a port of the loopback address."""
    origins = frozenset(f"http://{name}:{port}" for name in _LOCAL)
    return Reached(_with_dots(_LOCAL, f":{port}"), origins)


@cache
def on_network(port: int, names: tuple[str, ...], *, secure: bool) -> Reached:
    """Return how a team reaches a port: by its names, each with a port of its own, this port, or the default one."""
    hosts = _with_dots(_LOCAL, f":{port}")
    for name in names:
        plain, colon, _ = name.rpartition(":") if not name.endswith("]") else ("", "", "")
        hosts |= {name} if plain and colon else _with_dots([name], "") | _with_dots([name], f":{port}")
    scheme = "https" if secure else "http"
    return Reached(hosts, frozenset(f"{scheme}://{host}" for host in hosts), secure, by_network=True)


def _with_dots(names: Sequence[str], ending: str) -> frozenset[str]:
    return frozenset(f"{name}{dot}{ending}" for name in names for dot in ("", "."))
