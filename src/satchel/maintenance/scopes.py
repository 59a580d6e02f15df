"""Scopes: what each one contains, and erasing a whole one with proof."""

from collections.abc import Callable, Sequence
from typing import Annotated, Protocol

from satchel.core.erasure import ErasureProof, clear_places, prepare_erasure_proof
from satchel.core.operations import DryRun, Param, operation
from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.record import MemoryId
from satchel.domain.scope import similar_scopes
from satchel.domain.scopes import ScopeContents, ScopeDeleted, ScopeList
from satchel.domain.text import replace_undecodable
from satchel.errors import NotFound
from satchel.indexing import memory_index, passage_index
from satchel.ports import Ask, Progress

RECORDS_PER_BATCH = 500
# Texts of each kind that the proof takes its pieces from.
SAMPLED = 20


class TraceEraser(Protocol):
    """What deleting a scope needs of the observations."""

    def erase_scope_traces(self, scope: str, payloads: Sequence[str]) -> int:
        """Erase the spool lines, dead letters and artifacts of a scope."""
        ...


class Scopes(Service):
    """Lists scopes, and erases a whole one."""

    def __init__(self, parts: Parts, traces: Callable[[], TraceEraser]) -> None:
        super().__init__(parts)
        self._traces = traces

    @operation("scopes", operator_only=True, examples=("satchel scopes",))
    def list(self) -> Ok[ScopeList]:
        """List the scopes, with how many records of each kind they have."""
        with self._run("scopes") as run:
            found = tuple(self._ledger.scopes.contents())
            return run.done(ScopeList(found, self._policies.scope.default_scope), scopes=len(found))

    @operation(
        "scopes delete",
        writes=True,
        destructive=True,
        idempotent=True,
        operator_only=True,
        long=True,
        examples=("satchel scopes delete repo/api --dry-run",),
    )
    def delete(
        self,
        scope: Annotated[str, Param("the scope to erase", positional=True)],
        *,
        dry_run: DryRun = False,
        yes: Annotated[bool, Param("do not ask", terminal_only=True)] = False,
        ask: Ask | None = None,
        progress: Progress | None = None,
    ) -> Ok[ScopeDeleted]:
        """Erase everything in a scope, and prove it.

        Memories, observations with their events and artifacts, episodes, documents, conversations, facts, the graph,
        packets and the log, as 'satchel forget' erases one memory. Pieces of what is erased are searched for in every
        file of the store, before and after. If it is interrupted, run it again. There is no undo; backups keep it.
        """
        with self._run("scopes delete", writes=not dry_run) as run:
            found = self._known(scope)
            counts: dict[str, Json] = dict(found.records)
            run.asked = {"scope": found.scope, "dry_run": dry_run}
            if dry_run:
                return run.done(ScopeDeleted("planned", found.scope, found.records))
            if not yes and ask is not None and not ask(_question(found)):
                return run.done(ScopeDeleted("declined", found.scope, found.records))
            proof = self._prepare_proof(found.scope)
            self._traces().erase_scope_traces(found.scope, self._ledger.scopes.own_payloads(found.scope))
            self._erase(found, progress)
            receipt = run.receipt(erased=counts)
            self._ledger.scopes.erase_rest(found.scope, receipt)
            cleared = clear_places(
                MemoryId(found.scope),
                proof,
                {
                    "index": lambda: memory_index.purge_index(self._indexed_store),
                    "evidence index": lambda: passage_index.purge_index(self._indexed_passages),
                    "ledger": self._ledger.memories.scrub,
                    "spool": lambda: True,
                },
            )
            result = ScopeDeleted(
                "deleted", found.scope, found.records, cleared.erased_from, cleared.pending, cleared.check
            )
            return run.committed(result, receipt)

    def _known(self, name: str) -> ScopeContents:
        # Any name that the store has, even one that the present settings would not allow.
        scopes = {one.scope: one for one in self._ledger.scopes.contents()}
        wanted = replace_undecodable(name)
        if wanted in scopes:
            return scopes[wanted]
        similar = similar_scopes(wanted, [*scopes])
        hint = f"did you mean {' or '.join(similar)}?" if similar else "'satchel scopes' lists them"
        raise NotFound(f"nothing is stored in scope {wanted[:80]!r}", code="scope_unknown", hint=hint)

    def _prepare_proof(self, scope: str) -> ErasureProof:
        text = "\n".join(self._ledger.scopes.sample(scope, SAMPLED))
        return prepare_erasure_proof(
            text, lambda piece: self._ledger.scopes.is_elsewhere(piece, scope), self._parts.files, verify=True
        )

    def _erase(self, found: ScopeContents, progress: Progress | None) -> None:
        """Erase records in batches, so that other writers wait for one batch at most."""
        done, total = 0, sum(found.records.values())
        while True:
            receipt = self._run("scopes delete batch", {"scope": found.scope}).receipt(done=done)
            erased = self._ledger.scopes.erase_batch(found.scope, RECORDS_PER_BATCH, self._parts.actor, receipt)
            if not erased:
                return
            done += erased
            if progress is not None:
                progress(done, max(done, total), "erasing")


def _question(found: ScopeContents) -> str:
    records = ", ".join(f"{count} {kind}" for kind, count in found.records.items())
    return f"Erase scope {found.scope} for good ({records})?"
