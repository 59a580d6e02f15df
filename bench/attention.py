"""The attention benchmark: which memories a packet holds for a goal and a role, and which a careful person would take.

The cases are our own (`bench/data/attention.jsonl`), written before any rule was chosen by them. Each store is in one half:
rules are developed on one, and the other is only reported.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Literal

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from bench.embedding import load_embedder
from bench.haystack import SCOPE, scratch
from bench.machine import Machine, changed_settings, this_machine
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.attention import GLOBAL
from satchel.domain.canonical import Json
from satchel.ports import Progress
from satchel.recall.request import Mode

CASES = Path(__file__).parent / "data" / "attention.jsonl"
HALVES = ("development", "held")
# Importance from which a memory that nobody wants in a packet counts as important.
IMPORTANT = 0.8
WAYS: Mapping[str, bool] = {"words and meaning": True, "words only": False}


class AttentionCaseMemory(Struct, frozen=True):
    """A memory of a store."""

    key: str
    type: str
    title: str
    text: str
    importance: float
    level: int = 0
    role: str = GLOBAL
    task: str | None = None
    by: Literal["operator", "agent"] = "operator"
    every_step: bool = False
    """Whether it is a rule for every step, whatever its goal."""


class PacketRequest(Struct, frozen=True):
    """A step, and the memories that belong in its packet, besides the rules for every step."""

    goal: str
    role: str
    want: tuple[str, ...]
    task: str | None = None
    failures: tuple[str, ...] = ()
    questions: tuple[str, ...] = ()


class AttentionCase(Struct, frozen=True):
    """A store with its requests."""

    store: str
    half: Literal["development", "held"]
    language: str
    memories: tuple[AttentionCaseMemory, ...]
    requests: tuple[PacketRequest, ...]


class PacketOutcome(Struct, frozen=True):
    """A request and the memories in its packet."""

    case: AttentionCase
    request: PacketRequest
    keys: frozenset[str]

    @property
    def others(self) -> list[AttentionCaseMemory]:
        """The memories in the packet that do not belong there."""
        return [
            one
            for one in self.case.memories
            if one.key in self.keys and one.key not in self.request.want and not one.every_step
        ]


class AttentionFigures(Struct, frozen=True):
    """Means over some requests; None where none of them counts."""

    n: int
    wanted: float | None
    """Share of requests with at least one wanted memory in the packet."""
    complete: float | None
    """Share of requests with every wanted memory in the packet."""
    important: float | None
    """Mean number of important memories in a packet that do not belong there."""
    unwanted: float | None
    """Mean number of memories in a packet that do not belong there."""
    nothing: float | None
    """Mean number of memories in the packet of a request that nothing fits."""
    every_step: float
    """Mean number of rules for every step in a packet."""


class AttentionResult(Struct, frozen=True):
    """Result of a run: figures by way of asking, half and language."""

    stores: int
    requests: int
    embedding_space: str | None
    settings: Mapping[str, Json]
    ways: Mapping[str, Mapping[str, Mapping[str, AttentionFigures]]]
    machine: Machine


def read_attention_cases(path: Path = CASES) -> list[AttentionCase]:
    """Read the cases, one store a line."""
    decoder = msgspec.json.Decoder(AttentionCase)
    return [decoder.decode(line) for line in path.read_bytes().splitlines() if line.strip()]


def crowded(cases: Sequence[AttentionCase]) -> list[AttentionCase]:
    """Return the cases, each store with the memories of the other stores of its half, as in a store of many projects."""
    return [replace(case, memories=(*case.memories, *_strangers(case, cases))) for case in cases]


def _strangers(case: AttentionCase, cases: Sequence[AttentionCase]) -> Iterator[AttentionCaseMemory]:
    for other in cases:
        if other.half == case.half and other is not case:
            # Rules for every step would belong in these packets too.
            yield from (replace(one, key=f"{other.store}/{one.key}") for one in other.memories if not one.every_step)


def run_attention(settings: Settings, progress: Progress, *, cache: str | None = None) -> AttentionResult:
    """Route every request in every way."""
    cases, machine = crowded(read_attention_cases()), this_machine()
    embedder = load_embedder(settings, Mode.HYBRID, None, cache)
    outcomes: dict[str, list[PacketOutcome]] = {name: [] for name in WAYS}
    for done, case in enumerate(cases):
        progress(done, len(cases), "routing")
        with scratch(settings, embedder) as memory:
            keys = _store(memory, case)
            for request in case.requests:
                for name, meaning in WAYS.items():
                    outcomes[name].append(PacketOutcome(case, request, _packet(memory, keys, request, meaning)))
    progress(len(cases), len(cases), "routing")
    return AttentionResult(
        stores=len(cases),
        requests=sum(len(case.requests) for case in cases),
        embedding_space=embedder.name if embedder else None,
        settings=changed_settings(settings),
        ways={name: _by_half(several) for name, several in outcomes.items()},
        machine=machine,
    )


def _store(memory: Satchel, case: AttentionCase) -> dict[str, str]:
    """Store the memories of a case; return their keys by id."""
    keys = {}
    for one in case.memories:
        added = memory.attention.add(
            one.type,
            one.title,
            one.text,
            abstraction_level=one.level,
            role_scope=one.role,
            task_id=one.task,
            importance=one.importance,
            confidence=one.importance,
            scope=SCOPE,
            source_kind="operator" if one.by == "operator" else "tool",
        )
        keys[added.result.memory_id] = one.key
    memory.maintenance.index_build()
    return keys


def _packet(memory: Satchel, keys: Mapping[str, str], request: PacketRequest, meaning: bool) -> frozenset[str]:
    routed = memory.attention.route(
        request.goal,
        step_role=request.role,
        task_id=request.task,
        recent_failures=request.failures,
        unresolved_questions=request.questions,
        meaning=meaning,
        scope=SCOPE,
    )
    return frozenset(keys[id] for id in routed.result.packet.selected_memory_ids)


def _by_half(outcomes: Sequence[PacketOutcome]) -> dict[str, dict[str, AttentionFigures]]:
    return {half: dict(_by_language([one for one in outcomes if one.case.half == half])) for half in HALVES}


def _by_language(outcomes: Sequence[PacketOutcome]) -> Iterator[tuple[str, AttentionFigures]]:
    yield "all", attention_figures(outcomes)
    for language in dict.fromkeys(one.case.language for one in outcomes):
        yield language, attention_figures([one for one in outcomes if one.case.language == language])


def attention_figures(outcomes: Sequence[PacketOutcome]) -> AttentionFigures:
    """Return the means over at least one request."""
    answerable = [one for one in outcomes if one.request.want]
    unrelated = [one for one in outcomes if not one.request.want]
    rules = [sum(memory.every_step and memory.key in one.keys for memory in one.case.memories) for one in outcomes]
    return AttentionFigures(
        n=len(outcomes),
        wanted=_mean(not one.keys.isdisjoint(one.request.want) for one in answerable),
        complete=_mean(one.keys.issuperset(one.request.want) for one in answerable),
        important=_mean(sum(memory.importance >= IMPORTANT for memory in one.others) for one in outcomes),
        unwanted=_mean(len(one.others) for one in outcomes),
        nothing=_mean(len(one.others) for one in unrelated),
        every_step=_mean(iter(rules)) or 0.0,
    )


def _mean(values: Iterator[float]) -> float | None:
    found = list(values)
    return round(fmean(found), 4) if found else None
