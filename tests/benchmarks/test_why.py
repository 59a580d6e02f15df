"""The decision benchmark counts what is right, invented and stale."""

from bench.decisions import Given, Question
from bench.why import WhyOutcome, why_figures

ASKED = Question("why oak?", "why", False, True, decision=(3,), reasons=(2,), stale=(1,))
OPEN = Question("why pine?", "why", False, False, lacks="undecided")


def test_figures_count_right_stale_and_invented_answers() -> None:
    right = WhyOutcome(ASKED, Given(3, frozenset({2})), 0.9, frozenset({2, 3}))
    other = WhyOutcome(ASKED, Given(-1), 0.8, frozenset({-1, 3}))
    stale = WhyOutcome(ASKED, Given(1), 0.7, frozenset({1}))
    invented = WhyOutcome(OPEN, Given(-1), 0.7, frozenset({-1}))
    figures = why_figures([right, other, stale, invented, WhyOutcome(OPEN, Given(), 0.0, frozenset())])

    assert (figures.n, figures.answered, figures.decision, figures.right, figures.stale) == (3, 3, 1, 1, 1)
    assert (figures.shown, figures.unanswerable, figures.invented) == (2, 2, 1)


def test_answers_below_a_likelihood_are_not_counted() -> None:
    unsure = WhyOutcome(OPEN, Given(-1), 0.4, frozenset({-1}))

    assert [why_figures([unsure], least).invented for least in (0.0, 0.4, 0.5)] == [1, 1, 0]
