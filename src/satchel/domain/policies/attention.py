"""How attention is paid: every weight, limit and cap of the router in one table that settings can override."""

from typing import Annotated

from msgspec import Struct

from satchel.domain.setting import Knob


def _weight(help: str) -> Knob:
    return Knob(help, least=0.0, most=1.0)


class AttentionPolicy(Struct, frozen=True):
    """The weights of both stages, the sizes of the pool, and the bounds of a packet."""

    # Stage one: what a block is worth. Each signal is the best among the block's rows.
    block_scope: Annotated[float, _weight("what a block's standing to the request counts")] = 0.30
    block_role: Annotated[float, _weight("what a row for the step's role counts")] = 0.24
    block_goal: Annotated[float, _weight("what words shared with the goal count")] = 0.22
    block_questions: Annotated[float, _weight("what words shared with the open questions count")] = 0.12
    block_failures: Annotated[float, _weight("what words shared with the recent failures count")] = 0.06
    block_freshness: Annotated[float, _weight("what freshness counts")] = 0.06
    bias_task: Annotated[float, _weight("standing of the block of the same task")] = 1.0
    bias_session: Annotated[float, _weight("standing of the block of the same session")] = 1.0
    bias_durable: Annotated[float, _weight("standing of the block of durable memories")] = 0.72
    bias_recent: Annotated[float, _weight("standing of the block of everything else")] = 0.55
    blocks_kept: Annotated[int, Knob("how many of the four blocks are looked into", least=1, most=4)] = 3

    # Stage two: what a memory inside those blocks is worth.
    row_role: Annotated[float, _weight("what being for the step's role counts")] = 0.16
    row_overlap: Annotated[float, _weight("what words shared with the request count")] = 0.18
    row_meaning: Annotated[float, _weight("what nearness in meaning counts, where it is asked for")] = 0.18
    row_task: Annotated[float, _weight("what the same task counts")] = 0.14
    row_session: Annotated[float, _weight("what the same session counts")] = 0.08
    row_importance: Annotated[float, _weight("what importance counts")] = 0.13
    row_confidence: Annotated[float, _weight("what confidence counts")] = 0.10
    row_success: Annotated[float, _weight("what success counts")] = 0.08
    row_freshness: Annotated[float, _weight("what freshness counts")] = 0.06
    row_support: Annotated[float, _weight("what evidence for a memory counts")] = 0.08
    row_block: Annotated[float, _weight("what the score of its block counts")] = 0.06
    row_contradiction: Annotated[float, _weight("what evidence against a memory costs it")] = 0.30
    by_meaning: Annotated[bool, Knob("rank by meaning as well, which loads the embedding model")] = False
    freshness_hours: Annotated[int, Knob("after so many hours freshness has fallen to 37 %", least=1, most=87_600)] = (
        336
    )
    least_freshness: Annotated[float, _weight("what the oldest memory keeps of freshness")] = 0.1

    # Where candidates come from, and how many of each.
    pool_text: Annotated[int, Knob("candidates by the words of the request", least=0, most=500)] = 80
    pool_task: Annotated[int, Knob("candidates of the same task", least=0, most=500)] = 40
    pool_session: Annotated[int, Knob("candidates of the same session", least=0, most=500)] = 40
    pool_durable: Annotated[int, Knob("durable candidates", least=0, most=500)] = 40
    pool_recent: Annotated[int, Knob("the most recent candidates", least=0, most=500)] = 50
    search_terms: Annotated[
        int, Knob("by how many of the request's words candidates are looked for", least=1, most=64)
    ] = 24

    # What a packet holds. Nobody can set more than the caps of the packet's definition.
    max_selected: Annotated[int, Knob("memories in a packet", least=1, most=5)] = 5
    max_constraints: Annotated[int, Knob("hard constraints in a packet", least=0, most=4)] = 4
    max_facts: Annotated[int, Knob("facts in a packet", least=0, most=3)] = 3
    max_procedures: Annotated[int, Knob("procedures in a packet", least=0, most=3)] = 3
    max_pitfalls: Annotated[int, Knob("pitfalls in a packet", least=0, most=3)] = 3
    max_questions: Annotated[int, Knob("open questions in a packet", least=0, most=5)] = 5
    kept_constraints: Annotated[
        int, Knob("constraints that stored memories keep against the request's own", least=0, most=4)
    ] = 2
    kept_pitfalls: Annotated[
        int, Knob("pitfalls that stored memories keep against the request's own", least=0, most=3)
    ] = 1
    item_chars: Annotated[int, Knob("longest text in a packet; longer ones are cut", least=40, most=4_000)] = 400
    packet_chars: Annotated[int, Knob("longest packet, all its texts together", least=400, most=40_000)] = 4_000
    packets_kept: Annotated[int, Knob("how many of the newest packets the store keeps", least=0, most=1_000_000)] = (
        1_000
    )
