"""The pages: each module has one view value per template, made from the answers of operations."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from satchel.interfaces.inspector.pages import (
    answers,
    facts,
    graph,
    home,
    importing,
    memories,
    memory,
    packets,
    recall,
    receipts,
    review,
    routes,
)
from satchel.interfaces.inspector.visit import Page, Redirect, Visit


class PageRoute(NamedTuple):
    """An address, and what answers it."""

    method: str
    path: str
    answer: Callable[[Visit], Awaitable[Page | Redirect]]


ROUTES = (
    PageRoute("GET", "/", home.show),
    PageRoute("GET", "/memories", memories.show),
    PageRoute("GET", "/memories/{id:path}", memory.show),
    PageRoute("POST", "/memories/{id:path}/edit", memory.edit),
    PageRoute("POST", "/memories/{id:path}/archive", memory.archive),
    PageRoute("POST", "/memories/{id:path}/revive", memory.revive),
    PageRoute("POST", "/memories/{id:path}/confirm", memory.confirm),
    PageRoute("POST", "/memories/{id:path}/forget", memory.forget),
    PageRoute("POST", "/memories/{id:path}/undo", memory.undo),
    PageRoute("GET", "/review", review.show),
    PageRoute("POST", "/review/confirm", review.confirm),
    PageRoute("POST", "/review/archive", review.archive),
    PageRoute("POST", "/review/undo", review.undo),
    PageRoute("GET", "/recall", recall.show),
    PageRoute("GET", "/turns", answers.show_turns),
    PageRoute("GET", "/turns/{receipt}", answers.show_turn),
    PageRoute("GET", "/packs", answers.show_packs),
    PageRoute("GET", "/packs/roles", packets.show),
    PageRoute("GET", "/packs/{receipt}", answers.show_pack),
    PageRoute("GET", "/graph", graph.show),
    PageRoute("GET", "/facts", facts.show_list),
    PageRoute("GET", "/facts/subject", facts.show_subject),
    PageRoute("GET", "/facts/conflicts", facts.show_conflicts),
    PageRoute("GET", "/routes", routes.show_list),
    PageRoute("GET", "/routes/{receipt}", routes.show_one),
    PageRoute("GET", "/receipts", receipts.show_list),
    PageRoute("GET", "/receipts/compare", receipts.compare),
    PageRoute("GET", "/receipts/verify", receipts.verify),
    PageRoute("GET", "/receipts/{receipt}", receipts.show_one),
    PageRoute("GET", "/import", importing.show_start),
    PageRoute("POST", "/import/path", importing.choose_path),
    PageRoute("GET", "/import/{import}", importing.show_one),
    PageRoute("POST", "/import/{import}/run", importing.run),
    PageRoute("POST", "/import/{import}/stop", importing.stop),
    PageRoute("POST", "/import/{import}/discard", importing.discard),
    PageRoute("POST", "/import/{import}/undo", importing.undo),
    PageRoute("POST", "/import/{import}/bring-back", importing.bring_back),
)
