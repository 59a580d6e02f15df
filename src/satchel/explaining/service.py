"""Explaining: why an answer was what it was, and why a record was not in it. Reads only: nothing is written, no use counted."""

from collections.abc import Sequence
from typing import Annotated

from msgspec.structs import replace

from satchel.core.operations import Kinds, Param, Scope, operation
from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.observation import ObservationId
from satchel.domain.passage import EvidenceLane, PassageId, PassageView
from satchel.domain.receipt import question_facts
from satchel.domain.record import MemoryId, Trust
from satchel.domain.safety.preview import preview
from satchel.domain.safety.redact import mask
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.text import replace_undecodable
from satchel.domain.view import admin_view
from satchel.errors import InvalidRequest, NotFound
from satchel.explaining import explain
from satchel.explaining.missing import Missing
from satchel.explaining.rehearsal import RecallArguments, rehearse
from satchel.explaining.values import ReceiptExplanation, WhyNot
from satchel.ports import StoredReceipt
from satchel.recall.question import MAX_LIMIT, Mode
from satchel.recall.recaller import Recaller

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

    @operation("why", examples=("satchel why --last", "satchel why sha256:3f0c"))
    def why(
        self,
        receipt: Annotated[str | None, Param("its digest, or the beginning of the digest", positional=True)] = None,
        *,
        last: Annotated[bool, Param("the newest receipt of a recall, a turn, a packet or a route")] = False,
        scope: Annotated[str | None, Param("only receipts of this scope")] = None,
        elsewhere: _Elsewhere = True,
    ) -> Ok[ReceiptExplanation]:
        """Explain a receipt: what was asked, searched, chosen and excluded, and by which rule.

        It reads only the receipt. The beginning of a record is shown if the record still exists and is not quarantined.
        """
        started = self._clock.ticks()
        within = None if scope is None and elsewhere else self._reach(scope)
        kept = self._meant(receipt, last, within, elsewhere)
        told = explain.explain_receipt(kept, mask)
        seen = self._beginnings(explain.mentioned_ids(told), within or _reach_of(told))
        told = explain.with_texts(told, seen, only_these=not elsewhere)
        asked: dict[str, Json] = {"digest": kept.digest, "last": last, "scope": within.name if within else None}
        facts: dict[str, Json] = {"operation": kept.operation, "mentioned": len(told.included) + len(told.left_out)}
        return Ok(told, self._receipt("why", started, asked=asked, decided=facts))

    def _meant(self, name: str | None, last: bool, within: Reach | None, elsewhere: bool) -> StoredReceipt:
        """Return the receipt that is meant. That others bear a like name is no secret only where they may be seen."""
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

    def _named(self, name: str, scope: str | None) -> Sequence[StoredReceipt]:
        return self._ledger.receipts.find(replace_undecodable(name), scope) if name.strip() else []

    def _newest(self, scope: str | None) -> Sequence[StoredReceipt]:
        recent = [one for name in explain.RECALL_LIKE for one in self._ledger.receipts.recent(1, name, scope)]
        return sorted(recent, key=lambda one: -one.seq)[:1]

    def _beginnings(self, ids: Sequence[str], within: Reach | None) -> dict[str, str]:
        """Return how records begin, of those that are still there within reach. What is quarantined is never shown."""
        if within is None:
            return {}
        view = replace(admin_view(within, self._clock.now()), trusts=(Trust.TRUSTED, Trust.UNTRUSTED))
        memories = self._ledger.memories.fetch([MemoryId(id) for id in ids], view)
        seen = self._ledger.observations.fetch([ObservationId(id) for id in ids], view)
        texts: list[tuple[str, str]] = [(one.id, one.text) for one in memories.values()]
        texts += [(one.id, one.summary) for one in seen.values()]
        for lane in EvidenceLane:
            passages = self._ledger.passages.fetch([PassageId(id) for id in ids], PassageView(lane, within))
            texts += [(one.id, one.text) for one in passages.values()]
        return {id: preview(text) for id, text in texts}

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
        started = self._clock.ticks()
        arguments = RecallArguments(
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
        recall = rehearse(arguments, self._recaller, self._policies, self._clock.now())
        told = Missing(self._parts).told(replace_undecodable(expect), recall, elsewhere=elsewhere)
        question, ready = recall.request.question, recall.recalled.ready
        receipt = self._receipt(
            "why-not",
            started,
            asked={
                **question_facts(question.said),
                "scope": told.scope,
                "mode": question.mode,
                "limit": question.limit,
                "expect": told.expect,
            },
            considered={"embeddings_waiting": ready.waiting, "index_behind": ready.behind},
            decided={"rule": told.rule, "returned": told.returned},
            warnings=(ready.warning,) if ready.warning else (),
        )
        return Ok(told if elsewhere else _without_commands(told), receipt)


def _without_commands(told: WhyNot) -> WhyNot:
    """Leave out what is typed at a keyboard."""
    return replace(told, remedies=tuple(replace(one, command="") for one in told.remedies))


def _reach_of(told: ReceiptExplanation) -> Reach | None:
    """Return what the request of a receipt could see; None where it named no scope."""
    if told.scope is None:
        return None
    return EVERYWHERE if told.scope == "*" else Reach((told.scope,))
