"""Lanes: the ways of finding candidates. An index only nominates; scores by meaning come from the ledger's vectors."""

import math
import operator
from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.embedding import Space, Vector
from satchel.domain.ranking import Candidate
from satchel.domain.view import View
from satchel.errors import Unavailable
from satchel.ports import MemoryStore, SearchableIndex, VectorStore
from satchel.recall.fuse import LEXICAL, VECTOR
from satchel.recall.question import Mode, Question
from satchel.threads import run_in_background


class Meaning(Struct, frozen=True):
    """What a search by meaning needs: the question's vector, its space, and an index that can be searched."""

    vector: Vector
    space: Space
    index: SearchableIndex
    current: bool
    """Whether the index holds everything the ledger has."""
    in_ledger: bool = False
    """Whether it is the ledger itself that is searched."""


class Gathered(Struct, frozen=True):
    """The candidates of every lane, where the lexical ones came from, and what went wrong on the way."""

    lanes: dict[str, list[Candidate]]
    lexical_source: str
    problem: str = ""

    def joined(self, more: "Gathered") -> "Gathered":
        """Return these and the candidates of another search."""
        lanes = {lane: self.lanes.get(lane, []) + more.lanes.get(lane, []) for lane in {*self.lanes, *more.lanes}}
        return Gathered(lanes, more.lexical_source, self.problem or more.problem)


def gather(
    question: Question,
    view: View,
    memories: MemoryStore,
    vectors: VectorStore,
    meaning: Meaning | None,
    by_word: list[Candidate] | None = None,
) -> Gathered:
    """Collect candidates for a question. Without meaning, or when it fails, the ledger's full text answers.

    What the ledger has found `by_word` already is not looked for again.
    """
    if meaning is None or meaning.in_ledger:
        if question.mode is not Mode.VECTOR or meaning is None:
            by_word = memories.match(question.terms, view, question.pool) if by_word is None else by_word
        return _in_ledger(question, view, memories, meaning, by_word or [])
    try:
        if question.mode is Mode.VECTOR:
            return Gathered({VECTOR: measured(_nearest(question, view, meaning), vectors, meaning)}, "none")
        by_word, by_meaning, source = _both(question, view, memories, meaning)
        # What was found by its words is measured as well: how near it is must not depend on a limit.
        return Gathered({VECTOR: measured(by_meaning + by_word, vectors, meaning), LEXICAL: by_word}, source)
    except Unavailable as error:
        return _from_ledger(question, view, memories, problem=error.message)


def _in_ledger(
    question: Question, view: View, memories: MemoryStore, meaning: Meaning | None, by_word: list[Candidate]
) -> Gathered:
    """Compare everything in the ledger; what was found by its words is measured on the way."""
    if meaning is None:
        return Gathered({LEXICAL: by_word}, "ledger")
    near = memories.nearest(meaning.vector, view, question.pool, [one.id for one in by_word])
    if question.mode is Mode.VECTOR:
        return Gathered({VECTOR: near}, "none")
    return Gathered({VECTOR: near, LEXICAL: by_word}, "ledger")


def _both(
    question: Question, view: View, memories: MemoryStore, meaning: Meaning
) -> tuple[list[Candidate], list[Candidate], str]:
    if not meaning.current:
        by_word = memories.match(question.terms, view, question.pool)
        return by_word, _nearest(question, view, meaning), "ledger"
    # An index searches outside Python's lock: both lanes at once take little longer than one.
    by_word_later = run_in_background(lambda: meaning.index.match(question.terms, view, question.pool))
    by_meaning = _nearest(question, view, meaning)
    return by_word_later.result(), by_meaning, "index"


def _nearest(question: Question, view: View, meaning: Meaning) -> list[Candidate]:
    return meaning.index.nearest(meaning.vector, view, question.pool)


def measured(candidates: Sequence[Candidate], vectors: VectorStore, meaning: Meaning) -> list[Candidate]:
    """Measure candidates against the vectors of the ledger, each once, best first. One without a vector is left out."""
    hashes = {one.id: one.content_hash for one in candidates}
    found = vectors.cosines(meaning.space, meaning.vector, list(hashes))
    scored = [Candidate(id, score, hashes[id]) for id, score in found.items()]
    return sorted(scored, key=lambda one: (-one.score, one.id))


def cosine(one: Vector, other: Vector) -> float:
    """Return the cosine of two unit vectors, rounded so that it prints the same everywhere."""
    return round(math.fsum(map(operator.mul, one, other)), 6)


def _from_ledger(question: Question, view: View, memories: MemoryStore, problem: str = "") -> Gathered:
    return Gathered({LEXICAL: memories.match(question.terms, view, question.pool)}, "ledger", problem)
