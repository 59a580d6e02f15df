"""Explaining: why an answer was what it was, and why a record was not in it. Reads only: nothing is written, no use counted."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.area import Area
from satchel.capture.redact import redacted
from satchel.derive import upkeep
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.explanation import Remedy, Step, Whereabouts, Why, WhyNot
from satchel.domain.observation import ObservationId, is_observation_id
from satchel.domain.receipt import question_facts
from satchel.domain.record import Memory, MemoryId, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.shorten import shortened
from satchel.domain.text import readable
from satchel.domain.view import View, whole
from satchel.domain.words import STOP_WORDS, search_text
from satchel.errors import InvalidRequest, NotFound
from satchel.observe import explain, remedies, stops
from satchel.ports import KeptReceipt
from satchel.recall.lanes import Meaning
from satchel.recall.question import Mode
from satchel.recall.recollect import Recollection, recollect
from satchel.recall.request import Request, request
from satchel.recall.rerank import Opinion
from satchel.recall.whereabouts import Search, whereabouts
from satchel.store.admit import kinds_named, share

MAX_BEGINNING = 80
# So many telling words of a record are tried in the question.
TELLING_WORDS = 3
# Of so many words of a record it is asked how common they are.
COUNTED_WORDS = 64

_ENDS = Step("record", False, "not_found", "there is none of this id")


class Asking(Struct, frozen=True):
    """A recall as it was asked for, so that it can be asked again with a change."""

    query: str
    options: Mapping[str, Any]


class Explaining(Area):
    """Tells why."""

    # Why

    def why(
        self, receipt: str | None = None, *, last: bool = False, scope: str | None = None, elsewhere: bool = True
    ) -> Ok[Why]:
        """Say in words what a receipt tells. Without `elsewhere`, only receipts and records of one scope are told of."""
        started = self._clock.ticks()
        within = None if scope is None and elsewhere else self._reach(scope)
        kept = self._receipt_meant(receipt, last, within, elsewhere)
        told = explain.explained(kept, _masked)
        seen = self._beginnings(explain.named(told), within or _reach_of(told))
        told = explain.shown(told, seen, only_these=not elsewhere)
        asked: dict[str, Json] = {"digest": kept.digest, "last": last, "scope": within.name if within else None}
        facts: dict[str, Json] = {"operation": kept.operation, "mentioned": len(told.included) + len(told.left_out)}
        return Ok(told, self._receipt("why", started, asked=asked, decided=facts))

    def _receipt_meant(self, name: str | None, last: bool, within: Reach | None, elsewhere: bool) -> KeptReceipt:
        if last == (name is not None):
            raise InvalidRequest("why needs a receipt, or --last", code="missing_param", hint="give one of the two")
        scope = None if within is None else within.name
        found = self._newest(scope) if name is None else self._named(name, scope)
        allowed = [one for one in found if elsewhere or one.operation in explain.OF_AGENTS]
        if not allowed:
            wanted = "of the last answer" if name is None else f"that begins with {name[:80]!r}"
            raise NotFound(f"there is no receipt {wanted}", hint="'satchel receipts list' shows their names")
        if len({one.digest for one in allowed}) > 1:
            raise InvalidRequest(
                f"several receipts begin with {(name or '')[:80]!r}", code="ambiguous", hint="give more of it"
            )
        return allowed[0]

    def _named(self, name: str, scope: str | None) -> Sequence[KeptReceipt]:
        return self._ledger.receipts.find(readable(name), scope) if name.strip() else []

    def _newest(self, scope: str | None) -> Sequence[KeptReceipt]:
        recent = [one for name in explain.RECALL_LIKE for one in self._ledger.receipts.recent(1, name, scope)]
        return sorted(recent, key=lambda one: -one.seq)[:1]

    def _beginnings(self, ids: Sequence[str], within: Reach | None) -> dict[str, str]:
        """Return how records begin, of those that are still there within reach. What is quarantined is never shown."""
        if within is None:
            return {}
        view = _unquarantined(whole(within, self._clock.now()))
        memories = self._ledger.memories.fetch([MemoryId(id) for id in ids], view)
        seen = self._ledger.observations.fetch([ObservationId(id) for id in ids if is_observation_id(id)], view)
        texts: list[tuple[str, str]] = [(one.id, one.text) for one in memories.values()]
        texts += [(one.id, one.summary) for one in seen.values()]
        return {id: _beginning(text) for id, text in texts}

    # Why not

    def why_not(
        self,
        query: str,
        expect: str,
        *,
        scope: str | None = None,
        mode: str = "hybrid",
        limit: int | None = None,
        kinds: Sequence[str] = (),
        min_relevance: float | None = None,
        untrusted: bool = False,
        fallback: bool = True,
        elsewhere: bool = True,
    ) -> Ok[WhyNot]:
        """Say why a recall does not return a record, and what would have to change. It is the recall itself that tells."""
        started = self._clock.ticks()
        asking = Asking(
            query,
            {
                "scope": scope,
                "mode": mode,
                "limit": limit,
                "kinds": tuple(kinds),
                "min_relevance": min_relevance,
                "untrusted": untrusted,
                "fallback": fallback,
            },
        )
        asked = self._request(asking)
        ready = self._as_it_stands(asked)
        found = self._told(readable(expect), asking, asked, ready, elsewhere)
        facts = {**question_facts(asked.question.said), "scope": asked.view.reach.name, "mode": asked.question.mode}
        receipt = self._receipt(
            "why-not",
            started,
            asked={**facts, "limit": asked.question.limit, "expect": found.expect},
            considered={"embeddings_waiting": ready.waiting, "index_behind": ready.behind},
            decided={"rule": found.rule, "returned": found.returned},
            warnings=(ready.warning,) if ready.warning else (),
        )
        return Ok(found, receipt)

    def _told(self, id: str, asking: Asking, asked: Request, ready: upkeep.Readiness, elsewhere: bool) -> WhyNot:
        """Find out what an id names, lane by lane, and let that lane tell. A further lane is one more row here."""
        within = EVERYWHERE if elsewhere else _answering(asked, bool(asking.options["fallback"]))
        view = whole(within, self._clock.now())
        view = view if elsewhere else _unquarantined(view)
        lanes: Sequence[Callable[[], WhyNot | None]] = (
            lambda: self._memory(id, view, asking, asked, ready),
            lambda: self._observation(id, view, asking, asked),
        )
        told = next((found for lane in lanes if (found := lane()) is not None), None)
        told = told or self._gone_or_unknown(id, asked, elsewhere)
        return told if elsewhere else _without_commands(told)

    def _memory(self, id: str, view: View, asking: Asking, asked: Request, ready: upkeep.Readiness) -> WhyNot | None:
        memory = self._ledger.memories.fetch([MemoryId(id)], view).get(MemoryId(id))
        if memory is None:
            return None
        search = Search(asked, self._ledger, self._meaning(ready))
        at = whereabouts(memory, self._recollected(search, asking), search)
        facts = _facts(asked)
        rule = stops.rule_of(memory, at, facts)
        steps = (_found(memory), *stops.steps(memory, at, facts))
        stopped = next((one for one in steps if one.passed is False and one.rule == rule), steps[-1])
        return WhyNot(
            expect=id,
            record="memory",
            words="" if memory.trust is Trust.QUARANTINED else _beginning(memory.text),
            scope=asked.view.reach.name,
            mode=asked.question.mode,
            limit=asked.question.limit,
            returned=rule == stops.RETURNED,
            rule=rule,
            message=stopped.message,
            steps=steps,
            lanes=at.lanes,
            remedies=() if rule == stops.RETURNED else self._remedies(rule, memory, at, asking, facts, ready),
        )

    def _observation(self, id: str, view: View, asking: Asking, asked: Request) -> WhyNot | None:
        if not is_observation_id(id):
            return None
        found = self._ledger.observations.fetch([ObservationId(id)], view).get(ObservationId(id))
        if found is None:
            return None
        here = asked.view.reach.admits(found.scope)
        steps = [
            Step("record", True, "record", f"an observation of scope '{found.scope}', {found.trust}, {found.state}")
        ]
        steps += [] if here else [Step("scope", False, "scope", f"the question asked '{asked.view.reach.name}'")]
        steps.append(
            Step("lane", False, "other_lane", "a recall looks at memories; observations are evidence beside them")
        )
        command = f"satchel search {remedies.quoted(asking.query)} --scope {found.scope}"
        return WhyNot(
            expect=id,
            record="observation",
            words="" if found.trust is Trust.QUARANTINED else _beginning(found.summary),
            scope=asked.view.reach.name,
            mode=asked.question.mode,
            limit=asked.question.limit,
            returned=False,
            rule="other_lane",
            message=steps[-1].message,
            steps=tuple(steps),
            lanes=(),
            remedies=(Remedy("search the observations", command=command), remedies.last_resort(id, found.scope)),
        )

    def _gone_or_unknown(self, id: str, asked: Request, elsewhere: bool) -> WhyNot:
        """Tell a forgotten record from one that never was, as far as whoever asks may know."""
        taken = self._ledger.memories.known([MemoryId(id)], []).ids.get(MemoryId(id))
        # What still has a record, and was not found, is not for whoever asks.
        there = self._ledger.memories.fetch([MemoryId(id)], whole(EVERYWHERE, self._clock.now()))
        forgotten = taken is not None and not there and (elsewhere or asked.view.reach.admits(taken))
        step = (
            Step("record", False, "forgotten", "it was forgotten: only its empty tombstone is left")
            if forgotten
            else _ENDS
        )
        again = "tell it again, if it is to be known again" if forgotten else "look for it among those there are"
        command = f"satchel store TEXT --scope {taken}" if forgotten else "satchel list --all-scopes"
        return WhyNot(
            expect=id[:MAX_BEGINNING],
            record="forgotten" if forgotten else "unknown",
            words="",
            scope=asked.view.reach.name,
            mode=asked.question.mode,
            limit=asked.question.limit,
            returned=False,
            rule=step.rule,
            message=step.message,
            steps=(step,),
            lanes=(),
            remedies=(Remedy(again, command=command),),
        )

    def _remedies(
        self,
        rule: str,
        memory: Memory,
        at: Whereabouts,
        asking: Asking,
        facts: stops.Asked,
        ready: upkeep.Readiness,
    ) -> tuple[Remedy, ...]:
        """Try changes of the question on the spot, then name those of the store."""
        given = {name: _plain(value) for name, value in asking.options.items() if value not in (None, ())}
        tried = [
            remedies.of_question(options, asking.query, given)
            for family in remedies.ways(rule, memory, at, facts, asking.query, self._telling_words(memory, rule))
            if (options := next((one for one in family if self._returns(memory, one, asking, ready)), None))
        ]
        known = (*tried, *remedies.in_the_store(rule, memory, facts.scope))
        return known or (remedies.last_resort(memory.id, memory.scope),)

    def _returns(self, memory: Memory, change: Mapping[str, Json], asking: Asking, ready: upkeep.Readiness) -> bool:
        """Say whether the same recall with a change returns a record."""
        query = str(change.get("query", asking.query))
        options = {**asking.options, **{name: value for name, value in change.items() if name != "query"}}
        again = Asking(query, options)
        asked = self._request(again)
        if query != asking.query or "mode" in change:
            ready = self._as_it_stands(asked)
        found = self._recollected(Search(asked, self._ledger, self._meaning(ready)), again)
        return any(hit.memory.id == memory.id for hit in found.hits)

    def _telling_words(self, memory: Memory, rule: str) -> list[str]:
        """Return the words of a record that fewest others hold. A secret is none of them."""
        if rule not in remedies.BY_WORDS:
            return []
        plain = Memory(memory.id, _masked(memory.text), memory.scope, 0, 0, title=_masked(memory.title or ""))
        terms = [one for one in dict.fromkeys(search_text(plain).split()) if len(one) > 1 and one not in STOP_WORDS]
        held = self._ledger.memories.frequencies(terms[:COUNTED_WORDS]).holding
        words = [one for one in held if one not in _MASK_WORDS and not one.isdigit()]
        return sorted(words, key=lambda one: (held[one], one))[:TELLING_WORDS]

    # The same recall, without its traces

    def _request(self, asking: Asking) -> Request:
        given = dict(asking.options)
        least = given["min_relevance"]
        return request(
            asking.query,
            scope=given["scope"],
            limit=given["limit"],
            mode=given["mode"],
            kinds=kinds_named(given["kinds"]),
            min_relevance=None if least is None else share(least, "min relevance"),
            untrusted=given["untrusted"],
            policies=self._policies,
            now=self._clock.now(),
        )

    def _as_it_stands(self, asked: Request) -> upkeep.Readiness:
        if asked.question.mode is Mode.LEXICAL:
            return upkeep.Readiness()
        return upkeep.as_it_stands(self._derived, asked.question.text)

    def _meaning(self, ready: upkeep.Readiness) -> Meaning | None:
        if ready.vector is None or ready.space is None:
            return None
        return Meaning(ready.vector, ready.space, self._parts.index(), ready.current)

    def _recollected(self, search: Search, asking: Asking) -> Recollection:
        asked, policy = search.request, self._policies.rerank
        return recollect(
            asked.question,
            asked.placement,
            asked.view,
            self._ledger,
            search.meaning,
            asked.policies,
            opinion=Opinion(self._parts.reranker, policy) if policy.enabled else None,
            fallback=bool(asking.options["fallback"]),
        )


# The words that a mask leaves behind are of no record.
_MASK_WORDS = frozenset({"redacted"})


def _facts(asked: Request) -> stops.Asked:
    question, recall = asked.question, asked.policies.recall
    return stops.Asked(
        asked.view.reach.name, question.mode, question.limit, recall.min_relevance, tuple(map(str, asked.view.kinds))
    )


def _answering(asked: Request, fallback: bool) -> Reach:
    """Return the scopes that may answer a question."""
    policy, reach = asked.policies.scope, asked.view.reach
    return Reach((*reach.scopes, *policy.fallback_scopes)) if fallback and not reach.everywhere else reach


def _without_commands(told: WhyNot) -> WhyNot:
    """Leave out what is typed at a keyboard."""
    return replace(told, remedies=tuple(replace(one, command="") for one in told.remedies))


def _found(memory: Memory) -> Step:
    return Step("record", True, "record", f"a memory of scope '{memory.scope}': {memory.kind}, {memory.label}")


def _plain(value: Any) -> Json:
    return list(value) if isinstance(value, tuple) else value


def _masked(text: str) -> str:
    return redacted(text).text


def _beginning(text: str) -> str:
    """Return how a text begins, on one line and without its secrets: masked first, so that none is cut in half."""
    return shortened(" ".join(_masked(text).split()), MAX_BEGINNING)


def _unquarantined(view: View) -> View:
    return View(view.reach, view.now, view.states, (Trust.TRUSTED, Trust.UNTRUSTED), timeless=view.timeless)


def _reach_of(told: Why) -> Reach | None:
    """Return what the request of a receipt could see; None where it named no scope."""
    if told.scope is None:
        return None
    return EVERYWHERE if told.scope == "*" else Reach(tuple(told.scope.split(" ")))
