"""The ids by which a fact names what it rests on: as every list and search shows them, without a word of their sort."""

from satchel.app import Satchel
from satchel.domain.facts import SourceType


def _turn(memory: Satchel) -> str:
    memory.episodes.add(text="The gateway is live since Monday", session="one")
    return memory.episodes.list().result.episodes[0].id


def _document(memory: Satchel) -> str:
    memory.documents.add([{"ref": "gateway.md", "text": "The gateway is live since Monday"}], collection="notes")
    return memory.documents.search("gateway").result.hits[0].id


def test_a_turn_is_a_source_by_its_id(memory: Satchel) -> None:
    turn = _turn(memory)
    memory.facts.assert_("gateway", "status", "live", sources=[turn])
    (fact,) = memory.facts.current("gateway").result.facts
    assert [(one.kind, one.ref) for one in fact.source_refs] == [(SourceType.EPISODIC, turn)]

    memory.episodes.forget(turn)
    assert memory.facts.timeline("gateway").result.facts == ()


def test_a_piece_of_a_document_is_a_source_by_its_id(memory: Satchel) -> None:
    piece = _document(memory)
    memory.facts.assert_("gateway", "status", "live", sources=[piece])
    (fact,) = memory.facts.current("gateway").result.facts
    assert [(one.kind, one.ref) for one in fact.source_refs] == [(SourceType.DOC, piece)]

    memory.documents.forget("gateway.md", collection="notes")
    assert memory.facts.timeline("gateway").result.facts == ()
