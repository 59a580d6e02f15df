"""Transfer: memories out into a file and back in, counted on the way."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import nullcontext
from enum import StrEnum
from itertools import islice
from uuid import UUID, uuid5

from msgspec import Struct, field
from msgspec.structs import replace

from satchel.domain.answers import Imported, ImportFailure
from satchel.domain.canonical import Json, digest
from satchel.domain.policies import ScopePolicy
from satchel.domain.record import Memory, MemoryId
from satchel.domain.text import normalised
from satchel.domain.view import LIVE_STATES
from satchel.errors import InvalidRequest, Refused
from satchel.memories.exchange import Arrival, incoming, masked, outgoing
from satchel.memories.rows import Raw, parsed
from satchel.ports import Known, Memories, Saying

BATCH = 500
MAX_LISTED_FAILURES = 20
# Makes the id of a memory whose own is taken elsewhere: the same one each time, so that a second import finds it.
_NAMESPACE = UUID("5f0c8f6e-7d3a-5b1e-9c55-2a1d0e6b7c44")


class Format(StrEnum):
    """How rows stand in a file: one to a line, or as one list."""

    JSONL = "jsonl"
    JSON = "json"


class Dedupe(StrEnum):
    """What makes a row one that is there already: nothing, its id, or its id or text."""

    NONE = "none"
    ID = "id"
    ID_TEXT = "id_text"


def choice(words: type[StrEnum], text: str, name: str) -> str:
    """Return one of the words, or refuse what is none of them."""
    if text not in list(words):
        raise InvalidRequest(f"unknown {name} {text[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(words)}")
    return text


class Departures:
    """Memories as the pieces of a file. What was counted can be asked once the last piece is taken."""

    def __init__(self, format: str, redact: Callable[[str], tuple[str, Iterable[tuple[str, int]]]] | None) -> None:
        self._format = format
        self._redact = redact
        self.count = 0
        self.redacted: Counter[str] = Counter()

    def pieces(self, memories: Iterable[Memory]) -> Iterator[bytes]:
        """Yield the file piece by piece, holding no more than one memory."""
        listed = self._format == Format.JSON
        if listed:
            yield b"["
        for memory in memories:
            if listed:
                yield b",\n" if self.count else b"\n"
            self.count += 1
            yield self._row(memory).encode() + (b"" if listed else b"\n")
        if listed:
            yield b"\n]\n"

    def _row(self, memory: Memory) -> str:
        shown = masked(memory, self._mask) if self._redact else memory
        return json.dumps(outgoing(shown), ensure_ascii=False, separators=(",", ":"), allow_nan=False)

    def _mask(self, text: str) -> str:
        if self._redact is None:
            return text
        clean, found = self._redact(text)
        self.redacted.update(dict(found))
        return clean


class Terms(Struct, frozen=True):
    """On which terms rows are taken in."""

    dedupe: str
    dry_run: bool
    scope: str | None
    scope_policy: ScopePolicy
    limit: int | None
    now: int
    new_id: Callable[[], str]


class Arrivals(Struct):
    """What an import has come to so far."""

    parsed: int = 0
    imported: int = 0
    skipped: Counter[str] = field(default_factory=Counter)
    """Rows that were there already, by what they were recognised by."""
    failed: Counter[str] = field(default_factory=Counter)
    """Rows that could not be taken in, by reason."""
    failures: list[ImportFailure] = field(default_factory=list)
    renamed: int = 0
    lowered: int = 0
    misplaced: int = 0
    """Rows whose scope was no valid name, so that they were filed under the default one."""
    unknown_fields: int = 0
    batches: int = 0

    def fail(self, number: int, reason: str) -> None:
        """Count a row that could not be taken in, and list it while the list is short."""
        self.failed[reason] += 1
        if len(self.failures) < MAX_LISTED_FAILURES:
            self.failures.append(ImportFailure(number, reason))


def take_in(
    rows: Iterator[Raw], terms: Terms, memories: Memories, save: Callable[[Sequence[Memory], Arrivals], None]
) -> Arrivals:
    """Take rows in, a batch at a time; each batch is looked up and saved while no one else writes.

    A dry run does all of it but the saving, and so has to remember what it would have saved.
    """
    arrivals, seen = Arrivals(), _Seen()
    for batch in _batches(_admitted(rows, terms, arrivals)):
        arrivals.batches += 1
        with nullcontext() if terms.dry_run else memories.alone():
            new = _new_ones(batch, memories.known(*_questions(batch, terms)), seen, terms, arrivals)
            arrivals.imported += len(new)
            if new and not terms.dry_run:
                save(new, arrivals)
        if not terms.dry_run:
            seen = _Seen()
    return arrivals


def summary(source: str, format: str, terms: Terms, arrivals: Arrivals) -> Imported:
    """Return what an import came to."""
    failed = arrivals.failed.total()
    return Imported(
        source=source,
        format=format,
        dedupe=terms.dedupe,
        dry_run=terms.dry_run,
        parsed=arrivals.parsed,
        imported=arrivals.imported,
        skipped=arrivals.skipped.total(),
        failed=failed,
        failures=tuple(arrivals.failures),
        failures_unlisted=failed - len(arrivals.failures),
        skipped_by=dict(sorted(arrivals.skipped.items())),
        failed_by=dict(sorted(arrivals.failed.items())),
        renamed=arrivals.renamed,
        trust_lowered=arrivals.lowered,
        scopes_replaced=arrivals.misplaced,
        unknown_fields=arrivals.unknown_fields,
    )


def facts(imported: Imported) -> dict[str, Json]:
    """Return what a receipt says of an import."""
    return {
        "imported": imported.imported,
        "skipped": dict(imported.skipped_by),
        "failed": dict(imported.failed_by),
        "failures": [[one.index, one.reason] for one in imported.failures],
        "renamed": imported.renamed,
        "trust_lowered": imported.trust_lowered,
        "scopes_replaced": imported.scopes_replaced,
        "unknown_fields": imported.unknown_fields,
    }


def _admitted(rows: Iterator[Raw], terms: Terms, arrivals: Arrivals) -> Iterator[Arrival]:
    for raw in islice(rows, terms.limit):
        arrivals.parsed += 1
        if raw.problem:
            arrivals.fail(raw.number, raw.problem)
            continue
        try:
            arrival = incoming(parsed(raw.data), scope=terms.scope, policy=terms.scope_policy, now=terms.now)
        except (InvalidRequest, Refused) as error:
            arrivals.fail(raw.number, error.code)
            continue
        arrivals.unknown_fields += arrival.unknown_fields
        yield arrival


def _batches(arrivals: Iterator[Arrival]) -> Iterator[list[Arrival]]:
    while batch := list(islice(arrivals, BATCH)):
        yield batch


class _Seen(Struct):
    """What came before in this file and is not in the store yet."""

    ids: dict[MemoryId, str] = field(default_factory=dict)
    sayings: set[str] = field(default_factory=set)


def _questions(batch: Sequence[Arrival], terms: Terms) -> tuple[list[MemoryId], list[Saying]]:
    """Return what has to be known of the store to decide upon a batch."""
    wanted = [(one.wanted, one.memory.scope) for one in batch if one.wanted is not None]
    ids = [id for own, scope in wanted for id in (own, _elsewhere(own, scope))]
    sayings = [_saying(one.memory) for one in batch] if terms.dedupe == Dedupe.ID_TEXT else []
    return ids, sayings


def _new_ones(batch: Sequence[Arrival], known: Known, seen: _Seen, terms: Terms, arrivals: Arrivals) -> list[Memory]:
    """Decide which of a batch are new, and give each its id. Pure but for the counting."""
    new = []
    for arrival in batch:
        saying = _saying(arrival.memory)
        id = _place(arrival, known, seen, terms)
        if id is None:
            arrivals.skipped["id"] += 1
        elif terms.dedupe == Dedupe.ID_TEXT and (saying in known.sayings or _key(saying) in seen.sayings):
            arrivals.skipped["text"] += 1
        else:
            seen.ids[id] = saying.scope
            if terms.dedupe == Dedupe.ID_TEXT:
                seen.sayings.add(_key(saying))
            arrivals.renamed += arrival.wanted is not None and id != arrival.wanted
            arrivals.lowered += arrival.lowered
            arrivals.misplaced += arrival.misplaced
            new.append(replace(arrival.memory, id=id))
    return new


def _place(arrival: Arrival, known: Known, seen: _Seen, terms: Terms) -> MemoryId | None:
    """Return the id a row gets, or None when its own shows that it is there already, or was forgotten."""
    own, scope = arrival.wanted, arrival.memory.scope
    if own is None:
        return MemoryId(terms.new_id())
    holder = known.ids.get(own) or seen.ids.get(own)
    if holder is None:
        return own
    if terms.dedupe == Dedupe.NONE:
        return MemoryId(terms.new_id())
    if holder == scope:
        return None
    # Taken in a scope that this row has nothing to do with: nothing there is touched, and nothing of it is told.
    other = _elsewhere(own, scope)
    return None if other in known.ids or other in seen.ids else other


def _elsewhere(id: MemoryId, scope: str) -> MemoryId:
    return MemoryId(str(uuid5(_NAMESPACE, f"{scope}\n{id}")))


def _saying(memory: Memory) -> Saying:
    """Return what a memory says. One that is retired says it no longer, and does not stand in for one that does."""
    return Saying(memory.scope, memory.state in LIVE_STATES, normalised(memory.text))


def _key(saying: Saying) -> str:
    # The digest, so that a long file does not have to be remembered word by word.
    return digest(f"{saying.scope}\n{saying.live}\n{saying.text}")
