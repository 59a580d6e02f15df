"""Describe two memories that contradict each other, with the commands that resolve it."""

from satchel.domain.record import Memory
from satchel.domain.safety.preview import preview
from satchel.explaining.values import ConflictPair, ConflictSide


def conflict_pair(newer: Memory, older: Memory, reason: str, *, linked: bool = False) -> ConflictPair:
    """Return two memories that contradict each other, the newer one first."""
    return ConflictPair(
        _side(newer),
        _side(older),
        linked,
        reason,
        (
            _retiring(older, newer),
            _retiring(newer, older),
            f"satchel store TEXT --scope {older.scope} --replaces {older.id}",
        ),
    )


def _retiring(one: Memory, by: Memory) -> str:
    # A memory cannot replace a more trusted one.
    replacement = f" --replacement {by.id}" if by.trust is one.trust else ""
    return f"satchel attention refresh --stale {one.id}{replacement} --scope {one.scope}"


def _side(memory: Memory) -> ConflictSide:
    return ConflictSide(
        memory.id, preview(memory.text), memory.kind, memory.label, memory.trust, memory.scope, memory.created_at
    )
