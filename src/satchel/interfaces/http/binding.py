"""Where a server for a team listens: the address, its names, and who encrypts."""

import ipaddress
import re
from collections.abc import Sequence
from pathlib import Path

from msgspec import Struct

from satchel.errors import InvalidRequest, Refused
from satchel.interfaces.http.hosts import Reached, on_network

MAX_PORT = 65_535
_NAME = re.compile(r"(?:[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?|\[[0-9a-f:.]{2,45}\])(?::([0-9]{1,5}))?")


class CertificateFiles(Struct, frozen=True):
    """The files of a certificate and of its private key, in PEM."""

    certificate: Path
    key: Path


class Binding(Struct, frozen=True):
    """One address on which a server accepts users from other machines."""

    address: str
    port: int
    """0 for any."""
    names: tuple[str, ...] = ()
    """The names by which clients reach it, each with a port if that differs from the server's."""
    certificate: CertificateFiles | None = None
    behind_proxy: bool = False
    """A proxy in front of it encrypts."""

    @property
    def secure(self) -> bool:
        """Whether clients reach it by https."""
        return self.certificate is not None or self.behind_proxy

    def reached(self, port: int) -> Reached:
        """Return how requests reach it, once it listens on a port."""
        return on_network(port, self.names, secure=self.secure)

    def url(self, port: int) -> str:
        """Return an address to give to clients, once it listens on a port."""
        name = self.names[0] if self.names else bracketed(self.address)
        has_port = ":" in name.rpartition("]")[2] or self.behind_proxy
        return f"{'https' if self.secure else 'http'}://{name}{'' if has_port else f':{port}'}"


def make_binding(
    bind: str,
    *,
    certificate: str | None = None,
    key: str | None = None,
    names: Sequence[str] = (),
    behind_proxy: bool = False,
) -> Binding:
    """Return where to listen, or raise if it would send tokens and memories over a network in the clear."""
    address, port = _parse_address(bind)
    if (certificate is None) != (key is None):
        raise InvalidRequest(
            "a certificate needs its key", code="tls_incomplete", hint="give both --tls-cert FILE and --tls-key FILE"
        )
    files = CertificateFiles(Path(certificate), Path(key)) if certificate and key else None
    if not (address.is_loopback or files or behind_proxy):
        raise Refused(
            f"listening on {bind} without TLS would send tokens and memories over the network in the clear",
            code="tls_missing",
            hint="give --tls-cert FILE and --tls-key FILE, or --behind-proxy if a proxy in front of it terminates TLS",
        )
    checked = tuple(dict.fromkeys(_check_name(one) for one in names))
    if address.is_unspecified and not checked:
        raise InvalidRequest(
            f"{bind} has no name of its own",
            code="host_name_missing",
            hint="give --host-name NAME, by which clients reach it; it may be given several times",
        )
    own = () if address.is_unspecified else (bracketed(str(address)),)
    return Binding(str(address), port, checked or own, files, behind_proxy)


def _parse_address(bind: str) -> tuple[ipaddress.IPv4Address | ipaddress.IPv6Address, int]:
    host, colon, port = bind.rpartition(":")
    wrong = InvalidRequest(
        f"{bind[:80]!r} is not an address with a port",
        code="bad_bind",
        hint="such as 0.0.0.0:7711, 192.168.1.5:7711 or [::]:7711",
    )
    if not colon or not (port.isascii() and port.isdigit()) or int(port[:6]) > MAX_PORT:
        raise wrong
    is_bracketed = host.startswith("[") and host.endswith("]")
    try:
        address = ipaddress.ip_address(host[1:-1] if is_bracketed else host)
    except ValueError:
        raise wrong from None
    if is_bracketed != (address.version == 6):
        raise wrong
    return address, int(port)


def _check_name(text: str) -> str:
    name = text.lower()
    found = _NAME.fullmatch(name)
    if not found or (found[1] and not 0 < int(found[1]) <= MAX_PORT):
        raise InvalidRequest(
            f"{text[:80]!r} is not a host name", code="bad_host_name", hint="such as memory.example.com, or with a port"
        )
    return name


def bracketed(address: str) -> str:
    """Return an address as it stands before a port."""
    return f"[{address}]" if ":" in address else address
