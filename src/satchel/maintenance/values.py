"""Results of the maintenance operations."""

from msgspec import Struct

from satchel.domain.answers import HealthFinding, MemoryCounts
from satchel.domain.canonical import Json
from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.server import RunningServer
from satchel.ports import StoredReceipt


class Stats(Struct, frozen=True):
    """Counts and embedding state of a scope or of the whole store."""

    scope: str
    tally: MemoryCounts
    embedding_space: str | None
    embeddings_waiting: int
    embeddings_skipped: int
    folder: str
    server: RunningServer | None = None
    """The server that keeps the store open; None if none is running."""


class ReceiptsPruned(Struct, frozen=True):
    """Bodies of old receipts were removed, or would be."""

    dry_run: bool
    older_than_days: int
    pruned: int
    chars: int
    pruned_in_all: int
    """With earlier prunes."""


class CheckUp(Struct, frozen=True):
    """The result of all health checks."""

    healthy: bool
    damaged: bool
    """Whether the ledger itself is damaged; unlike an index it cannot be rebuilt."""
    findings: tuple[HealthFinding, ...]

    @property
    def outcome(self) -> Outcome:
        """Damaged if the ledger is; failed if any other check failed."""
        return Outcome.DAMAGED if self.damaged else failed_if(not self.healthy)


class ReceiptDifference(Struct, frozen=True):
    """A value that two receipts do not share."""

    path: str
    """Where it is, such as `decided.hits[ID].score`."""
    first: Json
    """Its value in the first receipt, if the first has one."""
    second: Json
    only_in: str = ""
    """first or second, if only that receipt has it."""


class ReceiptComparison(Struct, frozen=True):
    """What differs between two receipts."""

    first: StoredReceipt
    second: StoredReceipt
    equal: bool
    """Whether the digests are equal, so that both did the same work."""
    differences: tuple[ReceiptDifference, ...]
    more: int = 0
    """How many differences are not listed."""
