"""Look up everything that depends on the question's words alone, while the question is being embedded."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import RecallPolicy
from satchel.domain.ranking import Candidate
from satchel.domain.record import Memory
from satchel.domain.view import View
from satchel.ports import Frequencies, Ledger, Tier
from satchel.recall.request import RecallQuestion
from satchel.recall.tiers import TierStep, narrow_view, plan_steps

# Maximum number of records that an answer names as not returned.
MAX_NAMED = 10


class Prefetch(Struct, frozen=True):
    """What the ledger knows about a question's words within a view."""

    frequencies: Frequencies
    tiers: frozenset[Tier]
    """The tiers that have records in reach."""
    steps: Sequence[TierStep]
    """The planned tier steps, in order."""
    held_out: Sequence[Memory]
    """Matching records that a rule of the view excludes."""
    matches: list[Candidate] | None = None
    """The ledger's lexical matches for the first step; None if they were not looked up."""


def prefetch(
    question: RecallQuestion, view: View, ledger: Ledger, policy: RecallPolicy, *, match_words: bool
) -> Prefetch:
    """Look up what does not need the question's vector; with `match_words`, also the lexical matches of the first step."""
    present = ledger.memories.tiers(view.reach)
    steps = plan_steps(present, view, policy)
    matches = None
    if match_words and steps:
        matches = ledger.memories.match(question.terms, narrow_view(view, steps[0], present), question.pool)
    return Prefetch(
        frequencies=ledger.memories.frequencies(question.terms),
        tiers=present,
        steps=steps,
        # Labels that were not requested may be half of the store; only records that a rule excludes are named.
        held_out=ledger.memories.excluded(question.terms, replace(view, labels=()), MAX_NAMED),
        matches=matches,
    )
