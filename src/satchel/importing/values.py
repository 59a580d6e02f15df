"""Results of an import, and the kinds of sources."""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum

from msgspec import Struct, field

from satchel.domain.envelope import Outcome, failed_if
from satchel.domain.imports import FileChanges, Item, Refusal
from satchel.domain.record import Trust
from satchel.ports import ImportSource


class ImportKind(StrEnum):
    """The kinds of sources that can be imported."""

    SATCHEL = "satchel"
    INSTRUCTIONS = "instructions"
    CHATGPT = "chatgpt"
    CLAUDE = "claude"
    BASIC_MEMORY = "basic-memory"
    MARKDOWN = "markdown"
    MEM0 = "mem0"
    SERVER_MEMORY = "server-memory"
    MCP_MEMORY_SERVICE = "mcp-memory-service"
    OPENCLAW_MEM = "openclaw-mem"
    MEMORY_LANCEDB = "memory-lancedb"
    ATTENTION_ROUTER = "attention-router"
    LOSSLESS_CLAW = "lossless-claw"


TRUST_MEANINGS: Mapping[str, str] = {
    Trust.UNTRUSTED: "untrusted: found when nothing trusted answers, never taken as a rule. Texts that read as orders to "
    "an agent are quarantined",
    Trust.TRUSTED: "trusted: what it says counts as yours, and is not checked for orders to an agent",
}
"""What the trust of an import means for what it brings; the first is the default."""


class ReadOptions(Struct, frozen=True):
    """What the person wants of a source."""

    notes: bool = False
    """Whether Markdown notes with front matter become memories instead of documents."""
    takes_over: bool = False
    """Whether Satchel replaces the program: active memories come with their details and edges."""


class Reader(Struct, frozen=True):
    """Reads one kind of source."""

    kind: ImportKind
    title: str
    """What it reads, as a person calls it."""
    recognises: Callable[[ImportSource], float]
    """Returns how sure it is that a source is of its kind, from 0 to 1."""
    read: Callable[[ImportSource, ReadOptions], Iterator[Item | Refusal]]
    """Yields the records of a source in a steady order. A record that cannot be read is a refusal, not an error."""
    by_line: bool = False
    """Whether its memories are the lines of files that people change: a changed line replaces what it said before."""
    keeps_ids: bool = False
    """Whether memories keep the ids that the attention router gave them."""


class RecordCount(Struct, frozen=True):
    """What an import brings of one type of record."""

    record: str
    """memories, turns, documents, entities or relations"""
    read: int
    new: int
    known: int
    """Already in the store, or repeated in the source."""
    quarantined: int
    refused: int


class Sample(Struct, frozen=True):
    """The beginning of a record, and where it is."""

    record: str
    place: str
    text: str
    at: int | None


class ItemsImported(Struct, frozen=True):
    """What an import brings, or would bring, from another program's file."""

    source: str
    kind: ImportKind
    title: str
    dry_run: bool
    """Whether nothing was written."""
    trust: str
    records: tuple[RecordCount, ...]
    scopes: Mapping[str, int]
    """New records by scope."""
    first_at: int | None
    """The earliest date of a record."""
    last_at: int | None
    samples: tuple[Sample, ...]
    refusals: tuple[Refusal, ...]
    """The first refused records."""
    refusals_unlisted: int
    refused_by: Mapping[str, int]
    """Number of refused records by reason."""
    secrets_masked: int = 0
    tag: str | None = None
    """Names the state of the memories before the import."""
    embeddings_waiting: int = 0
    """Texts without a vector; only their words are searched until a vector is made."""
    taken_back: int = 0
    """Of the known memories: those that an undo retired."""
    brought_back_by: str | None = None
    """The change to undo, so that those are active again."""
    changes: FileChanges = FileChanges()
    """What the file says differently from when it was imported before."""
    asks: bool = field(default=False)
    """Whether a person at a terminal is asked to go on."""

    @property
    def changes_memories(self) -> bool:
        """Whether it brings memories, or retires or brings back some that are there."""
        brought = any(one.new for one in self.records if one.record == "memories")
        changes = self.changes
        return brought or bool(changes.replaced or changes.returned or (changes.pruned and changes.gone))

    @property
    def new(self) -> int:
        """Number of new records."""
        return sum(one.new for one in self.records)

    @property
    def outcome(self) -> Outcome:
        """Failed if there were only refusals."""
        is_empty = not any(one.new or one.known for one in self.records)
        return failed_if(is_empty and bool(self.refusals))
