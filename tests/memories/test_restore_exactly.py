"""Restoring any state is exact, and so is undoing it."""

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import HealthCheck, given
from hypothesis import settings as bounded
from hypothesis import strategies as st
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import load
from satchel.domain.edges import EdgeType, MemoryEdge
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Memory, MemoryId, State, Trust, label_for
from satchel.domain.scope import EVERYWHERE
from satchel.domain.trust import lowest_trust
from satchel.domain.view import LIVE_STATES, admin_view
from satchel.ports import Change
from tests.faults.extent import extent

WORDS = ("walrus", "ferry", "harbour", "lamp", "会议", "crane", "naïve", '"quoted"', "dawn", "noon")
SCOPES = ("here", "there")
ALL = admin_view(EVERYWHERE, 0)

Deed = Callable[[Satchel, int], None]
Records = Mapping[str, Memory]
Row = tuple[str, str, str, float, int]
Linked = set[Row]

texts = st.lists(st.sampled_from(WORDS), min_size=1, max_size=6).map(" ".join)


def records(memory: Satchel) -> dict[str, Memory]:
    return {one.id: one for one in memory.parts.ledger.memories.walk(ALL)}


def edges(memory: Satchel) -> Linked:
    with memory.parts.ledger.database.reading() as db:  # type: ignore[attr-defined]
        return {*db.execute("SELECT source, target, type, weight, created_at FROM edges").fetchall()}


def _one(memory: Satchel, number: int) -> Memory | None:
    known = sorted(records(memory).values(), key=lambda one: (one.created_at, one.id))
    return known[number % len(known)] if known else None


def storing(text: str, scope: str) -> Deed:
    return lambda memory, number: _stored(memory, f"{text} {number}", scope)


def _stored(memory: Satchel, text: str, scope: str, replaces: str | None = None) -> None:
    memory.store(text, scope=scope, replaces=replaces)


def replacing(text: str) -> Deed:
    def deed(memory: Satchel, number: int) -> None:
        if (old := _one(memory, number)) is not None and old.state in LIVE_STATES:
            _stored(memory, f"{text} instead {number}", old.scope, old.id)

    return deed


def editing(fields: Mapping[str, object]) -> Deed:
    """Change any field of a memory."""

    def deed(memory: Satchel, number: int) -> None:
        if (before := _one(memory, number)) is not None:
            after = replace(before, content_hash="", **fields)
            if after != before:
                receipt = Receipt("edit", {"id": before.id, "number": number})
                memory.parts.ledger.memories.commit([Change(after, before, "edit", "test")], receipt)

    return deed


def forget(memory: Satchel, number: int) -> None:
    if (one := _one(memory, number)) is not None:
        memory.forget(one.id, all_scopes=True)


def retire(memory: Satchel, number: int) -> None:
    if (one := _one(memory, number)) is not None and one.kind is Kind.SUMMARY:
        memory.attention.refresh([one.id], scope=one.scope)


def linking(type: EdgeType, weight: float) -> Deed:
    """Add an edge from one memory to the next of its scope."""

    def deed(memory: Satchel, number: int) -> None:
        source, target = _one(memory, number), _one(memory, number + 1)
        if source is not None and target is not None and source.scope == target.scope:
            memory.parts.ledger.edges.put([MemoryEdge(source.id, target.id, type, weight, number)])

    return deed


def grade(memory: Satchel, number: int) -> None:
    memory.lifecycle.grade(all_scopes=True)


def go_back(memory: Satchel, number: int) -> None:
    memory.tags.restore(number % (memory.parts.ledger.feed.tip() + 1), all_scopes=True)


edits = st.fixed_dictionaries(
    {},
    optional={
        "text": texts,
        "title": st.none() | texts,
        "tags": st.lists(texts, max_size=2).map(tuple),
        "state": st.sampled_from([*State]),
        "trust": st.sampled_from([*Trust]),
        "importance": st.none() | st.floats(0, 1),
        "label": st.sampled_from([label_for(value) for value in (None, 0.1, 0.6, 0.9)]),
        "kind": st.sampled_from([*Kind]),
        "valid_to": st.none() | st.integers(0, 2**40),
        "updated_at": st.integers(0, 2**40),
        "reason": st.none() | texts,
    },
)
deeds = st.lists(
    st.tuples(
        st.one_of(
            st.builds(storing, texts, st.sampled_from(SCOPES)),
            st.builds(replacing, texts),
            st.builds(editing, edits),
            st.builds(linking, st.sampled_from([*EdgeType]), st.sampled_from([0.25, 0.5, 1.0])),
            st.sampled_from([forget, retire, grade, go_back]),
        ),
        st.integers(0, 50),
    ),
    max_size=10,
)


def lived(
    before: list[tuple[Deed, int]], after: list[tuple[Deed, int]], check: Callable[[Satchel, Records, Linked], None]
) -> None:
    """Run some actions, note the state, run others, then check against the noted state."""
    with (
        TemporaryDirectory() as folder,
        Satchel.open(settings=load(home=str(Path(folder) / "home"), embedding={"provider": "hashing"})) as memory,
    ):
        for deed, number in before:
            deed(memory, number)
        memory.tags.create("then")
        then, linked = records(memory), edges(memory)
        for deed, number in after:
            deed(memory, number)
        check(memory, then, linked)


slowly = bounded(max_examples=extent(15, 40), deadline=None, suppress_health_check=[HealthCheck.too_slow])


@slowly
@given(deeds, deeds)
def test_a_restored_state_equals_the_earlier_one_except_erased_memories(
    before: list[tuple[Deed, int]], after: list[tuple[Deed, int]]
) -> None:
    def check(memory: Satchel, then: Records, linked: Linked) -> None:
        later, relinked = records(memory), edges(memory)
        number = memory.tags.restore("then", all_scopes=True).result.before
        restored = records(memory)
        assert edges(memory) == {one for one in linked if one[0] in later and one[1] in later}
        assert {id: restored[id] for id in then if id in restored} == {id: then[id] for id in then if id in later}
        assert set(restored) == set(later)
        assert all(restored[id].state not in LIVE_STATES for id in set(restored) - set(then))
        assert all(replace(restored[id], state=later[id].state) == later[id] for id in set(restored) - set(then))
        memory.tags.restore(number, all_scopes=True)
        assert (records(memory), edges(memory)) == (later, relinked)
        assert memory.parts.ledger.receipts.verify().broken_at is None
        assert [one.status for one in memory.parts.ledger.check_up()].count("bad") == 0

    lived(before, after, check)


@slowly
@given(deeds, deeds, st.sampled_from(SCOPES))
def test_restoring_one_scope_leaves_the_others_alone(
    before: list[tuple[Deed, int]], after: list[tuple[Deed, int]], scope: str
) -> None:
    def check(memory: Satchel, then: Records, linked: Linked) -> None:
        later = records(memory)
        planned = memory.tags.restore("then", scope=scope, dry_run=True).result
        assert records(memory) == later
        done = memory.tags.restore("then", scope=scope).result
        assert done.differences == planned.differences
        restored = records(memory)
        for id, one in later.items():
            if one.scope != scope:
                assert restored[id] == one
            elif id in then:
                assert restored[id] == then[id]

    lived(before, after, check)


@slowly
@given(deeds, deeds)
def test_as_of_recall_sees_earlier_and_still_visible_memories(
    before: list[tuple[Deed, int]], after: list[tuple[Deed, int]]
) -> None:
    def check(memory: Satchel, then: Records, linked: Linked) -> None:
        later = records(memory)
        seq = memory.tags.show("then").result.point.seq
        with memory.parts.ledger.as_of(seq) as ledger:
            seen = ledger.memories.fetch([MemoryId(id) for id in {*then, *later}], ALL)
        assert seen == {
            id: replace(one, trust=lowest_trust([one.trust, later[id].trust]))
            for id, one in then.items()
            if id in later
        }
        for place, word in enumerate(WORDS):
            mode = "lexical" if place else "hybrid"
            hits = memory.recall(word, scope="here", as_of="then", mode=mode, limit=50).result.hits
            for hit in hits:
                assert hit.memory == seen[hit.memory.id]
                assert hit.memory.scope == "here" and hit.memory.state in LIVE_STATES
                assert hit.memory.trust is not Trust.QUARANTINED

    lived(before, after, check)
