"""Two backends as one: what is in the store, and what lies in files beside it."""

from msgspec import Struct

from satchel.domain.routing import Asked, Item, Reply
from satchel.domain.text import normalised
from satchel.errors import BackendFailed
from satchel.ports.backend import Backend
from satchel.routing.contract import reply


class Joined(Struct, frozen=True):
    """Implements ports.backend.Backend. Where the second fails, the first answers alone, and says so."""

    first: Backend
    second: Backend

    @property
    def name(self) -> str:
        """The name of both."""
        return self.first.name

    def ask(self, asked: Asked) -> Reply:
        """Ask both, and return what they found by relevance; of what says the same, the more relevant."""
        own = self.first.ask(asked)
        try:
            other = self.second.ask(asked)
        except BackendFailed as error:
            return reply(self.name, asked, own.results, note=error.message)
        best: dict[str, Item] = {}
        for one in sorted((*own.results, *other.results), key=lambda one: -one.relevance):
            best.setdefault(normalised(one.content), one)
        return reply(self.name, asked, list(best.values()), note=own.note)
