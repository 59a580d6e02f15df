"""Bring the records of a source in, batch by batch, and count what became of them."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any

from msgspec import Struct, field

from satchel.domain.imports import (
    RECORDS,
    DocumentItem,
    EdgeItem,
    EntityItem,
    Item,
    MemoryItem,
    Refusal,
    RelationItem,
    Taken,
    TurnItem,
)
from satchel.domain.shorten import shorten
from satchel.errors import InvalidRequest, Unavailable
from satchel.importing.values import Reader, ReadOptions, RecordCount, Sample
from satchel.ports import ImportSource, Progress

ITEMS_PER_BATCH = 100
# A document has many chunks: other writers wait for a batch.
DOCUMENTS_PER_BATCH = 25
SAMPLES_PER_RECORD = 3
SAMPLE_CHARS = 200
MAX_LISTED_REFUSALS = 200


class ImportTally(Struct):
    """Counts of an import so far."""

    read: Counter[str] = field(default_factory=Counter)
    new: Counter[str] = field(default_factory=Counter)
    known: Counter[str] = field(default_factory=Counter)
    quarantined: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    scopes: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)
    refusals: list[Refusal] = field(default_factory=list)
    samples: list[Sample] = field(default_factory=list)
    taken_back: list[str] = field(default_factory=list)
    masked: int = 0
    first_at: int | None = None
    last_at: int | None = None

    def refuse(self, refusal: Refusal) -> None:
        """Count a refusal, and list the first ones."""
        self.reasons[refusal.reason] += 1
        if len(self.refusals) < MAX_LISTED_REFUSALS:
            self.refusals.append(refusal)

    def see(self, item: Item) -> None:
        """Count an item that was read, with its date, and keep the first ones as samples."""
        record, at = RECORDS[type(item)], _moment_of(item)
        if self.read[record] < SAMPLES_PER_RECORD:
            self.samples.append(Sample(record, item.place, shorten(_text_of(item), SAMPLE_CHARS), at))
        self.read[record] += 1
        if at is not None:
            self.first_at = at if self.first_at is None else min(self.first_at, at)
            self.last_at = at if self.last_at is None else max(self.last_at, at)

    def add(self, record: str, items: list[Item], taken: Taken) -> None:
        """Count what became of a batch."""
        self.new[record] += taken.new
        self.known[record] += taken.known
        self.quarantined[record] += taken.quarantined
        self.refused[record] += len(taken.refused)
        self.masked += taken.masked
        self.scopes.update(taken.scopes)
        self.taken_back += taken.taken_back
        for place, reason in taken.refused:
            self.refuse(Refusal(items[place].place, reason))

    def counts(self) -> tuple[RecordCount, ...]:
        """Return the counts by type of record."""
        return tuple(
            RecordCount(
                record,
                self.read[record],
                self.new[record],
                self.known[record],
                self.quarantined[record],
                self.refused[record],
            )
            for record in RECORDS.values()
            if self.read[record]
        )


def take_in(
    items: Iterable[Item | Refusal],
    writers: Mapping[str, Callable[[Any], Taken]],
    tally: ImportTally,
    report: Callable[[int], None],
) -> None:
    """Hand items to the writers of their records in batches. `report` takes the number of items done."""
    waiting: dict[str, list[Item]] = defaultdict(list)
    done = 0

    def write(record: str) -> None:
        nonlocal done
        batch = waiting.pop(record)
        tally.add(record, batch, writers[record](batch))
        done += len(batch)
        report(done)

    for item in items:
        if isinstance(item, Refusal):
            tally.refuse(item)
            continue
        tally.see(item)
        record = RECORDS[type(item)]
        if isinstance(item, EdgeItem) and waiting["memories"]:
            # An edge needs the memories at both of its ends.
            write("memories")
        waiting[record].append(item)
        if len(waiting[record]) >= (DOCUMENTS_PER_BATCH if isinstance(item, DocumentItem) else ITEMS_PER_BATCH):
            write(record)
    for record in RECORDS.values():
        if waiting.get(record):
            write(record)


def read_items(
    source: ImportSource, reader: Reader, options: ReadOptions, limit: int | None
) -> Iterator[Item | Refusal]:
    """Yield at most so many records of a source."""
    return islice(_until_broken(reader.read(source, options), source.name), limit)


def _until_broken(items: Iterator[Item | Refusal], name: str) -> Iterator[Item | Refusal]:
    """Yield items; if the source turns out to be damaged, end with a refusal, so that what was read is kept."""
    try:
        yield from items
    except (InvalidRequest, Unavailable) as error:
        yield Refusal(name, error.code)


def reporter(total: int, progress: Progress | None) -> Callable[[int], None]:
    """Return what reports progress towards a known end."""
    return lambda done: progress(done, max(done, total), "importing") if progress else None


def _moment_of(item: Item) -> int | None:
    match item:
        case MemoryItem():
            return item.created_at
        case TurnItem() | DocumentItem() | EdgeItem():
            return item.at
        case _:
            return None


def _text_of(item: Item) -> str:
    match item:
        case MemoryItem():
            return item.text
        case TurnItem():
            return f"{item.role}: {item.text}"
        case DocumentItem():
            return item.path
        case EntityItem():
            return f"{item.name} ({item.type})"
        case EdgeItem():
            return f"{item.source} {item.type} {item.target}"
        case RelationItem():
            return f"{item.tail} {item.relation} {item.head}"
