"""OpenClaw itself, with the plugin in its memory slot: one gateway for many tests, because it takes half a minute to start."""

import json
import os
import signal
import threading
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from plugins.generate import HOST_TOOLS, openclaw_manifest, openclaw_tools
from tests.tables import each_case

from external.hosts.openclaw_host import SCOPE, OpenClaw, OpenClawModel
from external.hosts.scratch import Scratch, eventually

TOOLS = openclaw_manifest()["contracts"]["tools"]
ROUNDS = 10
ORIGIN = "can't verify where this plugin came from"


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[OpenClaw]:
    """A gateway whose agent works in the project acme/shop."""
    scratch = Scratch(tmp_path_factory.mktemp("openclaw") / "home")
    scratch.home.mkdir()
    with OpenClawModel() as model:
        openclaw = OpenClaw(scratch, model)
        try:
            yield openclaw
        finally:
            openclaw.kill()
            scratch.clean_up()


@pytest.fixture
def openclaw(shared: OpenClaw) -> OpenClaw:
    """The gateway, running."""
    shared.start()
    return shared


def _texts(openclaw: OpenClaw, words: str) -> list[str]:
    return [text for text in openclaw.scratch.texts(SCOPE) if words in text]


def _has(openclaw: OpenClaw, words: str) -> bool:
    return bool(_texts(openclaw, words))


def test_the_host_loads_the_plugin_without_complaint(openclaw: OpenClaw) -> None:
    inspected = json.loads(openclaw.run("plugins", "inspect", "satchel", "--runtime", "--json").stdout)

    # A plugin from a folder is always told that its origin is unknown.
    assert [one["message"] for one in inspected["diagnostics"] if ORIGIN not in one["message"]] == []
    assert sorted(inspected["plugin"]["toolNames"]) == TOOLS
    assert {hook["name"] for hook in inspected["typedHooks"]} == {"before_prompt_build", "after_tool_call", "agent_end"}
    assert inspected["plugin"]["activationReason"] == "selected memory slot"


def test_a_preference_of_one_session_is_before_the_model_in_the_next(openclaw: OpenClaw) -> None:
    openclaw.say("From now on, always deploy the web shop on Tuesdays.", "told")
    assert eventually(lambda: len(_texts(openclaw, "on Tuesdays")) == 1)

    (request,) = openclaw.say("On which weekday do we release the online store?", "asked")

    assert "always deploy the web shop on Tuesdays" in request.text
    assert _texts(openclaw, "on Tuesdays") == ["From now on, always deploy the web shop on Tuesdays."]


def test_quarantined_memories_and_those_of_another_project_stay_out(openclaw: OpenClaw) -> None:
    store = openclaw.scratch.satchel
    store("store", "The vault of the archive is opened with the code heron.", "--scope", SCOPE)
    store("store", "The vault of the archive opens with 4711.", "--scope", SCOPE, "--trust", "quarantined")
    store("store", "The vault of the archive belongs to another firm.", "--scope", "project/acme/other")

    (request,) = openclaw.say("How is the vault of the archive opened?", "vault")

    assert "heron" in request.text
    assert "4711" not in request.text and "another firm" not in request.text
    for tool in ("memory_recall", "memory_search"):
        answer = json.dumps(openclaw.result(tool, {"query": "the vault of the archive"}))
        assert "heron" in answer and "4711" not in answer and "another firm" not in answer


GOOD: dict[str, dict[str, Any]] = {
    "memory_store": {"text": "The printer is called Gutenberg.", "category": "fact", "importance": 0.6},
    "memory_recall": {"query": "when does the canteen open?", "limit": 3},
    "memory_search": {"query": "when does the canteen open?", "maxResults": 3, "minScore": 0.1, "corpus": "memory"},
    "memory_forget": {"query": "canteen"},
    "memory_list": {"limit": 5},
    "memory_stats": {},
    "memory_export": {"out_path": "memories.jsonl"},
    "memory_import": {"in_path": "seed.jsonl", "dry_run": True},
    "memory_docs_ingest": {},
    "memory_docs_search": {"query": "canteen"},
    "memory_pack": {"query": "when does the canteen open?"},
    "memory_get": {"path": "MEMORY.md"},
}


@pytest.mark.parametrize("tool", TOOLS)
def test_a_tool_answers_good_arguments(openclaw: OpenClaw, tool: str) -> None:
    seed = openclaw.files / "seed.jsonl"
    seed.write_text(json.dumps({"text": "The lift is out of order."}) + "\n", encoding="utf-8")
    (openclaw.files / "memories.jsonl").unlink(missing_ok=True)

    answer = openclaw.result(tool, GOOD[tool])

    assert not answer.get("isError"), answer
    assert answer["content"][0]["text"] and isinstance(answer["details"], dict)


@pytest.mark.parametrize("tool", TOOLS)
@each_case("arguments", [{"no_such": 1}, {"query": 7, "text": 7, "limit": "many", "path": [], "out_path": {}, "in_path": 1}, {"scope": "project/acme/other"}])  # fmt: skip
def test_a_tool_answers_bad_arguments_with_a_reason(openclaw: OpenClaw, tool: str, arguments: object) -> None:
    answer = openclaw.result(tool, arguments)

    assert answer["isError"] and answer["details"]["error"] == "invalid_request", answer
    assert answer["content"][0]["text"].startswith("invalid_request: ")


def test_a_tool_without_what_it_needs_says_what_that_is(openclaw: OpenClaw) -> None:
    for tool in openclaw_tools():
        missing = tool["parameters"]["required"]
        if missing and tool["name"] not in HOST_TOOLS:
            answer = openclaw.result(tool["name"], {})
            assert f"needs {missing[0]}" in answer["content"][0]["text"]


def test_the_model_calls_a_tool_and_sees_its_answer(openclaw: OpenClaw) -> None:
    requests = openclaw.say('CALL:memory_recall {"query": "when does the canteen open?"}', "calling")

    assert "The canteen opens at noon." in requests[-1].results[-1]


def test_what_a_search_returns_can_be_read(openclaw: OpenClaw) -> None:
    found = openclaw.result("memory_search", {"query": "when does the canteen open?"})["details"]["results"][0]
    (openclaw.workspace / "memory").mkdir(exist_ok=True)
    (openclaw.workspace / "memory" / "today.md").write_text("one\ntwo\nthree\n", encoding="utf-8")

    memory = openclaw.result("memory_get", {"path": found["path"]})["details"]
    part = openclaw.result("memory_get", {"path": "memory/today.md", "from": 2, "lines": 1})["details"]
    outside = openclaw.result("memory_get", {"path": "memory/../../../.openclaw/openclaw.json"})["details"]

    assert found["provenance"]["originClass"] == "owner" and 0 <= found["score"] <= 1
    assert (memory["status"], memory["text"]) == ("ok", "The canteen opens at noon.")
    assert (part["status"], part["text"], part["nextFrom"]) == ("ok", "two", 3)
    assert outside == {"status": "not_found", "text": "", "path": outside["path"]}


def test_the_host_s_own_memory_file_still_reaches_the_model_unless_it_leads_out_of_the_workspace(
    openclaw: OpenClaw,
) -> None:
    file, outside = openclaw.workspace / "MEMORY.md", openclaw.scratch.home / "outside.md"
    outside.write_text("The mascot is a raven.\n", encoding="utf-8")
    try:
        file.write_text("The mascot is a heron.\n", encoding="utf-8")
        (own,) = openclaw.say("Good morning to you all.", "own-file")
        file.unlink()
        file.symlink_to(outside)
        (linked,) = openclaw.say("Good morning to you all.", "linked-file")
    finally:
        file.unlink()

    assert "The mascot is a heron." in own.text
    assert "The mascot is a raven." not in linked.text


def test_what_an_agent_stores_is_untrusted_and_named_after_the_host(openclaw: OpenClaw) -> None:
    stored = openclaw.result("memory_store", {"text": "The spare key is with the porter."})["details"]

    memory = openclaw.scratch.satchel("get", stored["id"], "--scope", SCOPE)["memory"]
    assert (memory["trust"], memory["source_kind"]) == ("untrusted", "tool")
    assert "openclaw" in memory["source_ref"]


def test_a_failing_command_is_captured_with_its_exit_code(openclaw: OpenClaw) -> None:
    openclaw.say('CALL:shell {"command": "echo the flux capacitor is empty; exit 3"}', "failing")

    assert eventually(lambda: bool(openclaw.scratch.observations("flux capacitor", SCOPE)))
    (shown,) = openclaw.scratch.observations("flux capacitor", SCOPE)
    observed = shown["observation"]
    detail = json.loads(observed["detail"])
    assert (detail["outcome"], detail["exit_code"]) == ("failed", 3)
    assert "exit 3" in observed["summary"] and "flux capacitor is empty" in observed["text"]


def test_a_command_that_succeeds_is_captured_as_a_success(openclaw: OpenClaw) -> None:
    openclaw.say('CALL:shell {"command": "echo the teapot is warm"}', "working")

    assert eventually(lambda: bool(openclaw.scratch.observations("teapot", SCOPE)))
    (shown,) = openclaw.scratch.observations("teapot", SCOPE)
    detail = json.loads(shown["observation"]["detail"])
    assert (detail["outcome"], detail["exit_code"]) == ("ok", 0)


def test_a_group_hears_no_memories_and_teaches_none(openclaw: OpenClaw) -> None:
    (request,) = openclaw.say("When does the canteen open?", "discord:group:42")
    openclaw.say("From now on, always water the plants on Mondays.", "discord:group:42")
    openclaw.say("From now on, always feed the cat at seven.", "private")

    assert "opens at noon" not in request.text
    assert eventually(partial(_has, openclaw, "feed the cat"))
    assert not _texts(openclaw, "water the plants")


def test_a_turn_completes_when_the_server_is_killed_in_the_middle_of_it(openclaw: OpenClaw) -> None:
    openclaw.model.forget()
    done: list[object] = []
    text = "HOLD on. From now on, always sign the release notes with Ada."
    turn = threading.Thread(target=lambda: done.append(openclaw.say(text, "held")))
    turn.start()
    openclaw.model.wait_for("sign the release notes")

    openclaw.kill_server()
    openclaw.model.release()
    turn.join()

    assert done, "the turn did not complete"
    assert eventually(lambda: len(_texts(openclaw, "sign the release notes")) == 1)
    assert len(openclaw.servers()) == 1


def test_a_turn_completes_when_the_server_does_not_answer(openclaw: OpenClaw) -> None:
    openclaw.result("memory_stats", {})
    (pid,) = openclaw.servers()
    os.kill(pid, signal.SIGSTOP)
    try:
        (request,) = openclaw.say("When does the canteen open?", "stopped")
        assert "opens at noon" not in request.text
    finally:
        os.kill(pid, signal.SIGCONT)


def test_ten_rounds_of_kill_and_restart_lose_and_repeat_nothing(openclaw: OpenClaw) -> None:
    """The server is killed in each round, and the gateway in two of them: it takes half a minute to start."""
    for number in range(ROUNDS):
        if number in (3, 7):
            openclaw.kill()
            openclaw.start()
        openclaw.say(f"From now on, always name host number {number} after a river.", f"round-{number}")
        assert eventually(partial(_has, openclaw, f"host number {number} "))
        assert len(openclaw.servers()) == 1
        openclaw.kill_server()

    assert _texts(openclaw, "after a river") == [
        f"From now on, always name host number {number} after a river." for number in range(ROUNDS)
    ]
    assert openclaw.scratch.satchel("doctor")["healthy"]
    openclaw.result("memory_stats", {})
    openclaw.scratch.run("satchel", "serve", "--stop")
    assert eventually(lambda: not openclaw.scratch.ours())


def test_the_host_has_a_command_for_the_memories(openclaw: OpenClaw) -> None:
    listed = openclaw.run("ltm", "list", "--json")
    exported = openclaw.run("ltm", "export", "out.jsonl")

    assert "The canteen opens at noon." in {one["text"] for one in json.loads(listed.stdout)["result"]["memories"]}
    assert exported.returncode == 0 and (openclaw.scratch.home / "out.jsonl").exists()


def test_one_line_gives_the_slot_back(openclaw: OpenClaw) -> None:
    before = openclaw.configuration.read_text(encoding="utf-8")
    slot = '"memory": "satchel"'
    assert before.count(slot) == 1
    (request,) = openclaw.say("When does the canteen open?", "with-satchel")
    assert "opens at noon" in request.text and "memory_recall" in request.tools
    openclaw.kill()
    openclaw.configuration.write_text(before.replace(slot, '"memory": "memory-core"'), encoding="utf-8")
    try:
        openclaw.start()
        (request,) = openclaw.say("When does the canteen open?", "rolled-back")
        assert "opens at noon" not in request.text and "memory_recall" not in request.tools
    finally:
        openclaw.kill()
        openclaw.configuration.write_text(before, encoding="utf-8")
