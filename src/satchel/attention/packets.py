"""Packets in the ledger: what is kept of a routed one, and erasing one."""

from satchel.attention.router import RoutedPacket
from satchel.core.erasure import ErasedRecords, clear_places, forget_facts, prepare_erasure_proof, survives_elsewhere
from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.domain.attention import PACKET_PREFIX, short_id
from satchel.domain.envelope import Ok
from satchel.domain.erasure import ForgetReason, Forgotten
from satchel.domain.record import MemoryId
from satchel.domain.scope import Reach
from satchel.errors import NotFound
from satchel.ports import NewPacket


def new_packet(found: RoutedPacket, scope: str, new_id: str, now: int) -> NewPacket:
    """Return the packet of a route as the ledger keeps it."""
    request = found.request
    return NewPacket(
        short_id(PACKET_PREFIX, new_id),
        scope,
        request.session,
        request.task,
        request.role,
        found.composed.goal,
        found.composed.items,
        found.selected,
        now,
    )


def forget_packet(
    run: OperationRun, id: str, within: Reach, parts: Parts, *, verify: bool, reason: ForgetReason | None
) -> Ok[Forgotten]:
    """Erase a packet: its goal, the other texts of its request, and what it quoted of memories."""
    packets = parts.ledger.packets
    packet = packets.find(id, within)
    if packet is None:
        raise NotFound(f"no packet {id[:80]!r} in {within}", hint="'satchel attention packets' shows them")
    run.asked = forget_facts(packet.id, within, verify=verify, reason=reason)
    survives = survives_elsewhere(parts.ledger, ErasedRecords())
    proof = prepare_erasure_proof(
        "\n".join(packet.packet.texts),
        lambda text: survives(text) or packets.contains(text, excluding=packet.id),
        parts.files,
        verify=verify,
    )
    receipt = run.receipt(action="deleted", id=packet.id)
    packets.erase(packet.id, receipt)
    forgotten = clear_places(MemoryId(packet.id), proof, {"ledger": parts.ledger.memories.scrub})
    return run.committed(forgotten, receipt)
