"""Plans a new assertion: what it says, and which known facts it ends."""

from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.facts import Assertion, AssertionRef, Fact, FactEvent, FactId, FactSource, FactStatus, fact_id
from satchel.domain.record import Trust
from satchel.domain.safety.injection import injections
from satchel.domain.safety.orders.inspect import agent_orders
from satchel.domain.scopes import ScopeSeeds
from satchel.errors import Conflict, InvalidRequest
from satchel.facts.assertions import FactDraft, make_assertion
from satchel.facts.replay import next_start, replay, superseded_ends


class PlannedAssertion(Struct, frozen=True):
    """A new assertion, and the facts it ends with their ends."""

    assertion: Assertion
    ends: dict[FactId, int]


def plan_assertion(
    draft: FactDraft,
    scope: str,
    seeds: ScopeSeeds,
    resolved: Sequence[FactSource | None],
    ref: AssertionRef,
    actor: str,
    events: Sequence[FactEvent],
    supersedes: Sequence[FactId],
) -> PlannedAssertion | Fact:
    """Return the plan of an assertion, or the fact that already says the same."""
    known = replay(events)
    new = _quarantine_injections(make_assertion(draft, scope, seeds.own, resolved, ref, actor))
    if (fact := _repeated(new, seeds, known)) is not None:
        return fact
    end = next_start(draft.valid_from, list(known.values()), draft.predicate) if draft.valid_to is None else None
    if end is not None:
        ending = make_assertion(replace(draft, valid_to=end), scope, seeds.own, resolved, ref, actor)
        new = _quarantine_injections(ending)
        if (fact := _repeated(new, seeds, known)) is not None:
            return fact
    ids = _possible_ids(new, seeds)
    if any(event.fact in ids for event in events):
        raise Conflict(
            f"{new.id} was forgotten with its source", code="fact_forgotten", hint="change it, then assert it"
        )
    _require_same_predicate(supersedes, new, known)
    return PlannedAssertion(new, superseded_ends(new, draft.predicate, list(known.values()), supersedes))


def _quarantine_injections(new: Assertion) -> Assertion:
    """Keep instructions to an agent out of every prompt, whatever the sources."""
    words = f"{new.subject.ref}\n{new.subject.label}\n{new.object.value}"
    is_order = injections(words) or (new.trust is not Trust.TRUSTED and agent_orders(words))
    return replace(new, trust=Trust.QUARANTINED) if is_order else new


def _possible_ids(new: Assertion, seeds: ScopeSeeds) -> tuple[FactId, ...]:
    """Return the id of an assertion, and those that it would have if it came from another scope."""
    return new.id, *(fact_id(replace(new, seed=seed)) for seed in seeds.inherited)


def _repeated(new: Assertion, seeds: ScopeSeeds, known: Mapping[FactId, Fact]) -> Fact | None:
    fact = next((known[id] for id in _possible_ids(new, seeds) if id in known), None)
    if fact is not None and fact.stored_status in (FactStatus.INVALIDATED, FactStatus.RETRACTED):
        raise Conflict(f"{fact.id} was {fact.stored_status}", code="fact_ended", hint="assert it with another --from")
    return fact


def _require_same_predicate(supersedes: Sequence[FactId], new: Assertion, known: Mapping[FactId, Fact]) -> None:
    for id in supersedes:
        if id not in known or known[id].assertion.predicate != new.predicate:
            raise InvalidRequest(
                f"{id[:80]!r} is not a fact about this subject with the predicate {new.predicate}",
                code="unresolved_supersedes",
                hint="'satchel fact timeline SUBJECT' lists its facts",
            )
