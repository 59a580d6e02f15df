"""What only repeats a forgotten text: the operator's forget erases it everywhere, an agent's in its own scope."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.app import Satchel
from satchel.config import load
from tests.tables import each_case

TEXT = "the harbour crane is repaired on the fourth of March"
OWN, OTHER = "project/shop", "project/bank"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Satchel]:
    with Satchel.open(settings=load(home=str(tmp_path / "home"))) as opened:
        yield opened


def goals(store: Satchel, scope: str) -> list[str]:
    return [one.goal for one in store.attention.packets(scope=scope).result.items]


@each_case("channel", ["tool", "web"])
def test_an_agent_cannot_remove_what_another_scope_says_by_storing_and_forgetting_it(
    tmp_path: Path, channel: str
) -> None:
    with Satchel.open(settings=load(home=str(tmp_path / channel))) as store:
        store.attention.route(TEXT, scope=OWN)
        store.attention.route(TEXT, scope=OTHER)
        store.tags.create("before", note=TEXT)
        id = store.store(TEXT, scope=OWN, source_kind=channel).result.id
        answer = store.forget(id, scope=OWN, source_kind=channel)

        assert goals(store, OWN) == []
        assert goals(store, OTHER) == [TEXT]
        assert [one.note for one in store.tags.list().result.tags] == [TEXT]
        # Its answer is the same, whether another scope repeats the text or not.
        assert "packet" not in str(answer.result)


def test_the_operator_erases_it_everywhere(store: Satchel) -> None:
    store.attention.route(TEXT, scope=OTHER)
    store.tags.create("before", note=TEXT)
    id = store.store(TEXT, scope=OWN).result.id
    store.forget(id, scope=OWN)

    assert goals(store, OTHER) == []
    assert [one.note for one in store.tags.list().result.tags] == [None]
