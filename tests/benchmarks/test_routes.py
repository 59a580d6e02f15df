"""The route benchmark counts what a person would call right."""

from bench.route_questions import RouteQuestion
from bench.routes import RouteFigures, RouteOutcome, route_figures

QUESTION = RouteQuestion("who is Rex", "default", "held", (), ("success",))


def test_an_answer_is_right_if_it_stands_first_with_a_right_status() -> None:
    outcomes = [RouteOutcome(QUESTION, first, status) for first, status in ((True, True), (True, False), (False, True))]

    assert route_figures(outcomes) == RouteFigures(n=3, right=1, first=2, status=2)
    assert route_figures([]) == RouteFigures(0, 0, 0, 0)
