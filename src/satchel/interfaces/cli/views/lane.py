"""What a lane found, as a person sees it."""

from satchel.domain.ranking import LaneAnswer
from satchel.interfaces.cli.views.lines import Lines, one_line


def lane(result: LaneAnswer) -> Lines:
    """Yield the items of a lane with their relevance."""
    if not result.items:
        yield f"nothing found in scope {result.scope}", "dim"
    for one in result.items:
        yield one_line(one.text), "bold"
        yield f"  {one.kind} · {one.trust} · relevance {one.relevance:.2f} · {one.id}", "dim"
