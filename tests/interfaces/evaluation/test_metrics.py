"""The metrics of an evaluation, on examples computed by hand."""

from satchel.interfaces.evaluation.golden import Case
from satchel.interfaces.evaluation.metrics import (
    CaseResult,
    Figures,
    Miss,
    ModeReport,
    ReturnedMemory,
    figures,
    holds,
    mode_report,
    percentile,
    unavailable,
)
from tests.tables import each_case


def case(id: str, expect: tuple[str, ...], family: str = "plain", language: str = "en") -> Case:
    return Case(id, f"question {id}", "here", expect, family, language, "line 1")


def answered(one: Case, names: str, milliseconds: float = 1.0, elsewhere: str = "") -> CaseResult:
    """Return an answer of memories that are called by one letter each; those named `elsewhere` lie in another scope."""
    returned = tuple(ReturnedMemory((name,), "there" if name in elsewhere else "here") for name in names)
    return CaseResult(one, returned, milliseconds)


# Found first, second, fourth, sixth, and not at all; of 17 memories two lie elsewhere.
FIRST = answered(case("1", ("a",)), "abc", 10.0)
SECOND = answered(case("2", ("a", "x")), "bac", 20.0, elsewhere="b")
FOURTH = answered(case("3", ("a",), "path"), "bcda", 30.0, elsewhere="d")
SIXTH = answered(case("4", ("a",), "path", "zh"), "bcdefag", 40.0)
NEVER = answered(case("5", ("a",), "path", "zh"), "", 50.0)
ALL = (FIRST, SECOND, FOURTH, SIXTH, NEVER)


def test_the_rank_is_the_first_correct_memory() -> None:
    assert [one.rank for one in ALL] == [1, 2, 4, 6, None]
    assert answered(case("6", ("c", "b")), "abc").rank == 2


def test_a_memory_is_known_by_any_of_its_names() -> None:
    returned = (ReturnedMemory(("id-1", "the text"), "here"),)

    assert CaseResult(case("7", ("the text",)), returned, 1.0).rank == 1
    assert CaseResult(case("7", ("id-1",)), returned, 1.0).rank == 1
    assert CaseResult(case("7", ("text",)), returned, 1.0).rank is None


def test_the_metrics_of_five_cases() -> None:
    assert figures(ALL) == Figures(
        n=5,
        hit_at_1=0.2,
        hit_at_3=0.4,
        hit_at_5=0.6,
        # (1 + 1/2 + 1/4 + 1/6 + 0) / 5
        mrr=0.3833,
        returned=17,
        # 2 / 17
        wrong_scope=0.1176,
        p50_ms=30.0,
        p95_ms=50.0,
    )


def test_without_returned_memories_wrong_scope_is_zero() -> None:
    assert figures([NEVER]) == Figures(1, 0.0, 0.0, 0.0, 0.0, 0, 0.0, 50.0, 50.0)


@each_case(
    ("values", "share", "expected"),
    [
        ([3.0], 0.5, 3.0),
        ([3.0], 0.0, 3.0),
        ([4.0, 1.0, 3.0, 2.0], 0.5, 2.0),
        ([4.0, 1.0, 3.0, 2.0], 0.51, 3.0),
        ([4.0, 1.0, 3.0, 2.0], 1.0, 4.0),
        ([float(n) for n in range(100, 0, -1)], 0.95, 95.0),
    ],
)
def test_a_percentile_is_one_of_the_values(values: list[float], share: float, expected: float) -> None:
    assert percentile(values, share) == expected


def test_a_report_has_metrics_overall_per_family_and_per_language() -> None:
    report = mode_report("hybrid", ALL)

    assert (report.mode, report.problem, report.overall) == ("hybrid", "", figures(ALL))
    assert list(report.families.items()) == [("plain", figures([FIRST, SECOND])), ("path", figures(ALL[2:]))]
    assert list(report.languages.items()) == [("en", figures(ALL[:3])), ("zh", figures([SIXTH, NEVER]))]


def test_a_miss_is_a_case_without_an_answer_among_the_first_five() -> None:
    assert mode_report("hybrid", ALL).misses == (
        Miss("4", "path", "zh", "here", "question 4", ("a",), ("b", "c", "d", "e", "f", "a", "g")),
        Miss("5", "path", "zh", "here", "question 5", ("a",), ()),
    )


def of(mode: str, *ranks: int) -> ModeReport:
    names = ["bcdefghij"[: rank - 1] + "a" for rank in ranks]
    return mode_report(mode, [answered(case(str(place), ("a",)), name) for place, name in enumerate(names)])


@each_case(
    ("modes", "expected"),
    [
        ([of("hybrid", 1, 5), of("vector", 2, 2), of("lexical", 5, 1)], True),
        ([of("hybrid", 1, 6), of("vector", 5, 7), of("lexical", 6, 6)], True),
        ([of("hybrid", 2, 2), of("vector", 1, 6), of("lexical", 5, 5)], False),
        ([of("hybrid", 5, 5), of("vector", 6, 6), of("lexical", 1, 6)], False),
        ([of("hybrid", 1)], None),
        ([of("vector", 1), of("lexical", 1)], None),
        ([unavailable("hybrid", "no model"), unavailable("vector", "no model"), of("lexical", 6)], None),
    ],
)
def test_hybrid_holds_when_no_other_mode_ranks_better(modes: list[ModeReport], expected: bool | None) -> None:
    assert holds(modes) is expected


def test_an_unavailable_mode_has_no_metrics() -> None:
    assert unavailable("vector", "no model") == ModeReport("vector", "no model", None, {}, {}, ())
