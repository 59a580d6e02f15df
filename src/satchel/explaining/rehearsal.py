"""Rehearsal: a recall as it would be made now, by the same functions, without its traces. Nothing is embedded, indexed or kept."""

from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from satchel.core.service import Area
from satchel.documents.fallback import ColdSearch, Searched
from satchel.domain.admit import kinds_named, share
from satchel.domain.canonical import Json
from satchel.domain.document_hits import ColdLane
from satchel.indexing import passages as evidence
from satchel.indexing import upkeep
from satchel.recall.question import Mode
from satchel.recall.request import Request, request
from satchel.recall.rerank import Opinion
from satchel.recall.trace import Search
from satchel.recall.with_fallback import Recollection, recollect


class Asking(Struct, frozen=True):
    """A recall as it was asked for, so that it can be asked again with a change."""

    query: str
    options: Mapping[str, Any]

    def changed(self, change: Mapping[str, Json]) -> "Asking":
        """Return the same with a change of question or options."""
        options = {name: value for name, value in change.items() if name != "query"}
        return Asking(str(change.get("query", self.query)), {**self.options, **options})


class Rehearsed(Struct, frozen=True):
    """A recall that was rehearsed: what was asked, what it searched with, and what it found."""

    asking: Asking
    search: Search
    ready: upkeep.Readiness
    found: Recollection

    @property
    def request(self) -> Request:
        """What was asked, checked."""
        return self.search.request


class Rehearsal(Area):
    """Makes recalls without traces."""

    def recall(self, asking: Asking, ready: upkeep.Readiness | None = None) -> Rehearsed:
        """Make a recall. One that asks the same by other rules may go on with what was made ready before."""
        asked = self._request(asking)
        ready = self._ready(asked) if ready is None else ready
        search = Search(asked, self._ledger, self._meaning(ready))
        policy = self._policies.rerank
        found = recollect(
            asked.question,
            asked.placement,
            asked.view,
            self._ledger,
            search.meaning,
            asked.policies,
            opinion=Opinion(self._parts.reranker, policy) if policy.enabled else None,
            fallback=bool(asking.options["fallback"]),
        )
        return Rehearsed(asking, search, ready, found)

    def returns(self, id: str, change: Mapping[str, Json], before: Rehearsed) -> bool:
        """Say whether the same recall with a change returns a memory."""
        same = not {"query", "mode"} & set(change)
        again = self.recall(before.asking.changed(change), before.ready if same else None)
        return any(hit.memory.id == id for hit in again.found.hits)

    def documents(self, before: Rehearsed) -> tuple[ColdLane, Searched]:
        """Return what documents add to a recall, and what a search of them alone finds."""
        asked, cold = before.request, _ColdAsItStands(self._parts)
        question, reach, policy = asked.question, asked.view.reach, self._policies.documents
        least = asked.policies.recall.min_relevance
        added = cold.consulted(question.text, question.mode, reach, len(before.found.hits), least)
        return added, cold.find(question.text, question.mode, reach, max(policy.search_fts_k, policy.search_vec_k))

    def _request(self, asking: Asking) -> Request:
        given, least = asking.options, asking.options["min_relevance"]
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

    def _ready(self, asked: Request) -> upkeep.Readiness:
        if asked.question.mode is Mode.LEXICAL:
            return upkeep.Readiness()
        return upkeep.as_it_stands(self._derived, asked.question.text)


class _ColdAsItStands(ColdSearch):
    """The search of documents, which brings nothing up to date."""

    def _made_ready(self, query: str, mode: Mode) -> upkeep.Readiness:
        return upkeep.Readiness() if mode is Mode.LEXICAL else evidence.as_it_stands(self._evidence, query)
