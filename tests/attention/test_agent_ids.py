"""An agent cannot learn from the id of a memory whether another scope has one."""

from satchel.interfaces.agents import TOOLS, Bounds, settable_parameters


def test_agents_choose_no_ids() -> None:
    assert "id" not in settable_parameters(TOOLS["attention_add"], Bounds(scope="here"))
    assert "id" in settable_parameters(TOOLS["attention_add"], Bounds(operator=True))
