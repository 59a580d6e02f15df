"""What the attention router needs from the ledger: candidate lists, details of memories, and packets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from satchel.domain.attention import Packet, Slot
from satchel.domain.record import MemoryId

if TYPE_CHECKING:
    from satchel.domain.attention import Details
    from satchel.domain.receipt import Receipt
    from satchel.domain.record import Memory
    from satchel.domain.scope import Reach
    from satchel.domain.view import View


class CandidateLists(Protocol):
    """Lists of memories, each in a total order. The view is applied before the limit."""

    def of_task(self, task: str, view: View, limit: int) -> list[Memory]:
        """Return the memories of a task, most important first."""
        ...

    def of_session(self, session: str, view: View, limit: int) -> list[Memory]:
        """Return the memories of a session, most important first."""
        ...

    def durable(self, view: View, limit: int) -> list[Memory]:
        """Return the memories that outlast sessions and tasks, most important first."""
        ...

    def recent(self, view: View, limit: int) -> list[Memory]:
        """Return the most recently changed memories, newest first."""
        ...


class DetailsStore(Protocol):
    """Structured details of memories."""

    def put(self, id: MemoryId, details: Details) -> None:
        """Store the details of a new memory. Within `MemoryStore.transaction` it is part of that write."""
        ...

    def of(self, ids: Sequence[MemoryId]) -> Mapping[MemoryId, Details]:
        """Return the details of those memories that have any."""
        ...


class PacketItem(NamedTuple):
    """One text of a packet, and the memory it came from; None if it came from the request."""

    slot: Slot
    text: str
    memory_id: MemoryId | None


class NewPacket(NamedTuple):
    """A packet to store, with the source of each text, so that it can be erased with a forgotten memory."""

    id: str
    scope: str
    session: str | None
    task: str | None
    step_role: str
    goal: str
    items: tuple[PacketItem, ...]
    selected: tuple[MemoryId, ...]
    created_at: int


class StoredPacket(NamedTuple):
    """A packet in the ledger."""

    id: str
    session: str | None
    task: str | None
    packet: Packet
    created_at: int


class PacketStore(Protocol):
    """The packets that were made. They contain text of memories and of requests: forgetting a memory erases its packets."""

    def keep(self, packet: NewPacket, receipt: Receipt, max_kept: int) -> bool:
        """Store a packet and its receipt, count the use of its memories, and drop the oldest beyond `max_kept`.

        Does not wait long for other writers: returns False if nothing was stored.
        """
        ...

    def recent(self, view: View, limit: int) -> list[StoredPacket]:
        """Return the newest packets within the view's reach, newest first."""
        ...

    def find(self, id: str, reach: Reach) -> StoredPacket | None:
        """Return one packet, if it is within reach."""
        ...

    def walk(self, reach: Reach) -> list[NewPacket]:
        """Return every packet within reach with the sources of its texts, oldest first."""
        ...

    def restore(self, packets: Sequence[NewPacket], receipt: Receipt) -> int:
        """Store packets of another store again; return how many. One that exists, or whose memory is not here, is left out."""
        ...

    def contains(self, fragment: str, *, excluding: str) -> bool:
        """Return whether a packet other than one contains a fragment."""
        ...

    def erase(self, id: str, receipt: Receipt) -> None:
        """Erase a packet, and keep the receipt of that."""
        ...
