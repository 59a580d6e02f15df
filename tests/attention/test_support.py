"""Settling contradictions for any graph and scores."""

from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.attention.support import settle_contradictions, weigh_evidence
from satchel.domain.edges import EdgeType, MemoryEdge, VisibleEdge
from satchel.domain.record import Memory, MemoryId, Trust

IDS = [MemoryId(letter) for letter in "abcdef"]
_SCORES = st.dictionaries(st.sampled_from(IDS), st.integers(0, 5).map(lambda number: number / 10), min_size=1)
_AGAINST = st.dictionaries(
    st.sampled_from(IDS), st.lists(st.sampled_from(IDS), min_size=1, max_size=4, unique=True).map(tuple)
)


def _final(scores: dict[MemoryId, float], ceilings: dict[MemoryId, float]) -> dict[MemoryId, float]:
    return {id: min(score, ceilings.get(id, score)) for id, score in scores.items()}


@settings(max_examples=300, deadline=None, derandomize=True)
@given(scores=_SCORES, against=_AGAINST)
def test_overruled_memories_rank_below_their_contradictor(
    scores: dict[MemoryId, float], against: dict[MemoryId, tuple[MemoryId, ...]]
) -> None:
    settled = settle_contradictions(scores, against)
    final = _final(scores, dict(settled.ceilings))

    for id in scores:
        others = [one for one in against.get(id, ()) if one != id]
        standing = [one for one in others if one not in settled.overruled]
        if id in settled.overruled:
            winner = settled.overruled[id]
            assert winner not in settled.overruled
            assert winner in others or id in against[winner]
            assert all(final[id] < final[one] for one in [winner, *standing] if one in scores)
        else:
            # Whoever contradicts what stands is overruled itself: nobody is in a packet next to its contradictor.
            assert standing == []
    unranked = {one for sources in against.values() for one in sources} - set(scores)
    assert set(scores) - set(settled.overruled) or unranked
    assert settle_contradictions(scores, against) == settled


def test_a_score_is_lowered_only_as_needed() -> None:
    a, b, c = IDS[:3]
    settled = settle_contradictions({a: 0.5, b: 0.9, c: 0.2}, {b: (a,), c: (a,)})

    assert settled.overruled == {b: a, c: a}
    assert settled.ceilings == {b: 0.499999}


def _evidence(source: str, target: str, type: EdgeType, weight: float, trust: Trust = Trust.TRUSTED) -> VisibleEdge:
    return VisibleEdge(MemoryEdge(MemoryId(source), MemoryId(target), type, weight), trust)


def _memory(id: str, trust: Trust = Trust.TRUSTED) -> Memory:
    return Memory(MemoryId(id), "x", "global", 0, 0, trust=trust)


def test_evidence_is_weighed_by_type_up_to_one() -> None:
    found = weigh_evidence(
        [
            _evidence("b", "a", EdgeType.SUPPORTS, 0.4),
            _evidence("b", "a", EdgeType.EXTENDS, 0.7),
            _evidence("c", "a", EdgeType.EXTENDS, 0.6),
            _evidence("c", "a", EdgeType.CONTRADICTS, 0.0),
            _evidence("d", "a", EdgeType.SIMILAR, 1.0),
            _evidence("e", "a", EdgeType.DERIVED_FROM, 1.0),
        ],
        [_memory("a")],
    )

    assert found.support == {"a": 1.0}
    assert found.contradiction == {"a": 0.0}
    assert found.contradictors == {"a": ()}
    assert found.similar == {frozenset({"a", "d"})}
    assert found.derived == {"a": ("e",)}


def test_only_an_equally_or_more_trusted_memory_contradicts() -> None:
    about = [_memory("trusted"), _memory("untrusted", Trust.UNTRUSTED)]
    said = [
        _evidence(source, target.id, EdgeType.CONTRADICTS, 0.5, Trust(source))
        for target in about
        for source in ("trusted", "untrusted")
        if source != target.id
    ]

    assert weigh_evidence(said, about).contradictors == {"untrusted": ("trusted",)}
