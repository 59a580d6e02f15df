"""The ContextPack, a small cited bundle for one request, and the offers it is chosen from."""

from collections.abc import Mapping
from enum import StrEnum
from typing import NotRequired, TypedDict

from msgspec import Struct, field

from satchel.domain.canonical import Json
from satchel.recall.relevance import likelihood

SCHEMA = "openclaw-mem.context-pack.v1"
TRACE = "openclaw-mem.pack.trace.v1"


class Layer(StrEnum):
    """How much of a record is shown: one line, an overview, or the full text."""

    ABSTRACT = "L0"
    OVERVIEW = "L1"
    DETAIL = "L2"


class OfferSource(StrEnum):
    """The lane an offer comes from: knowledge (STATE), or evidence as it was said or written."""

    TAIL = "tail"
    MEMORIES = "memories"
    FACTS = "facts"
    GRAPH = "graph"
    CONVERSATIONS = "conversations"
    EPISODES = "episodes"
    OBSERVATIONS = "observations"
    DOCUMENTS = "documents"


STATE = (OfferSource.MEMORIES, OfferSource.FACTS, OfferSource.GRAPH, OfferSource.CONVERSATIONS)
EVIDENCE = (OfferSource.EPISODES, OfferSource.OBSERVATIONS, OfferSource.DOCUMENTS)


class Offer(Struct, frozen=True):
    """A record that a lane offers for a pack."""

    ref: str
    """The citation in the bundle."""
    id: str
    source: OfferSource
    type: str
    """memory, plan, recent_turn, temporal_fact, relation, decision, episode, observation or document."""
    text: str
    relevance: float
    """From 0 to 1, comparable between lanes."""
    head: str = ""
    """Text before the content: kind, speaker or heading."""
    kind: str = ""
    label: str = "unknown"
    trust: str = "trusted"
    at: int | None = None
    """When it was said, if known."""
    url: str | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """Scores of the lane: rrf (or another fusion), fts, semantic."""
    rests_on: tuple[str, ...] = ()
    """Ids of the records it summarizes, which need not be included too."""
    dissent: bool = False
    """Whether it contradicts another offered record."""
    replaced_by: str = ""
    """Id of a newer offered record that replaces it; it is not included then."""
    earlier_than: str = ""
    """Id of a newer offered record that contradicts it."""
    named: bool = False
    """Whether the query names its speaker."""
    says: str = ""
    """What makes it a duplicate of another offer, if its text does not tell."""
    rank: int = 0
    """Rank in its lane."""
    worth: float = 0.0
    """Sort value across lanes: its own relevance, or that of a lower-ranked offer of its lane if higher."""
    session: str = ""
    """The session of a turn."""
    position: int = 0
    """Its position there."""
    rated: bool = True
    """Whether its relevance considers everything; false if only words were compared."""

    @property
    def likelihood(self) -> float:
        """How likely it is about the query, considering what was compared."""
        return likelihood(self.relevance, rated=self.rated)


class Retriever(Struct, frozen=True):
    """One search within a lane: how many results were requested and found."""

    kind: str
    top_k: int
    k: int


class LaneReport(Struct, frozen=True):
    """The result of searching one lane."""

    name: str
    """hot, warm or cold."""
    source: OfferSource
    searched: bool
    found: int = 0
    problem: str = ""
    """Why it was not searched, or what failed."""
    retrievers: tuple[Retriever, ...] = ()


class PackDecision(Struct, frozen=True):
    """The decision about one offer, with its rules."""

    offer: Offer
    included: bool
    reasons: tuple[str, ...]
    rationale: tuple[str, ...]
    layer: Layer = Layer.OVERVIEW
    text: str = ""
    """The text in the bundle; empty if not included."""
    nice_cap_hit: bool = False
    l2_cap_hit: bool = False


class Citations(TypedDict):
    """How to look up an item."""

    url: str | None
    recordRef: str


class PackItem(TypedDict):
    """One item of a ContextPack."""

    recordRef: str
    layer: str
    type: str
    importance: str
    trust: str
    text: str
    citations: Citations
    id: str
    lane: str
    kind: str | None
    said: str | None
    """When it was said, if known."""
    relevance: float
    dissent: bool


class Meta(TypedDict):
    """The request of a ContextPack."""

    ts: str
    query: str
    scope: str
    budgetTokens: int
    maxItems: int
    tokens: int
    overBudget: NotRequired[int]
    """Number of items that were found, if the budget is too small for any of them."""


class Notes(TypedDict):
    """How to read a ContextPack."""

    how_to_use: list[str]


class ContextPack(Struct, frozen=True):
    """The bundle to inject, and its items, in the specified shape."""

    schema: str
    meta: Meta
    bundle_text: str
    items: tuple[PackItem, ...]
    notes: Notes
    trace: Mapping[str, Json] | None = None
    """How the pack was made, on request."""


_OVER_BUDGET = frozenset({"budget_tokens_exceeded", "tail_budget_tokens_exceeded"})


class Packed(Struct, frozen=True):
    """A pack before it is shaped: the bundle and every decision."""

    query: str
    scope: str
    at: int
    budget_tokens: int
    max_items: int
    max_l2_items: int
    nice_cap: int
    bundle_text: str
    bundle_tokens: int
    decisions: tuple[PackDecision, ...]
    """Included ones first, in bundle order; then the others in the order considered."""
    lanes: tuple[LaneReport, ...]
    refreshed: tuple[str, ...]
    """Records this pack counts as used."""
    stages: Mapping[str, float]
    """Duration of each lane and of choosing, in milliseconds."""

    @property
    def items(self) -> tuple[PackDecision, ...]:
        """The included decisions."""
        return tuple(one for one in self.decisions if one.included)

    @property
    def over_budget(self) -> int:
        """Number of records that were left out only because the budget is too small for them."""
        return sum(not _OVER_BUDGET.isdisjoint(one.reasons) for one in self.decisions if not one.included)
