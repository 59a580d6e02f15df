"""Recall as of an earlier point."""

from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.moment import iso
from satchel.domain.receipt import Receipt
from satchel.domain.record import Label, Memory, MemoryId, State, Trust
from satchel.domain.scope import EVERYWHERE
from satchel.domain.view import admin_view
from satchel.explaining.meanings import WARNINGS
from satchel.interfaces.agents import TOOLS, Bounds, complete_arguments
from satchel.interfaces.slot.tools import MemoryTools
from satchel.ports import Change


def found(memory: Satchel, query: str, as_of: str | int | None, **asked: Any) -> list[str]:
    return [hit.memory.text for hit in memory.recall(query, as_of=as_of, **asked).result.hits]


def changed(memory: Satchel, id: str, **fields: Any) -> None:
    """Change fields of a memory directly."""
    [before] = memory.parts.ledger.memories.fetch([MemoryId(id)], admin_view(EVERYWHERE, 0)).values()
    after = replace(before, content_hash="", **fields)
    memory.parts.ledger.memories.commit([Change(after, before, "edit", "test")], Receipt("edit", {"id": id}))


def test_a_memory_replaced_since_answers(memory: Satchel) -> None:
    old = memory.store("The ferry leaves on Thursdays").result.id
    memory.tags.create("then")
    memory.store("The ferry leaves on Mondays", replaces=old)
    assert found(memory, "when does the ferry leave?", None) == ["The ferry leaves on Mondays"]
    assert found(memory, "when does the ferry leave?", "then") == ["The ferry leaves on Thursdays"]
    assert found(memory, "when does the ferry leave?", 0) == []
    assert found(memory, "when does the ferry leave?", memory.parts.ledger.feed.tip()) == [
        "The ferry leaves on Mondays"
    ]


def test_it_answers_with_earlier_text_state_and_importance(memory: Satchel) -> None:
    id = memory.store("The walrus sings at noon", importance=0.9).result.id
    memory.tags.create("then")
    changed(memory, id, text="The narwhal sings at dusk", title="Songs", importance=0.1, label=Label.IGNORE)
    [hit] = memory.recall("walrus", as_of="then").result.hits
    assert (hit.memory.text, hit.memory.title, hit.memory.importance) == ("The walrus sings at noon", None, 0.9)
    assert found(memory, "narwhal dusk songs", "then") == []
    assert found(memory, "narwhal dusk songs", None) == ["The narwhal sings at dusk"]


def test_reworded_and_unchanged_memories_are_ranked_together(memory: Satchel) -> None:
    memory.store("The harbour has a crane")
    id = memory.store("The harbour has a crane and a walrus on it").result.id
    for number in range(30):
        memory.store(f"Filler number {number} tells of nothing in particular")
    memory.tags.create("then")
    changed(memory, id, text="Something else altogether")
    assert found(memory, "harbour crane walrus", "then", mode="lexical") == [
        "The harbour has a crane and a walrus on it",
        "The harbour has a crane",
    ]


@pytest.mark.parametrize(
    "text", ["会议在周四举行", "会議は木曜日です", "Die Fähre fährt donnerstags", "the deployments failed"]
)
def test_earlier_words_of_any_script_are_found(memory: Satchel, text: str) -> None:
    id = memory.store(text).result.id
    kept = memory.store(f"{text} 2").result.id
    memory.tags.create("then")
    changed(memory, id, text="gone")
    changed(memory, kept, state=State.ARCHIVED)
    asked = {"the deployments failed": "failing deployment"}.get(text, text)
    assert set(found(memory, asked, "then")) == {text, f"{text} 2"}


def test_forgotten_memories_do_not_come_back(memory: Satchel) -> None:
    id = memory.store("The zanzibarium opens at dawn").result.id
    memory.tags.create("then")
    assert found(memory, "zanzibarium", "then")
    memory.forget(id)
    answer = memory.recall("zanzibarium", as_of="then")
    assert (answer.result.hits, answer.result.held_out) == ((), ())


def test_a_memory_is_as_trusted_as_the_lower_of_then_and_now(memory: Satchel) -> None:
    quarantined = memory.store("walrus one stood here").result.id
    doubted = memory.store("walrus two lay there").result.id
    raised = memory.store("walrus three was elsewhere", trust="quarantined").result.id
    memory.tags.create("then")
    changed(memory, quarantined, trust=Trust.QUARANTINED)
    changed(memory, doubted, trust=Trust.UNTRUSTED)
    changed(memory, raised, trust=Trust.TRUSTED)
    [hit] = memory.recall("walrus", as_of="then").result.hits
    assert (hit.memory.id, hit.memory.trust) == (doubted, Trust.UNTRUSTED)
    held = {one.id: one.rule for one in memory.recall("walrus", as_of="then").result.held_out}
    assert held == {quarantined: "trust", raised: "trust"}


def test_a_memory_of_another_scope_then_or_now_is_invisible(memory: Satchel) -> None:
    left = memory.store("the walrus left", scope="here").result.id
    came = memory.store("the walrus came", scope="there").result.id
    memory.store("the walrus stayed", scope="there")
    memory.tags.create("then")
    changed(memory, left, scope="there")
    changed(memory, came, scope="here")
    for scope in ("here", "there"):
        assert not {"the walrus left", "the walrus came"} & {*found(memory, "walrus", "then", scope=scope)}
    assert found(memory, "walrus", "then", scope="there") == ["the walrus stayed"]
    assert found(memory, "walrus", "then") == []


def test_validity_is_evaluated_at_that_time(memory: Satchel, monkeypatch: pytest.MonkeyPatch) -> None:
    clock, now = memory.parts.clock, memory.parts.clock.now()
    day = 86_400_000
    memory.store("the walrus is on leave", valid_to=iso(now + day))
    memory.store("the walrus is back", valid_from=iso(now + day))
    seq = memory.tags.create("then").result.tag.seq
    monkeypatch.setattr(clock, "now", lambda: now + 2 * day)
    assert found(memory, "walrus", None) == ["the walrus is back"]
    assert found(memory, "walrus", "then") == found(memory, "walrus", seq) == ["the walrus is on leave"]
    held = memory.recall("walrus", as_of="then").result.held_out
    assert [one.rule for one in held] == ["not_yet_valid"]


def test_tiers_kinds_and_limits_apply(memory: Satchel) -> None:
    ids = [memory.store(f"walrus fact {number} of many", kind="fact").result.id for number in range(8)]
    memory.store("walrus plan of many", kind="plan")
    memory.tags.create("then")
    for id in ids:
        changed(memory, id, state=State.RETIRED)
    assert len(found(memory, "walrus", "then", limit=5)) == 5
    assert len(found(memory, "walrus", "then", kinds=("fact",), limit=50)) == 8
    assert found(memory, "walrus", None) == ["walrus plan of many"]


def test_fallback_scopes_answer_with_their_earlier_state(settings: Settings) -> None:
    scopes = replace(settings.scope_policy, fallback_scopes=("common",))
    with Satchel.open(settings=replace(settings, scope_policy=scopes)) as memory:
        id = memory.store("the walrus is common", scope="common").result.id
        memory.tags.create("then")
        changed(memory, id, state=State.ARCHIVED)
        assert found(memory, "walrus", "then", scope="own") == ["the walrus is common"]
        assert found(memory, "walrus", "then", scope="own", fallback=False) == []


def test_the_receipt_has_the_sequence_number(memory: Satchel) -> None:
    memory.store("a walrus")
    seq = memory.tags.create("then").result.tag.seq
    memory.store("a second one, with a walrus")
    answer = memory.recall("walrus", as_of="then")
    assert (answer.receipt.asked["as_of"], answer.receipt.warnings) == (seq, ())
    assert answer.result.as_of is not None and (answer.result.as_of.seq, answer.result.as_of.name) == (seq, "then")
    assert f"as of sequence number {seq}" in str(memory.explaining.why(answer.receipt.digest).result)


def test_meaning_finds_memories_changed_since(memory: Satchel) -> None:
    ids = [memory.store(f"walrus {number} sleeps on the ice").result.id for number in range(3)]
    memory.tags.create("then")
    changed(memory, ids[0], state=State.ARCHIVED)
    changed(memory, ids[1], trust=Trust.QUARANTINED)
    # So many that are just as near, and were not there, that none of the old ones is among the first.
    for number in range(3, 200):
        memory.store(f"walrus {number} sleeps on the ice")
    answer = memory.recall("walrus sleeps on the ice", as_of="then", mode="vector", limit=5)
    assert {hit.memory.id for hit in answer.result.hits} == {ids[0], ids[2]}
    assert all(hit.contributions[0].name == "vector" for hit in answer.result.hits)
    assert answer.receipt.warnings == ()


def test_a_reworded_text_has_no_vector_and_a_warning_says_so(memory: Satchel) -> None:
    id = memory.store("the walrus sleeps on the ice").result.id
    same = memory.store("the walrus wakes up").result.id
    memory.tags.create("then")
    changed(memory, id, text="the ferry sails at night")
    answer = memory.recall("walrus", as_of="then")
    lanes = {hit.memory.id: {part.name for part in hit.contributions} for hit in answer.result.hits}
    assert "vector" not in lanes[id] and "vector" in lanes[same]
    [warning] = answer.receipt.warnings
    assert warning.startswith("as_of_words: 1 memories") and "as_of_words" in WARNINGS
    assert memory.recall("walrus", as_of="then", mode="lexical").receipt.warnings == ()
    # The vector of now speaks for no text of then.
    assert memory.recall("ferry at night", as_of="then", mode="vector").result.hits[0].memory.id == same


def test_without_a_model_words_answer_with_a_warning(settings: Settings) -> None:
    with Satchel.open(settings=replace(settings, embedding=replace(settings.embedding, provider="none"))) as memory:
        id = memory.store("a walrus").result.id
        memory.tags.create("then")
        changed(memory, id, state=State.ARCHIVED)
        answer = memory.recall("walrus", as_of="then")
        assert [hit.memory.id for hit in answer.result.hits] == [id]
        assert [one.partition(":")[0] for one in answer.receipt.warnings] == ["embedder_none"]


def test_as_of_recall_writes_nothing_and_counts_no_use(memory: Satchel) -> None:
    id = memory.store("a walrus").result.id
    changed(memory, id, text="something else")
    memory.recall("something")

    def state() -> tuple[Any, ...]:
        with memory.parts.ledger.database.reading() as db:  # type: ignore[attr-defined]
            used = db.execute("SELECT * FROM use ORDER BY 1").fetchall()
            tables = db.execute("SELECT name FROM sqlite_temp_schema").fetchall()
        return used, tables, memory.parts.ledger.feed.tip()

    before = state()
    assert found(memory, "walrus", 1) == ["a walrus"]
    assert state() == before


def test_it_is_deterministic(memory: Satchel) -> None:
    for number in range(12):
        memory.store(f"walrus {number} of a dozen walruses")
    memory.tags.create("then")
    memory.tags.restore(0)
    first, second = (memory.recall("walrus", as_of="then") for _ in range(2))
    assert first.receipt.digest == second.receipt.digest
    assert first.result == second.result


def test_agents_are_limited_to_their_scope(memory: Satchel) -> None:
    here = memory.store("the walrus of here", scope="here").result.id
    memory.store("the walrus of there", scope="there")
    memory.tags.create("then")
    changed(memory, here, state=State.ARCHIVED)
    given = complete_arguments(
        TOOLS["memory_recall"], Bounds(scope="here"), {"query": "walrus", "as_of": "then"}, "mcp"
    )
    assert "the walrus of here" in (text := MemoryTools(memory).memory_recall(**given).result.text)
    assert "there" not in text
    now = complete_arguments(TOOLS["memory_recall"], Bounds(scope="here"), {"query": "walrus"}, "mcp")
    assert "the walrus of here" not in MemoryTools(memory).memory_recall(**now).result.text


def test_hostile_queries_are_treated_as_text(memory: Satchel) -> None:
    id = memory.store('a "walrus" OR 1=1 -- NEAR(x)').result.id
    memory.tags.create("then")
    changed(memory, id, text="gone")
    for query in ('"walrus" OR *', "NEAR(walrus, 2)", "title:walrus", "'; DROP TABLE past; --", "\ud800 walrus"):
        assert len(found(memory, query, "then")) <= 1
    assert found(memory, "walrus", "then") == ['a "walrus" OR 1=1 -- NEAR(x)']


def test_a_record_has_all_its_earlier_fields(memory: Satchel) -> None:
    given: dict[str, Any] = {
        "kind": "fact", "importance": 0.75, "title": "A \"title\"\n", "session": "s", "task": "t", "language": "en",
        "tags": ("b", "a", "ü"), "keywords": ("日本", 'q"'), "valid_from": "2020-01-01", "source_ref": "me",
    }  # fmt: skip
    id = memory.store("walrus with all of it", **given).result.id
    whole_view = admin_view(EVERYWHERE, 0)
    before: Memory = memory.parts.ledger.memories.fetch([MemoryId(id)], whole_view)[MemoryId(id)]
    memory.tags.create("then")
    changed(memory, id, state=State.RETIRED, tags=(), confidence=0.5, abstraction=3)
    [hit] = memory.recall("walrus", as_of="then").result.hits
    assert hit.memory == before
