"""Loads the graph as a view sees it, and caches the snapshots last used."""

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
        self.graph = ResolvedGraph(contents)
        self.traversal = GraphTraversal(self.graph)
        self.lookup = Lookup(self.graph, contents)


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
