"""Explain why a recall does not return a record, by the lane that the record belongs to."""

from collections.abc import Callable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.core.references import fact_ids, full_id, memory_ids, observation_ids, passage_ids
from satchel.core.service import Service
from satchel.domain.canonical import Json
from satchel.domain.facts import FactId
from satchel.domain.observation import ObservationId, is_observation_id
from satchel.domain.passage import EvidenceLane, PassageId, PassageView, all_passages
from satchel.domain.record import Memory, MemoryId, Trust
from satchel.domain.safety.preview import preview
from satchel.domain.safety.redact import mask
from satchel.domain.scope import EVERYWHERE, Reach, fallback_scopes
from satchel.domain.view import View, admin_view
from satchel.domain.words import STOP_WORDS, search_text
from satchel.explaining import remedies, stops
from satchel.explaining.rehearsal import Rehearsal
from satchel.explaining.values import Remedy, StageResult, WhyNot
from satchel.recall.fusion import VECTOR
from satchel.recall.relevance import PLAUSIBLE, likelihood
from satchel.recall.trace import trace_record
from satchel.recall.values import LaneFinding, RecordTrace

# How many rare words of a record are tried in the query.
MAX_RARE_WORDS = 3
# How many words of a record are checked for how rare they are.
COUNTED_WORDS = 64
MAX_ID_CHARS = 200
# Words of a masked secret, which are not the record's own.
MASK_WORDS = frozenset({"redacted"})


class LaneExplanation(Struct, frozen=True):
    """Why a record of one lane was returned or not."""

    record: str
    text: str
    """Empty if it must not be shown."""
    steps: tuple[StageResult, ...]
    """The stages it passed, up to the one that stopped it."""
    rule: str
    remedies: tuple[Remedy, ...] = ()
    lanes: tuple[LaneFinding, ...] = ()


class Missing(Service):
    """Explains what happened to a record. Each lane has a method."""

    def explain(self, id: str, recall: Rehearsal, *, elsewhere: bool) -> WhyNot:
        """Find the lane of an id and explain its record. Without `elsewhere`, only records in reach of the query are known."""
        within = EVERYWHERE if elsewhere else _reach_of_query(recall)
        id = self._full_id(id, within, quarantined=elsewhere)
        lanes: Sequence[Callable[[], LaneExplanation | None]] = (
            lambda: self._memory(id, within, recall, quarantined=elsewhere),
            lambda: self._observation(id, within, recall, quarantined=elsewhere),
            lambda: self._document(id, within, recall, quarantined=elsewhere),
            lambda: self._episode(id, within, recall, quarantined=elsewhere),
            lambda: self._fact(id, within, recall, quarantined=elsewhere),
        )
        explained = next((found for lane in lanes if (found := lane()) is not None), None)
        return _why_not(id, explained or self._gone_or_unknown(id, within), recall)

    def _full_id(self, reference: str, within: Reach, *, quarantined: bool) -> str:
        view = self._everything(within, quarantined=quarantined)
        return full_id(
            reference,
            memory_ids(self._ledger, view),
            observation_ids(self._ledger, view),
            passage_ids(self._ledger, _episodes(within, quarantined=quarantined)),
            fact_ids(self._ledger, view),
        )

    # Memories

    def _memory(self, id: str, within: Reach, recall: Rehearsal, *, quarantined: bool) -> LaneExplanation | None:
        view = self._everything(within, quarantined=quarantined)
        memory = self._ledger.memories.fetch([MemoryId(id)], view).get(MemoryId(id))
        if memory is None:
            return _damaged() if self._ledger.memories.salvage(MemoryId(id), view) else None
        at, asked = trace_record(memory, recall.recalled), _recall_options(recall)
        rule = stops.stopping_rule(memory, at)
        known = StageResult(
            "record", True, "record", f"a memory of scope '{memory.scope}': {memory.kind}, {memory.label}"
        )
        return LaneExplanation(
            record="memory",
            text="" if memory.trust is Trust.QUARANTINED else memory.text,
            steps=(known, *stops.steps(memory, at, asked)),
            rule=rule,
            remedies=() if rule == stops.RETURNED else self._remedies(rule, memory, at, recall),
            lanes=at.lanes,
        )

    def _remedies(self, rule: str, memory: Memory, at: RecordTrace, recall: Rehearsal) -> tuple[Remedy, ...]:
        """Return changes of the query that were tried and work, then changes of the store."""
        arguments, asked = recall.arguments, _recall_options(recall)
        given = {name: _plain(value) for name, value in arguments.options.items() if value not in (None, ())}
        words = self._rare_words(memory) if rule in remedies.BY_WORDS else []
        tried = [
            remedies.question_remedy(change, arguments.query, given)
            for family in remedies.question_changes(rule, memory, at, asked, arguments.query, words)
            if (change := next((one for one in family if recall.would_return(memory.id, one)), None))
        ]
        known = (*tried, *remedies.store_remedies(rule, memory, asked.scope), *remedies.meaning_remedies(rule, at))
        return known or (remedies.last_resort(memory.id, memory.scope),)

    def _rare_words(self, memory: Memory) -> list[str]:
        """Return the rarest words of a record, secrets excluded."""
        plain = Memory(memory.id, mask(memory.text), memory.scope, 0, 0, title=mask(memory.title or ""))
        terms = [one for one in dict.fromkeys(search_text(plain).split()) if len(one) > 1 and one not in STOP_WORDS]
        held = self._ledger.memories.frequencies(terms[:COUNTED_WORDS]).holding
        words = [one for one in held if one not in MASK_WORDS and not one.isdigit()]
        return sorted(words, key=lambda one: (held[one], one))[:MAX_RARE_WORDS]

    # Evidence

    def _observation(self, id: str, within: Reach, recall: Rehearsal, *, quarantined: bool) -> LaneExplanation | None:
        if not is_observation_id(id):
            return None
        view = self._everything(within, quarantined=quarantined)
        found = self._ledger.observations.fetch([ObservationId(id)], view).get(ObservationId(id))
        if found is None:
            return None
        explained = _in_other_lane("observation", found.scope, found.trust, found.summary, "search", recall)
        return replace(explained, remedies=(*explained.remedies, remedies.last_resort(id, found.scope)))

    def _document(self, id: str, within: Reach, recall: Rehearsal, *, quarantined: bool) -> LaneExplanation | None:
        policy, reach, found = self._policies.documents, recall.request.view.reach, recall.recalled.found.plausible
        known = recall.recaller.document_lane.passage(id, within, reach, quarantined=quarantined)
        if known is None:
            return None
        passage, seen = known
        question = recall.request.question
        added = recall.recaller.documents(recall.request, found, dry_run=True)
        pool = max(policy.search_fts_k, policy.search_vec_k)
        alone = recall.recaller.document_lane.ranked(question.text, question.mode, reach, pool, dry_run=True)
        hit = next((hit for hit in alone if hit.id == passage.id), None)
        rank, least = hit.rank if hit else None, max(recall.request.policies.recall.min_relevance, PLAUSIBLE)
        calibrated = recall.recalled.found.calibrated
        likely = likelihood(hit.relevance, rated=calibrated and VECTOR in hit.match) if hit else 0.0
        steps = (
            stops.document(passage.scope, passage.ref or passage.group),
            stops.document_scope(seen, passage.scope, reach.name),
            stops.documents_wanted(policy.enabled),
            stops.documents_asked(bool(added.section.consulted), found, policy.min_hot_items),
            stops.document_match(rank, len(alone)),
            stops.document_relevance(likely, least),
            stops.document_limit(any(hit.id == passage.id for hit in added.docs), rank, policy.max_items),
        )
        rule = next((one.rule for one in steps if not one.passed), stops.RETURNED)
        help = remedies.document_remedies(rule, recall.arguments.query, passage.scope, policy.max_items)
        return LaneExplanation("document", passage.text, steps, rule, () if rule == stops.RETURNED else help)

    def _episode(self, id: str, within: Reach, recall: Rehearsal, *, quarantined: bool) -> LaneExplanation | None:
        sight = _episodes(within, quarantined=quarantined)
        passage = self._ledger.passages.fetch([PassageId(id)], sight).get(PassageId(id))
        if passage is None:
            return None
        return _in_other_lane("episode", passage.scope, passage.trust, passage.text, "episodes search", recall)

    def _fact(self, id: str, within: Reach, recall: Rehearsal, *, quarantined: bool) -> LaneExplanation | None:
        kept = self._ledger.facts.find(FactId(id), within)
        if kept is None or (kept.fact.assertion.trust is Trust.QUARANTINED and not quarantined):
            return None
        said = kept.fact.assertion
        text = f"{said.subject.ref} {said.predicate} {said.object.value}"
        return _in_other_lane("fact", said.scope, said.trust, text, "fact search", recall)

    # No record

    def _gone_or_unknown(self, id: str, within: Reach) -> LaneExplanation:
        """Distinguish a forgotten record from an unknown id, as far as the caller may know."""
        taken = self._ledger.memories.known([MemoryId(id)], []).ids.get(MemoryId(id))
        # A record that still exists but was not found is not visible to the caller.
        there = self._ledger.memories.ids_between(id, id, admin_view(EVERYWHERE, self._clock.now()), 1)
        erased = taken is not None and not there and within.admits(taken)
        erased = erased or (within.everywhere and bool(self._ledger.passages.forgotten([PassageId(id)])))
        rule, said = (
            ("forgotten", "it was forgotten: only its id is left") if erased else ("not_found", "no record has this id")
        )
        remedy = remedies.missing_record_remedy(taken if erased else None, forgotten=erased)
        return LaneExplanation(
            "forgotten" if erased else "unknown", "", (StageResult("record", False, rule, said),), rule, (remedy,)
        )

    def _everything(self, within: Reach, *, quarantined: bool) -> View:
        view = admin_view(within, self._clock.now())
        return view if quarantined else replace(view, trusts=(Trust.TRUSTED, Trust.UNTRUSTED))


def _episodes(within: Reach, *, quarantined: bool) -> PassageView:
    lane = EvidenceLane.EPISODES
    return all_passages(lane, within) if quarantined else PassageView(lane, within)


def _damaged() -> LaneExplanation:
    step = StageResult("record", False, "damaged", "its stored bytes are damaged")
    return LaneExplanation("memory", "", (step,), "damaged", (remedies.damaged_record_remedy(),))


def _in_other_lane(
    record: str, scope: str, trust: Trust, text: str, command: str, recall: Rehearsal
) -> LaneExplanation:
    """Explain a record that recall does not search, with the command that does."""
    article = "an" if record[0] in "eo" else "a"
    known = StageResult("record", True, "record", f"{article} {record} of scope '{scope}', {trust}")
    other_lane = StageResult(
        "lane", False, "other_lane", f"a recall looks at memories; {record}s are a lane beside them"
    )
    search = remedies.lane_search_remedy(command, f"search the {record}s", recall.arguments.query, scope)
    shown = "" if trust is Trust.QUARANTINED else text
    return LaneExplanation(record, shown, (known, other_lane), "other_lane", (search,))


def _why_not(id: str, explained: LaneExplanation, recall: Rehearsal) -> WhyNot:
    # A stored reason may contain anything: keep it to one line, without secrets.
    steps = tuple(replace(one, message=" ".join(mask(one.message).split())) for one in explained.steps)
    stopped = next((one for one in steps if one.passed is False and one.rule == explained.rule), steps[-1])
    question = recall.request.question
    return WhyNot(
        expect=id[:MAX_ID_CHARS],
        record=explained.record,
        words=preview(explained.text),
        scope=recall.request.view.reach.name,
        mode=question.mode,
        limit=question.limit,
        returned=explained.rule == stops.RETURNED,
        rule=explained.rule,
        message=stopped.message,
        steps=steps,
        lanes=explained.lanes,
        remedies=explained.remedies,
    )


def _reach_of_query(recall: Rehearsal) -> Reach:
    """Return the scopes that may answer the query."""
    request, reach = recall.request, recall.request.view.reach
    if reach.everywhere or not request.fallback:
        return reach
    return Reach((*reach.scopes, *fallback_scopes(request.placement, request.policies.scope)))


def _recall_options(recall: Rehearsal) -> stops.RecallOptions:
    asked, question = recall.request, recall.request.question
    kinds = tuple(str(kind) for kind in asked.view.kinds)
    least = asked.policies.recall.min_relevance
    return stops.RecallOptions(asked.view.reach.name, question.mode, question.limit, least, kinds, asked.view.media)


def _plain(value: Json | tuple[str, ...]) -> Json:
    return list(value) if isinstance(value, tuple) else value
