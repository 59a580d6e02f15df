"""Lanes: the ways of finding candidates. An index only nominates; scores by meaning come from the ledger's vectors."""

import math
import operator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import Index, Memories, Vectors
from satchel.recall.question import Mode, Question

LEXICAL = "lexical"
VECTOR = "vector"


@dataclass(frozen=True, slots=True)
class Meaning:
    """What a search by meaning needs: the question's vector, its space, and an index that can be searched."""

    vector: Vector
    space: Space
    index: Index
    current: bool
    """Whether the index holds everything the ledger has."""


@dataclass(frozen=True, slots=True)
class Gathered:
    """The candidates of every lane, where the lexical ones came from, and what went wrong on the way."""

    lanes: dict[str, list[Candidate]]
    lexical_source: str
    problem: str = ""


def gather(question: Question, view: View, memories: Memories, vectors: Vectors, meaning: Meaning | None) -> Gathered:
    """Collect candidates for a question. Without meaning, or when it fails, the ledger's full text answers."""
    if meaning is None:
        return _from_ledger(question, view, memories)
    try:
        if question.mode is Mode.VECTOR:
            return Gathered({VECTOR: nearest(question, view, vectors, meaning)}, "none")
        if not meaning.current:
            by_word = memories.match(question.terms, view, question.pool)
            return Gathered({VECTOR: nearest(question, view, vectors, meaning), LEXICAL: by_word}, "ledger")
        # An index searches outside Python's lock: both lanes at once take little longer than one.
        with ThreadPoolExecutor(1, "satchel-lane") as beside:
            by_word_later = beside.submit(meaning.index.match, question.terms, view, question.pool)
            by_meaning = nearest(question, view, vectors, meaning)
            return Gathered({VECTOR: by_meaning, LEXICAL: by_word_later.result()}, "index")
    except Unavailable as error:
        return _from_ledger(question, view, memories, problem=error.message)


def nearest(question: Question, view: View, vectors: Vectors, meaning: Meaning) -> list[Candidate]:
    """Let the index nominate neighbours, then measure them against the vectors of the ledger."""
    nominated = meaning.index.nearest(meaning.vector, view, question.pool)
    true_vectors = vectors.get(meaning.space, [one.id for one in nominated])
    measured = [
        Candidate(one.id, cosine(meaning.vector, true_vectors[one.id]), one.content_hash)
        for one in nominated
        if one.id in true_vectors
    ]
    return sorted(measured, key=lambda one: (-one.score, one.id))


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two unit vectors, rounded so that it prints the same everywhere."""
    return round(math.fsum(map(operator.mul, one, other)), 6)


def _from_ledger(question: Question, view: View, memories: Memories, problem: str = "") -> Gathered:
    return Gathered({LEXICAL: memories.match(question.terms, view, question.pool)}, "ledger", problem)
