"""Explaining: why an answer contains what it does, and why it lacks a record. Read-only: no use is counted."""

from collections.abc import Iterator, Sequence
from typing import Annotated

from msgspec.structs import replace

from satchel.core.operations import AllScopes, Kinds, Media, Param, Scope, operation
from satchel.core.parts import Parts
from satchel.core.references import full_id, memory_ids
from satchel.core.service import Service, page_size, receipt_mark
from satchel.domain.arguments import check_range
from satchel.domain.changes import COMPARED_KINDS
from satchel.domain.edges import EdgeType
from satchel.domain.envelope import Ok
from satchel.domain.observation import ObservationId
from satchel.domain.passage import EvidenceLane, PassageId, PassageView
from satchel.domain.receipt import question_facts
from satchel.domain.record import MemoryId, Trust
from satchel.domain.safety.preview import preview
from satchel.domain.safety.redact import mask
from satchel.domain.scope import EVERYWHERE, Reach, not_within
from satchel.domain.text import replace_undecodable
from satchel.domain.view import View, admin_view, without_quarantined
from satchel.errors import InvalidRequest
from satchel.explaining import explain
from satchel.explaining.conflict_pairs import conflict_pair
from satchel.explaining.conflicts import find_conflicts
from satchel.explaining.missing import Missing
from satchel.explaining.receipt_search import ReceiptSearch
from satchel.explaining.rehearsal import RecallArguments, rehearse
from satchel.explaining.uses import SEARCHED_RECEIPTS, links_of, uses_of, versions_of
from satchel.explaining.values import (
    AnswerList,
    ConflictPair,
    Conflicts,
    ReceiptExplanation,
    RecordPreview,
    Uses,
    WhyNot,
)
from satchel.recall.recaller import Recaller
from satchel.recall.request import MAX_LIMIT, Mode

MAX_CONFLICTS = 200
MAX_USES = 100
# Maximum number of memories whose words are compared, newest first.
MAX_COMPARED = 20_000

_Elsewhere = Annotated[
    bool,
    Param(
        "also tell about records in other scopes",
        off="say nothing about records in other scopes, as an agent is told",
        operator_only=True,
    ),
]


class Explaining(Service):
    """Explains answers from their receipts, and missing records by repeating the recall."""

    def __init__(self, parts: Parts, recaller: Recaller) -> None:
        super().__init__(parts)
        self._recaller = recaller

    # Why

    @operation("why", examples=("satchel why --last", "satchel why sha256:3f0c", "satchel why ID"))
    def why(
        self,
        receipt: Annotated[
            str | None,
            Param(
                "digest of the receipt or its beginning, or the id of a record that a recent answer considered",
                positional=True,
            ),
        ] = None,
        *,
        last: Annotated[
            bool, Param("the newest answer: a recall, what a turn injected, a pack, a packet or a route")
        ] = False,
        scope: Annotated[str | None, Param("only receipts of this scope")] = None,
        elsewhere: _Elsewhere = True,
    ) -> Ok[ReceiptExplanation]:
        """Explain a receipt: what was asked, searched, chosen and excluded, and by which rule.

        It reads only the receipt. The beginning of a record is shown if the record still exists and is not quarantined.
        """
        with self._run("why") as run:
            within = None if scope is None and elsewhere else self._reach(scope)
            stored = ReceiptSearch(self._parts).find(receipt, last, within, elsewhere)
            why = explain.explain_receipt(stored, mask)
            previews = self._previews(explain.mentioned_ids(why), within or _reach_of(why), quarantined=elsewhere)
            if within is None:
                # What an answer contains may come from a fallback scope. Only the operator names no scope.
                previews |= self._previews(explain.included_ids(why), EVERYWHERE, quarantined=True)
            why = explain.with_previews(why, previews, only_these=not elsewhere)
            run.asked = {"digest": stored.digest, "last": last, "scope": within.name if within else None}
            return run.done(why, operation=stored.operation, mentioned=len(why.included) + len(why.left_out))

    def _previews(self, ids: Sequence[str], within: Reach | None, *, quarantined: bool) -> dict[str, RecordPreview]:
        """Return the records that still exist within reach. Of quarantined ones, nothing but that they exist."""
        if within is None:
            return {}
        view = admin_view(within, self._clock.now())
        view = view if quarantined else without_quarantined(view)
        memories = self._ledger.memories.fetch([MemoryId(id) for id in ids], view)
        observations = self._ledger.observations.fetch([ObservationId(id) for id in ids], view)
        found: dict[str, RecordPreview] = {one.id: _preview("memory", one.text, one.trust) for one in memories.values()}
        found |= {one.id: _preview("observation", one.summary, one.trust) for one in observations.values()}
        for lane in EvidenceLane:
            passages = self._ledger.passages.fetch([PassageId(id) for id in ids], PassageView(lane, within))
            found |= {one.id: RecordPreview(lane.value, preview(one.text)) for one in passages.values()}
        return found

    # Answers

    @operation(
        "answers",
        operator_only=True,
        examples=("satchel answers", 'satchel answers --operation "turn before" --operation pack --limit 50'),
    )
    def answers(
        self,
        *,
        operations: Annotated[
            Sequence[str],
            Param("only answers of this operation, such as recall, pack or 'turn before'", flag="operation"),
        ] = (),
        scope: Annotated[str | None, Param("only answers in this scope")] = None,
        limit: Annotated[int, Param("how many to return, 1 to 5000")] = 20,
        before: Annotated[int | None, Param("continue after the previous page: its 'next'")] = None,
    ) -> Ok[AnswerList]:
        """List recent answers: turns, packs, packets, routes and searches, and how much each contains.

        'satchel why RECEIPT' explains one of them.
        """
        with self._run("answers") as run:
            wanted = _answering(operations)
            size, mark = page_size(limit), receipt_mark(before)
            name = None if scope is None else replace_undecodable(scope)
            recent = [one for kind in wanted for one in self._ledger.receipts.recent(size, kind, name, before=mark)]
            newest = sorted(recent, key=lambda one: -one.seq)[:size]
            following = newest[-1].seq if len(newest) == size else None
            run.asked = {"operations": [*wanted], "scope": name, "limit": size, "before": mark}
            answers = explain.summarize_answers(newest, lambda ids: self._previews(ids, EVERYWHERE, quarantined=True))
            return run.done(AnswerList(answers, following), returned=len(answers))

    # Uses

    @operation("uses", operator_only=True, examples=("satchel uses ID", "satchel uses ID --limit 50"))
    def uses(
        self,
        id: Annotated[str, Param("id of the memory", positional=True)],
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        limit: Annotated[int, Param(f"how many answers to return, 1 to {MAX_USES}")] = 20,
    ) -> Ok[Uses]:
        """Show which recalls, turns and packs used a memory, what it replaced, and what is linked with it.

        Reads the newest receipts; each use comes with the rule that selected the memory or left it out.
        """
        with self._run("uses") as run:
            most = check_range(limit, "limit", 1, MAX_USES, "such as 20")
            view = admin_view(self._reach(scope, all_scopes), self._clock.now())
            meant = MemoryId(full_id(replace_undecodable(id), memory_ids(self._ledger, view)))
            memory = self._ledger.memories.fetch([meant], view).get(meant)
            if memory is None:
                raise not_within(f"memory {id[:80]!r}", view.reach)
            details = self._ledger.details.of([meant]).get(meant)
            found = Uses(
                id=meant,
                last_used_at=self._ledger.usage.last_used_at([meant]).get(meant),
                uses=tuple(uses_of(self._ledger, meant, most)),
                searched=SEARCHED_RECEIPTS,
                versions=versions_of(self._ledger, memory, view),
                links=tuple(links_of(self._ledger, memory, view)),
                details=details.data if details else {},
                source_refs=details.source_refs if details else (),
            )
            run.asked = {"id": meant, "scope": view.reach.name, "limit": most}
            return run.done(found, uses=len(found.uses))

    # Why not

    @operation(
        "why-not",
        served=True,
        examples=(
            'satchel why-not --query "release day" --expect ID',
            'satchel why-not --query "tea" --expect ID --mode lexical',
        ),
    )
    def why_not(
        self,
        query: Annotated[str, Param("what was looked for", stdin=True)],
        expect: Annotated[str, Param("id of the record that was expected")],
        *,
        scope: Scope = None,
        mode: Annotated[str, Param("by words, by meaning, or both", choices=Mode)] = "hybrid",
        limit: Annotated[int | None, Param(f"how many to return, 1 to {MAX_LIMIT}; 5 unless set otherwise")] = None,
        kinds: Kinds = (),
        media: Media = None,
        min_relevance: Annotated[float | None, Param("leave out hits less relevant than this, from 0 to 1")] = None,
        untrusted: Annotated[
            bool, Param("search untrusted memories at once, not only when no trusted one answers")
        ] = False,
        fallback: Annotated[
            bool, Param("look in the fallback scopes too", off="do not look in the fallback scopes", operator_only=True)
        ] = True,
        elsewhere: _Elsewhere = True,
    ) -> Ok[WhyNot]:
        """Say why a recall does not return a record, and what would have to change.

        Runs the same recall with the same options; nothing is written and no use is counted. A change of the question
        is suggested only after it was tried.
        """
        with self._run("why-not") as run:
            arguments = RecallArguments(
                query,
                {
                    "scope": scope,
                    "mode": mode,
                    "limit": limit,
                    "kinds": tuple(kinds),
                    "media": media,
                    "min_relevance": min_relevance,
                    "untrusted": untrusted,
                    "fallback": fallback,
                },
            )
            recall = rehearse(arguments, self._recaller, self._policies, self._clock.now())
            why_not = Missing(self._parts).explain(replace_undecodable(expect), recall, elsewhere=elsewhere)
            question, ready = recall.request.question, recall.recalled.ready
            run.asked = {
                **question_facts(question.said),
                "scope": why_not.scope,
                "mode": question.mode,
                "limit": question.limit,
                "expect": why_not.expect,
            }
            run.considered = {"embeddings_waiting": ready.waiting, "index_behind": ready.behind}
            run.decided = {"rule": why_not.rule, "returned": why_not.returned}
            run.warn(ready.warning)
            return run.done(why_not if elsewhere else _without_commands(why_not))

    # Conflicts

    @operation(
        "conflicts",
        operator_only=True,
        long=True,
        examples=("satchel conflicts", "satchel conflicts --scope project/shop --limit 50"),
    )
    def conflicts(
        self,
        *,
        scope: Scope = None,
        limit: Annotated[int, Param(f"maximum number of pairs, 1 to {MAX_CONFLICTS}")] = 20,
        all_scopes: AllScopes = False,
    ) -> Ok[Conflicts]:
        """List memories that contradict each other, the newer one first, and how to resolve it.

        First those that an edge links, then those whose words contradict each other: the opposite, another value or another
        number about the same subject. Only memories in use are compared, each with those of its own scope.
        """
        with self._run("conflicts") as run:
            most = check_range(limit, "limit", 1, MAX_CONFLICTS, "such as 20")
            reach = self._reach(scope, all_scopes)
            view = View(reach, self._clock.now())
            memories = self._ledger.memories.page(replace(view, kinds=COMPARED_KINDS), MAX_COMPARED + 1)
            linked = [*self._linked(view, most + 1)]
            known = {frozenset((one.newer.id, one.older.id)) for one in linked}
            search = find_conflicts(memories[:MAX_COMPARED])
            told = [one for one in search.found if frozenset((one.newer.id, one.older.id)) not in known]
            found = [*linked, *(conflict_pair(one.newer, one.older, one.reason) for one in told)]
            complete = search.complete and len(memories) <= MAX_COMPARED and len(found) <= most
            run.asked = {"scope": reach.name, "limit": most}
            run.considered = {"compared": min(len(memories), MAX_COMPARED)}
            run.decided = {"conflicts": [[one.newer.id, one.older.id] for one in found[:most]]}
            if len(found) > most:
                run.warn(f"conflicts_incomplete: {most} of {len(found)} or more conflicts are listed: raise --limit")
            if len(memories) > MAX_COMPARED:
                run.warn(
                    f"conflicts_incomplete: only the newest {MAX_COMPARED:,} memories were compared: name a --scope"
                )
            elif not search.complete:
                run.warn("conflicts_incomplete: not every pair was compared: too many memories share their words")
            return run.done(Conflicts(reach.name, tuple(found[:most]), min(len(memories), MAX_COMPARED), complete))

    def _linked(self, view: View, limit: int) -> Iterator[ConflictPair]:
        """Yield the pairs that an edge links."""
        edges = self._ledger.edges.between(EdgeType.CONTRADICTS, view, limit)
        memories = self._ledger.memories.fetch([id for one in edges for id in (one.source, one.target)], view)
        seen = set[frozenset[MemoryId]]()
        for edge in edges:
            pair = frozenset((edge.source, edge.target))
            if pair not in seen and pair <= memories.keys():
                seen.add(pair)
                older, newer = sorted((memories[id] for id in pair), key=lambda one: (one.created_at, one.id))
                yield conflict_pair(newer, older, "linked as contradicting", linked=True)


def _answering(operations: Sequence[str]) -> Sequence[str]:
    """Return the operations whose answers are wanted, each once; all that select records if none is named."""
    for name in operations:
        if name not in explain.RECALL_LIKE:
            raise InvalidRequest(
                f"unknown operation {str(name)[:40]!r}",
                code="unknown_word",
                hint=f"one of: {', '.join(explain.RECALL_LIKE)}",
            )
    return [*dict.fromkeys(operations)] or explain.RECALL_LIKE


def _without_commands(why_not: WhyNot) -> WhyNot:
    """Remove the commands of remedies: an agent cannot run them."""
    return replace(why_not, remedies=tuple(replace(one, command="") for one in why_not.remedies))


def _preview(record: str, text: str, trust: Trust) -> RecordPreview:
    return RecordPreview(record, "" if trust is Trust.QUARANTINED else preview(text))


def _reach_of(why: ReceiptExplanation) -> Reach | None:
    """Return what the explained request could see, or None if it named no scope."""
    if why.scope is None:
        return None
    return EVERYWHERE if why.scope == "*" else Reach((why.scope,))
