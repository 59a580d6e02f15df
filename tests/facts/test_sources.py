"""Ids of turns and documents work as sources without a kind prefix."""

from satchel.app import Satchel
from satchel.domain.facts import FactSourceType


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
