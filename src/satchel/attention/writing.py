"""Writes new memories, retirements and edges in one transaction, with the receipt."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.attention.entry import ParsedEntry, is_repeated, same_details
from satchel.attention.lookup import LIST_HINT, find_memory, replacement_of
from satchel.attention.retire import check_replacement, retire
from satchel.attention.values import Added, Reflected, Refreshed
from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.domain.admit import supersede
from satchel.domain.attention import Details
from satchel.domain.canonical import Json
from satchel.domain.edges import DERIVATION_WEIGHT, REPLACEMENT_WEIGHT, EdgeType, MemoryEdge
from satchel.domain.envelope import Ok
from satchel.domain.inspection import order_warnings, trust_rule
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId, SourceKind
from satchel.domain.scope import Reach
from satchel.domain.view import View, admin_view
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.ports import Change

REPLACED = "replaced by a newly added memory"
# Maximum number of memories with the same words that are compared with a new one.
MAX_TWINS = 50


def add_entry(
    run: OperationRun,
    entry: ParsedEntry,
    reach: Reach,
    parts: Parts,
    *,
    replaces: str | None,
    given_id: str | None,
    now: int,
) -> Ok[Added]:
    """Store a memory with its edges and retire the one it replaces, unless the same memory is already stored."""
    memory = entry.memory
    with parts.ledger.memories.transaction():
        twin = None if replaces is not None else _twin(entry, given_id, parts)
        if twin is not None:
            run.asked = {"duplicate_of": twin}
            return run.keep(Added(twin, None, (), (), duplicate=True))
        if given_id is not None and memory.id in parts.ledger.memories.known([memory.id], []).ids:
            raise Conflict(f"id: {memory.id!r} is taken", code="id_taken", hint="leave it out to get a new one")
        _check_targets(entry.edges, reach, parts)
        retired = _retirements(replaces, memory, reach, parts)
        edges = entry.edges + tuple(_contradiction(memory, one.memory, now) for one in retired)
        run.asked = {"scope": memory.scope, "kind": memory.kind, "chars": len(memory.text), "edges": len(edges)}
        receipt = _write(run, [entry], retired, edges, parts)
    added = Added(
        memory.id,
        retired[0].memory.id if retired else None,
        tuple(one.memory.id for one in retired),
        tuple(one.id for one in edges),
    )
    return run.committed(added, receipt)


def add_lessons(run: OperationRun, lessons: Sequence[ParsedEntry], parts: Parts, *, now: int) -> Ok[Reflected]:
    """Store a reflection and, if there is one, the procedure derived from it."""
    reflection, derived = lessons[0].memory, [one.memory for one in lessons[1:]]
    edges = [MemoryEdge(one.id, reflection.id, EdgeType.DERIVED_FROM, DERIVATION_WEIGHT, now) for one in derived]
    with parts.ledger.memories.transaction():
        receipt = _write(run, lessons, [], edges, parts)
    return run.committed(Reflected(reflection.id, derived[0].id if derived else None), receipt)


def retire_memories(
    run: OperationRun,
    stale: tuple[MemoryId, ...],
    replacement: str | None,
    reason: str,
    view: View,
    parts: Parts,
    *,
    channel: SourceKind,
    now: int,
) -> Ok[Refreshed]:
    """Retire the memories of a view that are stale, and name the one that replaces them, if there is one."""
    ledger = parts.ledger
    with ledger.memories.transaction():
        found = ledger.memories.fetch(stale, view)
        if not found:
            raise NotFound(f"stale_memory_ids: no memory with any of these ids in {view.reach}", hint=LIST_HINT)
        by = None
        if replacement is not None:
            by = find_memory(replacement, "replacement_memory_id", view, ledger)
            check_replacement(by, stale, lambda id: replacement_of(id, view, ledger))
        retired = [
            Change(retire(old, by, reason, channel=channel, now=now), old, "retire", parts.actor, reason)
            for old in (found[id] for id in stale if id in found)
        ]
        edges = [] if by is None else [_contradiction(by, one.memory, now) for one in retired]
        replaced_by = None if by is None else by.id
        run.asked = {"scope": view.reach.name, "stale": len(stale), "replacement": replaced_by}
        receipt = _write(run, [], retired, edges, parts)
    refreshed = Refreshed(
        deactivated=tuple(one.memory.id for one in retired),
        replacement_memory_id=replaced_by,
        refresh_reason=reason,
        edge_ids=tuple(one.id for one in edges),
        not_found=tuple(id for id in stale if id not in found),
    )
    return run.committed(refreshed, receipt)


def _write(
    run: OperationRun,
    entries: Sequence[ParsedEntry],
    retired: Sequence[Change],
    edges: Sequence[MemoryEdge],
    parts: Parts,
) -> Receipt:
    """Write new memories, retirements and edges with the receipt, inside a transaction."""
    ledger = parts.ledger
    for one in entries:
        run.warn(*order_warnings(len(one.orders[:1]), one.orders))
    receipt = run.receipt(
        stored=[_stored_facts(one) for one in entries],
        retired=[one.memory.id for one in retired],
        edges=[one.id for one in edges],
    )
    stored = [Change(one.memory, None, "store", parts.actor) for one in entries]
    ledger.memories.commit([*stored, *retired], receipt)
    for one in entries:
        ledger.details.put(one.memory.id, one.details)
    ledger.edges.put(edges)
    return receipt


def _twin(entry: ParsedEntry, given_id: str | None, parts: Parts) -> MemoryId | None:
    """Return the live memory that a new one repeats in every field but its grades and times, if there is one."""
    new, ledger = entry.memory, parts.ledger
    view = replace(View(Reach((new.scope,)), parts.clock.now()), kinds=(new.kind,))
    alike = ledger.memories.near_duplicates(new.text, view, MAX_TWINS)
    same = [one.id for one in alike if is_repeated(new, one) and given_id in (None, one.id)]
    known = ledger.details.of(same)
    for id in same:
        edges = {(one.target, one.type, one.weight) for one in ledger.edges.of(id) if one.source == id}
        new_edges = {(one.target, one.type, one.weight) for one in entry.edges}
        if same_details(entry.details, known.get(id, Details())) and new_edges <= edges:
            return id
    return None


def _check_targets(edges: Sequence[MemoryEdge], reach: Reach, parts: Parts) -> None:
    targets = [one.target for one in edges]
    known = parts.ledger.memories.fetch(targets, admin_view(reach, parts.clock.now()))
    if unknown := [target for target in targets if target not in known]:
        raise NotFound(f"edges: to_memory_id: no memory {unknown[0][:80]!r} in {reach}")


def _retirements(id: str | None, memory: Memory, reach: Reach, parts: Parts) -> Sequence[Change]:
    """Return the retirement of the memory that a new one replaces, if it replaces one."""
    if id is None:
        return []
    if id == memory.id:
        raise InvalidRequest("replaces_memory_id: a memory cannot replace itself", code="self_replacement")
    old = find_memory(id, "replaces_memory_id", admin_view(reach, parts.clock.now()), parts.ledger)
    retired = replace(supersede(old, memory), reason=REPLACED, valid_to=memory.updated_at)
    return [Change(retired, old, "retire", parts.actor, REPLACED)]


def _contradiction(new: Memory, old: Memory, at: int) -> MemoryEdge:
    return MemoryEdge(new.id, old.id, EdgeType.CONTRADICTS, REPLACEMENT_WEIGHT, at)


def _stored_facts(entry: ParsedEntry) -> dict[str, Json]:
    memory, reasons = entry.memory, entry.orders
    facts: dict[str, Json] = {"id": memory.id, "trust": memory.trust, "trust_rule": trust_rule(memory, reasons)}
    return facts | {"order_reasons": list(reasons)} if reasons else facts
