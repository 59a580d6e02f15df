"""Conversion of answers to the shapes of the specification."""

from satchel.domain.answers import MemoryCounts
from satchel.domain.envelope import Ok
from satchel.domain.policies import ScopePolicy
from satchel.domain.receipt import Receipt
from satchel.domain.record import ENGINE_CATEGORIES, Kind
from satchel.interfaces.slot import details
from satchel.interfaces.slot.tools import CATEGORIES
from satchel.maintenance.values import Stats
from satchel.memories.values import Exported
from tests.tables import each_case

INFO = details.StoreInfo("/store", None, ScopePolicy())
DAY_MS = 86_400_000


def _stats(**by_kind: int) -> Ok[Stats]:
    tally = MemoryCounts(
        memories=sum(by_kind.values()),
        by_scope={"global": sum(by_kind.values())},
        by_kind=by_kind,
        by_label={},
        by_trust={},
        by_state={},
        text_chars=100,
        shortest=1,
        longest=50,
        median_chars=7,
        oldest=DAY_MS,
        newest=3 * DAY_MS,
        mean_created_at=2 * DAY_MS,
    )
    receipt = Receipt("stats", asked={"scope": "global"}, at=4 * DAY_MS)
    return Ok(Stats("global", tally, None, 0, 0, "/store"), receipt)


def test_every_kind_is_counted_under_a_category_that_agents_know() -> None:
    shaped = details.counted(_stats(**{kind.value: 1 for kind in Kind}), INFO, None)["stats"]

    assert set(shaped["byCategory"]) == set(CATEGORIES) == set(ENGINE_CATEGORIES) | {"other"}
    assert sum(shaped["byCategory"].values()) == shaped["count"] == len(Kind)
    assert shaped["byCategory"]["other"] == len(Kind) - len(CATEGORIES) + 1


def test_ages_are_days_before_the_answer() -> None:
    assert details.counted(_stats(fact=4), INFO, None)["stats"]["ageDays"] == {"min": 1.0, "max": 3.0, "avg": 2.0}


@each_case("category", ["fact", None])
def test_the_receipt_names_the_filters_that_were_applied(category: str | None) -> None:
    answer = Ok(Exported("out", "jsonl", 5, 2, 9, None), Receipt("export", asked={"scope": "project/a"}))
    receipt = details.exported(answer, INFO, category)["receipt"]

    assert receipt["filtersApplied"] == {"scope": "project/a", "category": category}
    assert (receipt["matchedCount"], receipt["returnedCount"]) == (5, 2)
