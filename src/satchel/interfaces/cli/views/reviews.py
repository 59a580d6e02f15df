"""Views of reviews."""

from satchel.domain.record import Trust
from satchel.interfaces.cli.views.lines import Lines, Views, count, one_line
from satchel.interfaces.local_time import local_day
from satchel.memories.values import Confirmed, ReviewItem, ReviewPage

QUARANTINED = "quarantined: these reach no prompt unless you confirm them with --quarantined"


def review_counts(result: ReviewPage) -> str:
    """Return how much there is to review."""
    waiting = f"{count(result.untrusted, 'memory')} to review"
    return f"{waiting}, and {result.quarantined:,} quarantined" if result.quarantined else waiting


def item_facts(item: ReviewItem) -> Lines:
    """Yield the facts of a record: what it is, where it came from, when it was used."""
    state = "" if item.state == "active" else f" · {item.state}"
    yield f"{item.kind} · {item.label} · {item.trust}{state} · {item.scope} · {local_day(item.created_at)}", "dim"
    ref = f" {one_line(item.source_ref, 80)}" if item.source_ref else ""
    session = f" · session {one_line(item.session, 40)}" if item.session else ""
    used = f"last used {local_day(item.used_at)}" if item.used_at else "not used yet"
    yield f"from {item.source_kind}{ref}{session} · {used}", "dim"


def _reviewed(result: ReviewPage) -> Lines:
    yield review_counts(result) if result.items else "nothing to review", "dim"
    quarantined = False
    for item in result.items:
        if item.trust is Trust.QUARANTINED and not quarantined:
            quarantined = True
            yield QUARANTINED, "red"
        mark = "⚠️  " if item.trust is Trust.QUARANTINED else ""
        yield f"{mark}{item.id}  {one_line(item.text, 80)}", "red" if mark else ""
        yield from ((f"  {line}", style) for line, style in item_facts(item))
    if result.items:
        yield "'satchel confirm ID…' makes them trusted", "dim"
    if result.next:
        yield f"more: --after {result.next}", "dim"


def confirmed(result: Confirmed) -> Lines:
    """Yield what is trusted now."""
    for one in result.confirmed:
        yield f"confirmed {one.id}", "green"
        yield f"  {one.was} before · scope {one.scope}", "dim"
    for id in result.already_trusted:
        yield f"already trusted: {id}", "yellow"


VIEWS: Views = {"review": _reviewed, "confirm": confirmed}
