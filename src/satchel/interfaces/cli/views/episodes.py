"""Views of episodes."""

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
from satchel.interfaces.cli.views.lines import Lines, Views, count, one_line, scopes_named
from satchel.interfaces.cli.views.memories import forgotten
from satchel.interfaces.local_time import local_day, local_time


def _added(result: EpisodesAdded) -> Lines:
    yield f"{count(result.added, 'turn')} added", "green"
    notes = (
        (result.known, "already there"),
        (result.private, "opted out"),
        (result.shortened, "shortened"),
        (sum(result.masked.values()), "secrets masked"),
        (result.waiting, "without a vector yet: found by words only"),
    )
    for number, note in notes:
        if number:
            yield f"  {number} {note}", "dim"
    for one in result.refused:
        yield f"  turn {one.number} was rejected: {one.message}", "red"


def _found(result: EpisodesFound, explain: bool = False) -> Lines:
    if not result.hits:
        yield f"nothing found in {scopes_named(result.scope)}", "dim"
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
        yield f"searched by words only: {result.vector_status}", "yellow"


def _said(one: Episode | EpisodeHit, width: int) -> str:
    who = one.speaker or one.kind.rpartition(".")[2]
    return f"{who}: {one_line(one.text, width)}"


def _where(one: Episode | EpisodeHit) -> str:
    at = "" if one.at is None else f"{local_time(one.at)[:16]} · "
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
        span = "" if one.last_at is None else f" · {local_day(one.first_at or 0)} to {local_day(one.last_at)}"
        yield f"{one.session} · {count(one.episodes, 'turn')}{span} · {one.scope}", ""
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
    yield f"{count(result.made, 'vector')} made, {count(result.waiting, 'text')} waiting", "green"
    for reason, number in result.skipped.items():
        yield f"  {number} skipped: {reason}", "yellow"


def _pruned(result: EpisodesPruned) -> Lines:
    yield f"{count(result.dropped, 'turn')} {'would be ' if result.dry_run else ''}dropped", "green"
    for kind, number in result.by_kind.items():
        yield f"  {number} {kind}, kept for {result.days.get(kind, 0)} days", "dim"


VIEWS: Views = {
    "episodes add": _added,
    "episodes search": _found,
    "episodes list": _list,
    "episodes sessions": _sessions,
    "episodes show": _shown,
    "episodes embed": _embedded,
    "episodes forget": forgotten,
    "episodes prune": _pruned,
}
