"""Tags and restore."""

from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings
from satchel.domain.history import Differences
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId, State
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import admin_view
from satchel.errors import Conflict, InvalidRequest, NotFound, ReadOnlyMode
from satchel.interfaces.agents import TOOLS
from satchel.ports import Change


def records(memory: Satchel, reach: Reach = EVERYWHERE) -> dict[str, Memory]:
    """Return every memory in the ledger."""
    return {one.id: one for one in memory.parts.ledger.memories.walk(admin_view(reach, 0))}


def live(memory: Satchel, scope: str | None = None) -> set[str]:
    return {one.text for one in memory.memories.list(scope=scope).result.memories if one.state == "active"}


def changed(memory: Satchel, id: str, **fields: Any) -> None:
    """Change fields of a memory directly."""
    before = records(memory)[id]
    after = replace(before, content_hash="", **fields)
    receipt = Receipt("edit", {"id": id})
    memory.parts.ledger.memories.commit([Change(after, before, "edit", "test")], receipt)


# Naming


def test_a_tag_names_the_current_point_and_can_be_deleted(memory: Satchel) -> None:
    seq = memory.store("a walrus").result.seq
    made = memory.tags.create("before-move", note="all calm")
    assert made.receipt.kept
    assert (made.result.tag.name, made.result.tag.seq, made.result.tag.note) == ("before-move", seq, "all calm")
    memory.store("another walrus entirely")
    memory.tags.create("after-move")
    listed = memory.tags.list().result
    assert [(tag.name, tag.seq) for tag in listed.tags] == [("after-move", seq + 1), ("before-move", seq)]
    assert listed.seq == seq + 1
    memory.tags.delete("before-move")
    assert [tag.name for tag in memory.tags.list().result.tags] == ["after-move"]
    with pytest.raises(NotFound):
        memory.tags.delete("before-move")
    again = memory.tags.create("before-move", seq=seq).result.tag
    assert again.seq == seq


def test_a_tag_name_is_unique(memory: Satchel) -> None:
    memory.tags.create("here")
    with pytest.raises(Conflict):
        memory.tags.create("here")
    assert len(memory.maintenance.receipts_list(operation="tag create").result) == 1


@pytest.mark.parametrize("name", ["", " ", "12", "#12", "-a", "a b", "a" * 65, "a\n", "a\ud800", "a'; DROP TABLE tags"])
def test_an_invalid_name_is_rejected(memory: Satchel, name: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        memory.tags.create(name)
    assert refused.value.code == "invalid_tag"
    assert memory.tags.list().result.tags == ()


def test_names_are_compared_in_normal_form(memory: Satchel) -> None:
    memory.tags.create("vor-dem-Umzug/é")
    memory.tags.create("发布前")
    assert memory.tags.show("vor-dem-Umzug/e\u0301").result.point.name == "vor-dem-Umzug/é"
    assert memory.tags.show("发布前").result.differences == Differences()


@pytest.mark.parametrize(
    ("point", "code"),
    [("nobody", "not_found"), ("999", "out_of_range"), ("9" * 40, "invalid_tag"), ("", "invalid_tag")],
)
def test_an_invalid_point_is_rejected(memory: Satchel, point: str, code: str) -> None:
    memory.store("a walrus")
    for asked in (
        lambda: memory.tags.show(point),
        lambda: memory.tags.restore(point),
        lambda: memory.tags.restore(point, dry_run=True),
        lambda: memory.recall("walrus", as_of=point),
    ):
        with pytest.raises((NotFound, InvalidRequest)) as refused:
            asked()
        assert refused.value.code == code


def test_notes_mask_secrets_and_lose_forgotten_text(memory: Satchel) -> None:
    id = memory.store("the zanzibarium opens at dawn").result.id
    memory.tags.create("one", note="password = hunter2hunter2")
    memory.tags.create("two", note="as we said: the zanzibarium opens at dawn")
    assert "hunter2" not in str(memory.tags.list().result)
    forgotten = memory.forget(id, verify=True).result
    assert forgotten.check is not None and forgotten.check.found_after == ()
    assert {tag.name: tag.note is None for tag in memory.tags.list().result.tags} == {"one": False, "two": True}


# Restoring


@pytest.fixture
def moved(memory: Satchel) -> Satchel:
    """A store with every kind of change since the tag 'then'."""
    ids = {
        word: memory.store(f"the {word} sleeps here").result.id
        for word in ("walrus", "ferry", "harbour", "lamp", "secret")
    }
    memory.tags.create("then")
    memory.store("the walrus sleeps elsewhere now", replaces=ids["walrus"])
    changed(memory, ids["ferry"], text="the ferry sails at night", title="Ferry", tags=("boat",), importance=0.9)
    changed(memory, ids["harbour"], state=State.ARCHIVED)
    memory.forget(ids["secret"])
    memory.store("a lighthouse was built")
    return memory


def test_a_restore_restores_every_memory(moved: Satchel) -> None:
    before = records(moved)
    answer = moved.tags.restore("then")
    assert answer.result.differences == Differences(as_then=3, revived=2, created_since=2, erased_since=1)
    assert live(moved) == {f"the {word} sleeps here" for word in ("walrus", "ferry", "harbour", "lamp")}
    now = records(moved)
    ferry = next(one for one in now.values() if "ferry" in one.text)
    assert (ferry.title, ferry.tags, ferry.importance) == (None, (), None)
    walrus = next(one for one in now.values() if one.text == "the walrus sleeps here")
    assert (walrus.replaced_by, walrus.reason, walrus.valid_to) == (None, None, None)
    assert walrus.updated_at == walrus.created_at
    assert set(now) == set(before)
    lighthouse = next(one for one in now.values() if "lighthouse" in one.text)
    assert lighthouse.state is State.ARCHIVED


def test_a_restore_appends_events_with_one_receipt(moved: Satchel) -> None:
    events = {id: moved.parts.ledger.memories.history(id) for id in map(MemoryId, records(moved))}
    answer = moved.tags.restore("then")
    [kept] = moved.maintenance.receipts_list(operation="tag restore").result
    assert answer.receipt.kept and kept.digest == answer.receipt.digest
    decided: Any = kept.body["decided"]
    assert decided["counts"]["as_then"] == len(decided["as_then"]) == 3
    assert decided["counts"]["created_since"] == len(decided["created_since"]) == 2
    assert decided["before"] == answer.result.before
    for id, earlier in events.items():
        following = moved.parts.ledger.memories.history(id)
        assert following[: len(earlier)] == earlier
        assert [(one.operation, one.receipt) for one in following[len(earlier) :]] in (
            [],
            [("restore", answer.receipt.digest)],
        )
    assert moved.maintenance.receipts_verify().result.broken_at is None


def test_a_dry_run_reports_the_same_and_writes_nothing(moved: Satchel) -> None:
    before, tip = records(moved), moved.parts.ledger.feed.tip()
    planned = moved.tags.restore("then", dry_run=True)
    assert (records(moved), moved.parts.ledger.feed.tip()) == (before, tip)
    assert not planned.receipt.kept and planned.result.dry_run
    compared = moved.tags.show("then").result
    done = moved.tags.restore("then").result
    assert done.differences == planned.result.differences == compared.differences
    assert done.examples == planned.result.examples
    assert done.before == planned.result.before == compared.seq == tip


def test_a_restore_can_be_undone_by_its_number(moved: Satchel) -> None:
    before = records(moved)
    number = moved.tags.restore("then").result.before
    restored = records(moved)
    undone = moved.tags.restore(number).result
    assert records(moved) == before
    moved.tags.restore(f"#{undone.before}")
    assert records(moved) == restored


def test_a_second_restore_changes_nothing(moved: Satchel) -> None:
    moved.tags.restore("then")
    tip, before = moved.parts.ledger.feed.tip(), records(moved)
    again = moved.tags.restore("then").result
    assert again.differences == Differences(put_away_since=2, erased_since=1)
    assert (records(moved), moved.parts.ledger.feed.tip(), again.seq) == (before, tip, tip)


def test_undoing_a_restore_keeps_forgotten_memories_erased(moved: Satchel) -> None:
    number = moved.tags.restore("then").result.before
    [lighthouse] = [one.id for one in records(moved).values() if "lighthouse" in one.text]
    moved.forget(lighthouse)
    undone = moved.tags.restore(number).result
    assert undone.differences.erased_since == 1
    assert lighthouse not in records(moved)
    assert not moved.parts.ledger.memories.contains("lighthouse", excluding=MemoryId(""))


def test_only_the_requested_scope_is_restored(memory: Satchel) -> None:
    for scope in ("here", "there"):
        memory.store(f"old in {scope}", scope=scope)
    memory.tags.create("then")
    for scope in ("here", "there"):
        memory.store(f"new in {scope}", scope=scope)
        memory.forget(next(one.id for one in records(memory).values() if one.text == f"old in {scope}"), scope=scope)
    assert memory.tags.show("then").result.differences == Differences()
    assert memory.tags.restore("then", scope="here").result.differences == Differences(created_since=1, erased_since=1)
    assert (live(memory, "here"), live(memory, "there")) == (set(), {"new in there"})
    everywhere = memory.tags.restore("then", all_scopes=True).result
    assert everywhere.differences == Differences(created_since=1, put_away_since=1, erased_since=2)
    assert (live(memory, "here"), live(memory, "there")) == (set(), set())
    with pytest.raises(InvalidRequest):
        memory.tags.restore("then", scope="here", all_scopes=True)


def test_sequence_zero_is_the_empty_store(memory: Satchel) -> None:
    memory.store("a walrus")
    assert memory.tags.restore(0).result.differences.created_since == 1
    assert live(memory) == set()


def test_recall_and_index_follow_a_restore(moved: Satchel) -> None:
    moved.recall("walrus ferry")
    moved.tags.restore("then")
    texts = {hit.memory.text for hit in moved.recall("where do the walrus and the ferry sleep?", limit=20).result.hits}
    assert texts == {f"the {word} sleeps here" for word in ("walrus", "ferry", "harbour", "lamp")}
    moved.maintenance.index_build()
    report = moved.maintenance.index_status().result
    assert (report.behind, report.problem) == (0, "")
    assert moved.maintenance.doctor().result.healthy


def test_restored_and_archived_texts_can_be_stored_again(moved: Satchel) -> None:
    moved.tags.restore("then")
    assert moved.store("the walrus sleeps here").result.action == "duplicate"
    assert moved.store("a lighthouse was built").result.action == "created"


def test_a_read_only_store_can_be_compared_but_not_restored(settings: Settings) -> None:
    with Satchel.open(settings=settings) as memory:
        memory.tags.create("then")
        memory.store("a walrus")
    with Satchel.open(settings=replace(settings, read_only=True)) as memory:
        assert memory.tags.restore("then", dry_run=True).result.differences.created_since == 1
        assert memory.recall("walrus", as_of="then").result.hits == ()
        for write in (
            lambda: memory.tags.restore("then"),
            lambda: memory.tags.create("x"),
            lambda: memory.tags.delete("then"),
        ):
            with pytest.raises(ReadOnlyMode):
                write()


def test_agents_see_no_tags() -> None:
    """Sequence numbers count the changes of every scope."""
    assert [name for name in TOOLS if name.startswith("tag")] == []


def test_packets_follow_a_restore(memory: Satchel) -> None:
    for id, when in (("old", "Thursdays"), ("new", "Mondays")):
        memory.attention.add("summary", "Release", f"We ship on {when}", id=id)
    memory.tags.create("then")
    memory.attention.refresh(["old"], replacement_memory_id="new")

    def packed() -> set[str]:
        return {*memory.attention.route("when do we ship the release?").result.packet.selected_memory_ids}

    assert packed() == {"new"}
    done = memory.tags.restore("then").result
    assert (done.differences.as_then, done.differences.edges) == (1, 1)
    assert packed() == {"old", "new"}
    memory.tags.restore(done.before)
    assert packed() == {"new"}


def test_a_failing_restore_changes_nothing(moved: Satchel, monkeypatch: pytest.MonkeyPatch) -> None:
    from satchel.adapters.sql.memories import store as memories

    before, tip, said = records(moved), moved.parts.ledger.feed.tip(), len(moved.maintenance.receipts_list().result)
    write = memories.write_event
    done: list[int] = []

    def failing(*given: Any, **named: Any) -> None:
        done.append(1)
        if len(done) == 4:
            raise RuntimeError("the lights went out")
        write(*given, **named)

    monkeypatch.setattr(memories, "write_event", failing)
    with pytest.raises(RuntimeError):
        moved.tags.restore("then")
    assert (records(moved), moved.parts.ledger.feed.tip(), len(moved.maintenance.receipts_list().result)) == (
        before,
        tip,
        said,
    )


def test_a_restore_restores_the_working_set(settings: Settings) -> None:
    policy = replace(settings.working_set, enabled=True, persist=True)
    with Satchel.open(settings=replace(settings, working_set=policy)) as memory:
        memory.store("We decided to ship on Thursdays.", kind="decision")
        memory.turns.before("when do we ship the release?")
        memory.tags.create("then")
        before = records(memory)
        memory.store("We decided to rest on Fridays.", kind="decision")
        memory.turns.before("when do we rest?")
        assert {id: one for id, one in records(memory).items() if id in before} != before
        memory.tags.restore("then")
        assert {id: one for id, one in records(memory).items() if id in before} == before


def test_a_restored_working_set_does_not_bring_back_forgotten_text(settings: Settings) -> None:
    policy = replace(settings.working_set, enabled=True, persist=True)
    with Satchel.open(settings=replace(settings, working_set=policy)) as memory:
        id = memory.store("We decided that the zanzibarium opens at dawn.", kind="decision", importance=0.9).result.id
        memory.store("We decided to rest on Fridays.", kind="decision")
        memory.turns.before("when does it open?")
        memory.tags.create("then")
        memory.store("We decided to sail on Sundays.", kind="decision")
        memory.turns.before("when do we rest?")
        told = [one for one in records(memory).values() if "zanzibarium" in one.text]
        assert len(told) == 2
        memory.recall("zanzibarium")
        forgotten = memory.forget(id, verify=True).result
        assert forgotten.check is not None
        assert (forgotten.check.conclusive, forgotten.check.found_after) == (True, ())
        assert (
            memory.maintenance.doctor().result.healthy and memory.maintenance.receipts_verify().result.broken_at is None
        )
        assert memory.recall("zanzibarium", as_of="then", min_relevance=0.3).result.hits == ()
        done = memory.tags.restore("then").result
        assert "zanzibarium" not in str(records(memory))
        memory.tags.restore(done.before)
        assert "zanzibarium" not in str(records(memory))
        memory.turns.before("when do we rest?")
        [working] = [one for one in records(memory).values() if one.id.startswith("working_set:")]
        assert "Fridays" in working.text
