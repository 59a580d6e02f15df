"""`conflicts`: which memories contradict each other, by an edge or by their words."""

import json
from pathlib import Path
from typing import Any

import pytest

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.edges import EdgeType, MemoryEdge
from satchel.domain.record import Memory, MemoryId
from satchel.explaining.conflicts import find_conflicts
from satchel.interfaces.cli.main import main
from satchel.interfaces.cli.views.explaining import VIEWS


def pairs(memory: Satchel, **options: Any) -> list[tuple[str, str, str]]:
    result = memory.explaining.conflicts(**options).result
    return [(one.newer.text, one.older.text, one.reason) for one in result.conflicts]


def test_contradicting_rules_are_listed_without_an_edge(dated: Satchel) -> None:
    for text in (
        "Always squash before merging",
        "The API listens on port 8080",
        "Use tabs",
        "Two people review each change",
        "Never squash before merging",
        "Use spaces",
        "The API listens on port 9090",
    ):
        dated.store(text, kind="preference", scope="shop")
    assert pairs(dated, scope="shop") == [
        ("The API listens on port 9090", "The API listens on port 8080", "another number"),
        ("Use spaces", "Use tabs", "another value"),
        ("Never squash before merging", "Always squash before merging", "opposite"),
    ]
    assert pairs(dated) == []


def test_a_linked_pair_comes_first_and_once(dated: Satchel) -> None:
    old = dated.store("We meet on Mondays", kind="decision").result.id
    new = dated.store("We meet on Tuesdays", kind="decision").result.id
    claim = dated.store("The cache makes checkout faster").result.id
    doubt = dated.store("In May everything got slower with it").result.id
    edges = [(old, new), (doubt, claim)]
    dated.parts.ledger.edges.put([MemoryEdge(MemoryId(a), MemoryId(b), EdgeType.CONTRADICTS) for a, b in edges])
    result = dated.explaining.conflicts().result
    assert {(one.newer.id, one.older.id) for one in result.conflicts} == {(new, old), (doubt, claim)}
    assert all(one.linked for one in result.conflicts)


def test_retired_quarantined_and_foreign_memories_are_no_conflict(dated: Satchel) -> None:
    old = dated.store("Always squash before merging").result.id
    dated.store("Never squash before merging", replaces=old)
    dated.store("Always squash before merging", scope="other")
    dated.store("Always squash before merging, and tell nobody", trust="quarantined")
    assert pairs(dated) == []
    assert pairs(dated, all_scopes=True) == []


def test_a_suggested_command_resolves_it(home: Path, monkeypatch: pytest.MonkeyPatch, capsys: Any) -> None:
    monkeypatch.setenv("SATCHEL_HOME", str(home))
    monkeypatch.setenv("SATCHEL_EMBEDDER", "hashing")
    with Satchel.open(settings=load(home=str(home), embedding={"provider": "hashing"})) as memory:
        memory.store("Deploy on Friday", scope="shop", kind="preference")
        memory.store("Never deploy on Fridays", scope="shop", kind="preference")
    assert main(["conflicts", "--scope", "shop", "--json"]) == 0
    [conflict] = json.loads(capsys.readouterr().out)["result"]["conflicts"]
    assert main(["conflicts", "--scope", "shop"]) == 0
    shown = capsys.readouterr().out
    assert "newer: " in shown and conflict["resolve"][0] in shown
    assert main(conflict["resolve"][0].split()[1:]) == 0
    capsys.readouterr()
    assert main(["conflicts", "--scope", "shop"]) == 0
    assert "nothing contradicts in scope shop" in capsys.readouterr().out


def test_the_list_is_limited_and_says_so(dated: Satchel) -> None:
    for number in range(4):
        dated.store(f"The deposit is {number}000 euros", kind="decision")
    answer = dated.explaining.conflicts(limit=2)
    assert (len(answer.result.conflicts), answer.result.complete) == (2, False)
    assert answer.receipt.warnings[0].startswith("conflicts_incomplete: 2 of ")


def test_a_search_that_is_not_complete_does_not_say_that_nothing_contradicts(
    dated: Satchel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("satchel.explaining.conflicts.MAX_PER_KEY", 1)
    for text in ("Roses grow in the garden", "The garden needs water"):
        dated.store(text, kind="fact")

    answer = dated.explaining.conflicts()

    assert (answer.result.conflicts, answer.result.complete) == ((), False)
    assert "not every pair was compared" in answer.receipt.warnings[0]
    shown = " ".join(line for line, _ in VIEWS["conflicts"](answer.result))
    assert "nothing contradicts" not in shown
    assert "2 memories compared" in shown


def test_a_less_trusted_memory_is_not_offered_as_the_replacement(dated: Satchel) -> None:
    older = dated.store("Always squash before merging", kind="preference").result.id
    newer = dated.store("Never squash before merging", kind="preference", source_kind="web").result.id

    (conflict,) = dated.explaining.conflicts().result.conflicts

    assert conflict.resolve[:2] == (
        f"satchel attention refresh --stale {older} --scope global",
        f"satchel attention refresh --stale {newer} --scope global",
    )


def test_many_memories_are_not_all_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    compared = 0

    def count(*_: object) -> None:
        nonlocal compared
        compared += 1

    monkeypatch.setattr("satchel.explaining.conflicts.contradiction", count)
    several = [
        Memory(
            id=MemoryId(str(number)),
            text=f"Rule about topic {number // 3} and x{number}",
            scope="s",
            created_at=0,
            updated_at=0,
        )
        for number in range(3_000)
    ]
    search = find_conflicts(several)
    assert compared < 20_000
    assert not search.complete
