"""Settings of the attention router: weights, limits and caps."""

from typing import Annotated

from msgspec import Struct

from satchel.domain.setting import Setting


def _weight(help: str) -> Setting:
    return Setting(help, 0.0, 1.0)


class AttentionPolicy(Struct, frozen=True):
    """Weights of both ranking stages, pool sizes, and packet limits."""

    # Stage one scores blocks. Each signal is the best among the block's rows.
    block_scope: Annotated[float, _weight("weight of a block's relation to the request")] = 0.30
    block_role: Annotated[float, _weight("weight of a row for the step's role")] = 0.24
    block_goal: Annotated[float, _weight("weight of words shared with the goal")] = 0.22
    block_questions: Annotated[float, _weight("weight of words shared with the open questions")] = 0.12
    block_failures: Annotated[float, _weight("weight of words shared with the recent failures")] = 0.06
    block_freshness: Annotated[float, _weight("weight of freshness")] = 0.06
    bias_task: Annotated[float, _weight("relation score of the block of the same task")] = 1.0
    bias_session: Annotated[float, _weight("relation score of the block of the same session")] = 1.0
    bias_durable: Annotated[float, _weight("relation score of the block of durable memories")] = 0.72
    bias_recent: Annotated[float, _weight("relation score of the block of everything else")] = 0.55
    blocks_kept: Annotated[int, Setting("number of the four blocks to use", 1, 4)] = 3

    # Stage two scores the memories in those blocks.
    row_role: Annotated[float, _weight("weight of a match with the step's role")] = 0.16
    row_overlap: Annotated[float, _weight("weight of words shared with the request")] = 0.18
    row_meaning: Annotated[float, _weight("weight of vector similarity, if it is known")] = 0.18
    row_task: Annotated[float, _weight("weight of the same task")] = 0.14
    row_session: Annotated[float, _weight("weight of the same session")] = 0.08
    row_importance: Annotated[float, _weight("weight of importance")] = 0.13
    row_confidence: Annotated[float, _weight("weight of confidence")] = 0.10
    row_success: Annotated[float, _weight("weight of success")] = 0.08
    row_freshness: Annotated[float, _weight("weight of freshness")] = 0.06
    row_support: Annotated[float, _weight("weight of supporting evidence")] = 0.08
    row_block: Annotated[float, _weight("weight of the block's score")] = 0.06
    row_contradiction: Annotated[float, _weight("penalty for contradicting evidence")] = 0.30
    by_meaning: Annotated[bool, Setting("compare meaning too where the store has vectors, which loads the model")] = (
        True
    )
    freshness_hours: Annotated[int, Setting("hours after which freshness has fallen to 37 %", 1, 87_600)] = 336
    least_freshness: Annotated[float, _weight("freshness of the oldest memory")] = 0.1

    # What belongs in a packet. Importance only orders what does.
    least_relevance: Annotated[float, _weight("minimum relevance of a memory to the goal, a failure or a question")] = (
        0.1
    )
    max_every_step: Annotated[int, Setting("rules that apply to every step in a packet", 0, 4)] = 2
    untrusted_share: Annotated[float, _weight("share of each list that untrusted memories may take")] = 0.5

    # Maximum number of candidates from each source, for trusted and untrusted memories each.
    pool_text: Annotated[int, Setting("candidates found by the words and the meaning of the request", 0, 500)] = 80
    pool_task: Annotated[int, Setting("candidates of the same task", 0, 500)] = 40
    pool_session: Annotated[int, Setting("candidates of the same session", 0, 500)] = 40
    pool_durable: Annotated[int, Setting("durable candidates", 0, 500)] = 40
    pool_recent: Annotated[int, Setting("the most recent candidates", 0, 500)] = 50
    pool_rules: Annotated[int, Setting("candidates for rules that apply to every step", 0, 500)] = 20

    # Limits of a packet. The maxima are those of the packet's specification.
    max_selected: Annotated[int, Setting("memories in a packet", 1, 5)] = 5
    max_constraints: Annotated[int, Setting("hard constraints in a packet", 0, 4)] = 4
    max_facts: Annotated[int, Setting("facts in a packet", 0, 3)] = 3
    max_procedures: Annotated[int, Setting("procedures in a packet", 0, 3)] = 3
    max_pitfalls: Annotated[int, Setting("pitfalls in a packet", 0, 3)] = 3
    max_questions: Annotated[int, Setting("open questions in a packet", 0, 5)] = 5
    kept_constraints: Annotated[
        int, Setting("places reserved for stored constraints next to those of the request", 0, 4)
    ] = 2
    kept_pitfalls: Annotated[int, Setting("places reserved for stored pitfalls next to those of the request", 0, 3)] = 1
    item_chars: Annotated[int, Setting("maximum length of a text in a packet; longer ones are cut", 40, 4_000)] = 400
    packet_chars: Annotated[int, Setting("maximum length of all texts of a packet together", 400, 40_000)] = 4_000
    packets_kept: Annotated[int, Setting("newest packets that the store keeps", 0, 1_000_000)] = 1_000
