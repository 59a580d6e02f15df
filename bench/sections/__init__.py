"""The sections of the page of figures, in their order. Each takes every result, and draws the plots that it shows."""

from collections.abc import Callable, Iterator, Sequence

from bench.results import Result
from bench.sections import asking, capture, governance, packs, relevance, retrieval, speed

Section = Callable[[Sequence[Result], dict[str, str]], Iterator[str]]

SECTIONS: tuple[Section, ...] = (
    retrieval.sets,
    retrieval.ablation,
    retrieval.memories,
    packs.packs,
    speed.speed,
    governance.governance,
    governance.precision,
    asking.routing,
    asking.golden,
    relevance.relevance,
    capture.capture,
    capture.injection,
    capture.secrets,
)
