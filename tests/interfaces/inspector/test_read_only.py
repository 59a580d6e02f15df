"""The inspector of a read-only store: everything can be seen, nothing changed."""

from pathlib import Path

from tests.interfaces.http.running import Server
from tests.interfaces.inspector.browsing import Browser


def test_a_read_only_store_is_shown_and_not_changed(tmp_path: Path) -> None:
    home = tmp_path / "home"
    writing = Server(home)
    id = writing.ask("/v1/store", {"text": "We ship on Thursdays"}).json["result"]["id"]
    assert writing.stop() == 0
    reading = Server(home, "--port", "0", SATCHEL_READ_ONLY="true")
    try:
        browser = Browser(reading)
        assert "We ship on Thursdays" in browser.get(f"/memories/{id}").text
        for path in ("/", "/memories", "/memories?q=ship&scope=global", "/recall?q=ship&scope=global"):
            browser.get(path)
        for action, form in {"archive": {}, "edit": {"text": "no"}, "forget": {"reason": "wrong"}}.items():
            assert browser.submit(f"/memories/{id}/{action}", form).status == 403
        assert "We ship on Thursdays" in browser.get(f"/memories/{id}").text
    finally:
        assert reading.stop() == 0
