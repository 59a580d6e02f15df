"""The pack benchmark: how much of what answers a question is in a bundle of so many tokens, beside a plain dump of the best."""

import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import fmean

from msgspec import Struct

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.envelope import Ok
from satchel.domain.receipt import Receipt
from satchel.domain.text import readable
from satchel.domain.tokens import tokens
from satchel.errors import InvalidRequest
from satchel.interfaces.bench.differing import differing
from satchel.interfaces.bench.embedding import loaded_embedder
from satchel.interfaces.bench.formats import read_set
from satchel.interfaces.bench.haystack import HAYSTACKS, SCOPE, Haystack, Plain, scratch, spoken
from satchel.interfaces.bench.machine import this_machine
from satchel.interfaces.bench.metrics import all_found, any_found, found_share
from satchel.interfaces.bench.named import rightly_named
from satchel.interfaces.bench.results import Budgeted, Evidence, Packing
from satchel.interfaces.bench.retrieval import Steps, ranked_for, store_digest
from satchel.interfaces.bench.sets import BenchmarkSet, Corpus, Level, Question, Unit
from satchel.ports import Embedder, Progress
from satchel.recall.question import Mode
from satchel.wiring.adapters import open_exchange

BUDGETS = (500, 1_000, 2_000)
_PROGRESS_STEP = 10


class Bundle(Struct, frozen=True):
    """What a budget was spent on: the units it rests on, and how many tokens it takes."""

    sources: tuple[str, ...]
    tokens: int


Pack = Callable[[Question, int], Bundle]
"""Packs what answers a question into so many tokens."""
Count = Callable[[str], int]


class Outcome(Struct, frozen=True):
    """A question with one bundle for it."""

    gold: tuple[str, ...]
    bundle: Bundle


def product_pack(memory: Satchel, haystack: Haystack, mode: str) -> Pack:
    """Return the product's own pack over a filled store. What it holds counts by the records that its items cite."""

    def pack(question: Question, budget: int) -> Bundle:
        made = memory.packing.pack(question.text, budget_tokens=budget, scope=SCOPE, mode=mode, touch=False).result
        units = (haystack.unit_of(item["id"]) for item in made.items)
        return Bundle(tuple(dict.fromkeys(unit for unit in units if unit)), tokens(made.bundle_text))

    return pack


def dumped(ranked: Sequence[Unit], budget: int, count: Count) -> Bundle:
    """Return the plain dump: the best units one after another, until the next one does not fit."""
    sources, spent = list[str](), 0
    for unit in ranked:
        cost = count(spoken(unit))
        if spent + cost > budget:
            break
        sources.append(unit.id)
        spent += cost
    return Bundle(tuple(sources), spent)


def evidence(outcomes: Sequence[Outcome], budget: int) -> Evidence:
    """Return how much of the gold the bundles rest on, over some questions, at least one."""
    every = [(one.bundle.sources, one.gold, len(one.bundle.sources)) for one in outcomes]
    return Evidence(
        n=len(outcomes),
        any=_mean(any_found(*one) for one in every),
        all=_mean(all_found(*one) for one in every),
        share=_mean(found_share(*one) for one in every),
        tokens=_mean(float(one.bundle.tokens) for one in outcomes),
        over_budget=sum(one.bundle.tokens > budget for one in outcomes),
    )


def run_packing(
    settings: Settings,
    progress: Progress,
    *,
    format: str,
    data: str,
    budgets: Sequence[int] = (),
    mode: str = Mode.HYBRID,
    through: str | None = None,
    embedder: str | None = None,
    cache: str | None = None,
    pipes: bool = False,
) -> Ok[Packing]:
    """Pack for every scored question of a set at each budget, and dump the best units of the same search beside it."""
    wanted = tuple(dict.fromkeys(budgets)) or BUDGETS
    if bad := [one for one in wanted if not 50 <= one <= 100_000]:
        raise InvalidRequest(f"{bad[0]} tokens are no budget", code="out_of_range", hint="50 to 100,000")
    with rightly_named(), open_exchange(settings, pipes=pipes).read(data) as file:
        found = read_set(format, file.chunks, Level.TURN)
    machine, loaded = this_machine(), loaded_embedder(settings, Mode(mode), embedder, cache)
    lane = through or found.lane
    bundles = _outcomes(found, settings, loaded, lane, mode, wanted, progress)
    result = Packing(
        set=found.name,
        mode=mode,
        through=lane,
        file=readable(data).rpartition("/")[2],
        embedding_space=loaded.name if loaded else None,
        settings=differing(settings),
        store_digest=store_digest(found),
        budgets=tuple(
            Budgeted(one, **{name: evidence(made[one], one) for name, made in bundles.items()}) for one in wanted
        ),
        machine=machine,
    )
    return Ok(result, _receipt(result))


@contextmanager
def plain_search(units: Sequence[Unit], embedder: Embedder | None) -> Iterator[Callable[[Question], list[Unit]]]:
    """Keep units in what one would pick instead, and return how it is asked."""
    with tempfile.TemporaryDirectory(prefix="satchel-bench-") as place, closing(Plain(Path(place), embedder)) as plain:
        plain.load(units, _silently)
        known = {unit.id: unit for unit in units}
        yield lambda question: [known[id] for id in ranked_for(plain, question, Mode.HYBRID, Level.TURN)]


def _silently(done: int, total: int, what: str) -> None:
    """Show no progress."""


Outcomes = dict[int, list[Outcome]]
BUNDLES = ("pack", "dump", "words", "plain")
"""What is compared, as a result names them."""


def _outcomes(
    found: BenchmarkSet,
    settings: Settings,
    embedder: Embedder | None,
    lane: str,
    mode: str,
    budgets: Sequence[int],
    progress: Progress,
) -> dict[str, Outcomes]:
    made: dict[str, Outcomes] = {name: {budget: [] for budget in budgets} for name in BUNDLES}
    for place, corpus in enumerate(found.corpora, start=1):
        with (
            scratch(settings, embedder) as memory,
            plain_search(corpus.units, embedder) as plainly,
            plain_search(corpus.units, None) as by_word,
        ):
            haystack = HAYSTACKS[lane](memory)
            step = Steps(progress, f"{place} of {len(found.corpora)}" if len(found.corpora) > 1 else "")
            haystack.load([unit for unit in corpus.units if unit.text.strip()], step)
            pack = product_pack(memory, haystack, mode)
            for question in _scored(corpus, found.apart, step):
                ranked = {
                    "dump": _ranked(haystack, corpus, question, mode),
                    "words": by_word(question),
                    "plain": plainly(question),
                }
                for budget in budgets:
                    bundles = {name: dumped(units, budget, tokens) for name, units in ranked.items()}
                    for name, bundle in {"pack": pack(question, budget), **bundles}.items():
                        made[name][budget].append(Outcome(question.gold, bundle))
    return made


def _scored(corpus: Corpus, apart: Sequence[str], progress: Progress) -> Iterator[Question]:
    scored = [one for one in corpus.questions if one.gold and one.category not in apart and one.text.strip()]
    for done, question in enumerate(scored, start=1):
        yield question
        if done % _PROGRESS_STEP == 0 or done == len(scored):
            progress(done, len(scored), "packing")


def _ranked(haystack: Haystack, corpus: Corpus, question: Question, mode: str) -> list[Unit]:
    units = {unit.id: unit for unit in corpus.units}
    return [units[id] for id in ranked_for(haystack, question, mode, Level.TURN)]


def _mean(values: Iterator[float]) -> float:
    return round(fmean(values), 4)


def _receipt(result: Packing) -> Receipt:
    return Receipt(
        "bench pack",
        asked={"set": result.set, "mode": result.mode, "budgets": [one.budget for one in result.budgets]},
        considered={"store": result.store_digest, "embedding_space": result.embedding_space},
        decided={str(one.budget): {name: getattr(one, name).any for name in BUNDLES} for one in result.budgets},
    )
