"""With read_only, every write is refused, reads still answer, and no file changes."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings, sources_of
from satchel.domain.answers import Stored
from satchel.domain.embedding import Space
from satchel.domain.envelope import Ok
from satchel.domain.observation import observation_id
from satchel.errors import ReadOnlyMode, Unavailable
from satchel.interfaces.operations import OPERATIONS, Operation, Session

# Operations that do not write memories. Settings must stay changeable, or read_only could not be turned off; a token must
# stay revocable.
ELSEWHERE = {"config set", "config unset", "model install", "install", "uninstall", "token create", "token revoke"} | {
    f"user {verb}" for verb in ("add", "change", "remove")
}
WRITING = [one for one in OPERATIONS if one.writes and one.name not in ELSEWHERE]
# The demo has its own store.
READING = [one for one in OPERATIONS if not one.writes and one.name != "demo"]
TURN = {"text": "the walrus sang at noon", "session": "s", "speaker": "Ann", "id": "t1"}


def _no_progress(done: int, total: int, what: str) -> None:
    pass


def _ignore(text: str) -> None:
    pass


@pytest.fixture
def stored(settings: Settings) -> Ok[Stored]:
    """A memory in a store with pending work."""
    with Satchel.open(settings=settings) as memory:
        first = memory.store("the walrus ships on Thursdays")
        memory.episodes.add([TURN])
        memory.documents.add([{"ref": "a.md", "text": "the walrus reads"}], collection="notes")
        memory.graph.add("walrus", "USES", "boat")
        memory.facts.assert_("walrus", "status", "singing", sources=[f"memory:{first.result.id}"])
        for number in range(8):
            memory.conversations.add(f"We decided to ship {number} boxes by walrus, because it is quick.")
        memory.observations.capture(json.dumps({"id": "seen", "text": "the walrus sang " + "la " * 5_000}))
        memory.observations.ingest()
        memory.observations.capture('{"text": "not taken in yet"}')
        memory.recall("walrus")
        memory.store("a second walrus, not embedded yet")
    return first


@pytest.fixture
def session(settings: Settings, stored: Ok[Stored]) -> Session:
    closed = replace(settings, read_only=True)
    return Session(sources_of(closed), "test", progress=_no_progress, note=_ignore, tell=_ignore)


@pytest.fixture
def arguments(settings: Settings, stored: Ok[Stored], tmp_path: Path) -> Callable[[Operation], dict[str, Any]]:
    """Return the arguments to run an operation with."""
    with Satchel.open(settings=settings) as memory:
        [turn] = memory.episodes.list().result.episodes
        [summary] = memory.conversations.show().result.summaries
    (tmp_path / "rows.jsonl").write_text('{"text": "a third walrus"}\n', encoding="utf-8")
    given: dict[str, dict[str, Any]] = {
        "store": {"text": "new", "kind": "fact"},
        "forget": {"id": stored.result.id},
        "import": {"path": str(tmp_path / "rows.jsonl"), "yes": True},
        "export": {"path": str(tmp_path / "out.jsonl")},
        "backup": {"path": str(tmp_path / "all.backup")},
        "recall": {"query": "walrus"},
        "episodes search": {"query": "walrus"},
        "episodes show": {"id": turn.id},
        "docs search": {"query": "walrus"},
        "docs show": {"target": "doc:notes:a.md"},
        "graph ask": {"query": "what uses boat?"},
        "graph show": {"name": "walrus"},
        "graph neighbors": {"name": "walrus"},
        "graph path": {"start": "walrus", "goal": "boat"},
        "graph match": {"idea": "a boat for the walrus"},
        "route": {"query": "why did we choose the walrus?"},
        **{f"fact {name}": {"subject": "walrus"} for name in ("current", "timeline", "pack")},
        "fact search": {"query": "walrus"},
        "fact propose": {"source": f"memory:{stored.result.id}"},
        "fact stale": {"apply": True},
        "conversation expand": {"id": summary.id},
        "conversation why": {"question": "why did we choose the walrus?"},
        "conversation search": {"query": "walrus"},
        "memory_docs_search": {"query": "walrus"},
        "memory_get": {"memory_id": stored.result.id},
        "memory_pack": {"query": "walrus"},
        "pack": {"query": "walrus"},
        "tag show": {"point": "1"},
        "tag diff": {"start": "1"},
        "get": {"id": stored.result.id},
        "capture": {"events": '{"text": "new"}'},
        "search": {"query": "walrus"},
        "timeline": {"id": stored.result.id},
        "artifacts show": {"id": observation_id("global", "seen")},
        "lifecycle revive": {"id": stored.result.id},
        "attention route": {"goal": "walrus"},
        "attention inspect": {"memory_id": stored.result.id},
        "receipts show": {"name": stored.receipt.digest},
        "receipts compare": {"first": stored.receipt.digest, "second": stored.receipt.digest},
        "why": {"receipt": stored.receipt.digest},
        "uses": {"id": stored.result.id},
        "why-not": {"query": "walrus", "expect": stored.result.id},
        "eval": {"mode": "lexical"},
        "turn before": {"prompt": "what about the walrus?"},
        "turn after": {"messages": [{"role": "user", "content": "I prefer tabs."}]},
        "memory_store": {"text": "new", "category": "fact"},
        "memory_recall": {"query": "walrus"},
        "memory_forget": {"memory_id": stored.result.id},
        "memory_export": {"out_path": str(tmp_path / "out.jsonl")},
        "memory_import": {"in_path": str(tmp_path / "rows.jsonl")},
    }

    def for_operation(operation: Operation) -> dict[str, Any]:
        defaults = {one.name: one.default for one in operation.parameters}
        return defaults | given.get(operation.name, {})

    return for_operation


def contents(home: Path) -> dict[str, bytes]:
    """Return the bytes of every file, except the log and shared memory that SQLite keeps even for readers."""
    log = home / "ledger.sqlite3-wal"
    assert not log.exists() or not log.stat().st_size
    beside = ("ledger.sqlite3-wal", "ledger.sqlite3-shm")
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted(home.rglob("*"))
        if path.is_file() and path.name not in beside
    }


@pytest.mark.parametrize("operation", WRITING, ids=lambda operation: operation.name)
def test_a_writing_operation_is_refused_and_changes_nothing(
    operation: Operation, session: Session, arguments: Callable[[Operation], dict[str, Any]], home: Path
) -> None:
    before = contents(home)
    with pytest.raises(ReadOnlyMode) as refused:
        operation.run(session, arguments(operation))
    session.close()
    assert refused.value.code == "readonly_mode"
    assert contents(home) == before


@pytest.mark.parametrize("operation", READING, ids=lambda operation: operation.name)
def test_a_reading_operation_answers_and_changes_nothing(
    operation: Operation, session: Session, arguments: Callable[[Operation], dict[str, Any]], home: Path
) -> None:
    before = contents(home)
    assert not operation.run(session, arguments(operation)).receipt.kept
    session.close()
    assert contents(home) == before


def test_recall_still_finds_by_meaning_and_by_words(session: Session) -> None:
    recalled = session.memory.recall("walrus")
    assert {hit.memory.text for hit in recalled.result.hits} == {
        "the walrus ships on Thursdays",
        "a second walrus, not embedded yet",
    }
    assert "vector" in {part.name for hit in recalled.result.hits for part in hit.contributions}
    session.close()


def test_dry_runs_and_candidates_are_not_refused(session: Session, tmp_path: Path, home: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"text": "a third walrus"}\n', encoding="utf-8")
    before = contents(home)
    assert session.memory.forget(query="walrus").result.candidates
    assert session.memory.transfer.import_(str(tmp_path / "rows.jsonl"), dry_run=True).result.imported == 1
    assert session.memory.lifecycle.grade(dry_run=True).result.memories == 2
    assert session.memory.lifecycle.run(dry_run=True).result.looked_at == 3
    for refused in (
        lambda: session.memory.maintenance.doctor(fix=True),
        lambda: session.memory.forget(observation_id("global", "seen")),
    ):
        with pytest.raises(ReadOnlyMode):
            refused()
    session.close()
    assert contents(home) == before


def test_no_store_is_created(settings: Settings, home: Path) -> None:
    with pytest.raises(ReadOnlyMode):
        Satchel.open(settings=replace(settings, read_only=True))
    assert not home.exists()


def test_the_ledger_itself_refuses_writes(session: Session) -> None:
    with pytest.raises(Unavailable):
        session.memory.parts.ledger.vectors.adopt(Space("another", 3))
    session.close()
