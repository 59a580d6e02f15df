"""Missing: why a recall does not return a record, told by the lane that the record belongs to."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.core.service import Area
from satchel.documents.admitted import Admitted
from satchel.documents.fallback import ColdSearch
from satchel.documents.location import place_of
from satchel.documents.naming import cited
from satchel.documents.passages import collection_key, group_of
from satchel.domain.canonical import Json
from satchel.domain.explanation import LaneFinding, Remedy, Step, Whereabouts, WhyNot
from satchel.domain.facts import FactId
from satchel.domain.observation import ObservationId, is_observation_id
from satchel.domain.passage import EvidenceLane, Passage, PassageId, Sight, everything
from satchel.domain.record import Memory, MemoryId, Trust
from satchel.domain.safety.preview import beginning, masked
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View, whole
from satchel.domain.words import STOP_WORDS, search_text
from satchel.explaining import remedies, stops
from satchel.explaining.rehearsal import Rehearsal, Rehearsed
from satchel.recall.trace import whereabouts

# So many telling words of a record are tried in the question.
TELLING_WORDS = 3
# Of so many words of a record it is asked how common they are.
COUNTED_WORDS = 64
MAX_ID_CHARS = 200
# The words that a mask leaves behind are of no record.
MASK_WORDS = frozenset({"redacted"})


class Told(Struct, frozen=True):
    """What a lane has to say of a record."""

    record: str
    text: str
    """Empty where it may not be shown."""
    steps: tuple[Step, ...]
    """The stages of its way."""
    rule: str
    remedies: tuple[Remedy, ...] = ()
    lanes: tuple[LaneFinding, ...] = ()


class Missing(Area):
    """Tells what became of a record. Each lane has a method; a further lane is one more of them."""

    def told(self, id: str, recall: Rehearsed, *, elsewhere: bool) -> WhyNot:
        """Find out what an id names, and let its lane tell. Without `elsewhere`, only what answers the question is known."""
        within = EVERYWHERE if elsewhere else _answering(recall)
        lanes: Sequence[Callable[[], Told | None]] = (
            lambda: self._memory(id, within, recall, quarantined=elsewhere),
            lambda: self._observation(id, within, recall, quarantined=elsewhere),
            lambda: self._document(id, within, recall, quarantined=elsewhere),
            lambda: self._episode(id, within, recall, quarantined=elsewhere),
            lambda: self._fact(id, within, recall, quarantined=elsewhere),
        )
        told = next((found for lane in lanes if (found := lane()) is not None), None)
        return _answered(id, told or self._gone_or_unknown(id, within), recall)

    # Memories

    def _memory(self, id: str, within: Reach, recall: Rehearsed, *, quarantined: bool) -> Told | None:
        view = self._everything(within, quarantined=quarantined)
        memory = self._ledger.memories.fetch([MemoryId(id)], view).get(MemoryId(id))
        if memory is None:
            return None
        at, asked = whereabouts(memory, recall.found, recall.search), _asked(recall)
        rule = stops.rule_of(memory, at, asked)
        known = Step("record", True, "record", f"a memory of scope '{memory.scope}': {memory.kind}, {memory.label}")
        return Told(
            record="memory",
            text="" if memory.trust is Trust.QUARANTINED else memory.text,
            steps=(known, *stops.steps(memory, at, asked)),
            rule=rule,
            remedies=() if rule == stops.RETURNED else self._remedies(rule, memory, at, recall),
            lanes=at.lanes,
        )

    def _remedies(self, rule: str, memory: Memory, at: Whereabouts, recall: Rehearsed) -> tuple[Remedy, ...]:
        """Try changes of the question on the spot, then name those of the store."""
        asking, asked, rehearsal = recall.asking, _asked(recall), Rehearsal(self._parts)
        given = {name: _plain(value) for name, value in asking.options.items() if value not in (None, ())}
        words = self._telling_words(memory) if rule in remedies.BY_WORDS else []
        tried = [
            remedies.of_question(change, asking.query, given)
            for family in remedies.ways(rule, memory, at, asked, asking.query, words)
            if (change := next((one for one in family if rehearsal.returns(memory.id, one, recall)), None))
        ]
        known = (*tried, *remedies.in_the_store(rule, memory, asked.scope), *remedies.by_meaning(rule, at))
        return known or (remedies.last_resort(memory.id, memory.scope),)

    def _telling_words(self, memory: Memory) -> list[str]:
        """Return the words of a record that fewest others hold. A secret is none of them."""
        plain = Memory(memory.id, masked(memory.text), memory.scope, 0, 0, title=masked(memory.title or ""))
        terms = [one for one in dict.fromkeys(search_text(plain).split()) if len(one) > 1 and one not in STOP_WORDS]
        held = self._ledger.memories.frequencies(terms[:COUNTED_WORDS]).holding
        words = [one for one in held if one not in MASK_WORDS and not one.isdigit()]
        return sorted(words, key=lambda one: (held[one], one))[:TELLING_WORDS]

    # Evidence

    def _observation(self, id: str, within: Reach, recall: Rehearsed, *, quarantined: bool) -> Told | None:
        if not is_observation_id(id):
            return None
        view = self._everything(within, quarantined=quarantined)
        found = self._ledger.observations.fetch([ObservationId(id)], view).get(ObservationId(id))
        if found is None:
            return None
        told = _beside("observation", found.scope, found.trust, found.summary, "search", recall)
        return replace(told, remedies=(*told.remedies, remedies.last_resort(id, found.scope)))

    def _document(self, id: str, within: Reach, recall: Rehearsed, *, quarantined: bool) -> Told | None:
        policy, reach = self._policies.documents, recall.request.view.reach
        may_see = ColdSearch(self._parts).admitted(reach)
        among = within if within.everywhere else may_see.reach
        passage = self._passage(id, EvidenceLane.DOCUMENTS, among, quarantined=quarantined)
        if passage is None:
            return None
        seen = _is_admitted(passage, may_see, self._policies.scope.default_scope)
        if not seen and not within.everywhere:
            return None
        added, alone = Rehearsal(self._parts).documents(recall)
        rank = next((hit.rank for hit in alone.hits if hit.id == passage.id), None)
        steps = (
            stops.document(passage.scope, passage.ref or passage.group),
            stops.document_scope(seen, passage.scope, reach.name),
            stops.documents_wanted(policy.enabled),
            stops.documents_asked(bool(added.section.get("consulted")), len(recall.found.hits), policy.min_hot_items),
            stops.document_match(rank, len(alone.hits)),
            stops.document_limit(any(hit.id == passage.id for hit in added.docs), rank, policy.max_items),
        )
        rule = next((one.rule for one in steps if not one.passed), stops.RETURNED)
        help = remedies.for_document(rule, recall.asking.query, passage.scope, policy.max_items)
        return Told("document", passage.text, steps, rule, () if rule == stops.RETURNED else help)

    def _episode(self, id: str, within: Reach, recall: Rehearsed, *, quarantined: bool) -> Told | None:
        passage = self._passage(id, EvidenceLane.EPISODES, within, quarantined=quarantined)
        if passage is None:
            return None
        return _beside("episode", passage.scope, passage.trust, passage.text, "episodes search", recall)

    def _fact(self, id: str, within: Reach, recall: Rehearsed, *, quarantined: bool) -> Told | None:
        kept = self._ledger.facts.find(FactId(id), within)
        if kept is None or (kept.fact.assertion.trust is Trust.QUARANTINED and not quarantined):
            return None
        said = kept.fact.assertion
        text = f"{said.subject.ref} {said.predicate} {said.object.value}"
        return _beside("fact", said.scope, said.trust, text, "fact search", recall)

    def _passage(self, id: str, lane: EvidenceLane, within: Reach, *, quarantined: bool) -> Passage | None:
        """Return a passage by its id, or the one that a citation names."""
        sight = everything(lane, within) if quarantined else Sight(lane, within)
        found = self._ledger.passages.fetch([PassageId(id)], sight).get(PassageId(id))
        if found is not None or lane is not EvidenceLane.DOCUMENTS or (named := cited(id)) is None:
            return found
        pieces = self._ledger.passages.group(group_of(*named), sight)
        return next((one for one in pieces if id in (one.ref, f"doc:{one.group}")), None)

    # Nothing

    def _gone_or_unknown(self, id: str, within: Reach) -> Told:
        """Tell a forgotten record from one that never was, as far as whoever asks may know."""
        taken = self._ledger.memories.known([MemoryId(id)], []).ids.get(MemoryId(id))
        # What still has a record, and was not found, is not for whoever asks.
        there = self._ledger.memories.fetch([MemoryId(id)], whole(EVERYWHERE, self._clock.now()))
        erased = taken is not None and not there and within.admits(taken)
        erased = erased or (within.everywhere and bool(self._ledger.passages.forgotten([PassageId(id)])))
        rule, said = (
            ("forgotten", "it was forgotten: only its id is left")
            if erased
            else ("not_found", "there is none of this id")
        )
        remedy = remedies.of_nothing(taken if erased else None, forgotten=erased)
        return Told("forgotten" if erased else "unknown", "", (Step("record", False, rule, said),), rule, (remedy,))

    def _everything(self, within: Reach, *, quarantined: bool) -> View:
        view = whole(within, self._clock.now())
        return view if quarantined else replace(view, trusts=(Trust.TRUSTED, Trust.UNTRUSTED))


def _beside(record: str, scope: str, trust: Trust, text: str, command: str, recall: Rehearsed) -> Told:
    """Tell of a record that recalls do not look at, and name the search that does."""
    article = "an" if record[0] in "eo" else "a"
    known = Step("record", True, "record", f"{article} {record} of scope '{scope}', {trust}")
    beside = Step("lane", False, "other_lane", f"a recall looks at memories; {record}s are a lane beside them")
    search = remedies.in_another_lane(command, f"search the {record}s", recall.asking.query, scope)
    shown = "" if trust is Trust.QUARANTINED else text
    return Told(record, shown, (known, beside), "other_lane", (search,))


def _answered(id: str, told: Told, recall: Rehearsed) -> WhyNot:
    # A reason is anybody's words: one line, and no secret.
    steps = tuple(replace(one, message=" ".join(masked(one.message).split())) for one in told.steps)
    stopped = next((one for one in steps if one.passed is False and one.rule == told.rule), steps[-1])
    question = recall.request.question
    return WhyNot(
        expect=id[:MAX_ID_CHARS],
        record=told.record,
        words=beginning(told.text),
        scope=recall.request.view.reach.name,
        mode=question.mode,
        limit=question.limit,
        returned=told.rule == stops.RETURNED,
        rule=told.rule,
        message=stopped.message,
        steps=steps,
        lanes=told.lanes,
        remedies=told.remedies,
    )


def _answering(recall: Rehearsed) -> Reach:
    """Return the scopes that may answer a question."""
    policy, reach = recall.request.policies.scope, recall.request.view.reach
    asked = recall.asking.options["fallback"] and not reach.everywhere
    return Reach((*reach.scopes, *policy.fallback_scopes)) if asked else reach


def _is_admitted(passage: Passage, may_see: Admitted, default_scope: str) -> bool:
    """Say whether a piece of a document is in what a request may look into."""
    path = place_of(passage).path
    outside = may_see.below and passage.scope == default_scope and not path.startswith(f"{may_see.below}/")
    keys = {collection_key(one.scope, one.name) for one in may_see.collections}
    return passage.kind in keys and not outside


def _asked(recall: Rehearsed) -> stops.Asked:
    asked, question = recall.request, recall.request.question
    kinds = tuple(str(kind) for kind in asked.view.kinds)
    least = asked.policies.recall.min_relevance
    return stops.Asked(asked.view.reach.name, question.mode, question.limit, least, kinds)


def _plain(value: Json | tuple[str, ...]) -> Json:
    return list(value) if isinstance(value, tuple) else value
