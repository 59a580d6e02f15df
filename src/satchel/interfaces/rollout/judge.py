"""Judge a rollout: what a stage waits for, whether a canary passed, and whether the live stage must step down."""

from collections.abc import Sequence

from satchel.interfaces.evaluation.metrics import HYBRID, Evaluation, Figures
from satchel.interfaces.rollout.values import (
    GOOD_P95_MS,
    LATENCY_FACTOR,
    Condition,
    Limits,
    ProbeFigures,
    RolloutState,
    Stage,
)

# Green runs in a row before the canary, and before the live stage.
GREEN_BEFORE = {Stage.B: 12, Stage.C: 24}
ELIGIBLE_FROM = 0.6
_VECTOR = "vector"


def later_stages(stage: Stage) -> tuple[Stage, ...]:
    """Return the stages after one that wait for something."""
    order = tuple(Stage)
    return tuple(one for one in GREEN_BEFORE if order.index(one) > order.index(stage))


def conditions(state: RolloutState, stage: Stage) -> tuple[Condition, ...]:
    """Return what a stage waits for."""
    if stage not in GREEN_BEFORE:
        return ()
    needed = GREEN_BEFORE[stage]
    eligible = next((one.eligible for one in reversed(state.runs) if one.stage is not Stage.C), 0.0)
    found = [
        Condition("green_runs", state.green >= needed, f"{state.green} of {needed} runs in a row without a problem"),
        Condition(
            "eligible",
            eligible >= ELIGIBLE_FROM,
            f"{eligible:.0%} of the memories have a row with the same text; {ELIGIBLE_FROM:.0%} are needed",
        ),
    ]
    if stage is Stage.C:
        passed = state.canary is not None and not state.canary.problems
        found.append(Condition("canary", passed, "the canary passed" if passed else "no canary has passed yet"))
    return tuple(found)


def canary_problems(evaluation: Evaluation, probes: ProbeFigures, limits: Limits) -> tuple[str, ...]:
    """Return why a canary does not pass."""
    hybrid = figures_of(evaluation, HYBRID)
    problems = []
    if hybrid is None or evaluation.holds is None:
        problems.append("the golden set could not be asked by words and meaning: run 'satchel eval' to see why")
    elif not evaluation.holds:
        problems.append("on the golden set another mode of recall ranks better than the one that would be live")
    if hybrid is not None and hybrid.wrong_scope:
        problems.append(f"{hybrid.wrong_scope:.1%} of the results came from another scope")
    return (*problems, *probe_problems(probes, limits))


def probe_problems(probes: ProbeFigures, limits: Limits) -> tuple[str, ...]:
    """Return how recalls exceed the limits."""
    problems = []
    if probes.error_rate > limits.max_error_rate:
        problems.append(f"{probes.error_rate:.1%} of the recalls failed; {limits.max_error_rate:.1%} are allowed")
    if probes.incomplete:
        problems.append(f"{probes.incomplete} recalls lack policyTier, tierCounts or the top lists in their receipt")
    if probes.p95_ms > limits.max_latency_ms:
        problems.append(f"a recall takes {probes.p95_ms:.0f} ms (p95); {limits.max_latency_ms:.0f} ms are allowed")
    return tuple(problems)


def figures_of(evaluation: Evaluation, mode: str) -> Figures | None:
    """Return the figures of a mode of recall."""
    return next((one.overall for one in evaluation.modes if one.mode == mode), None)


def mrr_of(evaluation: Evaluation, mode: str = _VECTOR) -> float:
    """Return the MRR of a mode, by default of vectors alone; 0 if it was not measured."""
    figures = figures_of(evaluation, mode)
    return figures.mrr if figures else 0.0


def live_limits(state: RolloutState, max_error_rate: float | None, max_latency_ms: float | None) -> Limits:
    """Return the limits of the live stage: those given, else what the canary took, with room."""
    measured = state.canary.probes.p95_ms if state.canary else 0.0
    return Limits(
        max_error_rate=Limits().max_error_rate if max_error_rate is None else max_error_rate,
        max_latency_ms=max(GOOD_P95_MS, LATENCY_FACTOR * measured) if max_latency_ms is None else max_latency_ms,
    )


def unmet(found: Sequence[Condition]) -> tuple[str, ...]:
    """Return what is not there yet."""
    return tuple(one.message for one in found if not one.met)
