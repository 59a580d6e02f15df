"""Reads new and changed sources into the store: the files of a folder, or the memories of a scope."""

from collections.abc import Sequence

from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.domain.canonical import Json, digest
from satchel.domain.document import SkippedFile
from satchel.domain.graph import RULES_VERSION, EntityRef, Extract, GraphSource, GraphSourceType
from satchel.domain.receipt import Receipt
from satchel.domain.record import Trust
from satchel.domain.safety.redact import redacted
from satchel.domain.scope import Reach
from satchel.domain.text import replace_undecodable
from satchel.domain.view import View
from satchel.errors import Conflict, NotFound
from satchel.graph.reading import GLOBS, is_readable, read_file, read_memory
from satchel.graph.values import Extracted, SkippedSource
from satchel.ports.graph import SourceExtract

MAX_FILE_BYTES = 2_000_000
SOURCES_PER_WRITE = 500
SKIPPED_SHOWN = 50


class SourceExtraction:
    """One run over some sources. Extracts are written in batches, and missing sources are removed at the end."""

    def __init__(self, parts: Parts, run: OperationRun, within: Reach, *, again: bool) -> None:
        self._parts = parts
        self._run = run
        self._graph = parts.ledger.graph
        self._within = within
        self._again = again
        self._batch: list[SourceExtract] = []
        self._refs: set[EntityRef] = set()
        self._read = self._unchanged = self._relations = 0
        self._skipped: list[SkippedFile] = []

    def memories(self) -> tuple[Extracted, Receipt]:
        """Read the memories of the scope, and return the receipt of the last write with the result."""
        self._describe(None)
        known = {one.ref: one for one in self._graph.sources(self._within, GraphSourceType.MEMORY)}
        # The view leaves out quarantined memories: nothing from them may reach an agent.
        for memory in self._parts.ledger.memories.walk(View(self._within, self._parts.clock.now())):
            source = GraphSource(
                memory.scope, GraphSourceType.MEMORY, memory.id, trust=memory.trust, content_hash=memory.content_hash
            )
            if self._is_new(known.get(memory.id), source):
                self._add(source, read_memory(memory, redacted(memory.text).text))
        return self._finish("", [])

    def files(self, path: str, project: str | None, trust: Trust) -> tuple[Extracted, Receipt]:
        """Read the files of a folder, or a single file."""
        self._describe(path)
        tree = self._parts.tree()
        located = tree.locate(path)
        sources = self._graph.sources(self._within, GraphSourceType.FILE)
        root, space, globs = _locate_project(located.root, located.globs, project, sources)
        known = {one.ref: one for one in sources if one.root == root}
        seen: set[str] = set()
        for file in tree.walk(root, globs, max_bytes=MAX_FILE_BYTES):
            read = file if isinstance(file, SkippedFile) else tree.read(root, file.path, max_bytes=MAX_FILE_BYTES)
            if isinstance(read, SkippedFile):
                self._skipped.append(read)
            elif is_readable(file.path):
                seen.add(file.path)
                scope = self._within.scopes[0]
                source = GraphSource(scope, GraphSourceType.FILE, file.path, root, space, trust, read.digest)
                if self._is_new(known.get(file.path), source):
                    self._add(source, read_file(file.path, redacted(read.text).text, space))
        present = seen | {one.path for one in self._skipped if not one.lasting}
        covers = tree.matcher(globs)
        return self._finish(space, [one.id for ref, one in known.items() if ref not in present and covers(ref)])

    def remove(self, space: str, gone: Sequence[str]) -> tuple[Extracted, Receipt]:
        """Remove sources that no longer exist."""
        return self._finish(space, gone)

    def _describe(self, path: str | None) -> None:
        read: dict[str, Json] = {} if path is None else {"path_digest": digest(replace_undecodable(path))}
        self._run.asked = {"scope": self._within.name, "again": self._again, **read}

    def _is_new(self, known: GraphSource | None, source: GraphSource) -> bool:
        same = known is not None and replace(known, at=0) == source and known.rules == RULES_VERSION
        self._unchanged += same and not self._again
        return self._again or not same

    def _add(self, source: GraphSource, extract: Extract) -> None:
        self._read += 1
        self._relations += len(extract.relations)
        self._refs.update(one.ref for one in extract.mentions)
        self._batch.append(SourceExtract(replace(source, at=self._parts.clock.now()), extract))
        if len(self._batch) >= SOURCES_PER_WRITE:
            self._write([], {"read": len(self._batch)})

    def _finish(self, space: str, gone: Sequence[str]) -> tuple[Extracted, Receipt]:
        skipped = tuple(SkippedSource(one.path, one.reason) for one in self._skipped)
        result = Extracted(
            space,
            self._read,
            self._unchanged,
            len(gone),
            len(self._refs),
            self._relations,
            len(skipped),
            skipped[:SKIPPED_SHOWN],
        )
        facts: dict[str, Json] = {
            "read": result.read,
            "unchanged": result.unchanged,
            "removed": result.removed,
            "entities": result.entities,
            "relations": result.relations,
            "skipped": result.skipped,
        }
        return result, self._write(gone, facts)

    def _write(self, gone: Sequence[str], decided: dict[str, Json]) -> Receipt:
        receipt = self._run.receipt(**decided)
        self._graph.replace(self._batch, gone, receipt)
        self._batch = []
        return receipt


def reread_sources(parts: Parts, run: OperationRun, within: Reach) -> tuple[Extracted, Receipt]:
    """Read every source of a scope again, and remove the files of folders that no longer exist."""
    result, receipt = SourceExtraction(parts, run, within, again=True).memories()
    results = [result]
    sources = parts.ledger.graph.sources(within, GraphSourceType.FILE)
    for root, space, trust in sorted({(one.root, one.space, one.trust) for one in sources}):
        extraction = SourceExtraction(parts, run, within, again=True)
        try:
            result, receipt = extraction.files(root, space, trust)
        except NotFound:
            result, receipt = extraction.remove(space, [one.id for one in sources if one.root == root])
        results.append(result)
    return _sum(results), receipt


def _sum(results: Sequence[Extracted]) -> Extracted:
    return Extracted(
        project="",
        read=sum(one.read for one in results),
        unchanged=sum(one.unchanged for one in results),
        removed=sum(one.removed for one in results),
        entities=sum(one.entities for one in results),
        relations=sum(one.relations for one in results),
        skipped=sum(one.skipped for one in results),
        left_out=tuple(skipped for one in results for skipped in one.left_out),
    )


def _locate_project(
    folder: str, globs: Sequence[str], project: str | None, sources: Sequence[GraphSource]
) -> tuple[str, str, Sequence[str]]:
    """Return the root, the project and the patterns for a folder.

    A folder inside one that was read before belongs to that root and project.
    """
    for known in sources:
        if project is None and (folder == known.root or folder.startswith(f"{known.root.rstrip('/')}/")):
            below = folder[len(known.root) :].strip("/")
            within = [f"/{below}/{one.lstrip('/')}" if below else one for one in globs or GLOBS]
            return known.root, known.space, [one.replace("//", "/") for one in within]
    space = project or folder.rstrip("/").rpartition("/")[2] or "root"
    if any(one.space == space and one.root != folder for one in sources):
        raise Conflict(
            f"project {space[:80]!r} already exists for another folder of this scope",
            code="project_taken",
            hint="choose another name with --project, or another scope",
        )
    return folder, space, globs or GLOBS
