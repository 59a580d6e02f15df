"""The sections of docs/benchmarks.md in order. Each takes all results, and adds the plots it shows."""

from collections.abc import Callable, Iterator, Sequence

from bench.report.results import Result
from bench.report.sections import (
    capture,
    clients,
    governance,
    packs,
    prompts,
    questions,
    relevance,
    retrieval,
    speed,
    upkeep,
)

Section = Callable[[Sequence[Result], dict[str, str]], Iterator[str]]

SECTIONS: tuple[Section, ...] = (
    retrieval.sets,
    retrieval.ablation,
    retrieval.memories,
    packs.packs,
    prompts.turns,
    prompts.hook_times,
    prompts.mcp_start,
    prompts.attention,
    speed.speed,
    clients.clients,
    upkeep.upkeep,
    governance.governance,
    governance.precision,
    questions.routing,
    questions.routes,
    questions.decisions,
    questions.golden,
    relevance.relevance,
    capture.capture,
    capture.injection,
    capture.secrets,
)
