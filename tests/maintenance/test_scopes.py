"""Scopes are listed with their contents, and a whole one is erased with proof, and no other."""

import json
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.errors import NotFound, ReadOnlyMode
from satchel.interfaces.cli.views.lookup import view_of

EVERYTHING = {
    "memories": 2,
    "observations": 1,
    "episodes": 1,
    "documents": 1,
    "conversations": 1,
    "decisions": 1,
    "facts": 1,
    "graph sources": 1,
    "packets": 1,
}


def fill(memory: Satchel, scope: str, word: str) -> None:
    """Store something of every kind in a scope; every text has the word in it."""
    id = memory.store(f"We ship the {word} on Thursdays", scope=scope).result.id
    event = {"id": f"e-{word}", "tool_name": "Bash", "text": f"{word} tests passed " * 3_000, "scope": scope}
    memory.observations.capture(json.dumps(event))
    memory.observations.ingest()
    memory.episodes.add(text=f"We talked about the {word} budget", session="s", scope=scope)
    memory.documents.add([{"ref": "n", "text": f"# {word}\n\nFeed it at noon."}], collection="notes", scope=scope)
    memory.conversations.add(f"The {word} is discussed here", conversation="api", scope=scope)
    memory.conversations.decide(f"Use NATS for the {word}", conversation="api", scope=scope)
    memory.facts.assert_(f"{word} service", "status", "live", sources=[id], scope=scope)
    memory.graph.add(f"{word} checkout", "DEPENDS_ON", "Ledger", scope=scope)
    memory.attention.add(memory_type="summary", title=f"{word} title", summary=f"Check the {word} first", scope=scope)
    memory.attention.route(goal=f"release the {word}", scope=scope)


def leave_in_spool(memory: Satchel, scope: str, word: str) -> None:
    waiting = {"id": f"w-{word}", "tool_name": "Bash", "text": f"{word} waits in the spool", "scope": scope}
    memory.observations.capture(json.dumps(waiting))


def contents(memory: Satchel) -> dict[str, dict[str, int]]:
    return {one.scope: dict(one.records) for one in memory.scopes.list().result.scopes}


def holding(home: Path, word: str) -> list[str]:
    """Return the files of a store that contain a word."""
    files = [path for path in sorted(home.rglob("*")) if path.is_file()]
    return [path.name for path in files if word.encode() in path.read_bytes()]


def test_every_kind_of_record_is_counted(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    memory.store("Ann likes tea")

    assert contents(memory) == {"global": {"memories": 1}, "shop": EVERYTHING}
    lines = [line for line, _ in view_of("scopes")(memory.scopes.list().result)]
    assert lines[0] == "global  (default)"
    assert lines[3].startswith("  memories 2, observations 1, episodes 1")


def test_a_deleted_scope_is_in_no_file_and_others_stay(memory: Satchel, home: Path) -> None:
    fill(memory, "shop", "zanzibarium")
    fill(memory, "mill", "quaggaphone")
    leave_in_spool(memory, "shop", "zanzibarium")
    leave_in_spool(memory, "mill", "quaggaphone")
    memory.recall("zanzibarium", scope="shop")
    memory.maintenance.index_build()
    assert holding(home, "zanzibarium")

    deleted = memory.scopes.delete("shop")

    result = deleted.result
    assert (result.action, dict(result.records), result.pending) == ("deleted", EVERYTHING, ())
    assert deleted.receipt.kept
    assert result.check is not None
    assert (result.check.conclusive, result.check.found_after) == (True, ())
    assert holding(home, "zanzibarium") == []
    assert contents(memory) == {"mill": EVERYTHING}
    assert memory.recall("quaggaphone", scope="mill").result.hits
    assert memory.observations.ingest().result.inserted == 1
    health = memory.maintenance.doctor().result
    assert [one for one in health.findings if one.status == "bad"] == []


def test_a_deleted_scope_can_be_used_again(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    memory.scopes.delete("shop")

    fill(memory, "shop", "quaggaphone")

    assert contents(memory)["shop"]["memories"] == 2
    found = memory.conversations.search("quaggaphone discussed", scope="shop").result.items
    assert found


def test_a_dry_run_and_a_no_change_nothing(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    questions: list[str] = []

    def refuse(question: str) -> bool:
        questions.append(question)
        return False

    assert memory.scopes.delete("shop", dry_run=True).result.action == "planned"
    assert memory.scopes.delete("shop", ask=refuse).result.action == "declined"
    assert "memories 2" in questions[0]
    assert contents(memory) == {"shop": EVERYTHING}


def test_an_interrupted_deletion_is_finished_by_another(memory: Satchel, home: Path) -> None:
    for number in range(1_200):
        memory.store(f"zanzibarium number {number} of the herd", scope="shop")

    class Stopped(Exception):
        pass

    def stop(done: int, total: int, what: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        memory.scopes.delete("shop", progress=stop)
    assert contents(memory)["shop"] == {"memories": 700}

    assert memory.scopes.delete("shop").result.check is not None
    assert (contents(memory), holding(home, "zanzibarium")) == ({}, [])


def test_an_unknown_scope_names_similar_ones(memory: Satchel) -> None:
    memory.store("in the shop", scope="project/shop")
    for name in ("shop", "project/shops", "", "\ud800"):
        with pytest.raises(NotFound) as unknown:
            memory.scopes.delete(name)
        assert unknown.value.code == "scope_unknown"
    with pytest.raises(NotFound) as close:
        memory.scopes.delete("shop")
    assert "project/shop" in close.value.hint


def test_a_read_only_store_refuses_it(memory: Satchel) -> None:
    memory.store("in the shop", scope="shop")
    with pytest.raises(ReadOnlyMode):
        Satchel(replace(memory.parts, read_only=True)).scopes.delete("shop")
