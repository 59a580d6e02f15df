"""Where a server for a team may listen, and the names it is reached by."""

from pathlib import Path
from typing import Any

import pytest

from satchel.errors import InvalidRequest, Refused, SatchelError
from satchel.interfaces.http.binding import Binding, CertificateFiles, make_binding
from tests.tables import each_case

TLS: dict[str, Any] = {"certificate": "cert.pem", "key": "key.pem"}
NAMED: dict[str, Any] = {"names": ("memory.example.com",)}


@each_case(
    "bind, given, kind, code",
    [
        ("0.0.0.0:7711", NAMED, Refused, "tls_missing"),
        ("[::]:7711", NAMED, Refused, "tls_missing"),
        ("192.168.1.5:7711", {}, Refused, "tls_missing"),
        ("[fe80::1]:7711", {}, Refused, "tls_missing"),
        ("0.0.0.0:7711", TLS, InvalidRequest, "host_name_missing"),
        ("[::]:7711", {"behind_proxy": True}, InvalidRequest, "host_name_missing"),
        ("192.168.1.5:7711", {"certificate": "cert.pem"}, InvalidRequest, "tls_incomplete"),
        ("127.0.0.1:7711", {"key": "key.pem"}, InvalidRequest, "tls_incomplete"),
        ("0.0.0.0:7711", TLS | {"names": ("https://memory.example.com",)}, InvalidRequest, "bad_host_name"),
        ("0.0.0.0:7711", TLS | {"names": ("memory example",)}, InvalidRequest, "bad_host_name"),
        ("0.0.0.0:7711", TLS | {"names": ("memory:0",)}, InvalidRequest, "bad_host_name"),
        ("0.0.0.0:7711", TLS | {"names": ("memory:99999",)}, InvalidRequest, "bad_host_name"),
        ("0.0.0.0:7711", TLS | {"names": ("",)}, InvalidRequest, "bad_host_name"),
        *((bind, TLS | NAMED, InvalidRequest, "bad_bind") for bind in (
            "", ":", "7711", ":7711", "0.0.0.0", "0.0.0.0:", "0.0.0.0:x", "0.0.0.0:65536", "0.0.0.0:-1", "0.0.0.0:٧", "localhost:7711",
            "memory.example.com:7711", "::1:7711", "[0.0.0.0]:7711", "[::1]", "0.0.0.0:7711:1", "300.0.0.1:1", "0.0.0.0:1111111111",
        )),
    ],
)  # fmt: skip
def test_an_address_that_is_open_or_unclear_is_refused(
    bind: str, given: dict[str, Any], kind: type[SatchelError], code: str
) -> None:
    with pytest.raises(kind) as refused:
        make_binding(bind, **given)
    assert refused.value.code == code
    assert refused.value.hint


FILES = CertificateFiles(Path("cert.pem"), Path("key.pem"))


@each_case(
    "bind, given, expected, url",
    [
        ("127.0.0.1:7711", {}, Binding("127.0.0.1", 7711, ("127.0.0.1",)), "http://127.0.0.1:7711"),
        ("[::1]:0", {}, Binding("::1", 0, ("[::1]",)), "http://[::1]:7711"),
        ("192.168.1.5:7711", TLS, Binding("192.168.1.5", 7711, ("192.168.1.5",), FILES), "https://192.168.1.5:7711"),
        (
            "0.0.0.0:7711",
            TLS | {"names": ("Memory.Example.COM", "memory.example.com", "backup.example.com:443")},
            Binding("0.0.0.0", 7711, ("memory.example.com", "backup.example.com:443"), FILES),
            "https://memory.example.com:7711",
        ),
        (
            "[::]:7711",
            NAMED | {"behind_proxy": True},
            Binding("::", 7711, ("memory.example.com",), None, behind_proxy=True),
            "https://memory.example.com",
        ),
    ],
)
def test_an_encrypted_or_local_address_is_accepted(
    bind: str, given: dict[str, Any], expected: Binding, url: str
) -> None:
    binding = make_binding(bind, **given)

    assert binding == expected
    assert binding.url(7711) == url


def test_requests_reach_it_by_its_names_alone() -> None:
    binding = make_binding("0.0.0.0:7711", **TLS, names=("memory.test", "other.test:8443"))
    reached = binding.reached(7711)

    assert reached.by_network and reached.secure
    for good in ("memory.test", "memory.test:7711", "memory.test.:7711", "other.test:8443", "127.0.0.1:7711"):
        assert good in reached.hosts and f"https://{good}" in reached.origins
    for bad in (
        "memory.test:80",
        "other.test",
        "other.test:7711",
        "evil.test",
        "memory.test.evil",
        "127.0.0.1",
        "0.0.0.0:7711",
    ):
        assert bad not in reached.hosts
    assert not any(origin.startswith("http://") for origin in reached.origins)
