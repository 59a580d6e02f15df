"""Visibility, trust, stored packets, and forgetting."""

import json
from pathlib import Path

import apsw
import pytest

from satchel.app import Satchel
from satchel.domain.attention import Role
from satchel.domain.policies.attention import AttentionPolicy
from satchel.errors import Conflict, NotFound, Refused
from satchel.interfaces.serialization import to_json
from tests.attention.stores import HOUR, NOON, AttentionStore, add, open_test_store, ranked, tables


class TestIsolation:
    def test_other_scopes_are_invisible(self, router: AttentionStore) -> None:
        theirs = add(router, "preference", "Their secret rule about rivets", scope="team/b", task_id="t")
        mine = add(router, "preference", "My rule about rivets", scope="team/a", task_id="t")

        answer = router.attention.route("rivets", task_id="t", scope="team/a")

        shown = json.dumps([to_json(answer.result), to_json(answer.receipt.body)])
        assert answer.result.packet.selected_memory_ids == (mine,)
        assert theirs not in shown
        assert "secret" not in shown
        assert [item.id for item in router.attention.list(scope="team/a").result.items] == [mine]
        assert [len(router.attention.packets(scope=scope).result.items) for scope in ("team/a", "team/b")] == [1, 0]
        for call in (
            lambda: router.attention.inspect(theirs, scope="team/a"),
            lambda: router.attention.refresh([theirs], scope="team/a"),
            lambda: add(router, "summary", "x", replaces_memory_id=theirs, scope="team/a"),
            lambda: add(
                router, "summary", "x", scope="team/a", edges=[{"to_memory_id": theirs, "edge_type": "supports"}]
            ),
        ):
            with pytest.raises(NotFound):
                call()

    def test_quarantined_expired_future_and_retired_memories_are_never_routed(self, router: AttentionStore) -> None:
        add(router, "preference", "rivets quarantined", trust="quarantined", task_id="t", session_id="s")
        add(router, "preference", "rivets expired", valid_to_ts="2020-01-01", task_id="t", session_id="s")
        add(router, "preference", "rivets future", valid_from_ts="2999-01-01", task_id="t", session_id="s")
        router.attention.refresh([add(router, "preference", "rivets retired", task_id="t", session_id="s")])

        for role in Role:
            answer = router.attention.route("rivets", step_role=role, task_id="t", session_id="s").result
            assert answer.packet.hard_constraints == ()
            assert answer.debug.selected_memories == ()

    @pytest.mark.parametrize("standing", [{"trust": "quarantined"}, {"valid_to_ts": "2020-01-01"}])
    def test_memories_that_are_never_routed_are_no_evidence(
        self, router: AttentionStore, standing: dict[str, str]
    ) -> None:
        target = add(router, "procedure", "Steps for the audit")
        for type in ("supports", "contradicts"):
            add(router, "reflection", type, edges=[{"to_memory_id": target, "edge_type": type}], **standing)

        assert not {"support", "contradiction"} & set(ranked(router, "audit")[target].contributions)

    def test_an_agent_cannot_retire_trusted_memories(self, router: AttentionStore) -> None:
        rule = add(router, "preference", "No downtime")
        note = add(router, "preference", "Downtime is fine", source_kind="tool")

        for fields in ({"source_kind": "tool"}, {"replacement_memory_id": note}):
            with pytest.raises(Refused) as refused:
                router.attention.refresh([rule], **fields)
            assert refused.value.code == "trust_not_granted"
        with pytest.raises(Refused):
            add(router, "preference", "x", source_kind="tool", replaces_memory_id=rule)
        assert router.attention.refresh([note], source_kind="tool").result.deactivated == (note,)

    def test_reflections_and_procedures_of_an_agent_are_untrusted(self, router: AttentionStore) -> None:
        made = router.attention.reflect(lessons=["x"], create_procedure=True, source_kind="tool", source_ref="mcp me")
        for id in (made.result.reflection_memory_id, made.result.procedure_memory_id or ""):
            assert router.get(id).result.memory.trust == "untrusted"
        row = ranked(router, "x", "critic")[made.result.reflection_memory_id]
        assert "trust:untrusted" in row.reasons


class TestRecordKeeping:
    def test_routing_changes_no_memory(self, router: AttentionStore) -> None:
        add(router, "summary", "rivets", edges=[])
        before = tables(router)
        router.attention.route("rivets")

        after = tables(router)
        assert {name for name in before if before[name] != after[name]} == {
            "packets",
            "packet_items",
            "receipts",
            "use",
        }

    def test_a_packet_is_stored_as_returned(self, router: AttentionStore) -> None:
        add(router, "preference", "No downtime")
        answer = router.attention.route("ship", session_id="s", task_id="t", unresolved_questions=["who?"]).result

        kept = router.attention.packets().result.items
        assert [(one.id, one.session_id, one.task_id, one.step_role, one.goal) for one in kept] == [
            (answer.packet_id, "s", "t", "planner", "ship")
        ]
        assert kept[0].packet == answer.packet

    def test_without_a_session_none_is_stored(self, router: AttentionStore) -> None:
        router.attention.route("ship")

        assert router.attention.packets().result.items[0].session_id is None

    def test_only_the_newest_packets_are_kept(self, tmp_path: Path) -> None:
        with open_test_store(tmp_path, attention=AttentionPolicy(packets_kept=3)) as router:
            add(router, "preference", "No downtime")
            made = [router.attention.route(f"goal {number}").result.packet_id for number in range(5)]

            assert [one.id for one in router.attention.packets().result.items] == made[:1:-1]
        with open_test_store(tmp_path, attention=AttentionPolicy(packets_kept=0)) as router:
            assert router.attention.route("goal").result.packet_id is None
            assert router.attention.packets().result.items == ()

    def test_every_write_has_a_receipt_and_every_event_names_it(self, router: AttentionStore) -> None:
        old = add(router, "summary", "a secret text")
        new = router.attention.add("summary", "t", "b", replaces_memory_id=old)
        router.attention.reflect(lessons=["c"], create_procedure=True)
        router.attention.refresh([new.result.memory_id], refresh_reason="a private reason")
        router.attention.route("a secret goal", user_constraints=["a secret constraint"])

        kept = router.maintenance.receipts_list().result
        assert [one.operation for one in reversed(kept)] == [
            "attention add", "attention add", "attention reflect", "attention refresh", "attention route"
        ]  # fmt: skip
        assert router.maintenance.receipts_verify().result.broken_at is None
        assert {event.receipt for event in router.get(old).result.history} == {kept[4].digest, kept[3].digest}
        assert not [one for one in kept if "secret" in json.dumps(to_json(one.body)) or "private" in str(one.body)]

    def test_the_same_store_and_request_give_the_same_bytes(self, tmp_path: Path) -> None:
        def told() -> str:
            with open_test_store(tmp_path) as router:
                for number in range(30):
                    add(router, ("summary", "procedure", "preference")[number % 3], f"note {number} on rivets")
                router.clock.time = NOON + HOUR
                answer = router.attention.route("rivets and notes", task_id="t", recent_failures=["note 3"])
                return json.dumps(to_json(answer.result)) + answer.receipt.digest

        assert told() == told()

    def test_only_packed_memories_count_as_used(self, router: AttentionStore) -> None:
        id = add(router, "preference", "No downtime")
        add(router, "episode", "Nobody asked")
        router.attention.route("avoid downtime")

        assert [row[:2] for row in tables(router)["use"]] == [(id, 1)]


class TestForgetting:
    def test_forgetting_erases_edges_details_and_packets(self, memory: Satchel) -> None:
        secret = "The vault opens with forty-two seventeen"
        id = add(memory, "preference", secret, title="The vault of the house", details={"must": "say nothing of it"})
        other = add(memory, "preference", "No downtime at all", edges=[{"to_memory_id": id, "edge_type": "extends"}])
        memory.attention.route("vault downtime")
        memory.attention.route(f"Tell me of the harbour: {secret}")
        memory.attention.route("Tell me of the harbour", user_constraints=[f"mind that {secret}", "be brief"])
        memory.attention.route("No downtime")

        forgotten = memory.forget(id, verify=True).result

        assert forgotten.check is not None
        assert forgotten.check.conclusive
        assert forgotten.check.found_before > 0
        assert forgotten.check.found_after == ()
        assert memory.attention.inspect(other).result.edges == ()
        [left] = memory.attention.packets().result.items
        assert (left.goal, left.packet.hard_constraints) == ("No downtime", ("No downtime at all",))
        text = "".join(str(rows) for rows in tables(memory).values())
        assert "forty-two" not in text
        assert "say nothing" not in text

    def test_with_the_last_memory_of_a_scope_go_all_its_packets(self, memory: Satchel) -> None:
        ids = [add(memory, "preference", text, scope="team/a") for text in ("No downtime at all", "Be brief")]
        add(memory, "preference", "Answer in English", scope="team/b")
        memory.attention.route("a goal that nothing answers", scope="team/a")
        memory.attention.route("another goal", scope="team/b")

        memory.forget(ids[0], scope="team/a")
        assert len(memory.attention.packets(scope="team/a").result.items) == 1
        memory.forget(ids[1], scope="team/a")

        assert memory.attention.packets(scope="team/a").result.items == ()
        assert len(memory.attention.packets(scope="team/b").result.items) == 1

    def test_a_packet_is_forgotten_by_its_id(self, memory: Satchel) -> None:
        kept = add(memory, "preference", "No downtime at all")
        memory.attention.route("the goal of the submarine expedition")
        memory.attention.route("avoid downtime")
        _, packet = memory.attention.packets().result.items

        with pytest.raises(NotFound):
            memory.forget(packet.id, scope="team/a")
        forgotten = memory.forget(packet.id, verify=True).result

        assert forgotten.check is not None
        assert forgotten.check.proves
        assert [one.goal for one in memory.attention.packets().result.items] == ["avoid downtime"]
        assert memory.get(kept)
        assert memory.maintenance.receipts_verify().result.broken_at is None
        with pytest.raises(NotFound):
            memory.forget(packet.id)

    def test_a_goal_that_repeats_an_episode_goes_with_it(self, memory: Satchel) -> None:
        said = "The lighthouse keeper is called Ingrid Solberg"
        add(memory, "preference", "No downtime at all")
        memory.episodes.add([{"text": said, "session": "s", "speaker": "Ann", "id": "t1"}])
        memory.attention.route(f"find out whether {said}")
        [turn] = memory.episodes.list().result.episodes

        memory.episodes.forget(turn.id)

        assert memory.attention.packets().result.items == ()

    def test_a_forgotten_id_cannot_be_reused(self, memory: Satchel) -> None:
        add(memory, "summary", "x", id="mine")
        memory.forget("mine")

        with pytest.raises(Conflict, match="id"):
            add(memory, "summary", "y", id="mine")


def test_while_the_store_is_locked_a_packet_is_returned_but_not_kept(memory: Satchel, home: Path) -> None:
    add(memory, "preference", "No downtime")
    other = apsw.Connection(str(home / "ledger.sqlite3"))
    other.execute("BEGIN IMMEDIATE")
    try:
        answer = memory.attention.route("avoid downtime")
    finally:
        other.close()

    assert answer.result.packet.hard_constraints == ("No downtime",)
    assert (answer.result.packet_id, answer.receipt.kept) == (None, False)
    assert memory.attention.packets().result.items == ()
