"""Episodes, as a person sees them."""

from collections.abc import Callable

from satchel.domain.episode import (
    Episode,
    EpisodeHit,
    EpisodeList,
    EpisodesAdded,
    EpisodesEmbedded,
    EpisodesFound,
    EpisodeShown,
    EpisodesPruned,
    SessionList,
)
from satchel.domain.moment import iso
from satchel.interfaces.cli.views.lines import Lines, one_line
from satchel.interfaces.cli.views.memories import forgotten


def _added(result: EpisodesAdded) -> Lines:
    yield f"{result.added} turns kept", "green"
    notes = (
        (result.known, "were kept before"),
        (result.private, "asked not to be kept"),
        (result.shortened, "were too long, and kept in part"),
        (sum(result.masked.values()), "secrets were masked"),
        (result.waiting, "texts wait for a vector; words find them"),
    )
    for count, said in notes:
        if count:
            yield f"  {count} {said}", "dim"
    for one in result.refused:
        yield f"  turn {one.number} was not kept: {one.message}", "red"


def _found(result: EpisodesFound, explain: bool = False) -> Lines:
    if not result.hits:
        yield f"nothing found in scope {result.scope}", "dim"
    for hit in result.hits:
        for one in hit.before:
            yield f"      {_said(one, 120)}", "dim"
        yield f"{hit.rank:>3}. {_said(hit, 300)}", "bold"
        yield f"     {_where(hit)} · relevance {hit.relevance:.2f} · {hit.id}", "dim"
        if explain:
            parts = ", ".join(f"{part.name} {part.value:+.3f}" for part in hit.contributions)
            yield f"     score {hit.score:.3f}: {parts}", "dim"
        for one in hit.after:
            yield f"      {_said(one, 120)}", "dim"
    if result.vector_status not in ("used", "off"):
        yield f"by words only: {result.vector_status}", "yellow"


def _said(one: Episode | EpisodeHit, width: int) -> str:
    who = one.speaker or one.kind.rpartition(".")[2]
    return f"{who}: {one_line(one.text, width)}"


def _where(one: Episode | EpisodeHit) -> str:
    at = "" if one.at is None else f"{iso(one.at)[:16]} · "
    return f"{at}{one.session} · {one.trust} · {one.scope}"


def _list(result: EpisodeList) -> Lines:
    if not result.episodes:
        yield "no episodes", "dim"
    for one in result.episodes:
        yield _said(one, 160), ""
        yield f"  {_where(one)} · {one.id}", "dim"
    if result.next:
        yield f"more: --after {result.next}", "dim"


def _sessions(result: SessionList) -> Lines:
    if not result.sessions:
        yield "no sessions", "dim"
    for one in result.sessions:
        span = "" if one.last_at is None else f" · {iso(one.first_at or 0)[:10]} to {iso(one.last_at)[:10]}"
        yield f"{one.session} · {one.episodes} turns{span} · {one.scope}", ""
    if result.next:
        yield f"more: --after {result.next}", "dim"


def _shown(result: EpisodeShown) -> Lines:
    for one in result.before:
        yield _said(one, 160), "dim"
    yield f"{result.episode.speaker or result.episode.kind.rpartition('.')[2]}: {result.episode.text}", "bold"
    yield f"  {_where(result.episode)} · {result.episode.id}", "dim"
    for one in result.after:
        yield _said(one, 160), "dim"


def _embedded(result: EpisodesEmbedded) -> Lines:
    yield f"{result.made} vectors made, {result.waiting} texts wait", "green"
    for reason, count in result.skipped.items():
        yield f"  {count} got none: {reason}", "yellow"


def _pruned(result: EpisodesPruned) -> Lines:
    yield f"{result.dropped} turns {'would be' if result.dry_run else 'were'} dropped", "green"
    for kind, count in result.by_kind.items():
        yield f"  {count} of {kind}, kept {result.days.get(kind, 0)} days", "dim"


VIEWS: dict[str, Callable[..., Lines]] = {
    "episodes add": _added,
    "episodes search": _found,
    "episodes list": _list,
    "episodes sessions": _sessions,
    "episodes show": _shown,
    "episodes embed": _embedded,
    "episodes forget": forgotten,
    "episodes prune": _pruned,
}
