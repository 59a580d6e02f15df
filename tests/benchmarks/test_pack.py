"""The pack benchmark: what a bundle holds is counted, and the dump beside it is as large as the budget lets it be."""

import json
from pathlib import Path

import bench.pack
import pytest
from bench.datasets.dataset import Question, Unit
from bench.haystack import Haystack, spoken
from bench.pack import Bundle, Outcome, Pack, answer_words, dumped, evidence, plain_search, run_pack

from satchel.adapters.embedders.hashing import Hashing
from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.tokens import estimate_tokens
from satchel.errors import InvalidRequest
from tests.benchmarks.samples import FILES
from tests.tables import each_case

UNITS = [Unit(str(place), "word " * 10, speaker="Ida") for place in range(4)]


def quiet(done: int, total: int, what: str) -> None:
    """Report to nobody."""


def each_ten(text: str) -> int:
    """Count ten tokens for every text."""
    return 10


def written(folder: Path) -> str:
    path = folder / "locomo.json"
    path.write_text(json.dumps(FILES["locomo"]()), encoding="utf-8")
    return str(path)


@each_case(("budget", "held"), [(9, ()), (10, ("0",)), (29, ("0", "1")), (500, ("0", "1", "2", "3"))])
def test_a_dump_takes_the_best_until_the_next_does_not_fit(budget: int, held: tuple[str, ...]) -> None:
    text = "".join(spoken(unit) for unit in UNITS[: len(held)])

    assert dumped(UNITS, budget, each_ten) == Bundle(held, 10 * len(held), text)


def test_a_unit_that_does_not_fit_ends_the_dump() -> None:
    units = [Unit("long", "word " * 1_000), Unit("short", "word")]

    assert dumped(units, 100, estimate_tokens) == Bundle((), 0, "")


def test_evidence_is_counted_by_question() -> None:
    outcomes = [
        Outcome(("a", "b"), frozenset({"paint", "blue"}), Bundle(("a", "x"), 90, "She painted it red.")),
        Outcome(("c",), frozenset({"thursday"}), Bundle(("c",), 110, "on Thursday")),
        Outcome(("d",), frozenset(), Bundle((), 0, "")),
    ]

    found = evidence(outcomes, 100)

    assert (found.n, found.any, found.all, found.share) == (3, 0.6667, 0.3333, 0.5)
    assert (found.tokens, found.over_budget) == (66.6667, 1)
    assert (found.answered, found.words, found.all_words) == (2, 0.75, 0.5)


def test_only_words_that_the_gold_holds_are_expected_of_a_bundle() -> None:
    units = {"a": Unit("a", "We painted the fence on Thursday"), "b": Unit("b", "in deep blue")}
    question = Question("q", "What was done?", "single-hop", ("a",), answer="They paint a blue fence, on Thursday")

    assert answer_words(question, units) == {"paint", "fence", "thursday"}


def test_the_pack_of_the_product_is_measured_by_what_it_cites(settings: Settings, tmp_path: Path) -> None:
    result = run_pack(settings, quiet, format="locomo", data=written(tmp_path), mode="lexical", through="memories")

    assert [one.budget for one in result.budgets] == [500, 1_000, 2_000]
    for one in result.budgets:
        assert one.pack.n == one.dump.n == one.words.n == one.plain.n == 3
        assert one.pack.over_budget == one.dump.over_budget == one.words.over_budget == one.plain.over_budget == 0
        assert one.pack.any > 0.5


def test_a_pack_is_measured_beside_the_dump(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def perfect(memory: Satchel, haystack: Haystack, mode: str) -> Pack:
        def pack(question: Question, budget: int) -> Bundle:
            return Bundle(question.gold, budget, "")

        return pack

    monkeypatch.setattr(bench.pack, "product_pack", perfect)
    result = run_pack(
        settings,
        quiet,
        format="locomo",
        data=written(tmp_path),
        budgets=[50],
        mode="lexical",
        through="memories",
    )

    (only,) = result.budgets
    assert (only.pack.any, only.pack.all, only.pack.over_budget) == (1.0, 1.0, 0)


def test_a_budget_that_makes_no_sense_is_refused(settings: Settings, tmp_path: Path) -> None:
    with pytest.raises(InvalidRequest):
        run_pack(settings, quiet, format="locomo", data=written(tmp_path), budgets=[0])


@each_case("embedder", [None, Hashing(64)], ids=["words", "words and meaning"])
def test_a_plain_search_ranks_the_units_of_its_corpus(embedder: Hashing | None) -> None:
    units = [Unit("a", "the kettle is in the kitchen"), Unit("b", "the ledger is in the office")]

    with plain_search(units, embedder) as ask:
        assert ask(Question("q", "where is the kettle?", "", ("a",)))[0].id == "a"
