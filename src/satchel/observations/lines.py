"""Shorten observations: one line, a search hit with a snippet, or an excerpt of a long text."""

from collections.abc import Sequence

from satchel.domain.observation import Observation
from satchel.domain.safety.redact import mask
from satchel.observations.values import ObservationLine, SearchHit

SNIPPET_CHARS = 160


def observation_line(one: Observation) -> ObservationLine:
    """Return an observation as one line."""
    return ObservationLine(one.id, one.at, one.kind, one.tool_name, one.summary, one.label, one.trust)


def search_hit(one: Observation, score: float, rank: int, terms: Sequence[str]) -> SearchHit:
    """Return an observation as a hit of a search by words."""
    shown = snippet(one.text or one.detail or one.summary, terms, SNIPPET_CHARS)
    return SearchHit(
        one.id, one.at, one.kind, one.tool_name, one.summary, shown, one.label, one.trust, score, "lexical", rank
    )


def snippet(text: str, terms: Sequence[str], max_chars: int) -> str:
    """Return the words around the first search term in a text, or its beginning. Secrets are masked before the cut."""
    text = mask(text)
    lowered = text.lower()
    positions = [position for position in (lowered.find(term) for term in terms) if position >= 0]
    start = max(0, min(positions, default=0) - max_chars // 4)
    return " ".join(text[start : start + max_chars].split())


def excerpt(text: str, part: str, max_chars: int) -> str:
    """Return the head of a text, its tail, or half of each. Secrets are masked before the cut."""
    text = mask(text)
    if part == "head" or len(text) <= max_chars:
        return text[:max_chars]
    return text[-max_chars:] if part == "tail" else f"{text[: max_chars // 2]}\n…\n{text[-(max_chars // 2) :]}"
