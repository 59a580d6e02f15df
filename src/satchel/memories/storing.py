"""How a draft becomes a stored memory: admission, preflight check, search for a duplicate, commit with its receipt."""

from collections.abc import Sequence

from msgspec import UNSET, Struct
from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.core.preflight import PreflightResult, check_write, lower_trust, may_write, related_rules
from satchel.core.run import OperationRun, facts_of
from satchel.domain.admit import EDITED, REPLACED, Draft, admit, inherit, supersede
from satchel.domain.answers import Stored
from satchel.domain.envelope import Ok
from satchel.domain.inspection import inspect_memory, order_warnings, trust_rule
from satchel.domain.preflight import PreflightReason, PreflightStatus, Verdict, WriteIntent
from satchel.domain.receipt_sections import PreflightSection, StoreAsked, StoreDecided
from satchel.domain.record import Memory, MemoryId, SourceKind
from satchel.domain.scope import Placement, Reach, ScopeMode
from satchel.domain.view import View
from satchel.errors import InvalidRequest, Refused, Unavailable
from satchel.memories.duplicates import DuplicateMemory, find_duplicate
from satchel.memories.lookup import find_memory
from satchel.memories.unknown_scope import new_scope_warning
from satchel.ports import Change

# Maximum number of similar memories compared with a new one.
MAX_ALIKE = 20
# Vectors are never made while a store waits for its answer.
_DEFERRED = "deferred"


class CheckedMemory(Struct, frozen=True):
    """A memory that may be stored, with what its checks found."""

    memory: Memory
    placement: Placement
    preflight: PreflightResult
    orders: tuple[str, ...]
    """Why its text looks like orders to an agent."""


def store_draft(
    run: OperationRun, draft: Draft, placement: Placement, parts: Parts, *, replaces: str | None, like: Memory | None
) -> Ok[Stored]:
    """Store a draft, unless its scope already has a memory that says the same.

    It replaces the memory with the id `replaces`, and inherits what it does not say itself from `like`.
    """
    new = _check(draft, placement, parts, like)
    run.warn(new.preflight.warning)
    if placement.invalid:
        run.warn(f"scope_invalid: the scope name is not valid; stored in '{placement.scope}'")
    # Exclusive from lookup to write: two concurrent stores cannot both be the first.
    with parts.ledger.memories.transaction():
        found = None if replaces is not None else find_stored_duplicate(new.memory, parts)
        if found is None:
            if placement.mode is ScopeMode.EXPLICIT and new.memory.source_kind is SourceKind.OPERATOR:
                run.warn(new_scope_warning(placement.scope, parts))
            run.warn(*order_warnings(len(new.orders[:1]), new.orders))
            return _commit(run, new, replaces, REPLACED if like is None else EDITED, parts)
    return _answer_duplicate(run, found, placement, parts)


def _check(draft: Draft, placement: Placement, parts: Parts, like: Memory | None) -> CheckedMemory:
    admitted = admit(draft, id=MemoryId(parts.new_id()), now=parts.clock.now())
    admitted = admitted if like is None else inherit(admitted, like)
    admitted, orders = inspect_memory(admitted)
    memory, preflight = _preflight(admitted, parts)
    return CheckedMemory(memory, placement, preflight, orders)


def _preflight(memory: Memory, parts: Parts) -> tuple[Memory, PreflightResult]:
    """Run the preflight check, if enabled. Doubts lower the trust of a memory; a block refuses it."""
    policy = parts.policies.preflight
    if not policy.enabled:
        return memory, PreflightResult(policy)
    intent = WriteIntent(memory.text, memory.source_kind, memory.trust, memory.scope, memory.kind, memory.importance)
    verdict = _verdict(intent, parts)
    if not may_write(verdict.status, policy):
        raise Refused(
            f"the preflight check answered {verdict.status}",
            code="weiji_memory_preflight_blocked",
            hint=", ".join(one.code for one in verdict.reasons),
        )
    return replace(memory, trust=lower_trust(verdict, memory.trust)), PreflightResult(policy, verdict)


def _verdict(intent: WriteIntent, parts: Parts) -> Verdict:
    try:
        external = parts.preflight()
        if external:
            return external.check(intent)
        return check_write(intent, related_rules(intent.text, intent.scope, parts.ledger.memories, parts.clock.now()))
    except (Unavailable, InvalidRequest) as error:
        return Verdict(PreflightStatus.FAILED, (PreflightReason(error.code, error.message),))


def find_stored_duplicate(memory: Memory, parts: Parts) -> DuplicateMemory | None:
    """Return the memory of its scope that says the same as one that is to come into it, if there is one."""
    view = View(Reach((memory.scope,)), parts.clock.now())
    alike = parts.ledger.memories.near_duplicates(memory.text, view, MAX_ALIKE)
    return find_duplicate(memory, alike, parts.policies.store.duplicates)


def _commit(run: OperationRun, new: CheckedMemory, replaces: str | None, reason: str, parts: Parts) -> Ok[Stored]:
    memory, preflight = new.memory, new.preflight.section
    retired = _retirements(replaces, memory, reason, parts)
    replaced = retired[0].memory.id if retired else None
    run.asked = _request_section(memory, replaced)
    run.decided = _created_section(new, preflight)
    receipt = run.receipt()
    seq = parts.ledger.memories.commit([Change(memory, None, "store", parts.actor), *retired], receipt)
    stored = replace(_stored(memory, new.placement, seq), replaced=replaced, preflight=facts_of(preflight))
    return run.committed(stored, receipt)


def _retirements(replaces: str | None, memory: Memory, reason: str, parts: Parts) -> Sequence[Change]:
    if replaces is None:
        return []
    old = find_memory(replaces, Reach((memory.scope,)), parts)
    retired = supersede(old, memory, reason)
    return [Change(retired, old, "retire", parts.actor, retired.reason)]


def _answer_duplicate(run: OperationRun, found: DuplicateMemory, placement: Placement, parts: Parts) -> Ok[Stored]:
    run.asked = _request_section(found.memory, None)
    run.decided = StoreDecided(
        id=found.memory.id,
        action="duplicate",
        likeness=found.likeness,
        scope_mode=placement.mode,
        scope_invalid=placement.invalid,
        scope_normalized=placement.normalized,
    )
    stored = replace(
        _stored(found.memory, placement, parts.ledger.feed.tip()),
        action="duplicate",
        likeness=found.likeness,
        embedding_skipped=False,
        embedding_skip_reason=None,
    )
    return run.keep(stored)


def _request_section(memory: Memory, replaces: str | None) -> StoreAsked:
    return StoreAsked(memory.scope, memory.kind, len(memory.text), replaces)


def _created_section(new: CheckedMemory, preflight: PreflightSection) -> StoreDecided:
    memory, placement = new.memory, new.placement
    return StoreDecided(
        id=memory.id,
        action="created",
        trust=memory.trust,
        trust_rule=trust_rule(memory, new.orders),
        order_reasons=list(new.orders) if new.orders else UNSET,
        label=memory.label,
        embedding_skipped=True,
        embedding_skip_reason=_DEFERRED,
        scope_mode=placement.mode,
        scope_invalid=placement.invalid,
        scope_normalized=placement.normalized,
        preflight=preflight,
    )


def _stored(memory: Memory, placement: Placement, seq: int) -> Stored:
    return Stored(
        id=memory.id,
        action="created",
        scope=memory.scope,
        kind=memory.kind,
        label=memory.label,
        importance=memory.importance,
        trust=memory.trust,
        created_at=memory.created_at,
        seq=seq,
        replaced=None,
        embedding_skipped=True,
        embedding_skip_reason=_DEFERRED,
        placement=placement,
    )
