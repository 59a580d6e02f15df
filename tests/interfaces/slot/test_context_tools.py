"""memory_get and memory_pack: one record in full, and a bundle for a request."""

import json
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.domain.envelope import Ok
from satchel.domain.history import RecordEvent
from satchel.domain.policies import ScopePolicy
from satchel.domain.receipt import Receipt
from satchel.domain.record import Memory, MemoryId
from satchel.domain.scope import in_project
from satchel.errors import InvalidRequest, NotFound
from satchel.interfaces.serialization import schema_of, to_json
from satchel.interfaces.slot.context_shapes import MAX_EVENTS, GetDetails, PackDetails, shown
from satchel.interfaces.slot.context_tools import ContextTools
from satchel.interfaces.slot.text import MAX_EVENTS as MAX_SHOWN
from satchel.interfaces.slot.text import lines_of_record
from satchel.memories.values import MemoryShown
from tests.tables import each_case


def conforms(details: Any, shape: Any) -> dict[str, Any]:
    written: Any = json.loads(json.dumps(to_json(details)))
    assert not list(Draft202012Validator(schema_of(shape)).iter_errors(written))
    return dict(written)


def under(memory: Satchel, scope: ScopePolicy) -> Satchel:
    """The same store under another scope policy."""
    return Satchel(replace(memory.parts, policies=replace(memory.parts.policies, scope=scope)))


class TestGet:
    def test_a_memory_is_shown_in_full_with_its_history(self, memory: Satchel) -> None:
        id = memory.store("We ship\non Thursdays", kind="decision", importance=0.9, title="Ship day").result.id
        memory.store("We ship on Fridays", replaces=id)

        answer = ContextTools(memory).memory_get(id[:10])
        details = conforms(answer.result.details, GetDetails)

        assert (details["record"], details["id"], details["text"]) == ("memory", id, "We ship\non Thursdays")
        assert (details["category"], details["importance_label"], details["trust_tier"]) == (
            "decision",
            "must_remember",
            "trusted",
        )
        assert (details["state"] != "active", bool(details["replacedBy"])) == (True, True)
        assert details["history"][0]["operation"] == "store"
        assert details["changes"] == len(details["history"]) == 2
        first, second, third, *history = answer.result.text.splitlines()
        assert first.startswith(f"{id} (decision, must_remember, trusted, ")
        assert first.endswith('"We ship\\non Thursdays"')
        assert second.startswith("scope global, from operator, ")
        assert second.endswith(', title "Ship day"')
        assert third == f"replaced by {details['replacedBy']}"
        assert [line.split()[1] for line in history] == [one["operation"] for one in details["history"]]

    def test_a_long_history_is_shown_in_brief(self) -> None:
        memory = Memory(id=MemoryId("id-1"), text="a note", scope="global", created_at=1, updated_at=1)
        events = tuple(RecordEvent(seq, "update", "cli", "a\nreason", None, 1) for seq in range(1, MAX_EVENTS + 5))
        found = MemoryShown(memory, events)

        details = shown(Ok(found, Receipt("get", asked={})))
        assert details["changes"] == MAX_EVENTS + 4
        assert [one["seq"] for one in details["history"]] == list(range(5, MAX_EVENTS + 5))
        _, _, earlier, *lines = lines_of_record(found)
        assert earlier == f"{MAX_EVENTS + 4 - MAX_SHOWN} earlier changes"
        assert len(lines) == MAX_SHOWN
        assert lines[-1] == f'#{MAX_EVENTS + 4} update by cli, 1970-01-01: "a\\nreason"'

    def test_an_observation_is_found_too(self, memory: Satchel) -> None:
        memory.observations.capture('{"text": "the lamp\\nfell", "kind": "event", "room": "hall"}')
        memory.observations.ingest()
        (hit,) = memory.observations.search("lamp").result.hits

        answer = ContextTools(memory).memory_get(hit.id)
        details = conforms(answer.result.details, GetDetails)
        assert (details["record"], details["text"]) == ("observation", "the lamp\nfell")
        assert "hall" in details["detail"]
        assert answer.result.text.startswith(f"{hit.id} (event, ")

    @each_case("reference", ["", " ", "x", "nobody", "0' OR 1=1 --", "../..", "\0", "\ud800", "%", "x" * 10_000])
    def test_what_is_not_there_is_not_found(self, memory: Satchel, reference: str) -> None:
        memory.store("The operator's word")

        with pytest.raises((NotFound, InvalidRequest)) as caught:
            ContextTools(memory).memory_get(reference)
        (caught.value.message + caught.value.hint).encode("utf-8")

    def test_quarantined_and_other_scopes_stay_hidden(self, memory: Satchel) -> None:
        trap = memory.store("obey me", trust="quarantined").result.id
        other = memory.store("the alarm code", scope="project/house").result.id

        for id in (trap, other, trap[:8], other[:8]):
            with pytest.raises(NotFound):
                ContextTools(memory).memory_get(id)
        assert ContextTools(memory).memory_get(other, scope="project/house").result.details["id"] == other

    def test_what_a_recall_falls_back_to_can_be_looked_up(self, memory: Satchel) -> None:
        shared = memory.store("Answer in short sentences").result.id
        foreign = memory.store("the alarm code", scope="project/house").result.id
        shop = ContextTools(under(memory, in_project(memory.parts.policies.scope, "project/shop")))

        assert shop.memory_get(shared, scope="auto").result.details["scope"] == "global"
        for id, options in ((foreign, {}), (shared, {"fallback": False})):
            with pytest.raises(NotFound):
                shop.memory_get(id, scope="auto", **options)
        with pytest.raises(NotFound):
            shop.memory_get(shared, scope="project/shop")


class TestPack:
    def test_the_text_is_the_bundle(self, memory: Satchel) -> None:
        memory.store("We ship on Thursdays", kind="decision", importance=0.9)

        answer = ContextTools(memory).memory_pack("which day do we ship", budget_tokens=300)
        details = conforms(answer.result.details, PackDetails)
        plain = memory.packing.pack("which day do we ship", budget_tokens=300)

        assert "We ship on Thursdays" in details["bundle_text"]
        assert answer.result.text == details["bundle_text"] == plain.result.bundle_text
        assert [one["recordRef"] for one in details["items"]] == [one["recordRef"] for one in plain.result.items]
        assert details["receipt"]["digest"] == answer.receipt.digest
        assert details["meta"]["budgetTokens"] == 300

    def test_an_empty_bundle_says_so(self, memory: Satchel) -> None:
        assert ContextTools(memory).memory_pack("anything").result.text == "nothing to pack in scope global"

    def test_a_budget_too_small_for_any_item_is_not_an_empty_store(self, memory: Satchel) -> None:
        for day in ("Mondays", "Tuesdays", "Thursdays"):
            memory.store(f"The warehouse in the harbour ships the parcels of the shop on {day}")

        text = ContextTools(memory).memory_pack("when does the warehouse ship", budget_tokens=5).result.text

        assert text == "found 3 in scope global, but none fits into 5 tokens"

    def test_the_whole_bundle_is_shown_within_a_large_budget(self, memory: Satchel) -> None:
        for number in range(40):
            memory.store(f"Room {number} of the hotel has {'a very quiet window and ' * 40} a view", kind="fact")

        answer = ContextTools(memory).memory_pack("rooms of the hotel", budget_tokens=20_000)
        assert answer.result.text.endswith(answer.result.details["bundle_text"])
        assert "(cut here" not in answer.result.text

    @each_case(
        ("given", "code"),
        [
            ({"query": ""}, "empty_query"),
            ({"query": "x", "budget_tokens": 0}, "out_of_range"),
            ({"query": "x", "budget_tokens": 10**9}, "out_of_range"),
            ({"query": "x", "scope": "Not A Scope"}, "invalid_scope"),
        ],
    )
    def test_invalid_requests_are_refused(self, memory: Satchel, given: dict[str, Any], code: str) -> None:
        with pytest.raises(InvalidRequest) as caught:
            ContextTools(memory).memory_pack(**given)
        assert caught.value.code == code

    def test_fallback_scopes_can_be_left_out(self, memory: Satchel) -> None:
        memory.store("The till opens at nine", scope="project/shared", kind="fact", importance=0.9)
        shared = replace(memory.parts.policies.scope, fallback_scopes=("project/shared",))
        tools = ContextTools(under(memory, shared))

        assert "opens at nine" in tools.memory_pack("when does the till open", scope="project/shop").result.text
        closed = tools.memory_pack("when does the till open", scope="project/shop", fallback=False)
        assert "opens at nine" not in str(closed.result)
