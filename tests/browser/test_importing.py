"""Import in Chromium: choose or drop a file, look at it, import it, undo it; hostile files stay text."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import Tab
from tests.browser.test_accessible import check
from tests.interfaces.http.running import Server
from tests.interfaces.inspector.hostile import TEXTS
from tests.interfaces.inspector.uploading import CLAUDE_MD, MEM0, chatgpt_zip, mem0_file, zip_bomb

SMALL = "from satchel.interfaces.http import upload\nupload.MAX_BYTES = 200_000\n"
FILES = {
    "mem0.json": (MEM0, "memories of mem0", "Ann prefers tea"),
    "export.zip": (
        chatgpt_zip(("user", "When do we ship?"), ("assistant", "On Thursdays.")),
        "ChatGPT",
        "On Thursdays.",
    ),
    "CLAUDE.md": (CLAUDE_MD, "instructions", "We ship on Thursdays."),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """A server that takes files of 200 KB."""
    running = Server(tmp_path_factory.mktemp("imported") / "home", "--port", "0", script=SMALL)
    yield running
    assert running.stop() == 0


def choose(tab: Tab, name: str, data: bytes) -> Any:
    """Choose a file, and return the page that shows what it is."""
    page = tab.go("/import")
    page.get_by_label("Drop a file here").set_input_files({"name": name, "mimeType": "", "buffer": data})
    page.get_by_role("heading", level=1).filter(has_text=name[:5]).wait_for()
    return page


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_previewed_imported_and_undone(tab: Tab, name: str) -> None:
    data, title, text = FILES[name]
    page = choose(tab, name, data)
    assert title in page.locator(".heading").inner_text()
    page.get_by_text(text).wait_for()
    check(page, "the preview")

    page.get_by_label("Scope").fill(f"from-{name.partition('.')[0].lower()}")
    page.get_by_role("button", name="Preview").click()
    page.wait_for_url("**scope=from-**")
    page.get_by_role("button", name="untrusted").click()
    page.get_by_role("heading", name="What was imported").wait_for()
    check(page, "the report")

    undo = page.get_by_role("button", name="Undo")
    if name == "export.zip":
        assert undo.count() == 0, "turns stay"
        return
    undo.click()
    page.get_by_text("taken back").wait_for()


def test_a_scope_that_was_not_previewed_is_not_ignored(tab: Tab) -> None:
    page = choose(tab, "late.md", b"We meet on Tuesdays.\n")
    page.get_by_label("Scope").fill("late")
    page.get_by_role("button", name="Import 1").click()
    page.get_by_text("The options were changed after the preview").wait_for()

    assert "form_token" not in page.url
    page.get_by_role("button", name="Import 1").click()
    page.get_by_role("heading", name="What was imported").wait_for()
    assert "late 1" in page.locator(".facts").inner_text()


def test_a_file_is_dropped(tab: Tab) -> None:
    page = tab.go("/import")
    dropped = page.evaluate_handle(
        """text => {
            const moved = new DataTransfer();
            moved.items.add(new File([text], "mem0.json"));
            return moved;
        }""",
        MEM0.decode(),
    )

    page.dispatch_event(".drop", "drop", {"dataTransfer": dropped})

    page.get_by_text("memories of mem0").wait_for()


def test_choosing_another_trust_shows_what_it_means(tab: Tab) -> None:
    page = choose(tab, "mem0.json", MEM0)

    page.get_by_label("Trust").select_option("trusted")

    page.get_by_text("counts as yours").wait_for()


def test_a_cancelled_upload_is_gone(tab: Tab) -> None:
    page = choose(tab, "mem0.json", MEM0)
    address = page.url

    page.get_by_role("button", name="Cancel").click()

    page.get_by_role("heading", name="A file").wait_for()
    assert address.rpartition("/")[2] not in page.content()


def test_a_path_is_named_without_javascript(chromium: Any, tab: Tab, tmp_path: Any) -> None:
    (tmp_path / "CLAUDE.md").write_bytes(CLAUDE_MD)
    context = chromium.new_context(java_script_enabled=False)
    plain = Tab(context.new_page(), tab.server)
    page = plain.go("/import")

    page.get_by_label("A file, a folder").fill(str(tmp_path))
    page.get_by_role("button", name="Preview").click()
    page.get_by_text("We ship on Thursdays.").wait_for()
    page.get_by_role("button", name="untrusted").click()
    page.get_by_role("heading", name="What was imported").wait_for()

    context.close()
    assert plain.problems == []


def test_a_file_that_is_too_large_is_refused_before_it_is_sent(tab: Tab) -> None:
    page = tab.go("/import")

    page.get_by_label("Drop a file here").set_input_files({"name": "big", "mimeType": "", "buffer": b"x" * 200_001})

    assert "too large" in page.get_by_role("alert").inner_text()


def test_what_the_server_refuses_is_said(tab: Tab) -> None:
    page = tab.go("/import")
    page.evaluate("document.querySelector('[data-upload]').dataset.token = 'guessed'")

    page.get_by_label("Drop a file here").set_input_files({"name": "mem0.json", "mimeType": "", "buffer": MEM0})

    page.get_by_text("the form is not from this session").wait_for()
    # Chromium reports the status itself.
    tab.problems = [one for one in tab.problems if "403" not in one]


@pytest.mark.parametrize("name", [name for name in TEXTS if name != "long line"])
def test_a_hostile_text_and_name_stay_text(tab: Tab, name: str) -> None:
    page = choose(tab, "mem0 " + TEXTS[name].replace("/", ""), mem0_file([TEXTS[name]]))

    assert page.title() == "Import · Satchel"
    assert page.locator("main img, main script, main [onmouseover]").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")


def test_a_bomb_is_refused(tab: Tab) -> None:
    page = choose(tab, "export.zip", zip_bomb())

    page.get_by_role("alert").wait_for()
    assert page.locator("button.primary:not([disabled])").count() == 0


def test_another_site_cannot_send_a_file(chromium: Any, tab: Tab) -> None:
    context = chromium.new_context()
    other = context.new_page()
    other.route("http://evil.example/", lambda route: route.fulfill(body="<p>evil</p>", content_type="text/html"))
    other.goto("http://evil.example/")
    port = tab.server.status["port"]

    for mode, kind in (("no-cors", "text/plain"), ("cors", "application/octet-stream")):
        asked = {"url": f"http://127.0.0.1:{port}/import/upload?name=x", "mode": mode, "kind": kind}
        other.evaluate(
            """async ({url, mode, kind}) => {
                const sent = {method: "POST", mode, body: "x", credentials: "include", headers: {"Content-Type": kind}};
                try { await fetch(url, sent); } catch { /* refused */ }
            }""",
            asked,
        )

    context.close()
    kept = [one.read_bytes() for one in tab.server.home.glob("uploads/*")]
    assert b"x" not in kept, json.dumps([len(one) for one in kept])
