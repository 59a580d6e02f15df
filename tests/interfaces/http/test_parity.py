"""The command line with and without a server: same output, exit codes and receipts."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.interfaces.http.conftest import Shell
from tests.interfaces.http.running import Server
from tests.tables import each_case

TEXTS = {
    "We ship on Thursdays": ("--kind", "decision", "--importance", "0.9"),
    "Answer in short sentences": ("--kind", "preference", "--tag", "style"),
    "周四发布新版本，除非有节日": ("--kind", "fact", "--language", "zh"),
    "The staging key is in the blue vault": ("--source-kind", "web", "--source-ref", "https://example.org"),
}
READS: list[tuple[str, ...]] = [
    ("recall", "when do we ship?"),
    ("recall", "when do we ship?", "--explain"),
    ("recall", "发布", "--mode", "lexical", "--limit", "2"),
    ("recall", "staging key", "--mode", "vector", "--untrusted", "--min-relevance", "0.1"),
    ("recall", "nothing of this kind", "--scope", "elsewhere", "--kind", "todo"),
    ("get", "ID"),
    ("list",),
    ("list", "--limit", "1", "--all-scopes", "--no-redact"),
    ("stats",),
    ("stats", "--all-scopes", "--kind", "fact"),
    ("forget", "--query", "staging"),
    ("review",),
    ("review", "--limit", "1", "--all-scopes", "--no-redact"),
]
WRONG: list[tuple[str, ...]] = [
    ("get", "nobody"),
    ("get", "\udc80"),
    ("store", " "),
    ("store", "a" * 100_001),
    ("store", "bell \x07"),
    ("store", "bad\udcff"),
    ("store", "text", "--importance", "nan"),
    ("store", "text", "--importance", "7"),
    ("store", "text", "--valid-from", "whenever"),
    ("store", "text", "--replaces", "nobody"),
    ("store", "text", "--kind", "nonsense"),
    ("recall", ""),
    ("recall", "a", "--limit", "0"),
    ("recall", "a", "--limit", "99999999999999999999999999"),
    ("recall", "a", "--scope", "NOT A SCOPE"),
    ("list", "--after", "nonsense"),
    ("forget",),
    ("forget", "nobody"),
    ("forget", "nobody", "--query", "both"),
    ("confirm", "nobody"),
    ("review", "--after", "quarantined:nonsense"),
]


@pytest.fixture(scope="module")
def stocked(server: Server) -> Iterator[Server]:
    """A server whose store holds some memories, embedded and indexed."""
    for text, options in TEXTS.items():
        names = [option.removeprefix("--").replace("-", "_") for option in options[::2]]
        given: dict[str, Any] = dict(zip(names, options[1::2], strict=True))
        if "importance" in given:
            given["importance"] = float(given["importance"])
        if "tag" in given:
            given["tags"] = [given.pop("tag")]
        assert server.ask("/v1/store", {"text": text, **given}).status == 200
    assert server.ask("/v1/index_build").status == 200
    yield server


def _steady(text: str) -> str:
    """Leave out the clock: it stands beside what a receipt covers."""
    return re.sub(r'"(at|duration_ms)": [0-9.e-]+', r'"\1": 0', text)


def _route(words: tuple[str, ...]) -> str:
    return words[0]


@pytest.mark.parametrize("words", READS, ids=" ".join)
@pytest.mark.parametrize("form", ["", "--json"])
def test_a_read_gives_the_same_answer(stocked: Server, shell: Shell, words: tuple[str, ...], form: str) -> None:
    shell.like(stocked)
    first = stocked.ask("/v1/list").json["result"]["memories"][0]["id"]
    command = [first if word == "ID" else word for word in words] + [form] * bool(form)
    before = stocked.requests(_route(words))

    through, beside = shell.run(*command), shell.alone(*command)

    # A review also counts what waits in other scopes, for a person.
    requests = 2 if words == ("review",) and not form else 1
    assert stocked.requests(_route(words)) == before + requests
    assert (through[0], _steady(through[1]), through[2]) == (beside[0], _steady(beside[1]), beside[2])
    assert through[0] == 0
    if form:
        digests = [json.loads(said[1])["receipt"]["digest"] for said in (through, beside)]
        assert digests[0] == digests[1]


@each_case("words", WRONG, ids=lambda words: ascii(" ".join(words))[:50])
@each_case("form", ["", "--json"])
def test_an_error_is_reported_the_same(stocked: Server, shell: Shell, words: tuple[str, ...], form: str) -> None:
    shell.like(stocked)
    command = [*words, *([form] if form else [])]

    through, beside = shell.run(*command), shell.alone(*command)

    assert (through[0], _steady(through[1]), through[2]) == (beside[0], _steady(beside[1]), beside[2])
    assert through[0] in (1, 2)


def test_writes_do_the_same_and_record_the_actor(server: Server, shell: Shell, tmp_path: Path) -> None:
    shell.like(server)
    told: dict[str, list[str]] = {}
    for name, run in (("through", shell.run), ("beside", shell.alone)):
        said = []
        scope = ("--scope", "project/writes", "--json")
        said.append(run("store", "First we measure", "--kind", "procedure", *scope))
        id = json.loads(said[-1][1])["result"]["id"]
        said.append(run("store", "First we measure", *scope))
        said.append(run("store", "First we think", "--replaces", id, *scope))
        newer = json.loads(said[-1][1])["result"]["id"]
        said.append(run("get", id, *scope))
        assert [event["actor"] for event in json.loads(said[-1][1])["result"]["history"]] == ["cli", "cli"]
        said.append(run("store", "Tests run nightly", "--source-kind", "tool", *scope))
        noted = json.loads(said[-1][1])["result"]["id"]
        said.append(run("confirm", noted[:13], *scope))
        said.append(run("get", noted, *scope))
        assert json.loads(said[-1][1])["result"]["history"][-1]["actor"] == "cli"
        said.append(run("forget", noted, *scope))
        said.append(run("forget", id, "--verify", *scope))
        said.append(run("forget", newer, *scope))
        said.append(run("get", newer, *scope))
        assert [code for code, _, _ in said] == [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1]
        told[name] = [_nameless(out) for _, out, _ in said]

    assert told["through"] == told["beside"]
    assert server.requests("store") >= 3


def _nameless(text: str) -> str:
    """Leave out what is new each time: ids, digests over them, times, sequence numbers, sizes of files."""
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "ID", _steady(text))
    text = re.sub(r'"digest": "sha256:[0-9a-f]+"|"receipt": "sha256:[0-9a-f]+"', "DIGEST", text)
    return re.sub(r'"(created_at|updated_at|seq|at|files|bytes|found_before)": \d+', r'"\1": 0', text)


def test_with_other_settings_the_command_runs_in_process(server: Server, shell: Shell) -> None:
    shell.like(server)
    before = server.requests("stats")

    assert shell.alone("stats")[0] == 0
    assert server.requests("stats") == before
    code, out, _ = shell.alone("serve", "--status")
    assert code == 0
    assert "other settings" in out
    assert "other settings" not in shell.run("serve", "--status")[1]


def test_a_changed_settings_file_takes_effect_at_once(server: Server, shell: Shell) -> None:
    shell.like(server)
    before = server.requests("recall")
    for number in range(3):
        stored = shell.run("store", f"a memory to be found, number {number}", "--scope", "project/limits")
        assert stored[0] == 0, stored
    shell.run("config", "set", "recall.limit", "1")
    try:
        code, out, _ = shell.run("recall", "memory", "--scope", "project/limits", "--json")
        assert code == 0
        assert len(json.loads(out)["result"]["hits"]) == 1
        assert server.requests("recall") == before
        assert '"current": false' in shell.run("serve", "--status", "--json")[1]
    finally:
        shell.run("config", "unset", "recall.limit")
