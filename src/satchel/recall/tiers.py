"""Tier order of a search: trusted before untrusted, graded before ungraded, and records graded unimportant last.

A later step runs only if the earlier steps found too little. That depends on the relevance of the hits, because a vector
search always finds something. An untrusted record that answers clearly better than every trusted one passes the gate alone.
"""

import math
from collections.abc import Iterable, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import RecallPolicy
from satchel.domain.record import Label, Trust
from satchel.domain.view import View
from satchel.ports import Tier
from satchel.recall.relevance import GOOD, PLAUSIBLE

# How many times the odds of the best trusted hit an untrusted record needs to be clearly the better answer.
CLEARLY_BETTER = math.exp(0.5)
# A trusted hit this likely cannot be clearly beaten.
CERTAIN = 0.9

TIER_NAMES = {Label.MUST_REMEMBER: "must", Label.NICE_TO_HAVE: "nice", Label.UNKNOWN: "unknown", Label.IGNORE: "ignore"}
_GRADED = (Label.MUST_REMEMBER, Label.NICE_TO_HAVE)
_GROUPS = (_GRADED, (Label.UNKNOWN,), (Label.IGNORE,))


class TierStep(Struct, frozen=True):
    """The trust tiers and labels that one search step adds to the earlier ones."""

    trusts: tuple[Trust, ...]
    labels: tuple[Label, ...]

    @property
    def tiers(self) -> frozenset[Tier]:
        """All combinations of its trust tiers and labels."""
        return frozenset((trust, label) for trust in self.trusts for label in self.labels)


def plan_steps(present: Iterable[Tier], view: View, policy: RecallPolicy) -> list[TierStep]:
    """Return the search steps for a view, in order, without those that have no records."""
    by_trust = [(trust,) for trust in view.trusts] if policy.trust_gate else [view.trusts]
    groups = _GROUPS if policy.tiers else (tuple(Label),)
    by_label = [tuple(label for label in group if not view.labels or label in view.labels) for group in groups]
    possible = [TierStep(admitted, labels) for admitted in by_trust for labels in by_label]
    there = frozenset(present)
    return [step for step in possible if step.tiers & there]


def narrow_view(view: View, step: TierStep, present: Iterable[Tier]) -> View:
    """Return the view of one step. A step that admits every record present needs no filter, so its search is cheaper."""
    admissible = frozenset(tier for tier in present if tier[0] in view.trusts)
    return view if admissible <= step.tiers else replace(view, trusts=step.trusts, labels=step.labels)


def needs_step(
    before: TierStep, following: TierStep, likelihoods: Sequence[float], limit: int, *, lacks_name: bool = False
) -> bool:
    """Return whether the next step is needed, given how likely the hits so far are.

    `lacks_name` says that the question states a name, such as "issue 489", which no candidate so far contains.
    """
    if following.trusts == before.trusts and Label.UNKNOWN in following.labels:
        return lacks_name or sum(value >= GOOD for value in likelihoods) < limit
    return not any(value >= PLAUSIBLE for value in likelihoods)


def contender_step(planned: Sequence[TierStep], searched: Sequence[TierStep]) -> TierStep | None:
    """Return the untrusted tiers that the trust gate left out, without records graded unimportant."""
    left = [step for step in planned if step not in searched and Trust.UNTRUSTED in step.trusts]
    labels = tuple(label for step in left for label in step.labels if label is not Label.IGNORE)
    return TierStep((Trust.UNTRUSTED,), labels) if labels else None


def is_clearly_better(likelihood: float, best_trusted: float) -> bool:
    """Return whether an untrusted record passes the trust gate although a trusted one answers."""
    return _odds(likelihood) >= CLEARLY_BETTER * _odds(best_trusted)


def _odds(probability: float) -> float:
    return probability / (1 - probability)


def policy_tier(searched: Iterable[Label]) -> str:
    """Return the name of the widest label set that was searched."""
    labels = set(searched)
    if Label.IGNORE in labels:
        return "must+nice+unknown+ignore"
    return "must+nice+unknown" if Label.UNKNOWN in labels else "must+nice"
