"""Erase the observations that hold a forgotten text, and every spool line, dead letter and artifact with it."""

from collections.abc import Sequence

from satchel.core.erasure import ErasureTarget
from satchel.core.service import Service
from satchel.domain.scope import Reach
from satchel.observations.erasure import erase_scope_traces, erase_traces, evidence_of
from satchel.observations.event import CaptureContext
from satchel.observations.ingest import capture_context


class EvidenceErasure(Service):
    """Erases evidence. Implements memories.forget.EvidenceEraser and maintenance.scopes.TraceEraser."""

    def evidence_of(self, text: str, scope: str) -> ErasureTarget:
        """Return the observations of a scope that hold a text."""
        return evidence_of(text, scope, self._ledger.observations, self._parts.spool)

    def erase_evidence(self, target: ErasureTarget) -> None:
        """Erase spool lines, dead letters and artifacts first: the ledger knows what to look for until they are gone."""
        self._require_writable_ledger()
        observations, scopes = self._ledger.observations, self._ledger.scopes
        erase_traces(target, observations, scopes, self._parts.spool, self._context())
        if target.observations:
            receipt = self._run("forget evidence", {"scope": target.scope}).receipt(ids=list(target.ids))
            within = Reach((target.scope,))
            observations.erase(target.ids, within, self._parts.actor, receipt, everywhere=target.everywhere)

    def erase_scope_traces(self, scope: str, payloads: Sequence[str]) -> int:
        """Erase the spool lines, dead letters and artifacts of a scope; `payloads` are those that no other scope has."""
        self._require_writable_ledger()
        observations, scopes = self._ledger.observations, self._ledger.scopes
        return erase_scope_traces(scope, payloads, observations, scopes, self._parts.spool, self._context())

    def _require_writable_ledger(self) -> None:
        """Raise before anything is erased if the ledger cannot be written."""
        with self._ledger.memories.transaction():
            pass

    def _context(self) -> CaptureContext:
        return capture_context(0, self._policies.scope, self._parts.project_of)
