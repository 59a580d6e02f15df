"""Rate passages by their closest sentence: a long passage is about many things. Of code, its comments are read."""

import re
from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from satchel.core.parts import Parts
from satchel.domain.document import DocKind
from satchel.domain.document_hits import DocHit
from satchel.domain.embedding import cosine
from satchel.domain.passage import EvidenceLane
from satchel.domain.sentences import sentences
from satchel.domain.words import question_terms, text_terms
from satchel.ports import Embedder
from satchel.recall.fusion import VECTOR
from satchel.recall.relevance import hit_relevance, is_calibrated, term_weights

# How many passages are rated by their sentences, and how much of each: embedding a sentence takes a millisecond or more.
MAX_RATED = 6
MAX_RATED_CHARS = 4_000
MAX_SENTENCES = 12
MIN_SENTENCE_CHARS = 20
_COMMENT = re.compile(r'"""(.+?)"""|/\*+(.+?)\*/|(?://|#) +([^\n]+)', re.DOTALL)


def rate_by_sentences(parts: Parts, text: str, hits: Sequence[DocHit]) -> list[DocHit]:
    """Return hits, the best passages at least as relevant as their closest sentence is."""
    terms = question_terms(text)
    rated = [hit for hit in hits[:MAX_RATED] if VECTOR in hit.match]
    embedder = parts.embedder(None) if rated else None
    if embedder is None or not is_calibrated(embedder.name, terms):
        return list(hits)
    closest = _closest(embedder, text, rated)
    frequencies = parts.ledger.passages.frequencies(terms, EvidenceLane.DOCUMENTS)
    weights = term_weights(frequencies.holding, frequencies.records)
    return [
        replace(hit, relevance=max(hit.relevance, _rating(hit, terms, closest[hit.id], embedder.name, weights)))
        if hit.id in closest
        else hit
        for hit in hits
    ]


def _closest(embedder: Embedder, text: str, hits: Sequence[DocHit]) -> dict[str, float]:
    """Return the cosine of the sentence closest to a text, by the passage's id: alone, or under its heading.

    A sentence says less without its heading, but most of it is in the sentence, so only the closest is compared under it.
    """
    parts = {hit.id: _sentences(_comments(hit.text) if hit.kind is DocKind.CODE else hit.text) for hit in hits}
    flat = [sentence for several in parts.values() for sentence in several]
    question, *vectors = embedder.embed([text, *flat])
    near = dict(zip(flat, (cosine(question, one) for one in vectors), strict=True))
    best = {id: max(several, key=lambda one: near[one]) for id, several in parts.items() if several}
    headings = {hit.id: hit.heading[-1] for hit in hits if hit.heading and hit.id in best}
    under = embedder.embed([f"{heading}: {best[id]}" for id, heading in headings.items()]) if headings else []
    headed = dict(zip(headings, (cosine(question, one) for one in under), strict=True))
    return {id: max(near[one], headed.get(id, 0.0)) for id, one in best.items()}


def _comments(code: str) -> str:
    """Return what code says in words: its documentation and comments, one paragraph each."""
    found = (next(filter(None, one), "") for one in _COMMENT.findall(code[:MAX_RATED_CHARS]))
    return "\n\n".join(found)


def _sentences(text: str) -> list[str]:
    """Return the sentences of a passage that are long enough to say something."""
    found = (
        one
        for line in text[:MAX_RATED_CHARS].replace("\n\n", "\0").replace("\n", " ").split("\0")
        for one in sentences(line)
    )
    return [one for one in found if len(one) >= MIN_SENTENCE_CHARS][:MAX_SENTENCES]


def _rating(hit: DocHit, terms: Sequence[str], closest: float, space: str, weights: Mapping[str, float]) -> float:
    words = text_terms(f"{hit.path} {' '.join(hit.heading)} {hit.text}")
    return hit_relevance(terms, words, closest, space, weights)
