"""Views of memories."""

from satchel.domain.answers import Stored
from satchel.domain.canonical import Json
from satchel.domain.erasure import ErasureCheck, Forgotten
from satchel.domain.moment import iso
from satchel.domain.ranking import Hit
from satchel.interfaces.cli.views.lines import Lines, Views, attributes, count, one_line, scopes_named
from satchel.interfaces.cli.views.observations import observed
from satchel.interfaces.local_time import local_day, local_time
from satchel.interfaces.serialization import to_json
from satchel.memories.values import MemoryPage, MemoryShown
from satchel.observations.values import Observed
from satchel.recall.values import Recalled

MAX_NEAREST = 3


def _stored(result: Stored) -> Lines:
    if result.action == "duplicate":
        same = "with the same words" if result.likeness == "exact" else "with nearly the same words"
        yield f"already there, {same}: {result.id}", "yellow"
    else:
        yield f"stored {result.id}", "green"
    yield f"  {result.kind} · {result.label} · {result.trust} · scope {result.scope}", "dim"
    if result.replaced:
        yield f"  retired {result.replaced}", "dim"


def _recalled(result: Recalled, explain: bool = False) -> Lines:
    if result.as_of:
        yield f"as of #{result.as_of.seq}, {local_day(result.as_of.at)}", "dim"
    where = scopes_named(result.scope)
    if not result.hits and not result.cold.docs:
        yield f"nothing {'relevant' if result.nearest else 'found'} in {where}", "dim"
    for hit in result.hits:
        yield f"{hit.rank:>2}. {one_line(hit.memory.text)}", "bold"
        elsewhere = " · from a fallback scope" if hit.origin == "fallback" else ""
        yield f"    {attributes(hit.memory)} · relevance {hit.relevance:.2f}{elsewhere}", "dim"
        yield f"    {hit.memory.id}", "dim"
        if explain:
            yield f"      score {hit.score:.4f}", "cyan"
            yield from _contributions(hit)
    if result.cold.docs:
        yield "from documents:", "dim"
    for doc in result.cold.docs:
        yield f"  · {one_line(doc.text)}", "bold"
        yield f"    document · relevance {doc.relevance:.2f} · {doc.citation}", "dim"
    if result.nearest and not result.plausible:
        yield "nearest, but probably about something else:", "dim"
        for hit in result.nearest[:MAX_NEAREST]:
            yield f"  · {one_line(hit.memory.text)} · relevance {hit.relevance:.2f} · {hit.memory.id}", "dim"
    if explain:
        chosen = "" if result.scope == "*" else f" ({result.placement.mode})"
        yield f"searched {result.policy_tier} in {where}{chosen}", "dim"
        for out in result.held_out:
            yield f"excluded by rule '{out.rule}': {out.id}", "yellow"


def _contributions(hit: Hit) -> Lines:
    for part in hit.contributions:
        place = "" if part.rank is None else f" rank {part.rank}"
        sign = "-" if part.value < 0 else "+"
        yield f"      {sign} {abs(part.value):.4f}  {part.name}{place} (from {part.raw:.4g})", "cyan"


def _record(result: MemoryShown | Observed) -> Lines:
    return _found(result) if isinstance(result, MemoryShown) else observed(result)


def _found(result: MemoryShown) -> Lines:
    yield result.memory.text, "bold"
    yield attributes(result.memory), "dim"
    for name, value in dict(to_json(result.memory)).items():  # type: ignore[arg-type]
        if name != "text" and value not in (None, (), [], ""):
            yield f"  {name}: {_shown(name, value)}", ""
    if result.last_used_at is not None:
        yield f"  last_used_at: {local_time(result.last_used_at)}", ""
    for event in result.history:
        reason = f": {event.reason}" if event.reason else ""
        yield f"  {local_time(event.at)}  #{event.seq} {event.operation} by {event.actor}{reason}", "dim"


def _shown(name: str, value: Json) -> str:
    if isinstance(value, int) and name in ("valid_from", "valid_to"):
        # Dates as they were given, which are UTC.
        return iso(value)
    if isinstance(value, int) and name in ("created_at", "updated_at"):
        return local_time(value)
    return ", ".join(map(str, value)) if isinstance(value, (list, tuple)) else str(value)


def _listed(result: MemoryPage) -> Lines:
    for memory in result.memories:
        yield f"{memory.id}  {one_line(memory.text, 80)}", ""
        yield f"  {attributes(memory)}", "dim"
    if not result.memories:
        yield "no memories", "dim"
    if result.next:
        yield f"more: --after {result.next}", "dim"


def forgotten(result: Forgotten) -> Lines:
    """Yield what was erased, or the candidates."""
    if result.action == "candidates":
        for one in result.candidates:
            yield f"{one.id}  {one_line(one.text, 80)}", ""
        yield (
            "nothing was erased; 'satchel forget ID' erases one of them" if result.candidates else "no candidates",
            "dim",
        )
        return
    yield f"forgot {result.id}", "green"
    yield f"  erased from: {', '.join(result.erased_from)}", "dim"
    if result.pending:
        yield f"  not cleared yet, another process is using it: {', '.join(result.pending)}", "red"
    if result.versions:
        yield f"  with {count(len(result.versions), 'earlier version')}: {', '.join(result.versions)}", "dim"
    for id in result.earlier:
        yield f"  it had replaced {id}, which is kept: 'satchel forget {id} --with-versions' erases it", "yellow"
    if result.check:
        yield from erasure_check(result.check)


def erasure_check(check: ErasureCheck) -> Lines:
    """Yield whether the search through all files proves an erasure."""
    pieces, places = count(check.fragments, "piece"), searched_places(check)
    searched = f"{places} ({check.bytes:,} bytes) for {pieces} of the text"
    if not check.conclusive:
        yield f"  not proven: {check.note}", "yellow"
    elif check.found_after:
        yield f"  FOUND AGAIN in {', '.join(check.found_after)}: searched {searched}", "red"
    else:
        yield f"  proven: searched {searched}; found in {check.found_before} before, in none now", "green"
    if check.unseen:
        yield f"  {check.unseen}", "dim"


def searched_places(check: ErasureCheck) -> str:
    """Return how many files were searched, and tables of a store in a database."""
    tables = f" and {count(check.tables, 'table')}" if check.tables else ""
    return f"{count(check.files, 'file')}{tables}"


VIEWS: Views = {
    "store": _stored,
    "recall": _recalled,
    "get": _record,
    "list": _listed,
    "forget": forgotten,
}
