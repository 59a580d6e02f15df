"""Loads the graph as a view sees it, and caches the snapshots last used."""

from copy import copy
from functools import cached_property
from weakref import WeakKeyDictionary

from satchel.domain.record import Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.graph.lookup import Lookup
from satchel.graph.resolved_graph import ResolvedGraph
from satchel.graph.traversal import GraphTraversal
from satchel.ports.graph import GraphContents, GraphStore


class GraphSnapshot:
    """One loaded state of the graph, as one view sees it."""

    def __init__(self, contents: GraphContents) -> None:
        self._complete = self.graph = ResolvedGraph(contents)
        self.traversal = GraphTraversal(self.graph)
        self.lookup = Lookup(self.graph, contents)

    @property
    def known_people(self) -> frozenset[str]:
        """The folded names of people in it, also where it does not show them."""
        return self._complete.known_people

    @cached_property
    def without_people(self) -> "GraphSnapshot":
        """The same state as an agent may see it: people are found by their names, and shown without."""
        other = copy(self)
        other.graph = self.graph.without_people
        other.traversal = GraphTraversal(other.graph)
        other.lookup = self.lookup.showing(other.graph)
        return other


# Resolving the graph takes longer than searching it, so a few snapshots are cached. One of 100,000 relations takes 200 MB.
_MAX_SNAPSHOTS = 2
_SNAPSHOTS: WeakKeyDictionary[GraphStore, dict[tuple[Reach, tuple[Trust, ...]], GraphSnapshot]] = WeakKeyDictionary()


def current_snapshot(store: GraphStore, view: View) -> GraphSnapshot:
    """Return the graph of a view, from the cache if nothing it is based on has changed."""
    cache, key = _SNAPSHOTS.setdefault(store, {}), (view.reach, view.trusts)
    snapshot = cache.get(key)
    if snapshot is None or not store.is_current(snapshot.graph.edition, view.now):
        snapshot = GraphSnapshot(store.contents(view))
        cache.pop(key, None)
        cache[key] = snapshot
        while len(cache) > _MAX_SNAPSHOTS:
            cache.pop(next(iter(cache)))
    return snapshot
