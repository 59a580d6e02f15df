"""What the core needs from the outside world, each as the smallest Protocol that serves it."""

from satchel.ports.attention import DetailsBook, KeptPacket, MadePacket, PacketItem, Packets, Shelves
from satchel.ports.conversations import Conversations, Transcripts
from satchel.ports.documents import DocumentBook, Tree
from satchel.ports.edges import Edges
from satchel.ports.embedder import Embedder
from satchel.ports.facts import Facts
from satchel.ports.feed import Feed, FeedItem, Followed
from satchel.ports.files import Exchange, Files, FileSearch, Incoming
from satchel.ports.history import History
from satchel.ports.index import CatchUp, Index, IndexStatus, Searched
from satchel.ports.ledger import ChainState, KeptReceipt, Ledger, Receipts
from satchel.ports.memories import Change, Event, Frequencies, Known, Memories, Saying, Tier
from satchel.ports.observations import (
    DayCount,
    Grading,
    KeptLine,
    Life,
    Lives,
    LoggedLine,
    Move,
    ObservationalLog,
    Observations,
    Observer,
    Passage,
    TakenIn,
)
from satchel.ports.passages import (
    Beside,
    GroupTally,
    IndexedPassage,
    Match,
    PassageFeed,
    PassageIndex,
    PassageItem,
    Passages,
)
from satchel.ports.preflight import Preflight
from satchel.ports.reranker import Reranker
from satchel.ports.spool import Spool
from satchel.ports.vectors import Embedded, Unembedded, Vectors
from satchel.ports.world import Clock, Progress

__all__ = [
    "Beside",
    "CatchUp",
    "ChainState",
    "Change",
    "Clock",
    "Conversations",
    "DayCount",
    "DetailsBook",
    "DocumentBook",
    "Edges",
    "Embedded",
    "Embedder",
    "Event",
    "Exchange",
    "Facts",
    "Feed",
    "FeedItem",
    "FileSearch",
    "Files",
    "Followed",
    "Frequencies",
    "Grading",
    "GroupTally",
    "History",
    "Incoming",
    "Index",
    "IndexStatus",
    "IndexedPassage",
    "KeptLine",
    "KeptPacket",
    "KeptReceipt",
    "Known",
    "Ledger",
    "Life",
    "Lives",
    "LoggedLine",
    "MadePacket",
    "Match",
    "Memories",
    "Move",
    "ObservationalLog",
    "Observations",
    "Observer",
    "PacketItem",
    "Packets",
    "Passage",
    "PassageFeed",
    "PassageIndex",
    "PassageItem",
    "Passages",
    "Preflight",
    "Progress",
    "Receipts",
    "Reranker",
    "Saying",
    "Searched",
    "Shelves",
    "Spool",
    "TakenIn",
    "Tier",
    "Transcripts",
    "Tree",
    "Unembedded",
    "Vectors",
]
