"""A server for a team, over real TLS: commands and Python programs on another machine, names, cookies, a new certificate."""

import asyncio
import json
import re
import ssl
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from satchel import aio
from satchel.adapters.access_file import AccessFile
from satchel.domain.access import Role, User
from satchel.domain.access_list import add_user
from satchel.errors import InvalidRequest, Refused, SatchelError, Unavailable
from satchel.interfaces.http.remote import RemoteServer, parse_url
from satchel.interfaces.tokens import issue_token
from tests.interfaces.http.certificates import Files, make_certificate
from tests.interfaces.http.conftest import Shell
from tests.interfaces.http.running import PATIENCE, Reply, Server, heard, parsed, request
from tests.tables import each_case

SHOP = "project/shop"


class TeamServer:
    """A server with TLS on a port, its certificate, and a token for each user."""

    def __init__(self, server: Server, files: Files) -> None:
        self.server, self.files = server, files
        self.url: str = server.status["url"]
        self.port = int(self.url.rpartition(":")[2])
        kept = AccessFile(server.home)
        for user in (User("anna", Role.WRITE, 0, (SHOP,)), User("boss", Role.OPERATOR, 0)):
            kept.change(lambda access, user=user: add_user(access, user))  # type: ignore[misc]
        self.tokens = {name: issue_token(kept, f"{name}-laptop", 0, user=name)[1] for name in ("anna", "boss")}

    def remote(self, who: str) -> RemoteServer:
        """Return the server as a user calls it."""
        return RemoteServer(self.url, self.tokens[who], str(self.files.certificate))

    def ask(self, route: str, method: str = "POST", name: str = "127.0.0.1", **headers: str | None) -> Reply:
        """Send a request over TLS, for a server of a name."""
        context = ssl.create_default_context(cafile=str(self.files.certificate))
        context.check_hostname = False
        usual: dict[str, str | None] = {"Host": f"127.0.0.1:{self.port}", "Content-Type": "application/json"}
        usual |= {"Content-Length": "2"} if method == "POST" else {}
        given = {key.replace("_", "-"): value for key, value in headers.items()}
        with socket_to(self.port) as plain, context.wrap_socket(plain, server_hostname=name) as connection:
            connection.sendall(request(method, route, usual | given, b"{}" if method == "POST" else b""))
            return parsed(heard(connection))


def socket_to(port: int) -> Any:
    """Return a connection to a port of this machine."""
    import socket

    return socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)


@pytest.fixture(scope="module")
def team(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TeamServer]:
    """A server for a team."""
    folder = tmp_path_factory.mktemp("team")
    files = make_certificate(folder / "tls")
    server = Server(
        folder / "home",
        "--bind",
        "127.0.0.1:0",
        "--host-name",
        "127.0.0.1",
        "--host-name",
        "memory.test",
        *files.options,
    )
    yield TeamServer(server, files)
    assert server.stop() == 0


@pytest.fixture
def laptop(
    team: TeamServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, shell: Shell
) -> Callable[..., tuple[int, str, str]]:
    """Run commands on another machine, which has no store, as a user of the server."""
    home = tmp_path / "elsewhere"
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_CA_FILE", str(team.files.certificate))

    def run(who: str, *words: str) -> tuple[int, str, str]:
        monkeypatch.setenv("SATCHEL_TOKEN", team.tokens[who])
        done = shell.run("--url", team.url, *words)
        assert not home.exists(), words
        return done

    return run


def test_commands_store_and_recall_on_the_server(laptop: Callable[..., tuple[int, str, str]]) -> None:
    stored = laptop("anna", "store", "Bread is baked on Tuesdays", "--json")
    found = laptop("anna", "recall", "when is bread baked?")
    seen = laptop("boss", "get", json.loads(stored[1])["result"]["id"], "--all-scopes", "--json")

    assert (stored[0], found[0]) == (0, 0)
    assert "Bread is baked on Tuesdays" in found[1]
    memory = json.loads(seen[1])["result"]["memory"]
    assert (memory["scope"], memory["trust"]) == (SHOP, "untrusted")


def test_a_refusal_and_an_error_are_those_of_the_server(laptop: Callable[..., tuple[int, str, str]]) -> None:
    elsewhere = laptop("anna", "recall", "bread", "--scope", "global", "--json")
    operators = laptop("anna", "review", "--json")
    missing = laptop("boss", "get", "00000000-0000-0000-0000-000000000000", "--json")

    assert [(code, json.loads(out)["error"]["code"]) for code, out, _ in (elsewhere, operators, missing)] == [
        (1, "scope_refused"),
        (1, "operator_only"),
        (1, "not_found"),
    ]


@each_case(
    "words, code",
    [
        (("export", "out.jsonl"), "local_only"),
        (("backup", "out.tar"), "local_only"),
        (("user", "list"), "local_only"),
        (("token", "list"), "local_only"),
        (("tool", "memory_list"), "local_only"),
        (("docs", "ingest", "."), "local_only"),
        (("undo",), "needs_yes"),
        (("scopes", "delete", SHOP), "needs_yes"),
    ],
)
def test_what_a_server_cannot_do_says_so(
    laptop: Callable[..., tuple[int, str, str]], words: tuple[str, ...], code: str
) -> None:
    failed = laptop("boss", *words, "--json")

    assert failed[0] != 0
    assert f'"{code}"' in failed[1]


def test_serve_and_mcp_are_for_this_machine_and_settings_stay_usable(
    laptop: Callable[..., tuple[int, str, str]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for words in (("serve",), ("mcp",)):
        code, _, said = laptop("boss", *words)
        assert code == 1 and "works on this machine only" in said
    assert laptop("boss", "config", "show")[0] == 0


def test_an_operator_undoes_and_the_entry_names_the_user(laptop: Callable[..., tuple[int, str, str]]) -> None:
    laptop("anna", "store", "The oven is in the cellar")
    listed = laptop("boss", "undo", "list", "--scope", SHOP)
    undone = laptop("boss", "undo", "--scope", SHOP, "--yes", "--json")
    again = laptop("boss", "undo", "list", "--scope", SHOP, "--json")

    assert "by user:anna/anna-laptop" in listed[1]
    assert undone[0] == 0, undone
    assert json.loads(again[1])["result"]["changes"][0]["actor"] == "user:boss/boss-laptop"


def test_the_scope_auto_is_the_project_of_the_folder_here(
    laptop: Callable[..., tuple[int, str, str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = tmp_path / "harbour"
    project.mkdir()
    subprocess.run(["git", "init", "-q", str(project)], check=True)
    monkeypatch.chdir(project)
    stored = laptop("boss", "store", "The pier has four lamps", "--scope", "auto", "--json")

    assert json.loads(stored[1])["result"]["scope"] == "project/harbour"


def test_python_programs_use_it(team: TeamServer) -> None:
    async def use() -> tuple[str, str]:
        async with aio.Satchel.connect(team.url, token=team.tokens["anna"], ca_file=team.files.certificate) as memory:
            stored = await memory.store("The till is by the door")
            found = await memory.recall("where is the till?")
            return stored.result.scope, found.result.hits[0].memory.text

    assert asyncio.run(use()) == (SHOP, "The till is by the door")


def test_the_program_of_the_page_runs(team: TeamServer) -> None:
    page = (Path(__file__).parents[3] / "docs" / "team.md").read_text(encoding="utf-8")
    (program,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    here = program.replace("https://memory.example.com:7711", team.url)
    names: dict[str, Any] = {}
    exec(here.replace("token=token", f"token=token, ca_file={str(team.files.certificate)!r}"), names)
    team.remote("anna").call("store", {"text": "We ship the bread on Thursdays"}, repeatable=False)

    assert asyncio.run(names["release_day"](team.tokens["anna"])) == "We ship the bread on Thursdays"


def test_the_local_operators_token_is_not_good_over_the_network(team: TeamServer) -> None:
    refused = team.ask("/v1/stats", Authorization=f"Bearer {team.server.token}")

    assert (refused.status, refused.error) == (401, "bad_token")
    assert team.server.ask("/v1/stats").status == 200


def test_only_its_names_and_origins_are_accepted(team: TeamServer) -> None:
    token = f"Bearer {team.tokens['boss']}"
    for host in ("memory.test", f"memory.test:{team.port}", f"localhost:{team.port}"):
        assert team.ask("/v1/stats", Authorization=token, Host=host).status == 200, host
        assert team.ask("/v1/stats", Authorization=token, Host=host, Origin=f"https://{host}").status == 200, host
    for host in ("evil.test", "localhost", "memory.test:1", "memory.test.evil"):
        assert team.ask("/v1/stats", Authorization=token, Host=host).status == 421, host
    for origin in ("http://memory.test", "https://evil.test", "null", "https://memory.test:1"):
        assert team.ask("/v1/stats", Authorization=token, Origin=origin).status == 403, origin


def test_a_request_in_the_clear_is_not_answered(team: TeamServer) -> None:
    with socket_to(team.port) as plain:
        plain.sendall(request("GET", "/health", {"Host": "memory.test"}))
        assert not heard(plain).startswith(b"HTTP/")
    assert team.server.is_well()


def test_the_inspector_opens_under_its_address_with_a_secure_cookie(
    team: TeamServer, laptop: Callable[..., tuple[int, str, str]]
) -> None:
    code, out, _ = laptop("boss", "open", "--no-browser", "--json")
    address = json.loads(out)["result"]["address"]
    entered = team.ask(address.removeprefix(team.url), "GET")
    cookie = entered.headers["set-cookie"]

    assert code == 0 and address.startswith(f"{team.url}/open?token=")
    assert {"Secure", "HttpOnly", "SameSite=strict"} <= set(cookie.split("; "))
    assert team.ask("/memories", "GET", Cookie=cookie.partition(";")[0]).status == 200
    assert laptop("anna", "open", "--no-browser", "--json")[0] == 1


def test_a_new_certificate_is_used_without_a_restart(own_server: Callable[..., Server], tmp_path: Path) -> None:
    files, renewed = make_certificate(tmp_path / "tls", "old"), make_certificate(tmp_path / "tls", "new")
    server = own_server(None, "--bind", "127.0.0.1:0", *files.options)
    port = int(server.status["url"].rpartition(":")[2])
    old, new = (one.certificate.read_text(encoding="ascii") for one in (files, renewed))

    assert presented(port) == presented(port, "memory.test") == old
    files.key.write_bytes(renewed.key.read_bytes())
    files.certificate.write_bytes(renewed.certificate.read_bytes())
    while presented(port) != new:
        assert server.process.poll() is None
    assert presented(port, "memory.test") == new


def presented(port: int, name: str | None = None) -> str:
    """Return the certificate that a server shows, with or without a name in the request."""
    context = ssl.create_default_context()
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    with socket_to(port) as plain, context.wrap_socket(plain, server_hostname=name) as connection:
        shown = connection.getpeercert(binary_form=True)
        assert shown is not None
        return ssl.DER_cert_to_PEM_cert(shown)


def test_behind_a_proxy_cookies_are_secure_and_names_are_the_proxys(own_server: Callable[..., Server]) -> None:
    server = own_server(None, "--bind", "127.0.0.1:0", "--host-name", "memory.test", "--behind-proxy")
    kept = AccessFile(server.home)
    kept.change(lambda access: add_user(access, User("boss", Role.OPERATOR, 0)))
    token = issue_token(kept, "desk", 0, user="boss")[1]
    port = int(server.status["bind"].rpartition(":")[2])

    def ask(route: str, method: str = "POST", **headers: str) -> Reply:
        usual = {"Host": "memory.test", "Content-Type": "application/json"}
        usual |= {"Content-Length": "2"} if method == "POST" else {}
        with socket_to(port) as plain:
            plain.sendall(request(method, route, usual | headers, b"{}" if method == "POST" else b""))
            return parsed(heard(plain))

    assert server.status["url"] == "https://memory.test"
    address = ask("/v1/open", Authorization=f"Bearer {token}").json["result"]["address"]
    assert address.startswith("https://memory.test/open?token=")
    assert "Secure" in ask(address.removeprefix("https://memory.test"), "GET").headers["set-cookie"]
    # What a proxy says about the client counts for nothing.
    assert ask("/v1/stats", **{"X-Forwarded-For": "127.0.0.1", "Authorization": f"Bearer {server.token}"}).status == 401


@each_case(
    "options, said",
    [
        (("--bind", "0.0.0.0:0", "--host-name", "memory.test"), "without TLS"),
        (("--bind", "127.0.0.1:0", "--tls-cert", "none.pem", "--tls-key", "none.pem"), "no file"),
        (("--tls-cert", "cert.pem"), "--bind"),
        (("--host-name", "memory.test"), "--bind"),
    ],
)
def test_a_server_that_would_be_open_does_not_start(tmp_path: Path, options: tuple[str, ...], said: str) -> None:
    command = [sys.executable, "-m", "satchel", "serve", "--home", str(tmp_path / "home"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)

    assert done.returncode != 0
    assert said in done.stderr, done.stderr


@each_case("url", ["", "memory.test", "ftp://memory.test", "https://", "https://a:b@memory.test", "https://memory.test?x=1", "https://memory.test#x", "https://memory.test:x", "https://memory.test:0", "https://mem\nory", "https://ü.test"])  # fmt: skip
def test_what_is_no_address_of_a_server_is_refused(url: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        parse_url(url)
    assert refused.value.code == "bad_url"


def test_a_token_is_never_sent_in_the_clear_nor_to_a_stranger(team: TeamServer, tmp_path: Path) -> None:
    def code(server: RemoteServer, kind: type[SatchelError]) -> str:
        with pytest.raises(kind) as failed:
            server.call("stats", {}, repeatable=True)
        return failed.value.code

    other = make_certificate(tmp_path, "other")
    good = team.remote("boss")
    assert code(RemoteServer("http://memory.test", good.token), Refused) == "insecure_url"
    assert code(RemoteServer(good.url, good.token), Unavailable) == "untrusted_server"
    assert code(RemoteServer(good.url, good.token, str(other.certificate)), Unavailable) == "untrusted_server"
    assert code(RemoteServer(good.url, good.token, str(other.key)), InvalidRequest) == "bad_ca_file"
    assert code(RemoteServer(good.url, "", good.ca_file), InvalidRequest) == "no_token"
    assert code(RemoteServer(good.url, "satchel_x", good.ca_file), Refused) == "bad_token"
    assert code(RemoteServer("https://127.0.0.1:1", good.token), Unavailable) == "unreachable"
    assert good.call("stats", {}, repeatable=True).exit_code == 0
