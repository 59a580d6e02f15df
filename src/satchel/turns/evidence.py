"""Choose the observations that go before a prompt: evidence, after the memories and within the same budget."""

from collections.abc import Callable, Iterable, Sequence

from satchel.domain.observation import ID_PREFIX, KeptObservation
from satchel.domain.receipt_sections import LaneTop
from satchel.domain.text import normalize_text
from satchel.recall.request import RecallQuestion
from satchel.turns.block import BlockEntry
from satchel.turns.budget import BlockSlot

FindObservations = Callable[..., Sequence[KeptObservation]]
"""Finds the kept observations of a scope: `find(question, scope=…, limit=…, min_relevance=…)`."""

MAX_OBSERVATIONS = 2
# Observations are found by words alone, so they must be more likely than not about the prompt.
MIN_RELEVANCE = 0.5
# More are looked at than shown: some repeat what the prompt, the conversation or a memory says.
POOL = 8
REF_CHARS = 8
# An observation that contains a memory repeats it if it is at most this many times as long.
MAX_LONGER = 2


def choose_observations(
    find: FindObservations, question: RecallQuestion, scope: str, *, said: Iterable[str], memories: Iterable[str]
) -> list[KeptObservation]:
    """Return the observations to show. One that repeats what was said, or a memory that is shown, is left out."""
    relevant = find(question, scope=scope, limit=POOL, min_relevance=MIN_RELEVANCE)
    if not relevant:
        return []
    texts, shown = [normalize_text(text) for text in said], [normalize_text(text) for text in memories]
    chosen: list[KeptObservation] = []
    for one in relevant:
        text = normalize_text(one.text)
        if not (any(text in other for other in texts) or any(_repeats(text, other) for other in shown)):
            chosen.append(one)
            shown.append(text)
    return chosen[:MAX_OBSERVATIONS]


def _repeats(text: str, shown: str) -> bool:
    """Return whether a text says little more than one that is shown."""
    return text in shown or (shown in text and len(text) <= MAX_LONGER * len(shown))


def observation_slot(one: KeptObservation) -> BlockSlot:
    """Return the slot of an observation. Its time 1 makes it older than any memory: it is dropped before them."""
    seen = one.observation
    ref = seen.id[: len(ID_PREFIX) + REF_CHARS]
    return BlockSlot(seen.id, BlockEntry("observation", f"evidence, {seen.trust}, {ref}", one.excerpt), 1)


def receipt_entries(observations: Sequence[KeptObservation], kept: Sequence[str]) -> list[LaneTop]:
    """Return the observations in a block as its receipt names them, with their relevance."""
    return [LaneTop(one.observation.id, one.relevance) for one in observations if one.observation.id in kept]
