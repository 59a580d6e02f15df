"""Recall of the vector index: how many of the exact nearest neighbours it finds within a scope."""

from collections.abc import Sequence
from heapq import nlargest
from statistics import fmean

import numpy as np

from bench.speed.corpus import Text
from bench.speed.fixture import Fixture
from bench.speed.results import Contest
from bench.speed.timing import SATCHEL, contest, summed_up
from satchel.domain.embedding import Vector
from satchel.domain.scope import Reach
from satchel.domain.view import admin_view

NEAREST = 10
MOST_QUESTIONS = 100
# Cosines this close are equal within the precision of stored vectors.
_SAME_COSINE = 5e-4


class ExactScan:
    """Exact cosine search over vectors of unit length."""

    def __init__(self, vectors: Sequence[Vector]) -> None:
        self._vectors = np.stack([np.frombuffer(one, np.float32) for one in vectors])

    def cosines(self, vector: Vector) -> list[float]:
        """Return the cosine of every vector with one, in order."""
        found: list[float] = (self._vectors @ np.frombuffer(vector, np.float32)).tolist()
        return found


def neighbours(fixture: Fixture) -> Contest:
    """Measure how many of the exact ten nearest the index finds."""
    questions = fixture.questions[:MOST_QUESTIONS]
    shares = [
        share
        for scope in dict.fromkeys(one.scope for one in questions)
        for share in _shares(fixture, scope, [one for one in questions if one.scope == scope])
    ]
    note = f"mean of {len(shares)} questions, worst {min(shares):.0%}; the index's own best ten"
    found = {SATCHEL: summed_up([100 * fmean(shares)])}
    return contest("true 10 neighbours found", "%", found, more_is_better=True, note=note)


def _shares(fixture: Fixture, scope: str, questions: Sequence[Text]) -> list[float]:
    """Return the share found by each question; ties count."""
    held = [place for place, one in enumerate(fixture.contents) if one.scope == scope]
    scan = ExactScan([fixture.vectors[place] for place in held])
    places = {fixture.contents[place].text: row for row, place in enumerate(held)}
    nearest = min(NEAREST, len(held))
    shares = []
    for one in questions:
        vector = fixture.embedder.embed([one.question])[0]
        cosines = scan.cosines(vector)
        least = nlargest(nearest, cosines)[-1] - _SAME_COSINE
        named = _named(fixture, scope, vector, nearest)
        shares.append(sum(cosines[places[text]] >= least for text in named if text in places) / nearest)
    return shares


def _named(fixture: Fixture, scope: str, vector: Vector, limit: int) -> list[str]:
    view = admin_view(Reach((scope,)), now=0)
    ids = [one.id for one in fixture.memory.parts.index().nearest(vector, view, limit)]
    return [memory.text for memory in fixture.memory.parts.ledger.memories.fetch(ids, view).values()]
