"""Find what a captured statement replaces or contradicts, among the trusted memories of its scope.

Recall finds the candidates, by words and meaning; the words decide. One clear candidate is replaced; several are only
named. A statement that contradicts a memory without saying that it changes anything replaces nothing.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.domain.concern import Concern, concern, makes_choice
from satchel.domain.contradiction import contradiction
from satchel.domain.ranking import Hit
from satchel.domain.record import Kind, Memory, MemoryId, State, Trust
from satchel.domain.scope import Placement, Reach
from satchel.domain.statements.changes import AnnouncedChange
from satchel.domain.statements.comparable import Statement, analyse
from satchel.domain.view import View
from satchel.domain.words import question_terms
from satchel.recall.recaller import Recaller
from satchel.recall.request import Mode, RecallRequest, parse_question
from satchel.turns.extract import CaptureCandidate
from satchel.turns.replaced_rule import StoredRule, find_replaced_rule

# Kinds of memories that a statement can replace.
REPLACEABLE = (Kind.PREFERENCE, Kind.DECISION, Kind.PROCEDURE, Kind.FACT, Kind.OTHER)
# Maximum number of memories that are compared with a statement, per question.
MAX_COMPARED = 20
MAX_NEWEST_RULES = 100
MAX_LINKED = 5
# Maximum number of retired memories that are followed to what replaced them.
MAX_RETIRED = 10
MAX_SUCCESSORS = 20
# Minimum relevance at which meaning alone identifies the rule that the user named, and its lead over the second.
CLEAR_RELEVANCE = 0.6
CLEAR_LEAD = 2.0


class Replacement(Struct, frozen=True):
    """What a statement replaces or contradicts."""

    replaced: MemoryId | None = None
    candidates: tuple[MemoryId, ...] = ()
    """What it could replace, if that is not clear; most likely first."""
    contradicted: tuple[MemoryId, ...] = ()
    """What it contradicts without saying that it changes anything."""
    linked: tuple[MemoryId, ...] = ()
    """The candidates and contradicted memories that are about the same subject."""


class Replacements(Service):
    """Finds what statements replace."""

    def __init__(self, parts: Parts, recaller: Recaller) -> None:
        super().__init__(parts)
        self._recaller = recaller

    def find(self, one: CaptureCandidate, placement: Placement) -> Replacement:
        """Find what a captured statement replaces or contradicts in its scope."""
        if one.kind is Kind.TODO:
            return Replacement()
        if one.replaces:
            return self._rule(one, placement)
        said = analyse(one.text)
        if said.change is None:
            return _contradicted(said, self._recall([one.text], placement, Mode.LEXICAL))
        known = self._recall([one.text, f"{said.change.old} {said.change.subject}"], placement, Mode.HYBRID)
        compared = [(hit.memory.id, concern(said, analyse(hit.memory.text))) for hit in known]
        clear = [id for id, concerned in compared if concerned is Concern.CLEAR]
        if not clear and said.change.returns:
            clear = self._successors(said.change, placement)
        if len(clear) == 1:
            return Replacement(clear[0])
        unclear = tuple(clear or [id for id, concerned in compared if concerned is Concern.POSSIBLE])[:MAX_LINKED]
        return Replacement(candidates=unclear, linked=unclear) if unclear else _contradicted(said, known)

    def _rule(self, one: CaptureCandidate, placement: Placement) -> Replacement:
        """Find the rule that the user asks to replace."""
        hits = self._recall([one.about or one.text], placement, Mode.HYBRID)
        view = replace(self._view(placement), kinds=(Kind.PREFERENCE, Kind.DECISION))
        rules = {rule.id: rule for rule in self._ledger.memories.page(view, MAX_NEWEST_RULES)}
        rules |= {hit.memory.id: hit.memory for hit in hits if hit.memory.kind in view.kinds}
        found = find_replaced_rule(
            one.text, one.about, [StoredRule(rule.id, rule.text, rule.created_at) for rule in rules.values()]
        )
        if found.replaced is not None:
            return Replacement(MemoryId(found.replaced))
        candidates = tuple(MemoryId(id) for id in found.candidates)
        by_meaning = _clear_by_meaning([hit for hit in hits if hit.memory.id in rules])
        if by_meaning is not None and (not found.related or by_meaning in candidates):
            return Replacement(by_meaning)
        return Replacement(candidates=candidates, linked=candidates if found.related else ())

    def _successors(self, change: AnnouncedChange, placement: Placement) -> list[MemoryId]:
        """Return the memories that now stand in the place of the earlier choice a change returns to."""
        retired = replace(self._view(placement), states=(State.RETIRED,))
        matches = self._ledger.memories.match(question_terms(change.returns), retired, MAX_RETIRED)
        earlier = self._ledger.memories.fetch([one.id for one in matches], retired).values()
        chosen = [one for one in earlier if makes_choice(change.returns, change.subject, analyse(one.text))]
        return list(dict.fromkeys(one.id for one in self._living(chosen, placement)))

    def _living(self, retired: Iterable[Memory], placement: Placement) -> Iterable[Memory]:
        """Yield the memory in use that each retired one was replaced by, directly or over others."""
        live, all_states = self._view(placement), replace(self._view(placement), states=tuple(State))
        for one in retired:
            memory: Memory | None = one
            for _ in range(MAX_SUCCESSORS):
                if memory is None or memory.replaced_by is None:
                    break
                memory = self._ledger.memories.fetch([memory.replaced_by], all_states).get(memory.replaced_by)
            if memory is not None and memory.state in live.states:
                yield memory

    def _recall(self, questions: Sequence[str], placement: Placement, mode: Mode) -> list[Hit]:
        policy = replace(self._policies.recall, min_relevance=0.0, tiers=False, trust_gate=False)
        policies, found = replace(self._policies, recall=policy), dict[MemoryId, Hit]()
        for text in filter(str.strip, questions):
            question = parse_question(text, mode, MAX_COMPARED)
            request = RecallRequest(question, placement, self._view(placement), policies, fallback=False)
            recalled = self._recaller.recall(request).found
            for hit in recalled.hits:
                # Compared with fixed numbers, whether or not meaning was rated.
                found.setdefault(hit.memory.id, replace(hit, relevance=recalled.likelihood(hit)))
        return list(found.values())

    def _view(self, placement: Placement) -> View:
        return View(Reach((placement.scope,)), self._clock.now(), kinds=REPLACEABLE, trusts=(Trust.TRUSTED,))


def _contradicted(said: Statement, hits: Sequence[Hit]) -> Replacement:
    opposed = [hit.memory.id for hit in hits if contradiction(said, analyse(hit.memory.text))]
    return Replacement(contradicted=tuple(opposed[:MAX_LINKED]), linked=tuple(opposed[:MAX_LINKED]))


def _clear_by_meaning(hits: Sequence[Hit]) -> MemoryId | None:
    """Return the rule whose relevance to the named subject leads clearly."""
    ranked = sorted(hits, key=lambda hit: (-hit.relevance, hit.memory.id))
    best, second = [*(hit.relevance for hit in ranked[:2]), 0.0, 0.0][:2]
    return ranked[0].memory.id if best >= CLEAR_RELEVANCE and best >= CLEAR_LEAD * second else None
