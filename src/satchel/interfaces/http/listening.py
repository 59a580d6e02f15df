"""The sockets that a server listens on: a Unix socket always, ports if they are asked for."""

import errno
import ipaddress
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path

from satchel.adapters.server_files import PRIVATE_FILE, ServerFiles
from satchel.errors import Unavailable

LOOPBACK = "127.0.0.1"
BACKLOG = 512
# Above the ports that Linux gives to clients.
_FIRST_USUAL_PORT = 61_000
_USUAL_PORTS = 4_500


@contextmanager
def unix_socket(own_files: ServerFiles) -> Iterator[socket.socket]:
    """Listen on the store's Unix socket, which only its owner can use."""
    path = own_files.socket()
    own_files.make_folder(path)
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as local:
        local.bind(os.fspath(path))
        # Before it listens, so nobody else can connect.
        path.chmod(PRIVATE_FILE)
        local.listen(BACKLOG)
        yield local


def usual_socket(home: Path) -> socket.socket:
    """Return a socket that listens on the store's usual port, or on any if that one is taken.

    The port is the same at each start, so that open tabs, bookmarks and the chosen theme outlast the server.
    """
    number = int.from_bytes(sha256(os.fsencode(home)).digest()[:4])
    try:
        return tcp_socket(_FIRST_USUAL_PORT + number % _USUAL_PORTS)
    except Unavailable:
        return tcp_socket(0)


def tcp_socket(port: int, address: str = LOOPBACK) -> socket.socket:
    """Return a socket that listens on a port of an address; 0 for any port."""
    family = socket.AF_INET6 if ipaddress.ip_address(address).version == 6 else socket.AF_INET
    tcp = socket.socket(family, socket.SOCK_STREAM)
    tcp.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        tcp.bind((address, port))
        tcp.listen(BACKLOG)
    except OSError as error:
        tcp.close()
        taken = error.errno == errno.EADDRINUSE
        place = f"port {port}" if address == LOOPBACK else f"{address} port {port}"
        raise Unavailable(
            f"{place} cannot be used: {error.strerror}",
            code="port_taken" if taken else "io_error",
            hint="choose another with --port" if address == LOOPBACK else "choose another with --bind",
        ) from None
    return tcp
