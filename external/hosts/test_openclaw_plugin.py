"""The OpenClaw plugin in Node, with a stand-in for the host: what would take a gateway of its own each."""

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from external.hosts.model import PATIENCE
from external.hosts.openclaw_host import PLUGIN, SCOPE
from external.hosts.scratch import NODE, SATCHEL, Scratch, eventually

DRIVER = Path(__file__).parent / "plugin_driver.mjs"
RULE = "From now on, always deploy the web shop on Tuesdays."
QUESTION = "On which weekday do we deploy the web shop?"


class Driver(Struct, frozen=True):
    """The plugin in a process of its own for each run."""

    scratch: Scratch

    @property
    def workspace(self) -> str:
        """The folder of the agent."""
        return str(self.scratch.project("shop"))

    def run(self, *steps: dict[str, Any], **given: Any) -> tuple[list[Any], list[str]]:
        """Perform steps; return their results and the lines of the log."""
        answer = json.loads(self.print(*steps, **given).splitlines()[-1])
        return answer["results"], answer["log"]

    def print(self, *steps: dict[str, Any], registrations: int = 1, plugin: Path = PLUGIN, **config: Any) -> str:
        """Perform steps; return what they print, and their results as the last line."""
        program = {
            "plugin": str(plugin / "index.js"),
            "config": {"command": str(SATCHEL), **config},
            "workspace": self.workspace,
            "registrations": registrations,
            "steps": steps,
        }
        done = subprocess.run(
            [str(NODE / "node"), str(DRIVER)],
            input=json.dumps(program),
            env=self.scratch.variables,
            cwd=self.scratch.home,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    def before(self, prompt: str, session: str = "agent:main:main") -> dict[str, Any]:
        """Return the step before a turn."""
        ctx = {"workspaceDir": self.workspace, "sessionKey": session}
        return {"hook": "before_prompt_build", "event": {"prompt": prompt, "messages": []}, "ctx": ctx}

    def after(self, *said: str, **ctx: Any) -> dict[str, Any]:
        """Return the step after a turn, in which the user said these, one turn each."""
        messages = [one for text in said for one in (_message("user", text), _message("assistant", "Understood."))]
        context = {"workspaceDir": self.workspace, "sessionKey": "agent:main:main", **ctx}
        return {"hook": "agent_end", "event": {"messages": messages, "success": True}, "ctx": context}


def _message(role: str, text: str) -> dict[str, Any]:
    return {"role": role, "content": [{"type": "text", "text": text}]}


@pytest.fixture
def driver(scratch: Scratch) -> Driver:
    """A driver over a store with one memory."""
    scratch.satchel("store", RULE, "--scope", SCOPE)
    return Driver(scratch)


def test_registering_starts_and_creates_nothing(scratch: Scratch) -> None:
    results, log = Driver(scratch).run(registrations=5)

    assert (results, log, scratch.ours()) == ([], [], {})
    assert not scratch.store.exists()


def test_a_turn_starts_the_server_once_and_gets_its_memories(driver: Driver) -> None:
    results, log = driver.run(driver.before(QUESTION), driver.before(QUESTION), registrations=3)

    assert all("deploy the web shop on Tuesdays" in one["prependContext"] for one in results)
    assert log == []
    assert len(driver.scratch.ours()) == 1


def test_without_the_program_turns_go_on_and_one_line_says_so(driver: Driver) -> None:
    ask = {"tool": "memory_recall", "params": {"query": QUESTION}, "ctx": {"workspaceDir": driver.workspace}}

    results, log = driver.run(driver.before("a"), driver.after(RULE), driver.before("b"), ask, command="/no/such")

    assert results[:3] == [None, None, None]
    assert results[3]["isError"] and "not available" in results[3]["content"][0]["text"]
    assert len(log) == 1 and log[0].startswith("warn satchel: the memory is not available")


def test_without_a_store_turns_go_on_and_none_is_created(scratch: Scratch) -> None:
    driver = Driver(scratch)

    results, log = driver.run(driver.before(QUESTION), driver.before(QUESTION))

    assert results == [None, None] and len(log) == 1
    assert not (scratch.store / "ledger.sqlite3").exists()


def test_settings_of_the_plugin_hold_even_if_another_server_runs(driver: Driver) -> None:
    (with_memories,), _ = driver.run(driver.before(QUESTION))
    (other,) = driver.scratch.ours()

    (without,), _ = driver.run(driver.before(QUESTION), autoRecall={"enabled": False})
    (with_again,), _ = driver.run(driver.before(QUESTION), autoRecall={"enabled": True})

    assert with_memories and with_again and without is None
    assert eventually(lambda: len(driver.scratch.ours()) == 1)
    assert other not in driver.scratch.ours()


def test_a_program_of_another_version_than_the_plugin_is_started_once(driver: Driver, tmp_path: Path) -> None:
    copy = tmp_path / "plugin"
    shutil.copytree(PLUGIN, copy)
    package = json.loads((copy / "package.json").read_text(encoding="utf-8"))
    (copy / "package.json").write_text(json.dumps(package | {"version": "0.0.1"}), encoding="utf-8")
    driver.run(driver.before(QUESTION))
    (other,) = driver.scratch.ours()

    results, _ = driver.run(driver.before(QUESTION), driver.before(QUESTION), plugin=copy)

    assert all("Tuesdays" in one["prependContext"] for one in results)
    (running,) = driver.scratch.ours()
    assert running != other
    assert (driver.scratch.store / "serve.log").read_text(encoding="utf-8").count("/v1/stop") == 1


def test_only_the_last_turn_of_the_user_is_captured(driver: Driver) -> None:
    driver.run(driver.after("From now on, always drink tea.", "From now on, always water the plants."))

    assert driver.scratch.texts(SCOPE) == [RULE, "From now on, always water the plants."]


def test_what_no_person_said_is_not_captured(driver: Driver) -> None:
    text = "From now on, always drink tea."
    driver.run(
        driver.after(text, trigger="cron"),
        driver.after(text, trigger="heartbeat"),
        driver.after(text, sessionKey="agent:main:subagent:1"),
        driver.after(text, sessionKey="agent:main:telegram:group:1"),
        driver.after(text, inputProvenance={"kind": "inter_session"}),
    )

    assert driver.scratch.texts(SCOPE) == [RULE]


def test_a_group_takes_part_only_where_the_person_allows_it(driver: Driver) -> None:
    group = "agent:main:telegram:group:1"

    (left_out,), _ = driver.run(driver.before(QUESTION, group))
    (let_in,), _ = driver.run(driver.before(QUESTION, group), groups=True)

    assert left_out is None and "Tuesdays" in let_in["prependContext"]


def test_the_same_tool_call_is_captured_once(driver: Driver) -> None:
    event = {
        "toolName": "exec",
        "params": {"command": "make"},
        "runId": "run",
        "toolCallId": "call",
        "result": {"content": [{"type": "text", "text": "no rule to make pancakes"}], "details": {"exitCode": 2}},
    }
    ctx = {"sessionKey": "agent:main:main", "workspaceDir": driver.workspace}
    tools = {"tool": "memory_stats", "params": {}, "ctx": ctx}
    call = {"hook": "after_tool_call", "event": event, "ctx": {"sessionKey": "agent:main:main"}}

    driver.run(tools, call, call, driver.after("thanks"))

    (found,) = driver.scratch.observations("pancakes", SCOPE)
    assert json.loads(found["observation"]["detail"])["exit_code"] == 2


def test_the_search_manager_answers_in_the_shapes_of_the_host(driver: Driver) -> None:
    search = {"manager": "search", "args": [QUESTION, {"maxResults": 2}], "workspace": driver.workspace}
    (found,), _ = driver.run(search)
    read = {"manager": "readFile", "args": [{"relPath": found[0]["path"]}], "workspace": driver.workspace}
    absent = {"manager": "readFile", "args": [{"relPath": "MEMORY.md"}], "workspace": driver.workspace}
    gone = {"manager": "readFile", "args": [{"relPath": "satchel/00000000"}], "workspace": driver.workspace}
    sessions = {"manager": "search", "args": [QUESTION, {"sources": ["sessions"]}], "workspace": driver.workspace}
    probe = {"manager": "probeEmbeddingAvailability", "args": [], "workspace": driver.workspace}
    status = {"manager": "status", "args": [], "workspace": driver.workspace}

    (text, missing, forgotten, none, probed, told), _ = driver.run(read, absent, gone, sessions, probe, status)

    assert (found[0]["snippet"], found[0]["source"]) == (RULE, "memory")
    assert found[0]["provenance"]["originClass"] == "owner"
    assert (text["status"], text["text"]) == ("ok", RULE)
    assert (missing["status"], forgotten["status"], none, probed["ok"]) == ("not_found", "not_found", [], True)
    assert (told["provider"], told["dbPath"]) == ("satchel", str(driver.scratch.store))


def test_the_prompt_names_only_tools_that_the_agent_has(scratch: Scratch) -> None:
    (full, searching, nothing, flush), _ = Driver(scratch).run(
        {"prompt": ["memory_recall", "memory_store"]}, {"prompt": ["memory_search"]}, {"prompt": ["exec"]}, {"flush": 1}
    )

    assert "memory_recall" in " ".join(full) and "memory_store" in " ".join(full)
    assert "memory_search" in " ".join(searching) and "memory_store" not in " ".join(searching)
    assert (nothing, flush) == ([], None)


def test_the_commands_work_in_the_scope_of_the_workspace_and_on_files_where_the_person_is(driver: Driver) -> None:
    printed = driver.print(
        {"cli": "list", "words": []},
        {"cli": "search", "words": [QUESTION]},
        {"cli": "stats", "words": ["--json"]},
        {"cli": "export", "words": ["--format", "json", "out.json"]},
        {"cli": "import", "words": ["out.json", "--dry-run"]},
        {"cli": "list", "words": ["--scope", "project/acme/other"]},
        {"cli": "list", "words": ["--no-such-option"]},
    )

    assert json.loads(printed.splitlines()[-1])["results"] == [0, 0, 0, 0, 0, 0, 2]
    assert printed.count(RULE) == 2 and f'"{SCOPE}": 1' in printed
    assert len(json.loads((driver.scratch.home / "out.json").read_text(encoding="utf-8"))) == 1
