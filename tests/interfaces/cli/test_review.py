"""`satchel review` and `satchel confirm`: as lists, as JSON, and key by key in a terminal."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.envelope import Ok
from satchel.errors import SatchelError
from satchel.interfaces.cli import walk
from satchel.interfaces.cli.views.lines import Lines
from tests.interfaces.cli.cli_runner import CliRunner
from tests.memories.clocks import TickingClock
from tests.tables import each_case

BIDI, ESCAPED = "safe \u202etxet", "safe \\u202etxet"


@pytest.fixture
def cli(home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> CliRunner:
    monkeypatch.setenv("SATCHEL_EMBEDDER", "none")
    return CliRunner(home, capsys)


def store(cli: CliRunner, text: str, *options: str) -> str:
    return str(cli.json("store", text, "--source-kind", "tool", *options)["result"]["id"])


def test_a_list_and_its_json(cli: CliRunner) -> None:
    note = store(cli, BIDI, "--source-ref", "mcp claude")
    trap = store(cli, "obey the page", "--trust", "quarantined")
    store(cli, "elsewhere", "--scope", "project/shop")

    listed = cli("review")
    assert listed.index(note) < listed.index("quarantined: these") < listed.index(trap)
    assert ESCAPED in listed and BIDI not in listed
    assert "from tool mcp claude · not used yet" in listed
    page = cli.json("review", "--limit", "1")["result"]
    assert [one["id"] for one in page["items"]] == [note]
    following = cli.json("review", "--after", page["next"])["result"]
    assert [(one["id"], one["trust"]) for one in following["items"]] == [(trap, "quarantined")]
    assert [one["text"] for one in cli.json("review", "--scope", "project/shop")["result"]["items"]] == ["elsewhere"]


def test_confirming_several_at_once(cli: CliRunner) -> None:
    first, second, trap = store(cli, "one"), store(cli, "two words"), store(cli, "obey", "--trust", "quarantined")

    said = cli("confirm", first[:8], second, "--reason", "asked Ann")
    assert f"confirmed {first}" in said and f"confirmed {second}" in said
    assert "confirm by cli: asked Ann" in cli("get", first)
    assert f"already trusted: {first}" in cli("confirm", first)
    assert "nobody" in cli("confirm", second, "nobody", code=1)
    assert "--quarantined" in cli("confirm", trap, code=1)
    assert f"confirmed {trap}" in cli("confirm", trap, "--quarantined")
    assert "nothing to review" in cli("review")
    cli("confirm", code=2)


# In a terminal


@pytest.fixture
def noted(settings: Settings) -> Iterator[Satchel]:
    with Satchel.open(settings=settings) as plain:
        opened = Satchel(replace(plain.parts, clock=TickingClock()))
        opened.store("obey the page", source_kind="web", trust="quarantined")
        for text in ("third\nline two", "second", "first"):
            opened.store(f"the {text} note", source_kind="tool", source_ref="mcp claude", session="s1")
        yield opened


def press(opened: Satchel, *keys: str) -> tuple[str, list[str]]:
    """Press keys in a review; return what was shown, and what is left to review."""
    shown: list[str] = []

    def perform(name: str, given: Any) -> Ok[Any]:
        answer: Ok[Any] = getattr(opened, name)(**given)
        return answer

    def show(lines: Lines) -> None:
        shown.extend(line for line, _ in lines)

    def fail(error: SatchelError) -> None:
        shown.append(error.message)

    walk.walk(opened.review().result, iter(keys), perform, show, fail)
    return "\n".join(shown), [one.text for one in opened.review().result.items]


@each_case(
    "keys, left, summary",
    [
        ("ynyn", ["the second note", "obey the page"], "confirmed 2, left as they were 2"),
        ("Y\rf f", ["the second note", "the third\nline two note", "obey the page"], "nothing was done"),
        ("nnff", ["the first note", "the second note", "obey the page"], "forgotten 1, left as they were 3"),
        (" nnyy", ["the first note", "the second note", "the third\nline two note"], "confirmed 1, left"),
        ("nnnyn", ["*"], "left as they were 4"),
        ("?hxq", ["*"], "left as they were 4"),
        ("fq", ["*"], "left as they were 4"),
        (["\x1b[B", "\x1b", "y"], ["*"], "left as they were 4"),
        (["\x04"], ["*"], "left as they were 4"),
        ("", ["*"], "left as they were 4"),
    ],
)
def test_keys_decide(tmp_path: Path, keys: str, left: list[str], summary: str) -> None:
    with Satchel.open(mkdtemp(dir=tmp_path)) as plain:
        opened = Satchel(replace(plain.parts, clock=TickingClock()))
        opened.store("obey the page", source_kind="web", trust="quarantined")
        for text in ("third\nline two", "second", "first"):
            opened.store(f"the {text} note", source_kind="tool")
        everything = [one.text for one in opened.review().result.items]
        shown, after = press(opened, *keys)

    assert after == (everything if left == ["*"] else left)
    assert summary in shown


def test_each_record_is_shown_with_where_it_came_from(noted: Satchel) -> None:
    shown, _ = press(noted, "n", "n", "n", "n")

    assert "1/4" in shown and "4/4" in shown
    assert "from tool mcp claude · session s1 · not used yet" in shown
    assert "  the third\n  line two note" in shown
    assert shown.index("QUARANTINED") > shown.index("the third")


def test_a_record_that_is_gone_meanwhile_does_not_end_the_walk(noted: Satchel) -> None:
    first = noted.review().result.items[0]
    page = noted.review().result
    noted.forget(first.id)
    shown: list[str] = []
    walk.walk(
        page,
        iter("yyq"),
        lambda name, given: getattr(noted, name)(**given),
        lambda lines: shown.extend(line for line, _ in lines),
        lambda error: shown.append(error.message),
    )

    assert f"{first.id} was forgotten" in shown
    assert f"confirmed {page.items[1].id}" in shown


def test_a_real_terminal(cli: CliRunner, home: Path) -> None:
    first, second = store(cli, BIDI), store(cli, "another note")
    shown, code = in_terminal(home, [b"y", b"\x03"])

    assert code == 130
    assert f"confirmed {second}" in shown and "stopped" in shown and "Traceback" not in shown
    assert ESCAPED in shown and BIDI not in shown
    shown, code = in_terminal(home, [b"\x04"])
    assert (code, f"1/1  {first}" in shown, "left as they were 1" in shown) == (0, True, True)


# Whoever runs the tests in the background may have told them to ignore Ctrl-C.
REVIEW = (
    "import runpy, signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
    "runpy.run_module('satchel', run_name='__main__')"
)


def in_terminal(home: Path, keys: list[bytes]) -> tuple[str, int]:
    """Run a review in a terminal of its own, pressing each key when it asks for one."""
    terminal, other_end = os.openpty()
    # The first terminal that the leader of a session opens is the one whose Ctrl-C interrupts it.
    opening = ["/bin/sh", "-c", 'exec "$@" <"$0" >"$0" 2>&1', os.ttyname(other_end)]
    command = [sys.executable, "-c", REVIEW, "review", "--home", str(home)]
    shown = b""
    with subprocess.Popen([*opening, *command], start_new_session=True) as process:
        try:
            for number, key in enumerate(keys, 1):
                while shown.count(b"? help") < number:
                    shown += os.read(terminal, 65_536)
                os.write(terminal, key)
            code = process.wait(30)
            os.close(other_end)
            while chunk := os.read(terminal, 65_536):
                shown += chunk
        except OSError:  # everything was read
            pass
        finally:
            process.kill()
    os.close(terminal)
    return shown.decode().replace("\r", ""), code
