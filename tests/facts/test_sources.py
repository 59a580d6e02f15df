"""Which records are sources of a fact, and what becomes of it when they no longer count."""

import pytest

from satchel.app import Satchel
from satchel.domain.facts import FactSourceType, FactStatus
from satchel.domain.moment import iso
from satchel.errors import InvalidRequest
from tests.facts.stores import BEGIN, DAY_MS, ClockedStore


def _turn(memory: Satchel) -> str:
    memory.episodes.add(text="The gateway is live since Monday", session="one")
    return memory.episodes.list().result.episodes[0].id


def _document(memory: Satchel) -> str:
    memory.documents.add([{"ref": "gateway.md", "text": "The gateway is live since Monday"}], collection="notes")
    return memory.documents.search("gateway").result.hits[0].id


def test_the_id_of_a_turn_is_a_source(memory: Satchel) -> None:
    turn = _turn(memory)
    memory.facts.assert_("gateway", "status", "live", sources=[turn])
    (fact,) = memory.facts.current("gateway").result.facts
    assert [(one.kind, one.ref) for one in fact.source_refs] == [(FactSourceType.EPISODIC, turn)]

    memory.episodes.forget(turn)
    assert memory.facts.timeline("gateway").result.facts == ()


def test_the_id_of_a_document_chunk_is_a_source(memory: Satchel) -> None:
    chunk = _document(memory)
    memory.facts.assert_("gateway", "status", "live", sources=[chunk])
    (fact,) = memory.facts.current("gateway").result.facts
    assert [(one.kind, one.ref) for one in fact.source_refs] == [(FactSourceType.DOC, chunk)]

    memory.documents.forget("gateway.md", collection="notes")
    assert memory.facts.timeline("gateway").result.facts == ()


def _payments(store: ClockedStore, *sources: str) -> str:
    return store.facts.assert_("payments", "status", "live", sources=sources).result.fact.id


def _is_live(store: ClockedStore) -> bool:
    """Whether every way to read facts gives the fact, or none does."""
    current = bool(store.facts.current("payments").result.facts)
    assert current is not bool(store.facts.stale().result.facts)
    assert current is bool(store.facts.search("is payments live?").result.items)
    assert current is not bool(store.facts.lint().result.findings)
    return current


def test_a_fact_is_stale_while_its_source_is_replaced(store: ClockedStore) -> None:
    source = store.add("Payments is live")
    _payments(store, source)
    assert _is_live(store)

    store.add("Payments is switched off", replaces=source)
    assert not _is_live(store)
    store.memory.history.undo()
    assert _is_live(store)


def test_a_fact_is_stale_while_its_source_is_edited(store: ClockedStore) -> None:
    source = store.add("Payments is live")
    _payments(store, source)

    store.memory.editing.edit(source, text="Payments is switched off")
    assert not _is_live(store)
    store.memory.history.undo()
    assert _is_live(store)


def test_a_fact_is_stale_while_the_storing_of_its_source_is_undone(store: ClockedStore) -> None:
    source = store.memory.store("Payments is live")
    _payments(store, source.result.id)

    undone = store.memory.history.undo(source.receipt.digest).result.receipt
    assert not _is_live(store)
    store.memory.history.undo(undone)
    assert _is_live(store)


def test_a_fact_is_stale_while_its_source_is_archived(store: ClockedStore) -> None:
    source = store.add("Payments is live")
    _payments(store, source)

    store.memory.lifecycle.archive(source)
    assert not _is_live(store)
    store.memory.lifecycle.revive(source)
    assert _is_live(store)


def test_another_source_supports_a_fact(store: ClockedStore) -> None:
    one, other = store.add("Payments is live"), store.add("The payments service went live on Monday")
    _payments(store, one, other)

    store.add("Payments is switched off", replaces=one)
    assert _is_live(store)
    store.add("The payments service was never live", replaces=other)
    assert not _is_live(store)


def test_a_superseded_fact_stays_in_the_past_when_its_source_is_replaced(store: ClockedStore) -> None:
    beta = store.add("Payments is in beta")
    store.facts.assert_("payments", "status", "beta", sources=[beta])
    store.clock.forward(5)
    _payments(store, store.add("Payments is live", replaces=beta))

    (then,) = store.facts.current("payments", as_of=iso(BEGIN + DAY_MS)).result.facts
    assert (then.object.value, then.status) == ("beta", FactStatus.SUPERSEDED)
    assert _is_live(store)


def test_the_beginning_of_an_id_is_a_source(memory: Satchel) -> None:
    source = memory.store("gateway uses Redis").result.id

    memory.facts.assert_("gateway", "uses", "Redis", sources=[source[:8]])

    (fact,) = memory.facts.current("gateway").result.facts
    assert [one.ref for one in fact.source_refs] == [source]
    proposed = memory.facts.propose(source[:8]).result
    assert (proposed.source.ref, [one.object for one in proposed.proposals]) == (source, ["Redis"])


def test_a_beginning_that_several_ids_have_is_refused(store: ClockedStore) -> None:
    store.add("Payments is live")
    store.add("The gateway is live")

    with pytest.raises(InvalidRequest) as refused:
        _payments(store, "id-000")
    assert refused.value.code == "ambiguous"
