"""Import the rows of a file in batches, and count what became of them."""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from itertools import islice
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.attention import Details
from satchel.domain.canonical import Json
from satchel.domain.edges import MemoryEdge
from satchel.domain.embedding import Vector
from satchel.domain.facts import FactEvent
from satchel.domain.imports import Imported, ImportFailure
from satchel.domain.json_rows import RawRow, decode_row
from satchel.domain.policies import ScopePolicy
from satchel.domain.record import Memory, MemoryId
from satchel.errors import InvalidRequest, Refused
from satchel.memories.full_export import (
    DETAILS,
    EDGES,
    FACT,
    OWN_RECORDS,
    PACKET,
    details_of,
    edges_of,
    fact_of,
    packet_of,
    source_of,
)
from satchel.memories.known_rows import RowMatcher, SeenRows, taken_back
from satchel.memories.row_format import ParsedRow, parse_row
from satchel.memories.row_vectors import VectorReader, no_vectors
from satchel.ports import MemoryStore, NewPacket

# Rows that are stored together: the more there are, the fewer pages of the ledger are written again and again. Others can
# write between two batches, so a batch must not take long.
ROWS_PER_BATCH = 15_000
BYTES_PER_BATCH = 24 << 20
MAX_LISTED_FAILURES = 20
_NO_DETAILS = Details()


class ImportOptions(Struct, frozen=True):
    """How rows are imported."""

    dedupe: str
    dry_run: bool
    scope: str | None
    scope_policy: ScopePolicy
    limit: int | None
    now: int
    new_id: Callable[[], str]
    trusted: bool = False
    """Whether the operator vouches for the rows."""
    own: bool = False
    """Whether a store of the same operator signed them."""

    def parse(self, row: Mapping[str, Json], details: Details = _NO_DETAILS) -> ParsedRow:
        """Parse a row, or raise InvalidRequest or Refused with the reason as its code."""
        parsed = parse_row(
            row, scope=self.scope, policy=self.scope_policy, now=self.now, trusted=self.trusted, details=details
        )
        return replace(parsed, memory=replace(parsed.memory, source_kind=source_of(row))) if self.own else parsed


class RestoredLinks(Struct):
    """What a signed export holds besides memories, until it is stored."""

    details: dict[MemoryId, Details] = field(default_factory=dict)
    edges: list[MemoryEdge] = field(default_factory=list)
    facts: list[FactEvent] = field(default_factory=list)
    packets: list[NewPacket] = field(default_factory=list)
    left_out: int = 0
    """Rows with details, edges, facts or packets that were not restored."""


class ImportCounts(Struct):
    """Counts of an import so far."""

    parsed: int = 0
    imported: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Rows already present, by what they were recognized by."""
    failed: Counter[str] = field(default_factory=Counter)
    """Rows that failed, by reason."""
    failures: list[ImportFailure] = field(default_factory=list)
    renamed: int = 0
    lowered: int = 0
    quarantined: int = 0
    """Rows that read as an order to the agent."""
    misplaced: int = 0
    """Rows whose text names an invalid scope, stored in the default scope."""
    unknown_fields: int = 0
    vectors: int = 0
    """Rows whose vector was taken."""
    vectors_left_out: Counter[str] = field(default_factory=Counter)
    """Rows whose vector was not, by reason."""
    taken_back: list[MemoryId] = field(default_factory=list)
    """Skipped rows that an undo retired."""
    batches: int = 0
    links: RestoredLinks = field(default_factory=RestoredLinks)

    def add_new(self, rows: Sequence[ParsedRow]) -> None:
        """Count rows that are imported."""
        self.imported += len(rows)
        for row in rows:
            self.renamed += row.wanted is not None and row.memory.id != row.wanted
            self.lowered += row.lowered
            self.quarantined += row.is_order
            self.misplaced += row.misplaced

    def fail(self, number: int, reason: str) -> None:
        """Count a failed row, and list the first ones."""
        self.failed[reason] += 1
        if len(self.failures) < MAX_LISTED_FAILURES:
            self.failures.append(ImportFailure(number, reason))


class NewMemory(NamedTuple):
    """A memory to store with its details, and its vector if the row had one that is taken."""

    memory: Memory
    vector: Vector | None
    details: Details


class BatchImport:
    """Imports parsed rows batch by batch; each batch is looked up and saved under the write lock.

    A dry run does everything except saving, so it has to remember what it would have saved.
    """

    def __init__(
        self,
        terms: ImportOptions,
        memories: MemoryStore,
        save: Callable[[Sequence[NewMemory], ImportCounts], None],
        vectors: VectorReader = no_vectors,
    ) -> None:
        self._terms = terms
        self._memories = memories
        self._save = save
        self._read_vectors = vectors
        self._rows = RowMatcher(memories, terms.dedupe, terms.new_id)
        self.counts = ImportCounts()

    def add(self, batch: Sequence[ParsedRow]) -> list[Memory]:
        """Import a batch, and return its new memories."""
        counts, terms = self.counts, self._terms
        counts.batches += 1
        with nullcontext() if terms.dry_run else self._memories.transaction():
            new, recognised = self._rows.new_rows(batch)
            counts.add_new(new)
            counts.skipped += recognised
            counts.taken_back += taken_back(self._memories, self._rows.known_ids, terms.now)
            vectors = self._vectors(new)
            if new and not terms.dry_run:
                arrived = [NewMemory(one.memory, vector, one.details) for one, vector in zip(new, vectors, strict=True)]
                self._save(arrived, counts)
        if not terms.dry_run:
            self._rows.seen = SeenRows()
        return [one.memory for one in new]

    def _vectors(self, new: Sequence[ParsedRow]) -> Sequence[Vector | None]:
        if not any(one.vector is not None for one in new):
            return [None] * len(new)
        vectors, left_out = self._read_vectors([one.vector for one in new])
        self.counts.vectors += sum(one is not None for one in vectors)
        self.counts.vectors_left_out += left_out
        return vectors


def import_rows(
    rows: Iterator[RawRow],
    terms: ImportOptions,
    memories: MemoryStore,
    save: Callable[[Sequence[NewMemory], ImportCounts], None],
    vectors: VectorReader = no_vectors,
) -> ImportCounts:
    """Import the rows of a file in batches."""
    started = BatchImport(terms, memories, save, vectors)
    for batch in _batches(rows, terms, started.counts):
        started.add(batch)
    return started.counts


def summary(source: str, format: str, terms: ImportOptions, arrivals: ImportCounts) -> Imported:
    """Return the result of an import."""
    failed = arrivals.failed.total()
    return Imported(
        source=source,
        format=format,
        dedupe=terms.dedupe,
        dry_run=terms.dry_run,
        parsed=arrivals.parsed,
        imported=arrivals.imported,
        skipped=arrivals.skipped.total(),
        failed=failed,
        failures=tuple(arrivals.failures),
        failures_unlisted=failed - len(arrivals.failures),
        skipped_by=dict(sorted(arrivals.skipped.items())),
        failed_by=dict(sorted(arrivals.failed.items())),
        renamed=arrivals.renamed,
        trust_lowered=arrivals.lowered,
        quarantined=arrivals.quarantined,
        scopes_replaced=arrivals.misplaced,
        unknown_fields=arrivals.unknown_fields,
        vectors=arrivals.vectors,
        taken_back=len(arrivals.taken_back),
    )


def facts(imported: Imported) -> dict[str, Json]:
    """Return the receipt facts of an import."""
    return {
        "imported": imported.imported,
        "skipped": dict(imported.skipped_by),
        "failed": dict(imported.failed_by),
        "failures": [[one.index, one.reason] for one in imported.failures],
        "renamed": imported.renamed,
        "trust_lowered": imported.trust_lowered,
        "quarantined": imported.quarantined,
        "scopes_replaced": imported.scopes_replaced,
        "unknown_fields": imported.unknown_fields,
        **({"vectors": imported.vectors} if imported.vectors else {}),
    }


def _batches(rows: Iterator[RawRow], terms: ImportOptions, arrivals: ImportCounts) -> Iterator[list[ParsedRow]]:
    """Yield the valid rows of a file in batches."""
    batch, size = list[ParsedRow](), 0
    for raw in islice(rows, terms.limit):
        arrival = _admitted(raw, terms, arrivals)
        if arrival is not None:
            batch.append(arrival)
            size += len(raw.data)
        if len(batch) >= ROWS_PER_BATCH or size >= BYTES_PER_BATCH:
            yield batch
            batch, size = [], 0
    if batch:
        yield batch


def _admitted(raw: RawRow, terms: ImportOptions, arrivals: ImportCounts) -> ParsedRow | None:
    """Return a row as a memory; None if it is invalid or something else."""
    arrivals.parsed += 1
    if raw.problem:
        arrivals.fail(raw.number, raw.problem)
        return None
    try:
        row = decode_row(raw.data)
        _take_links(row, terms, arrivals.links)
        if row.get("record") in OWN_RECORDS and row.get("damaged") is None:
            arrivals.parsed -= 1
            return None
        arrival = terms.parse(row)
    except (InvalidRequest, Refused) as error:
        arrivals.fail(raw.number, error.code)
        return None
    arrivals.unknown_fields += arrival.unknown_fields
    return arrival


def _take_links(row: Mapping[str, Json], terms: ImportOptions, links: RestoredLinks) -> None:
    """Take what a row holds besides a memory. Edges and facts influence answers, so a file cannot just claim them."""
    if not terms.own:
        links.left_out += row.get("record") in (FACT, PACKET) or DETAILS in row or EDGES in row
    elif row.get("record") == FACT:
        links.facts.append(fact_of(row))
    elif row.get("record") == PACKET:
        links.packets.append(packet_of(row))
    elif (details := details_of(row)) is not None:
        links.details[MemoryId(str(row.get("id")))] = details
    if terms.own:
        links.edges += edges_of(row)
