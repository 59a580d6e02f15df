"""The graph in a SQLite ledger: atomic writes, views and revisions."""

from collections.abc import Iterator

import pytest

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.graph import (
    EntityMention,
    EntityRef,
    EntityRelation,
    EntityType,
    Extract,
    GraphSource,
    GraphSourceType,
    RelationType,
)
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId, State, Trust
from satchel.domain.scope import resolve_reach
from satchel.domain.view import View
from satchel.ports import Change
from satchel.ports.graph import GraphRevision, SourceExtract

REDIS, CHECKOUT = EntityRef(EntityType.TOOL, "Redis"), EntityRef(EntityType.TERM, "Checkout")
RECEIPT = Receipt("graph extract", {})
NOW = 1_000
HERE = View(resolve_reach(None), NOW)


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    """A ledger in memory."""
    opened = SqliteLedger()
    yield opened
    opened.close()


def _read(
    ref: str, *, type: GraphSourceType = GraphSourceType.ADDED, trust: Trust = Trust.TRUSTED, text: str = ""
) -> SourceExtract:
    sights = (EntityMention(CHECKOUT, "r", 1), EntityMention(REDIS, "r", 1, True))
    source = GraphSource("global", type, ref, trust=trust, content_hash=text)
    return SourceExtract(source, Extract(sights, (EntityRelation(CHECKOUT, RelationType.USES, REDIS, "r", 1),)))


def _memory(id: str, **values: object) -> Memory:
    return Memory(MemoryId(id), "Checkout uses Redis.", "global", 1, 1, trust=Trust.TRUSTED, **values)  # type: ignore[arg-type]


def _store(ledger: SqliteLedger, memory: Memory, before: Memory | None = None) -> None:
    ledger.memories.commit([Change(memory, before, "store", "test")], Receipt("store", {}))


def _revision(ledger: SqliteLedger) -> GraphRevision:
    return ledger.graph.contents(HERE).edition


def test_what_was_written_is_read(ledger: SqliteLedger) -> None:
    ledger.graph.replace([_read("one")], [], RECEIPT)
    contents = ledger.graph.contents(HERE)

    assert [source.ref for source in contents.sources.values()] == ["one"]
    assert [sight for _, _, sight in contents.mentions] == list(_read("one").extract.mentions)
    assert [(row.tail, row.relation, row.head) for row in contents.relations] == [(0, "USES", 1)]


def test_writing_a_source_again_replaces_it(ledger: SqliteLedger) -> None:
    for _ in range(3):
        ledger.graph.replace([_read("one")], [], RECEIPT)

    assert ledger.graph.count([_read("one").source.id]) == (2, 1)


def test_a_write_that_fails_changes_nothing(ledger: SqliteLedger) -> None:
    ledger.graph.replace([_read("one")], [], RECEIPT)
    before = ledger.graph.contents(HERE)
    broken = SourceExtract(
        GraphSource("global", GraphSourceType.ADDED, "two"),
        Extract((), (EntityRelation(CHECKOUT, RelationType.USES, REDIS, "r"),)),
    )
    with pytest.raises(KeyError):
        ledger.graph.replace([_read("three"), broken], [_read("one").source.id], RECEIPT)

    assert ledger.graph.contents(HERE) == before
    assert ledger.graph.is_current(before.edition, NOW)


@pytest.mark.parametrize(
    ("trust", "scope", "seen"),
    [(Trust.TRUSTED, None, 1), (Trust.UNTRUSTED, None, 1), (Trust.QUARANTINED, None, 0), (Trust.TRUSTED, "other", 0)],
)
def test_a_view_admits_by_scope_and_trust(ledger: SqliteLedger, trust: Trust, scope: str | None, seen: int) -> None:
    ledger.graph.replace([_read("one", trust=trust)], [], RECEIPT)
    contents = ledger.graph.contents(View(resolve_reach(scope), NOW))

    assert (len(contents.sources), len(contents.relations)) == (seen, seen)


@pytest.mark.parametrize(
    ("values", "seen"),
    [
        ({}, True),
        ({"state": State.ARCHIVED}, False),
        ({"state": State.RETIRED}, False),
        ({"valid_to": NOW}, False),
        ({"valid_from": NOW + 1}, False),
        ({"valid_from": NOW, "valid_to": NOW + 1}, True),
        ({"content_hash": "another"}, False),
    ],
)
def test_a_memory_counts_only_while_it_is_live_and_unchanged(
    ledger: SqliteLedger, values: dict[str, object], seen: bool
) -> None:
    _store(ledger, _memory("m", **values))
    told = _memory("m").content_hash
    ledger.graph.replace([_read("m", type=GraphSourceType.MEMORY, text=told)], [], RECEIPT)

    assert bool(ledger.graph.contents(HERE).sources) is seen


def test_the_present_trust_of_a_memory_counts(ledger: SqliteLedger) -> None:
    first = _memory("m")
    _store(ledger, first)
    ledger.graph.replace([_read("m", type=GraphSourceType.MEMORY, text=first.content_hash)], [], RECEIPT)
    _store(ledger, Memory(first.id, first.text, "global", 1, 2, trust=Trust.QUARANTINED), first)

    assert ledger.graph.contents(HERE).sources == {}


def test_a_revision_is_current_until_a_source_changes(ledger: SqliteLedger) -> None:
    first = _memory("m", valid_to=NOW + 50)
    _store(ledger, first)
    ledger.graph.replace([_read("m", type=GraphSourceType.MEMORY, text=first.content_hash)], [], RECEIPT)
    edition = _revision(ledger)

    _store(ledger, _memory("other"))
    assert ledger.graph.is_current(edition, NOW), "a memory that is no source"
    assert not ledger.graph.is_current(edition, NOW + 50), "a source has expired"
    _store(ledger, _memory("m"), first)
    assert not ledger.graph.is_current(edition, NOW), "a source was changed"

    edition = _revision(ledger)
    ledger.graph.replace([_read("new")], [], RECEIPT)
    assert not ledger.graph.is_current(edition, NOW), "a source was added"

    edition = _revision(ledger)
    ledger.memories.erase(MemoryId("m"), resolve_reach(None), "test", Receipt("forget", {}))
    assert not ledger.graph.is_current(edition, NOW), "a source was erased"
    assert [source.ref for source in ledger.graph.contents(HERE).sources.values()] == ["new"]


def test_contains_looks_only_at_other_sources(ledger: SqliteLedger) -> None:
    ledger.graph.replace([_read("one")], [], RECEIPT)

    assert ledger.graph.contains("edis", excluding="another")
    assert not ledger.graph.contains("edis", excluding="one")
    assert not ledger.graph.contains("edis", excluding=_read("one").source.id)
