"""A recall request: the question and its options, checked and combined with the operator's policies."""

from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.arguments import check_range, one_of
from satchel.domain.authored import remove_tags
from satchel.domain.policies import Policies, ScopePolicy
from satchel.domain.record import Kind
from satchel.domain.scope import EVERYWHERE, Placement, Reach, ScopeMode, resolve_scope
from satchel.domain.text import replace_undecodable
from satchel.domain.view import View
from satchel.domain.words import MAX_QUESTION_CHARS, question_terms
from satchel.errors import InvalidRequest

MAX_LIMIT = 50
# Each lane returns more candidates than the answer has hits, so that fusion has something to choose from.
POOL_FACTOR = 4
MIN_POOL = 20


class Mode(StrEnum):
    """Which lanes a recall searches."""

    HYBRID = "hybrid"
    LEXICAL = "lexical"
    VECTOR = "vector"


class RecallQuestion(Struct, frozen=True):
    """What to search for, and how."""

    text: str
    """The question without scope tags."""
    said: str
    """The question as given."""
    terms: tuple[str, ...]
    mode: Mode
    limit: int
    clamped: bool

    @property
    def pool(self) -> int:
        """Number of candidates per lane."""
        return max(MIN_POOL, self.limit * POOL_FACTOR)


def parse_question(text: str, mode: str, limit: int) -> RecallQuestion:
    """Validate a question about memories. Text over the limit is cut and marked as clamped."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidRequest("the query is empty", code="empty_query", hint="say what you are looking for")
    check_range(limit, "limit", 1, MAX_LIMIT, "such as 5")
    lanes = parse_mode(mode)
    said = replace_undecodable(text[:MAX_QUESTION_CHARS])
    untagged = remove_tags(said)
    # A question that consists of a tag only is searched as it is.
    searched = untagged if untagged.strip() else said
    return RecallQuestion(
        searched, said, question_terms(searched), lanes, limit, clamped=len(text) > MAX_QUESTION_CHARS
    )


def parse_evidence_question(text: str, mode: str, limit: int, max_limit: int) -> RecallQuestion:
    """Validate a question about evidence, which allows a higher limit than memories."""
    check_range(limit, "limit", 1, max_limit, "such as 10")
    return replace(parse_question(text, mode, 1), limit=limit)


def parse_mode(word: str) -> Mode:
    """Return the mode of this name, or raise InvalidRequest."""
    return one_of(Mode, word, "mode")


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
    media: str | None,
    min_relevance: float | None,
    untrusted: bool,
    policies: Policies,
    now: int,
    fallback: bool = True,
    strict_scope: bool = True,
) -> RecallRequest:
    """Validate the arguments of a recall; omitted ones come from the policies.

    Without `strict_scope`, an invalid scope name means the default scope instead of an error.
    """
    recall = policies.recall
    if min_relevance is not None:
        recall = replace(recall, min_relevance=min_relevance)
    if untrusted:
        recall = replace(recall, trust_gate=False)
    question = parse_question(query, mode, recall.limit if limit is None else limit)
    placement = resolve_scope(scope, question.said, policies.scope, strict=strict_scope)
    view = View(recall_reach(placement, policies.scope), now, kinds=kinds, media=media)
    return RecallRequest(question, placement, view, replace(policies, recall=recall), fallback)


def recall_reach(placement: Placement, policy: ScopePolicy) -> Reach:
    """Return the scopes a recall may see. With the scope policy off, a request without a scope sees all of them."""
    isolated = policy.enabled or placement.mode is not ScopeMode.GLOBAL
    return Reach((placement.scope,)) if isolated else EVERYWHERE
