"""Recall: try a question by words, by meaning and by both, and see why each memory is in the answer or not."""

from collections.abc import Collection, Sequence

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.history import Point, TagList
from satchel.domain.ranking import Hit
from satchel.domain.record import Memory
from satchel.errors import NotFound
from satchel.explaining.meanings import RULES
from satchel.interfaces.inspector.pages.parameters import largest_scope, memories_by_scope
from satchel.interfaces.inspector.visit import Page, Visit
from satchel.memories.values import ReviewPage
from satchel.recall.request import Mode
from satchel.recall.values import Recalled

LIMIT = 5
SHOWN_EXCLUDED = 20
# The choice of every scope; no scope has this name.
EVERY_SCOPE = "*"
LIMITS = ("3", "5", "10", "20")
_TITLES = {Mode.LEXICAL: "Words", Mode.VECTOR: "Meaning", Mode.HYBRID: "Both"}
_PARTS = {Mode.LEXICAL.value: "words", Mode.VECTOR.value: "meaning"}
"""What the page calls the contribution of a mode; the other contributions have names for people already."""


class Contribution(Struct, frozen=True):
    """One part of a hit's score, as a bar."""

    name: str
    value: float
    width: float
    """From 0 to 100, relative to the largest contribution of the column."""
    rank: int | None
    raw: float


class RecallHit(Struct, frozen=True):
    """One memory of an answer."""

    rank: int
    memory: Memory
    score: float
    relevance: float
    parts: tuple[Contribution, ...]


class Excluded(Struct, frozen=True):
    """A memory that a rule kept out."""

    id: str
    rule: str
    meaning: str
    text: str = ""
    """Its text, unless it was forgotten since."""


class RecallColumn(Struct, frozen=True):
    """The answer of one mode."""

    title: str
    hits: tuple[RecallHit, ...]
    nearest: tuple[Hit, ...]
    excluded: tuple[Excluded, ...]
    more_excluded: int
    """How many more there are."""
    relevance: float
    duration_ms: float
    warnings: tuple[str, ...]


class RecallView(Struct, frozen=True):
    """What the playground shows."""

    q: str
    scope: str
    limit: str
    as_of: str
    untrusted: bool
    scopes: tuple[str, ...]
    limits: tuple[str, ...]
    last: int
    """The sequence number of the newest change."""
    tags: TagList
    point: Point | None = None
    columns: tuple[RecallColumn, ...] = ()

    @property
    def everywhere(self) -> bool:
        """Whether every scope is searched."""
        return self.scope == EVERY_SCOPE


async def show(visit: Visit) -> Page:
    """Show the form, and the answers if there is a question."""
    query = visit.query
    by_scope = await memories_by_scope(visit)
    tags: TagList = (await visit.ask("tag list")).result
    view = RecallView(
        q=query.get("q", ""),
        scope=query.get("scope", largest_scope(by_scope)),
        limit=query.get("limit", str(LIMIT)),
        as_of=query.get("as_of", ""),
        untrusted="untrusted" in query,
        scopes=tuple(by_scope),
        limits=LIMITS,
        last=tags.seq,
        tags=tags,
    )
    return Page("recall.html", await _answered(visit, view) if view.q else view)


async def _answered(visit: Visit, view: RecallView) -> RecallView:
    columns, point = [], None
    for mode in (Mode.HYBRID, Mode.LEXICAL, Mode.VECTOR):
        answer = await visit.ask(
            "recall",
            query=view.q,
            scope=None if view.everywhere else view.scope or None,
            all_scopes=view.everywhere,
            limit=int(view.limit) if view.limit in LIMITS else LIMIT,
            mode=mode.value,
            untrusted=view.untrusted,
            as_of=view.as_of or None,
            keep=False,
        )
        found: Recalled = answer.result
        columns.append(_column(mode, found, answer.receipt.duration_ms, answer.receipt.warnings))
        point = found.as_of
    texts = await _texts(visit, {one.id for column in columns for one in column.excluded})
    with_texts = (
        replace(column, excluded=tuple(replace(one, text=texts.get(one.id, "")) for one in column.excluded))
        for column in columns
    )
    return replace(view, columns=tuple(with_texts), point=point)


async def _texts(visit: Visit, ids: Collection[str]) -> dict[str, str]:
    if not ids:
        return {}
    try:
        found: ReviewPage = (await visit.ask("review", ids=sorted(ids), all_scopes=True)).result
    except NotFound:
        # At an earlier point there were records that are forgotten now.
        return {}
    return {one.id: one.text for one in found.items}


def _column(mode: Mode, found: Recalled, duration_ms: float, warnings: Sequence[str]) -> RecallColumn:
    longest = max((abs(part.value) for hit in found.hits for part in hit.contributions), default=0) or 1
    return RecallColumn(
        title=_TITLES[mode],
        hits=tuple(_hit(hit, longest) for hit in found.hits),
        nearest=found.nearest,
        excluded=tuple(
            Excluded(one.id, one.rule, RULES.get(one.rule, one.rule)) for one in found.held_out[:SHOWN_EXCLUDED]
        ),
        more_excluded=max(0, len(found.held_out) - SHOWN_EXCLUDED),
        relevance=found.relevance,
        duration_ms=duration_ms,
        warnings=tuple(warnings),
    )


def _hit(hit: Hit, longest: float) -> RecallHit:
    parts = (
        Contribution(_PARTS.get(one.name, one.name), one.value, 100 * abs(one.value) / longest, one.rank, one.raw)
        for one in hit.contributions
    )
    return RecallHit(hit.rank, hit.memory, hit.score, hit.relevance, tuple(parts))
