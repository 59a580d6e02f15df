"""What the attention router needs of the ledger beside the records: shelves, details, and the packets it made."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, Protocol

from satchel.domain.attention import Details, Packet, Slot
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId
from satchel.domain.view import View


class Shelves(Protocol):
    """Memories by where they belong, each shelf in a total order and within a view, cut after the view was applied."""

    def of_task(self, task: str, view: View, limit: int) -> list[Memory]:
        """Return the memories of a task, the most important first."""
        ...

    def of_session(self, session: str, view: View, limit: int) -> list[Memory]:
        """Return the memories of a session, the most important first."""
        ...

    def durable(self, view: View, limit: int) -> list[Memory]:
        """Return what outlasts sessions and tasks, the most important first."""
        ...

    def recent(self, view: View, limit: int) -> list[Memory]:
        """Return what was changed last, newest first."""
        ...


class DetailsBook(Protocol):
    """What memories carry beside their text."""

    def put(self, id: MemoryId, details: Details) -> None:
        """Keep the details of a new memory. Within `Memories.alone` it is part of that write."""
        ...

    def of(self, ids: Sequence[MemoryId]) -> Mapping[MemoryId, Details]:
        """Return the details of those that have any."""
        ...


class PacketItem(NamedTuple):
    """One text of a packet, and the memory it came from; None where the request itself said it."""

    slot: Slot
    text: str
    memory_id: MemoryId | None


class MadePacket(NamedTuple):
    """A packet with all that is needed to keep it, and to erase from it what is forgotten later."""

    id: str
    scope: str
    session: str | None
    task: str | None
    step_role: str
    goal: str
    items: tuple[PacketItem, ...]
    selected: tuple[MemoryId, ...]
    created_at: int


class KeptPacket(NamedTuple):
    """A packet as the ledger holds it: what was forgotten since is no longer in it."""

    id: str
    session: str | None
    task: str | None
    packet: Packet
    created_at: int


class Packets(Protocol):
    """The packets that were made. They hold text of memories, so forgetting reaches into them."""

    def keep(self, packet: MadePacket, receipt: Receipt, most: int) -> bool:
        """Keep a packet and its receipt, count the use of its memories, and drop the oldest beyond `most`.

        Never waits long: False if nothing was kept.
        """
        ...

    def recent(self, view: View, limit: int) -> list[KeptPacket]:
        """Return the newest packets within the view's reach, newest first."""
        ...
