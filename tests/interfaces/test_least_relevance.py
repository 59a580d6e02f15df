"""An answer that is not relevant says so at every door, and names the nearest memories apart."""

from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.interfaces.slot import shapes
from satchel.interfaces.slot.tools import MemoryTools
from tests.interfaces.cli.cli_runner import CliRunner

MEMORIES = (
    "We deploy on Thursdays",
    "The cat is called Walter",
    "Use uv, not pip",
    "妹妹喜歡吃芒果",
    "Tests run in CI",
)
OFF_TOPIC = ("how do I reset the router", "怎么修自行车的刹车")


@pytest.fixture
def cli(home: Path, capsys: pytest.CaptureFixture[str]) -> CliRunner:
    settings = load(home=str(home), recall={"catch_up_ms": 10_000})
    with Satchel.open(settings=settings) as memory:
        for text in MEMORIES:
            memory.store(text)
        memory.maintenance.index_build()
    return CliRunner(home, capsys)


def test_nothing_relevant_is_said_and_the_nearest_are_named_apart(cli: CliRunner, home: Path) -> None:
    for question in OFF_TOPIC:
        shown = cli("recall", question).splitlines()
        told = cli.json("recall", question)["result"]

        assert shown[:2] == ["nothing relevant in scope global", "nearest, but probably about something else:"]
        assert len(shown) == 5
        assert (told["hits"], told["relevance"]) == ([], 0.0)
        assert {hit["memory"]["text"] for hit in told["nearest"]} == set(MEMORIES)
    with Satchel.open(settings=load(home=str(home))) as memory:
        for question in OFF_TOPIC:
            answer = MemoryTools(memory).memory_recall(question).result
            details: shapes.RecallDetails = answer.details
            assert (details["count"], details["memories"], len(details["nearest"])) == (0, [], 5)
            lines = answer.text.splitlines()
            assert lines[0] == "nothing relevant in scope global"
            assert [line.partition(":")[0] for line in lines[1:]] == ["nearest, probably about something else"] * 3


def test_an_answer_does_not_name_the_nearest(cli: CliRunner, home: Path) -> None:
    assert "nearest" not in cli("recall", "when do we deploy")
    with Satchel.open(settings=load(home=str(home))) as memory:
        answer = MemoryTools(memory).memory_recall("when do we deploy").result
        assert [one["text"] for one in answer.details["memories"]] == [MEMORIES[0]]
        assert answer.details["nearest"] == [] and "nearest" not in answer.text
