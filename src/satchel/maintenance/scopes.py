"""Scopes: what each one contains, moving one to another name, and erasing a whole one with proof."""

from collections.abc import Callable, Sequence
from typing import Annotated, Protocol

from msgspec.structs import replace

from satchel.core.erasure import ErasureProof, clear_places, prepare_erasure_proof
from satchel.core.operations import DryRun, Param, operation
from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.core.service import Service
from satchel.domain.canonical import Json
from satchel.domain.envelope import Ok
from satchel.domain.record import MemoryId
from satchel.domain.scope import check_scope, similar_scopes
from satchel.domain.scopes import ScopeContents, ScopeDeleted, ScopeList, ScopesMoved
from satchel.domain.text import replace_undecodable
from satchel.errors import Conflict, InvalidRequest, NotFound
from satchel.indexing import memory_upkeep, passage_index
from satchel.maintenance.scope_mover import ScopeMover
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
    """Lists scopes, moves them, and erases a whole one."""

    def __init__(self, parts: Parts, ingest: Callable[..., object], traces: Callable[[], TraceEraser]) -> None:
        """`ingest` takes in the events that wait."""
        super().__init__(parts)
        self._ingest = ingest
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
                    "index": lambda: memory_upkeep.purge_index(self._indexed_store),
                    "evidence index": lambda: passage_index.purge_index(self._indexed_passages),
                    "ledger": self._ledger.memories.scrub,
                    "spool": lambda: True,
                },
            )
            result = ScopeDeleted(
                "deleted", found.scope, found.records, cleared.erased_from, cleared.pending, cleared.check
            )
            return run.committed(result, receipt)

    @operation(
        "scopes rename",
        writes=True,
        operator_only=True,
        long=True,
        examples=("satchel scopes rename repo/api repo/gateway --dry-run",),
    )
    def rename(
        self,
        scope: Annotated[str, Param("the scope to rename", positional=True)],
        name: Annotated[str, Param("its new name, which must not be in use", positional=True)],
        *,
        dry_run: DryRun = False,
        yes: Annotated[bool, Param("do not ask", terminal_only=True)] = False,
        ask: Ask | None = None,
        progress: Progress | None = None,
    ) -> Ok[ScopesMoved]:
        """Give a scope another name.

        All its records move: memories, observations, episodes, documents, conversations, facts, the graph, packets and
        the log, and what was forgotten stays forgotten. Ids stay, and receipts name the scope of their time. Settings,
        tokens and hosts that name the old scope still do; the answer lists those it knows. 'satchel undo' takes it back.
        """
        with self._run("scopes rename", writes=not dry_run) as run:
            found, target = self._known(scope), check_scope(name, self._policies.scope)
            if target in {one.scope for one in self._ledger.scopes.contents()}:
                raise Conflict(
                    f"scope {target} is in use",
                    code="scope_taken",
                    hint=f"satchel scopes merge {found.scope} --into {target}",
                )
            return self._move(run, [found], target, dry_run, yes, ask, progress)

    @operation(
        "scopes merge",
        writes=True,
        operator_only=True,
        long=True,
        examples=("satchel scopes merge repo/api repo/web --into repo/shop",),
    )
    def merge(
        self,
        scopes: Annotated[Sequence[str], Param("a scope to move", flag="scope", positional=True)],
        *,
        into: Annotated[str, Param("the scope that gets their records")],
        dry_run: DryRun = False,
        yes: Annotated[bool, Param("do not ask", terminal_only=True)] = False,
        ask: Ask | None = None,
        progress: Progress | None = None,
    ) -> Ok[ScopesMoved]:
        """Move all records of scopes into another one, as 'satchel scopes rename' moves them.

        Where both have the same, that of the other scope stays: a memory that says the same is retired, a document of
        the same path and a source of the graph are dropped, and a conversation of the same name gets another name.
        """
        with self._run("scopes merge", writes=not dry_run) as run:
            target = check_scope(into, self._policies.scope)
            if not scopes:
                raise InvalidRequest(
                    "no scope to merge was given", code="missing_param", hint="'satchel scopes' lists them"
                )
            found = [self._known(one) for one in dict.fromkeys(scopes)]
            if target in {one.scope for one in found}:
                raise InvalidRequest(f"{target} cannot be merged into itself", code="scope_taken")
            return self._move(run, found, target, dry_run, yes, ask, progress)

    def _move(
        self,
        run: OperationRun,
        found: Sequence[ScopeContents],
        target: str,
        dry_run: bool,
        yes: bool,
        ask: Ask | None,
        progress: Progress | None,
    ) -> Ok[ScopesMoved]:
        names = [one.scope for one in found]
        run.asked = {"scopes": list(names), "target": target, "dry_run": dry_run}
        mover = ScopeMover(self._parts)
        mover.check(names, target)
        planned = mover.plan(found, target)
        if dry_run:
            return run.done(planned)
        if not yes and ask is not None and not ask(_move_question(planned)):
            return run.done(replace(planned, action="declined"))
        # Events that wait name the scope of now.
        self._ingest(progress=progress)
        moved = mover.move(run.operation, self._known_again(names), target, progress)
        receipt = run.receipt(
            tag=moved.tag, records=dict(moved.records), retired=moved.retired, dropped=dict(moved.dropped)
        )
        self._ledger.memories.commit([], receipt)
        if moved.dropped:
            # What a dropped document said also leaves the ledger's files.
            self._ledger.memories.scrub()
        return run.committed(moved, receipt)

    def _known_again(self, names: Sequence[str]) -> Sequence[ScopeContents]:
        found = {one.scope: one for one in self._ledger.scopes.contents()}
        return [found[name] for name in names if name in found]

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
    records = ", ".join(f"{kind} {count}" for kind, count in found.records.items())
    return f"Erase scope {found.scope} for good ({records})?"


def _move_question(planned: ScopesMoved) -> str:
    records = ", ".join(f"{kind} {count}" for kind, count in planned.records.items())
    return f"Move {', '.join(planned.sources)} to scope {planned.target} ({records})?"
