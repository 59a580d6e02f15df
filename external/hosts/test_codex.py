"""What only Codex does: it skips hooks that its user has not trusted."""

import pytest

from external.hosts.agents import CODEX_CONFIG, Agent
from external.hosts.codex_trust import hooks_of_codex, trust_hooks
from external.hosts.test_agents import FACT, QUESTION, TOOLS
from satchel.domain.hosts import CODEX, HOOK_EVENTS


@pytest.fixture(params=[CODEX])
def host(request: pytest.FixtureRequest) -> str:
    """Codex alone."""
    return str(request.param)


def test_codex_finds_every_hook_and_none_is_trusted_yet(agent: Agent) -> None:
    hooks = hooks_of_codex(agent.scratch, agent.scratch.project("shop"))

    assert len(hooks) == len(HOOK_EVENTS[CODEX])
    assert {hook["trustStatus"] for hook in hooks} == {"untrusted"}


def test_before_the_hooks_are_trusted_the_tools_work_and_nothing_is_added(agent: Agent) -> None:
    shop = agent.scratch.project("shop")
    agent.scratch.satchel("store", FACT, "--scope", "auto", cwd=shop)

    session = agent.say_with_tools(QUESTION, shop, trusting=False)

    assert session.answered
    assert session.tools == TOOLS
    assert "Thursdays" not in session.text


def test_once_trusted_the_hooks_run(agent: Agent) -> None:
    shop = agent.scratch.project("shop")
    trust_hooks(agent.scratch, shop)

    agent.say(FACT, shop, trusting=False)
    asked = agent.say(QUESTION, shop, trusting=False)

    assert "Thursdays" in asked.text


def test_installing_again_keeps_the_hooks_trusted(agent: Agent) -> None:
    shop = agent.scratch.project("shop")
    trust_hooks(agent.scratch, shop)

    agent.install()

    assert {hook["trustStatus"] for hook in hooks_of_codex(agent.scratch, shop)} == {"trusted"}


def test_uninstall_takes_the_trust_back_too(agent: Agent) -> None:
    configuration = agent.scratch.home / ".codex" / "config.toml"
    trust_hooks(agent.scratch, agent.scratch.project("shop"))

    agent.uninstall()

    assert configuration.read_text(encoding="utf-8") == CODEX_CONFIG.format(url=agent.model.url)
    assert not (configuration.parent / "hooks.json").exists()
