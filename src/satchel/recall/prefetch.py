"""Foresee: everything about a question that its words alone decide, so that it can be looked up while it is embedded."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import RecallPolicy
from satchel.domain.ranking import Candidate
from satchel.domain.record import Memory
from satchel.domain.view import View
from satchel.ports import Frequencies, Ledger, Tier
from satchel.recall import tiers
from satchel.recall.question import Question
from satchel.recall.tiers import Step

# How many of those that were not returned an answer names.
NAMED_OTHERS = 10


class Prefetched(Struct, frozen=True):
    """What the ledger says of a question's words within a view."""

    counted: Frequencies
    present: frozenset[Tier]
    """The tiers that the reach has."""
    planned: Sequence[Step]
    """The steps to take, in order."""
    kept_out: Sequence[Memory]
    """What matches and is kept out by a rule."""
    by_word: list[Candidate] | None = None
    """What the first step finds by word; None where another than the ledger is asked for it."""


def prefetch(question: Question, view: View, ledger: Ledger, policy: RecallPolicy, *, words: bool) -> Prefetched:
    """Look up what does not depend on meaning; the matches of the `words` too, where the ledger finds them."""
    present = ledger.memories.tiers(view.reach)
    planned = tiers.steps(present, view, policy)
    by_word = None
    if words and planned:
        by_word = ledger.memories.match(question.terms, tiers.narrowed(view, planned[0], present), question.pool)
    return Prefetched(
        counted=ledger.memories.frequencies(question.terms),
        present=present,
        planned=planned,
        # Importances that were not asked for are no secret, and may be half of the store: only what a rule keeps out is named.
        kept_out=ledger.memories.excluded(question.terms, replace(view, labels=()), NAMED_OTHERS),
        by_word=by_word,
    )
