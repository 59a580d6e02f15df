"""Look up everything that depends on the question's words alone, while the question is being embedded."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import RecallPolicy
from satchel.domain.record import Memory
from satchel.domain.view import View
from satchel.ports import Frequencies, Ledger, SearchableIndex, Tier
from satchel.recall.lanes import EarlyMatches
from satchel.recall.request import RecallQuestion
from satchel.recall.tiers import TierStep, narrow_view, plan_steps
from satchel.threads import run_in_background

# Maximum number of records that an answer names as not returned.
MAX_NAMED = 10
# A word in more records than this says little about which record was meant, and looking all of them up takes long.
MAX_HOLDING = 2_000


class Prefetch(Struct, frozen=True):
    """What the ledger knows about a question's words within a view."""

    frequencies: Frequencies
    tiers: frozenset[Tier]
    """The tiers that have records in reach."""
    steps: Sequence[TierStep]
    """The planned tier steps, in order."""
    held_out: Sequence[Memory]
    """Matching records that a rule of the view excludes."""
    early: EarlyMatches | None = None
    """The lexical matches for the first step; None if they were not looked up."""


def prefetch(
    question: RecallQuestion,
    view: View,
    ledger: Ledger,
    policy: RecallPolicy,
    *,
    match_words: bool = False,
    index: SearchableIndex | None = None,
) -> Prefetch:
    """Look up what does not need the question's vector; with `match_words`, also the lexical matches of the first step.

    These are looked up in the index, if one is given, else in the ledger.
    """
    present = ledger.memories.tiers(view.reach)
    steps = plan_steps(present, view, policy)
    early = (
        _match_early(question, narrow_view(view, steps[0], present), ledger, index) if match_words and steps else None
    )
    return replace(_look_up(question, view, ledger, present, steps), early=early)


def _match_early(question: RecallQuestion, view: View, ledger: Ledger, index: SearchableIndex | None) -> EarlyMatches:
    if index is not None:
        # Beside the lookups in the ledger and the search by meaning: nobody waits for it before both are done.
        later = run_in_background(lambda: index.match(question.terms, view, question.pool))
        return EarlyMatches("index", later.result)
    found = ledger.memories.match(question.terms, view, question.pool)
    return EarlyMatches("ledger", lambda: found)


def _look_up(
    question: RecallQuestion, view: View, ledger: Ledger, present: frozenset[Tier], steps: Sequence[TierStep]
) -> Prefetch:
    frequencies = ledger.memories.frequencies(question.terms)
    return Prefetch(
        frequencies=frequencies,
        tiers=present,
        steps=steps,
        # Labels that were not requested may be half of the store; only records that a rule excludes are named.
        held_out=ledger.memories.excluded(telling_terms(frequencies), replace(view, labels=()), MAX_NAMED),
    )


def telling_terms(frequencies: Frequencies) -> list[str]:
    """Return the terms that some records contain, but not many; if all are common, the rarest."""
    held = {term: count for term, count in frequencies.holding.items() if count}
    return [term for term, count in held.items() if count <= MAX_HOLDING] or sorted(held, key=held.__getitem__)[:1]
