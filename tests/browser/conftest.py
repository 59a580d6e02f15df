"""Chromium on the inspector of a server of its own. Without Chromium or Playwright these tests are skipped."""

import shutil
from collections.abc import Iterator
from typing import Any

import pytest

from tests.interfaces.http.running import Server

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
# Nothing but the page: no look-ups of its own, no sandbox that a container would not allow.
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="session")
def chromium() -> Iterator[Any]:
    """A running Chromium."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is missing: run make test-browser")
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed: no page was tried in a browser")
    with playwright.sync_playwright() as started:
        running = started.chromium.launch(executable_path=CHROMIUM, args=list(FLAGS))
        yield running
        running.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server on its socket and on TCP."""
    running = Server(tmp_path_factory.mktemp("seen") / "home", "--port", "0")
    yield running
    assert running.stop() == 0


class Tab:
    """A page of the browser with a session, and what its console said."""

    def __init__(self, page: Any, server: Server) -> None:
        self.page = page
        self.server = server
        self.problems: list[str] = []
        page.on("console", lambda said: self.problems.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.goto(server.ask("/v1/open").json["result"]["address"])

    def go(self, path: str) -> Any:
        """Load a page of the inspector."""
        response = self.page.goto(f"http://127.0.0.1:{self.server.status['port']}{path}")
        assert response.status == 200, path
        return self.page


@pytest.fixture
def tab(chromium: Any, server: Server) -> Iterator[Tab]:
    """A new tab with its own session. Whatever its console complained about fails the test."""
    context = chromium.new_context()
    opened = Tab(context.new_page(), server)
    yield opened
    context.close()
    assert opened.problems == []


def count_submissions(page: Any) -> None:
    """Count from now on how often a form of the page is submitted, in `window.submissions`."""
    page.evaluate("window.submissions = 0; document.addEventListener('submit', () => window.submissions++)")
