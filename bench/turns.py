"""The turn benchmark: which memories stand in front of a prompt, compared with what a careful person would put there.

The cases are our own (`bench/data/turns.jsonl`). Each store is in one part: rules are developed on `development`, `held` is
only reported, and `later` was written after both, when every threshold was set.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Literal

import msgspec
from msgspec import Struct

from bench.embedding import load_embedder
from bench.haystack import SCOPE, scratch
from bench.machine import Machine, changed_settings, this_machine
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.canonical import Json
from satchel.interfaces.slot.tools import MemoryTools
from satchel.ports import Progress
from satchel.recall.request import Mode

CASES = Path(__file__).parent / "data" / "turns.jsonl"
PARTS = ("development", "held", "later")
OFF_TOPIC, CHANGED = "off_topic", "changed"
PACK_TOKENS = 800


class StoredMemory(Struct, frozen=True):
    """A memory of a store."""

    key: str
    text: str
    kind: str
    by: Literal["operator", "agent"]
    day: int
    importance: float | None = None
    replaces: str | None = None


class Prompt(Struct, frozen=True):
    """A prompt, the memories that belong in front of it, and outdated ones that do not."""

    prompt: str
    family: str
    want: tuple[str, ...]
    stale: tuple[str, ...] = ()


class Case(Struct, frozen=True):
    """A store with its prompts."""

    store: str
    part: Literal["development", "held", "later"]
    language: str
    memories: tuple[StoredMemory, ...]
    prompts: tuple[Prompt, ...]


class Shown(Struct, frozen=True):
    """What one way of asking put in front of a prompt."""

    keys: frozenset[str]
    characters: int


class Outcome(Struct, frozen=True):
    """A prompt and what was shown for it."""

    part: str
    prompt: Prompt
    shown: Shown


class TurnFigures(Struct, frozen=True):
    """Means over some prompts; None where none of them counts."""

    n: int
    wanted: float | None
    """Share of prompts with at least one wanted memory shown."""
    complete: float | None
    """Share of prompts with every wanted memory shown."""
    stale: float | None
    """Share of prompts about a change with an outdated memory shown."""
    off_topic: float | None
    """Mean number of memories shown for a prompt that none belongs to."""
    items: float
    """Mean number of memories shown."""
    characters: float


class TurnsResult(Struct, frozen=True):
    """Result of a run: figures by way of asking, part and family."""

    stores: int
    prompts: int
    embedding_space: str | None
    settings: Mapping[str, Json]
    ways: Mapping[str, Mapping[str, Mapping[str, TurnFigures]]]
    machine: Machine


Way = Callable[[Satchel, str], tuple[Sequence[str], int]]
"""Returns the ids of the memories shown for a prompt, and the number of characters."""


def _turn(mode: Mode) -> Way:
    def ask(memory: Satchel, prompt: str) -> tuple[Sequence[str], int]:
        shown = memory.turns.before(prompt, scope=SCOPE, mode=mode).result
        return [one.id for one in shown.memories], len(shown.block)

    return ask


def _pack(memory: Satchel, prompt: str) -> tuple[Sequence[str], int]:
    made = memory.packing.pack(prompt, budget_tokens=PACK_TOKENS, scope=SCOPE, touch=False).result
    return [item["id"] for item in made.items], len(made.bundle_text)


def _recall(memory: Satchel, prompt: str) -> tuple[Sequence[str], int]:
    answer = MemoryTools(memory).memory_recall(prompt, scope=SCOPE).result
    return [one["id"] for one in answer.details["memories"]], sum(len(one["text"]) for one in answer.content)


WAYS: Mapping[str, Way] = {
    "turn before, with a server": _turn(Mode.HYBRID),
    "turn before, words only": _turn(Mode.LEXICAL),
    "pack": _pack,
    "memory_recall": _recall,
}


def read_cases(path: Path = CASES) -> list[Case]:
    """Read the cases, one store a line."""
    decoder = msgspec.json.Decoder(Case)
    return [decoder.decode(line) for line in path.read_bytes().splitlines() if line.strip()]


def run_turns(settings: Settings, progress: Progress, *, cache: str | None = None) -> TurnsResult:
    """Ask every prompt in every way."""
    cases, machine = read_cases(), this_machine()
    embedder = load_embedder(settings, Mode.HYBRID, None, cache)
    outcomes: dict[str, list[Outcome]] = {name: [] for name in WAYS}
    for done, case in enumerate(cases):
        progress(done, len(cases), "asking")
        with scratch(settings, embedder) as memory:
            keys = _store(memory, case)
            for prompt in case.prompts:
                for name, ask in WAYS.items():
                    ids, characters = ask(memory, prompt.prompt)
                    shown = Shown(frozenset(keys[id] for id in ids if id in keys), characters)
                    outcomes[name].append(Outcome(case.part, prompt, shown))
    progress(len(cases), len(cases), "asking")
    return TurnsResult(
        stores=len(cases),
        prompts=sum(len(case.prompts) for case in cases),
        embedding_space=embedder.name if embedder else None,
        settings=changed_settings(settings),
        ways={name: _by_part(several) for name, several in outcomes.items()},
        machine=machine,
    )


def _store(memory: Satchel, case: Case) -> dict[str, str]:
    """Store the memories of a case, oldest first; return their keys by id."""
    ids: dict[str, str] = {}
    for one in sorted(case.memories, key=lambda one: one.day):
        # An agent cannot retire what the operator said; what it stores stands beside it.
        replaced = ids.get(one.replaces or "") if one.by == "operator" else None
        ids[one.key] = memory.store(
            one.text,
            scope=SCOPE,
            kind=one.kind,
            importance=one.importance,
            source_kind="operator" if one.by == "operator" else "tool",
            replaces=replaced,
        ).result.id
    memory.maintenance.index_build()
    return {id: key for key, id in ids.items()}


def _by_part(outcomes: Sequence[Outcome]) -> dict[str, dict[str, TurnFigures]]:
    return {part: dict(_by_family([one for one in outcomes if one.part == part])) for part in PARTS}


def _by_family(outcomes: Sequence[Outcome]) -> Iterator[tuple[str, TurnFigures]]:
    yield "all", turn_figures(outcomes)
    for family in dict.fromkeys(one.prompt.family for one in outcomes):
        yield family, turn_figures([one for one in outcomes if one.prompt.family == family])


def turn_figures(outcomes: Sequence[Outcome]) -> TurnFigures:
    """Return the means over at least one prompt."""
    answerable = [one for one in outcomes if one.prompt.want]
    changed = [one for one in outcomes if one.prompt.stale]
    unrelated = [one for one in outcomes if not one.prompt.want]
    return TurnFigures(
        n=len(outcomes),
        wanted=_mean(not one.shown.keys.isdisjoint(one.prompt.want) for one in answerable),
        complete=_mean(one.shown.keys.issuperset(one.prompt.want) for one in answerable),
        stale=_mean(not one.shown.keys.isdisjoint(one.prompt.stale) for one in changed),
        off_topic=_mean(len(one.shown.keys) for one in unrelated),
        items=_mean(len(one.shown.keys) for one in outcomes) or 0.0,
        characters=_mean(one.shown.characters for one in outcomes) or 0.0,
    )


def _mean(values: Iterator[float]) -> float | None:
    found = list(values)
    return round(fmean(found), 4) if found else None
