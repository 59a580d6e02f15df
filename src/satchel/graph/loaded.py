"""A web that has been read: with its names to be looked up, and its ways to be walked."""

from satchel.domain.graph import EntityType, shown
from satchel.domain.graph_answers import Entity
from satchel.errors import InvalidRequest, NotFound
from satchel.graph.lookup import Lookup
from satchel.graph.walking import Walks
from satchel.graph.web import Web
from satchel.ports.graph import Contents

MAX_NAMED = 4


class Loaded:
    """One state of the graph as one view sees it."""

    def __init__(self, contents: Contents) -> None:
        self.web = Web(contents)
        self.walks = Walks(self.web)
        self.lookup = Lookup(self.web, contents)

    def one(self, name: str, type: EntityType | None) -> int:
        """Return the entity that a name or id means, or say that there is none, or that there are several."""
        meant = self.lookup.meant(name, type=type)
        if not meant:
            raise NotFound(
                f"no entity {shown(name, 80)!r} is known here", hint="satchel graph list shows those there are"
            )
        if len(meant) > 1:
            entities = [self.web.entity(one) for one in meant[:MAX_NAMED]]
            raise InvalidRequest(
                f"{shown(name, 80)!r} could be any of {len(meant)} entities",
                code="ambiguous_name",
                hint="say which by its whole name or id: " + ", ".join(_told(one) for one in entities),
            )
        return meant[0]


def _told(entity: Entity) -> str:
    return f"{entity.type} {shown(entity.name, 60)} ({entity.id})"
