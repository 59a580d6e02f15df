"""Erase what sources of the graph say, and verify that it is gone."""

from collections.abc import Sequence

from satchel.core.erasure import ErasedRecords, compare_searches, sample_fragments, survives_elsewhere
from satchel.core.parts import Parts
from satchel.core.run import OperationRun
from satchel.domain.envelope import Ok
from satchel.domain.graph import GraphSource, GraphSourceType
from satchel.domain.scope import Reach
from satchel.errors import NotFound
from satchel.graph.values import GraphForgotten
from satchel.ports import Ledger


def forget_sources(
    run: OperationRun, within: Reach, source: str | None, project: str | None, parts: Parts, *, verify: bool
) -> Ok[GraphForgotten]:
    """Erase one source by its id or reference, what an imported file states, or every file of a project."""
    graph, files = parts.ledger.graph, parts.files
    ids = [
        one.id
        for one in graph.sources(within)
        if (source is not None and _is_meant(one, source) if project is None else one.space == project)
    ]
    if not ids:
        raise NotFound(f"no such source in {within}", hint="'satchel graph status' lists them")
    mentions, relations = graph.count(ids)
    needles = _needles(ids, parts.ledger) if verify else []
    before = files.search(needles) if verify else None
    run.asked = {"scope": within.name, "verify": verify}
    receipt = run.receipt(sources=ids, sightings=mentions, claims=relations)
    graph.replace([], ids, receipt)
    clean = parts.ledger.memories.scrub()
    check = None if before is None else compare_searches(len(needles), before, files.search(needles))
    return run.committed(GraphForgotten(tuple(ids), mentions, relations, clean, check), receipt)


def _is_meant(one: GraphSource, name: str) -> bool:
    if name in (one.id, one.ref):
        return True
    is_added = one.type is GraphSourceType.ADDED
    return is_added and (one.root == name or one.root.startswith((f"{name} ", f"{name}:", f"{name}/")))


def _needles(ids: Sequence[str], ledger: Ledger) -> list[bytes]:
    """Return pieces of the names that no other record holds."""
    names = "\n".join(ledger.graph.names(ids))
    is_elsewhere = survives_elsewhere(ledger, ErasedRecords(source=ids[0]))
    return [piece.encode() for piece in sample_fragments(names) if not is_elsewhere(piece)]
