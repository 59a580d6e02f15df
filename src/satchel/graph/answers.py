"""Answers questions about entities, and matches ideas with projects."""

from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from satchel.domain.graph import EntityType, RelationType
from satchel.domain.graph_answers import Citation, GraphAnswer, GraphPath
from satchel.domain.words import content_terms, text_terms
from satchel.graph.lookup import Lookup
from satchel.graph.question_patterns import AnswerKind
from satchel.graph.questions import QUESTION_WORDS, GraphQuestion, parse_question
from satchel.graph.resolved_graph import GraphEdge
from satchel.graph.traversal import MAX_HOPS, Direction, GraphTraversal
from satchel.graph.values import GraphAnswers, Recommendation

# Relevance of answers.
DIRECT = 1.0
PARTIAL = 0.5
# A hint rather than an answer: relations of an entity that the question mentions in passing, and standing in the same place
# or beside the same thing.
VAGUE = 0.3
PER_HOP = 0.1
MIN_PATH = 0.6
MAX_CITATIONS = 3
# Factor by which an idea's relevance to a project falls with each hop.
HOP_DECAY = 0.6
MAX_PATHS = 3
# A decision matches a question that has at least MIN_WORDS distinctive words, MIN_SHARE of them in the decision.
MIN_WORDS = 2
MIN_SHARE = 0.7

# Which code uses a thing tells more than which file imports it, and that more than what mentions or contains it.
_TELLS_LESS = {
    RelationType.IMPORTS: 1,
    RelationType.MENTIONS: 2,
    RelationType.RELATES_TO: 2,
    RelationType.CONTAINS: 3,
}

_Way = tuple[int, list[GraphEdge]]
"""A start and the edges of a path from it."""


def answer_question(question: str, traversal: GraphTraversal, lookup: Lookup, limit: int) -> GraphAnswers:
    """Answer a question. One that names no known entity gets no answers."""
    parsed = parse_question(question, lookup)
    if parsed.pattern.kind is AnswerKind.DECIDERS and (decision := _paraphrased_decision(question, traversal)):
        parsed = replace(parsed, named=((decision,), *parsed.named))
    if not parsed.named:
        return GraphAnswers(parsed.pattern.name, (), (), 0.0)
    answers = [
        _answer(traversal, start, way, _relevance(parsed, start, way)) for start, way in _ways(parsed, traversal)
    ]
    named = tuple(traversal.graph.entity(one) for group in parsed.named for one in group)
    kept = tuple(answers[:limit])
    relevance = max((one.relevance for one in kept), default=0.0)
    return GraphAnswers(parsed.pattern.name, named, kept, relevance, len(answers) - len(kept))


def _ways(question: GraphQuestion, traversal: GraphTraversal) -> list[_Way]:
    pattern = question.pattern
    match pattern.kind:
        case AnswerKind.PATH if len(question.named) >= 2:
            way = traversal.path_between(question.named[0], question.named[1], directed=question.directed)
            return _over_containers(question, traversal) if way is None else [way]
        case AnswerKind.DECIDERS:
            return _deciders(question, traversal)
        case AnswerKind.DECISIONS:
            return _decisions(question, traversal)
        case AnswerKind.NEIGHBORS:
            found = _neighbors(question, traversal, pattern.direction, pattern.relations)
            nodes = traversal.graph.nodes
            return [one for one in found if not question.types or nodes[_end(*one)].type in question.types]
    return _neighbors(question, traversal, Direction.BOTH, ())


def _over_containers(question: GraphQuestion, traversal: GraphTraversal) -> list[_Way]:
    """Return a path that would be a chain if it did not lead through the containers of its start or its goal."""
    way = traversal.path_between(question.named[0], question.named[1])
    return [way] if way is not None and _is_relation(*way) else []


def _neighbors(
    question: GraphQuestion, traversal: GraphTraversal, direction: Direction, relations: Sequence[RelationType]
) -> list[_Way]:
    """Return one relation to each neighbor of the named entities and of their aliases."""
    starts = [other for one in question.named[0] for other in (one, *_aliases(traversal, one))]
    ways = [(start, [edge]) for start in starts for edge in traversal.edges_of(start, direction, relations)]
    if relations and not ways:
        ways = [way for start in starts for way in _neighbors_of_members(start, traversal, direction, relations)]
    ways.sort(key=lambda one: _TELLS_LESS.get(one[1][-1].relation, 0))
    return _one_per_entity(ways, set(starts))


def _neighbors_of_members(
    start: int, traversal: GraphTraversal, direction: Direction, relations: Sequence[RelationType]
) -> list[_Way]:
    """Return the relations of an entity's members to outside entities: a class depends on what its methods depend on."""
    members = {edge.head: edge for edge in traversal.edges_of(start, Direction.OUT, (RelationType.CONTAINS,))}
    ways = [
        (start, [contains, edge])
        for member, contains in members.items()
        for edge in traversal.edges_of(member, direction, relations)
    ]
    return [way for way in ways if _end(*way) not in (start, *members)]


def _aliases(traversal: GraphTraversal, node: int) -> list[int]:
    return [_end(node, way) for way in traversal.paths_around(node, relations=(RelationType.ALIAS_OF,), hops=2)]


def _deciders(question: GraphQuestion, traversal: GraphTraversal) -> list[_Way]:
    """Return who made the named decision, or a decision about the named entity."""
    ways: list[_Way] = []
    for start in question.named[0] if question.named else ():
        own = [[edge] for edge in traversal.edges_of(start, Direction.IN, (RelationType.DECIDES,))]
        about = traversal.edges_of(start, Direction.IN, (RelationType.MENTIONS, RelationType.EVALUATES))
        indirect = [
            [link, edge]
            for link in about
            for edge in traversal.edges_of(link.tail, Direction.IN, (RelationType.DECIDES,))
        ]
        ways += [(start, way) for way in own or indirect]
    return _one_per_entity(ways, set())


def _paraphrased_decision(question: str, traversal: GraphTraversal) -> int | None:
    """Return the decision that contains most of a question's distinctive words."""
    words = {term for term in content_terms(question) if term not in QUESTION_WORDS}
    if len(words) < MIN_WORDS:
        return None
    best: tuple[float, int] | None = None
    for number, node in enumerate(traversal.graph.nodes):
        if node.type is EntityType.DECISION:
            share = len(words & text_terms(node.name)) / len(words)
            if share >= MIN_SHARE and (best is None or share > best[0]):
                best = (share, number)
    return None if best is None else best[1]


def _decisions(question: GraphQuestion, traversal: GraphTraversal) -> list[_Way]:
    """Return the decisions made by a person, or about an entity."""
    relations = (RelationType.DECIDES, RelationType.MENTIONS, RelationType.EVALUATES, RelationType.CONTAINS)
    ways = [(start, way) for start in question.named[0] for way in traversal.paths_around(start, relations=relations)]
    nodes = traversal.graph.nodes
    return _one_per_entity([one for one in ways if nodes[_end(*one)].type is EntityType.DECISION], set())


def _one_per_entity(ways: Iterable[_Way], excluded: set[int]) -> list[_Way]:
    found: dict[int, _Way] = {}
    for start, way in ways:
        end = _end(start, way)
        if end not in excluded:
            found.setdefault(end, (start, way))
    return list(found.values())


def _end(start: int, way: Sequence[GraphEdge]) -> int:
    for edge in way:
        start = edge.head if edge.tail == start else edge.tail
    return start


def _relevance(question: GraphQuestion, start: int, way: Sequence[GraphEdge]) -> float:
    """Return 1.0 for a direct relation and less for longer paths, common places, and incomplete or vague questions."""
    if question.vague:
        return VAGUE
    if question.incomplete or question.pattern.kind is AnswerKind.AROUND:
        return PARTIAL
    if question.pattern.kind is AnswerKind.PATH:
        if not _is_relation(start, way):
            return VAGUE
        return max(MIN_PATH, round(DIRECT - PER_HOP * (len(way) - 1), 2))
    return DIRECT


def _is_relation(start: int, way: Sequence[GraphEdge]) -> bool:
    """Return whether a path relates its ends, rather than showing that both stand in or beside the same thing.

    What contains an end may stand for it, and so may a class for its base. But being in the same place, having the same base,
    or being imported, used or mentioned by the same thing, is no relation: everything else has to point in one direction.
    """
    directions, inherited = set[bool](), set[bool]()
    goes_up = False
    for edge in way:
        forward = edge.tail == start
        start = edge.head if forward else edge.tail
        if edge.relation is RelationType.INHERITS:
            inherited.add(forward)
        elif edge.relation is not RelationType.CONTAINS:
            directions.add(forward)
        elif forward and goes_up:
            return False
        goes_up = edge.relation is RelationType.CONTAINS and not forward
    return len(directions or inherited) == 1


def _answer(traversal: GraphTraversal, start: int, way: list[GraphEdge], relevance: float) -> GraphAnswer:
    path = traversal.graph.path(start, way)
    return GraphAnswer(path.text, relevance, path.entities[-1], path, _cite(path), path.trust)


def _cite(path: GraphPath) -> tuple[Citation, ...]:
    """Return the first citation of each relation, up to a maximum."""
    places = [relation.citations[0] for relation in path.ties if relation.citations]
    return tuple(dict.fromkeys(places))[: max(MAX_CITATIONS, path.hops)]


def match_projects(
    idea: str, traversal: GraphTraversal, lookup: Lookup, limit: int, hops: int = MAX_HOPS
) -> tuple[list[int], list[Recommendation]]:
    """Return the entities that an idea names, and the projects they lead to, the best first, with the paths."""
    graph = traversal.graph
    starts = list(dict.fromkeys(one for group in parse_question(idea, lookup).named for one in group))
    reasons: dict[int, list[_Way]] = {}
    for start in starts:
        if graph.nodes[start].type is EntityType.PROJECT:
            reasons.setdefault(start, []).append((start, []))
        for way in traversal.paths_around(start, hops=hops):
            if graph.nodes[_end(start, way)].type is EntityType.PROJECT:
                reasons.setdefault(_end(start, way), []).append((start, way))
    scores = {project: round(sum(HOP_DECAY ** len(way) for _, way in ways), 4) for project, ways in reasons.items()}
    best = sorted(scores, key=lambda project: (-scores[project], project))[:limit]
    recommendations = []
    for project in best:
        nearest = sorted(reasons[project], key=lambda one: (len(one[1]), one))[:MAX_PATHS]
        paths = tuple(graph.path(*way) for way in nearest)
        recommendations.append(Recommendation(graph.entity(project), scores[project], paths))
    return starts, recommendations
