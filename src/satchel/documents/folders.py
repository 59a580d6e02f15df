"""Ingest a folder of documents, reading only new and changed files."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from msgspec import Struct

from satchel.core.service import Service
from satchel.documents.intake import DocumentWriter, IncomingDocument, IngestTally, grammar_for
from satchel.documents.passages import cut_version
from satchel.domain.canonical import digest
from satchel.domain.code.kinds import kind_of
from satchel.domain.document import Collection, DocKind, Document, FileText, FolderSelection, FoundFile, SkippedFile
from satchel.ports import Progress

MAX_SKIPS_SHOWN = 100
# A file changed this shortly before reading may change again within the same timestamp.
TICK_MS = 2_000


class FolderChanges(Struct, frozen=True):
    """Files to read, number of unchanged ones, and deleted paths."""

    to_read: tuple[FoundFile, ...]
    unchanged: int
    gone: tuple[str, ...]


def compare(
    found: Sequence[FoundFile],
    skipped: Sequence[SkippedFile],
    known: Mapping[str, Document],
    covered: Callable[[str], bool],
    cut_version: str,
) -> FolderChanges:
    """Compare a folder with the known documents by size and modification time; when in doubt, read.

    Only paths that the patterns cover and that could be accessed count as deleted.
    """
    to_read = tuple(one for one in found if not _is_known(one, known.get(one.path), cut_version))
    there = {one.path for one in found}
    inaccessible = [one.path for one in skipped if not one.lasting]
    gone = tuple(
        path
        for path in known
        if path not in there and covered(path) and not any(_is_at_or_below(path, place) for place in inaccessible)
    )
    return FolderChanges(to_read, len(found) - len(to_read), gone)


def _is_known(found: FoundFile, known: Document | None, cut_version: str) -> bool:
    return (
        known is not None
        and known.cut == cut_version
        and known.modified_ns == found.modified_ns != 0
        and known.size == found.size
    )


def _is_at_or_below(path: str, place: str) -> bool:
    return place == "." or path == place or path.startswith(f"{place.rstrip('/')}/")


class Folders(Service):
    """Ingests a folder, touching only what changed."""

    def take_in(
        self,
        where: FolderSelection,
        globs: Sequence[str],
        own: Collection,
        max_chars: int,
        tally: IngestTally,
        progress: Progress | None,
        after_batch: Callable[[], None],
    ) -> None:
        """Ingest new and changed files of a folder, and remove deleted ones."""
        tree, max_bytes = self._parts.tree(), self._policies.documents.max_file_bytes
        found, skipped = list[FoundFile](), list[SkippedFile]()
        refused = self._ledger.documents.forgotten(own.scope, own.name)
        for one in tree.walk(where.root, globs, max_bytes=max_bytes):
            if isinstance(one, SkippedFile):
                skipped.append(one)
            elif refused and digest(one.path) in refused:
                skipped.append(SkippedFile(one.path, "forgotten"))
            else:
                found.append(one)
        known = dict(self._ledger.documents.in_collection(own.scope, own.name))
        plan = compare(found, skipped, known, tree.matcher(globs), cut_version(max_chars))
        tally.matched += len(found)
        tally.unchanged += plan.unchanged
        for one in skipped:
            tally.skip(one, MAX_SKIPS_SHOWN)
        gone = [known[path] for path in plan.gone]
        arrived = _CountedArrivals(self._arrivals(where.root, plan.to_read, known, gone, tally))
        intake = DocumentWriter(self._parts)
        written = tally.batches
        for done, _ in enumerate(intake.take_in(own, arrived, known, max_chars, tally), start=1):
            if tally.batches > written:
                written = tally.batches
                after_batch()
            if progress:
                progress(done, len(plan.to_read), "documents")
        intake.remove(own, gone, tally)
        tally.renamed += len({one.digest for one in gone} & arrived.new)
        if not known and not plan.to_read:
            # Record the collection even without documents.
            self._ledger.documents.update(own, [], [])

    def _arrivals(
        self,
        root: str,
        sighted: Sequence[FoundFile],
        known: Mapping[str, Document],
        gone: list[Document],
        tally: IngestTally,
    ) -> Iterator[IncomingDocument]:
        tree, max_bytes = self._parts.tree(), self._policies.documents.max_file_bytes
        for one in sighted:
            read = tree.read(root, one.path, max_bytes=max_bytes)
            if isinstance(read, SkippedFile):
                tally.skip(read, MAX_SKIPS_SHOWN)
                tally.matched -= 1
                if read.lasting and one.path in known:
                    gone.append(known[one.path])
                continue
            yield self._arrived(one.path, read)

    def _arrived(self, path: str, read: FileText) -> IncomingDocument:
        changed_ms = read.modified_ns // 1_000_000
        sure = abs(self._clock.now() - changed_ms) > TICK_MS
        kind = kind_of(path) or DocKind.TEXT
        return IncomingDocument(
            path,
            kind,
            read.text,
            read.digest,
            read.size,
            read.modified_ns if sure else 0,
            changed_ms,
            grammar_for(path, None),
        )


class _CountedArrivals:
    """Incoming documents, collecting the digests of new ones."""

    def __init__(self, arrivals: Iterator[IncomingDocument]) -> None:
        self._arrivals = arrivals
        self.new: set[str] = set()

    def __iter__(self) -> Iterator[IncomingDocument]:
        for one in self._arrivals:
            self.new.add(one.digest)
            yield one
