"""Import what other programs and other stores hold."""

from collections.abc import Callable, Mapping
from typing import Annotated, Any, Protocol

from msgspec.structs import replace

from satchel.core.automatic_tags import tag_before
from satchel.core.operations import Param, operation
from satchel.core.parts import Parts
from satchel.core.service import Service
from satchel.core.undos import undo_of
from satchel.domain.canonical import Json, digest
from satchel.domain.envelope import Ok
from satchel.domain.imports import (
    Dedupe,
    FileChanges,
    Format,
    Imported,
    ImportTargets,
    ImportTerms,
    MemoryItem,
    Taken,
    TakenOver,
)
from satchel.domain.inspection import order_warnings
from satchel.domain.record import Trust
from satchel.domain.text import replace_undecodable
from satchel.errors import InvalidRequest
from satchel.importing.kinds import check_kind, reader_for
from satchel.importing.progress import ImportTally, read_items, reporter, take_in
from satchel.importing.readers import attention_router
from satchel.importing.rows import RowOrigin, row_origin, row_samples
from satchel.importing.taking_over import taken_over
from satchel.importing.values import TRUST_MEANINGS, ImportKind, ItemsImported, Reader, ReadOptions
from satchel.ports import ImportSource, Progress

TRUSTS = tuple(map(str, TRUST_MEANINGS))


class RowImport(Protocol):
    """Imports the rows of a Satchel export."""

    def __call__(
        self,
        path: str,
        *,
        name: str | None,
        dedupe: str,
        dry_run: bool,
        scope: str | None,
        limit: int | None,
        format: str | None,
        trusted: bool,
        progress: Progress | None,
    ) -> Ok[Imported]:
        """Import a file."""
        ...


class Importing(Service):
    """Imports files, folders and databases of other programs, and exports of Satchel."""

    def __init__(
        self,
        parts: Parts,
        targets: Callable[[], ImportTargets],
        import_rows: RowImport,
    ) -> None:
        super().__init__(parts)
        self._targets = targets
        self._import_rows = import_rows

    @operation(
        "import",
        writes=True,
        idempotent=True,
        operator_only=True,
        terminal_only=True,
        long=True,
        examples=(
            "satchel import CLAUDE.md",
            "satchel import notes --scope personal --yes",
            "satchel import memories.jsonl --dry-run",
            "cat memories.jsonl | satchel import - --scope repo/api",
        ),
    )
    def import_(
        self,
        path: Annotated[
            str, Param("the file or folder to read; '-' is standard input", positional=True, metavar="PATH")
        ],
        *,
        kind: Annotated[str | None, Param("what it is; detected if omitted", flag="from", choices=ImportKind)] = None,
        scope: Annotated[str | None, Param("put everything into this scope; rows keep their own if omitted")] = None,
        trust: Annotated[
            str, Param("trusted: you vouch for every text in it; what it says counts as yours", choices=TRUSTS)
        ] = Trust.UNTRUSTED.value,
        yes: Annotated[bool, Param("import without asking; otherwise only a preview is shown")] = False,
        prune: Annotated[
            bool, Param("retire memories whose lines are gone from a file that was imported before")
        ] = False,
        notes: Annotated[
            bool, Param("make memories of Markdown notes with front matter, instead of documents")
        ] = False,
        dedupe: Annotated[
            str, Param("rows of an export: how to recognise one that exists already", choices=Dedupe)
        ] = Dedupe.ID_TEXT.value,
        dry_run: Annotated[bool, Param("write nothing, only show what an import would do")] = False,
        limit: Annotated[int | None, Param("maximum number of records to read")] = None,
        format: Annotated[
            str | None,
            Param("rows of an export: one object per line, or one list; detected if omitted", choices=Format),
        ] = None,
        upload_name: str | None = None,
        progress: Progress | None = None,
    ) -> Ok[Imported | ItemsImported]:
        """Import a file, a folder or a database of another program, or an export of Satchel.

        An export of Satchel is imported at once, also rows on a pipe. Of anything else a preview is shown first; --yes
        imports it without asking. Everything is untrusted unless you vouch for it with --trust trusted. Invalid records
        are listed and skipped; the others are imported with their dates. Importing the same again changes nothing. Of a
        changed CLAUDE.md, MEMORY.md or note, a changed line replaces its memory, and lines that are gone are listed.
        """
        # `upload_name` is what an upload was called where it came from; its path says nothing.
        trusted = _is_trusted(trust)
        with self._parts.sources().open(path, upload_name) as source:
            reader = reader_for(source, kind)
            if reader is not None:
                terms = ImportTerms(
                    source=reader.kind,
                    scope=None if scope is None else self._reach(scope).scopes[0],
                    trusted=trusted,
                    dry_run=dry_run or not yes,
                    keeps_ids=reader.keeps_ids,
                    name=replace_undecodable(source.name),
                    # An upload has no place of its own; what it is called has to do.
                    file=digest(f"upload\n{upload_name}" if upload_name else source.path) if reader.by_line else "",
                )
                options = ReadOptions(notes=notes)
                asks = not (yes or dry_run)
                return self._import_items(source, reader, options, terms, limit, progress, asks=asks, prune=prune)
            is_preview = not (yes or dry_run or kind is not None or row_origin(source) is RowOrigin.OWN)
            samples = row_samples(source) if is_preview else ()
        done = self._import_rows(
            path,
            name=upload_name,
            dedupe=dedupe,
            dry_run=dry_run or is_preview,
            scope=scope,
            limit=limit,
            format=format,
            trusted=trusted,
            progress=progress,
        )
        if not is_preview:
            return done
        return Ok(replace(done.result, asks=done.result.imported > 0, samples=samples), done.receipt)

    def take_over(self, path: str) -> TakenOver:
        """Import the database of the original skill memory-attention-router, untrusted, with its edges.

        Raises InvalidRequest if the file is not such a database.
        """
        with self._parts.sources().open(path) as source:
            reader = attention_router.READER
            if reader.recognises(source) == 0:
                raise InvalidRequest(f"it is not {reader.title}", code="wrong_kind")
            terms = ImportTerms(
                source=reader.kind,
                scope=None,
                trusted=False,
                dry_run=False,
                name=replace_undecodable(source.name),
                keeps_ids=reader.keeps_ids,
            )
            options = ReadOptions(takes_over=True)
            done = self._import_items(source, reader, options, terms, None, None, asks=False, prune=False)
            return taken_over(path, done.result)

    def _import_items(
        self,
        source: ImportSource,
        reader: Reader,
        options: ReadOptions,
        terms: ImportTerms,
        limit: int | None,
        progress: Progress | None,
        *,
        asks: bool,
        prune: bool,
    ) -> Ok[ItemsImported]:
        with self._run("import", writes=not terms.dry_run) as run:
            run.asked = {
                "source": source.name,
                "kind": reader.kind,
                "scope": terms.scope,
                "trust": _trust(terms),
                "limit": _at_least_one(limit),
                "dry_run": terms.dry_run,
                **({"prune": True} if prune else {}),
            }
            tag = _TagOnce(self._parts)
            tally = ImportTally()
            # Counted first where somebody watches, so that the bar knows its end.
            total = 0 if progress is None else sum(1 for _ in read_items(source, reader, options, limit))
            items = read_items(source, reader, options, limit)
            revision = self._targets().revision(replace(terms, before_write=tag))
            # A part of a file does not tell what is gone from it.
            lines = read_items(source, reader, options, None) if reader.by_line and limit is None else ()
            changes = revision.plan([one for one in lines if isinstance(one, MemoryItem)], prune=prune)
            take_in(items, self._writers(terms, tag), tally, reporter(total, progress))
            if not tally.read:
                check_kind(source, reader, tally.reasons)
            if not terms.dry_run:
                changes = revision.apply(changes)
            result = self._result(source, reader, terms, tally, tag.name, changes, asks=asks)
            run.considered = {"embeddings_waiting": result.embeddings_waiting, "read": dict(tally.read)}
            run.decided = _facts(result, tally)
            if terms.dry_run:
                return run.done(result)
            run.warn(*order_warnings(tally.quarantined.total()))
            receipt = run.receipt()
            self._ledger.memories.commit([], receipt)
            return run.committed(result, receipt)

    def _writers(self, terms: ImportTerms, tag: "_TagOnce") -> Mapping[str, Callable[[Any], Taken]]:
        targets, terms = self._targets(), replace(terms, before_write=tag)
        graph = targets.graph(terms)
        return {
            "memories": targets.memories(terms),
            "edges": targets.edges(terms),
            "turns": targets.turns(terms),
            "documents": targets.documents(terms),
            "entities": graph,
            "relations": graph,
        }

    def _result(
        self,
        source: ImportSource,
        reader: Reader,
        terms: ImportTerms,
        tally: ImportTally,
        tag: str | None,
        changes: FileChanges,
        *,
        asks: bool,
    ) -> ItemsImported:
        result = ItemsImported(
            source=replace_undecodable(source.name),
            kind=reader.kind,
            title=reader.title,
            dry_run=terms.dry_run,
            trust=_trust(terms),
            records=tally.counts(),
            scopes=dict(sorted(tally.scopes.items())),
            first_at=tally.first_at,
            last_at=tally.last_at,
            samples=tuple(tally.samples),
            refusals=tuple(tally.refusals),
            refusals_unlisted=tally.reasons.total() - len(tally.refusals),
            refused_by=dict(sorted(tally.reasons.items())),
            secrets_masked=tally.masked,
            tag=tag,
            embeddings_waiting=0 if terms.dry_run else self._waiting(),
            taken_back=len(tally.taken_back),
            brought_back_by=undo_of(self._ledger, tally.taken_back[0]) if tally.taken_back else None,
            changes=changes,
        )
        return replace(result, asks=asks and (tally.new.total() > 0 or result.changes_memories))

    def _waiting(self) -> int:
        space = self._ledger.vectors.space()
        return self._ledger.vectors.backlog(space)[0] + self._ledger.passages.vectors.backlog(space)[0]


class _TagOnce:
    """Tags the state before an import, when it is about to write for the first time."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self.name: str | None = None

    def __call__(self) -> None:
        if self.name is None:
            self.name = tag_before(self._parts, "import")


def _is_trusted(trust: str) -> bool:
    if trust not in TRUSTS:
        raise InvalidRequest(
            f"unknown trust {str(trust)[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(TRUSTS)}"
        )
    return trust == Trust.TRUSTED


def _trust(terms: ImportTerms) -> str:
    return TRUSTS[terms.trusted]


def _facts(result: ItemsImported, tally: ImportTally) -> dict[str, Json]:
    return {
        "new": dict(tally.new),
        "known": dict(tally.known),
        "quarantined": dict(tally.quarantined),
        "refused": dict(result.refused_by),
        "secrets_masked": result.secrets_masked,
        "tag": result.tag,
        **_change_facts(result.changes),
    }


def _change_facts(changes: FileChanges) -> dict[str, Json]:
    """Return what the receipt says about a file that was imported before: ids, no text."""
    facts: dict[str, Json] = {
        "replaced": {one.old: one.new for one in changes.replaced},
        "gone": [one.old for one in changes.gone],
        "returned": list(changes.returned),
    }
    return {name: value for name, value in facts.items() if value}


def _at_least_one(limit: int | None) -> int | None:
    if limit is not None and (type(limit) is not int or limit < 1):
        raise InvalidRequest(f"limit {limit!r} must be at least 1", code="out_of_range", hint="leave it out for all")
    return limit
