"""The inspector's door: sessions, headers, forms and refusals."""

import pytest

from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser
from tests.tables import each_case


def test_without_a_session_a_page_says_what_to_run(server: Server) -> None:
    reply = server.ask("/", b"", method="GET", headers={"Authorization": None}, tcp=True)

    assert reply.status == 401
    assert b"satchel open" in reply.body


def test_the_token_of_the_api_opens_no_page(server: Server) -> None:
    assert server.ask("/", b"", method="GET", tcp=True).status == 401


def test_an_address_lets_one_browser_in(browser: Browser) -> None:
    entry = browser.entry()

    entered = browser.reply(entry, Cookie=None)
    assert (entered.status, entered.headers["location"]) == (303, "/")
    cookie = entered.headers["set-cookie"]
    assert {"HttpOnly", "SameSite=strict", "Path=/"} <= {part.strip() for part in cookie.split(";")}
    again = browser.reply(entry, Cookie=None)
    assert again.status == 401
    assert "set-cookie" not in again.headers


def test_a_session_opens_no_api(browser: Browser) -> None:
    reply = browser.post("/v1/stats", {})

    assert (reply.status, reply.error) == (401, "bad_token")


def test_an_unknown_page_is_an_html_404_within_a_session(browser: Browser) -> None:
    reply = browser.reply("/nope")
    assert (reply.status, reply.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert "there is no such page" in reply.body.decode()

    assert browser.reply("/nope", Cookie=None).error == "bad_token"
    assert browser.reply("/v1/nope").error == "bad_token"


@each_case("path", ["/", "/nothing/here", "/assets/inspector.css", "/assets/inspector.js", "/open"])
def test_every_answer_forbids_foreign_content(browser: Browser, path: str) -> None:
    headers = browser.reply(path).headers

    policy = headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'none'" in policy
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "same-origin"
    assert headers["cache-control"] == "no-store"


@each_case("name", ["../site.py", "%2e%2e/site.py", "nothing.css", ""])
def test_only_known_assets_are_served(browser: Browser, name: str) -> None:
    assert browser.reply(f"/assets/{name}").status in (401, 404)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Origin": None}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "https://evil.example"}, 403),
        ({"Origin": "http://127.0.0.1:1"}, 403),
        ({"Host": "evil.example"}, 421),
        ({"Cookie": None}, 401),
        ({"Cookie": "satchel-0=x"}, 401),
        ({"Content-Type": "text/plain"}, 415),
        ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    ],
)
def test_a_form_from_elsewhere_is_refused(browser: Browser, headers: dict[str, str | None], status: int) -> None:
    assert browser.submit("/end", {}, **headers).status == status


def test_a_form_without_its_token_is_refused(browser: Browser) -> None:
    for form in ({}, {"form_token": ""}, {"form_token": "wrong"}, {"form_token": "\u00e9"}):
        assert browser.post("/end", form).status == 403


def test_a_session_can_be_ended(server: Server) -> None:
    browser = Browser(server)

    assert browser.submit("/end", {}).status == 401
    assert browser.reply("/").status == 401


def test_the_inspector_is_not_available_to_other_methods(browser: Browser) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "PATCH"):
        reply = browser.server.ask(
            "/", b"", method=method, headers={"Authorization": None, "Cookie": browser.cookie}, tcp=True
        )
        assert reply.status in (404, 405)
