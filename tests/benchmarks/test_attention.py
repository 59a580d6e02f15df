"""The attention benchmark: its cases are sound, and its figures count what a packet holds."""

from bench.attention import (
    HALVES,
    AttentionCase,
    AttentionCaseMemory,
    PacketOutcome,
    PacketRequest,
    attention_figures,
    crowded,
    read_attention_cases,
)

from satchel.domain.attention import READS, MemoryType, Role


def test_every_request_wants_memories_that_its_role_reads() -> None:
    cases = read_attention_cases()

    assert len(cases) >= 12
    assert {(case.half, case.language) for case in cases} == {(half, one) for half in HALVES for one in ("en", "zh")}
    for case in cases:
        memories = {one.key: one for one in case.memories}
        assert len(case.requests) >= 6, case.store
        assert any(not one.want for one in case.requests), case.store
        for request in case.requests:
            types = {MemoryType(memories[key].type) for key in request.want}
            assert types <= set(READS[Role(request.role)]), request


def test_a_store_is_crowded_by_the_others_of_its_half() -> None:
    first, second, held = (_case("a", "development"), _case("b", "development"), _case("c", "held"))

    found = crowded([first, second, held])

    assert [one.key for one in found[0].memories] == ["rule", "loud", "quiet", "b/loud", "b/quiet"]
    assert found[2].memories == held.memories


def test_figures_count_what_does_not_belong() -> None:
    case = _case("a", "held")
    outcomes = [
        PacketOutcome(case, PacketRequest("one", "planner", ("quiet",)), frozenset({"quiet", "loud", "rule"})),
        PacketOutcome(case, PacketRequest("two", "planner", ("quiet",)), frozenset({"rule"})),
        PacketOutcome(case, PacketRequest("three", "planner", ()), frozenset({"quiet", "loud"})),
        PacketOutcome(case, PacketRequest("four", "planner", ()), frozenset()),
    ]

    found = attention_figures(outcomes)

    assert (found.n, found.wanted, found.complete, found.every_step) == (4, 0.5, 0.5, 0.5)
    assert (found.important, found.unwanted, found.nothing) == (0.5, 0.75, 1.0)


def _case(store: str, half: str) -> AttentionCase:
    memories = (
        AttentionCaseMemory("rule", "preference", "Rule", "Be brief", 0.9, every_step=True),
        AttentionCaseMemory("loud", "preference", "Loud", "Pay wages", 0.9),
        AttentionCaseMemory("quiet", "summary", "Quiet", "Pianos", 0.2),
    )
    return AttentionCase(store, "held" if half == "held" else "development", "en", memories, ())
