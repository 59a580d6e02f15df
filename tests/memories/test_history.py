"""Changes are listed and taken back, and an undo is a change that can be taken back."""

import json
from collections import Counter
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.domain.automatic_tags import KEPT
from satchel.domain.record import Memory, State, Trust
from satchel.domain.scope import EVERYWHERE
from satchel.domain.undo import LeftAlone, PastChange, Undone
from satchel.domain.view import admin_view
from satchel.errors import Conflict, InvalidRequest, NotFound, ReadOnlyMode, Refused
from satchel.memories import batches

DAY_MS = 86_400_000


def records(memory: Satchel) -> dict[str, Memory]:
    return {one.id: one for one in memory.parts.ledger.memories.walk(admin_view(EVERYWHERE, 0))}


def past(memory: Satchel) -> list[PastChange]:
    return [*memory.history.list().result.changes]


def undo(memory: Satchel, change: str | None = None) -> Undone:
    return memory.history.undo(change).result


def import_rows(memory: Satchel, folder: Path, *texts: str) -> None:
    file = folder / "rows.jsonl"
    file.write_text("".join(json.dumps({"text": text}) + "\n" for text in texts), encoding="utf-8")
    memory.transfer.import_(str(file))


def capture(memory: Satchel, text: str) -> str:
    memory.observations.capture(json.dumps({"id": text[:8], "tool_name": "Bash", "text": text}))
    memory.observations.ingest()
    return memory.observations.search(text).result.hits[0].id


class TestOneChange:
    def test_a_stored_memory_is_retired(self, memory: Satchel) -> None:
        stored = memory.store("We ship on Thursdays").result

        undone = undo(memory)

        assert (undone.action, undone.memories, undone.retired) == ("undone", 1, 1)
        assert records(memory)[stored.id].state is State.RETIRED
        assert memory.recall("when do we ship?").result.hits == ()

    def test_a_replaced_memory_is_active_again(self, memory: Satchel) -> None:
        old = memory.store("We ship on Thursdays").result.id
        before = records(memory)
        new = memory.store("We ship on Fridays", replaces=old).result.id

        undone = undo(memory)

        assert (undone.memories, undone.retired) == (2, 1)
        assert records(memory)[old] == before[old]
        assert records(memory)[new].state is State.RETIRED

    def test_confirmed_records_have_the_trust_that_they_had(self, memory: Satchel) -> None:
        told = memory.store("The forum says the walrus sings", source_kind="web").result.id
        seen = capture(memory, "the walrus build passed")
        before = records(memory)
        memory.confirm([told, seen])

        undone = undo(memory)

        assert (undone.memories, undone.observations) == (1, 1)
        assert records(memory) == before
        assert memory.observations.get(seen).result.observation.trust is Trust.UNTRUSTED

    def test_edges_that_were_made_with_it_are_removed(self, memory: Satchel) -> None:
        old = memory.attention.add(
            memory_type="summary", title="Release", summary="We ship on Thursdays"
        ).result.memory_id
        memory.attention.add(
            memory_type="summary", title="Release", summary="We ship on Mondays", replaces_memory_id=old
        )
        assert memory.parts.ledger.edges.of(old)  # type: ignore[arg-type]

        undone = undo(memory)

        assert undone.edges == 1
        assert memory.parts.ledger.edges.of(old) == []  # type: ignore[arg-type]
        assert records(memory)[old].state is State.ACTIVE

    def test_a_dry_run_writes_nothing(self, memory: Satchel) -> None:
        memory.store("We ship on Thursdays")
        before, tip = records(memory), memory.parts.ledger.feed.tip()

        planned = memory.history.undo(dry_run=True)

        assert (planned.result.action, planned.result.retired, planned.receipt.kept) == ("planned", 1, False)
        assert (records(memory), memory.parts.ledger.feed.tip()) == (before, tip)

    def test_it_asks_first_and_accepts_a_no(self, memory: Satchel) -> None:
        stored = memory.store("We ship on Thursdays").result
        questions: list[str] = []

        def refuse(question: str) -> bool:
            questions.append(question)
            return False

        assert memory.history.undo(ask=refuse).result.action == "declined"
        assert "store of" in questions[0]
        assert questions[0].endswith("by python, 1 record in global: We ship on Thursdays?")
        assert records(memory)[stored.id].state is State.ACTIVE
        assert memory.history.undo(ask=refuse, yes=True).result.action == "undone"

    def test_only_the_named_scope_is_looked_at(self, memory: Satchel) -> None:
        kept = memory.store("in the shop", scope="shop").result.id
        memory.store("in the mill", scope="mill")

        assert memory.history.undo(scope="shop").result.examples[0].id == kept
        assert [one.scopes for one in memory.history.list(scope="mill").result.changes] == [("mill",)]

    def test_a_read_only_store_refuses_it(self, memory: Satchel) -> None:
        memory.store("We ship on Thursdays")
        with pytest.raises(ReadOnlyMode):
            Satchel(replace(memory.parts, read_only=True)).history.undo()


class TestSeveralChanges:
    def test_each_undo_goes_one_change_further_back(self, memory: Satchel) -> None:
        first, second = memory.store("We ship on Thursdays").result.id, memory.store("Ann likes tea").result.id

        undo(memory)
        undo(memory)

        assert {records(memory)[id].state for id in (first, second)} == {State.RETIRED}
        with pytest.raises(NotFound) as nothing:
            undo(memory)
        assert nothing.value.code == "nothing_to_undo"

    def test_an_undo_can_be_taken_back_and_done_again(self, memory: Satchel) -> None:
        stored = memory.store("We ship on Thursdays").result.id
        before = records(memory)
        undone = undo(memory)

        undo(memory, undone.receipt)
        assert records(memory) == before
        assert [one.undone for one in past(memory)] == [False, True, False]

        undo(memory)
        assert records(memory)[stored].state is State.RETIRED

    def test_an_undone_confirmation_of_an_observation_can_be_confirmed_again(self, memory: Satchel) -> None:
        seen = capture(memory, "the walrus build passed")
        memory.confirm([seen])
        undone = undo(memory)

        undo(memory, undone.receipt)

        assert memory.observations.get(seen).result.observation.trust is Trust.TRUSTED

    def test_a_change_done_again_can_be_taken_back_again(self, memory: Satchel) -> None:
        told = memory.store("The forum says the walrus sings", source_kind="web").result.id
        for _ in range(2):
            memory.confirm([told])
            undo(memory)

        assert records(memory)[told].trust is Trust.UNTRUSTED

    def test_a_memory_that_changed_since_is_left_alone(self, memory: Satchel) -> None:
        told = memory.store("The forum says the walrus sings", source_kind="web")
        memory.confirm([told.result.id])

        with pytest.raises(Conflict) as refused:
            undo(memory, told.receipt.digest)

        assert refused.value.code == "changed_since"
        assert records(memory)[told.result.id].trust is Trust.TRUSTED

    def test_a_forgotten_memory_does_not_come_back(self, memory: Satchel) -> None:
        kept = memory.store("Ann likes tea").result.id
        secret = memory.store("We will sell the harbour")
        memory.forget(secret.result.id)

        with pytest.raises(Refused) as stopped:
            undo(memory)

        assert stopped.value.code == "irrevocable"
        assert "forget of" in stopped.value.message and "by python" in stopped.value.message
        assert records(memory)[kept].state is State.ACTIVE
        before = next(one for one in past(memory) if one.operation == "store" and one.id != secret.receipt.digest)
        assert f"'satchel undo {before.id[:19]}'" in stopped.value.hint
        assert undo(memory, before.id[:19]).examples[0].id == kept
        forgotten = next(one for one in past(memory) if one.operation == "forget")
        with pytest.raises(Refused) as refused:
            undo(memory, forgotten.id)
        assert refused.value.code == "irrevocable"

    def test_an_earlier_undo_is_not_taken_back_after_forgetting(self, memory: Satchel) -> None:
        first = memory.store("Ann likes tea").result.id
        undo(memory)
        memory.forget(memory.store("We will sell the harbour").result.id)

        with pytest.raises(NotFound) as nothing:
            undo(memory)

        assert "erased for good" in nothing.value.message
        assert records(memory)[first].state is State.RETIRED

    @pytest.mark.parametrize("operation", ["fact assert", "conversation add"])
    def test_nothing_is_taken_back_after_a_change_of_other_records(self, memory: Satchel, operation: str) -> None:
        stored = memory.store("Payments is live").result.id
        if operation == "fact assert":
            memory.facts.assert_("payments", "status", "live", sources=[stored])
        else:
            memory.conversations.add("Payments went live", conversation="log")

        with pytest.raises(Refused) as stopped:
            undo(memory)

        assert f"{operation} of" in stopped.value.message
        assert records(memory)[stored].state is State.ACTIVE
        later = memory.store("Ann likes tea").result.id
        assert [one.id for one in undo(memory).examples] == [later]

    def test_it_says_what_else_was_done_since(self, memory: Satchel) -> None:
        memory.store("Ann likes tea")
        memory.episodes.add(text="We talked about tea", session="s")

        undone = undo(memory)

        assert [one.operation for one in undone.skipped] == ["episodes add"]

    def test_a_change_is_taken_back_once(self, memory: Satchel) -> None:
        stored = memory.store("Ann likes tea")
        undo(memory)

        with pytest.raises(Conflict) as refused:
            undo(memory, stored.receipt.digest)
        assert refused.value.code == "already_undone"

    def test_an_unknown_change_is_an_error(self, memory: Satchel) -> None:
        memory.store("Ann likes tea")
        for name in ("", "zz", "sha256:zz", "auto/import-1", "\ud800"):
            with pytest.raises(NotFound):
                undo(memory, name)


class TestBulkChanges:
    def test_all_batches_of_an_import_are_one_change(
        self, memory: Satchel, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(batches, "ROWS_PER_BATCH", 100)
        kept = memory.store("Ann likes tea").result.id
        import_rows(memory, tmp_path, *(f"row number {number} of the walrus" for number in range(501)))
        later = memory.store("Ann likes coffee").result.id

        change = past(memory)[1]
        undone = undo(memory, change.id)

        assert (change.id, change.operation, change.memories) == ("auto/import-1", "import", 501)
        assert undone.retired == 501
        active = {id for id, one in records(memory).items() if one.state is State.ACTIVE}
        assert active == {kept, later}

    def test_a_lifecycle_run_is_taken_back_for_observations_too(self, memory: Satchel) -> None:
        told = memory.store("The walrus eats herring", kind="fact", importance=0.1).result.id
        seen = capture(memory, "the walrus build passed")
        memory.lifecycle.grade()
        later = aged(memory, 400)
        later.lifecycle.run()
        assert records(memory)[told].state is State.ARCHIVED

        undone = undo(memory)

        assert undone.change.id.startswith("auto/lifecycle-run-")
        assert (undone.memories, undone.observations) == (1, 1)
        assert records(memory)[told].state is State.ACTIVE
        assert memory.observations.get(seen).result.observation.state is not State.ARCHIVED

    def test_grades_of_memories_are_taken_back_and_those_of_observations_named(self, memory: Satchel) -> None:
        told = memory.store("The walrus eats herring").result.id
        memory.lifecycle.grade()
        assert records(memory)[told].importance is not None

        undo(memory)

        assert records(memory)[told].importance is None

    def test_a_restore_has_a_tag_before_it_and_can_be_taken_back(self, memory: Satchel) -> None:
        memory.store("Ann likes tea")
        memory.tags.create("then")
        memory.store("Ann likes coffee")
        before = records(memory)

        restored = memory.tags.restore("then").result
        assert restored.tag == f"auto/tag-restore-{restored.before}"
        undo(memory)

        assert records(memory) == before

    def test_nothing_is_tagged_where_nothing_changes(self, memory: Satchel, tmp_path: Path) -> None:
        import_rows(memory, tmp_path, "one row")
        tags = memory.tags.list().result.tags
        import_rows(memory, tmp_path, "one row")
        memory.lifecycle.run()
        memory.tags.restore(memory.parts.ledger.feed.tip())

        assert memory.tags.list().result.tags == tags

    def test_old_automatic_tags_are_deleted_and_others_kept(self, memory: Satchel, tmp_path: Path) -> None:
        memory.tags.create("own")
        for number in range(KEPT + 2):
            import_rows(memory, tmp_path, f"row number {number} of the walrus")

        names = [one.name for one in memory.tags.list().result.tags]

        assert len(names) == KEPT + 1
        assert ("own" in names, "auto/import-0" in names, f"auto/import-{KEPT + 1}" in names) == (True, False, True)

    def test_a_person_cannot_use_the_prefix_of_automatic_tags(self, memory: Satchel) -> None:
        with pytest.raises(InvalidRequest) as refused:
            memory.tags.create("auto/import-7")
        assert refused.value.code == "invalid_tag"


class TestDifferences:
    def test_between_a_tag_and_now(self, memory: Satchel) -> None:
        tea = memory.store("Ann likes tea").result.id
        web = memory.store("The forum says the walrus sings", source_kind="web").result.id
        secret = memory.store("We will sell the harbour").result.id
        memory.tags.create("then")
        coffee = memory.store("Ann likes coffee", replaces=tea).result.id
        memory.confirm([web])
        memory.forget(secret)

        found = memory.tags.diff("then").result

        counts = found.counts
        assert (counts.added, counts.changed, counts.retired, counts.revived, counts.forgotten) == (1, 1, 1, 0, 1)
        assert {one.id: (one.what, one.fields) for one in found.memories} == {
            coffee: ("added", ()),
            tea: ("retired", ("state", "replaced_by", "reason")),
            web: ("changed", ("trust",)),
        }

    def test_between_two_points(self, memory: Satchel) -> None:
        memory.tags.create("start")
        tea = memory.store("Ann likes tea").result.id
        memory.tags.create("middle")
        memory.store("Ann likes coffee", replaces=tea)
        memory.tags.create("end")

        assert [one.what for one in memory.tags.diff("start", "middle").result.memories] == ["added"]
        assert memory.tags.diff("start", "middle").result.memories[0].to_state is State.ACTIVE
        assert sorted(one.what for one in memory.tags.diff("middle", "end").result.memories) == ["added", "retired"]
        assert memory.tags.diff("end").result.memories == ()
        with pytest.raises(InvalidRequest):
            memory.tags.diff("end", "start")

    def test_the_list_is_limited_and_the_counts_are_not(self, memory: Satchel) -> None:
        for number in range(3):
            memory.store(f"walrus number {number} of the herd")

        found = memory.tags.diff(0, limit=2).result

        assert (len(found.memories), found.counts.added) == (2, 3)


def aged(memory: Satchel, days: int) -> Satchel:
    """Return the same store some days later, with activity on every day."""
    start = memory.parts.clock.now()

    class Later:
        def __init__(self, now: int) -> None:
            self._now = now

        def now(self) -> int:
            return self._now

        def ticks(self) -> float:
            return 0.0

    for day in range(0, days, 5):
        Satchel(replace(memory.parts, clock=Later(start + day * DAY_MS))).recall("unrelated words", mode="lexical")
    return Satchel(replace(memory.parts, clock=Later(start + days * DAY_MS)))


def test_left_alone_records_are_listed(memory: Satchel, tmp_path: Path) -> None:
    import_rows(memory, tmp_path, "the walrus sings", "the walrus sleeps")
    first = next(iter(records(memory)))
    memory.confirm([first])

    undone = undo(memory, "auto/import-0")

    assert (undone.retired, undone.left) == (1, (LeftAlone(first, "changed_since"),))


class TestLargeChanges:
    """More than one batch of memories."""

    def stored(self, memory: Satchel, folder: Path, count: int) -> None:
        import_rows(memory, folder, *(f"walrus number {number} of the herd" for number in range(count)))

    def states(self, memory: Satchel) -> Counter[str]:
        return Counter(str(one.state) for one in records(memory).values())

    def test_a_large_restore_and_its_undo_are_exact(self, memory: Satchel, tmp_path: Path) -> None:
        self.stored(memory, tmp_path, 1_200)
        before = self.states(memory)
        waits: list[int] = []
        restored = memory.tags.restore(0, progress=lambda done, total, what: waits.append(done)).result
        assert (self.states(memory), waits) == (Counter(archived=1_200), [1_000])
        [change, *_] = memory.history.list().result.changes
        assert (change.id, change.memories) == (restored.tag, 1_200)

        undone = memory.history.undo().result

        assert (undone.memories, self.states(memory)) == (1_200, before)
        assert undone.receipt is not None
        assert undone.receipt.startswith("auto/undo-")
        memory.history.undo(undone.receipt)
        assert self.states(memory) == Counter(archived=1_200)
        assert memory.maintenance.receipts_verify().result.broken_at is None

    def test_a_small_undo_after_a_large_one_is_a_change_of_its_own(self, memory: Satchel, tmp_path: Path) -> None:
        self.stored(memory, tmp_path, 600)
        memory.tags.restore(0)
        memory.history.undo()
        memory.store("a late walrus")
        small = memory.history.undo().result

        changes = memory.history.list().result.changes
        assert [one.memories for one in changes[:2]] == [1, 1]
        assert small.receipt is not None
        assert small.receipt.startswith("sha256:")

    def test_an_interrupted_undo_is_finished_by_another(self, memory: Satchel, tmp_path: Path) -> None:
        self.stored(memory, tmp_path, 2_600)
        tag = memory.tags.restore(0).result.tag

        class Stopped(Exception):
            pass

        def stop(done: int, total: int, what: str) -> None:
            if done >= 2_000:
                raise Stopped

        with pytest.raises(Stopped):
            memory.history.undo(tag, progress=stop)
        assert 0 < self.states(memory)["archived"] < 2_600

        memory.history.undo(tag)
        assert self.states(memory)["archived"] == 0
        with pytest.raises(Conflict) as finished:
            memory.history.undo(tag)
        assert finished.value.code == "already_undone"

    def test_an_interrupted_restore_is_finished_by_another(self, memory: Satchel, tmp_path: Path) -> None:
        self.stored(memory, tmp_path, 1_200)

        class Stopped(Exception):
            pass

        def stop(done: int, total: int, what: str) -> None:
            raise Stopped

        with pytest.raises(Stopped):
            memory.tags.restore(0, progress=stop)
        assert 0 < self.states(memory)["archived"] < 1_200

        memory.tags.restore(0)
        assert self.states(memory) == Counter(archived=1_200)
