"""A recall request, checked and combined with the operator's policies."""

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.policies import Policies, ScopePolicy
from satchel.domain.record import Kind
from satchel.domain.scope import EVERYWHERE, Placement, Reach, ScopeMode, placed, scope_name
from satchel.domain.view import View
from satchel.recall.question import Question, ask


class Request(Struct, frozen=True):
    """A question, the scope it was asked in, what it may see, and the policies that apply."""

    question: Question
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
) -> Request:
    """Check the arguments of a recall. What is left out comes from the policies."""
    recall = policies.recall
    if min_relevance is not None:
        recall = replace(recall, min_relevance=min_relevance)
    if untrusted:
        recall = replace(recall, trust_gate=False)
    asked_scope = None if scope is None else scope_name(scope, policies.scope)
    question = ask(query, mode, recall.limit if limit is None else limit)
    placement = placed(asked_scope, question.said, policies.scope)
    view = View(reach_of(placement, policies.scope), now, kinds=kinds)
    return Request(question, placement, view, replace(policies, recall=recall), fallback)


def reach_of(placement: Placement, policy: ScopePolicy) -> Reach:
    """Return what a recall may see. With the scope policy off, a request that names no scope sees every scope."""
    isolated = policy.enabled or placement.mode is not ScopeMode.GLOBAL
    return Reach((placement.scope,)) if isolated else EVERYWHERE
