"""Folders: what is new, changed or gone in one that documents are read from."""

from collections.abc import Iterator, Mapping, Sequence

from satchel.core.service import Service
from satchel.documents.changes import changes
from satchel.documents.intake import Arrived, Intake, Tally, grammar_for
from satchel.documents.passages import cut_of
from satchel.domain.canonical import digest
from satchel.domain.code.kinds import kind_of
from satchel.domain.document import Collection, DocKind, Document, Located, ReadText, Sighted, Skipped
from satchel.ports import Progress

MAX_SKIPS_SHOWN = 100
# A file that was changed so shortly before it was read may have been changed once more within the same tick.
TICK_MS = 2_000


class Folders(Service):
    """Takes the documents of a folder in, touching only what has changed."""

    def take_in(
        self,
        where: Located,
        globs: Sequence[str],
        own: Collection,
        max_chars: int,
        tally: Tally,
        progress: Progress | None,
    ) -> None:
        """Take in what differs from what is known of a folder, and take out what is gone from it."""
        tree, most_bytes = self._parts.tree(), self._policies.documents.max_file_bytes
        found, skipped = list[Sighted](), list[Skipped]()
        refused = self._ledger.documents.forgotten(own.scope, own.name)
        for one in tree.walk(where.root, globs, most_bytes=most_bytes):
            if isinstance(one, Skipped):
                skipped.append(one)
            elif refused and digest(one.path) in refused:
                skipped.append(Skipped(one.path, "forgotten"))
            else:
                found.append(one)
        known = dict(self._ledger.documents.known(own.scope, own.name))
        plan = changes(found, skipped, known, tree.covered(globs), cut_of(max_chars))
        tally.matched += len(found)
        tally.unchanged += plan.unchanged
        for one in skipped:
            tally.skip(one, MAX_SKIPS_SHOWN)
        gone = [known[path] for path in plan.gone]
        arrived = _Counted(self._arrivals(where.root, plan.to_read, known, gone, tally))
        intake = Intake(self._parts)
        for done, _ in enumerate(intake.take_in(own, arrived, known, max_chars, tally), start=1):
            if progress:
                progress(done, len(plan.to_read), "documents")
        intake.remove(own, gone, tally)
        tally.renamed += len({one.digest for one in gone} & arrived.new)
        if not known and not plan.to_read:
            # A folder without documents is known all the same.
            self._ledger.documents.note(own, [], [])

    def _arrivals(
        self, root: str, sighted: Sequence[Sighted], known: Mapping[str, Document], gone: list[Document], tally: Tally
    ) -> Iterator[Arrived]:
        tree, most_bytes = self._parts.tree(), self._policies.documents.max_file_bytes
        for one in sighted:
            read = tree.read(root, one.path, most_bytes=most_bytes)
            if isinstance(read, Skipped):
                tally.skip(read, MAX_SKIPS_SHOWN)
                tally.matched -= 1
                if read.lasting and one.path in known:
                    gone.append(known[one.path])
                continue
            yield self._arrived(one.path, read)

    def _arrived(self, path: str, read: ReadText) -> Arrived:
        changed_ms = read.modified_ns // 1_000_000
        sure = abs(self._clock.now() - changed_ms) > TICK_MS
        kind = kind_of(path) or DocKind.TEXT
        return Arrived(
            path,
            kind,
            read.text,
            read.digest,
            read.size,
            read.modified_ns if sure else 0,
            changed_ms,
            grammar_for(path, None),
        )


class _Counted:
    """Documents on their way in, and the digests of those that were new."""

    def __init__(self, arrivals: Iterator[Arrived]) -> None:
        self._arrivals = arrivals
        self.new: set[str] = set()

    def __iter__(self) -> Iterator[Arrived]:
        for one in self._arrivals:
            self.new.add(one.digest)
            yield one
