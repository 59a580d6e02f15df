"""Taking sources in: files of a folder and memories of a scope, each read once, and only what has changed."""

from collections.abc import Callable, Sequence

from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.domain.canonical import Json
from satchel.domain.document import Skipped
from satchel.domain.graph import RULES_VERSION, Extract, Ref, Source, SourceType
from satchel.domain.graph_answers import Extracted, SkippedSource
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, Trust
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.errors import Conflict
from satchel.graph.reading import GLOBS, is_readable, read_file, read_memory
from satchel.ports.graph import Read

MAX_FILE_BYTES = 2_000_000
SOURCES_PER_WRITE = 500
SKIPPED_SHOWN = 50

MakeReceipt = Callable[[dict[str, Json]], Receipt]
"""Makes the receipt of a write from what was decided."""


class Intake:
    """One reading of sources: what is new goes in by batches, what is gone goes at the end."""

    def __init__(self, parts: Parts, within: Reach, *, again: bool, receipt: MakeReceipt) -> None:
        self._parts = parts
        self._graph = parts.ledger.graph
        self._within = within
        self._again = again
        self._receipt = receipt
        self._batch: list[Read] = []
        self._refs: set[Ref] = set()
        self._read = self._unchanged = self._claims = 0
        self._skipped: list[Skipped] = []
        self.receipts: list[Receipt] = []

    def memories(self) -> Extracted:
        """Read the memories of a scope."""
        known = {one.ref: one for one in self._graph.sources(self._within, SourceType.MEMORY)}
        # Quarantined memories are not even read: nothing of theirs may reach an agent by any way.
        for memory in self._parts.ledger.memories.walk(View(self._within, self._parts.clock.now())):
            source = Source(
                memory.scope, SourceType.MEMORY, memory.id, trust=memory.trust, content_hash=memory.content_hash
            )
            if self._is_new(known.get(memory.id), source):
                self._take(source, _said(memory))
        return self._finish("", [])

    def files(self, path: str, project: str | None, trust: Trust) -> Extracted:
        """Read the files of a folder, or the one file."""
        tree = self._parts.tree()
        located = tree.locate(path)
        sources = self._graph.sources(self._within, SourceType.FILE)
        root, space, globs = _placed(located.root, located.globs, project, sources)
        known = {one.ref: one for one in sources if one.root == root}
        seen: set[str] = set()
        for sighted in tree.walk(root, globs, most_bytes=MAX_FILE_BYTES):
            read = sighted if isinstance(sighted, Skipped) else tree.read(root, sighted.path, most_bytes=MAX_FILE_BYTES)
            if isinstance(read, Skipped):
                self._skipped.append(read)
            elif is_readable(sighted.path):
                seen.add(sighted.path)
                scope = self._within.scopes[0]
                source = Source(scope, SourceType.FILE, sighted.path, root, space, trust, read.digest)
                if self._is_new(known.get(sighted.path), source):
                    self._take(source, read_file(sighted.path, redacted(read.text).text, space))
        kept = seen | {one.path for one in self._skipped if not one.lasting}
        covers = tree.covered(globs)
        return self._finish(space, [one.id for ref, one in known.items() if ref not in kept and covers(ref)])

    def nothing(self, space: str, gone: Sequence[str]) -> Extracted:
        """Drop sources that can no longer be read."""
        return self._finish(space, gone)

    def _is_new(self, known: Source | None, source: Source) -> bool:
        same = known is not None and replace(known, at=0) == source and known.rules == RULES_VERSION
        self._unchanged += same and not self._again
        return self._again or not same

    def _take(self, source: Source, extract: Extract) -> None:
        self._read += 1
        self._claims += len(extract.claims)
        self._refs.update(one.ref for one in extract.sightings)
        self._batch.append(Read(replace(source, at=self._parts.clock.now()), extract))
        if len(self._batch) >= SOURCES_PER_WRITE:
            self._write([], {"read": len(self._batch)})

    def _finish(self, space: str, gone: Sequence[str]) -> Extracted:
        skipped = tuple(SkippedSource(one.path, one.reason) for one in self._skipped)
        result = Extracted(
            space,
            self._read,
            self._unchanged,
            len(gone),
            len(self._refs),
            self._claims,
            len(skipped),
            skipped[:SKIPPED_SHOWN],
        )
        self._write(gone, facts(result))
        return result

    def _write(self, gone: Sequence[str], decided: dict[str, Json]) -> None:
        receipt = self._receipt(decided)
        self._graph.replace(self._batch, gone, receipt)
        self.receipts.append(receipt)
        self._batch = []


def _said(memory: Memory) -> Extract:
    return read_memory(memory, redacted(memory.text).text)


def facts(result: Extracted) -> dict[str, Json]:
    """Return a reading as its receipt tells it."""
    return {
        "read": result.read,
        "unchanged": result.unchanged,
        "removed": result.removed,
        "entities": result.entities,
        "relations": result.relations,
        "skipped": result.skipped,
    }


def _placed(
    folder: str, globs: Sequence[str], project: str | None, sources: Sequence[Source]
) -> tuple[str, str, Sequence[str]]:
    """Return the root, the project and the patterns of a folder.

    A folder within one that was read before is a part of that one: its files are the same files.
    """
    for known in sources:
        if project is None and (folder == known.root or folder.startswith(f"{known.root.rstrip('/')}/")):
            below = folder[len(known.root) :].strip("/")
            within = [f"/{below}/{one.lstrip('/')}" if below else one for one in globs or GLOBS]
            return known.root, known.space, [one.replace("//", "/") for one in within]
    space = project or folder.rstrip("/").rpartition("/")[2] or "root"
    if any(one.space == space and one.root != folder for one in sources):
        raise Conflict(
            f"another folder of this scope was read as the project {space[:80]!r}",
            code="project_taken",
            hint="name this one with --project, or use another scope",
        )
    return folder, space, globs or GLOBS
