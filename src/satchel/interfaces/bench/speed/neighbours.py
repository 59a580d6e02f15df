"""How many of the truly nearest the vector index finds, within a scope, for real questions."""

from collections.abc import Sequence
from heapq import nlargest
from statistics import fmean

from satchel.adapters.peers.exact import ExactScan
from satchel.domain.embedding import Vector
from satchel.domain.scope import Reach
from satchel.domain.view import whole
from satchel.interfaces.bench.results import Contest
from satchel.interfaces.bench.speed.corpus import Text
from satchel.interfaces.bench.speed.ground import Ground
from satchel.interfaces.bench.speed.timing import SATCHEL, contest, summed_up

NEAREST = 10
MOST_QUESTIONS = 100
# Two cosines this close are the same but for how exactly vectors are kept.
_SAME_COSINE = 5e-4


def neighbours(ground: Ground) -> Contest:
    """Count the true ten neighbours among the ten that the index names."""
    questions = ground.questions[:MOST_QUESTIONS]
    shares = [
        share
        for scope in dict.fromkeys(one.scope for one in questions)
        for share in _shares(ground, scope, [one for one in questions if one.scope == scope])
    ]
    note = f"mean of {len(shares)} questions, worst {min(shares):.0%}; the index's own best ten"
    found = {SATCHEL: summed_up([100 * fmean(shares)])}
    return contest("true 10 neighbours found", "%", found, more_is_better=True, note=note)


def _shares(ground: Ground, scope: str, questions: Sequence[Text]) -> list[float]:
    """Return the share that each question finds; another memory just as near counts as well as the one it ties with."""
    held = [place for place, one in enumerate(ground.contents) if one.scope == scope]
    scan = ExactScan([ground.vectors[place] for place in held])
    places = {ground.contents[place].text: row for row, place in enumerate(held)}
    nearest = min(NEAREST, len(held))
    shares = []
    for one in questions:
        vector = ground.embedder.embed([one.question])[0]
        cosines = scan.cosines(vector)
        least = nlargest(nearest, cosines)[-1] - _SAME_COSINE
        named = _named(ground, scope, vector, nearest)
        shares.append(sum(cosines[places[text]] >= least for text in named if text in places) / nearest)
    return shares


def _named(ground: Ground, scope: str, vector: Vector, limit: int) -> list[str]:
    view = whole(Reach((scope,)), now=0)
    ids = [one.id for one in ground.memory.parts.index().nearest(vector, view, limit)]
    return [memory.text for memory in ground.memory.parts.ledger.memories.fetch(ids, view).values()]
