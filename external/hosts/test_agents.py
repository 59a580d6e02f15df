"""What holds in every host that is driven by its command line: Claude Code and Codex."""

import json

from external.hosts.agents import SECONDS, Agent
from external.hosts.model import Model
from external.hosts.scratch import Scratch

FACT = "From now on we deploy on Thursdays, never on Fridays."
QUESTION = "Which weekday does the release go out?"
TOOLS = {f"mcp__satchel__memory_{name}" for name in ("store", "recall", "forget", "list", "get", "pack", "docs_search")}
SCOPE = "project/acme/shop"
ROUNDS = 10


def test_a_fact_told_in_one_session_reaches_the_next_in_the_same_project_only(agent: Agent) -> None:
    shop, blog = agent.scratch.project("shop"), agent.scratch.project("blog")

    agent.say(FACT, shop)
    assert agent.scratch.texts(SCOPE) == [FACT], agent.scratch.failures()
    asked = agent.say(QUESTION, shop)
    elsewhere = agent.say(QUESTION, blog)

    assert "Thursdays" in asked.text, agent.scratch.failures()
    assert QUESTION in elsewhere.text
    assert "Thursdays" not in elsewhere.text


def test_a_failing_command_is_captured_with_what_the_host_says_of_it(agent: Agent) -> None:
    shop = agent.scratch.project("shop")

    agent.say('CALL:shell {"command": "echo no route to warehouse; exit 7"}', shop)
    [shown] = agent.scratch.observations("warehouse", SCOPE)

    captured = shown["observation"]
    detail = json.loads(captured["detail"])
    assert (detail["outcome"], detail["exit_code"]) == ("failed", 7)
    assert "no route to warehouse" in captured["text"]


def test_the_tools_are_in_the_first_request_and_can_be_called(agent: Agent) -> None:
    shop = agent.scratch.project("shop")

    stored = agent.say_with_tools('CALL:mcp__satchel__memory_store {"text": "The warehouse opens at six."}', shop)
    recalled = agent.say_with_tools('CALL:mcp__satchel__memory_recall {"query": "when does it open"}', shop)

    assert stored.tools == TOOLS
    assert agent.scratch.texts(SCOPE) == ["The warehouse opens at six."]
    assert "The warehouse opens at six." in recalled.requests[-1].results[-1]


def test_ten_rounds_of_start_kill_and_restart_leave_no_process_no_lock_and_no_double(agent: Agent) -> None:
    shop, scratch, model = agent.scratch.project("shop"), agent.scratch, agent.model
    facts = [f"From now on the number of warehouse {round_} is {round_}{round_}7." for round_ in range(ROUNDS)]

    for round_, fact in enumerate(facts):
        model.forget()
        # The word is in the output, but not in the command.
        command = f"printf 'par%s' cel{round_}; exit 3"
        running = agent.start(f"Round {round_} HOLD CALL:shell {json.dumps({'command': command})}", shop)
        model.wait_for(f"parcel{round_}")
        scratch.kill_hosts()
        running.communicate(timeout=SECONDS)
        scratch.satchel("store", f"Note {round_}: stored while nobody waits.", cwd=shop)
        agent.say(fact, shop, resume=True)

    scratch.run("satchel", "doctor")
    scratch.stop_server()
    texts = scratch.texts()
    for round_, fact in enumerate(facts):
        assert len([text for text in texts if fact.removeprefix("From now on ") in text]) == 1, (fact, texts)
        assert len(scratch.observations(f"parcel{round_}", SCOPE)) == 1
    assert len(texts) == 2 * ROUNDS


def test_a_broken_store_does_not_break_a_turn_and_doctor_tells(agent: Agent) -> None:
    shop, ledger = agent.scratch.project("shop"), agent.scratch.store / "ledger.sqlite3"
    agent.scratch.satchel("store", FACT, "--scope", SCOPE)
    agent.scratch.stop_server()
    whole = ledger.read_bytes()
    ledger.write_bytes(b"this is not a database")

    session = agent.say(f'{QUESTION} CALL:shell {{"command": "false"}}', shop)
    agent.scratch.stop_server()
    ledger.write_bytes(whole)

    assert session.answered
    assert "Thursdays" not in session.text
    assert f"of {agent.host}: {ledger} is damaged" in agent.scratch.run("satchel", "doctor", check=False).stdout
    assert "Thursdays" in agent.say(QUESTION, shop).text


def test_a_store_that_cannot_be_written_does_not_break_a_turn(agent: Agent) -> None:
    agent.scratch.stop_server()
    agent.scratch.store.rename(agent.scratch.home / "moved")
    agent.scratch.store.write_text("in the way of the folder", encoding="utf-8")

    session = agent.say(f'{FACT} CALL:shell {{"command": "false"}}', agent.scratch.project("shop"))

    assert session.answered
    assert agent.scratch.store.read_text(encoding="utf-8") == "in the way of the folder"


def test_uninstall_leaves_the_configuration_as_it_was(host: str, scratch: Scratch, model: Model) -> None:
    agent = Agent(host, scratch, model)
    agent.configure()
    before = _configuration(scratch)

    agent.install()
    installed = _configuration(scratch)
    agent.uninstall()

    assert installed != before
    assert _configuration(scratch) == before


def test_uninstall_after_a_session_leaves_only_what_the_host_wrote(agent: Agent) -> None:
    shop = agent.scratch.project("shop")
    agent.say(FACT, shop)

    agent.uninstall()
    session = agent.say(QUESTION, shop)

    assert not [name for name in session.requests[0].tools if "satchel" in name]
    assert "Thursdays" not in session.text


def _configuration(scratch: Scratch) -> dict[str, bytes]:
    """Return the files in the home folder, without those of the store."""
    return {
        str(path.relative_to(scratch.home)): path.read_bytes()
        for path in sorted(scratch.home.rglob("*"))
        if path.is_file() and scratch.store not in path.parents
    }
