"""Rank candidates in two stages: score four blocks, then the memories of the best. Scores are sums of contributions."""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from satchel.attention.fit import Fit
from satchel.attention.measure import Measured
from satchel.attention.request import AttentionRequest
from satchel.attention.support import EvidenceGraph, Overrules, settle_contradictions
from satchel.domain.attention import GLOBAL, TYPE_OF, Block, MemoryType, Role, graded, is_durable, role_scope_of
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, MemoryId, Trust

DIGITS = 6
TOP_IDS = 4
HIGH_IMPORTANCE = 0.75
_BLOCK_ORDER = {block: place for place, block in enumerate(Block)}
_TYPE_ORDER = {type: place for place, type in enumerate(MemoryType)}


class ScoredBlock(Struct, frozen=True):
    """A block with its candidates. Its score is the sum of its contributions."""

    block: Block
    rows: tuple[Measured, ...]
    signals: Mapping[str, float]
    """Strength of each signal before weighting."""
    contributions: Mapping[str, float]
    selected: bool = False

    @property
    def score(self) -> float:
        """Sum of the contributions."""
        return round(math.fsum(self.contributions.values()), DIGITS)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The signals in short, or "empty"."""
        shown = (name for name in self.signals if name != "freshness")
        return tuple(f"{name}:{self.signals[name]:.2f}" for name in shown) or ("empty",)

    @property
    def top_ids(self) -> tuple[MemoryId, ...]:
        """The most important candidates."""
        best = sorted(self.rows, key=lambda row: precedence(row.memory))
        return tuple(row.memory.id for row in best[:TOP_IDS])


def block_of(memory: Memory, request: AttentionRequest) -> Block:
    """Return the first block whose rule fits a candidate."""
    if request.task is not None and memory.task == request.task:
        return Block.TASK
    if request.session is not None and memory.session == request.session:
        return Block.SESSION
    return Block.DURABLE if is_durable(memory) else Block.RECENT


def score_blocks(
    rows: Sequence[Measured], request: AttentionRequest, policy: AttentionPolicy
) -> tuple[ScoredBlock, ...]:
    """Score the four blocks, best first, and mark the kept ones."""
    filled: dict[Block, list[Measured]] = {block: [] for block in Block}
    for row in rows:
        filled[block_of(row.memory, request)].append(row)
    scored = [_score_block(block, tuple(members), request, policy) for block, members in filled.items()]
    ranked = sorted(scored, key=lambda one: (-one.score, _BLOCK_ORDER[one.block]))
    kept = sorted((one for one in ranked if one.rows), key=_claim)[: policy.blocks_kept]
    return tuple(
        ScoredBlock(one.block, one.rows, one.signals, one.contributions, any(one is other for other in kept))
        for one in ranked
    )


def _claim(block: ScoredBlock) -> tuple[bool, bool, bool]:
    """Return a sort key: a block without anything for this step is kept only if there is room, whatever its score."""
    voices = _voices(block.rows)
    return (
        not any(row.fit is Fit.GOAL for row in voices),
        not any(row.fit.belongs for row in voices),
        not any(row.fit.belongs for row in block.rows),
    )


def _voices(rows: Sequence[Measured]) -> Sequence[Measured]:
    """Return the rows that decide about a block: the trusted ones, if there are any."""
    return [row for row in rows if row.trusted] or rows


def matches_role(memory: Memory, role: Role) -> bool:
    """Return whether a memory is for the step's role or for all roles."""
    return role_scope_of(memory) in (role, GLOBAL)


def precedence(memory: Memory) -> tuple[float, int, int, str]:
    """Return a sort key: important first, then recent, then by type and id."""
    importance = graded(memory.importance)
    return -importance, -memory.updated_at, _TYPE_ORDER[TYPE_OF[memory.kind]], memory.id


def _score_block(
    block: Block, rows: tuple[Measured, ...], request: AttentionRequest, policy: AttentionPolicy
) -> ScoredBlock:
    if not rows:
        return ScoredBlock(block, rows, {}, {})
    bias = {
        Block.TASK: policy.bias_task,
        Block.SESSION: policy.bias_session,
        Block.DURABLE: policy.bias_durable,
        Block.RECENT: policy.bias_recent,
    }
    voices = _voices(rows)
    signals = {
        "scope-bias": bias[block],
        "role-signal": float(any(matches_role(row.memory, request.role) for row in voices)),
        "goal-signal": max(row.goal for row in voices),
    }
    if request.questions:
        signals["unresolved-signal"] = max(row.questions for row in voices)
    if request.failures:
        signals["failure-signal"] = max(row.failures for row in voices)
    signals["freshness"] = max(row.freshness for row in voices)
    weights = {
        "scope-bias": policy.block_scope,
        "role-signal": policy.block_role,
        "goal-signal": policy.block_goal,
        "unresolved-signal": policy.block_questions,
        "failure-signal": policy.block_failures,
        "freshness": policy.block_freshness,
    }
    contributions = {name: round(weights[name] * strength, DIGITS) for name, strength in signals.items()}
    return ScoredBlock(block, rows, signals, contributions)


class Row(Struct, frozen=True):
    """A ranked memory with its contributions, and the memory that overrules it."""

    measured: Measured
    block: Block
    contributions: Mapping[str, float]
    overruled_by: MemoryId | None = None
    signals: Mapping[str, float] = field(default_factory=dict)

    @property
    def memory(self) -> Memory:
        """The ranked memory."""
        return self.measured.memory

    @property
    def fit(self) -> Fit:
        """Why it belongs in the packet, or why it does not."""
        return self.measured.fit

    @property
    def trusted(self) -> bool:
        """Whether the memory is trusted."""
        return self.measured.trusted

    @property
    def type(self) -> MemoryType:
        """The attention type of the memory."""
        return TYPE_OF[self.memory.kind]

    @property
    def score(self) -> float:
        """Sum of the contributions."""
        return round(math.fsum(self.contributions.values()), DIGITS)


def rank(
    blocks: Sequence[ScoredBlock], request: AttentionRequest, graph: EvidenceGraph, policy: AttentionPolicy
) -> tuple[Row, ...]:
    """Rank the memories of the kept blocks, best first, in a total order."""
    rows = [_score_row(one, block, request, graph, policy) for block in blocks if block.selected for one in block.rows]
    overrules = settle_contradictions({row.memory.id: row.score for row in rows}, graph.contradictors)
    return tuple(sorted((_with_overrules(row, overrules) for row in rows), key=_order))


def reasons(row: Row) -> tuple[str, ...]:
    """Return the reasons for a row's score in short."""
    memory, signals = row.memory, row.signals
    said = (
        (True, f"block:{row.block}"),
        (signals["role"], f"role:{role_scope_of(memory)}"),
        (signals["task"], "task-match"),
        (signals["session"], "session-match"),
        (True, f"relevance:{row.measured.relevance:.2f}"),
        (row.fit is not Fit.GOAL and row.fit is not Fit.TASK, row.fit.value),
        (signals["overlap"], f"overlap:{signals['overlap']:.2f}"),
        (signals.get("meaning"), f"meaning:{signals.get('meaning', 0):.2f}"),
        (signals["importance"] >= HIGH_IMPORTANCE, "high-importance"),
        (signals["support"], f"graph-support:{signals['support']:.2f}"),
        (signals["contradiction"], f"graph-contradiction:{signals['contradiction']:.2f}"),
        (row.overruled_by, f"contradicted-by:{row.overruled_by}"),
        (memory.trust is not Trust.TRUSTED, f"trust:{memory.trust}"),
    )
    return tuple(text for cause, text in said if cause)


def _score_row(
    one: Measured, block: ScoredBlock, request: AttentionRequest, graph: EvidenceGraph, policy: AttentionPolicy
) -> Row:
    memory = one.memory
    signals = {
        "role": float(matches_role(memory, request.role)),
        "overlap": one.overlap,
        "task": float(request.task is not None and memory.task == request.task),
        "session": float(request.session is not None and memory.session == request.session),
        "importance": graded(memory.importance),
        "confidence": graded(memory.confidence),
        "success": graded(memory.success),
        "freshness": one.freshness,
        "support": graph.support.get(memory.id, 0.0),
        "block": block.score,
        "contradiction": graph.contradiction.get(memory.id, 0.0),
    }
    if one.meaning is not None:
        signals["meaning"] = max(0.0, one.meaning)
    weights = {
        "role": policy.row_role,
        "overlap": policy.row_overlap,
        "task": policy.row_task,
        "session": policy.row_session,
        "importance": policy.row_importance,
        "confidence": policy.row_confidence,
        "success": policy.row_success,
        "freshness": policy.row_freshness,
        "support": policy.row_support,
        "block": policy.row_block,
        "contradiction": -policy.row_contradiction,
        "meaning": policy.row_meaning,
    }
    contributions = {name: round(weights[name] * signal, DIGITS) for name, signal in signals.items() if signal}
    return Row(one, block.block, contributions, signals=signals)


def _with_overrules(row: Row, overrules: Overrules) -> Row:
    """Apply contradictions to a row: lowering it below its contradictor is a contribution like any other."""
    id = row.memory.id
    contributions = row.contributions
    if id in overrules.ceilings:
        contributions = {**contributions, "overruled": round(overrules.ceilings[id] - row.score, DIGITS)}
    return Row(row.measured, row.block, contributions, overrules.overruled.get(id), row.signals)


def _order(row: Row) -> tuple[float, int, float, int, int, str]:
    memory = row.memory
    importance = graded(memory.importance)
    return -row.score, _TYPE_ORDER[row.type], -importance, -memory.updated_at, _BLOCK_ORDER[row.block], memory.id
