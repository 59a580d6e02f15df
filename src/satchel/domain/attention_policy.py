"""How attention is paid: every weight, limit and cap of the router in one table that settings can override."""

from dataclasses import dataclass

from satchel.domain.knob import knob


def _weight(default: float, help: str) -> float:
    return knob(default, help, least=0.0, most=1.0)  # type: ignore[no-any-return]


@dataclass(frozen=True, slots=True)
class AttentionPolicy:
    """The weights of both stages, the sizes of the pool, and the bounds of a packet."""

    # Stage one: what a block is worth. Each signal is the best among the block's rows.
    block_scope: float = _weight(0.30, "what a block's standing to the request counts")
    block_role: float = _weight(0.24, "what a row for the step's role counts")
    block_goal: float = _weight(0.22, "what words shared with the goal count")
    block_questions: float = _weight(0.12, "what words shared with the open questions count")
    block_failures: float = _weight(0.06, "what words shared with the recent failures count")
    block_freshness: float = _weight(0.06, "what freshness counts")
    bias_task: float = _weight(1.0, "standing of the block of the same task")
    bias_session: float = _weight(1.0, "standing of the block of the same session")
    bias_durable: float = _weight(0.72, "standing of the block of durable memories")
    bias_recent: float = _weight(0.55, "standing of the block of everything else")
    blocks_kept: int = knob(3, "how many of the four blocks are looked into", least=1, most=4)

    # Stage two: what a memory inside those blocks is worth.
    row_role: float = _weight(0.16, "what being for the step's role counts")
    row_overlap: float = _weight(0.18, "what words shared with the request count")
    row_meaning: float = _weight(0.18, "what nearness in meaning counts, where it is asked for")
    row_task: float = _weight(0.14, "what the same task counts")
    row_session: float = _weight(0.08, "what the same session counts")
    row_importance: float = _weight(0.13, "what importance counts")
    row_confidence: float = _weight(0.10, "what confidence counts")
    row_success: float = _weight(0.08, "what success counts")
    row_freshness: float = _weight(0.06, "what freshness counts")
    row_support: float = _weight(0.08, "what evidence for a memory counts")
    row_block: float = _weight(0.06, "what the score of its block counts")
    row_contradiction: float = _weight(0.30, "what evidence against a memory costs it")
    by_meaning: bool = knob(False, "rank by meaning as well, which loads the embedding model")
    freshness_hours: int = knob(336, "after so many hours freshness has fallen to 37 %", least=1, most=87_600)
    least_freshness: float = _weight(0.1, "what the oldest memory keeps of freshness")

    # Where candidates come from, and how many of each.
    pool_text: int = knob(80, "candidates by the words of the request", least=0, most=500)
    pool_task: int = knob(40, "candidates of the same task", least=0, most=500)
    pool_session: int = knob(40, "candidates of the same session", least=0, most=500)
    pool_durable: int = knob(40, "durable candidates", least=0, most=500)
    pool_recent: int = knob(50, "the most recent candidates", least=0, most=500)
    search_terms: int = knob(24, "by how many of the request's words candidates are looked for", least=1, most=64)

    # What a packet holds. Nobody can set more than the caps of the packet's definition.
    max_selected: int = knob(5, "memories in a packet", least=1, most=5)
    max_constraints: int = knob(4, "hard constraints in a packet", least=0, most=4)
    max_facts: int = knob(3, "facts in a packet", least=0, most=3)
    max_procedures: int = knob(3, "procedures in a packet", least=0, most=3)
    max_pitfalls: int = knob(3, "pitfalls in a packet", least=0, most=3)
    max_questions: int = knob(5, "open questions in a packet", least=0, most=5)
    kept_constraints: int = knob(2, "constraints that stored memories keep against the request's own", least=0, most=4)
    kept_pitfalls: int = knob(1, "pitfalls that stored memories keep against the request's own", least=0, most=3)
    item_chars: int = knob(400, "longest text in a packet; longer ones are cut", least=40, most=4_000)
    packet_chars: int = knob(4_000, "longest packet, all its texts together", least=400, most=40_000)
    packets_kept: int = knob(1_000, "how many of the newest packets the store keeps", least=0, most=1_000_000)
