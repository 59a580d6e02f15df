"""The memory tools: every field of their specification."""

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator
from msgspec.structs import replace

from satchel.adapters.clock import SystemClock
from satchel.app import Satchel
from satchel.config import Settings, load
from satchel.domain.policies import Policies, ReceiptPolicy, ScopePolicy, StorePolicy, Validation
from satchel.errors import Conflict, InvalidRequest, NotFound, SatchelError
from satchel.interfaces.serialization import schema_of, to_json
from satchel.interfaces.slot import shapes
from satchel.interfaces.slot.tools import MemoryTools

SECRET = "gh" + "p_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
DAY_MS = 86_400_000
NOW = 1_767_225_600_000
WARNING = "⚠️ "

STORE = {"action", "id", "createdAt", "category", "importance", "importance_label", "scope", "receipt"}
STORE_RECEIPT = {
    *("dbPath", "tableName", "model", "latencyMs", "scope", "scopeMode", "scopeFilterApplied", "scopeValidation"),
    *("embeddingSkipped", "embeddingSkipReason", "weiJiMemoryPreflight"),
}
RECALL_RECEIPT = {
    *("dbPath", "tableName", "model", "limit", "latencyMs", "ftsCount", "vecCount", "fusedCount", "policyTier"),
    *("scopeMode", "scope", "scopeFilterApplied", "scopeValidation", "fallback", "coldLane", "lifecycle"),
}
RECALLED = {
    *("id", "text", "category", "importance", "importance_label", "scope", "trust_tier", "createdAt"),
    *("distance", "score", "source_kind", "source_ref", "lang"),
}
LIFECYCLE = {
    *("schema", "verbosity", "skipped", "skipReason", "rejected", "scope", "scopeMode", "selectionMode"),
    *("tiersSearched", "tierCounts", "ftsTop", "vecTop", "fusedTop", "whySummary", "whyTheseIds"),
    *("finalCount", "injectedCount", "fallback"),
}
FALLBACK = {"eligible", "consulted", "consultedScopes", "usedScopes", "contributed", "suppressedReason"}
LISTED = {
    *(
        "id",
        "category",
        "importance",
        "importance_label",
        "scope",
        "trust_tier",
        "state",
        "createdAt",
        "createdAtIso",
        "text",
    ),
}
ADMIN_RECEIPT = {
    *("operation", "filtersApplied", "matchedCount", "returnedCount", "dbPath", "tableName", "latencyMs"),
}
IMPORT_RECEIPT = {
    *("operation", "filtersApplied", "importedCount", "skippedCount", "failedCount", "dbPath", "tableName"),
    *("latencyMs", "source", "format", "dedupe", "dryRun", "parsedCount"),
}

Governed = Callable[[Policies], Satchel]


class StoppedClock(SystemClock):
    """Stands still until it is set."""

    moment = NOW

    def now(self) -> int:
        return self.moment


@pytest.fixture
def governed(memory: Satchel) -> Governed:
    """The same store under other policies."""
    return lambda policies: Satchel(replace(memory.parts, policies=policies))


@pytest.fixture
def wordy(tmp_path: Path) -> Iterator[Satchel]:
    """A store without an embedder."""
    with Satchel.open(settings=load(home=str(tmp_path / "wordy"), embedding={"provider": "none"})) as opened:
        yield opened


def conforms(details: Mapping[str, Any], shape: Any) -> dict[str, Any]:
    """Return details as an edge writes them, having seen that they have the shape that is promised."""
    written: Any = json.loads(json.dumps(to_json(details)))
    assert not list(Draft202012Validator(schema_of(shape)).iter_errors(written))
    return dict(written)


def stored(memory: Satchel, text: str, source_kind: str = "operator", **given: Any) -> dict[str, Any]:
    answer = MemoryTools(memory).memory_store(text, source_kind=source_kind, **given)
    return conforms(answer.result.details, shapes.StoreDetails)


def recalled(memory: Satchel, query: str, **given: Any) -> dict[str, Any]:
    return conforms(MemoryTools(memory).memory_recall(query, **given).result.details, shapes.RecallDetails)


class TestStore:
    def test_all_fields_are_present_and_correct(self, memory: Satchel, home: Path) -> None:
        answer = MemoryTools(memory).memory_store(
            "We ship on Thursdays", importance=0.9, category="decision", scope="project/a", source_kind="operator"
        )
        details = conforms(answer.result.details, shapes.StoreDetails)
        found = memory.get(details["id"], scope="project/a").result.memory

        assert set(details) >= STORE
        assert (details["action"], details["createdAt"]) == ("created", found.created_at)
        assert (details["category"], details["importance"], details["importance_label"]) == (
            "decision",
            0.9,
            "must_remember",
        )
        assert (details["scope"], details["trust_tier"], details["likeness"]) == ("project/a", "trusted", None)
        receipt = details["receipt"]
        assert set(receipt) >= STORE_RECEIPT
        assert (receipt["dbPath"], receipt["tableName"]) == (str(home.resolve()), "memories")
        assert receipt["latencyMs"] > 0
        assert (receipt["scope"], receipt["scopeMode"], receipt["scopeFilterApplied"]) == (
            "project/a",
            "explicit",
            True,
        )
        assert (receipt["embeddingSkipped"], receipt["embeddingSkipReason"]) == (True, "deferred")
        check = receipt["weiJiMemoryPreflight"]
        assert [check[name] for name in ("enabled", "attempted", "decision", "mode")] == [
            False,
            False,
            "allow",
            "disabled",
        ]
        assert receipt["digest"] == answer.receipt.digest

    def test_omitted_fields_have_defaults(self, memory: Satchel) -> None:
        details = stored(memory, "We ship on Thursdays")

        assert (details["importance"], details["importance_label"], details["category"], details["scope"]) == (
            None,
            "unknown",
            "other",
            "global",
        )

    @pytest.mark.parametrize(
        ("importance", "label"),
        [(0.0, "ignore"), (0.49, "ignore"), (0.5, "nice_to_have"), (0.79, "nice_to_have"), (0.8, "must_remember")],
    )
    def test_importance_has_a_label(self, memory: Satchel, importance: float, label: str) -> None:
        assert stored(memory, "x", importance=importance)["importance_label"] == label

    @pytest.mark.parametrize("category", ["preference", "decision", "fact", "entity", "todo", "other"])
    def test_each_category_is_kept(self, memory: Satchel, category: str) -> None:
        stored(memory, f"a {category}", category=category)

        assert MemoryTools(memory).memory_list(category=category).result.details["count"] == 1

    @pytest.mark.parametrize("category", ["procedure", "plan", "Decision", "", "*"])
    def test_an_unknown_category_is_refused(self, memory: Satchel, category: str) -> None:
        with pytest.raises(InvalidRequest) as caught:
            MemoryTools(memory).memory_store("x", category=category)

        assert caught.value.code == "unknown_word"
        assert memory.maintenance.stats().result.tally.memories == 0

    def test_the_model_is_named_once_there_are_vectors(self, memory: Satchel) -> None:
        assert stored(memory, "one")["receipt"]["model"] is None
        MemoryTools(memory).memory_recall("one")

        assert str(stored(memory, "two")["receipt"]["model"]).startswith("hashing")

    def test_a_memory_that_replaces_another_retires_it(self, memory: Satchel) -> None:
        old = stored(memory, "We ship on Fridays")["id"]
        answer = MemoryTools(memory).memory_store("We ship on Thursdays", replaces=old, source_kind="operator")

        assert memory.get(old).result.memory.state == "retired"
        assert answer.result.text.splitlines()[1] == f"retired {old}"

    def test_no_text_of_the_memory_is_in_the_receipt(self, memory: Satchel) -> None:
        answer = MemoryTools(memory).memory_store("the xylophone code is forty-two", scope="Not A Scope")

        assert "xylophone" not in json.dumps(to_json(answer.result.details["receipt"]))
        assert "xylophone" not in str(answer.receipt.body)


class TestScope:
    @pytest.mark.parametrize(
        ("scope", "text", "expected", "mode"),
        [
            ("project/a", "x", "project/a", "explicit"),
            ("project/a", "[SCOPE: project/b] x", "project/a", "explicit"),
            (None, "[SCOPE: project/b] x", "project/b", "inferred"),
            (None, "[ scope : project/b ] x", "project/b", "inferred"),
            (None, "- > [SCOPE: project/b]\nx", "project/b", "inferred"),
            (None, "[SCOPE: project/b] [ISO: project/c] x", "project/c", "inferred"),
            (None, "see [SCOPE: project/b]", "global", "global"),
            (None, "```\n[SCOPE: project/b]\n```\nx", "global", "global"),
            (None, "x", "global", "global"),
        ],
    )
    def test_it_is_named_or_tagged_or_the_default(
        self, memory: Satchel, scope: str | None, text: str, expected: str, mode: str
    ) -> None:
        kept, asked = stored(memory, text, scope=scope), recalled(memory, text, scope=scope)

        for receipt in (kept["receipt"], asked["receipt"]):
            assert (receipt["scope"], receipt["scopeMode"]) == (expected, mode)
            assert receipt["scopeValidation"] == {"validationMode": "strict", "invalid": False, "normalized": False}
        assert [one["id"] for one in asked["memories"]] == [kept["id"]]

    @pytest.mark.parametrize("name", ["Not A Scope", "UPPER", "*", "", "-a", "a" * 65, "日本", "a\nb", "a' OR 1=1"])
    def test_strict_stores_an_invalid_scope_in_the_default_scope_with_a_warning(
        self, memory: Satchel, name: str
    ) -> None:
        answer = MemoryTools(memory).memory_store("We ship on Thursdays", scope=name)
        details = conforms(answer.result.details, shapes.StoreDetails)

        assert details["scope"] == "global"
        assert details["receipt"]["scopeValidation"] == {
            "validationMode": "strict",
            "invalid": True,
            "normalized": False,
        }
        assert details["receipt"]["warnings"][0].startswith("scope_invalid: ")
        assert answer.result.text.startswith(f"{WARNING}scope_invalid: ")

    def test_strict_recalls_from_the_default_scope_without_fallbacks_and_says_so(self, governed: Governed) -> None:
        memory = governed(Policies(scope=ScopePolicy(fallback_scopes=("shop",))))
        memory.store("We ship on Thursdays", scope="shop")
        kept = memory.store("Ships are painted blue").result
        answer = MemoryTools(memory).memory_recall("ship", scope="Not A Scope")

        assert answer.result.text.startswith(
            f"{WARNING}scope_invalid: the scope name is not valid; 'global' was searched"
        )
        assert [one["id"] for one in answer.result.details["memories"]] == [kept.id]
        receipt = answer.result.details["receipt"]
        assert (receipt["scopeValidation"]["invalid"], receipt["fallback"]["suppressedReason"]) == (
            True,
            "invalid_scope",
        )
        assert "shop" not in answer.result.text.partition("\n")[0]

    def test_strict_refuses_to_read_from_an_invalid_scope(self, memory: Satchel) -> None:
        reads: tuple[Callable[[], Any], ...] = (
            lambda: MemoryTools(memory).memory_list(scope="Not A Scope"),
            lambda: MemoryTools(memory).memory_stats(scope="Not A Scope"),
            lambda: MemoryTools(memory).memory_forget(query="x", scope="Not A Scope"),
        )
        for read in reads:
            with pytest.raises(InvalidRequest) as caught:
                read()
            assert caught.value.code == "invalid_scope"

    def test_an_invalid_tag_is_read_from_the_default_scope_with_a_warning(self, memory: Satchel) -> None:
        answer = MemoryTools(memory).memory_recall("[SCOPE: Not A Scope] ship")

        assert answer.result.text.startswith(f"{WARNING}scope_invalid: ")
        assert answer.result.details["receipt"]["scopeValidation"]["invalid"]

    def test_normalize_rewrites_it(self, governed: Governed) -> None:
        memory = governed(Policies(scope=ScopePolicy(validation_mode=Validation.NORMALIZE)))
        details = stored(memory, "We ship", scope="  Project A / B!! ")

        assert details["scope"] == "project-a-/-b"
        assert details["receipt"]["scopeValidation"] == {
            "validationMode": "normalize",
            "invalid": False,
            "normalized": True,
        }
        assert recalled(memory, "ship", scope="PROJECT A / B")["count"] == 1
        assert stored(memory, "We ship", scope="!!!")["receipt"]["scopeValidation"]["invalid"]

    def test_none_accepts_it_unchanged(self, governed: Governed) -> None:
        memory = governed(Policies(scope=ScopePolicy(validation_mode=Validation.NONE)))
        details = stored(memory, "We ship", scope="Project A")

        assert details["scope"] == "Project A"
        assert details["receipt"]["scopeValidation"] == {
            "validationMode": "none",
            "invalid": False,
            "normalized": False,
        }
        assert stored(memory, "We ship", scope="*")["receipt"]["scopeValidation"]["invalid"]

    def test_fallback_scopes_are_used_and_recorded_in_the_receipt(self, governed: Governed) -> None:
        memory = governed(Policies(scope=ScopePolicy(fallback_scopes=("shared", "archive"))))
        stored(memory, "We ship on Thursdays", scope="shared")

        details = recalled(memory, "ship Thursdays", scope="project/a")
        fallback = details["receipt"]["fallback"]
        assert set(fallback) == FALLBACK
        assert (fallback["eligible"], fallback["consulted"], fallback["usedScopes"]) == (True, True, ["shared"])
        assert (fallback["contributed"], fallback["suppressedReason"]) == (1, None)
        assert details["memories"][0]["why"]["origin"] == "fallback"
        assert details["receipt"]["lifecycle"]["fallback"] == fallback
        assert details["receipt"]["warnings"][0].startswith("scope_fallback: ")

        alone = recalled(memory, "ship Thursdays", scope="project/a", fallback=False)
        assert (alone["count"], alone["receipt"]["fallback"]["suppressedReason"]) == (0, "disabled")


class TestDuplicates:
    @pytest.mark.parametrize(
        ("again", "likeness"),
        [
            ("We ship on Thursdays", "exact"),
            ("  we SHIP on\n thursdays ", "exact"),
            ("We ship on Thursdays.", "near"),
            ("we ship on the Thursday", "near"),
        ],
    )
    def test_a_duplicate_is_named_and_not_stored_again(self, memory: Satchel, again: str, likeness: str) -> None:
        first = stored(memory, "We ship on Thursdays", importance=0.9, category="decision")
        answer = MemoryTools(memory).memory_store(again, importance=0.1)
        details = conforms(answer.result.details, shapes.StoreDetails)

        assert (details["action"], details["id"], details["likeness"]) == ("duplicate", first["id"], likeness)
        assert (details["importance"], details["category"]) == (0.9, "decision")
        assert answer.result.text.startswith(f"already there as {first['id']}")
        assert memory.maintenance.stats().result.tally.memories == 1

    def test_another_statement_is_another_memory(self, memory: Satchel) -> None:
        texts = ["We ship on Thursdays", "We do not ship on Thursdays", "We ship on Fridays", "Who ships on Thursdays?"]

        assert [stored(memory, text)["action"] for text in texts] == ["created"] * 4

    def test_another_scope_is_another_store(self, memory: Satchel) -> None:
        for scope in ("project/a", "project/b", None):
            assert stored(memory, "We ship on Thursdays", scope=scope)["action"] == "created"

    def test_the_operators_memory_is_stored_next_to_an_agents(self, memory: Satchel) -> None:
        agents = stored(memory, "We ship on Thursdays", source_kind="tool")
        persons = stored(memory, "We ship on Thursdays")
        again = stored(memory, "We ship on Thursdays", source_kind="tool")

        assert (agents["trust_tier"], persons["trust_tier"]) == ("untrusted", "trusted")
        assert (persons["action"], again["action"]) == ("created", "duplicate")
        assert persons["id"] != agents["id"]

    def test_a_forgotten_memory_can_be_stored_again(self, memory: Satchel) -> None:
        MemoryTools(memory).memory_forget(
            source_kind="operator", memory_id=stored(memory, "We ship on Thursdays")["id"]
        )

        assert stored(memory, "We ship on Thursdays")["action"] == "created"

    @pytest.mark.parametrize(("mode", "actions"), [("exact", ["duplicate", "created"]), ("off", ["created"] * 2)])
    def test_the_duplicate_rule_can_be_configured(self, governed: Governed, mode: str, actions: list[str]) -> None:
        memory = governed(Policies(store=StorePolicy(duplicates=mode)))
        stored(memory, "We ship on Thursdays")

        assert [stored(memory, text)["action"] for text in ("We ship on Thursdays", "We ship on Thursdays.")] == actions


class TestRecall:
    def test_a_memory_that_a_newer_one_changes_is_marked(self, memory: Satchel) -> None:
        older = stored(memory, "Payments go through Stripe", category="decision")
        newer = stored(memory, "We left Stripe in May; payments go through Adyen", category="decision")
        answer = MemoryTools(memory).memory_recall("who handles our payments, Stripe?").result
        details = conforms(answer.details, shapes.RecallDetails)

        marks = {one["id"]: one.get("earlier_than") for one in details["memories"]}
        assert marks == {older["id"]: newer["id"], newer["id"]: None}
        assert f"earlier, changed by {newer['id']}: {older['id']}" in answer.content[0]["text"]

    def test_all_fields_are_present_and_correct(self, memory: Satchel, home: Path) -> None:
        kept = stored(memory, "We ship on Thursdays", importance=0.9, category="decision")
        stored(memory, "Lunch is at noon")
        answer = MemoryTools(memory).memory_recall("when do we ship?", limit=2)
        details = conforms(answer.result.details, shapes.RecallDetails)

        assert (details["count"], details["docs"]) == (len(details["memories"]), [])
        first = details["memories"][0]
        assert set(first) >= RECALLED
        assert {name: first[name] for name in RECALLED - {"distance", "score"}} == {
            "id": kept["id"],
            "text": "We ship on Thursdays",
            "category": "decision",
            "importance": 0.9,
            "importance_label": "must_remember",
            "scope": "global",
            "trust_tier": "trusted",
            "source_kind": "operator",
            "source_ref": None,
            "lang": None,
            "createdAt": kept["createdAt"],
        }
        assert 0 <= first["distance"] <= 2
        assert 0 <= first["relevance"] <= 1
        assert first["score"] == pytest.approx(sum(part["value"] for part in first["parts"]))
        assert first["why"] | {"rules": []} == {
            "tier": "must",
            "origin": "primary",
            "signals": ["fts", "vec"],
            "rules": [],
        }
        assert {"scope", "trust", "state"} <= set(first["why"]["rules"])
        receipt = details["receipt"]
        assert set(receipt) >= RECALL_RECEIPT
        assert (receipt["dbPath"], receipt["tableName"], receipt["limit"]) == (str(home.resolve()), "memories", 2)
        assert receipt["model"].startswith("hashing")
        assert (receipt["ftsCount"], receipt["vecCount"], receipt["fusedCount"]) == (1, 2, 2)
        assert receipt["policyTier"] == "must+nice+unknown"
        assert (receipt["scope"], receipt["scopeMode"], receipt["scopeFilterApplied"]) == ("global", "global", True)
        assert set(receipt["fallback"]) == FALLBACK
        assert receipt["fallback"]["suppressedReason"] == "no_fallback_scopes"
        assert receipt["coldLane"] == {"enabled": True, "consulted": False, "trigger": "no_documents"}
        assert receipt["latencyMs"] > 0
        assert receipt["digest"] == answer.receipt.digest

    def test_memories_name_their_source_and_language(self, memory: Satchel) -> None:
        memory.store("船在周四开", source_kind="web", source_ref="https://port.example/timetable", language="zh")
        answer = MemoryTools(memory).memory_recall("船 周四").result
        [first] = answer.details["memories"]

        assert (first["source_kind"], first["source_ref"], first["lang"]) == (
            *("web", "https://port.example/timetable", "zh"),
        )
        assert 'from web "https://port.example/timetable", language "zh"' in answer.text

    def test_the_lifecycle_receipt_is_complete(self, memory: Satchel) -> None:
        for number in range(8):
            stored(memory, f"the xylophone of room {number}", importance=0.9 if number < 2 else None)
        details = recalled(memory, "xylophone room", limit=6)
        lifecycle = details["receipt"]["lifecycle"]

        ids = [one["id"] for one in details["memories"]]
        assert set(lifecycle) >= LIFECYCLE
        assert lifecycle["schema"] == "openclaw-mem-engine.recall.receipt.v1"
        assert (lifecycle["skipped"], lifecycle["skipReason"], lifecycle["verbosity"]) == (False, None, "low")
        assert (lifecycle["scope"], lifecycle["scopeMode"]) == ("global", "global")
        assert lifecycle["selectionMode"] == "tier_first_v1"
        assert lifecycle["tiersSearched"] == ["must", "nice", "unknown"]
        counts = {one["tier"]: one for one in lifecycle["tierCounts"]}
        assert counts["must"] == {"tier": "must", "labels": ["must_remember"], "candidates": 2, "selected": 2}
        assert counts["unknown"] == {"tier": "unknown", "labels": ["unknown"], "candidates": 6, "selected": 4}
        assert lifecycle["fusedTop"] == ids[:3]
        assert all(set(one) == {"id", "score"} for one in lifecycle["ftsTop"])
        assert all(set(one) == {"id", "score", "distance"} for one in lifecycle["vecTop"])
        assert lifecycle["whySummary"] == {
            "byTier": {"must": 2, "nice": 0, "unknown": 4, "ignore": 0},
            "fromPrimaryScope": 6,
            "fromFallbackScope": 0,
        }
        assert [(one["id"], one["scope"], one["origin"]) for one in lifecycle["whyTheseIds"]] == [
            (id, "global", "primary") for id in ids[:3]
        ]
        assert all(set(one["signals"]) <= {"fts", "vec"} for one in lifecycle["whyTheseIds"])
        assert {"no_results_nice", "budget_cap"} <= set(lifecycle["rejected"])
        assert "no_results_must" not in lifecycle["rejected"]
        assert (lifecycle["finalCount"], lifecycle["injectedCount"]) == (6, 0)

    @pytest.mark.parametrize("most", [1, 3, 10])
    def test_the_lifecycle_receipt_is_bounded(self, governed: Governed, most: int) -> None:
        memory = governed(Policies(receipts=ReceiptPolicy(max_items=most)))
        for number in range(14):
            stored(memory, f"the xylophone of room {number}")
        lifecycle = recalled(memory, "xylophone room", limit=12)["receipt"]["lifecycle"]

        lengths = {name: len(lifecycle[name]) for name in ("ftsTop", "vecTop", "fusedTop", "whyTheseIds")}
        assert lengths == dict.fromkeys(lengths, most)

    def test_receipts_off_means_no_lifecycle_receipt(self, governed: Governed) -> None:
        memory = governed(Policies(receipts=ReceiptPolicy(enabled=False)))
        stored(memory, "We ship on Thursdays")

        details = recalled(memory, "ship")
        assert (details["count"], "lifecycle" in details["receipt"]) == (1, False)

    def test_no_text_of_a_memory_or_a_question_is_in_a_receipt(self, memory: Satchel) -> None:
        stored(memory, "the xylophone code is forty-two")
        details = recalled(memory, "which xylophone, the zither?")

        assert details["count"] == 1
        assert not [word for word in ("xylophone", "forty", "zither") if word in json.dumps(details["receipt"])]

    def test_the_same_question_is_answered_with_the_same_bytes(self, memory: Satchel) -> None:
        for number in range(5):
            stored(memory, f"the xylophone of room {number}")
        MemoryTools(memory).memory_recall("xylophone")

        def answer() -> str:
            details = recalled(memory, "xylophone")
            return json.dumps({**details, "receipt": {**details["receipt"], "latencyMs": 0}})

        assert answer() == answer()

    def test_an_empty_store_answers_with_nothing(self, memory: Satchel) -> None:
        answer = MemoryTools(memory).memory_recall("anything")
        details = conforms(answer.result.details, shapes.RecallDetails)

        assert (details["count"], details["memories"], details["docs"]) == (0, [], [])
        assert details["relevance"] == 0
        assert answer.result.text == "nothing found in scope global"

    def test_an_unmatched_question_is_answered_with_nothing(self, wordy: Satchel) -> None:
        stored(wordy, "We ship on Thursdays")
        details = recalled(wordy, "zzzz")

        assert (details["count"], details["memories"]) == (0, [])

    def test_it_returns_five_or_the_given_limit(self, memory: Satchel) -> None:
        for number in range(60):
            stored(memory, f"the xylophone of room {number}")

        counts = {limit: recalled(memory, "xylophone", limit=limit)["count"] for limit in (None, 1, 50)}
        assert counts == {None: 5, 1: 1, 50: 50}
        assert recalled(memory, "xylophone")["receipt"]["limit"] == 5
        for limit in (0, 51, -1):
            with pytest.raises(InvalidRequest) as caught:
                MemoryTools(memory).memory_recall("xylophone", limit=limit)
            assert caught.value.code == "out_of_range"

    def test_another_scope_is_not_seen(self, memory: Satchel) -> None:
        for number in range(60):
            stored(memory, f"the xylophone of room {number}", scope="project/b")
        mine = stored(memory, "my xylophone", scope="project/a")

        assert [one["id"] for one in recalled(memory, "xylophone", scope="project/a")["memories"]] == [mine["id"]]

    def test_without_embeddings_the_words_answer_after_a_warning(self, wordy: Satchel) -> None:
        stored(wordy, "We ship on Thursdays")
        answer = MemoryTools(wordy).memory_recall("ship")
        details = conforms(answer.result.details, shapes.RecallDetails)

        assert answer.result.text.startswith(WARNING)
        assert answer.result.text.splitlines()[-1].startswith("1. ")
        assert [one["text"] for one in details["memories"]] == ["We ship on Thursdays"]
        assert details["memories"][0]["distance"] is None
        assert details["memories"][0]["why"]["signals"] == ["fts"]
        assert (details["receipt"]["model"], details["receipt"]["vecCount"]) == (None, 0)
        assert details["receipt"]["warnings"][0].startswith("embedder_none: ")

    def test_a_missing_model_is_a_warning_too(self, tmp_path: Path) -> None:
        bare = load(home=str(tmp_path / "bare"), embedding={"provider": "minilm"}, models=str(tmp_path / "no models"))
        with Satchel.open(settings=bare) as memory:
            stored(memory, "We ship on Thursdays")
            answer = MemoryTools(memory).memory_recall("ship")

        assert answer.result.text.startswith(WARNING)
        assert answer.result.details["count"] == 1


class TestForget:
    def test_by_id_the_memory_is_gone(self, memory: Satchel, home: Path) -> None:
        id = stored(memory, "the xylophone")["id"]
        answer = MemoryTools(memory).memory_forget(source_kind="operator", memory_id=id)
        details = conforms(answer.result.details, shapes.ForgetDetails)

        assert (details["action"], details["id"], details["found"], details["candidates"]) == ("deleted", id, 1, [])
        receipt = details["receipt"]
        assert (receipt["filtersApplied"], receipt["matchedCount"]) == ({"scope": "global"}, 1)
        assert (receipt["dbPath"], receipt["tableName"]) == (str(home.resolve()), "memories")
        assert receipt["latencyMs"] > 0
        assert recalled(memory, "xylophone")["count"] == 0
        with pytest.raises(NotFound):
            MemoryTools(memory).memory_forget(source_kind="operator", memory_id=id)

    @pytest.mark.parametrize("id", ["nobody", "", "' OR 1=1 --", "\ud800", "a\0b", "x" * 100_000])
    def test_an_unknown_id_is_not_found(self, memory: Satchel, id: str) -> None:
        stored(memory, "the xylophone")

        with pytest.raises(NotFound) as caught:
            MemoryTools(memory).memory_forget(source_kind="operator", memory_id=id)
        assert caught.value.code == "not_found"
        assert memory.maintenance.stats().result.tally.memories == 1

    def test_a_memory_of_another_scope_is_not_found(self, memory: Satchel) -> None:
        id = stored(memory, "the xylophone", scope="project/b")["id"]

        with pytest.raises(NotFound):
            MemoryTools(memory).memory_forget(source_kind="operator", memory_id=id, scope="project/a")
        assert (
            MemoryTools(memory)
            .memory_forget(source_kind="operator", memory_id=id, scope="project/b")
            .result.details["action"]
            == "deleted"
        )

    def test_by_query_five_are_named_and_nothing_is_deleted(self, wordy: Satchel) -> None:
        for number in range(8):
            stored(wordy, f"the xylophone of room {number}", category="fact")
        details = conforms(MemoryTools(wordy).memory_forget(query="xylophone").result.details, shapes.ForgetDetails)

        assert (details["action"], details["id"]) == ("candidates", None)
        assert details["found"] == len(details["candidates"]) == details["receipt"]["matchedCount"] == 5
        for candidate in details["candidates"]:
            assert set(candidate) == {"id", "text", "category", "score", "createdAt"}
            assert (candidate["category"], candidate["score"] > 0) == ("fact", True)
        assert wordy.maintenance.stats().result.tally.memories == 8
        assert "xylophone" not in json.dumps(details["receipt"])

    def test_by_query_without_a_match_there_are_none(self, memory: Satchel) -> None:
        answer = MemoryTools(memory).memory_forget(query="zzzz")

        assert (answer.result.details["action"], answer.result.details["found"]) == ("candidates", 0)
        assert answer.result.text == "no candidates"

    @pytest.mark.parametrize("given", [{}, {"memory_id": "a", "query": "b"}])
    def test_it_needs_one_of_the_two(self, memory: Satchel, given: dict[str, str]) -> None:
        with pytest.raises(InvalidRequest) as caught:
            MemoryTools(memory).memory_forget(**given)

        assert caught.value.code == "missing_param"


class TestList:
    def test_all_fields_are_present_newest_first(self, memory: Satchel, home: Path) -> None:
        clock = StoppedClock()
        timed = Satchel(replace(memory.parts, clock=clock))
        for number in range(3):
            clock.moment = NOW + number
            stored(timed, f"room {number}", category="fact", importance=0.5)
        details = conforms(MemoryTools(timed).memory_list().result.details, shapes.ListDetails)

        assert (details["count"], details["next"]) == (3, None)
        assert [one["text"] for one in details["items"]] == ["room 2", "room 1", "room 0"]
        assert all(set(one) == LISTED for one in details["items"])
        assert details["items"][-1] | {"id": ""} == {
            "id": "",
            "category": "fact",
            "importance": 0.5,
            "importance_label": "nice_to_have",
            "scope": "global",
            "trust_tier": "trusted",
            "state": "active",
            "createdAt": NOW,
            "createdAtIso": "2026-01-01T00:00:00.000Z",
            "text": "room 0",
        }
        receipt = details["receipt"]
        assert set(receipt) >= ADMIN_RECEIPT
        assert (receipt["operation"], receipt["filtersApplied"]) == ("list", {"scope": "global", "category": None})
        assert (receipt["matchedCount"], receipt["returnedCount"]) == (3, 3)
        assert (receipt["dbPath"], receipt["tableName"]) == (str(home.resolve()), "memories")

    def test_a_retired_memory_is_marked(self, memory: Satchel) -> None:
        old = stored(memory, "room 1 is free")["id"]
        memory.store("room 1 is taken", replaces=old)

        items = MemoryTools(memory).memory_list().result.details["items"]

        assert {one["text"]: one["state"] for one in items} == {
            "room 1 is free": "retired",
            "room 1 is taken": "active",
        }

    def test_it_goes_page_by_page_and_says_how_many_there_are(self, memory: Satchel) -> None:
        ids = [stored(memory, f"room {number}")["id"] for number in range(5)]
        seen, after = [], None
        for returned in (2, 2, 1):
            details = conforms(MemoryTools(memory).memory_list(limit=2, after=after).result.details, shapes.ListDetails)
            seen += [one["id"] for one in details["items"]]
            after = details["next"]
            counts = (details["count"], details["receipt"]["returnedCount"], details["receipt"]["matchedCount"])
            assert counts == (returned, returned, 5)

        assert (sorted(seen), after) == (sorted(ids), None)

    def test_secrets_are_masked(self, memory: Satchel) -> None:
        stored(memory, f"the token is {SECRET}")
        answer = MemoryTools(memory).memory_list()

        assert SECRET not in str(answer.result)
        assert answer.result.details["items"][0]["text"].startswith("the token is ")

    def test_it_shows_one_scope_and_one_category(self, memory: Satchel) -> None:
        stored(memory, "one", category="fact")
        stored(memory, "two", category="decision")
        stored(memory, "three", category="fact", scope="project/a")
        memory.store("four", kind="procedure")

        def texts(**given: Any) -> list[str]:
            return [one["text"] for one in MemoryTools(memory).memory_list(**given).result.details["items"]]

        assert texts(category="fact") == ["one"]
        assert texts(category="fact", scope="project/a") == ["three"]
        assert texts(category="other") == ["four"]
        assert MemoryTools(memory).memory_list(category="fact").result.details["receipt"]["filtersApplied"] == {
            "scope": "global",
            "category": "fact",
        }

    def test_invalid_parameters_are_refused(self, memory: Satchel) -> None:
        wrong: tuple[tuple[dict[str, Any], str], ...] = (
            ({"limit": 0}, "out_of_range"),
            ({"limit": 5001}, "out_of_range"),
            ({"after": "nonsense"}, "invalid_cursor"),
            ({"category": "nonsense"}, "unknown_word"),
        )
        for given, code in wrong:
            with pytest.raises(InvalidRequest) as caught:
                MemoryTools(memory).memory_list(**given)
            assert caught.value.code == code


class TestStats:
    def test_the_numbers_are_right(self, memory: Satchel, home: Path) -> None:
        clock = StoppedClock()
        timed = Satchel(replace(memory.parts, clock=clock))
        for days, text, category in ((10, "四个字符", "fact"), (4, "abc", "todo"), (1, "twelve chars", "fact")):
            clock.moment = NOW - days * DAY_MS
            stored(timed, text, category=category)
        stored(timed, "elsewhere", scope="project/a")
        timed.store("a procedure", kind="procedure", scope="project/a")
        clock.moment = NOW
        details = conforms(MemoryTools(timed).memory_stats().result.details, shapes.StatsDetails)

        assert details["stats"] == {
            "count": 3,
            "byScope": {"global": 3},
            "byCategory": {"fact": 2, "todo": 1},
            "size": {"minChars": 3, "maxChars": 12, "avgChars": 6.3, "p50Chars": 4},
            "ageDays": {"min": 1.0, "max": 10.0, "avg": 5.0},
            "oldestCreatedAt": NOW - 10 * DAY_MS,
            "newestCreatedAt": NOW - DAY_MS,
        }
        receipt = details["receipt"]
        assert set(receipt) >= ADMIN_RECEIPT
        assert (receipt["operation"], receipt["matchedCount"], receipt["returnedCount"]) == ("stats", 3, 0)
        assert receipt["dbPath"] == str(home.resolve())
        facts = MemoryTools(timed).memory_stats(category="fact").result.details
        assert (facts["stats"]["count"], facts["receipt"]["filtersApplied"]["category"]) == (2, "fact")
        other = MemoryTools(timed).memory_stats(scope="project/a").result.details["stats"]
        assert (other["byScope"], other["byCategory"]) == ({"project/a": 2}, {"other": 2})

    def test_an_empty_store_has_none(self, memory: Satchel) -> None:
        details = conforms(MemoryTools(memory).memory_stats().result.details, shapes.StatsDetails)

        assert details["stats"] == {
            "count": 0,
            "byScope": {},
            "byCategory": {},
            "size": {"minChars": 0, "maxChars": 0, "avgChars": 0.0, "p50Chars": 0},
            "ageDays": None,
            "oldestCreatedAt": None,
            "newestCreatedAt": None,
        }


class TestExport:
    def test_all_fields_are_present_oldest_first(self, memory: Satchel, tmp_path: Path, home: Path) -> None:
        for number in range(3):
            stored(memory, f"room {number}, key {SECRET}", category="fact")
        stored(memory, "elsewhere", scope="project/a")
        target = tmp_path / "out.jsonl"
        details = conforms(
            MemoryTools(memory).memory_export(str(target), category="fact", limit=2).result.details,
            shapes.ExportDetails,
        )

        rows = [json.loads(line) for line in target.read_text(encoding="utf-8").splitlines()]
        assert (details["path"], details["format"], details["count"]) == (str(target), "jsonl", 2)
        receipt = details["receipt"]
        assert set(receipt) >= ADMIN_RECEIPT
        assert (receipt["operation"], receipt["matchedCount"], receipt["returnedCount"]) == ("export", 3, 2)
        assert (receipt["filtersApplied"], receipt["dbPath"]) == (
            {"scope": "global", "category": "fact"},
            str(home.resolve()),
        )
        assert len(rows) == 2
        assert (rows[0]["createdAt"], rows[0]["id"]) < (rows[1]["createdAt"], rows[1]["id"])
        assert SECRET not in target.read_text(encoding="utf-8")
        assert set(rows[0]) >= {
            *("id", "text", "category", "importance", "importance_label", "scope", "trust_tier", "createdAt"),
        }

    def test_as_a_list_and_unmasked_if_wanted(self, memory: Satchel, tmp_path: Path) -> None:
        stored(memory, f"the key {SECRET}")
        target = tmp_path / "out.json"
        details = MemoryTools(memory).memory_export(str(target), format="json", redact=False).result.details

        assert details["format"] == "json"
        assert [row["text"] for row in json.loads(target.read_bytes())] == [f"the key {SECRET}"]

    def test_two_exports_are_the_same_bytes_and_nothing_is_replaced(self, memory: Satchel, tmp_path: Path) -> None:
        stored(memory, "one")
        for name in ("a", "b"):
            MemoryTools(memory).memory_export(str(tmp_path / name))
        stored(memory, "two")

        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
        with pytest.raises(Conflict):
            MemoryTools(memory).memory_export(str(tmp_path / "a"))
        assert len((tmp_path / "a").read_bytes().splitlines()) == 1


class TestImport:
    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        """Three good rows, one of them twice, and two bad ones."""
        path = tmp_path / "in.jsonl"
        rows: list[Any] = [
            {"id": "one", "text": "We ship on Thursdays", "trust_tier": "trusted", "scope": "project/b"},
            {"id": "two", "text": "Lunch is at noon"},
            {"id": "two", "text": "Lunch is at noon"},
            {"id": "three"},
            {"id": "four", "text": "x", "importance": 7},
        ]
        path.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
        return path

    def _imported(self, memory: Satchel, file: Path, **given: Any) -> dict[str, Any]:
        return conforms(MemoryTools(memory).memory_import(str(file), **given).result.details, shapes.ImportDetails)

    def test_all_fields_are_present_and_correct(self, memory: Satchel, file: Path, home: Path) -> None:
        details = self._imported(memory, file)

        assert (details["imported"], details["skipped"], details["failed"]) == (2, 1, 2)
        assert details["failures"] == [
            {"index": 4, "reason": "missing_text"},
            {"index": 5, "reason": "out_of_range"},
        ]
        receipt = details["receipt"]
        assert set(receipt) >= IMPORT_RECEIPT
        assert (receipt["operation"], receipt["source"], receipt["format"]) == ("import", str(file), "jsonl")
        assert (receipt["dedupe"], receipt["dryRun"], receipt["parsedCount"]) == ("id_text", False, 5)
        assert (receipt["importedCount"], receipt["skippedCount"], receipt["failedCount"]) == (2, 1, 2)
        assert receipt["filtersApplied"] == {"scope": None, "limit": None}
        assert (receipt["dbPath"], receipt["latencyMs"] > 0) == (str(home.resolve()), True)
        assert MemoryTools(memory).memory_stats(scope="project/b").result.details["stats"]["count"] == 1

    def test_an_import_never_raises_trust(self, memory: Satchel, file: Path) -> None:
        self._imported(memory, file, scope="project/a")

        items = MemoryTools(memory).memory_list(scope="project/a").result.details["items"]
        assert {(one["trust_tier"], one["scope"]) for one in items} == {("untrusted", "project/a")}

    @pytest.mark.parametrize("given", [{"dry_run": True}, {"validate_only": True}])
    def test_a_dry_run_writes_nothing(self, memory: Satchel, file: Path, given: dict[str, bool]) -> None:
        details = self._imported(memory, file, **given)

        assert (details["failed"], details["receipt"]["dryRun"]) == (2, True)
        assert memory.maintenance.stats(all_scopes=True).result.tally.memories == 0
        assert memory.parts.ledger.feed.tip() == 0

    def test_a_dry_run_counts_what_an_import_would_and_a_check_every_good_row(
        self, memory: Satchel, file: Path
    ) -> None:
        def counts(**given: Any) -> tuple[int, int, int]:
            details = self._imported(memory, file, **given)
            return details["imported"], details["skipped"], details["failed"]

        assert counts(dry_run=True) == counts() == (2, 1, 2)
        assert counts(dry_run=True) == (0, 3, 2)
        assert counts(validate_only=True) == (3, 0, 2)

    def test_a_second_import_changes_nothing_by_default(self, memory: Satchel, file: Path) -> None:
        self._imported(memory, file)

        assert self._imported(memory, file)["imported"] == 0
        assert self._imported(memory, file, dedupe="id")["imported"] == 0
        assert self._imported(memory, file, dedupe="none", limit=2)["imported"] == 2

    def test_no_more_than_twenty_failures_are_listed(self, memory: Satchel, tmp_path: Path) -> None:
        file = tmp_path / "bad.jsonl"
        file.write_text("{}\n" * 30, encoding="utf-8")
        details = self._imported(memory, file)

        assert (details["failed"], len(details["failures"])) == (30, 20)

    def test_what_was_exported_is_recalled_after_an_import_without_embeddings(
        self, memory: Satchel, wordy: Satchel, tmp_path: Path
    ) -> None:
        stored(memory, "We ship on Thursdays", importance=0.9, category="decision")
        MemoryTools(memory).memory_export(str(tmp_path / "out"))
        self._imported(wordy, tmp_path / "out")

        found = recalled(wordy, "ship")["memories"][0]
        assert (found["text"], found["importance"], found["category"]) == ("We ship on Thursdays", 0.9, "decision")


def test_the_content_is_one_text_as_a_host_expects_it(memory: Satchel) -> None:
    result = MemoryTools(memory).memory_stats().result

    assert result.content == [{"type": "text", "text": result.text}]


def test_a_failing_tool_says_what_is_wrong_and_writes_nothing(settings: Settings) -> None:
    with Satchel.open(settings=settings) as memory:
        calls: tuple[tuple[Callable[[], Any], str], ...] = (
            (lambda: MemoryTools(memory).memory_store(""), "empty_text"),
            (lambda: MemoryTools(memory).memory_store("x", importance=2), "out_of_range"),
            (lambda: MemoryTools(memory).memory_recall(" "), "empty_query"),
            (lambda: MemoryTools(memory).memory_import("/nowhere/at/all"), "no_such_file"),
            (lambda: MemoryTools(memory).memory_export("/nowhere/at/all"), "no_such_file"),
        )
        for call, code in calls:
            with pytest.raises(SatchelError) as caught:
                call()
            assert caught.value.code == code
        assert memory.parts.ledger.feed.tip() == 0
