"""What the core needs from the outside world, each as the smallest Protocol that serves it."""

from satchel.ports.embedder import Embedder
from satchel.ports.files import Exchange, Files, FileSearch, Incoming
from satchel.ports.index import CatchUp, Index, IndexStatus
from satchel.ports.ledger import (
    ChainState,
    Embedded,
    Feed,
    FeedItem,
    KeptReceipt,
    Ledger,
    Receipts,
    Unembedded,
    Vectors,
)
from satchel.ports.memories import Change, Event, Known, Memories, Saying
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
    Passage,
    TakenIn,
)
from satchel.ports.spool import Spool
from satchel.ports.world import Clock, Progress

__all__ = [
    "CatchUp",
    "ChainState",
    "Change",
    "Clock",
    "DayCount",
    "Embedded",
    "Embedder",
    "Event",
    "Exchange",
    "Feed",
    "FeedItem",
    "FileSearch",
    "Files",
    "Grading",
    "Incoming",
    "Index",
    "IndexStatus",
    "KeptLine",
    "KeptReceipt",
    "Known",
    "Ledger",
    "Life",
    "Lives",
    "LoggedLine",
    "Memories",
    "Move",
    "ObservationalLog",
    "Observations",
    "Passage",
    "Progress",
    "Receipts",
    "Saying",
    "Spool",
    "TakenIn",
    "Unembedded",
    "Vectors",
]
