"""Stage one: every candidate is put into one block, and the best blocks are kept."""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct

from satchel.attention.measure import Measured
from satchel.attention.request import Request
from satchel.domain.attention import GLOBAL, TYPE_OF, Block, MemoryType, Role, graded, is_durable, role_scope_of
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, MemoryId

DIGITS = 6
TOP_IDS = 4
_BLOCK_PLACE = {block: place for place, block in enumerate(Block)}
_TYPE_PLACE = {type: place for place, type in enumerate(MemoryType)}


class ScoredBlock(Struct, frozen=True):
    """A block with its candidates. Its score is the sum of its contributions."""

    block: Block
    rows: tuple[Measured, ...]
    signals: Mapping[str, float]
    """How strong each signal is, before it is weighed."""
    contributions: Mapping[str, float]
    selected: bool = False

    @property
    def score(self) -> float:
        """The sum of the contributions."""
        return round(math.fsum(self.contributions.values()), DIGITS)

    @property
    def reasons(self) -> tuple[str, ...]:
        """The signals in short, or that there was nothing to look at."""
        shown = (name for name in self.signals if name != "freshness")
        return tuple(f"{name}:{self.signals[name]:.2f}" for name in shown) or ("empty",)

    @property
    def top_ids(self) -> tuple[MemoryId, ...]:
        """The most important of its candidates."""
        best = sorted(self.rows, key=lambda row: precedence(row.memory))
        return tuple(row.memory.id for row in best[:TOP_IDS])


def block_of(memory: Memory, request: Request) -> Block:
    """Return the one block a candidate belongs to: the first that fits."""
    if request.task is not None and memory.task == request.task:
        return Block.TASK
    if request.session is not None and memory.session == request.session:
        return Block.SESSION
    return Block.DURABLE if is_durable(memory) else Block.RECENT


def score_blocks(rows: Sequence[Measured], request: Request, policy: AttentionPolicy) -> tuple[ScoredBlock, ...]:
    """Score the four blocks, best first, and mark those that are kept."""
    filled: dict[Block, list[Measured]] = {block: [] for block in Block}
    for row in rows:
        filled[block_of(row.memory, request)].append(row)
    scored = [_scored(block, tuple(members), request, policy) for block, members in filled.items()]
    ranked = sorted(scored, key=lambda one: (-one.score, _BLOCK_PLACE[one.block]))
    return tuple(
        ScoredBlock(one.block, one.rows, one.signals, one.contributions, place < policy.blocks_kept and bool(one.rows))
        for place, one in enumerate(ranked)
    )


def matches_role(memory: Memory, role: Role) -> bool:
    """Say whether a memory is for the step's role, or for all."""
    return role_scope_of(memory) in (role, GLOBAL)


def precedence(memory: Memory) -> tuple[float, int, int, str]:
    """Return the key that puts important, young memories first, then those of weightier types; in a total order."""
    importance = graded(memory.importance)
    return -importance, -memory.updated_at, _TYPE_PLACE[TYPE_OF[memory.kind]], memory.id


def _scored(block: Block, rows: tuple[Measured, ...], request: Request, policy: AttentionPolicy) -> ScoredBlock:
    if not rows:
        return ScoredBlock(block, rows, {}, {})
    bias = {
        Block.TASK: policy.bias_task,
        Block.SESSION: policy.bias_session,
        Block.DURABLE: policy.bias_durable,
        Block.RECENT: policy.bias_recent,
    }
    signals = {
        "scope-bias": bias[block],
        "role-signal": float(any(matches_role(row.memory, request.role) for row in rows)),
        "goal-signal": max(row.goal for row in rows),
    }
    if request.questions:
        signals["unresolved-signal"] = max(row.questions for row in rows)
    if request.failures:
        signals["failure-signal"] = max(row.failures for row in rows)
    signals["freshness"] = max(row.freshness for row in rows)
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
