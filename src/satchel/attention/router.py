"""Route a request: candidates → blocks → rows → packet. The same store and request give the same packet."""

from collections.abc import Mapping

from msgspec import Struct

from satchel.attention.candidates import Pool
from satchel.attention.columns import heading
from satchel.attention.compose import Composed, Omitted, compose, omitted_row, room_for
from satchel.attention.measure import measure
from satchel.attention.rank import Row, ScoredBlock, rank, reasons, score_blocks
from satchel.attention.request import AttentionRequest
from satchel.attention.select import select
from satchel.attention.support import weigh_evidence
from satchel.attention.values import AttentionDebug, BlockReport, OmittedReport, RowReport
from satchel.domain.attention import Packet
from satchel.domain.masking import masked
from satchel.domain.policies.attention import AttentionPolicy
from satchel.domain.receipt_sections import AttentionConsidered, AttentionDecided, BlockScore, LeftOutEntry, RankedEntry
from satchel.domain.record import MemoryId
from satchel.domain.similarity import TextComparison

NAMED_ROWS = 8
NAMED_OMISSIONS = 20


class RoutedPacket(Struct, frozen=True):
    """A packet with everything that led to it."""

    request: AttentionRequest
    blocks: tuple[ScoredBlock, ...]
    rows: tuple[Row, ...]
    composed: Composed
    selected: tuple[MemoryId, ...]
    left_out: Mapping[MemoryId, str]
    sources: Mapping[str, int]

    @property
    def packet(self) -> Packet:
        """The packet of the route."""
        return self.composed.packet(self.request.role, self.selected)


def route(request: AttentionRequest, pool: Pool, now: int, policy: AttentionPolicy) -> RoutedPacket:
    """Decide on the packet of a request."""
    evidence = weigh_evidence(pool.evidence, pool.memories)
    blocks = score_blocks(measure(request, pool, now, policy), request, policy)
    rows = rank(blocks, request, evidence, policy)
    comparison = TextComparison()
    selection = select(rows, request.role, room_for(request, policy), evidence, comparison)
    # Masked before the texts are cut, and before the packet is stored: the request is masked already.
    details = masked(
        {row.memory.id: pool.details[row.memory.id] for row in selection.rows if row.memory.id in pool.details}
    )
    composed = compose(request, masked(selection.rows), details, policy, comparison)
    # Only memories that contributed a text: one that found no room is not in the packet.
    selected = tuple(row.memory.id for row in selection.rows if row.memory.id in composed.contributors)
    return RoutedPacket(request, blocks, rows, composed, selected, selection.left_out, pool.sources)


def debug(found: RoutedPacket, warnings: tuple[str, ...]) -> AttentionDebug:
    """Return the debug section of a packet."""
    return AttentionDebug(
        selected_blocks=tuple(_block(one) for one in found.blocks),
        selected_memories=tuple(_row(row, found.left_out) for row in _named_rows(found)),
        omitted=tuple(
            OmittedReport(one.slot, one.memory_id, one.text, one.reason) for one in _omitted(found)[:NAMED_OMISSIONS]
        ),
        warnings=warnings,
    )


def considered(found: RoutedPacket) -> AttentionConsidered:
    """Return the receipt's counts of candidates by source and block, and of those compared by meaning."""
    return AttentionConsidered(
        **found.sources,
        blocks={one.block: len(one.rows) for one in found.blocks},
        ranked=len(found.rows),
        measured_by_meaning=sum(row.meaning is not None for one in found.blocks for row in one.rows),
    )


def decided(found: RoutedPacket) -> AttentionDecided:
    """Return the receipt's decisions with reasons. Ids and scores only."""
    return AttentionDecided(
        blocks=[BlockScore(one.block, one.score, one.selected) for one in found.blocks],
        memories=[RankedEntry(row.memory.id, row.score, row.block) for row in _named_rows(found)],
        selected=list(found.selected),
        left_out=_left_out(found)[:NAMED_OMISSIONS],
        omitted=len(_omitted(found)),
        chars=len(found.composed.goal) + sum(len(item.text) for item in found.composed.items),
    )


def _omitted(found: RoutedPacket) -> list[Omitted]:
    """Return every text that belongs in the packet and is not in it: texts of selected memories, then other memories."""
    named = {one.memory_id for one in found.composed.omitted}
    rows = [row for row in found.rows if row.memory.id in found.left_out and row.memory.id not in named]
    return [*found.composed.omitted, *(omitted_row(row, found.left_out[row.memory.id]) for row in rows)]


def _left_out(found: RoutedPacket) -> list[LeftOutEntry]:
    """Return the memories that were left out, and the named ones that do not belong in the packet."""
    reasons = {row.memory.id: row.fit.value for row in _named_rows(found) if not row.fit.belongs} | dict(found.left_out)
    return [LeftOutEntry(row.memory.id, reasons[row.memory.id]) for row in found.rows if row.memory.id in reasons]


def _named_rows(found: RoutedPacket) -> list[Row]:
    """Return the best rows including every selected one, so that the whole packet is explained."""
    chosen = set(found.selected)
    # What belongs in the packet comes before what does not.
    rest = sorted((row for row in found.rows if row.memory.id not in chosen), key=lambda row: not row.fit.belongs)
    named = chosen | {row.memory.id for row in rest[: NAMED_ROWS - len(chosen)]}
    return [row for row in found.rows if row.memory.id in named]


def _block(one: ScoredBlock) -> BlockReport:
    return BlockReport(
        one.block, one.selected, one.score, len(one.rows), one.reasons, one.top_ids, dict(one.contributions)
    )


def _row(row: Row, left_out: Mapping[MemoryId, str]) -> RowReport:
    said = reasons(row)
    why_not = left_out.get(row.memory.id)
    if why_not is not None and why_not not in said:
        said = (*said, why_not)
    return RowReport(row.memory.id, row.type, row.block, row.score, heading(row.memory), said, dict(row.contributions))
