"""`satchel open`: the server it uses or starts, and the address it gives."""

import json
import socket
import webbrowser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from satchel.interfaces.http.answers import RequestRejected
from satchel.interfaces.http.control import stop
from satchel.interfaces.http.inspector_route import wanted_port
from satchel.interfaces.http.open_inspector import show_in_browser
from tests.interfaces.http.conftest import Shell
from tests.interfaces.http.running import Server
from tests.tables import each_case


def opened(shell: Shell, *options: str) -> dict[str, Any]:
    code, out, err = shell.run("--json", "open", "--no-browser", *options)
    assert code == 0, err
    result: dict[str, Any] = json.loads(out)["result"]
    return result


def test_a_server_without_a_port_gets_one(own_server: Callable[..., Server], shell: Shell) -> None:
    server = own_server()
    shell.like(server)
    assert server.status["port"] is None

    first = opened(shell)
    server.status["port"] = first["port"]
    entry = first["address"].partition(f":{first['port']}")[2]

    assert server.ask(entry, b"", method="GET", headers={"Authorization": None}, tcp=True).status == 303
    assert opened(shell)["port"] == first["port"]
    assert server.ask("/v1/status", b"", method="GET").json["result"]["port"] == first["port"]
    assert json.loads((server.home / "serve.json").read_text(encoding="utf-8"))["port"] == first["port"]


def test_a_store_has_the_same_port_at_each_start(
    own_server: Callable[..., Server], shell: Shell, tmp_path: Path
) -> None:
    home, ports = tmp_path / "stable", list[int]()
    for _ in range(2):
        server = own_server(home)
        shell.like(server)
        ports.append(opened(shell)["port"])
        assert server.stop() == 0
    with socket.create_server(("127.0.0.1", ports[0])):
        shell.like(own_server(home))
        ports.append(opened(shell)["port"])

    assert ports[0] == ports[1] != ports[2]


def test_another_port_than_the_servers_is_refused(own_server: Callable[..., Server], shell: Shell) -> None:
    server = own_server(None, "--port", "0")
    shell.like(server)
    other = 1 if server.status["port"] != 1 else 2

    code, out, _ = shell.run("--json", "open", "--no-browser", "--port", str(other))

    assert (code, json.loads(out)["error"]["code"]) == (1, "other_port")
    assert opened(shell, "--port", str(server.status["port"]))["port"] == server.status["port"]


def test_a_port_that_is_taken_is_one_clear_error(own_server: Callable[..., Server], shell: Shell) -> None:
    shell.like(own_server())
    with socket.create_server(("127.0.0.1", 0)) as other:
        code, out, _ = shell.run("--json", "open", "--no-browser", "--port", str(other.getsockname()[1]))

    assert (code, json.loads(out)["error"]["code"]) == (1, "port_taken")
    assert opened(shell)["port"]


def test_a_server_is_started_if_none_runs(home: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    shell.run("store", "We ship on Thursdays")
    try:
        code, out, _ = shell.run("open", "--no-browser")
        assert code == 0
        assert "/open?token=" in out
        assert "started on demand" in shell.run("serve", "--status")[1]
    finally:
        stop(home)


@each_case(
    ("options", "code"),
    [(("--port", "70000"), "bad_port"), (("--port", "-1"), "bad_port"), ((), "not_found")],
)
def test_what_cannot_be_opened_is_one_clear_error(
    home: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...], code: str
) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))

    exit_code, out, _ = shell.run("--json", "open", "--no-browser", *options)

    assert exit_code in (1, 2)
    assert json.loads(out)["error"]["code"] == code
    assert not home.exists()


def test_a_read_only_store_needs_a_server_that_runs(home: Path, shell: Shell, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    shell.run("store", "We ship on Thursdays")
    monkeypatch.setenv("SATCHEL_READ_ONLY", "true")

    code, out, _ = shell.run("--json", "open", "--no-browser")

    assert (code, json.loads(out)["error"]["code"]) == (1, "not_serving")


@each_case("given", [{"port": "80"}, {"port": 70_000}, {"port": True}, {"colour": "red"}, {"port": 80.5}])
def test_an_invalid_request_for_a_port_is_rejected(given: dict[str, Any]) -> None:
    with pytest.raises(RequestRejected) as rejected:
        wanted_port(given, None)
    assert rejected.value.status == 400


class _Window(webbrowser.BaseBrowser):
    def __init__(self) -> None:
        super().__init__("window")
        self.shown: list[str] = []

    def open(self, url: str, new: int = 0, autoraise: bool = True) -> bool:
        self.shown.append(url)
        return True


def test_a_browser_with_a_window_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    window = _Window()
    monkeypatch.setattr(webbrowser, "get", lambda: window)

    assert show_in_browser("http://127.0.0.1:1/open?token=x")
    assert window.shown == ["http://127.0.0.1:1/open?token=x"]


def test_a_browser_in_the_terminal_or_none_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    def none() -> None:
        raise webbrowser.Error

    monkeypatch.setattr(webbrowser, "get", lambda: webbrowser.GenericBrowser("true"))
    assert not show_in_browser("http://127.0.0.1:1/")
    monkeypatch.setattr(webbrowser, "get", none)
    assert not show_in_browser("http://127.0.0.1:1/")
