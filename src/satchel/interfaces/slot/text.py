"""Tool answers as text for a model.

Texts of records are in quotes on one line, so that they cannot be mistaken for lines of ours.
"""

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from satchel.domain.answers import Stored
from satchel.domain.episode import Episode, EpisodeHit, EpisodesFound
from satchel.domain.erasure import Forgotten
from satchel.domain.escape import INVISIBLE
from satchel.domain.history import RecordEvent
from satchel.domain.imports import Imported
from satchel.domain.moment import iso
from satchel.domain.record import Memory
from satchel.maintenance.values import Stats
from satchel.memories.values import Exported, MemoryPage, MemoryShown
from satchel.observations.values import FoundObservations, ObservationLine, Observed, Timeline
from satchel.packing.values import ContextPack, Meta
from satchel.recall.values import Recalled

MAX_CHARS = 20_000
MAX_NEAREST = 3
MAX_EVENTS = 5
# JSON itself leaves bidi controls, zero-width characters and further line separators as they are.
_INVISIBLE = re.compile(f"[{INVISIBLE}]")


def lines_of_store(stored: Stored) -> Iterator[str]:
    """Yield what was stored."""
    standing = f"{stored.kind}, {stored.label}, {stored.trust}"
    if stored.action == "duplicate":
        yield f"already there as {stored.id} in scope {stored.scope}: {standing}; nothing was written"
        return
    yield f"created {stored.id} in scope {stored.scope}: {standing}"
    if stored.replaced:
        yield f"retired {stored.replaced}"


def lines_of_recall(recalled: Recalled) -> Iterator[str]:
    """Yield the memories and documents that answer."""
    if not recalled.hits and not recalled.cold.docs:
        yield f"nothing {'relevant' if recalled.nearest else 'found'} in scope {recalled.scope}"
    earlier = recalled.earlier or {}
    for hit in recalled.hits:
        mark = f"earlier, changed by {earlier[hit.memory.id]}: " if hit.memory.id in earlier else ""
        yield f"{hit.rank}. {mark}{line_of_memory(hit.memory)} relevance {hit.relevance:.2f}, {_source(hit.memory)}"
    for doc in recalled.cold.docs:
        yield f"document {doc.citation} {quoted(doc.text)} relevance {doc.relevance:.2f}"
    for hit in () if recalled.plausible else recalled.nearest[:MAX_NEAREST]:
        yield f"nearest, probably about something else: {line_of_memory(hit.memory)} relevance {hit.relevance:.2f}"


def lines_of_forget(forgotten: Forgotten) -> Iterator[str]:
    """Yield what was erased, or the candidates."""
    if forgotten.action == "deleted":
        yield f"forgotten {forgotten.id}"
        if forgotten.versions:
            yield f"and its earlier versions: {', '.join(forgotten.versions)}"
        if forgotten.earlier:
            yield f"it had replaced these, which are kept: {', '.join(forgotten.earlier)}"
        if forgotten.pending:
            yield f"still to be cleared: {', '.join(forgotten.pending)}"
        return
    for one in forgotten.candidates:
        yield f"{one.id} {quoted(one.text)}"
    yield "nothing was erased; call again with the id of one of them" if forgotten.candidates else "no candidates"


def lines_of_list(listed: MemoryPage) -> Iterator[str]:
    """List memories."""
    yield from map(line_of_memory, listed.memories)
    if not listed.memories:
        yield "no memories"
    if listed.next:
        yield f"more: after={listed.next}"


def lines_of_stats(stats: Stats) -> Iterator[str]:
    """Count memories."""
    tally = stats.tally
    kinds = ", ".join(f"{kind} {count}" for kind, count in tally.by_kind.items())
    yield f"{tally.memories} memories in scope {stats.scope}" + (f": {kinds}" if kinds else "")


def lines_of_export(exported: Exported) -> Iterator[str]:
    """Yield what was exported."""
    yield f"wrote {exported.count} of {exported.matched} memories to {quoted(exported.path)}"


def lines_of_import(imported: Imported) -> Iterator[str]:
    """Yield the numbers of an import."""
    done = "would be imported" if imported.dry_run else "imported"
    yield f"{imported.imported} of {imported.parsed} memories {done}, {imported.skipped} skipped, {imported.failed} failed"


def lines_of_search(searched: FoundObservations) -> Iterator[str]:
    """Yield the observations found, one per line."""
    if not searched.hits:
        yield f"nothing found in scope {searched.scope}"
    for hit in searched.hits:
        yield f"{hit.rank}. {hit.id} ({hit.kind}, {hit.label}, {hit.trust}) {quoted(hit.summary)}"


def lines_of_episodes(found: EpisodesFound) -> Iterator[str]:
    """Yield the episodes found, one turn per line, in quotes."""
    if not found.hits:
        yield f"nothing found in scope {found.scope}"
    for hit in found.hits:
        turns: tuple[Episode | EpisodeHit, ...] = (*hit.before, hit, *hit.after)
        for one in turns:
            mark = f"{hit.rank}. " if one is hit else "   "
            at = "" if one.at is None else f", {iso(one.at)[:10]}"
            who = one.speaker or one.kind.rpartition(".")[2]
            yield f"{mark}{one.id} ({quoted(who)}{at}, {one.trust}) {quoted(one.text)}"


def lines_of_timeline(timeline: Timeline) -> Iterator[str]:
    """Yield the observations around a record."""
    yield from map(_line_of_sight, timeline.before)
    yield f"here: {_line_of_sight(timeline.here)}" if timeline.here else f"here: {timeline.around}"
    yield from map(_line_of_sight, timeline.after)


def _line_of_sight(one: ObservationLine) -> str:
    return f"{one.id} ({one.tool_name or one.kind}, {one.label}, {one.trust}) {quoted(one.summary)}"


def lines_of_record(found: MemoryShown | Observed) -> Iterator[str]:
    """Yield one memory or observation in full, with the newest part of its history."""
    yield from _lines_of_memory(found.memory) if isinstance(found, MemoryShown) else _lines_of_observation(found)
    if found.last_used_at:
        yield f"last used {iso(found.last_used_at)[:10]}"
    if len(found.history) > MAX_EVENTS:
        yield f"{len(found.history) - MAX_EVENTS} earlier changes"
    yield from (_line_of_event(event) for event in found.history[-MAX_EVENTS:])


def _lines_of_memory(memory: Memory) -> Iterator[str]:
    yield line_of_memory(memory)
    title = f", title {quoted(memory.title)}" if memory.title else ""
    yield f"scope {memory.scope}, {_source(memory)}, {iso(memory.created_at)[:10]}{title}"
    if memory.media_refs:
        yield f"media {', '.join(map(quoted, memory.media_refs))}"
    if memory.replaced_by:
        yield f"replaced by {memory.replaced_by}"


def _lines_of_observation(observed: Observed) -> Iterator[str]:
    one = observed.observation
    yield f"{one.id} ({one.kind}, {one.label}, {one.trust}) {quoted(one.text or one.summary)}"
    if one.detail:
        yield f"detail {quoted(one.detail)}"
    if one.payload:
        yield f"{one.payload_bytes} bytes were put aside; this is their beginning"


def _line_of_event(event: RecordEvent) -> str:
    reason = f": {quoted(event.reason)}" if event.reason else ""
    return f"#{event.seq} {event.operation} by {event.actor}, {iso(event.at)[:10]}{reason}"


def text_of_pack(pack: ContextPack, warnings: Sequence[str]) -> str:
    """Return the bundle itself, warnings first. It is never cut: it has a budget of its own."""
    bundle = pack.bundle_text or _empty_pack(pack.meta)
    return "\n".join([*(f"⚠️ {warning}" for warning in warnings), bundle])


def _empty_pack(meta: Meta) -> str:
    if found := meta.get("overBudget", 0):
        return f"found {found} in scope {meta['scope']}, but none fits into {meta['budgetTokens']} tokens"
    return f"nothing to pack in scope {meta['scope']}"


def text_of(lines: Iterable[str], warnings: Sequence[str]) -> str:
    """Return the text of an answer, warnings first, cut at MAX_CHARS."""
    text = "\n".join([*(f"⚠️ {warning}" for warning in warnings), *lines])
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}…\n(cut here; ask for less at a time)"


def _source(memory: Memory) -> str:
    ref = f" {quoted(memory.source_ref)}" if memory.source_ref else ""
    language = f", language {quoted(memory.language)}" if memory.language else ""
    return f"from {memory.source_kind}{ref}{language}"


def line_of_memory(memory: Memory) -> str:
    """Return a memory on one line."""
    state = "" if memory.state == "active" else f", {memory.state}"
    return f"{memory.id} ({memory.kind}, {memory.label}, {memory.trust}{state}) {quoted(memory.text)}"


def quoted(value: object) -> str:
    """Return a value as JSON on one line, with invisible characters as escapes."""
    return _INVISIBLE.sub(lambda found: json.dumps(found.group())[1:-1], json.dumps(value, ensure_ascii=False))
