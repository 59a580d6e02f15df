"""Stage two: the memories of the kept blocks, ranked. A score is the sum of its named contributions."""

import math
from collections.abc import Mapping, Sequence

from msgspec import Struct, field

from satchel.attention.blocks import DIGITS, ScoredBlock, matches_role
from satchel.attention.measure import Measured
from satchel.attention.request import Request
from satchel.attention.support import Graph, Standing, settle
from satchel.domain.attention import TYPE_OF, Block, MemoryType, graded, role_scope_of
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.record import Memory, MemoryId, Trust

HIGH_IMPORTANCE = 0.75
_TYPE_PLACE = {type: place for place, type in enumerate(MemoryType)}
_BLOCK_PLACE = {block: place for place, block in enumerate(Block)}


class Row(Struct, frozen=True):
    """A ranked memory, its contributions, and whoever overrules it."""

    measured: Measured
    block: Block
    contributions: Mapping[str, float]
    overruled_by: MemoryId | None = None
    signals: Mapping[str, float] = field(default_factory=dict)

    @property
    def memory(self) -> Memory:
        """The record."""
        return self.measured.memory

    @property
    def type(self) -> MemoryType:
        """What sort of memory it is."""
        return TYPE_OF[self.memory.kind]

    @property
    def score(self) -> float:
        """The sum of the contributions."""
        return round(math.fsum(self.contributions.values()), DIGITS)


def rank(blocks: Sequence[ScoredBlock], request: Request, graph: Graph, policy: AttentionPolicy) -> tuple[Row, ...]:
    """Rank the memories of the kept blocks, best first, in a total order."""
    rows = [_scored(one, block, request, graph, policy) for block in blocks if block.selected for one in block.rows]
    standing = settle({row.memory.id: row.score for row in rows}, graph.contradictors)
    return tuple(sorted((_settled(row, standing) for row in rows), key=_order))


def reasons(row: Row) -> tuple[str, ...]:
    """Say in short what spoke for and against a row."""
    memory, signals = row.memory, row.signals
    said = (
        (True, f"block:{row.block}"),
        (signals["role"], f"role:{role_scope_of(memory)}"),
        (signals["task"], "task-match"),
        (signals["session"], "session-match"),
        (signals["overlap"], f"overlap:{signals['overlap']:.2f}"),
        (signals.get("meaning"), f"meaning:{signals.get('meaning', 0):.2f}"),
        (signals["importance"] >= HIGH_IMPORTANCE, "high-importance"),
        (signals["support"], f"graph-support:{signals['support']:.2f}"),
        (signals["contradiction"], f"graph-contradiction:{signals['contradiction']:.2f}"),
        (row.overruled_by, f"contradicted-by:{row.overruled_by}"),
        (memory.trust is not Trust.TRUSTED, f"trust:{memory.trust}"),
    )
    return tuple(text for cause, text in said if cause)


def _scored(one: Measured, block: ScoredBlock, request: Request, graph: Graph, policy: AttentionPolicy) -> Row:
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


def _settled(row: Row, standing: Standing) -> Row:
    """Return a row as the graph leaves it: below whoever contradicts it, which is a contribution like any other."""
    id = row.memory.id
    contributions = row.contributions
    if id in standing.ceilings:
        contributions = {**contributions, "overruled": round(standing.ceilings[id] - row.score, DIGITS)}
    return Row(row.measured, row.block, contributions, standing.overruled.get(id), row.signals)


def _order(row: Row) -> tuple[float, int, float, int, int, str]:
    memory = row.memory
    importance = graded(memory.importance)
    return -row.score, _TYPE_PLACE[row.type], -importance, -memory.updated_at, _BLOCK_PLACE[row.block], memory.id
