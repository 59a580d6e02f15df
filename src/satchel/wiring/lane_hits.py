"""What the features of a store find, as the router's lanes return it."""

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from msgspec.structs import replace

from satchel.conversations.why_answers import WhyAnswer
from satchel.domain.conversation import ClauseKind, Decision
from satchel.domain.document import DocKind
from satchel.domain.document_hits import DocHit
from satchel.domain.observation import Observation
from satchel.domain.passage import EvidenceLane, Passage
from satchel.domain.periods import Period
from satchel.domain.ranking import Hit, LaneItem
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory
from satchel.domain.routing import Traversal
from satchel.domain.text import normalize_text
from satchel.routing.lanes import LaneHit, LaneResult
from satchel.routing.settled import decision_text

if TYPE_CHECKING:
    from satchel.domain.graph_answers import GraphAnswer

# How many records are searched or listed to find those of a period.
MAX_SEARCHED = 50
MAX_LISTED = 500


def depth_for(limit: int, period: Period | None) -> int:
    """Return how many to look for: records of the period may be less relevant than others."""
    return limit if period is None else MAX_SEARCHED


def within(period: Period | None, found: Sequence[LaneHit], limit: int, note: str | None = None) -> LaneResult:
    """Return the first findings of a period, or of any time."""
    kept = [one for one in found if period is None or period.holds(time_of(one))]
    return LaneResult(tuple(kept[:limit]), note)


def time_of(one: LaneHit) -> int:
    """Return when something happened, or else was recorded."""
    return one.recorded_at if one.happened_at is None else one.happened_at


def first_warning(receipt: Receipt) -> str | None:
    """Return what a search warned about first."""
    return next(iter(receipt.warnings), None)


def of_hit(hit: Hit) -> LaneHit:
    """Return a memory that a recall found."""
    return of_memory(hit.memory, hit.relevance)


def of_memory(memory: Memory, relevance: float) -> LaneHit:
    """Return a memory, with its title."""
    text = memory.text if not memory.title else f"{memory.title}: {memory.text}"
    return LaneHit(memory.id, text, relevance, memory.created_at, memory.valid_from)


def of_observation(one: Observation) -> LaneHit:
    """Return an observation of a list."""
    return LaneHit(one.id, one.summary, 1.0, one.at)


def of_passage(one: Passage) -> LaneHit:
    """Return a turn or message of a list, with its place in a conversation."""
    place = f"{one.group}#{one.position}" if one.lane is EvidenceLane.CONVERSATIONS else None
    return LaneHit(one.id, one.text, 1.0, one.at or 0, expanded_from=place, was_said=True, speaker=one.speaker)


def of_document(hit: DocHit) -> LaneHit:
    """Return a passage of a document."""
    return LaneHit(
        hit.citation,
        hit.text,
        hit.relevance,
        hit.at or 0,
        title=hit.heading[-1] if hit.heading else "",
        path=hit.path,
        line=hit.first_line,
        is_code=hit.kind is DocKind.CODE,
    )


def of_said(one: LaneItem) -> LaneHit:
    """Return a passage of a conversation."""
    return LaneHit(one.id, one.text, one.relevance, one.at, expanded_from=_first(one.citations))


def of_recorded(answer: WhyAnswer, said: Sequence[LaneHit]) -> tuple[LaneHit, ...]:
    """Return the recorded decision that a question is about: as relevant as the message that made it.

    If that message says the same and more, as with the reasons that were read, it is returned with its text.
    """
    one = answer.decision
    if one is None:
        return ()
    topical = max((hit.relevance for hit in said if hit.id in (one.id, *one.citations)), default=0.0)
    made = of_decision(one, max(answer.relevance, topical))
    text = next((hit.text for hit in said if hit.id == one.message and hit.text.startswith(made.text)), made.text)
    return (replace(made, text=text),)


def of_decision(one: Decision, relevance: float) -> LaneHit:
    """Return a decision with its reasons; what it replaced or rests on is said in it."""
    text = decision_text(one.statement, [clause.text for clause in one.clauses_of(ClauseKind.CAUSE)])
    return LaneHit(one.id, text, relevance, one.at, expanded_from=_first(one.citations))


def merged(findings: Iterable[LaneHit]) -> tuple[LaneHit, ...]:
    """Return each finding once: what says the same counts as the first, as relevant as the most relevant of them."""
    best: dict[str, LaneHit] = {}
    for one in findings:
        key = normalize_text(one.text)
        known = best.setdefault(key, one)
        best[key] = replace(known, relevance=max(known.relevance, one.relevance))
    return tuple(best.values())


def _first(citations: tuple[str, ...]) -> str | None:
    return next(iter(citations), None)


def of_graph(answer: "GraphAnswer", read_at: Mapping[str, int]) -> LaneHit:
    """Return a path of the graph."""
    path = answer.path
    traversal = Traversal(
        path.hops, tuple(one.name for one in path.entities), tuple(one.relation.value for one in path.ties)
    )
    text = path.arrows if path.ties else answer.text
    newest = max((read_at.get(one.source, 0) for one in answer.citations), default=0)
    return LaneHit(answer.entity.id, text, answer.relevance, newest, traversal=traversal)
