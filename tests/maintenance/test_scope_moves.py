"""The records of a scope move to another name, whole, and nothing of another scope moves with them."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.adapters.sql.copying import TABLES
from satchel.app import Satchel
from satchel.domain.record import State
from satchel.errors import Conflict, InvalidRequest, NotFound, ReadOnlyMode
from satchel.interfaces.cli.views.lookup import view_of
from tests.maintenance.test_scopes import EVERYTHING, contents, fill, leave_in_spool

MOVED = {kind: count for kind, count in EVERYTHING.items() if kind != "decisions"}


def rows_of(memory: Satchel, scope: str) -> dict[str, list[str]]:
    """Return every row that names a scope, of every table that has one."""
    with memory.parts.ledger.database.reading() as db:  # type: ignore[attr-defined]
        tables = [table for table in TABLES if "scope" in db.columns(table)]
        query = "SELECT * FROM {} WHERE scope = ?"
        return {table: sorted(map(repr, db.execute(query.format(table), (scope,)))) for table in tables}


def finds(memory: Satchel, scope: str, word: str) -> dict[str, bool]:
    """Return for each way of asking whether it finds a word in a scope."""
    facts = memory.facts.current(f"{word} service", scope=scope).result.facts
    return {
        "recall": any(word in one.memory.text for one in memory.recall(word, scope=scope).result.hits),
        "search": any(word in one.summary for one in memory.observations.search(word, scope=scope).result.hits),
        "episodes": any(word in one.text for one in memory.episodes.search(word, scope=scope).result.hits),
        "documents": any(word in one.text for one in memory.documents.search(word, scope=scope).result.hits),
        "conversations": any(word in one.text for one in memory.conversations.search(word, scope=scope).result.items),
        "why": f"Use NATS for the {word}"
        in str(memory.conversations.why(f"why NATS for the {word}", scope=scope).result),
        "facts": [one.status for one in facts] == ["active"],
        "graph": word in str(memory.graph.list(scope=scope).result),
        "packets": word in str(memory.attention.packets(scope=scope).result),
    }


def nothing_is_damaged(memory: Satchel) -> bool:
    return not [one for one in memory.maintenance.doctor().result.findings if one.status == "bad"]


def test_a_renamed_scope_has_everything_under_its_new_name(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    leave_in_spool(memory, "shop", "zanzibarium")
    memory.maintenance.index_build()

    done = memory.scopes.rename("shop", "store")

    assert done.receipt.kept
    assert dict(done.result.records) == MOVED | {"observations": 2}
    assert (done.result.left, done.result.dropped, done.result.retired) == ({}, {}, 0)
    assert contents(memory) == {"store": EVERYTHING | {"observations": 2}}
    assert set(finds(memory, "store", "zanzibarium").values()) == {True}
    assert not any(finds(memory, "shop", "zanzibarium").values())
    assert nothing_is_damaged(memory)
    assert memory.maintenance.receipts_verify().result.broken_at is None


def test_nothing_of_a_third_scope_moves(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    fill(memory, "mill", "quaggaphone")
    fill(memory, "store", "xylobandicoot")
    before = rows_of(memory, "mill")

    memory.scopes.merge(["shop"], into="store")
    memory.history.undo()
    memory.scopes.rename("shop", "harbour")

    assert rows_of(memory, "mill") == before
    assert set(finds(memory, "mill", "quaggaphone").values()) == {True}


def test_merged_scopes_keep_what_both_had(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    fill(memory, "mill", "quaggaphone")
    fill(memory, "store", "xylobandicoot")

    done = memory.scopes.merge(["shop", "mill"], into="store").result

    assert [*contents(memory)] == ["store"]
    assert contents(memory)["store"]["memories"] == 6
    for word in ("zanzibarium", "quaggaphone", "xylobandicoot"):
        found = finds(memory, "store", word)
        # Of documents with the same path, that of the target stays.
        assert found == dict.fromkeys(found, True) | {"documents": word == "xylobandicoot"}
    assert done.dropped == {"documents": 2}
    assert done.renamed == ("api (shop)", "api (mill)")
    assert nothing_is_damaged(memory)


def test_a_memory_that_says_the_same_is_retired_for_the_other(memory: Satchel) -> None:
    here = memory.store("We ship on Thursdays", scope="store").result.id
    there = memory.store("we ship on thursdays", scope="shop").result.id
    other = memory.store("We rest on Sundays", scope="shop").result.id

    assert memory.scopes.merge(["shop"], into="store", dry_run=True).result.retired == 1
    assert memory.scopes.merge(["shop"], into="store").result.retired == 1

    states = {id: memory.get(id, scope="store").result.memory for id in (here, there, other)}
    assert [one.state for one in states.values()] == [State.ACTIVE, State.RETIRED, State.ACTIVE]
    assert states[there].replaced_by == here


def test_ids_stay_and_an_event_that_comes_again_is_known(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    ids = {one.id for one in memory.observations.search("zanzibarium", scope="shop").result.hits}
    memory.scopes.rename("shop", "store")
    event = {"id": "e-zanzibarium", "tool_name": "Bash", "text": "zanzibarium tests passed"}
    turn = {"text": "We talked about the zanzibarium budget", "id": "t1", "session": "s"}
    memory.episodes.add(turns=[turn], scope="mill")
    memory.scopes.rename("mill", "river")

    for scope in ("shop", "store"):
        memory.observations.capture(json.dumps(event | {"scope": scope}))
        assert memory.observations.ingest().result.skipped_existing == 1
    assert memory.episodes.add(turns=[turn], scope="river").result.added == 0

    assert {one.id for one in memory.observations.search("zanzibarium", scope="store").result.hits} == ids


def test_what_was_forgotten_stays_forgotten_under_either_name(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    [seen] = memory.observations.search("zanzibarium", scope="shop").result.hits
    memory.forget(seen.id, scope="shop")
    memory.documents.forget("n", collection="notes", scope="shop")
    memory.scopes.rename("shop", "store")
    event = {"id": "e-zanzibarium", "tool_name": "Bash", "text": "zanzibarium tests passed"}

    for scope in ("shop", "store"):
        memory.observations.capture(json.dumps(event | {"scope": scope}))
    memory.observations.ingest()

    assert [memory.observations.search("zanzibarium", scope=scope).result.hits for scope in ("shop", "store")] == [
        (),
        (),
    ]


def test_forgetting_after_a_rename_erases_the_spool_too(memory: Satchel, home: Any) -> None:
    from tests.maintenance.test_scopes import holding

    fill(memory, "shop", "zanzibarium")
    memory.scopes.rename("shop", "store")

    deleted = memory.scopes.delete("store").result

    assert deleted.check is not None
    assert holding(home, "zanzibarium") == []


def test_the_old_name_can_be_used_again(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    memory.scopes.rename("shop", "store")
    before = finds(memory, "store", "zanzibarium")

    fill(memory, "shop", "quaggaphone")
    memory.documents.add([{"ref": "n", "text": "# zanzibarium\n\nFeed it at noon."}], collection="notes", scope="shop")
    memory.conversations.add("And more", conversation="api", scope="store")

    assert contents(memory)["shop"] == EVERYTHING
    assert finds(memory, "store", "zanzibarium") == before
    assert not any(finds(memory, "store", "quaggaphone").values())
    assert nothing_is_damaged(memory)


def test_a_conversation_goes_on_after_its_scope_moved(memory: Satchel) -> None:
    for number in range(8):
        memory.conversations.add(f"Message {number} about the harbour", conversation="api", scope="shop")
    memory.scopes.rename("shop", "store")
    for number in range(8):
        memory.conversations.add(f"Answer {number} about the harbour", conversation="api", scope="store")

    shown = memory.conversations.show("api", scope="store").result

    assert len({one.id for one in shown.summaries}) == len(shown.summaries) == 2
    first, *_ = memory.parts.ledger.conversations.refs(shown.conversation.id)
    memory.conversations.forget(first, scope="store")
    again = memory.conversations.show("api", scope="store").result
    assert {one.id for one in again.summaries} == {one.id for one in shown.summaries}


def test_a_fact_says_the_same_and_is_known_when_asserted_again(memory: Satchel) -> None:
    source = memory.store("The gateway runs in Oslo", scope="shop").result.id
    since = "2026-01-01"
    first = memory.facts.assert_("gateway", "status", "live", sources=[source], scope="shop", valid_from=since).result
    memory.scopes.rename("shop", "store")

    again = memory.facts.assert_("gateway", "status", "live", sources=[source], scope="store", valid_from=since).result

    assert (again.action, again.fact.id) == ("duplicate", first.fact.id)
    assert memory.facts.rebuild().result.changed == 0


def test_undo_takes_a_merge_back_and_leaves_what_is_new(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    fill(memory, "store", "xylobandicoot")
    memory.documents.forget("n", collection="notes", scope="store")
    before = contents(memory)
    moved = memory.scopes.merge(["shop"], into="store").result
    new = memory.store("A new shelf in the store", scope="store").result.id
    memory.history.undo(moved.tag)

    assert contents(memory) == before | {"store": before["store"] | {"memories": 3}}
    assert set(finds(memory, "shop", "zanzibarium").values()) == {True}
    assert memory.get(new, scope="store").result.memory.text == "A new shelf in the store"
    assert nothing_is_damaged(memory)
    # A second merge is a new one.
    memory.scopes.merge(["shop"], into="store")
    assert [*contents(memory)] == ["store"]


def test_an_undone_move_cannot_be_undone(memory: Satchel) -> None:
    memory.store("in the shop", scope="shop")
    memory.scopes.rename("shop", "store")
    undone = memory.history.undo().result

    lines = [line for line, _ in view_of("undo")(undone)]
    assert not any("takes this back" in line for line in lines)
    listed = memory.history.list().result.changes
    assert "scopes rename" in listed[0].problem


def test_a_restore_leaves_memories_in_their_scope(memory: Satchel) -> None:
    id = memory.store("We ship on Thursdays", scope="shop").result.id
    memory.tags.create("before")
    memory.scopes.rename("shop", "store")
    memory.tags.restore("before", scope="store")

    assert memory.get(id, scope="store").result.memory.scope == "store"


def test_an_interrupted_move_is_finished_by_another(memory: Satchel) -> None:
    for number in range(1_200):
        memory.store(f"zanzibarium number {number} of the herd", scope="shop")
    memory.conversations.add("The herd is discussed here", conversation="api", scope="shop")

    class Stopped(Exception):
        pass

    def stop(done: int, total: int, what: str) -> None:
        raise Stopped

    with pytest.raises(Stopped):
        memory.scopes.merge(["shop"], into="store", progress=stop)
    assert contents(memory)["store"] == {"memories": 200}

    memory.scopes.merge(["shop"], into="store")
    assert contents(memory) == {"store": {"memories": 1_200, "conversations": 1}}
    memory.history.undo()
    memory.history.undo()
    assert contents(memory) == {"shop": {"memories": 1_200, "conversations": 1}}


def test_a_dry_run_and_a_no_change_nothing(memory: Satchel) -> None:
    fill(memory, "shop", "zanzibarium")
    before = rows_of(memory, "shop")

    assert memory.scopes.rename("shop", "store", dry_run=True).result.action == "planned"
    assert memory.scopes.rename("shop", "store", ask=lambda question: False).result.action == "declined"

    assert rows_of(memory, "shop") == before
    assert memory.tags.list().result.tags == ()


def test_what_still_names_the_scope_is_listed(memory: Satchel) -> None:
    memory.store("in the shop", scope="shop")
    policy = replace(memory.parts.policies.scope, fallback_scopes=("shop",))
    parts = replace(memory.parts, policies=replace(memory.parts.policies, scope=policy))

    moved = Satchel(parts).scopes.rename("shop", "store").result

    assert moved.still_named == ("setting scope_policy.fallback_scopes",)


def test_names_that_cannot_be_moved_are_refused(memory: Satchel) -> None:
    memory.store("in the shop", scope="shop")
    memory.store("in the store", scope="store")
    with pytest.raises(Conflict) as taken:
        memory.scopes.rename("shop", "store")
    assert taken.value.code == "scope_taken"
    with pytest.raises(NotFound):
        memory.scopes.rename("shopp", "new")
    for wrong in ("Not A Scope", "", "\ud800"):
        with pytest.raises(InvalidRequest):
            memory.scopes.rename("shop", wrong)
        with pytest.raises(InvalidRequest):
            memory.scopes.merge(["shop"], into=wrong)
    for sources in ([], ["shop"]):
        with pytest.raises(InvalidRequest):
            memory.scopes.merge(sources, into="shop")
    with pytest.raises(ReadOnlyMode):
        Satchel(replace(memory.parts, read_only=True)).scopes.rename("shop", "new")


def test_collections_of_different_folders_are_not_mixed(memory: Satchel, tmp_path: Any) -> None:
    for scope in ("shop", "store"):
        folder = tmp_path / scope / "notes"
        folder.mkdir(parents=True)
        (folder / "a.md").write_text("# A\n\nText of a note.", encoding="utf-8")
        memory.documents.ingest([str(folder)], scope=scope)

    with pytest.raises(Conflict) as mixed:
        memory.scopes.merge(["shop"], into="store")

    assert (mixed.value.code, contents(memory)["shop"]) == ("collection_taken", {"documents": 1})
