"""The order in which tiers are searched."""

from msgspec.structs import replace

from satchel.domain.policies import RecallPolicy
from satchel.domain.record import Label, Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.recall.relevance import GOOD, PLAUSIBLE
from satchel.recall.tiers import (
    TierStep,
    narrow_view,
    needs_step,
    plan_steps,
    policy_tier,
)
from tests.tables import each_case

TRUSTED, UNTRUSTED, QUARANTINED = Trust.TRUSTED, Trust.UNTRUSTED, Trust.QUARANTINED
MUST, NICE, UNKNOWN, IGNORE = Label.MUST_REMEMBER, Label.NICE_TO_HAVE, Label.UNKNOWN, Label.IGNORE
ALL = [(trust, label) for trust in Trust for label in Label]
VIEW = View(Reach(("global",)), 0)
STANDARD = RecallPolicy()


def test_trusted_before_untrusted_and_graded_before_ungraded_before_unimportant() -> None:
    assert plan_steps(ALL, VIEW, STANDARD) == [
        TierStep((TRUSTED,), (MUST, NICE)),
        TierStep((TRUSTED,), (UNKNOWN,)),
        TierStep((TRUSTED,), (IGNORE,)),
        TierStep((UNTRUSTED,), (MUST, NICE)),
        TierStep((UNTRUSTED,), (UNKNOWN,)),
        TierStep((UNTRUSTED,), (IGNORE,)),
    ]


def test_steps_without_records_are_skipped() -> None:
    assert plan_steps([(TRUSTED, UNKNOWN), (QUARANTINED, MUST)], VIEW, STANDARD) == [TierStep((TRUSTED,), (UNKNOWN,))]
    assert plan_steps([], VIEW, STANDARD) == []


def test_a_view_with_labels_plans_only_those() -> None:
    graded = replace(VIEW, labels=(MUST, NICE), trusts=(TRUSTED,))
    assert plan_steps(ALL, graded, STANDARD) == [TierStep((TRUSTED,), (MUST, NICE))]


def test_trust_gate_and_tiers_can_be_switched_off() -> None:
    together = (TRUSTED, UNTRUSTED)
    ungated = plan_steps(ALL, VIEW, RecallPolicy(trust_gate=False))
    assert [step.trusts for step in ungated] == [together] * 3
    untiered = plan_steps(ALL, VIEW, RecallPolicy(tiers=False))
    assert [step.labels for step in untiered] == [tuple(Label)] * 2
    assert plan_steps(ALL, VIEW, RecallPolicy(tiers=False, trust_gate=False)) == [TierStep(together, tuple(Label))]


def test_a_step_that_admits_every_record_needs_no_filter() -> None:
    step = TierStep((TRUSTED,), (UNKNOWN,))
    assert narrow_view(VIEW, step, [(TRUSTED, UNKNOWN), (QUARANTINED, MUST)]) == VIEW
    filtered = narrow_view(VIEW, step, [(TRUSTED, UNKNOWN), (UNTRUSTED, UNKNOWN)])
    assert (filtered.trusts, filtered.labels) == ((TRUSTED,), (UNKNOWN,))


GRADED, UNGRADED, LAST = (TierStep((TRUSTED,), labels) for labels in ((MUST, NICE), (UNKNOWN,), (IGNORE,)))
DOUBTFUL = TierStep((UNTRUSTED,), (MUST, NICE))


@each_case(
    ("before", "following", "relevances", "on"),
    [
        (GRADED, UNGRADED, [GOOD, GOOD], False),
        (GRADED, UNGRADED, [GOOD, GOOD - 0.01], True),
        (GRADED, UNGRADED, [], True),
        (UNGRADED, LAST, [PLAUSIBLE], False),
        (UNGRADED, LAST, [PLAUSIBLE - 0.01] * 9, True),
        (LAST, DOUBTFUL, [PLAUSIBLE], False),
        (LAST, DOUBTFUL, [], True),
        (GRADED, DOUBTFUL, [PLAUSIBLE], False),
    ],
)
def test_the_next_step_runs_while_there_are_too_few_hits(
    before: TierStep, following: TierStep, relevances: list[float], on: bool
) -> None:
    assert needs_step(before, following, relevances, limit=2) == on


@each_case(
    ("searched", "name"),
    [
        ([MUST, NICE], "must+nice"),
        ([UNKNOWN], "must+nice+unknown"),
        ([MUST, NICE, UNKNOWN], "must+nice+unknown"),
        ([MUST, NICE, UNKNOWN, IGNORE], "must+nice+unknown+ignore"),
        ([], "must+nice"),
    ],
)
def test_the_policy_tier_is_the_widest_searched(searched: list[Label], name: str) -> None:
    assert policy_tier(searched) == name


def test_ungraded_records_are_searched_while_no_candidate_has_the_stated_name() -> None:
    graded, ungraded = TierStep((TRUSTED,), (MUST, NICE)), TierStep((TRUSTED,), (UNKNOWN,))
    assert not needs_step(graded, ungraded, [GOOD, GOOD], limit=2)
    assert needs_step(graded, ungraded, [GOOD, GOOD], limit=2, lacks_name=True)
    assert not needs_step(graded, TierStep((UNTRUSTED,), (UNKNOWN,)), [GOOD, GOOD], limit=2, lacks_name=True)
