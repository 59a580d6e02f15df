"""The request: everything a recall is told, checked and put together with the operator's policies."""

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import Policies
from satchel.domain.record import Kind
from satchel.domain.scope import Placement, placed, scope_name
from satchel.domain.view import View
from satchel.recall.question import Question, ask
from satchel.recall.with_fallback import reach_of


class Request(Struct, frozen=True):
    """A question, where it is asked, what it may see, and the policies that hold for it."""

    question: Question
    placement: Placement
    view: View
    policies: Policies


def request(
    query: str,
    *,
    scope: str | None,
    limit: int | None,
    mode: str,
    kinds: tuple[Kind, ...],
    min_relevance: float | None,
    untrusted: bool,
    policies: Policies,
    now: int,
) -> Request:
    """Check what a recall is told. What it does not say is as the policies have it."""
    recall = policies.recall
    if min_relevance is not None:
        recall = replace(recall, min_relevance=min_relevance)
    if untrusted:
        recall = replace(recall, trust_gate=False)
    asked_scope = None if scope is None else scope_name(scope, policies.scope)
    question = ask(query, mode, recall.limit if limit is None else limit)
    placement = placed(asked_scope, question.said, policies.scope)
    view = View(reach_of(placement, policies.scope), now, kinds=kinds)
    return Request(question, placement, view, replace(policies, recall=recall))
