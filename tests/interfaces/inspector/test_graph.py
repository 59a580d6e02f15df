"""The graph, as HTML."""

from typing import Any

import pytest

from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser

RELATIONS = [
    ("Checkout", "DEPENDS_ON", "Ledger"),
    ("Checkout", "USES", "Redis"),
    ("Ledger", "DEPENDS_ON", "Audit"),
    ("Island", "CONTAINS", "Beach"),
    ("Ledger", "RELATES_TO", "<script>alert(1)</script>"),
]


@pytest.fixture(scope="module")
def graph(server: Server) -> dict[str, str]:
    """Relations in a scope; the ids of the entities by their names."""
    for tail, relation, head in RELATIONS:
        given = {"tail": tail, "relation": relation, "head": head, "tail_type": "Tool", "head_type": "Tool"}
        reply = server.ask("/v1/graph_add", given | {"scope": "project/shop"})
        assert reply.status == 200, reply.body
    listed: Any = server.ask("/v1/graph_list", {"scope": "project/shop"}).json["result"]["entities"]
    return {one["name"]: one["id"] for one in listed}


def test_entities_are_listed_and_counted(browser: Browser, graph: dict[str, str]) -> None:
    page = browser.get("/graph")

    assert "7 entities" in page.text
    assert "DEPENDS ON 2" in page.text
    assert f"/graph?name={graph['Ledger']}" in page.links()
    assert "/graph?type=Tool" in page.links()
    assert "7 entities" in browser.get("/graph?type=Tool").text
    assert "0 entities" in browser.get("/graph?scope=nowhere").text


def test_an_entity_is_drawn_with_its_neighbours_and_listed_as_a_table(browser: Browser, graph: dict[str, str]) -> None:
    page = browser.get("/graph?name=Ledger")

    picture, _, table = page.html.partition("Neighbors as a table")
    assert picture.count('class="edge') == 3
    assert picture.count("marker-start=") == 1
    for name in ("Checkout", "Audit"):
        assert f"/graph?name={graph[name]}&amp;hops=1" in picture
        assert f"/graph?name={graph[name]}&amp;hops=1" in table
    assert "Checkout depends on Ledger" in table
    assert "Checkout" not in browser.get("/graph?name=Audit").text
    assert "Checkout" in browser.get(f"/graph?name={graph['Audit']}&hops=2").text


@pytest.mark.usefixtures("graph")
def test_a_path_between_two_entities_is_drawn(browser: Browser) -> None:
    page = browser.get("/graph?name=Audit&to=Redis&scope=project/shop")

    drawn = page.html.partition("path-arrow")[2].partition("</svg>")[0]
    assert drawn.count("<rect ") == 4
    assert "Checkout uses Redis" in page.text
    assert "not connected within" in browser.get("/graph?name=Audit&to=Beach").text


@pytest.mark.usefixtures("graph")
def test_a_hostile_name_stays_text(browser: Browser) -> None:
    page = browser.get("/graph?name=Ledger")

    assert "<script>alert" not in page.html
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page.html


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/graph?name=Nobody", 404),
        ("/graph?name=%3Cb%3E", 404),
        ("/graph?name=Ledger&to=Nobody", 200),
        ("/graph?name=Ledger&hops=9", 200),
    ],
)
@pytest.mark.usefixtures("graph")
def test_what_cannot_be_shown_is_said_on_the_page(browser: Browser, path: str, status: int) -> None:
    reply = browser.reply(path)

    assert reply.status == status
    assert b'role="alert"' in reply.body
    assert b"<form class" in reply.body


@pytest.mark.parametrize("path", ["/graph?after=x", "/graph?type=x", "/graph?scope=%21", "/graph?name=x&hops=x"])
def test_a_bad_address_is_an_error_page(browser: Browser, path: str) -> None:
    assert browser.reply(path).status == 400
