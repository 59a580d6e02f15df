"""What the features need from storage, files, models and other programs, as small protocols."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from satchel.ports.access import AccessStore
    from satchel.ports.attention import CandidateLists, DetailsStore, NewPacket, PacketItem, PacketStore, StoredPacket
    from satchel.ports.changes import ChangeLog
    from satchel.ports.conversations import ConversationStore, Transcripts
    from satchel.ports.documents import DocumentStore, Tree
    from satchel.ports.edges import EdgeStore
    from satchel.ports.embedder import Embedder
    from satchel.ports.facts import FactStore
    from satchel.ports.feed import ChangeFeed, Feed, FeedItem
    from satchel.ports.files import Exchange, Files, FileSearch, Incoming
    from satchel.ports.foreign_table import ForeignRow, ForeignTable
    from satchel.ports.history import HistoryStore
    from satchel.ports.import_source import ImportSource, ImportSources, SourceFile, SourceForm
    from satchel.ports.index import INDEX_UNREACHABLE, CatchUp, Index, IndexStatus, MissingExtra, SearchableIndex
    from satchel.ports.judging import PromptJudge
    from satchel.ports.ledger import ChainState, Ledger, PrunedReceipts, ReceiptSize, ReceiptStore, StoredReceipt
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
    from satchel.ports.scopes import ScopeStore
    from satchel.ports.spool import Spool
    from satchel.ports.vectors import Embedded, Unembedded, VectorStore
    from satchel.ports.world import Ask, Clock, EditText, Progress, Tell

__all__ = [
    "INDEX_UNREACHABLE",
    "AccessStore",
    "Ask",
    "CandidateLists",
    "CatchUp",
    "ChainState",
    "Change",
    "ChangeFeed",
    "ChangeLog",
    "Clock",
    "ConversationStore",
    "DayCount",
    "DetailsStore",
    "DiscussionReader",
    "DocumentStore",
    "EdgeStore",
    "EditText",
    "Embedded",
    "Embedder",
    "Event",
    "Exchange",
    "FactStore",
    "Feed",
    "FeedItem",
    "FileSearch",
    "Files",
    "ForeignRow",
    "ForeignTable",
    "Frequencies",
    "Grading",
    "GroupTally",
    "HistoryStore",
    "ImportSource",
    "ImportSources",
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
    "PromptJudge",
    "PrunedReceipts",
    "ReceiptSize",
    "ReceiptStore",
    "Reranker",
    "ScopeStore",
    "SearchableIndex",
    "SourceFile",
    "SourceForm",
    "Spool",
    "StateChange",
    "StoredLogLine",
    "StoredPacket",
    "StoredReceipt",
    "Tell",
    "TextKey",
    "Tier",
    "Transcripts",
    "Tree",
    "Unembedded",
    "UsageStore",
    "VectorStore",
]

# The names of each module.
_NAMES = {
    "access": "AccessStore",
    "attention": "CandidateLists DetailsStore NewPacket PacketItem PacketStore StoredPacket",
    "changes": "ChangeLog",
    "conversations": "ConversationStore Transcripts",
    "documents": "DocumentStore Tree",
    "edges": "EdgeStore",
    "embedder": "Embedder",
    "facts": "FactStore",
    "feed": "ChangeFeed Feed FeedItem",
    "files": "Exchange Files FileSearch Incoming",
    "foreign_table": "ForeignRow ForeignTable",
    "history": "HistoryStore",
    "import_source": "ImportSource ImportSources SourceFile SourceForm",
    "index": "INDEX_UNREACHABLE CatchUp Index IndexStatus MissingExtra SearchableIndex",
    "judging": "PromptJudge",
    "ledger": "ChainState Ledger PrunedReceipts ReceiptSize ReceiptStore StoredReceipt",
    "memories": "Change Event Frequencies KnownRecords MemoryStore TextKey Tier",
    "observations": "DayCount Grading LifecycleRecord NewLogLine ObservationalLog ObservationEvent ObservationStore Observer StateChange StoredLogLine UsageStore",
    "passages": "GroupTally IndexedPassage NeighbourPair PassageFeed PassageIndex PassageItem PassageMatch PassageStore",
    "preflight": "Preflight",
    "reading": "DiscussionReader",
    "reranker": "Reranker",
    "scopes": "ScopeStore",
    "spool": "Spool",
    "vectors": "Embedded Unembedded VectorStore",
    "world": "Ask Clock EditText Progress Tell",
}
_MODULE_OF = {name: f"satchel.ports.{module}" for module, names in _NAMES.items() for name in names.split()}


def __getattr__(name: str) -> Any:
    """Import a port on first use: a command loads only those that it uses, and most are used in annotations only."""
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'satchel.ports' has no attribute {name!r}")
    return getattr(import_module(_MODULE_OF[name]), name)
