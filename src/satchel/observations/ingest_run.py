"""One run of ingest: over the whole spool, files that others begin meanwhile included, or over one other file."""

from collections.abc import Callable
from functools import cached_property

from msgspec import Struct, field

from satchel.domain.canonical import Json
from satchel.domain.receipt import Receipt
from satchel.observations.ingest import Batch, Terms, Totals, batches
from satchel.ports import Observations, Progress, Spool


class Run(Struct, dict=True):
    """What a run works with, and what it came to so far."""

    spool: Spool
    observations: Observations
    terms: Terms
    file: str | None
    receipt_of: Callable[[dict[str, Json]], Receipt]
    """Makes the receipt of a batch."""
    progress: Progress | None
    totals: Totals = field(default_factory=Totals)

    @cached_property
    def buried(self) -> frozenset[tuple[str, int]]:
        """Which lines are dead letters already. Looked up when there is another one."""
        return self.spool.buried()

    def to_the_end(self) -> Totals:
        """Read until nothing is new, files that others begin meanwhile included."""
        while True:
            sources = self._sources()
            for source in sources:
                self._read(source, growing=source == sources[-1])
            if self._sources() in (sources, sources[-1:]):
                return self.totals

    def _sources(self) -> list[str]:
        return self.spool.sources() if self.file is None else [self.file]

    def _read(self, source: str, *, growing: bool) -> None:
        spool, cursor = self.spool, self.observations.cursors().get(source)
        self.totals.waiting = 0
        for batch in batches(spool, source, cursor, self.terms, growing=growing):
            self._keep(batch)
            if self.progress is not None:
                self.progress(batch.position, max(batch.position, spool.size(source)), f"ingesting {source[-40:]}")
        if not growing and self.file is None and spool.archive(source):
            self.totals.archived += 1

    def _keep(self, batch: Batch) -> None:
        if batch.position == batch.start:
            self.totals.waiting += batch.waiting
            return
        for name, text in batch.payloads:
            self.spool.put(name, text)
        # Before the place is remembered: were it stopped here, the same letters would be written again, and are known.
        self.spool.bury([one for one in batch.letters if (one.source, one.offset) not in self.buried])
        receipt = self.receipt_of(
            {
                "source": batch.source,
                "position": batch.position,
                "seen": batch.seen,
                "rejected": len(batch.letters),
            }
        )
        cursor = self.spool.cursor(batch.source, batch.position)
        taken_in = self.observations.take_in(batch.observations, [cursor], receipt)
        self.totals.add(batch, taken_in.inserted)
