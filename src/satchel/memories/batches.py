"""Export memories as rows of a file, and import rows in batches, with counts."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from hashlib import sha256
from itertools import chain, islice
from typing import NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.attention import Details
from satchel.domain.canonical import Json
from satchel.domain.edges import MemoryEdge
from satchel.domain.facts import FactEvent
from satchel.domain.imports import Format, Imported, ImportFailure
from satchel.domain.json_rows import RawRow, decode_row
from satchel.domain.policies import ScopePolicy
from satchel.domain.record import Memory, MemoryId
from satchel.errors import InvalidRequest, Refused
from satchel.memories import markdown_format
from satchel.memories.full_export import (
    DETAILS,
    EDGES,
    FACT,
    OWN_RECORDS,
    PACKET,
    Signer,
    additions,
    details_of,
    edges_of,
    fact_of,
    fact_row,
    packet_of,
    packet_row,
    signature_row,
    source_of,
)
from satchel.memories.known_rows import RowMatcher, SeenRows
from satchel.memories.row_format import ParsedRow, damaged_row, mask_memory, memory_row, parse_row
from satchel.ports import MemoryStore, NewPacket
from satchel.ports.damage import DamagedRecord

BATCH = 500
MAX_LISTED_FAILURES = 20


class Links(NamedTuple):
    """Where an export finds what belongs to memories."""

    details: Callable[[MemoryId], Details | None]
    edges: Callable[[MemoryId], Iterable[MemoryEdge]]
    """Those that start at a memory."""
    facts: Callable[[], Iterable[FactEvent]]
    packets: Callable[[], Iterable[NewPacket]]


class ExportWriter:
    """Writes memories as the pieces of a file, and counts them."""

    def __init__(self, format: str, redact: Callable[[str], tuple[str, Iterable[tuple[str, int]]]] | None) -> None:
        self._format = format
        self._redact = redact
        self._state = sha256()
        self.count = 0
        self.redacted: Counter[str] = Counter()

    def pieces(self, memories: Iterable[Memory], damaged: Iterable[DamagedRecord] = ()) -> Iterator[bytes]:
        """Yield the file piece by piece, holding at most one memory. `damaged` is read after the memories."""
        return self._rows(chain(map(self._row, memories), map(damaged_row, damaged)))

    def signed_pieces(self, memories: Iterable[Memory], links: "Links", signer: Signer) -> Iterator[bytes]:
        """Yield the file with the details and edges of each memory, then the facts and packets, then the signature of all of it."""
        described = ({**self._row(one), **additions(links.details(one.id), links.edges(one.id))} for one in memories)
        rest = chain(map(fact_row, links.facts()), map(packet_row, links.packets()))
        return self._rows(chain(described, rest), signer)

    def _rows(self, rows: Iterable[dict[str, Json]], signer: Signer | None = None) -> Iterator[bytes]:
        listed = self._format == Format.JSON
        before, after = (b",\n", b"") if listed else (b"", b"\n")
        yield b"[\n" if listed else b""
        first = True
        for row in rows:
            data = _json(row).encode()
            self.count += row.get("record") not in OWN_RECORDS
            self._state.update(data + b"\n")
            if signer is not None:
                signer.add(data)
            yield (b"" if first else before) + data + after
            first = False
        if signer is not None:
            yield (b"" if first else before) + _json(signature_row(signer.value)).encode() + after
        if listed:
            yield b"\n]\n"

    @property
    def state(self) -> str:
        """The digest of all rows written: equal for stores that hold the same."""
        return f"sha256:{self._state.hexdigest()}"

    def document(self, memories: Iterable[Memory]) -> Iterator[bytes]:
        """Yield one Markdown document. The memories must come scope by scope and kind by kind."""
        document = markdown_format.Document()
        for memory in memories:
            self.count += 1
            yield "".join(document.lines(self._masked(memory))).encode()

    def notes(self, memories: Iterable[Memory]) -> Iterator[tuple[str, bytes]]:
        """Yield the path and the content of a Markdown note for each memory."""
        for memory in map(self._masked, memories):
            self.count += 1
            yield markdown_format.note_path(memory), markdown_format.note(memory).encode()

    def _row(self, memory: Memory) -> dict[str, Json]:
        return memory_row(self._masked(memory))

    def _masked(self, memory: Memory) -> Memory:
        return mask_memory(memory, self._mask) if self._redact else memory

    def _mask(self, text: str) -> str:
        if self._redact is None:
            return text
        clean, found = self._redact(text)
        self.redacted.update(dict(found))
        return clean


def _json(row: dict[str, Json]) -> str:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


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

    def parse(self, row: Mapping[str, Json]) -> ParsedRow:
        """Parse a row, or raise InvalidRequest or Refused with the reason as its code."""
        parsed = parse_row(row, scope=self.scope, policy=self.scope_policy, now=self.now, trusted=self.trusted)
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
    """Rows with an invalid scope, stored in the default scope."""
    unknown_fields: int = 0
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


class BatchImport:
    """Imports parsed rows batch by batch; each batch is looked up and saved under the write lock.

    A dry run does everything except saving, so it has to remember what it would have saved.
    """

    def __init__(
        self,
        terms: ImportOptions,
        memories: MemoryStore,
        save: Callable[[Sequence[ParsedRow], ImportCounts], None],
    ) -> None:
        self._terms = terms
        self._memories = memories
        self._save = save
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
            if new and not terms.dry_run:
                self._save(new, counts)
        if not terms.dry_run:
            self._rows.seen = SeenRows()
        return [one.memory for one in new]


def import_rows(
    rows: Iterator[RawRow],
    terms: ImportOptions,
    memories: MemoryStore,
    save: Callable[[Sequence[ParsedRow], ImportCounts], None],
) -> ImportCounts:
    """Import the rows of a file in batches."""
    started = BatchImport(terms, memories, save)
    for batch in _batches(_admitted(rows, terms, started.counts)):
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
    }


def _admitted(rows: Iterator[RawRow], terms: ImportOptions, arrivals: ImportCounts) -> Iterator[ParsedRow]:
    for raw in islice(rows, terms.limit):
        arrivals.parsed += 1
        if raw.problem:
            arrivals.fail(raw.number, raw.problem)
            continue
        try:
            row = decode_row(raw.data)
            _take_links(row, terms, arrivals.links)
            if row.get("record") in OWN_RECORDS and row.get("damaged") is None:
                arrivals.parsed -= 1
                continue
            arrival = terms.parse(row)
        except (InvalidRequest, Refused) as error:
            arrivals.fail(raw.number, error.code)
            continue
        arrivals.unknown_fields += arrival.unknown_fields
        yield arrival


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


def _batches(arrivals: Iterator[ParsedRow]) -> Iterator[list[ParsedRow]]:
    while batch := list(islice(arrivals, BATCH)):
        yield batch
