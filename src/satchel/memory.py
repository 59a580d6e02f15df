"""START HERE: everything one can do with a memory. Each operation decides (pure), does (through a port), and receipts.

The decisions live in `capture`, `store`, `recall`, `derive` and `observe`; what they need from the world is named in `ports`;
`bootstrap.Satchel` is this class with real parts.
"""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from satchel.caretaker import page_size
from satchel.carrier import Carrier
from satchel.derive import upkeep
from satchel.domain.answers import Forgotten, Found, Listed, Occurrence, Recalled, Stored
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.evidence import Observed
from satchel.domain.observation import is_observation_id
from satchel.domain.receipt import question_facts
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import Reach
from satchel.domain.text import readable
from satchel.domain.view import View, whole
from satchel.errors import InvalidRequest, NotFound, Unavailable
from satchel.ports import Change
from satchel.recall.answer import Answer, answer, considered, decided
from satchel.recall.lanes import Meaning
from satchel.recall.question import Mode, Question, ask
from satchel.sidecar import Sidecar
from satchel.store import forget
from satchel.store.admit import Draft, admit, supersede


class MemoryOperations(Carrier, Sidecar):
    """The façade: what one does with memories here; with evidence, files and the store as a whole by inheritance."""

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
        """Keep a memory. It is on disk when this returns; its vector is made later, by whoever next has a model."""
        started = self._clock.ticks()
        draft = Draft(
            text=text,
            scope=self._parts.default_scope if scope is None else scope,
            kind=kind,
            importance=importance,
            trust=trust,
            source_kind=source_kind,
            source_ref=source_ref,
            title=title,
            session=session,
            task=task,
            language=language,
            tags=_several(tags),
            keywords=_several(keywords),
            valid_from=valid_from,
            valid_to=valid_to,
        )
        memory = admit(draft, id=MemoryId(self._parts.new_id()), now=self._clock.now())
        changes = [Change(memory, None, "store", self._parts.actor), *self._retirements(replaces, memory)]
        receipt = self._receipt(
            "store",
            started,
            asked={"scope": memory.scope, "kind": memory.kind, "chars": len(memory.text), "replaces": replaces},
            decided=_store_facts(memory),
        )
        seq = self._ledger.memories.commit(changes, receipt)
        return Ok(_stored(memory, seq, replaces), self._kept(receipt, started))

    def _retirements(self, replaces: str | None, memory: Memory) -> Sequence[Change]:
        if replaces is None:
            return []
        old = self._known(replaces, Reach((memory.scope,)))
        retired = supersede(old, memory)
        return [Change(retired, old, "retire", self._parts.actor, retired.reason)]

    # Recall

    def recall(self, query: str, *, scope: str | None = None, limit: int = 5, mode: str = "hybrid") -> Ok[Recalled]:
        """Find the memories that answer a question, by word, by meaning, or by both."""
        started = self._clock.ticks()
        question = ask(query, mode, limit)
        view = View(self._reach(scope), self._clock.now())
        ready = self._make_ready(question)
        found = answer(question, view, self._ledger, self._meaning(ready), self._parts.fusion)
        receipt = self._receipt(
            "recall",
            started,
            asked={
                **question_facts(question.text),
                "scope": view.reach.name,
                "mode": question.mode,
                "limit": question.limit,
            },
            considered=considered(found)
            | {
                "embedding_space": ready.space.name if ready.space else None,
                "embeddings_waiting": ready.waiting,
                "index_behind": ready.behind,
            },
            decided=decided(found),
            warnings=_warnings(question, ready, found),
        )
        if found.strays or found.gathered.problem:
            self._distrust_index(ready)
        kept = self._ledger.receipts.keep(receipt, [hit.memory.id for hit in found.hits])
        recalled = Recalled(found.hits, question.mode, view.reach.name, found.held_out)
        return Ok(recalled, replace(receipt, kept=kept))

    def _make_ready(self, question: Question) -> upkeep.Readiness:
        if question.mode is Mode.LEXICAL:
            return upkeep.Readiness()
        return upkeep.make_ready(self._derived, question.text, self._parts.catch_up_seconds)

    def _meaning(self, ready: upkeep.Readiness) -> Meaning | None:
        if ready.vector is None or ready.space is None:
            return None
        return Meaning(ready.vector, ready.space, self._parts.index(), ready.current)

    def _distrust_index(self, ready: upkeep.Readiness) -> None:
        """Drop an index that disagrees with a ledger nobody has changed meanwhile: it is damaged."""
        if ready.current and ready.tip == self._ledger.feed.tip():
            # Somebody may be building it anew this moment, or it may not be ours to remove: the answer stands either way.
            with suppress(Unavailable):
                self._parts.index().drop(only=ready.birth, seconds=0)

    def get(self, id: str, *, scope: str | None = None, all_scopes: bool = False) -> Ok[Found | Observed]:
        """Return one memory or observation, whole, with its history."""
        started = self._clock.ticks()
        within = self._reach(scope, all_scopes)
        if is_observation_id(id):
            observed = self._observed(id, within)
            asked: dict[str, Json] = {"id": observed.observation.id, "scope": within.name}
            return Ok(observed, self._receipt("get", started, asked=asked, decided={"found": True}))
        memory = self._known(id, within)
        events = self._ledger.memories.history(memory.id)
        history = tuple(Occurrence(e.seq, e.operation, e.actor, e.reason, e.receipt, e.at) for e in events)
        receipt = self._receipt("get", started, asked={"id": memory.id, "scope": within.name}, decided={"found": True})
        return Ok(Found(memory, history), receipt)

    def list(
        self, *, scope: str | None = None, all_scopes: bool = False, limit: int = 50, after: str | None = None
    ) -> Ok[Listed]:
        """List memories, newest first, whatever their state."""
        started = self._clock.ticks()
        view = whole(self._reach(scope, all_scopes), self._clock.now())
        mark = _page_mark(after)
        page = self._ledger.memories.page(view, page_size(limit) + 1, mark)
        shown = tuple(page[:limit])
        following = f"{shown[-1].created_at}:{shown[-1].id}" if len(page) > limit else None
        asked: dict[str, Json] = {"scope": view.reach.name, "limit": limit, "after": mark}
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
    ) -> Ok[Forgotten]:
        """Erase one memory or observation everywhere, by id. A query erases nothing: it lists what it could mean."""
        within = self._reach(scope, all_scopes)
        if id is not None and query is None:
            return (
                self._forget_observation(id, within, verify)
                if is_observation_id(id)
                else self._erase(id, within, verify)
            )
        if query is not None and id is None:
            return self._candidates(query, within)
        raise InvalidRequest("forget needs an id or a query", code="missing_param", hint="give one of the two")

    def _candidates(self, query: str, within: Reach) -> Ok[Forgotten]:
        started = self._clock.ticks()
        question = ask(query, Mode.LEXICAL, forget.MAX_CANDIDATES)
        named = forget.candidates(self._ledger.memories, question.terms, whole(within, self._clock.now()))
        receipt = self._receipt(
            "forget",
            started,
            asked={**question_facts(question.text), "scope": within.name},
            decided={"action": named.action, "ids": [one.id for one in named.candidates]},
        )
        return Ok(named, receipt)

    def _erase(self, id: str, within: Reach, verify: bool) -> Ok[Forgotten]:
        started = self._clock.ticks()
        memory = self._known(id, within)
        doomed = self._doomed(memory)
        asked: dict[str, Json] = {"id": memory.id, "scope": within.name, "verify": verify}
        facts: dict[str, Json] = {"action": "deleted", "id": memory.id, "observations": len(doomed.observations)}
        receipt = self._receipt("forget", started, asked=asked, decided=facts)
        forgotten = forget.erase(
            memory,
            within,
            memories=self._ledger.memories,
            erase_evidence=lambda: self._erase_evidence(doomed, started),
            is_elsewhere=self._elsewhere(doomed, memory.id),
            purge_index=lambda: upkeep.purge(self._derived),
            files=self._parts.files,
            actor=self._parts.actor,
            receipt=receipt,
            verify=verify,
        )
        if forgotten is None:
            raise _unknown(id, within)
        return Ok(replace(forgotten, observations=len(doomed.observations)), self._kept(receipt, started))

    # How the operations above get at things

    def _known(self, id: str, within: Reach) -> Memory:
        asked = MemoryId(readable(id))
        found = self._ledger.memories.fetch([asked], whole(within, self._clock.now()))
        if asked not in found:
            raise _unknown(id, within)
        return found[asked]


# A vector is never made while somebody waits for a store.
_DEFERRED = "deferred"


def _store_facts(memory: Memory) -> dict[str, Json]:
    return {
        "id": memory.id,
        "trust": memory.trust,
        "trust_rule": f"channel:{memory.source_kind}",
        "label": memory.label,
        "embeddingSkipped": True,
        "embeddingSkipReason": _DEFERRED,
    }


def _stored(memory: Memory, seq: int, replaces: str | None) -> Stored:
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
        replaced=None if replaces is None else MemoryId(replaces),
        embedding_skipped=True,
        embedding_skip_reason=_DEFERRED,
    )


def _warnings(question: Question, ready: upkeep.Readiness, found: Answer) -> tuple[str, ...]:
    candidates = (
        (ready.warning, ready.warning),
        (found.gathered.problem, f"index_unusable: {found.gathered.problem}"),
        (question.clamped, "query_clamped: only the beginning of the query was used"),
        (found.strays, f"index_mismatch: {found.strays} candidates did not match the ledger and were left out"),
    )
    return tuple(warning for cause, warning in candidates if cause)


def _unknown(id: str, within: Reach) -> NotFound:
    return NotFound(f"no memory {id[:80]!r} in {within}", hint="name its scope with --scope, or use --all-scopes")


def _several(words: Sequence[str]) -> tuple[str, ...]:
    """Take one word for a list of one: a text would otherwise be taken apart into letters."""
    return (words,) if isinstance(words, str) else tuple(words)


def _page_mark(after: str | None) -> tuple[int, str] | None:
    if after is None:
        return None
    created_at, _, id = after.partition(":")
    if not (created_at.isascii() and created_at.isdigit() and len(created_at) < 16 and id):
        raise InvalidRequest(
            f"{after[:80]!r} is not a page mark", code="invalid_cursor", hint="use the 'next' of a page"
        )
    return int(created_at), readable(id)
