"""What the features need from storage, files, models and other programs, as small protocols."""

from satchel.ports.attention import CandidateLists, DetailsStore, NewPacket, PacketItem, PacketStore, StoredPacket
from satchel.ports.conversations import ConversationStore, Transcripts
from satchel.ports.documents import DocumentStore, Tree
from satchel.ports.edges import EdgeStore
from satchel.ports.embedder import Embedder
from satchel.ports.facts import FactStore
from satchel.ports.feed import ChangeFeed, Feed, FeedItem
from satchel.ports.files import Exchange, Files, FileSearch, Incoming
from satchel.ports.history import HistoryStore
from satchel.ports.index import CatchUp, Index, IndexStatus, MissingExtra, SearchableIndex
from satchel.ports.ledger import ChainState, Ledger, ReceiptStore, StoredReceipt
from satchel.ports.memories import Change, Event, Frequencies, KnownRecords, MemoryStore, TextKey, Tier
from satchel.ports.observations import (
    DayCount,
    Grading,
    LifecycleRecord,
    NewLogLine,
    ObservationalLog,
    ObservationEvent,
    ObservationStore,
    Observer,
    StateChange,
    StoredLogLine,
    UsageStore,
)
from satchel.ports.passages import (
    GroupTally,
    IndexedPassage,
    NeighbourPair,
    PassageFeed,
    PassageIndex,
    PassageItem,
    PassageMatch,
    PassageStore,
)
from satchel.ports.preflight import Preflight
from satchel.ports.reading import DiscussionReader
from satchel.ports.reranker import Reranker
from satchel.ports.spool import Spool
from satchel.ports.vectors import Embedded, Unembedded, VectorStore
from satchel.ports.world import Clock, Progress

__all__ = [
    "CandidateLists",
    "CatchUp",
    "ChainState",
    "Change",
    "ChangeFeed",
    "Clock",
    "ConversationStore",
    "DayCount",
    "DetailsStore",
    "DiscussionReader",
    "DocumentStore",
    "EdgeStore",
    "Embedded",
    "Embedder",
    "Event",
    "Exchange",
    "FactStore",
    "Feed",
    "FeedItem",
    "FileSearch",
    "Files",
    "Frequencies",
    "Grading",
    "GroupTally",
    "HistoryStore",
    "Incoming",
    "Index",
    "IndexStatus",
    "IndexedPassage",
    "KnownRecords",
    "Ledger",
    "LifecycleRecord",
    "MemoryStore",
    "MissingExtra",
    "NeighbourPair",
    "NewLogLine",
    "NewPacket",
    "ObservationEvent",
    "ObservationStore",
    "ObservationalLog",
    "Observer",
    "PacketItem",
    "PacketStore",
    "PassageFeed",
    "PassageIndex",
    "PassageItem",
    "PassageMatch",
    "PassageStore",
    "Preflight",
    "Progress",
    "ReceiptStore",
    "Reranker",
    "SearchableIndex",
    "Spool",
    "StateChange",
    "StoredLogLine",
    "StoredPacket",
    "StoredReceipt",
    "TextKey",
    "Tier",
    "Transcripts",
    "Tree",
    "Unembedded",
    "UsageStore",
    "VectorStore",
]
