"""Explanations: why an answer was what it was, and why a record was not in it."""

from collections.abc import Mapping

from msgspec import Struct, field

from satchel.domain.canonical import Json


class Section(Struct, frozen=True):
    """A part of an explanation: what it is about, and a few sentences."""

    title: str
    lines: tuple[str, ...]


class Mention(Struct, frozen=True):
    """One record that a receipt names, and what became of it."""

    id: str
    """Empty where whoever asks may not know of it."""
    words: str
    """How it begins, where whoever asks may see that."""
    rule: str
    """The rule that decided."""
    meaning: str
    """The rule in words."""
    reasons: tuple[str, ...] = ()
    """What it was decided from: named contributions, relevance, tier."""


class Warned(Struct, frozen=True):
    """One warning of a receipt, and what it means."""

    code: str
    said: str
    meaning: str


class Why(Struct, frozen=True):
    """A receipt in words."""

    receipt: str
    operation: str
    at: int
    duration_ms: float
    scope: str | None
    """The scope it worked in; None for what concerns the store as a whole."""
    sections: tuple[Section, ...]
    included: tuple[Mention, ...] = ()
    left_out: tuple[Mention, ...] = ()
    warnings: tuple[Warned, ...] = ()


class LaneFinding(Struct, frozen=True):
    """What one lane made of a record."""

    lane: str
    ran: bool
    """Whether the lane was asked at all."""
    brought: bool
    """Whether it brought the record along."""
    rank: int | None = None
    """The record's place in the lane, as far as anybody looked."""
    of: int = 0
    """How many the lane has, as far as anybody looked."""
    pool: int = 0
    """How many of them it brings along."""
    score: float | None = None
    """What the lane gives the record: its match by word, or its cosine."""
    problem: str = ""
    """Why it could not find the record, where it is not the record's rank."""


class Whereabouts(Struct, frozen=True):
    """How far a record came in a recall: facts only, taken from the recall itself."""

    returned: int | None
    """Its rank in the answer; None when it is not in it."""
    within: str
    """The scope that was searched and holds it; empty when none was."""
    fallback: str
    """Where it is in a fallback scope that was not searched: why not. Empty otherwise."""
    held_out_by: str | None
    """The rule of the view that keeps it out."""
    gate: str
    """Why its tier was not searched: trust_gate or tier; empty when it was."""
    lanes: tuple[LaneFinding, ...]
    terms: tuple[str, ...]
    """What the question asks for."""
    held: tuple[str, ...]
    """Those of the terms that the record holds."""
    stands_in: bool = False
    """Whether that scope is a fallback scope."""
    plausible: bool = True
    """Whether it is relevant enough to stand in."""
    stray: bool = False
    """Whether the index has it otherwise than the ledger."""
    rank: int | None = None
    """Its rank among all candidates."""
    ranked: int = 0
    """How many candidates there were."""
    place: int | None = None
    """Its rank among those that are relevant enough."""
    relevance: float | None = None
    parts: Mapping[str, float] = field(default_factory=dict)
    """The contributions to its score, by name."""


class Step(Struct, frozen=True):
    """One stage that a record passes on its way into an answer, or does not."""

    stage: str
    passed: bool | None
    """None where it did not come so far, or the stage does not apply."""
    rule: str
    message: str


class Remedy(Struct, frozen=True):
    """A change that would bring a record into an answer."""

    change: str
    options: Mapping[str, Json] = field(default_factory=dict)
    """What to ask for otherwise; empty where the store has to change, not the question."""
    command: str = ""
    tried: bool = False
    """Whether it was tried on this very store, and brings the record in."""


class WhyNot(Struct, frozen=True):
    """Why a record is not in the answer to a question, or that it is."""

    expect: str
    record: str
    """What it is: memory, observation, …; unknown where there is none for whoever asks."""
    words: str
    """How it begins, where whoever asks may see that."""
    scope: str
    """The scope that was asked."""
    mode: str
    limit: int
    returned: bool
    rule: str
    """The rule that stopped it; "returned" when none did."""
    message: str
    steps: tuple[Step, ...]
    lanes: tuple[LaneFinding, ...]
    remedies: tuple[Remedy, ...]
