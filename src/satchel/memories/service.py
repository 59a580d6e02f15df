"""START HERE: everything one can do with a memory. Each operation decides (pure), does (through a port), and receipts.

The decisions live in `capture`, `store`, `recall`, `derive` and `observe`; what they need from the world is named in `ports`.
`bootstrap.Satchel` is this class with real parts, and has a property for each further group of operations: `areas`.
"""

from collections.abc import Sequence
from contextlib import suppress

from msgspec.structs import replace

from satchel.core.inspection import Inspection
from satchel.core.preflight import check, lowered_trust, may_write, rules_touched
from satchel.core.service import page_size
from satchel.domain.admit import Draft, admit, kinds_named, several, share, supersede
from satchel.domain.answers import Forgotten, Found, Listed, Occurrence, Recalled, Stored
from satchel.domain.canonical import Json
from satchel.domain.document_hits import ColdLane
from satchel.domain.envelope import Ok
from satchel.domain.observation import is_observation_id
from satchel.domain.policies import Policies
from satchel.domain.preflight import Intent, Reason, Status, Verdict
from satchel.domain.receipt import question_facts
from satchel.domain.record import Memory, MemoryId, Trust
from satchel.domain.scope import Placement, Reach, placed
from satchel.domain.text import readable
from satchel.domain.view import View, whole
from satchel.errors import InvalidRequest, NotFound, Refused, Unavailable
from satchel.indexing import upkeep
from satchel.memories import forget
from satchel.memories.duplicates import Twin, twin
from satchel.memories.exchange import masked
from satchel.memories.forgetting import Forgetting
from satchel.memories.transfer import Carrier, mask
from satchel.observations.service import Sidecar
from satchel.observations.values import Observed
from satchel.ports import Change
from satchel.recall import account
from satchel.recall.account import considered, decided, warnings
from satchel.recall.lifecycle import lifecycle
from satchel.recall.question import Mode, ask
from satchel.recall.request import request
from satchel.recall.rerank import Opinion
from satchel.recall.with_fallback import Recollection, recollect

# So many memories that say the same are looked at for one that a new one repeats.
MAX_TWINS = 20


class MemoryOperations(Carrier, Sidecar):
    """The façade: what one does with memories here; files, evidence and the care of the store by inheritance."""

    # Store

    def store(
        self,
        text: str,
        *,
        scope: str | None = None,
        kind: str = "other",
        importance: float | None = None,
        trust: str | None = None,
        source_kind: str = "operator",
        source_ref: str | None = None,
        title: str | None = None,
        session: str | None = None,
        task: str | None = None,
        language: str | None = None,
        tags: Sequence[str] = (),
        keywords: Sequence[str] = (),
        valid_from: str | None = None,
        valid_to: str | None = None,
        replaces: str | None = None,
    ) -> Ok[Stored]:
        """Keep a memory. It is on disk when this returns; its vector is made later, by whoever next has a model.

        What the scope holds already, in the same words or nearly so, is not kept twice: the answer names it.
        """
        self._require_writable()
        started = self._clock.ticks()
        placement = placed(scope, text if isinstance(text, str) else "", self._policies.scope)
        draft = Draft(
            text=text,
            scope=placement.scope,
            kind=kind,
            importance=importance,
            trust=trust,
            source_kind=source_kind,
            source_ref=source_ref,
            title=title,
            session=session,
            task=task,
            language=language,
            tags=several(tags),
            keywords=several(keywords),
            valid_from=valid_from,
            valid_to=valid_to,
        )
        admitted = admit(draft, id=MemoryId(self._parts.new_id()), now=self._clock.now())
        memory, inspection = self._inspected(admitted)
        # Looked up and written while nobody else writes: two at once cannot both be the first.
        with self._ledger.memories.alone():
            found = None if replaces is not None else self._twin(memory)
            if found is None:
                return self._keep(memory, placement, replaces, inspection, started)
        return self._repeated(found, placement, started)

    def _inspected(self, memory: Memory) -> tuple[Memory, Inspection]:
        """Ask the check that the policy names, if any. What it doubts is trusted less; what it blocks is not written."""
        policy = self._policies.preflight
        if not policy.enabled:
            return memory, Inspection(policy)
        intent = Intent(memory.text, memory.source_kind, memory.trust, memory.scope, memory.kind, memory.importance)
        verdict = self._verdict(intent)
        if not may_write(verdict.status, policy):
            raise Refused(
                f"the check before the write says {verdict.status}",
                code="weiji_memory_preflight_blocked",
                hint=", ".join(one.code for one in verdict.reasons),
            )
        return replace(memory, trust=lowered_trust(verdict, memory.trust)), Inspection(policy, verdict)

    def _verdict(self, intent: Intent) -> Verdict:
        try:
            outside = self._parts.preflight()
            if outside:
                return outside.check(intent)
            return check(intent, rules_touched(intent.text, intent.scope, self._ledger.memories, self._clock.now()))
        except (Unavailable, InvalidRequest) as error:
            return Verdict(Status.FAILED, (Reason(error.code, error.message),))

    def _keep(
        self, memory: Memory, placement: Placement, replaces: str | None, inspection: Inspection, started: float
    ) -> Ok[Stored]:
        changes = [Change(memory, None, "store", self._parts.actor), *self._retirements(replaces, memory)]
        receipt = self._receipt(
            "store",
            started,
            asked={"scope": memory.scope, "kind": memory.kind, "chars": len(memory.text), "replaces": replaces},
            decided=_store_facts(memory, placement) | {"preflight": inspection.section},
            warnings=_placement_warnings(placement),
        )
        seq = self._ledger.memories.commit(changes, receipt)
        stored = replace(
            _stored(memory, placement, seq),
            replaced=None if replaces is None else MemoryId(replaces),
            preflight=inspection.section,
        )
        return Ok(stored, self._kept(receipt, started))

    def _twin(self, memory: Memory) -> Twin | None:
        view = View(Reach((memory.scope,)), self._clock.now())
        alike = self._ledger.memories.alike(memory.text, view, MAX_TWINS)
        return twin(memory, alike, self._policies.store.duplicates)

    def _repeated(self, found: Twin, placement: Placement, started: float) -> Ok[Stored]:
        memory = found.memory
        facts: dict[str, Json] = {"id": memory.id, "action": "duplicate", "likeness": found.likeness}
        receipt = self._receipt(
            "store",
            started,
            asked={"scope": memory.scope, "kind": memory.kind, "chars": len(memory.text), "replaces": None},
            decided=facts | _placement_facts(placement),
            warnings=_placement_warnings(placement),
        )
        stored = replace(
            _stored(memory, placement, self._ledger.feed.tip()),
            action="duplicate",
            likeness=found.likeness,
            embedding_skipped=False,
            embedding_skip_reason=None,
        )
        return Ok(stored, replace(receipt, kept=self._ledger.receipts.keep(receipt, ())))

    def _retirements(self, replaces: str | None, memory: Memory) -> Sequence[Change]:
        if replaces is None:
            return []
        old = self._known(replaces, Reach((memory.scope,)))
        retired = supersede(old, memory)
        return [Change(retired, old, "retire", self._parts.actor, retired.reason)]

    # Recall

    def recall(
        self,
        query: str,
        *,
        scope: str | None = None,
        limit: int | None = None,
        mode: str = "hybrid",
        kinds: Sequence[str] = (),
        min_relevance: float | None = None,
        untrusted: bool = False,
        fallback: bool = True,
        as_of: str | int | None = None,
    ) -> Ok[Recalled]:
        """Find the memories that answer a question, by word, by meaning, or by both.

        With `as_of`, a tag or a sequence number, the memories of then answer.
        """
        started = self._clock.ticks()
        asked = request(
            query,
            scope=scope,
            limit=limit,
            mode=mode,
            kinds=kinds_named(kinds),
            min_relevance=None if min_relevance is None else share(min_relevance, "min relevance"),
            untrusted=untrusted,
            policies=self._policies,
            now=self._clock.now(),
        )
        if as_of is not None:
            from satchel.memories.as_of import Past

            return Past(self._parts).recall(asked, as_of, untrusted=untrusted, fallback=fallback, started=started)
        question, placement, view, policies = asked.question, asked.placement, asked.view, asked.policies
        (ready, foreseen), opinion = self._foreseen(question, view, policies.recall), self._opinion()
        found = recollect(
            question,
            placement,
            view,
            self._ledger,
            self._meaning(ready),
            policies,
            opinion=opinion,
            fallback=fallback,
            foreseen=foreseen,
        )
        cold = self._cold_lane(question.text, question.mode, view.reach, len(found.hits), policies)
        receipt = self._receipt(
            "recall",
            started,
            asked=account.asked(asked) | {"untrusted": untrusted},
            considered=considered(found)
            | {
                "embedding_space": ready.space.name if ready.space else None,
                "embeddings_waiting": ready.waiting,
                "index_behind": ready.behind,
                "reranker": opinion.policy.model or opinion.policy.style if opinion else None,
            },
            decided=decided(found, policies) | self._lifecycle(found, ready, cold),
            warnings=(*([ready.warning] if ready.warning else []), *warnings(found, policies)),
        )
        if found.strays or found.problem:
            self._distrust_index(ready)
        answer = replace(account.recalled(found, asked), cold=cold)
        if not policies.receipts.enabled:
            return Ok(answer, receipt)
        kept = self._ledger.receipts.keep(receipt, [hit.memory.id for hit in found.hits])
        return Ok(answer, replace(receipt, kept=kept))

    def _opinion(self) -> Opinion | None:
        return Opinion(self._parts.reranker, self._policies.rerank) if self._policies.rerank.enabled else None

    def _cold_lane(self, query: str, mode: Mode, reach: Reach, hot: int, policies: Policies) -> ColdLane:
        """Ask the documents, where the operator wants that and memories have too little."""
        if not policies.documents.enabled:
            return ColdLane()
        from satchel.documents.fallback import ColdSearch

        return ColdSearch(self._parts).consulted(query, mode, reach, hot, policies.recall.min_relevance)

    def _lifecycle(self, found: Recollection, ready: upkeep.Readiness, cold: ColdLane) -> dict[str, Json]:
        policy = self._policies.receipts
        if not policy.enabled:
            return {}
        return {"lifecycle": lifecycle(found, policy, rejected=_rejected(ready)) | {"coldLane": dict(cold.section)}}

    def _distrust_index(self, ready: upkeep.Readiness) -> None:
        """Drop an index that disagrees with a ledger nobody has changed meanwhile: it is damaged."""
        if ready.current and ready.tip == self._ledger.feed.tip():
            # Somebody may be building it anew this moment, or it may not be ours to remove: the answer stands either way.
            with suppress(Unavailable):
                self._parts.index().drop(only=ready.birth, seconds=0)

    def get(
        self, id: str, *, scope: str | None = None, all_scopes: bool = False, quarantined: bool = True
    ) -> Ok[Found | Observed]:
        """Return one memory or observation, whole, with its history."""
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        if is_observation_id(id):
            observed = self._observed(id, _admitting(whole(within, self._clock.now()), quarantined))
            asked: dict[str, Json] = {"id": observed.observation.id, "scope": within.name}
            return Ok(observed, self._receipt("get", started, asked=asked, decided={"found": True}))
        memory = self._known(id, within, quarantined)
        events = self._ledger.memories.history(memory.id)
        history = tuple(Occurrence(e.seq, e.operation, e.actor, e.reason, e.receipt, e.at) for e in events)
        receipt = self._receipt("get", started, asked={"id": memory.id, "scope": within.name}, decided={"found": True})
        return Ok(Found(memory, history), receipt)

    def list(
        self,
        *,
        scope: str | None = None,
        all_scopes: bool = False,
        kinds: Sequence[str] = (),
        limit: int = 50,
        after: str | None = None,
        redact: bool = True,
        quarantined: bool = True,
    ) -> Ok[Listed]:
        """List memories, newest first, whatever their state, with their secrets masked."""
        started = self._clock.ticks()
        view = _admitting(self._whole(scope, all_scopes, kinds), quarantined)
        mark = _page_mark(after)
        page = self._ledger.memories.page(view, page_size(limit) + 1, mark)
        shown = tuple(masked(memory, mask) for memory in page[:limit]) if redact else tuple(page[:limit])
        following = f"{shown[-1].created_at}:{shown[-1].id}" if len(page) > limit else None
        asked: dict[str, Json] = {
            "scope": view.reach.name,
            "kinds": list(view.kinds),
            "limit": limit,
            "after": mark,
            "redact": redact,
            "quarantined": quarantined,
        }
        return Ok(
            Listed(shown, following), self._receipt("list", started, asked=asked, decided={"returned": len(shown)})
        )

    # Forget

    def forget(
        self,
        id: str | None = None,
        *,
        query: str | None = None,
        scope: str | None = None,
        all_scopes: bool = False,
        verify: bool = False,
        quarantined: bool = True,
    ) -> Ok[Forgotten]:
        """Erase one memory or observation everywhere, by id. A query erases nothing: it lists what it could mean."""
        within = self._reach(scope, all_scopes)
        if id is not None and query is None:
            return self._erase(id, within, verify)
        if query is not None and id is None:
            return self._candidates(query, _admitting(whole(within, self._clock.now()), quarantined))
        raise InvalidRequest("forget needs an id or a query", code="missing_param", hint="give one of the two")

    def _candidates(self, query: str, view: View) -> Ok[Forgotten]:
        started = self._clock.ticks()
        question = ask(query, Mode.LEXICAL, forget.MAX_CANDIDATES)
        named = forget.candidates(self._ledger.memories, question.terms, view)
        receipt = self._receipt(
            "forget",
            started,
            asked={**question_facts(question.text), "scope": view.reach.name},
            decided={"action": named.action, "ids": [one.id for one in named.candidates]},
        )
        return Ok(named, receipt)

    def _erase(self, id: str, within: Reach, verify: bool) -> Ok[Forgotten]:
        self._require_writable()
        started, forgetting = self._clock.ticks(), Forgetting(self._parts)
        if is_observation_id(id):
            observation = self._known_observation(id, whole(within, self._clock.now()))
            return forgetting.observation(observation, within, verify, started)
        forgotten = forgetting.memory(self._known(id, within), within, verify, started)
        if forgotten is None:
            raise _unknown(id, within)
        return forgotten

    # How the operations above get at things

    def _known(self, id: str, within: Reach, quarantined: bool = True) -> Memory:
        asked = MemoryId(readable(id))
        found = self._ledger.memories.fetch([asked], _admitting(whole(within, self._clock.now()), quarantined))
        if asked not in found:
            raise _unknown(id, within)
        return found[asked]


# A vector is never made while somebody waits for a store.
_DEFERRED = "deferred"
# How ids of other things begin, and the commands that know them.
_OTHER_IDS = {
    "ep-": "episodes",
    "doc:": "docs",
    "doc-": "docs",
    "fact_": "fact",
    "msg:": "conversation",
    "sum_": "conversation",
    "dec_": "conversation",
}


def _store_facts(memory: Memory, placement: Placement) -> dict[str, Json]:
    facts: dict[str, Json] = {
        "id": memory.id,
        "action": "created",
        "trust": memory.trust,
        "trust_rule": f"channel:{memory.source_kind}",
        "label": memory.label,
        "embeddingSkipped": True,
        "embeddingSkipReason": _DEFERRED,
    }
    return facts | _placement_facts(placement)


def _placement_facts(placement: Placement) -> dict[str, Json]:
    return {
        "scope_mode": placement.mode,
        "scope_invalid": placement.invalid,
        "scope_normalized": placement.normalized,
    }


def _placement_warnings(placement: Placement) -> tuple[str, ...]:
    if not placement.invalid:
        return ()
    return (f"scope_invalid: the scope is no valid name; it was filed under '{placement.scope}'",)


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


def _rejected(ready: upkeep.Readiness) -> list[str]:
    """Name why a question has no vector, in the words of the lifecycle receipt."""
    if ready.vector is not None or not ready.warning:
        return []
    too_long = ready.warning.partition(":")[0] == "input_too_long"
    return ["embedding_input_too_long" if too_long else "provider_unavailable"]


def _admitting(view: View, quarantined: bool) -> View:
    """Leave quarantined records out of a view, unless they are asked for: what they say reaches no prompt."""
    return view if quarantined else replace(view, trusts=(Trust.TRUSTED, Trust.UNTRUSTED))


def _unknown(id: str, within: Reach) -> NotFound:
    group = next((group for form, group in _OTHER_IDS.items() if id.startswith(form)), None)
    hint = "name its scope with --scope, or use --all-scopes"
    if group is not None:
        hint = f"this is no memory's id: 'satchel {group} --help' shows what can be done with it"
    return NotFound(f"no memory {id[:80]!r} in {within}", hint=hint)


def _page_mark(after: str | None) -> tuple[int, str] | None:
    if after is None:
        return None
    created_at, _, id = after.partition(":")
    if not (created_at.isascii() and created_at.isdigit() and len(created_at) < 16 and id):
        raise InvalidRequest(
            f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use the 'next' of a page"
        )
    return int(created_at), readable(id)
