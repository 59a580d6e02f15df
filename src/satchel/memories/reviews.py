"""Reviews: the operator looks through what was not stored by the operator, and confirms it record by record."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice
from typing import Annotated

from msgspec.structs import replace

from satchel.core.operations import AllScopes, Kinds, Param, Quarantined, Redact, Scope, operation
from satchel.core.references import full_id, memory_ids, observation_ids, passage_ids
from satchel.core.service import Service, page_mark, page_size
from satchel.domain.arguments import as_tuple
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.observation import Observation, ObservationId
from satchel.domain.passage import EvidenceLane, Passage, all_passages
from satchel.domain.record import WORKING_SET, Memory, MemoryId, SourceKind, State, Trust
from satchel.domain.safety.redact import mask
from satchel.domain.scope import not_within
from satchel.domain.text import check_text
from satchel.domain.view import LIVE_STATES, View, admin_view
from satchel.errors import Conflict, InvalidRequest, NotFound, Refused
from satchel.memories import review_passages
from satchel.memories.values import Confirmed, ConfirmedRecord, ReviewItem, ReviewPage
from satchel.ports import Change

MAX_IDS = 1_000
CONFIRMED = "confirmed by the operator"
# Reviewed in this order.
_TIERS = (Trust.UNTRUSTED, Trust.QUARANTINED)
# Begins the mark of a page that starts with a quarantined record.
_QUARANTINED_MARK = "quarantined:"

_Ids = Annotated[
    Sequence[str],
    Param("id of a memory, observation, episode, document chunk or message", flag="id", positional=True),
]
_Record = Memory | Observation | Passage
_Stage = Callable[[int, tuple[int, str] | None], Iterator[_Record]]
"""Yields records, newest first, in batches of a size, starting after a position."""


class Reviews(Service):
    """Shows the records that are not trusted, and makes them trusted."""

    @operation(
        "review",
        operator_only=True,
        served=True,
        examples=("satchel review", "satchel review --all-scopes --json", "satchel review ID"),
    )
    def review(
        self,
        ids: _Ids = (),
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        kinds: Kinds = (),
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 50,
        after: Annotated[str | None, Param("continue after the previous page: its 'next'")] = None,
        redact: Redact = True,
        quarantined: Quarantined = True,
    ) -> Ok[ReviewPage]:
        """Look through the memories that agents, tools, web pages and files stored, newest first.

        In a terminal it shows them one by one: a key confirms, forgets or skips each. Quarantined ones come last, with
        the episodes, document chunks and messages that were quarantined: they reach no prompt unless you confirm them.
        """
        with self._run("review", redact=redact) as run:
            view = replace(self._admin_view(scope, all_scopes, kinds), states=LIVE_STATES)
            tiers = _TIERS if quarantined else _TIERS[:1]
            if ids:
                found, following = self._find(ids, admin_view(view.reach, view.now)), None
            else:
                found, following = self._page(view, tiers, page_size(limit), after)
            used = self._ledger.usage.last_used_at([one.id for one in found if not isinstance(one, Passage)])
            items = tuple(_item(one, used) for one in found)
            counts = {tier: self._count(replace(view, trusts=(tier,))) for tier in _TIERS}
            if not view.kinds:
                counts[Trust.QUARANTINED] += review_passages.count(self._ledger, view.reach)
            run.asked = {"scope": view.reach.name, "kinds": list(view.kinds), "limit": limit, "after": after}
            page = ReviewPage(items, counts[Trust.UNTRUSTED], counts[Trust.QUARANTINED], following)
            return run.done(page, returned=len(items))

    def _page(
        self, view: View, tiers: Sequence[Trust], limit: int, after: str | None
    ) -> tuple[list[_Record], str | None]:
        """Return a page that goes through the stages in order, and the mark of the next one."""
        stages = self._stages(view, tiers)
        start = next((name for name in stages if name and (after or "").startswith(name)), "")
        mark = page_mark(after.removeprefix(start) if after is not None else None)
        names = list(stages)
        found: list[_Record] = []
        for name in names[names.index(start) :]:
            place = mark if name == start else None
            found += islice(stages[name](limit + 1, place), limit + 1 - len(found))
        return found[:limit], _mark(found[limit - 1]) if len(found) > limit else None

    def _stages(self, view: View, tiers: Sequence[Trust]) -> dict[str, _Stage]:
        """Return what a review goes through, by how the mark of a page begins that starts there."""
        untrusted, *rest = (replace(view, trusts=(tier,)) for tier in tiers)
        stages: dict[str, _Stage] = {"": partial(self._waiting, untrusted)}
        for quarantined in rest:
            stages[_QUARANTINED_MARK] = partial(self._waiting, quarantined)
            # Evidence has no kind of memory.
            for lane in () if view.kinds else EvidenceLane:
                stages[f"{lane}:"] = partial(review_passages.quarantined, self._ledger, lane, view.reach)
        return stages

    def _waiting(self, view: View, batch: int, after: tuple[int, str] | None) -> Iterator[Memory]:
        """Yield the memories of a view, newest first, without working sets: those are derived from others."""
        while page := self._ledger.memories.page(view, batch, after):
            yield from (one for one in page if not one.id.startswith(WORKING_SET))
            after = page[-1].created_at, page[-1].id

    def _count(self, view: View) -> int:
        derived = self._ledger.memories.ids_between(WORKING_SET, WORKING_SET + "\U0010ffff", view, MAX_IDS)
        return self._ledger.memories.count(view) - len(derived)

    @operation(
        "confirm",
        writes=True,
        idempotent=True,
        operator_only=True,
        served=True,
        examples=("satchel confirm ID", 'satchel confirm ID ID --reason "checked with the team"'),
    )
    def confirm(
        self,
        ids: _Ids,
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        reason: Annotated[str | None, Param("why; the history keeps it, with secrets masked")] = None,
        quarantined: Annotated[bool, Param("confirm quarantined records too, once you have read them")] = False,
    ) -> Ok[Confirmed]:
        """Make records trusted, as if you had stored them yourself.

        All of them or, if one cannot be confirmed, none. Agents have no tool for it. 'satchel tag restore' undoes it.
        """
        with self._run("confirm", writes=True) as run:
            within = self._reach(scope, all_scopes)
            said = CONFIRMED if reason is None else mask(check_text(reason, "the reason"))
            # Exclusive from lookup to write: what was read is what is confirmed.
            with self._ledger.memories.transaction():
                view = admin_view(within, self._clock.now())
                records = self._find(ids, view)
                waiting = [_checked(one, quarantined) for one in records if one.trust is not Trust.TRUSTED]
                evidence = [one for one in waiting if isinstance(one, Passage)]
                confirmed = tuple(ConfirmedRecord(one.id, one.scope, one.trust) for one in waiting)
                already = tuple(one.id for one in records if one.trust is Trust.TRUSTED)
                run.asked = {"scope": within.name, "ids": [one.id for one in records], "quarantined": quarantined}
                was: dict[str, Json] = {one.id: one.was for one in confirmed}
                run.decided = {"confirmed": was, "already_trusted": list(already), "trust_rule": "operator:confirm"}
                result = Confirmed(confirmed, already)
                if not waiting:
                    return run.done(result)
                receipt = run.receipt()
                changes = [
                    Change(_trusted(one, view.now), one, "confirm", self._parts.actor, said)
                    for one in waiting
                    if isinstance(one, Memory)
                ]
                self._ledger.memories.commit(changes, receipt)
                observed = [one.id for one in waiting if isinstance(one, Observation)]
                self._ledger.observations.confirm(observed, receipt, self._parts.actor, said)
                review_passages.confirm(self._ledger, evidence)
            return run.committed(result, receipt)

    def _find(self, references: Sequence[str], view: View) -> list[_Record]:
        """Return the records that references mean, each once, or raise for the first that means none."""
        given = as_tuple(references)
        if not given:
            raise InvalidRequest("no id was given", code="missing_param", hint="'satchel review' lists them")
        if len(given) > MAX_IDS:
            raise InvalidRequest(f"{len(given)} ids given, {MAX_IDS} are allowed", code="too_many")
        evidence = (passage_ids(self._ledger, all_passages(lane, view.reach)) for lane in EvidenceLane)
        lanes = memory_ids(self._ledger, view), observation_ids(self._ledger, view), *evidence
        meant = {full_id(one, *lanes): one for one in given}
        memories = self._ledger.memories.fetch([MemoryId(id) for id in meant], view)
        observations = self._ledger.observations.fetch([ObservationId(id) for id in meant], view)
        passages = review_passages.find(self._ledger, list(meant), view.reach)
        every: list[_Record] = [*passages.values(), *observations.values(), *memories.values()]
        records: dict[str, _Record] = {one.id: one for one in every}
        for id, reference in meant.items():
            if id not in records:
                raise self._missing(id, reference, view)
        return [records[id] for id in meant]

    def _missing(self, id: str, reference: str, view: View) -> NotFound:
        scope = self._ledger.memories.known([MemoryId(id)], []).ids.get(MemoryId(id))
        # A tombstone of another scope must not be told apart from nothing.
        if scope is not None and view.reach.admits(scope):
            return NotFound(f"{id} was forgotten", code="forgotten", hint="a forgotten record does not come back")
        return not_within(f"record {reference[:80]!r}", view.reach)


def _mark(last: _Record) -> str:
    """Return the mark of the page after a record."""
    if isinstance(last, Passage):
        return f"{last.lane}:{last.at or 0}:{last.id}"
    assert isinstance(last, Memory)
    return f"{_QUARANTINED_MARK if last.trust is Trust.QUARANTINED else ''}{last.created_at}:{last.id}"


def _checked(record: _Record, quarantined: bool) -> _Record:
    """Return a record that may be confirmed, or raise."""
    if record.id.startswith(WORKING_SET):
        raise Refused(
            "a working set is as trusted as the memories it quotes",
            code="derived_record",
            hint="confirm those memories instead",
        )
    if not isinstance(record, Passage) and record.state is State.RETIRED:
        replaced_by = record.replaced_by if isinstance(record, Memory) else None
        raise Conflict(
            f"{record.id} is retired, so it cannot be confirmed",
            code="already_retired",
            hint=f"confirm {replaced_by} instead" if replaced_by else "store it again if it is true",
        )
    if record.trust is Trust.QUARANTINED and not quarantined:
        raise Refused(
            f"{record.id} is quarantined, so it was not confirmed",
            code="quarantined",
            hint=f"read it with 'satchel review {record.id}', then confirm it with --quarantined",
        )
    return record


def _trusted(memory: Memory, now: int) -> Memory:
    return replace(memory, trust=Trust.TRUSTED, updated_at=now)


def _item(record: _Record, used: Mapping[str, int]) -> ReviewItem:
    if isinstance(record, Passage):
        return review_passages.item(record)
    if isinstance(record, Memory):
        source = record.source_kind, record.source_ref
        title, kind, at = record.title, str(record.kind), record.created_at
    else:
        source, title, kind, at = (SourceKind.TOOL, record.tool_name), record.summary, record.kind, record.at
    return ReviewItem(
        id=record.id,
        record="memory" if isinstance(record, Memory) else "observation",
        text=record.text,
        title=title or None,
        kind=kind,
        label=record.label,
        scope=record.scope,
        trust=record.trust,
        state=record.state,
        source_kind=source[0],
        source_ref=source[1] or None,
        session=record.session,
        created_at=at,
        used_at=used.get(record.id),
    )
