"""Tiers: in which order records are admitted to an answer, by how far they may be relied on and how important they are.

Trusted records come before untrusted ones, graded ones before those nobody graded, and what was graded unimportant
last. A later step is taken only when the steps before it have too little; what "too little" means depends on how
relevant the hits are, since a search by meaning always finds something.
"""

from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import RecallPolicy
from satchel.domain.record import Label, Trust
from satchel.domain.view import View
from satchel.ports import Tier

# A hit this relevant answers the question.
GOOD = 0.4
# One less relevant than this might as well not have been found.
PLAUSIBLE = 0.1

NAMES = {Label.MUST_REMEMBER: "must", Label.NICE_TO_HAVE: "nice", Label.UNKNOWN: "unknown", Label.IGNORE: "ignore"}
_GRADED = (Label.MUST_REMEMBER, Label.NICE_TO_HAVE)
_GROUPS = (_GRADED, (Label.UNKNOWN,), (Label.IGNORE,))


class Step(Struct, frozen=True):
    """One step: the records it admits beside those of the steps before."""

    trusts: tuple[Trust, ...]
    labels: tuple[Label, ...]

    @property
    def tiers(self) -> frozenset[Tier]:
        """The tiers it admits."""
        return frozenset((trust, label) for trust in self.trusts for label in self.labels)


def steps(present: Iterable[Tier], view: View, policy: RecallPolicy) -> list[Step]:
    """Return the steps to take within a view, in order, without those that would find nothing."""
    by_trust = [(trust,) for trust in view.trusts] if policy.trust_gate else [view.trusts]
    groups = _GROUPS if policy.tiers else (tuple(Label),)
    by_label = [tuple(label for label in group if not view.labels or label in view.labels) for group in groups]
    possible = [Step(admitted, labels) for admitted in by_trust for labels in by_label]
    there = frozenset(present)
    return [step for step in possible if step.tiers & there]


def narrowed(view: View, step: Step, present: Iterable[Tier]) -> View:
    """Return the view of one step. One that admits all there is needs no filter, which makes its search cheaper."""
    admissible = frozenset(tier for tier in present if tier[0] in view.trusts)
    return view if admissible <= step.tiers else replace(view, trusts=step.trusts, labels=step.labels)


def goes_on(before: Step, following: Step, relevances: Sequence[float], limit: int) -> bool:
    """Say whether another step is needed, from how relevant the hits so far are."""
    if following.trusts == before.trusts and Label.UNKNOWN in following.labels:
        return sum(value >= GOOD for value in relevances) < limit
    return not any(value >= PLAUSIBLE for value in relevances)


def policy_tier(searched: Iterable[Label]) -> str:
    """Return the name of the widest policy that was needed."""
    labels = set(searched)
    if Label.IGNORE in labels:
        return "must+nice+unknown+ignore"
    return "must+nice+unknown" if Label.UNKNOWN in labels else "must+nice"
