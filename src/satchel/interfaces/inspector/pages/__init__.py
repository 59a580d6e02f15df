"""The pages: each module has one view value per template, made from the answers of operations."""

from collections.abc import Awaitable, Callable
from typing import NamedTuple

from satchel.interfaces.inspector.pages import home, memories, memory, recall
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
    PageRoute("GET", "/recall", recall.show),
)
