"""Import: what a file is and would bring, what it brought, undo, and what becomes of uploads."""

import stat
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.interfaces.http.running import PATIENCE, Server
from tests.interfaces.inspector.browsing import Browser, Document
from tests.interfaces.inspector.uploading import (
    CLAUDE_MD,
    MEM0,
    chatgpt_zip,
    mem0_file,
    upload,
    uploaded,
    zip_bomb,
)
from tests.tables import each_case

# Half of it fails to arrive, or it is larger than a server of these tests takes.
IMPATIENT = "from satchel.interfaces.http import upload\nupload.STALL_SECONDS = 0.4\nupload.MAX_BYTES = 100_000\n"


def uploads(server: Server) -> list[Path]:
    return sorted(server.home.glob("uploads/*"))


def finished(browser: Browser, path: str) -> Document:
    """Return the report of an import, when it has ended."""
    deadline = time.monotonic() + PATIENCE
    while "data-follow" in (page := browser.get(path)).html:
        assert time.monotonic() < deadline, page.text
        time.sleep(0.02)
    return page


def run(browser: Browser, path: str, **form: str) -> Document:
    assert browser.submit(f"{path}/run", form).status == 303
    return finished(browser, path)


def texts(browser: Browser, scope: str) -> str:
    return browser.get(f"/memories?scope={scope}").text


def test_a_preview_says_what_would_come_in_and_writes_nothing(browser: Browser) -> None:
    path = uploaded(browser, MEM0, "mem0.json")

    page = browser.get(f"{path}?scope=previewed")

    assert "memories of mem0 (mem0)" in page.text
    assert "memories 1 1 0 0 0" in page.text
    assert "previewed 1" in page.text
    assert "Ann prefers tea" in page.text
    assert "mem0.json results 2 wrong type" in page.text
    assert "untrusted: found when nothing trusted answers" in page.text
    assert "Ann prefers tea" not in texts(browser, "previewed")


def test_an_import_brings_what_the_preview_showed_and_can_be_taken_back(browser: Browser) -> None:
    path = uploaded(browser, MEM0, "mem0.json")

    page = run(browser, path, scope="taken")

    assert "What was imported" in page.text
    assert "mem0.json results 2 wrong type" in page.text
    assert "Ann prefers tea" in texts(browser, "taken")
    assert browser.submit(f"{path}/undo", {}).status == 303
    assert "Undone: 1 memory taken back." in browser.get(path).text
    assert "taken untrusted retired" in texts(browser, "taken")


def test_options_that_changed_after_the_preview_are_previewed_first(browser: Browser) -> None:
    path = uploaded(browser, MEM0, "mem0.json")
    browser.get(f"{path}?scope=first")

    changed = browser.submit(f"{path}/run", {"scope": "second", "trust": "trusted"})
    page = browser.get(changed.headers["location"])

    assert "The options were changed after the preview" in page.text
    assert "second 1" in page.text and "Import 1 as trusted" in page.text
    run(browser, path, scope="second", trust="trusted")
    assert "second trusted active" in texts(browser, "second")
    assert "Ann prefers tea" not in texts(browser, "first")


def test_an_import_that_was_taken_back_can_be_brought_back(browser: Browser) -> None:
    path = uploaded(browser, MEM0, "mem0.json")
    run(browser, path, scope="again")
    browser.submit(f"{path}/undo", {})

    again = uploaded(browser, MEM0, "mem0.json")
    preview = browser.get(f"{again}?scope=again").text
    assert "1 memory of those already there was taken back by an undo" in preview
    assert browser.submit(f"{again}/bring-back", {}).status == 303

    assert "1 memory active again" in browser.get(again).text
    assert "again untrusted active" in texts(browser, "again")
    assert browser.submit(f"{again}/bring-back", {}).status == 409


def test_a_name_says_what_a_file_is_and_where_a_memory_was_read(browser: Browser) -> None:
    path = uploaded(browser, CLAUDE_MD, "C:\\work\\CLAUDE.md")

    page = run(browser, path, scope="named")

    assert "memories 3 3 0 1 0" in page.text
    assert "2023-11-14" in texts(browser, "named"), "the date that the browser named"
    again = browser.get(f"{uploaded(browser, CLAUDE_MD, 'CLAUDE.md')}?scope=named")
    assert "memories 3 0 3 0 0" in again.text, "recognised, whatever its path was"


def test_a_chatgpt_export_becomes_turns(browser: Browser) -> None:
    path = uploaded(browser, chatgpt_zip(("user", "When do we ship?"), ("assistant", "On Thursdays.")), "export.zip")

    assert "turns 2 2 0 0 0" in browser.get(f"{path}?scope=chats").text
    assert "turns 2 2 0 0 0" in run(browser, path, scope="chats").text


def test_an_export_of_satchel_is_previewed_too(browser: Browser) -> None:
    path = uploaded(browser, b'{"id": "tea", "text": "tea without sugar", "scope": "rows"}\n{"id": 7}\n', "m.jsonl")

    assert "an export of Satchel (jsonl)" in browser.get(path).text
    assert "tea without sugar" not in texts(browser, "rows")
    page = run(browser, path)

    assert "memories 2 1 0 0 1" in page.text
    assert "tea without sugar" in texts(browser, "rows")
    assert browser.submit(f"{path}/undo", {}).status == 303
    assert "retired" in texts(browser, "rows")


def test_a_person_can_vouch_for_a_file(browser: Browser) -> None:
    path = uploaded(browser, MEM0, "mem0.json")

    assert "counts as yours" in browser.get(f"{path}?scope=vouched&trust=trusted").text
    run(browser, path, scope="vouched", trust="trusted")

    assert "trusted" in texts(browser, "vouched").partition("Ann prefers tea")[2][:60]


def test_a_folder_is_named_by_its_path(browser: Browser, tmp_path: Path) -> None:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "CLAUDE.md").write_bytes(CLAUDE_MD)

    chosen = browser.submit("/import/path", {"path": str(tmp_path / "notes")})
    page = browser.get(chosen.headers["location"])

    assert "memories 3 3 0 1 0" in page.text
    run(browser, chosen.headers["location"], scope="folder")
    assert (tmp_path / "notes" / "CLAUDE.md").read_bytes() == CLAUDE_MD


@each_case("given", {"kind": "kind=nothing", "scope": "scope=Not%20A%20Scope!", "trust": "trust=absolute"})
def test_a_wrong_choice_is_explained(browser: Browser, given: str) -> None:
    choices = {"kind": "kind=nothing", "scope": "scope=../../x", "trust": "trust=absolute"}
    page = browser.get(f"{uploaded(browser, MEM0, 'mem0.json')}?{choices[given]}")

    assert 'role="alert"' in page.html
    assert "Import 0" not in page.html


@each_case("path", {"missing": "/nowhere/at/all", "null": "a\0b", "long": "x" * 40_000, "own": "HOME/ledger.sqlite3"})
def test_a_path_that_cannot_be_imported_is_explained(browser: Browser, path: str) -> None:
    paths = {
        "missing": "/nowhere/at/all",
        "null": "a\0b",
        "long": "x" * 40_000,
        "own": str(browser.server.home / "ledger.sqlite3"),
    }
    chosen = browser.submit("/import/path", {"path": paths[path]})

    assert 'role="alert"' in browser.get(chosen.headers["location"]).html


def test_an_upload_is_private_and_removed_with_its_import(browser: Browser) -> None:
    before = uploads(browser.server)
    path = uploaded(browser, MEM0, "../../../../escaped.json")

    (kept,) = set(uploads(browser.server)) - set(before)
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert stat.S_IMODE(kept.parent.stat().st_mode) == 0o700
    assert "escaped" not in kept.name
    assert "escaped.json" in browser.get(f"{path}?scope=gone").text
    run(browser, path, scope="gone")
    assert not kept.exists()


def test_an_upload_is_removed_when_it_is_cancelled(browser: Browser) -> None:
    before = uploads(browser.server)
    path = uploaded(browser, MEM0)
    (kept,) = set(uploads(browser.server)) - set(before)

    assert browser.submit(f"{path}/discard", {}).status == 303

    assert not kept.exists()
    assert browser.reply(path).status == 404


def test_few_uploads_wait_at_a_time(browser: Browser) -> None:
    paths = [uploaded(browser, MEM0) for _ in range(5)]

    assert len(uploads(browser.server)) == 3
    assert [browser.reply(path).status for path in paths] == [404, 404, 200, 200, 200]


def test_a_bomb_and_an_unknown_file_are_refused_as_text(browser: Browser) -> None:
    for data, name in ((zip_bomb(), "bomb.zip"), (b"PK\x03\x04broken", "b.zip"), (b"\x00\xff\x00", "x.bin"), (b"", "")):
        page = browser.get(uploaded(browser, data, name))
        assert 'role="alert"' in page.html or "Refused" in page.text, name
        assert "disabled" in page.html or '<button class="primary"' not in page.html, name


def test_hostile_texts_and_names_stay_text(browser: Browser) -> None:
    script = "<script>alert(1)</script> {{ 7 * 7 }} \u202e"
    page = browser.get(uploaded(browser, mem0_file([script]), "<img src=x>\u202e.json"))

    assert "<script>alert" not in page.html
    assert "<img" not in page.html
    assert "49" not in page.text.partition("first of each")[2][:200]
    assert "\u202e" not in page.html


FORGED: dict[str, tuple[dict[str, str | None], int]] = {
    "no session": ({"Cookie": None, "Satchel-Form-Token": "x"}, 401),
    "no form token": ({"Satchel-Form-Token": None}, 403),
    "a wrong form token": ({"Satchel-Form-Token": "guessed"}, 403),
    "no origin": ({"Origin": None}, 403),
    "a foreign origin": ({"Origin": "https://evil.example"}, 403),
    "a form": ({"Content-Type": "application/x-www-form-urlencoded"}, 415),
    "a multipart form": ({"Content-Type": "multipart/form-data; boundary=x"}, 415),
    "plain text": ({"Content-Type": "text/plain"}, 415),
    "a length that is too large": ({"Content-Length": str((1 << 30) + 1)}, 413),
}


@pytest.mark.parametrize("name", FORGED)
def test_a_forged_or_oversized_upload_is_refused_and_leaves_nothing(browser: Browser, name: str) -> None:
    headers, status = FORGED[name]
    before = uploads(browser.server)

    assert upload(browser, MEM0, headers=headers).status == status

    assert uploads(browser.server) == before


@pytest.fixture(scope="module")
def impatient(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """A browser on a server that takes small files and waits for them briefly."""
    server = Server(tmp_path_factory.mktemp("impatient") / "home", "--port", "0", script=IMPATIENT)
    yield Browser(server)
    assert server.stop() == 0


def test_a_file_without_a_length_is_measured_as_it_comes(impatient: Browser) -> None:
    data = b"".join(b"%x\r\n%s\r\n" % (1000, b"x" * 1000) for _ in range(300)) + b"0\r\n\r\n"

    reply = upload(impatient, data, headers={"Content-Length": None, "Transfer-Encoding": "chunked"})

    assert reply.status == 413
    assert uploads(impatient.server) == []


def test_a_file_that_stops_coming_is_given_up(impatient: Browser) -> None:
    assert upload(impatient, MEM0, headers={"Content-Length": "9999"}).status == 408
    assert uploads(impatient.server) == []


def test_a_killed_server_leaves_no_upload_for_long(tmp_path: Path) -> None:
    server = Server(tmp_path / "home", "--port", "0")
    uploaded(Browser(server), MEM0)
    server.kill()
    assert len(uploads(server)) == 1

    again = Server(tmp_path / "home", "--port", "0")

    assert not (again.home / "uploads").exists()
    uploaded(Browser(again), MEM0)
    assert again.stop() == 0
    assert not (again.home / "uploads").exists()


def test_a_stopped_import_keeps_what_came_and_can_be_taken_back(tmp_path: Path) -> None:
    # The first batch is reported only when somebody has stopped the import.
    script = (
        "from satchel.interfaces.inspector import imports\nimport time\n"
        "made = imports._reporter\n"
        "def waiting(given):\n"
        "    report = made(given)\n"
        "    def slow(done, total, what):\n"
        "        while not given.is_stopped: time.sleep(0.01)\n"
        "        report(done, total, what)\n"
        "    return slow\n"
        "imports._reporter = waiting\n"
    )
    server = Server(tmp_path / "home", "--port", "0", script=script)
    browser = Browser(server)
    path = uploaded(browser, mem0_file([f"note number {one}" for one in range(300)]), "mem0.json")
    assert browser.submit(f"{path}/run", {"scope": "stopped"}).status == 303
    assert browser.submit(f"{path}/discard", {}).status == 409
    assert server.ask("/v1/store", {"text": "meanwhile", "scope": "other"}).status == 200, "writes do not wait for it"
    assert server.ask("/v1/recall", {"query": "meanwhile", "scope": "other"}).status == 200

    assert browser.submit(f"{path}/stop", {}).status == 303
    page = finished(browser, path)

    assert "the import was stopped" in page.text
    assert server.ask("/v1/stats", {"scope": "stopped"}).json["result"]["tally"]["memories"] == 100
    assert browser.submit(f"{path}/undo", {}).status == 303
    assert "Undone: 100 memories taken back." in browser.get(path).text
    assert server.stop() == 0


def test_a_server_that_stops_ends_its_imports(tmp_path: Path) -> None:
    server = Server(tmp_path / "home", "--port", "0")
    browser = Browser(server)
    path = uploaded(browser, mem0_file([f"note number {one}" for one in range(3_000)]), "mem0.json")
    assert browser.submit(f"{path}/run", {}).status == 303

    assert server.stop() == 0

    assert not (server.home / "uploads").exists()


def test_a_read_only_store_previews_and_imports_nothing(tmp_path: Path) -> None:
    Server(tmp_path / "home").stop()
    server = Server(tmp_path / "home", "--port", "0", SATCHEL_READ_ONLY="1")
    browser = Browser(server)

    reply = upload(browser, MEM0, "mem0.json")

    assert reply.status == 403
    assert server.stop() == 0
