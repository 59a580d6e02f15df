"""Another process holds the write lock for as long as a test wants: reads answer, and a write says that it failed."""

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from satchel.adapters.hook_files import read_failures
from satchel.app import Satchel
from satchel.config import Settings
from tests.faults.children import Child, Start
from tests.interfaces.http.running import Server

HOLD = """
import apsw, signal
holder = apsw.Connection(f"{home}/ledger.sqlite3")
holder.execute("BEGIN IMMEDIATE")
say("held")
signal.pause()
"""
# Less than a write waits for the lock, and much more than any read needs.
PATIENCE = 40
RULE = "We always release the shop on Thursdays"
QUESTION = "on which day do we always release the shop?"
PROMPT = json.dumps({"prompt": QUESTION})
SAID = json.dumps({"messages": [{"role": "user", "content": "From now on, always use tabs in Makefiles."}]})
IMPATIENT = "from satchel.adapters.sqlite import database\ndatabase.WRITE_TIMEOUT_MS = 50\n"


@pytest.fixture
def held(home: Path, settings: Settings, start: Start) -> Child:
    """The process that holds the lock of a store with one memory, which has no vector yet."""
    with Satchel.open(settings=settings) as memory:
        memory.store(RULE, kind="decision", importance=0.9)
    holder = start(HOLD)
    holder.wait_for(1)
    return holder


@contextmanager
def serving(home: Path, script: str = "") -> Iterator[Server]:
    server = Server(home, "--port", "0", script=script)
    try:
        yield server
    finally:
        assert server.stop() == 0


def run(home: Path, *words: str, given: str = "", script: str = "", **environment: str) -> tuple[int, str]:
    program = f"{script}from satchel.__main__ import start\nstart()"
    done = subprocess.run(
        [sys.executable, "-c", program, *words, "--home", str(home)],
        input=given.encode(),
        capture_output=True,
        check=False,
        timeout=PATIENCE,
        env={**os.environ, "SATCHEL_EMBEDDER": "hashing", **environment},
    )
    return done.returncode, done.stdout.decode()


@pytest.mark.parametrize("route", ["/v1/recall", "/v1/list", "/v1/turn_before", "/v1/memory_recall", "/mcp"])
def test_a_read_of_a_server_does_not_wait_for_a_write_that_waits(home: Path, held: Child, route: str) -> None:
    call = {"name": "memory_recall", "arguments": {"query": QUESTION}}
    asked: dict[str, Any] = {
        "/v1/list": {},
        "/v1/turn_before": {"prompt": QUESTION},
        "/mcp": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call},
    }
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    headers: dict[str, str | None] = {"Accept": "application/json, text/event-stream"}
    with serving(home) as server, ThreadPoolExecutor(1) as threads:
        if route == "/mcp":
            first = {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": hello}
            headers["Mcp-Session-Id"] = server.ask("/mcp", first, headers=headers).headers["mcp-session-id"]
        write = threads.submit(server.ask, "/v1/store", {"text": "The canteen closes at noon"})
        for _ in range(3):
            reply = server.ask(route, asked.get(route, {"query": QUESTION}), headers=headers)
            assert (reply.status, RULE in reply.body.decode()) == (200, True)
        assert not write.done()

        held.kill()
        assert write.result(PATIENCE).json["result"]["action"] == "created"


@pytest.mark.parametrize(
    "words",
    [
        ("recall", QUESTION),
        ("list",),
        ("turn", "start"),
        ("turn", "before"),
        ("hook", "claude-code", "UserPromptSubmit"),
    ],
    ids=" ".join,
)
def test_a_command_that_reads_does_not_wait_for_the_lock(home: Path, held: Child, words: tuple[str, ...]) -> None:
    given = PROMPT if words[0] in ("turn", "hook") else ""
    options = ("--scope", "global") if words[0] == "hook" else ()
    code, said = run(home, *words, *options, given=given, SATCHEL_WORKING_SET_ENABLED="yes")
    assert (code, RULE in said) == (0, True)
    assert read_failures(str(home)) is None


def test_a_recall_says_what_it_did_without(home: Path, held: Child) -> None:
    answer = json.loads(run(home, "recall", QUESTION, "--json")[1])
    assert [one.partition(":")[0] for one in answer["receipt"]["body"]["warnings"]] == ["busy"]
    assert not answer["receipt"]["kept"]

    held.kill()
    answer = json.loads(run(home, "recall", QUESTION, "--json")[1])
    assert (answer["receipt"]["body"]["warnings"], answer["receipt"]["kept"]) == ([], True)


def test_a_working_set_is_not_stored_while_another_process_writes(home: Path, held: Child) -> None:
    rule = {"SATCHEL_WORKING_SET_ENABLED": "yes"}
    answer = json.loads(run(home, "turn", "before", given=PROMPT, **rule)[1])
    assert "working_set_not_stored" in [one.partition(":")[0] for one in answer["receipt"]["body"]["warnings"]]
    assert RULE in answer["result"]["block"]


def test_doctor_leaves_out_the_check_that_needs_the_lock(home: Path, held: Child) -> None:
    findings = json.loads(run(home, "doctor", "--json")[1])["result"]["findings"]
    assert [one["status"] for one in findings if one["check"] == "full text"] == ["warning"]


@pytest.mark.parametrize("served", [False, True], ids=["alone", "by a server"])
def test_a_turn_that_could_not_be_kept_is_a_failure(home: Path, held: Child, served: bool) -> None:
    def turn_after(**environment: str) -> tuple[int, dict[str, Any]]:
        code, said = run(home, "turn", "after", given=SAID, script=IMPATIENT, **environment)
        return code, json.loads(said)

    if served:
        with serving(home, IMPATIENT) as server:
            code, answer = turn_after(**server.environment)
            assert server.requests("turn_after") == 1
    else:
        code, answer = turn_after()
    assert (code, answer["result"]["skipped"]) == (1, False)
    assert answer["result"]["not_kept"] == [{"cue": "from now on", "code": "busy", "what": "memory"}]
    assert [one.partition(":")[0] for one in answer["receipt"]["body"]["warnings"]] == ["not_kept"]

    held.kill()
    code, answer = turn_after()
    assert (code, answer["result"]["not_kept"]) == (0, [])
    assert [one["action"] for one in answer["result"]["captured"]] == ["created"]


def test_a_hook_records_what_could_not_be_kept_and_the_host_goes_on(home: Path, held: Child) -> None:
    event = json.dumps(
        {"session_id": "1", "type": "agent-turn-complete", "input-messages": ["I prefer tabs over spaces."]}
    )
    assert run(home, "hook", "codex", "notify", given=event, script=IMPATIENT) == (0, "")
    failed = read_failures(str(home))
    assert failed is not None
    assert failed.reason == "a memory could not be stored: busy"

    held.kill()
    assert run(home, "hook", "codex", "notify", given=event) == (0, "")
    assert "I prefer tabs over spaces." in run(home, "list", "--all-scopes")[1]
