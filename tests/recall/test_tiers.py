"""In which order records are admitted."""

import pytest
from msgspec.structs import replace

from satchel.domain.policies import RecallPolicy
from satchel.domain.record import Label, Trust
from satchel.domain.scope import Reach
from satchel.domain.view import View
from satchel.recall.tiers import GOOD, PLAUSIBLE, Step, goes_on, narrowed, policy_tier, steps

TRUSTED, UNTRUSTED, QUARANTINED = Trust.TRUSTED, Trust.UNTRUSTED, Trust.QUARANTINED
MUST, NICE, UNKNOWN, IGNORE = Label.MUST_REMEMBER, Label.NICE_TO_HAVE, Label.UNKNOWN, Label.IGNORE
ALL = [(trust, label) for trust in Trust for label in Label]
VIEW = View(Reach(("global",)), 0)
STANDARD = RecallPolicy()


def test_trusted_before_untrusted_and_graded_before_ungraded_before_unimportant() -> None:
    assert steps(ALL, VIEW, STANDARD) == [
        Step((TRUSTED,), (MUST, NICE)),
        Step((TRUSTED,), (UNKNOWN,)),
        Step((TRUSTED,), (IGNORE,)),
        Step((UNTRUSTED,), (MUST, NICE)),
        Step((UNTRUSTED,), (UNKNOWN,)),
        Step((UNTRUSTED,), (IGNORE,)),
    ]


def test_steps_that_would_find_nothing_are_not_taken() -> None:
    assert steps([(TRUSTED, UNKNOWN), (QUARANTINED, MUST)], VIEW, STANDARD) == [Step((TRUSTED,), (UNKNOWN,))]
    assert steps([], VIEW, STANDARD) == []


def test_a_view_that_names_labels_admits_no_others() -> None:
    graded = replace(VIEW, labels=(MUST, NICE), trusts=(TRUSTED,))
    assert steps(ALL, graded, STANDARD) == [Step((TRUSTED,), (MUST, NICE))]


def test_each_part_of_the_policy_can_be_switched_off() -> None:
    together = (TRUSTED, UNTRUSTED)
    ungated = steps(ALL, VIEW, RecallPolicy(trust_gate=False))
    assert [step.trusts for step in ungated] == [together] * 3
    untiered = steps(ALL, VIEW, RecallPolicy(tiers=False))
    assert [step.labels for step in untiered] == [tuple(Label)] * 2
    assert steps(ALL, VIEW, RecallPolicy(tiers=False, trust_gate=False)) == [Step(together, tuple(Label))]


def test_a_step_that_admits_all_there_is_needs_no_filter() -> None:
    step = Step((TRUSTED,), (UNKNOWN,))
    assert narrowed(VIEW, step, [(TRUSTED, UNKNOWN), (QUARANTINED, MUST)]) == VIEW
    filtered = narrowed(VIEW, step, [(TRUSTED, UNKNOWN), (UNTRUSTED, UNKNOWN)])
    assert (filtered.trusts, filtered.labels) == ((TRUSTED,), (UNKNOWN,))


GRADED, UNGRADED, LAST = (Step((TRUSTED,), labels) for labels in ((MUST, NICE), (UNKNOWN,), (IGNORE,)))
DOUBTFUL = Step((UNTRUSTED,), (MUST, NICE))


@pytest.mark.parametrize(
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
def test_another_step_is_taken_while_there_is_too_little(
    before: Step, following: Step, relevances: list[float], on: bool
) -> None:
    assert goes_on(before, following, relevances, limit=2) == on


@pytest.mark.parametrize(
    ("searched", "name"),
    [
        ([MUST, NICE], "must+nice"),
        ([UNKNOWN], "must+nice+unknown"),
        ([MUST, NICE, UNKNOWN], "must+nice+unknown"),
        ([MUST, NICE, UNKNOWN, IGNORE], "must+nice+unknown+ignore"),
        ([], "must+nice"),
    ],
)
def test_the_policy_tier_is_the_widest_that_was_needed(searched: list[Label], name: str) -> None:
    assert policy_tier(searched) == name
