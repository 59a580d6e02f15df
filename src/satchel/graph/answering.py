"""Answers to questions about entities: by neighbours or by paths, each in words, with what it rests on."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from satchel.domain.graph import EntityType, Relation
from satchel.domain.graph_answers import Asked, Citation, GraphAnswer, Path, Recommendation
from satchel.domain.words import telling_terms, text_terms
from satchel.graph.intents import Want
from satchel.graph.lookup import Lookup
from satchel.graph.named import ASKING
from satchel.graph.questions import Question, understood
from satchel.graph.walking import MAX_HOPS, Direction, Walks
from satchel.graph.web import Edge
from satchel.graph.wording import path_of

DIRECT = 1.0
PARTIAL = 0.5
# What is around a name that a question mentions in passing: a hint, and no answer.
VAGUE = 0.3
PER_HOP = 0.1
LEAST_PATH = 0.6
MAX_CITATIONS = 3
# How an idea's relevance to a project fades with every step between them.
FADING = 0.6
MAX_REASONS = 3
# A decision is told again in at least two of its words, and in hardly any others.
LEAST_WORDS = 2
MOST_OF_THEM = 0.7

_SAME = (Relation.ALIAS_OF,)
_Way = tuple[int, list[Edge]]


def answered(question: str, walks: Walks, lookup: Lookup, limit: int) -> Asked:
    """Answer a question. One that names nothing known gets nothing: there is no guessing without a name."""
    asked = understood(question, lookup)
    if asked.intent.want is Want.DECIDERS and (meant := _decision_meant(question, walks)):
        asked = replace(asked, named=((meant,), *asked.named))
    if not asked.named:
        return Asked(asked.intent.name, (), (), 0.0)
    ways = _ways(asked, walks)
    answers = [_answer(walks, start, way, _relevance(asked, way)) for start, way in ways]
    web = walks.web
    entities = tuple(web.entity(one) for group in asked.named for one in group)
    kept = tuple(answers[:limit])
    return Asked(
        asked.intent.name, entities, kept, max((one.relevance for one in kept), default=0.0), len(answers) - len(kept)
    )


def _ways(asked: Question, walks: Walks) -> list[_Way]:
    match asked.intent.want:
        case Want.PATH if len(asked.named) >= 2:
            way = walks.between(asked.named[0], asked.named[1], directed=asked.directed)
            return [] if way is None else [way]
        case Want.DECIDERS:
            return _deciders(asked, walks)
        case Want.DECISIONS:
            return _decisions(asked, walks)
        case Want.NEIGHBORS:
            found = _beside(asked, walks, asked.intent.direction, asked.intent.relations)
            return [one for one in found if not asked.types or walks.web.nodes[_end(*one)].type in asked.types]
    return _beside(asked, walks, Direction.BOTH, ())


def _beside(asked: Question, walks: Walks, direction: Direction, relations: Sequence[Relation]) -> list[_Way]:
    """Return the relations of what was named, and of what else goes by that name; each neighbour once."""
    starts = [other for one in asked.named[0] for other in (one, *_other_names(walks, one))]
    ways = [(start, [edge]) for start in starts for edge in walks.beside(start, direction, relations)]
    return _once(ways, set(starts))


def _other_names(walks: Walks, node: int) -> list[int]:
    return [_end(node, way) for way in walks.around(node, relations=_SAME, hops=2)]


def _deciders(asked: Question, walks: Walks) -> list[_Way]:
    """Return who decided: on what was named, or on the decision that is about it."""
    ways: list[_Way] = []
    for start in asked.named[0] if asked.named else ():
        own = [[edge] for edge in walks.beside(start, Direction.IN, (Relation.DECIDES,))]
        about = walks.beside(start, Direction.IN, (Relation.MENTIONS, Relation.EVALUATES))
        over = [[link, edge] for link in about for edge in walks.beside(link.tail, Direction.IN, (Relation.DECIDES,))]
        ways += [(start, way) for way in own or over]
    return _once(ways, set())


def _decision_meant(question: str, walks: Walks) -> int | None:
    """Return the decision that a question tells in other words: the one that holds nearly all of its telling ones."""
    words = {term for term in telling_terms(question) if term not in ASKING}
    best: tuple[float, int] | None = None
    for number, node in enumerate(walks.web.nodes):
        if node.type is EntityType.DECISION and len(words) >= LEAST_WORDS:
            share = len(words & text_terms(node.name)) / len(words)
            if share >= MOST_OF_THEM and (best is None or share > best[0]):
                best = (share, number)
    return None if best is None else best[1]


def _decisions(asked: Question, walks: Walks) -> list[_Way]:
    """Return the decisions of a person, or about a thing."""
    relations = (Relation.DECIDES, Relation.MENTIONS, Relation.EVALUATES, Relation.CONTAINS)
    ways = [(start, way) for start in asked.named[0] for way in walks.around(start, relations=relations)]
    return _once([one for one in ways if walks.web.nodes[_end(*one)].type is EntityType.DECISION], set())


def _once(ways: Iterable[_Way], besides: set[int]) -> list[_Way]:
    """Keep one way to each entity."""
    found: dict[int, _Way] = {}
    for start, way in ways:
        end = _end(start, way)
        if end not in besides:
            found.setdefault(end, (start, way))
    return list(found.values())


def _end(start: int, way: Sequence[Edge]) -> int:
    for edge in way:
        start = edge.head if edge.tail == start else edge.tail
    return start


def _relevance(asked: Question, way: Sequence[Edge]) -> float:
    """Say how well a way answers: a direct relation wholly, a longer one less, half of what was asked by half, and none at all hardly."""
    if asked.vague:
        return VAGUE
    if asked.missed or asked.intent.want is Want.AROUND:
        return PARTIAL
    if asked.intent.want is Want.PATH:
        return max(LEAST_PATH, round(DIRECT - PER_HOP * (len(way) - 1), 2))
    return DIRECT


def _answer(walks: Walks, start: int, way: list[Edge], relevance: float) -> GraphAnswer:
    path = path_of(walks.web, start, way)
    return GraphAnswer(path.text, relevance, walks.web.entity(_end(start, way)), path, cited(path), path.trust)


def cited(path: Path) -> tuple[Citation, ...]:
    """Return where a path can be read: for each of its relations one place, and not too many."""
    places = [tie.citations[0] for tie in path.ties if tie.citations]
    return tuple(dict.fromkeys(places))[: max(MAX_CITATIONS, path.hops)]


def matched(
    idea: str, walks: Walks, lookup: Lookup, limit: int, hops: int = MAX_HOPS
) -> tuple[list[int], list[Recommendation]]:
    """Return what an idea names, and the projects that this leads to, the nearest first, each with the ways there."""
    web = walks.web
    starts = [one for group in understood(idea, lookup).named for one in group]
    reasons: dict[int, list[_Way]] = {}
    for start in dict.fromkeys(starts):
        if web.nodes[start].type is EntityType.PROJECT:
            reasons.setdefault(start, []).append((start, []))
        for way in walks.around(start, hops=hops):
            if web.nodes[_end(start, way)].type is EntityType.PROJECT:
                reasons.setdefault(_end(start, way), []).append((start, way))
    scored = [
        (round(sum(FADING ** len(way) for _, way in ways), 4), project, ways) for project, ways in reasons.items()
    ]
    best = sorted(scored, key=lambda one: (-one[0], one[1]))[:limit]
    return list(dict.fromkeys(starts)), [
        Recommendation(
            web.entity(project),
            score,
            tuple(path_of(web, *way) for way in sorted(ways, key=lambda one: (len(one[1]), one))[:MAX_REASONS]),
        )
        for score, project, ways in best
    ]
