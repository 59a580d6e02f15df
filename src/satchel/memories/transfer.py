"""Export memories to a file, and import them."""

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import Annotated

from msgspec.structs import replace

from satchel.core.automatic_tags import tag_before
from satchel.core.operations import AllScopes, Kinds, Param, Redact, Scope, operation
from satchel.core.parts import Parts
from satchel.core.run import OperationRun, Section
from satchel.core.service import Service
from satchel.core.undos import undo_of
from satchel.domain.arguments import one_of
from satchel.domain.canonical import Json
from satchel.domain.edges import MemoryEdge
from satchel.domain.envelope import Ok
from satchel.domain.facts import FactEvent
from satchel.domain.imports import Dedupe, Format, Imported, ImportTerms, MemoryItem, Writer
from satchel.domain.inspection import order_warnings
from satchel.domain.json_rows import open_rows
from satchel.domain.record import Kind, Memory, Trust
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import EVERYWHERE, Reach, check_scope
from satchel.domain.text import replace_undecodable
from satchel.domain.view import View, admin_view
from satchel.errors import InvalidRequest, Unavailable
from satchel.memories import batches as row_batches
from satchel.memories.batches import NewMemory
from satchel.memories.export_writer import ExportWriter, Links
from satchel.memories.full_export import Signer, is_signed
from satchel.memories.items import ItemWriter
from satchel.memories.row_vectors import no_vectors
from satchel.memories.values import Exported, ExportFormat
from satchel.memories.vector_transfer import VectorTransfer, left_out_warning
from satchel.ports import Change, Incoming, Progress
from satchel.ports.damage import DamagedRecord, report

PROGRESS_STEP = 500
EDGES_PER_BATCH = 500
_ENDINGS = {".json": ExportFormat.JSON, ".md": ExportFormat.MARKDOWN, "/": ExportFormat.NOTES}


class Transfer(Service):
    """Transfers memories between stores. A file never raises its own trust."""

    def __init__(self, parts: Parts, rebuild_facts: Callable[[], object]) -> None:
        super().__init__(parts)
        self._rebuild_facts = rebuild_facts

    @operation(
        "export",
        operator_only=True,
        terminal_only=True,
        examples=(
            "satchel export backup.jsonl --all-scopes --no-redact",
            "satchel export - --scope repo/api --kind decision",
            "satchel export memories.md",
        ),
    )
    def export(
        self,
        path: Annotated[
            str,
            Param(
                "the file to write, or the new folder of notes; '-' is standard output", positional=True, metavar="FILE"
            ),
        ],
        *,
        scope: Scope = None,
        all_scopes: AllScopes = False,
        kinds: Kinds = (),
        limit: Annotated[int | None, Param("maximum number of memories")] = None,
        format: Annotated[
            str | None,
            Param(
                "JSON lines, a JSON list, a Markdown file, or a folder of notes; by the ending .json, .md or / if "
                "omitted, else JSON lines",
                choices=ExportFormat,
            ),
        ] = None,
        redact: Redact = True,
        sign: Annotated[
            bool,
            Param(
                "add details, edges, facts and packets, and a signature by which a store of yours takes all of it back"
            ),
        ] = False,
        vectors: Annotated[
            bool, Param("add the vector of each memory, so that a store with the same model need not embed it again")
        ] = False,
        force: Annotated[bool, Param("replace an existing file")] = False,
        progress: Progress | None = None,
    ) -> Ok[Exported]:
        """Write memories to a file, oldest first.

        Secrets are masked unless --no-redact is given. The file is readable by you only, is written whole or not at
        all, and is the same for the same store. Rows and notes can be imported again; a Markdown file is for reading.
        """
        with self._run("export") as run:
            view = self._admin_view(scope, all_scopes, kinds)
            most = _at_least_one(limit)
            wanted = _format_of(path) if format is None else one_of(ExportFormat, format, "format")
            if sign or vectors:
                _require_exact_rows("signed" if sign else "exported with vectors", wanted, redact)
            signer = self._signer() if sign else None
            with_vectors = VectorTransfer(self._parts).reader() if vectors else None
            departures = ExportWriter(wanted, counted_mask if redact else None, with_vectors)
            matched = self._ledger.memories.tally(view).memories
            total = matched if most is None else min(matched, most)

            def chosen(memories: Iterator[Memory]) -> Iterator[Memory]:
                return _watched(islice(memories, most), total, progress)

            if wanted is ExportFormat.NOTES:
                self._parts.exchange.check_folder(path)
                notes = departures.notes(chosen(self._ledger.memories.walk(view)))
                size = self._parts.exchange.write_folder(path, notes)
            else:
                self._parts.exchange.check(path, force=force)
                if wanted is ExportFormat.MARKDOWN:
                    pieces = departures.document(chosen(self._by_scope_and_kind(view)))
                elif signer is not None:
                    memories = chosen(self._ledger.memories.walk(view))
                    pieces = departures.signed_pieces(memories, self._links(view), signer)
                else:
                    # Bytes cannot be masked.
                    damaged = () if redact else self._damaged(run, view)
                    pieces = departures.pieces(chosen(self._ledger.memories.walk(view)), damaged)
                size = self._parts.exchange.write(path, pieces, force=force)
            masked = dict(sorted(departures.redacted.items())) if redact else None
            run.asked = {
                "path": replace_undecodable(path),
                "scope": view.reach.name,
                "kinds": list(view.kinds),
                "limit": limit,
                "format": wanted,
                "redact": redact,
                **({"sign": True} if sign else {}),
                **({"vectors": True} if vectors else {}),
            }
            run.considered = {"matched": matched}
            state = None if signer is None else departures.state
            exported = Exported(replace_undecodable(path), wanted, matched, departures.count, size, masked, state)
            return run.keep(exported, returned=departures.count, bytes=size, redacted=masked)

    def _signer(self) -> Signer:
        key = self._parts.export_key(create=True)
        if key is None:
            raise Unavailable("this store has no key to sign with", code="no_key")
        return Signer(key)

    def _links(self, view: View) -> Links:
        ledger = self._ledger
        return Links(
            details=lambda id: ledger.details.of([id]).get(id),
            edges=lambda id: [one for one in ledger.edges.of(id) if one.source == id],
            facts=lambda: () if view.kinds else ledger.facts.events(view.reach),
            packets=lambda: () if view.kinds else ledger.packets.walk(view.reach),
        )

    def _by_scope_and_kind(self, view: View) -> Iterator[Memory]:
        counts = self._ledger.memories.tally(view)
        for scope in sorted(counts.by_scope):
            for kind in (one for one in Kind if one in counts.by_kind):
                yield from self._ledger.memories.walk(replace(view, reach=Reach((scope,)), kinds=(kind,)))

    def _damaged(self, run: OperationRun, view: View) -> Iterator[DamagedRecord]:
        """Yield the damaged records: memories are known once they have been read, records of other kinds are looked for."""
        yield from run.damaged
        for one in self._ledger.damaged(view.reach):
            if one.kind != "memory":
                report(one)
                yield one

    def import_(
        self,
        path: str,
        *,
        name: str | None = None,
        dedupe: str = "id_text",
        dry_run: bool = False,
        scope: str | None = None,
        limit: int | None = None,
        format: str | None = None,
        trusted: bool = False,
        progress: Progress | None = None,
    ) -> Ok[Imported]:
        """Import the rows of an export; '-' is standard input. `name` is what an upload was called where it came from.

        Rows are untrusted at most, whatever the file says, unless the operator vouches for it with `trusted`. Invalid
        rows are listed and skipped; the others are imported. Importing the same file again changes nothing.
        """
        with self._run("import", writes=not dry_run) as run:
            own = trusted and scope is None and self._is_own(path, format)
            vectors = VectorTransfer(self._parts)
            # A signed export is taken back as it was, equal texts included.
            terms = replace(
                self._options(Dedupe.ID if own else dedupe, dry_run, scope, limit),
                trusted=trusted,
                own=own,
            )
            wanted = None if format is None else one_of(Format, format, "format")
            run.asked = {
                "source": replace_undecodable(name or path),
                "format": wanted,
                "scope": scope,
                "limit": limit,
                "dedupe": dedupe,
                "dry_run": dry_run,
                **({"trust": Trust.TRUSTED.value} if trusted else {}),
            }

            def save(new: Sequence[NewMemory], so_far: row_batches.ImportCounts) -> None:
                if so_far.imported == len(new):
                    tag_before(self._parts, "import")
                vectors.adopt(new)
                self._save(run.asked, new, so_far)
                vectors.save(new)
                for id in (one.memory.id for one in new):
                    if (details := so_far.links.details.pop(id, None)) is not None:
                        self._ledger.details.put(id, details)

            with self._parts.exchange.read(path) as file, self._ledger.memories.bulk():
                found, rows = open_rows(_metered(file, progress), wanted)
                arrivals = row_batches.import_rows(
                    # A vector decides when its text is found, so somebody has to vouch for it.
                    rows,
                    terms,
                    self._ledger.memories,
                    save,
                    vectors.read if trusted else no_vectors,
                )
            imported = row_batches.summary(replace_undecodable(name or path), found, terms, arrivals)
            if arrivals.taken_back:
                imported = replace(imported, brought_back_by=undo_of(self._ledger, arrivals.taken_back[0]))
            run.considered = {"format": found, "parsed": imported.parsed, "batches": arrivals.batches}
            run.decided = row_batches.facts(imported)
            run.warn(
                *_misplaced(imported),
                *order_warnings(imported.quarantined),
                *_left_out(arrivals.links),
                *left_out_warning(arrivals.vectors_left_out),
            )
            if dry_run:
                return run.done(imported)
            self._restore(arrivals.links)
            self._restore_packets(arrivals.links)
            receipt = run.receipt()
            self._ledger.memories.commit([], receipt)
            return run.committed(imported, receipt)

    def _is_own(self, path: str, format: str | None) -> bool:
        """Return whether a store with the same key signed a file. What comes on a pipe cannot be read twice."""
        key = None if path == "-" else self._parts.export_key(create=False)
        if key is None:
            return False
        with self._parts.exchange.read(path) as file:
            return is_signed(open_rows(file.chunks, format)[1], key)

    def _restore(self, links: row_batches.RestoredLinks) -> None:
        """Store the edges between memories that are here, and the facts that are not here yet."""
        with self._ledger.memories.transaction():
            starts = range(0, len(links.edges), EDGES_PER_BATCH)
            edges = [one for at in starts for one in self._between_known(links.edges[at : at + EDGES_PER_BATCH])]
            here = {_event_key(one) for one in self._ledger.facts.events(EVERYWHERE)} if links.facts else set()
            facts = [one for one in links.facts if _event_key(one) not in here]
            if not edges and not facts:
                return
            self._ledger.edges.put(edges)
            receipt = self._run("import links").receipt(edges=len(edges), facts=len(facts))
            self._ledger.facts.commit(facts, [], receipt)
        if facts:
            self._rebuild_facts()

    def _restore_packets(self, links: row_batches.RestoredLinks) -> None:
        if links.packets:
            receipt = self._run("import packets").receipt(packets=len(links.packets))
            self._ledger.packets.restore(links.packets, receipt)

    def _between_known(self, edges: Sequence[MemoryEdge]) -> list[MemoryEdge]:
        """Return the edges whose ends are both in the store, and not forgotten."""
        ends = [id for one in edges for id in (one.source, one.target)]
        here = self._ledger.memories.fetch(ends, admin_view(EVERYWHERE, self._clock.now()))
        return [one for one in edges if one.source in here and one.target in here]

    def _save(self, asked: Section, new: Sequence[NewMemory], so_far: row_batches.ImportCounts) -> None:
        """Write a batch of new memories with a receipt."""
        batch = self._run("import batch", asked)
        actor = self._parts.actor
        changes = [Change(memory, None, "import", actor, embedded=vector is not None) for memory, vector, _ in new]
        receipt = batch.receipt(batch=so_far.batches, imported=len(new), first=new[0].memory.id)
        self._ledger.memories.commit(changes, receipt)

    def item_writer(self, terms: ImportTerms) -> Writer[MemoryItem]:
        """Return what stores memories that were read from another program's file."""
        options = replace(self._options(Dedupe.ID_TEXT, terms.dry_run, terms.scope, None), trusted=terms.trusted)
        asked: dict[str, Json] = {
            "source": terms.source,
            "scope": terms.scope,
            **({"file": terms.file} if terms.file else {}),
        }

        def save(new: Sequence[NewMemory], so_far: row_batches.ImportCounts) -> None:
            terms.before_write()
            self._save(asked, new, so_far)
            for one in new:
                self._ledger.details.put(one.memory.id, one.details)

        batches = row_batches.BatchImport(options, self._ledger.memories, save)
        return ItemWriter(terms, options, self._ledger.memories, batches).take

    def _options(self, dedupe: str, dry_run: bool, scope: str | None, limit: int | None) -> row_batches.ImportOptions:
        return row_batches.ImportOptions(
            dedupe=one_of(Dedupe, dedupe, "dedupe"),
            dry_run=dry_run,
            scope=None if scope is None else check_scope(scope, self._policies.scope),
            scope_policy=self._policies.scope,
            limit=_at_least_one(limit),
            now=self._clock.now(),
            new_id=self._parts.new_id,
        )


def _require_exact_rows(what: str, format: ExportFormat, redact: bool) -> None:
    """Raise unless rows are written as they are. A vector would tell much about the text that a mask hides."""
    if redact or format not in (ExportFormat.JSONL, ExportFormat.JSON):
        raise InvalidRequest(
            f"only unmasked rows can be {what}",
            code="conflicting_params",
            hint="add --no-redact, and write JSON lines or a JSON list",
        )


def _format_of(path: str) -> ExportFormat:
    return next((one for ending, one in _ENDINGS.items() if path.lower().endswith(ending)), ExportFormat.JSONL)


def _misplaced(imported: Imported) -> tuple[str, ...]:
    if not imported.scopes_replaced:
        return ()
    return (
        f"scope_invalid: {imported.scopes_replaced} rows name an invalid scope in their text and were stored in the default scope",
    )


def _left_out(links: row_batches.RestoredLinks) -> tuple[str, ...]:
    if not links.left_out:
        return ()
    return (
        f"links_left_out: details, edges, facts or packets of {links.left_out} rows were left out: they come with a file that this "
        "store's key signed, and --trust trusted",
    )


def _event_key(event: FactEvent) -> tuple[str, str, int]:
    return event.fact, event.action, event.learned_at


def counted_mask(text: str) -> tuple[str, tuple[tuple[str, int], ...]]:
    """Return a text with its secrets masked, and their counts by type."""
    clean = redacted(text)
    return clean.text, clean.found


def _watched(memories: Iterator[Memory], total: int, progress: Progress | None) -> Iterator[Memory]:
    """Yield memories and report progress."""
    for done, memory in enumerate(memories, 1):
        if progress is not None and done % PROGRESS_STEP == 0:
            progress(done, max(done, total), "exporting")
        yield memory


def _metered(file: Incoming, progress: Progress | None) -> Iterator[bytes]:
    """Yield the bytes of a file and report progress."""
    done = 0
    for chunk in file.chunks:
        done += len(chunk)
        if progress is not None and file.size:
            progress(done, max(done, file.size), "importing")
        yield chunk


def _at_least_one(limit: int | None) -> int | None:
    if limit is not None and (type(limit) is not int or limit < 1):
        raise InvalidRequest(f"limit {limit!r} must be at least 1", code="out_of_range", hint="leave it out for all")
    return limit
