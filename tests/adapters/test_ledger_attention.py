"""The contract of every ledger for edges, details, candidate lists and packets."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.attention import Details, Packet, Slot, is_durable
from satchel.domain.edges import EdgeType, MemoryEdge, VisibleEdge
from satchel.domain.record import Memory, MemoryId, State, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View, admin_view, held_out_by
from satchel.ports import Ledger, NewPacket, PacketItem, StoredPacket
from tests.adapters.samples import ALL, NOW, erase, memory, populations, receipt, store

GLOBAL = View(Reach(("global",)), NOW)
A, B, C = MemoryId("a"), MemoryId("b"), MemoryId("c")


@pytest.fixture(params=("file", "memory"))
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    opened = SqliteLedger(tmp_path / "ledger.sqlite3" if request.param == "file" else None)
    yield opened
    opened.close()


def edge(source: str, target: str, type: EdgeType = EdgeType.SUPPORTS, weight: float = 0.5, at: int = 1) -> MemoryEdge:
    return MemoryEdge(MemoryId(source), MemoryId(target), type, weight, at)


# Edges


def test_edges_are_found_from_both_ends_newest_first(ledger: Ledger) -> None:
    store(ledger, memory("a"), memory("b"), memory("c"))
    first, second, third = edge("a", "b", at=1), edge("b", "c", at=3), edge("c", "a", at=2)
    ledger.edges.put([first, second, third])

    assert ledger.edges.of(A) == [third, first]
    assert ledger.edges.of(B) == [second, first]
    assert ledger.edges.of(MemoryId("nobody")) == []


def test_the_same_edge_twice_gets_the_new_weight_and_keeps_its_age(ledger: Ledger) -> None:
    ledger.edges.put([edge("a", "b", weight=0.9, at=1)])
    ledger.edges.put([edge("a", "b", weight=0.1, at=5), edge("a", "b", EdgeType.EXTENDS, at=6)])

    assert ledger.edges.of(A) == [edge("a", "b", EdgeType.EXTENDS, at=6), edge("a", "b", weight=0.1, at=1)]


def test_evidence_points_at_its_target_and_comes_from_the_view(ledger: Ledger) -> None:
    odd = {
        "quarantined": memory("quarantined", trust=Trust.QUARANTINED),
        "retired": memory("retired", state=State.RETIRED),
        "expired": memory("expired", valid_to=NOW),
        "elsewhere": memory("elsewhere", scope="work"),
    }
    store(ledger, memory("a"), memory("b", trust=Trust.UNTRUSTED), *odd.values())
    ledger.edges.put([edge(id, "a") for id in ("b", *odd)] + [edge("a", "b")])

    assert ledger.edges.evidence([A], GLOBAL, 9) == [VisibleEdge(edge("b", "a"), Trust.UNTRUSTED)]
    assert {one.edge.source for one in ledger.edges.evidence([A], ALL, 9)} == {"b", *odd}
    assert ledger.edges.evidence([C], GLOBAL, 9) == ledger.edges.evidence([], GLOBAL, 9) == []


def test_the_view_is_applied_before_the_strongest_evidence_is_chosen(ledger: Ledger) -> None:
    store(ledger, memory("a"), *(memory(f"s{number}") for number in range(6)), memory("out", state=State.RETIRED))
    ledger.edges.put([edge("out", "a", weight=1.0)])
    ledger.edges.put([edge(f"s{number}", "a", weight=number / 10) for number in range(6)])
    ledger.edges.put([edge("s0", "a", EdgeType.CONTRADICTS, weight=0.01)])

    heard = [(one.edge.type, one.edge.source) for one in ledger.edges.evidence([A], GLOBAL, 2)]
    assert heard == [("contradicts", "s0"), ("supports", "s5"), ("supports", "s4")]


def test_evidence_for_many_targets_is_found(ledger: Ledger) -> None:
    ids = [f"m{number:04}" for number in range(1_200)]
    store(ledger, *(memory(id) for id in ids))
    ledger.edges.put([edge(ids[0], id) for id in ids[1:]])

    assert len(ledger.edges.evidence([MemoryId(id) for id in ids], GLOBAL, 1)) == 1_199


def test_an_edge_to_itself_is_not_evidence(ledger: Ledger) -> None:
    store(ledger, memory("a"))
    ledger.edges.put([edge("a", "a")])

    assert ledger.edges.evidence([A], GLOBAL, 9) == []


# Details


def test_details_are_read_back(ledger: Ledger) -> None:
    store(ledger, memory("a"), memory("b"))
    carried = Details({"text": "Ω\n\"'", "list": [1, None, {"deep": True}]}, ("turn-1", "轮次"), -5)
    ledger.details.put(A, carried)
    ledger.details.put(B, Details())

    assert ledger.details.of([A, B, C]) == {A: carried}


# Transactions


def test_a_failed_write_changes_nothing(ledger: Ledger) -> None:
    store(ledger, memory("a"))
    with pytest.raises(ZeroDivisionError), ledger.memories.transaction():
        store(ledger, memory("b"))
        ledger.details.put(B, Details({"x": 1}))
        ledger.edges.put([edge("b", "a")])
        1 / 0  # noqa: B018  anything that goes wrong

    assert ledger.memories.fetch([B], ALL) == {}
    assert (ledger.details.of([B]), ledger.edges.of(A)) == ({}, [])


# Candidate lists


def ids_of(found: list[Memory]) -> list[str]:
    return [one.id for one in found]


def test_a_list_is_ordered_by_importance_then_age_then_id(ledger: Ledger) -> None:
    store(
        ledger,
        memory("low", task="t", session="s", importance=0.1),
        memory("ungraded", task="t", session="s"),
        memory("older", task="t", session="s", importance=0.9, updated_at=1),
        memory("b", task="t", session="s", importance=0.9, updated_at=2),
        memory("a", task="t", session="s", importance=0.9, updated_at=2),
        memory("other", task="u", session="u", importance=1.0),
    )
    expected = ["a", "b", "older", "ungraded", "low"]

    assert ids_of(ledger.candidate_lists.of_task("t", GLOBAL, 9)) == expected
    assert ids_of(ledger.candidate_lists.of_session("s", GLOBAL, 9)) == expected
    assert ids_of(ledger.candidate_lists.of_task("t", GLOBAL, 2)) == expected[:2]
    assert ids_of(ledger.candidate_lists.durable(GLOBAL, 9)) == ["other", *expected]
    assert ids_of(ledger.candidate_lists.of_task("nothing", GLOBAL, 9)) == []


def test_durable_memories_are_abstract_or_global(ledger: Ledger) -> None:
    made = [
        memory("raw", abstraction=1, role_scope="critic"),
        memory("abstract", abstraction=2, role_scope="critic"),
        memory("shared", role_scope="global"),
        memory("unsaid"),
    ]
    store(ledger, *made)

    assert set(ids_of(ledger.candidate_lists.durable(GLOBAL, 9))) == {one.id for one in made if is_durable(one)}
    assert not is_durable(made[0])


def test_the_recent_list_also_works_for_an_administrator(ledger: Ledger) -> None:
    store(ledger, memory("old", updated_at=1, state=State.RETIRED), memory("new", updated_at=2))

    assert ids_of(ledger.candidate_lists.recent(GLOBAL, 9)) == ["new"]
    assert ids_of(ledger.candidate_lists.recent(admin_view(Reach(("global",)), NOW), 9)) == ["new", "old"]
    assert ids_of(ledger.candidate_lists.recent(admin_view(EVERYWHERE, NOW), 9)) == ["new", "old"]


@settings(max_examples=60, deadline=None, derandomize=True)
@given(population=populations(), limit=st.integers(0, 14))
def test_a_list_has_exactly_what_the_view_admits(population: list[Memory], limit: int) -> None:
    ledger = SqliteLedger(None)
    shelved = [replace(one, task="t", session="s") for one in population]
    if shelved:
        store(ledger, *shelved)
    admitted = {one.id for one in shelved if held_out_by(one, GLOBAL) is None}

    for found in (
        ledger.candidate_lists.of_task("t", GLOBAL, 99),
        ledger.candidate_lists.of_session("s", GLOBAL, 99),
        ledger.candidate_lists.durable(GLOBAL, 99),
        ledger.candidate_lists.recent(GLOBAL, 99),
    ):
        assert {one.id for one in found} == admitted
        assert len(found) == len(admitted)
    assert len(ledger.candidate_lists.recent(GLOBAL, limit)) == min(limit, len(admitted))
    ledger.close()


# Packets


def made(id: str, *items: PacketItem, scope: str = "global", **fields: Any) -> NewPacket:
    selected = tuple(dict.fromkeys(item.memory_id for item in items if item.memory_id))
    given = {"session": None, "task": None, "step_role": "planner", "goal": "a goal", "created_at": 7} | fields
    return NewPacket(id=id, scope=scope, items=items, selected=selected, **given)


def own(text: str, slot: Slot = Slot.CONSTRAINTS) -> PacketItem:
    return PacketItem(slot, text, None)


def test_a_packet_is_read_back(ledger: Ledger) -> None:
    items = (own("mine"), PacketItem(Slot.CONSTRAINTS, "stored", A), PacketItem(Slot.FACTS, "fact", B))
    assert ledger.packets.keep(made("one", *items, session="s", task="t"), receipt("1"), 9)
    assert ledger.packets.keep(made("two", scope="work"), receipt("2"), 9)

    kept = Packet("a goal", "planner", ("mine", "stored"), ("fact",), selected_memory_ids=("a", "b"))
    assert ledger.packets.recent(GLOBAL, 9) == [StoredPacket("one", "s", "t", kept, 7)]
    assert [one.id for one in ledger.packets.recent(ALL, 9)] == ["two", "one"]
    assert [one.id for one in ledger.packets.recent(ALL, 1)] == ["two"]
    assert len(ledger.receipts.recent(9)) == 2


def test_the_oldest_packets_are_dropped(ledger: Ledger) -> None:
    for number in range(5):
        ledger.packets.keep(made(f"p{number}", own("x")), receipt(str(number)), 2)

    assert [one.id for one in ledger.packets.recent(GLOBAL, 9)] == ["p4", "p3"]
    assert not ledger.packets.keep(made("last"), receipt("last"), 0)
    assert ledger.packets.recent(GLOBAL, 9) == []
    assert len(ledger.receipts.recent(9)) == 6


def test_erasing_a_memory_erases_its_edges_details_and_packets(ledger: Ledger) -> None:
    text = "The lighthouse keeper is called Ingrid Solberg"
    store(ledger, memory("a", text, title="A title to forget too"), memory("b"))
    ledger.details.put(A, Details({"x": 1}))
    ledger.edges.put([edge("a", "b"), edge("b", "a")])
    repeating = (
        made("pasted", own(f"as you said: {text}"), own("kept")),
        made("titled", own("A title to forget too", Slot.QUESTIONS)),
        made("goal", goal="mention Ingrid: The lighthouse keeper is called Ingrid Solberg"),
        made("stored", PacketItem(Slot.FACTS, "The lighthouse…", A), PacketItem(Slot.FACTS, "other", B)),
    )
    other = made("other", PacketItem(Slot.FACTS, "other", B), own("kept"))
    for number, one in enumerate((*repeating, other)):
        ledger.packets.keep(one, receipt(str(number)), 9)

    assert erase(ledger, "a")

    [left] = (one.packet for one in ledger.packets.recent(GLOBAL, 9))
    assert left == Packet("a goal", "planner", ("kept",), relevant_facts=("other",), selected_memory_ids=("b",))
    assert (ledger.edges.of(B), ledger.details.of([A])) == ([], {})
