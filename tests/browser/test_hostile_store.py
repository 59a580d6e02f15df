"""The pages of a hostile store in Chromium: nothing runs, all are accessible, and the console says nothing."""

from collections.abc import Iterator

import pytest

from tests.browser.conftest import Tab
from tests.browser.test_accessible import check
from tests.interfaces.http.running import Server
from tests.interfaces.inspector.hostile_store import LISTS, fill

OF_EACH_PAGE = 6


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server whose store is hostile."""
    running = Server(tmp_path_factory.mktemp("hostile") / "home", "--port", "0")
    fill(running)
    yield running
    assert running.stop() == 0


def test_nothing_of_a_text_runs_on_any_page(tab: Tab) -> None:
    for listed in LISTS:
        page = tab.go(listed)
        assert page.title() != "owned"
        links = page.locator("main a").evaluate_all("all => all.map(one => one.getAttribute('href'))")
        for path in [one for one in dict.fromkeys(links) if one.startswith("/")][:OF_EACH_PAGE]:
            page = tab.go(path)
            assert page.title() != "owned", path
            assert page.locator("main script, main img, main iframe").count() == 0, path
            check(page, path)
            # Long words break instead of widening the page.
            assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), path
