"""Packets by role: what each role was given for the same goal, side by side."""

from collections.abc import Iterable

from msgspec import Struct

from satchel.attention.values import PacketList, PacketReport
from satchel.domain.attention import Role, Slot
from satchel.interfaces.inspector.pages.parameters import largest_scope, memories_by_scope
from satchel.interfaces.inspector.visit import Page, Visit

SEARCHED = 200
GOALS_SHOWN = 30


class Goal(Struct, frozen=True):
    """Something that packets were made for."""

    goal: str
    task: str
    roles: tuple[str, ...]
    newest: str
    """The id of its newest packet, which names it in an address."""


class PacketsView(Struct, frozen=True):
    """The newest packet of each role for one goal."""

    scope: str
    scopes: tuple[str, ...]
    goals: tuple[Goal, ...]
    chosen: Goal | None
    packets: tuple[tuple[str, PacketReport | None], ...]
    """Every role with its packet."""
    slots: tuple[str, ...]


async def show(visit: Visit) -> Page:
    """Show the packets of one goal, the newest if none is named."""
    by_scope = await memories_by_scope(visit)
    scope = visit.query.get("scope", largest_scope(by_scope))
    listed: PacketList = (await visit.ask("attention packets", limit=SEARCHED, scope=scope or None)).result
    goals = _goals(listed.items)
    wanted = visit.query.get("packet")
    named = next((one for one in listed.items if one.id == wanted), None)
    chosen = next((one for one in goals if named is None or _same_goal(one, named)), None)
    return Page(
        "packets.html",
        PacketsView(
            scope=scope,
            scopes=tuple(by_scope),
            goals=goals[:GOALS_SHOWN],
            chosen=chosen,
            packets=_by_role(one for one in listed.items if chosen is not None and _same_goal(chosen, one)),
            slots=tuple(Slot),
        ),
    )


def _goals(packets: Iterable[PacketReport]) -> tuple[Goal, ...]:
    """Return the goals of packets, each once, the one with the newest packet first."""
    grouped: dict[tuple[str, str], list[PacketReport]] = {}
    for one in packets:
        grouped.setdefault((one.goal, one.task_id or ""), []).append(one)
    return tuple(
        Goal(goal, task, tuple(dict.fromkeys(one.step_role for one in group)), group[0].id)
        for (goal, task), group in grouped.items()
    )


def _same_goal(goal: Goal, packet: PacketReport) -> bool:
    return (goal.goal, goal.task) == (packet.goal, packet.task_id or "")


def _by_role(packets: Iterable[PacketReport]) -> tuple[tuple[str, PacketReport | None], ...]:
    newest: dict[str, PacketReport] = {}
    for one in packets:
        newest.setdefault(one.step_role, one)
    return tuple((role, newest.get(role)) for role in Role)
