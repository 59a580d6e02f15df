"""A ContextPack: a small, cited bundle for one request; and what lanes offer for it."""

from collections.abc import Mapping
from enum import StrEnum
from typing import TypedDict

from msgspec import Struct, field

from satchel.domain.canonical import Json

SCHEMA = "openclaw-mem.context-pack.v1"
TRACE = "openclaw-mem.pack.trace.v1"


class Layer(StrEnum):
    """How much of a record is told: what it is in one line, what it says in short, or the record itself."""

    ABSTRACT = "L0"
    OVERVIEW = "L1"
    DETAIL = "L2"


class Source(StrEnum):
    """Where an offer comes from. The first are what is held to be so; the others are evidence, as it was said or written."""

    TAIL = "tail"
    MEMORIES = "memories"
    FACTS = "facts"
    GRAPH = "graph"
    CONVERSATIONS = "conversations"
    EPISODES = "episodes"
    DOCUMENTS = "documents"


STATE = (Source.MEMORIES, Source.FACTS, Source.GRAPH, Source.CONVERSATIONS)
EVIDENCE = (Source.EPISODES, Source.DOCUMENTS)


class Offer(Struct, frozen=True):
    """One record that a lane offers for a pack."""

    ref: str
    """What a bundle cites it by."""
    id: str
    source: Source
    type: str
    """memory, plan, recent_turn, temporal_fact, relation, decision, episode or document."""
    text: str
    relevance: float
    """From 0 to 1, and comparable between lanes."""
    head: str = ""
    """What stands before its text: its kind, who said it, its heading."""
    kind: str = ""
    label: str = "unknown"
    trust: str = "trusted"
    at: int | None = None
    """When it was said, where that is to be told."""
    url: str | None = None
    scores: Mapping[str, float | None] = field(default_factory=dict)
    """The lanes' own scores: rrf (or whatever fused them), fts, semantic."""
    rests_on: tuple[str, ...] = ()
    """Ids of the records whose signal it carries: they need not be told beside it."""
    dissent: bool = False
    """Whether it contradicts another record that was offered."""
    named: bool = False
    """Whether the question names who said it."""
    rank: int = 0
    """Its place in its lane."""
    worth: float = 0.0
    """What it is compared with other lanes' offers by: its relevance, or that of one its lane holds to be worse."""


class Retriever(Struct, frozen=True):
    """One way of searching within a lane: how many it was asked for, and how many it gave."""

    kind: str
    top_k: int
    k: int


class LaneReport(Struct, frozen=True):
    """What became of asking one lane."""

    name: str
    """hot, warm or cold."""
    source: Source
    searched: bool
    found: int = 0
    problem: str = ""
    """Why it was not searched, or what kept it from answering."""
    retrievers: tuple[Retriever, ...] = ()


class Decision(Struct, frozen=True):
    """What was decided about one offer, and by which rules."""

    offer: Offer
    included: bool
    reasons: tuple[str, ...]
    rationale: tuple[str, ...]
    layer: Layer = Layer.OVERVIEW
    text: str = ""
    """What the bundle says of it; empty when it is not in."""
    nice_cap_hit: bool = False
    l2_cap_hit: bool = False


class Citations(TypedDict):
    """Where an item can be looked up."""

    url: str | None
    recordRef: str


class Item(TypedDict):
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
    """When it was said, where that is known."""
    relevance: float
    dissent: bool


class Meta(TypedDict):
    """What a ContextPack was asked for."""

    ts: str
    query: str
    scope: str
    budgetTokens: int
    maxItems: int
    tokens: int


class Notes(TypedDict):
    """How to read a ContextPack."""

    how_to_use: list[str]


class ContextPack(Struct, frozen=True):
    """The bundle to inject, and the same item by item, in the shape that the specification fixes."""

    schema: str
    meta: Meta
    bundle_text: str
    items: tuple[Item, ...]
    notes: Notes
    trace: Mapping[str, Json] | None = None
    """How it came about, where that was asked for."""


class Packed(Struct, frozen=True):
    """A pack in the making: the bundle, its items in the order of the bundle, and everything that was considered."""

    query: str
    scope: str
    at: int
    budget_tokens: int
    max_items: int
    max_l2_items: int
    nice_cap: int
    bundle_text: str
    bundle_tokens: int
    decisions: tuple[Decision, ...]
    """Those that are in stand first, in the order of the bundle; the others in the order in which they were looked at."""
    lanes: tuple[LaneReport, ...]
    refreshed: tuple[str, ...]
    """What counts as used by this pack."""
    stages: Mapping[str, float]
    """How long each stage took, in milliseconds: each lane, and choosing."""

    @property
    def items(self) -> tuple[Decision, ...]:
        """What the bundle holds."""
        return tuple(one for one in self.decisions if one.included)
