"""Build a recall request from its arguments and the operator's policies."""

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import Policies, ScopePolicy
from satchel.domain.record import Kind
from satchel.domain.scope import EVERYWHERE, Placement, Reach, ScopeMode, check_scope, resolve_scope
from satchel.domain.view import View
from satchel.recall.question import RecallQuestion, parse_question


class RecallRequest(Struct, frozen=True):
    """A question with its scope, its view and the policies that apply."""

    question: RecallQuestion
    placement: Placement
    view: View
    policies: Policies
    fallback: bool = True
    """Whether fallback scopes may be consulted."""


def build_request(
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
    fallback: bool = True,
) -> RecallRequest:
    """Validate the arguments of a recall; omitted ones come from the policies."""
    recall = policies.recall
    if min_relevance is not None:
        recall = replace(recall, min_relevance=min_relevance)
    if untrusted:
        recall = replace(recall, trust_gate=False)
    explicit = None if scope is None else check_scope(scope, policies.scope)
    question = parse_question(query, mode, recall.limit if limit is None else limit)
    placement = resolve_scope(explicit, question.said, policies.scope)
    view = View(recall_reach(placement, policies.scope), now, kinds=kinds)
    return RecallRequest(question, placement, view, replace(policies, recall=recall), fallback)


def recall_reach(placement: Placement, policy: ScopePolicy) -> Reach:
    """Return the scopes a recall may see. With the scope policy off, a request without a scope sees all of them."""
    isolated = policy.enabled or placement.mode is not ScopeMode.GLOBAL
    return Reach((placement.scope,)) if isolated else EVERYWHERE
