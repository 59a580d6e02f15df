"""Scopes, tiers, trust, duplicates, receipts and reranking on a real store."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.domain.policies import Policies, RecallPolicy, ReceiptPolicy, RerankPolicy, ScopePolicy, StorePolicy
from satchel.domain.ranking import Origin
from satchel.errors import InvalidRequest, RerankFailed
from satchel.ports import Reranker
from tests.tables import each_case


def under(memory: Satchel, **policies: Any) -> Satchel:
    """Return the same store under other policies."""
    return Satchel(replace(memory.parts, policies=replace(memory.parts.policies, **policies)))


def texts(memory: Satchel, query: str, **options: Any) -> list[str]:
    return [hit.memory.text for hit in memory.recall(query, **options).result.hits]


def codes(receipt: Any) -> list[str]:
    return [warning.partition(":")[0] for warning in receipt.warnings]


class TestScope:
    def test_a_scope_tag_stores_and_finds_a_memory(self, memory: Satchel) -> None:
        stored = memory.store("[SCOPE: shop] The till opens at nine").result
        assert (stored.scope, stored.placement.mode) == ("shop", "inferred")
        assert texts(memory, "till") == []
        answer = memory.recall("[SCOPE: shop] till")
        assert [hit.memory.id for hit in answer.result.hits] == [stored.id]
        assert answer.result.placement.mode == "inferred"

    def test_an_explicit_scope_overrides_a_tag(self, memory: Satchel) -> None:
        assert memory.store("[SCOPE: shop] x", scope="house").result.scope == "house"

    def test_an_invalid_scope_is_an_error_that_names_the_nearest_scopes(self, memory: Satchel) -> None:
        for scope in ("project/shop", "project/blog", "team/shared"):
            memory.store("x", scope=scope)
        uses: list[Callable[[str], object]] = [
            lambda scope: memory.store("y", scope=scope),
            lambda scope: memory.recall("x", scope=scope),
            lambda scope: memory.memories.list(scope=scope),
            lambda scope: memory.pack("x", scope=scope),
            lambda scope: memory.forget("x", scope=scope),
            lambda scope: memory.documents.search("x", scope=scope),
        ]
        for use in uses:
            for typed, hint in (
                ("Project/Shop", "did you mean project/shop?"),
                ("Shop", "did you mean project/shop or shop?"),
                ("project/shp!", "did you mean project/shop or project/shp?"),
                ("商店", "such as project/shop"),
            ):
                with pytest.raises(InvalidRequest) as refused:
                    use(typed)
                assert (refused.value.code, refused.value.hint) == ("invalid_scope", hint)
        assert memory.memories.count(scope=None) == 0

    def test_recalling_in_a_scope_without_memories_says_so(self, memory: Satchel) -> None:
        memory.store("The till opens at nine", scope="project/shop")
        (warning,) = memory.recall("till", scope="project/shpo").receipt.warnings
        assert warning == "scope_unknown: nothing is stored in scope 'project/shpo' yet; similar: project/shop"
        assert codes(memory.recall("walrus", scope="project/shop").receipt) == []
        assert codes(memory.recall("till").receipt) == []

    def test_auto_is_the_project_of_the_folder_with_global_behind_it(self, memory: Satchel, tmp_path: Path) -> None:
        (tmp_path / "shop" / ".git").mkdir(parents=True)
        (tmp_path / "shop" / ".git" / "HEAD").write_text("", encoding="utf-8")
        here = memory.acting_as("python", str(tmp_path / "shop"))
        kept = here.store("The till opens at nine", scope="auto").result
        assert (kept.scope, kept.placement.mode) == ("project/shop", "project")
        memory.store("Answer in short sentences")
        memory.store("The other shop's till is broken", scope="project/other")

        found = here.recall("answer in short sentences", scope="auto")
        assert [hit.memory.scope for hit in found.result.hits] == ["global", "project/shop"]
        assert (found.result.scope, codes(found.receipt)) == ("project/shop", ["scope_fallback"])
        assert [hit.memory.scope for hit in here.recall("till", scope="auto").result.hits] == ["project/shop"]
        named = here.recall("answer in short sentences", scope="project/shop").result
        assert {hit.memory.scope for hit in named.hits} <= {"project/shop"}
        assert memory.acting_as("python", "/").store("x", scope="auto").result.scope == "global"

        following = under(memory, scope=ScopePolicy(default_scope="auto")).acting_as("python", str(tmp_path / "shop"))
        assert [hit.memory.scope for hit in following.recall("till").result.hits] == ["project/shop"]
        assert [one.scope for one in following.memories.list().result.memories] == ["project/shop"]

    def test_scope_validation_modes(self, memory: Satchel) -> None:
        rewriting = under(memory, scope=ScopePolicy(validation_mode="normalize"))
        assert rewriting.store("x", scope="Not A Scope").result.scope == "not-a-scope"
        assert texts(rewriting, "x", scope="NOT a scope") == ["x"]
        lenient = under(memory, scope=ScopePolicy(validation_mode="none"))
        assert lenient.store("y", scope="It's Mine").result.scope == "It's Mine"
        assert texts(lenient, "y", scope="It's Mine") == ["y"]
        assert texts(lenient, "y", scope="It") == []

    def test_with_the_scope_policy_off_recall_sees_all_scopes_with_a_warning(self, memory: Satchel) -> None:
        memory.store("tea at home", scope="house")
        memory.store("tea at work", scope="shop")
        off = under(memory, scope=ScopePolicy(enabled=False))
        answer = off.recall("tea")
        assert {hit.memory.scope for hit in answer.result.hits} == {"house", "shop"}
        assert "scope_policy_off" in codes(answer.receipt)
        assert {hit.memory.scope for hit in off.recall("tea", scope="shop").result.hits} == {"shop"}


class TestFallback:
    @pytest.fixture
    def three(self, memory: Satchel) -> Satchel:
        memory.store("walrus in the house", scope="house")
        memory.store("walrus in the shop", scope="shop")
        memory.store("walrus at sea", scope="sea")
        memory.store("walrus nobody asked for", scope="secret")
        return under(memory, scope=ScopePolicy(fallback_scopes=("shop", "sea")))

    def test_fallback_scopes_are_searched_in_order_if_results_are_few(self, three: Satchel) -> None:
        answer = three.recall("walrus", scope="house", mode="lexical")
        assert [(hit.memory.scope, hit.origin) for hit in answer.result.hits] == [
            ("house", Origin.PRIMARY),
            ("shop", Origin.FALLBACK),
            ("sea", Origin.FALLBACK),
        ]
        assert [hit.rank for hit in answer.result.hits] == [1, 2, 3]
        assert codes(answer.receipt) == ["scope_fallback"]
        lifecycle: Any = answer.receipt.decided["lifecycle"]
        assert lifecycle["fallback"] == {
            "eligible": True,
            "consulted": True,
            "consultedScopes": ["shop", "sea"],
            "usedScopes": ["shop", "sea"],
            "contributed": 2,
            "suppressedReason": None,
        }
        assert lifecycle["whySummary"]["fromFallbackScope"] == 2

    def test_fallback_scopes_are_not_searched_if_there_is_enough(self, three: Satchel) -> None:
        answer = three.recall("walrus", scope="house", mode="lexical", limit=1)
        lifecycle: Any = answer.receipt.decided["lifecycle"]
        assert [hit.memory.scope for hit in answer.result.hits] == ["house"]
        assert (lifecycle["fallback"]["eligible"], lifecycle["fallback"]["consulted"]) == (True, False)

    @pytest.mark.parametrize(
        ("policy", "query", "reason"),
        [
            (ScopePolicy(), "walrus", "no_fallback_scopes"),
            (ScopePolicy(fallback_scopes=("shop",), enabled=False), "walrus", "disabled"),
            (ScopePolicy(fallback_scopes=("shop",)), "[SCOPE: Not Valid] walrus", "invalid_scope"),
        ],
    )
    def test_the_reason_for_no_fallback_is_reported(
        self, three: Satchel, policy: ScopePolicy, query: str, reason: str
    ) -> None:
        lifecycle: Any = under(three, scope=policy).recall(query).receipt.decided["lifecycle"]
        assert lifecycle["fallback"]["suppressedReason"] == reason
        assert lifecycle["fallback"]["contributed"] == 0

    def test_an_invalid_tag_can_be_tolerated(self, three: Satchel) -> None:
        policy = ScopePolicy(fallback_scopes=("shop",), skip_fallback_on_invalid_scope=False)
        assert texts(under(three, scope=policy), "[SCOPE: Not Valid] walrus", mode="lexical") == ["walrus in the shop"]

    def test_fallback_can_be_silent_and_disabled(self, three: Satchel) -> None:
        quiet = under(three, scope=ScopePolicy(fallback_scopes=("shop",), fallback_marker=False))
        assert codes(quiet.recall("walrus", scope="house").receipt) == []
        assert texts(three, "walrus", scope="house", fallback=False) == ["walrus in the house"]


class TestTrust:
    def test_untrusted_memories_answer_only_without_trusted_ones_with_a_warning(self, memory: Satchel) -> None:
        memory.store("The alarm code is on the fridge", source_kind="web")
        alone = memory.recall("alarm code")
        assert [hit.memory.trust for hit in alone.result.hits] == ["untrusted"]
        assert codes(alone.receipt) == ["untrusted_only"]

        memory.store("The alarm code is in the safe")
        both = memory.recall("alarm code")
        assert [hit.memory.text for hit in both.result.hits] == ["The alarm code is in the safe"]
        assert [one.rule for one in both.result.held_out] == ["trust_gate"]
        assert len(texts(memory, "alarm code", untrusted=True)) == 2

    def test_quarantined_memories_never_answer(self, memory: Satchel) -> None:
        memory.store("The alarm code is 1234", trust="quarantined")
        for options in ({}, {"untrusted": True}, {"mode": "lexical"}, {"mode": "vector"}):
            assert texts(memory, "alarm code", **options) == []


class TestTiers:
    def test_the_receipt_names_the_tiers_and_counts_them(self, memory: Satchel) -> None:
        memory.store("tea must be green", importance=0.9)
        memory.store("tea is nice", importance=0.6)
        memory.store("tea")
        memory.store("tea is dull", importance=0.1)
        answer = memory.recall("tea", limit=4)
        lifecycle: Any = answer.receipt.decided["lifecycle"]
        assert answer.result.policy_tier == lifecycle["policyTier"] == "must+nice+unknown"
        assert lifecycle["tiersSearched"] == ["must", "nice", "unknown"]
        assert [(one["tier"], one["candidates"], one["selected"]) for one in lifecycle["tierCounts"]] == [
            ("must", 1, 1),
            ("nice", 1, 1),
            ("unknown", 1, 1),
        ]
        assert "tea is dull" not in texts(memory, "tea", limit=4)

    def test_ignored_memories_are_found_if_there_is_nothing_else(self, memory: Satchel) -> None:
        memory.store("tea is dull", importance=0.1)
        answer = memory.recall("tea")
        assert [hit.memory.text for hit in answer.result.hits] == ["tea is dull"]
        assert answer.result.policy_tier == "must+nice+unknown+ignore"


class TestDuplicates:
    def test_storing_twice_returns_the_first_id(self, memory: Satchel) -> None:
        first = memory.store("We ship on Thursdays", importance=0.9).result
        for text, likeness in (("we ship on  THURSDAYS", "exact"), ("We ship on the Thursday.", "near")):
            again = memory.store(text)
            assert (again.result.id, again.result.action, again.result.likeness) == (first.id, "duplicate", likeness)
            assert again.result.label == "must_remember"
            assert again.receipt.kept
        assert memory.maintenance.stats().result.tally.memories == 1

    def test_duplicates_count_within_scope_and_validity(self, memory: Satchel) -> None:
        first = memory.store("We ship on Thursdays").result
        assert memory.store("We ship on Thursdays", scope="other").result.action == "created"
        second = memory.store("We ship on Thursdays", replaces=first.id).result
        assert second.action == "created"
        third = memory.store("We ship on Fridays", replaces=second.id).result
        assert third.action == "created"
        assert memory.store("We ship on Thursdays").result.action == "created"

    def test_an_operator_memory_is_not_a_duplicate_of_an_untrusted_one(self, memory: Satchel) -> None:
        said = memory.store("We ship on Thursdays", source_kind="tool").result
        confirmed = memory.store("We ship on Thursdays").result
        assert confirmed.action == "created"
        assert memory.store("We ship on Thursdays", source_kind="tool").result.id in (said.id, confirmed.id)

    def test_it_can_be_disabled(self, memory: Satchel) -> None:
        keeping = under(memory, store=StorePolicy(duplicates="off"))
        assert {keeping.store("the same").result.action for _ in range(3)} == {"created"}

    def test_concurrent_stores_leave_one(self, settings: Any) -> None:
        from concurrent.futures import ThreadPoolExecutor

        def tell(_: int) -> str:
            with Satchel.open(settings=settings) as memory:
                return memory.store("We ship on Thursdays").result.action

        with ThreadPoolExecutor(4) as pool:
            actions = list(pool.map(tell, range(8)))
        assert sorted(actions) == ["created"] + ["duplicate"] * 7


class TestReceipts:
    def test_receipt_lists_are_bounded_and_contain_no_text(self, memory: Satchel) -> None:
        for number in range(8):
            memory.store(f"walrus number {number}")
        for most in (1, 3, 10):
            answer = under(memory, receipts=ReceiptPolicy(max_items=most)).recall("walrus", limit=8)
            lifecycle: Any = answer.receipt.decided["lifecycle"]
            for name in ("ftsTop", "vecTop", "fusedTop", "whyTheseIds"):
                assert len(lifecycle[name]) == min(most, 8), name
            assert "walrus" not in str(answer.receipt.body)
            assert len(answer.receipt.decided["hits"]) == 8  # type: ignore[arg-type]

    def test_the_lifecycle_receipt_has_the_specified_fields(self, memory: Satchel) -> None:
        memory.store("tea")
        lifecycle: Any = memory.recall("tea").receipt.decided["lifecycle"]
        assert lifecycle["schema"] == "openclaw-mem-engine.recall.receipt.v1"
        assert (lifecycle["skipped"], lifecycle["skipReason"]) == (False, None)
        assert lifecycle["rejected"] == ["no_results_must", "no_results_nice"]
        assert (lifecycle["scope"], lifecycle["scopeMode"], lifecycle["verbosity"]) == ("global", "global", "low")
        [why] = lifecycle["whyTheseIds"]
        assert {name: why[name] for name in ("tier", "scope", "origin", "signals")} == {
            "tier": "unknown",
            "scope": "global",
            "origin": "primary",
            "signals": ["fts", "vec"],
        }
        assert lifecycle["vecTop"][0]["distance"] == pytest.approx(1 - lifecycle["vecTop"][0]["score"])

    def test_with_receipts_off_nothing_is_stored_and_the_answer_is_the_same(self, memory: Satchel) -> None:
        memory.store("tea")
        silent = under(memory, receipts=ReceiptPolicy(enabled=False)).recall("tea")
        assert "lifecycle" not in silent.receipt.decided
        assert not silent.receipt.kept
        assert silent.result == memory.recall("tea").result


class Judge:
    """A reranker with given scores."""

    name = "judge"

    def __init__(self, liked: str, error: Exception | None = None) -> None:
        self._liked = liked
        self._error = error

    def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
        if self._error:
            raise self._error
        return [1.0 if self._liked in text else 0.0 for text in texts]


class TestRerank:
    def _judged(self, memory: Satchel, judge: Reranker) -> Satchel:
        parts = replace(memory.parts, reranker=lambda: judge, policies=Policies(rerank=RerankPolicy(enabled=True)))
        return Satchel(parts)

    def test_reranking_is_one_contribution_of_the_score(self, memory: Satchel) -> None:
        memory.store("walrus walrus walrus")
        memory.store("walrus by the sea")
        answer = self._judged(memory, Judge("sea")).recall("walrus", mode="lexical")
        best = answer.result.hits[0]
        assert best.memory.text == "walrus by the sea"
        assert best.contributions[-1].name == "rerank"
        assert best.score == pytest.approx(sum(part.value for part in best.contributions))

    def test_a_failing_reranker_keeps_the_order_and_is_reported(self, memory: Satchel) -> None:
        memory.store("walrus walrus walrus")
        memory.store("walrus by the sea")
        broken = self._judged(memory, Judge("sea", RerankFailed("gone", code="unreachable")))
        answer = broken.recall("walrus", mode="lexical")
        assert [hit.memory.text for hit in answer.result.hits] == texts(memory, "walrus", mode="lexical")
        assert answer.receipt.warnings == ("rerank_failed: unreachable; the order is that of the lanes",)

    def test_turns_packs_and_as_of_recalls_are_reranked_too(self, memory: Satchel) -> None:
        for day in ("Monday", "Friday"):
            memory.store(f"deploy on {day}", importance=0.9)
        asked: list[str] = []

        class Counting(Judge):
            def rerank(self, query: str, texts: Sequence[str]) -> list[float]:
                asked.append(query)
                return super().rerank(query, texts)

        plain = texts(memory, "deploy", mode="lexical")
        reranked = self._judged(memory, Counting(plain[-1]))
        then = reranked.recall("deploy", mode="lexical", as_of=2)
        assert ([hit.memory.text for hit in then.result.hits], asked) == (plain[::-1], ["deploy"])
        reranked.turn.before("deploy again?", mode="lexical")
        reranked.pack("deploy once more", mode="lexical")
        assert asked[1:] == ["deploy again?", "deploy once more"]

    def test_reranking_is_off_by_default(self, memory: Satchel) -> None:
        memory.store("walrus")
        parts = replace(memory.parts, reranker=lambda: Judge("x", AssertionError("asked")))
        assert texts(Satchel(parts), "walrus") == ["walrus"]


class TestQuestions:
    def test_a_match_is_found_among_ten_thousand_rows_of_another_scope(self, memory: Satchel, tmp_path: Any) -> None:
        rows = tmp_path / "rows.jsonl"
        rows.write_text("".join(f'{{"text": "walrus number {n}", "scope": "b"}}\n' for n in range(10_000)))
        memory.transfer.import_(str(rows))
        memory.store("one walrus", scope="a")
        assert texts(memory, "walrus", scope="a", mode="lexical") == ["one walrus"]

    @each_case(
        "query", ["'", '"', "%", "_", "*", "a* OR b", 'NEAR("a" "b")', "x' OR '1'='1", "\\", "(", "[", "--", "☕" * 500]
    )
    def test_special_characters_are_treated_as_text(self, memory: Satchel, query: str) -> None:
        memory.store("nothing of the sort")
        assert memory.recall(query, mode="lexical").result.hits == ()
        assert memory.recall(query).receipt.kept

    def test_limit_and_minimum_relevance_can_be_set(self, memory: Satchel) -> None:
        for number in range(7):
            memory.store(f"walrus number {number}")
        assert len(texts(memory, "walrus")) == 5
        assert len(texts(under(memory, recall=RecallPolicy(limit=2)), "walrus")) == 2
        assert texts(memory, "walrus", min_relevance=1.0) == []
        for wrong in (-0.1, 1.1, True, float("nan")):
            with pytest.raises(InvalidRequest):
                memory.recall("walrus", min_relevance=wrong)

    def test_recall_can_be_limited_to_kinds(self, memory: Satchel) -> None:
        memory.store("tea is a fact", kind="fact")
        memory.store("tea is a plan", kind="plan")
        assert texts(memory, "tea", kinds=["plan"]) == ["tea is a plan"]
        with pytest.raises(InvalidRequest):
            memory.recall("tea", kinds=["nonsense"])

    def test_a_recall_changes_no_data(self, memory: Satchel) -> None:
        memory.store("tea")
        first = memory.recall("tea")
        tip, status = memory.parts.ledger.feed.tip(), memory.maintenance.index_status().result
        again = memory.recall("tea")
        assert (memory.parts.ledger.feed.tip(), memory.maintenance.index_status().result) == (tip, status)
        assert again.receipt.digest == first.receipt.digest
