"""The pack benchmark: how much of the gold fits into a pack of a given size, compared with plain dumps of the best hits."""

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from statistics import fmean

from msgspec import Struct

from bench.datasets import load_dataset
from bench.datasets.dataset import Corpus, Dataset, Level, Question, Unit
from bench.embedding import load_embedder
from bench.haystack import HAYSTACKS, SCOPE, Haystack, Plain, scratch, spoken
from bench.machine import Machine, changed_settings, this_machine
from bench.metrics import all_found, any_found, found_share
from bench.retrieval import Steps, ranked_for, store_digest
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.canonical import Json
from satchel.domain.text import replace_undecodable
from satchel.domain.tokens import estimate_tokens
from satchel.domain.words import STOP_WORDS, content_terms, segment
from satchel.errors import InvalidRequest
from satchel.packing.bundle import parse_bundle
from satchel.ports import Embedder, Progress
from satchel.recall.relevance import word_forms
from satchel.recall.request import Mode

BUDGETS = (500, 1_000, 2_000)
_PROGRESS_STEP = 10


class Evidence(Struct, frozen=True):
    """How much of the gold of some questions is in their bundles."""

    n: int
    any: float
    """Share of questions with at least one gold unit in the bundle."""
    all: float
    share: float
    """Mean share of the gold units in the bundle."""
    tokens: float
    """Mean number of tokens of a bundle."""
    answered: int
    """Number of questions whose answer is in words that their gold units hold; the two figures below are over these."""
    words: float
    """Mean share of the answer's words in the bundle."""
    all_words: float
    """Share of questions with all of the answer's words in the bundle."""
    over_budget: int
    """Number of bundles over the budget; must be 0."""


class Budgeted(Struct, frozen=True):
    """One budget: Satchel's pack, and dumps of the same size."""

    budget: int
    pack: Evidence
    dump: Evidence
    """The best units of Satchel's own search."""
    words: Evidence
    """The best units of plain full-text search."""
    plain: Evidence
    """The best units of plain search by full text and, with a model, vectors, fused by rank."""


class PackResult(Struct, frozen=True):
    """Result of a run."""

    set: str
    mode: str
    through: str
    file: str
    embedding_space: str | None
    settings: Mapping[str, Json]
    store_digest: str
    budgets: tuple[Budgeted, ...]
    machine: Machine


class Bundle(Struct, frozen=True):
    """The ids of the units in a bundle, its size in tokens, and the lines that quote them."""

    sources: tuple[str, ...]
    tokens: int
    text: str


Pack = Callable[[Question, int], Bundle]
"""Makes a bundle for a question within a budget of tokens."""
Count = Callable[[str], int]


class Outcome(Struct, frozen=True):
    """The gold of a question, the words of its answer, and one bundle for it."""

    gold: tuple[str, ...]
    words: frozenset[str]
    bundle: Bundle


def product_pack(memory: Satchel, haystack: Haystack, mode: str) -> Pack:
    """Return Satchel's pack over a filled store. A unit is in it if an item cites its record."""

    def pack(question: Question, budget: int) -> Bundle:
        made = memory.packing.pack(question.text, budget_tokens=budget, scope=SCOPE, mode=mode, touch=False).result
        units = (haystack.unit_of(item["id"]) for item in made.items)
        # The lines alone: the words around them are the same in every bundle.
        said = "".join(f"{line.head}: {line.text}\n" for line in parse_bundle(made.bundle_text))
        return Bundle(tuple(dict.fromkeys(unit for unit in units if unit)), estimate_tokens(made.bundle_text), said)

    return pack


def dumped(ranked: Sequence[Unit], budget: int, count: Count) -> Bundle:
    """Return the best units in order, until the next one does not fit."""
    sources, lines, spent = list[str](), list[str](), 0
    for unit in ranked:
        line = spoken(unit)
        if spent + count(line) > budget:
            break
        sources.append(unit.id)
        lines.append(line)
        spent += count(line)
    return Bundle(tuple(sources), spent, "".join(lines))


def answer_words(question: Question, units: Mapping[str, Unit]) -> frozenset[str]:
    """Return the content words of a question's answer that its gold units hold, in any regular form.

    Other words, such as a date that was worked out, are in no bundle. The result is empty if no word is left.
    """
    held = _words(" ".join(units[id].text for id in question.gold if id in units))
    return frozenset(
        term for term in content_terms(question.answer) if _is_content(term) and not held.isdisjoint(word_forms(term))
    )


def words_kept(words: frozenset[str], text: str) -> float:
    """Return the share of some words that a text holds, in any regular form."""
    held = _words(text)
    return fmean(not held.isdisjoint(word_forms(word)) for word in words)


def _is_content(term: str) -> bool:
    """Return whether a term is a number or a word; a single letter is what an apostrophe leaves."""
    return term not in STOP_WORDS and not (len(term) == 1 and term.isascii() and term.isalpha())


def _words(text: str) -> frozenset[str]:
    return frozenset(segment(text).split())


def evidence(outcomes: Sequence[Outcome], budget: int) -> Evidence:
    """Return how much of the gold is in the bundles of at least one question."""
    every = [(one.bundle.sources, one.gold, len(one.bundle.sources)) for one in outcomes]
    kept = [words_kept(one.words, one.bundle.text) for one in outcomes if one.words]
    return Evidence(
        n=len(outcomes),
        any=_mean(any_found(*one) for one in every),
        all=_mean(all_found(*one) for one in every),
        share=_mean(found_share(*one) for one in every),
        tokens=_mean(float(one.bundle.tokens) for one in outcomes),
        answered=len(kept),
        words=_mean(iter(kept)) if kept else 0.0,
        all_words=_mean(share == 1 for share in kept) if kept else 0.0,
        over_budget=sum(one.bundle.tokens > budget for one in outcomes),
    )


def run_pack(
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
) -> PackResult:
    """Make a pack and its dumps for every scored question of a dataset at each budget."""
    wanted = tuple(dict.fromkeys(budgets)) or BUDGETS
    if bad := [one for one in wanted if not 50 <= one <= 100_000]:
        raise InvalidRequest(f"invalid budget: {bad[0]} tokens", code="out_of_range", hint="50 to 100,000")
    found = load_dataset(settings, format, data, Level.TURN, pipes=pipes)
    machine, loaded = this_machine(), load_embedder(settings, Mode(mode), embedder, cache)
    lane = through or found.lane
    bundles = _outcomes(found, settings, loaded, lane, mode, wanted, progress)
    return PackResult(
        set=found.name,
        mode=mode,
        through=lane,
        file=replace_undecodable(data).rpartition("/")[2],
        embedding_space=loaded.name if loaded else None,
        settings=changed_settings(settings),
        store_digest=store_digest(found),
        budgets=tuple(
            Budgeted(one, **{name: evidence(made[one], one) for name, made in bundles.items()}) for one in wanted
        ),
        machine=machine,
    )


@contextmanager
def plain_search(units: Sequence[Unit], embedder: Embedder | None) -> Iterator[Callable[[Question], list[Unit]]]:
    """Fill a plain peer with units, and return its search."""
    with tempfile.TemporaryDirectory(prefix="satchel-bench-") as place, closing(Plain(Path(place), embedder)) as plain:
        plain.load(units, _silently)
        known = {unit.id: unit for unit in units}
        yield lambda question: [known[id] for id in ranked_for(plain, question, Mode.HYBRID, Level.TURN)]


def _silently(done: int, total: int, what: str) -> None:
    """Report no progress."""


Outcomes = dict[int, list[Outcome]]
BUNDLES = ("pack", "dump", "words", "plain")
"""What is compared, by field name of the result."""


def _outcomes(
    found: Dataset,
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
            units = {unit.id: unit for unit in corpus.units}
            for question in _scored(corpus, found.apart, step):
                words = answer_words(question, units)
                ranked = {
                    "dump": [units[id] for id in ranked_for(haystack, question, mode, Level.TURN)],
                    "words": by_word(question),
                    "plain": plainly(question),
                }
                for budget in budgets:
                    bundles = {name: dumped(units, budget, estimate_tokens) for name, units in ranked.items()}
                    for name, bundle in {"pack": pack(question, budget), **bundles}.items():
                        made[name][budget].append(Outcome(question.gold, words, bundle))
    return made


def _scored(corpus: Corpus, apart: Sequence[str], progress: Progress) -> Iterator[Question]:
    scored = [one for one in corpus.questions if one.gold and one.category not in apart and one.text.strip()]
    for done, question in enumerate(scored, start=1):
        yield question
        if done % _PROGRESS_STEP == 0 or done == len(scored):
            progress(done, len(scored), "packing")


def _mean(values: Iterator[float]) -> float:
    return round(fmean(values), 4)
