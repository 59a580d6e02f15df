"""Why not: every reason a record can be missing, and remedies that work."""

from typing import Any

import pytest
from msgspec.structs import replace

from satchel.app import Satchel
from satchel.config import Settings, load
from satchel.domain.passage import EvidenceLane, Passage, PassageId, with_content_hash
from satchel.domain.policies import ScopePolicy
from satchel.domain.policies.documents import DocumentsPolicy
from satchel.domain.receipt import Receipt
from satchel.domain.record import State
from satchel.errors import InvalidRequest
from satchel.explaining.values import Remedy, WhyNot
from satchel.indexing.embed import embed_backlog
from satchel.indexing.memory_index import get_embedder
from satchel.ports import Change
from tests.tables import each_case

HOSTILE = (
    "\0",
    "\ud800",
    "' OR 1=1 --",
    "{one.text}",
    "%s",
    "[SCOPE: Not Valid] x",
    "a" * 30_000,
    "🙂",
    "\n\n",
    "NEAR(",
)


def under(memory: Satchel, **policies: Any) -> Satchel:
    """Return the same store under other policies."""
    return Satchel(replace(memory.parts, policies=replace(memory.parts.policies, **policies)))


def why_not(memory: Satchel, query: str, expect: str, **options: Any) -> WhyNot:
    return memory.explaining.why_not(query, expect, **options).result


def returned(memory: Satchel, query: str, **options: Any) -> list[str]:
    return [hit.memory.id for hit in memory.recall(query, **options).result.hits]


def tried(told: WhyNot) -> list[Remedy]:
    return [one for one in told.remedies if one.tried]


def assert_tried_remedies_work(memory: Satchel, query: str, told: WhyNot, **options: Any) -> None:
    assert tried(told)
    for remedy in tried(told):
        changed = {"query": query, **options, **remedy.options}
        assert told.expect in returned(memory, **changed), remedy


def commands(told: WhyNot) -> list[str]:
    return [one.command for one in told.remedies]


class TestTheRecord:
    def test_a_returned_record_is_reported(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps").result.id
        memory.recall("walrus")
        told = why_not(memory, "walrus", id)
        assert (told.returned, told.rule, told.remedies) == (True, "returned", ())
        assert told.message == "it is number 1 of at most 5"
        assert told.words == "the walrus sleeps"

    @each_case("id", ["nothing", *HOSTILE])
    def test_an_unknown_id_is_not_found(self, memory: Satchel, id: str) -> None:
        told = why_not(memory, "walrus", id)
        assert (told.returned, told.record, told.rule) == (False, "unknown", "not_found")
        assert commands(told) == ["satchel list --all-scopes"]

    def test_forgotten_and_unknown_are_distinguished(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps", scope="zoo").result.id
        memory.forget(id, scope="zoo")
        told = why_not(memory, "walrus", id, scope="zoo")
        assert (told.record, told.rule, told.words) == ("forgotten", "forgotten", "")
        assert commands(told) == ["satchel store TEXT --scope zoo"]
        again = memory.store("the walrus sleeps", scope="zoo").result.id
        assert why_not(memory, "walrus", again, scope="zoo", mode="lexical").returned

    def test_an_observation_is_in_another_lane(self, memory: Satchel) -> None:
        memory.observations.capture('{"text": "the walrus sang"}')
        memory.observations.ingest()
        id = memory.observations.search("walrus").result.hits[0].id
        told = why_not(memory, "walrus", id)
        assert (told.record, told.rule) == ("observation", "other_lane")
        assert commands(told)[0] == "satchel search walrus --scope global"
        memory.forget(id)
        assert why_not(memory, "walrus", id).rule == "forgotten"


class TestScope:
    def test_another_scope_is_named_and_searching_there_works(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps", scope="zoo").result.id
        told = why_not(memory, "walrus", id, mode="lexical")
        assert (told.rule, told.message) == ("scope", "it is in scope 'zoo', the query asked for 'global'")
        assert tried(told)[0].options == {"scope": "zoo"}
        assert tried(told)[0].command == "satchel recall walrus --mode lexical --scope zoo"
        assert_tried_remedies_work(memory, "walrus", told, mode="lexical")

    def test_storing_it_in_the_requested_scope_works(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps", scope="zoo").result.id
        assert commands(why_not(memory, "walrus", id))[-1] == "satchel store TEXT --scope global"
        copy = memory.store("the walrus sleeps", scope="global").result.id
        assert why_not(memory, "walrus", copy, mode="lexical").returned

    def test_lanes_report_the_rank_in_the_other_scope(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps", scope="zoo").result.id
        (lane,) = why_not(memory, "walrus", id, mode="lexical").lanes
        assert (lane.lane, lane.brought, lane.rank, lane.of) == ("lexical", False, 1, 1)

    def test_an_unneeded_fallback_scope(self, memory: Satchel) -> None:
        other = under(memory, scope=ScopePolicy(fallback_scopes=("zoo",)))
        other.store("walrus")
        id = other.store("the walrus sleeps", scope="zoo").result.id
        told = why_not(other, "walrus", id, mode="lexical", limit=1)
        assert (told.rule, told.steps[1].message) == (
            "fallback",
            "it is in the fallback scope 'zoo', which was not searched: the requested scope had enough results",
        )
        assert_tried_remedies_work(other, "walrus", told, mode="lexical", limit=1)
        assert "off" in why_not(other, "walrus", id, mode="lexical", fallback=False).message

    def test_a_used_fallback_scope(self, memory: Satchel) -> None:
        other = under(memory, scope=ScopePolicy(fallback_scopes=("zoo",)))
        id = other.store("the walrus sleeps", scope="zoo").result.id
        assert why_not(other, "walrus", id, mode="lexical").returned

    def test_an_irrelevant_fallback_result_is_left_out(self, memory: Satchel) -> None:
        other = under(memory, scope=ScopePolicy(fallback_scopes=("zoo",)))
        id = other.store("the walrus sleeps", scope="zoo").result.id
        query = "walrus crimson harbour ledger teapot marble comet thistle"
        told = why_not(other, query, id, mode="lexical")
        assert told.rule == "fallback_relevance"
        assert_tried_remedies_work(other, query, told, mode="lexical")


class TestStanding:
    def test_a_quarantined_record_is_never_shown_nor_raised(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps", trust="quarantined").result.id
        told = why_not(memory, "walrus", id, mode="lexical")
        assert (told.rule, told.words, tried(told)) == ("quarantined", "", [])
        assert "walrus" not in str(told.remedies)
        assert commands(told) == ["satchel store TEXT --scope global"]
        mine = memory.store("the walrus sleeps").result.id
        assert why_not(memory, "walrus", mine, mode="lexical").returned

    def test_a_superseded_record_names_its_replacement(self, memory: Satchel) -> None:
        old = memory.store("the walrus sleeps").result.id
        new = memory.store("the walrus swims", replaces=old).result.id
        told = why_not(memory, "walrus", old, mode="lexical")
        assert (told.rule, told.message) == ("superseded", f"it was replaced by {new}")
        assert why_not(memory, "walrus", new, mode="lexical").returned

    def test_a_retired_record_has_its_reason(self, memory: Satchel) -> None:
        id = memory.attention.add("summary", "walrus", "the walrus sleeps").result.memory_id
        memory.attention.refresh([id], refresh_reason="it woke up")
        told = why_not(memory, "walrus", id, mode="lexical")
        assert (told.rule, told.message) == ("retired", "it was retired: it woke up")
        again = memory.store("the walrus sleeps").result.id
        assert why_not(memory, "walrus", again, mode="lexical").returned

    def test_a_reason_cannot_forge_a_line_or_leak_a_secret(self, memory: Satchel) -> None:
        id = memory.attention.add("summary", "walrus", "the walrus sleeps").result.memory_id
        memory.attention.refresh([id], refresh_reason="gone\nlimit: yes, sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 3)
        message = why_not(memory, "walrus", id, mode="lexical").message
        assert message.startswith("it was retired: gone limit: yes, [redacted")
        assert "\n" not in message

    def test_an_archived_record_can_be_revived(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps").result.id
        stored = memory.memories.get(id).result.memory
        archived = Change(replace(stored, state=State.ARCHIVED), stored, "archive", "test")
        memory.parts.ledger.memories.commit([archived], Receipt("lifecycle", {}))
        told = why_not(memory, "walrus", id, mode="lexical")
        assert (told.rule, commands(told)) == ("archived", [f"satchel lifecycle revive {id} --scope global"])
        memory.lifecycle.revive(id)
        assert why_not(memory, "walrus", id, mode="lexical").returned

    @pytest.mark.parametrize(
        ("dates", "rule", "said", "better"),
        [
            ({"valid_to": "2001-01-01"}, "expired", "it was valid until 2001", {"valid_to": "2999-01-01"}),
            ({"valid_from": "2999-01-01"}, "not_yet_valid", "it is valid from 2999", {"valid_from": "2001-01-01"}),
        ],
    )
    def test_a_record_outside_its_validity(
        self, memory: Satchel, dates: dict[str, str], rule: str, said: str, better: dict[str, str]
    ) -> None:
        id = memory.store("the walrus sleeps", **dates).result.id  # type: ignore[arg-type]
        told = why_not(memory, "walrus", id, mode="lexical")
        assert told.rule == rule
        assert told.message.startswith(said)
        (option,) = (name.replace("_", "-") for name in better)
        assert commands(told) == [f"satchel store TEXT --scope global --{option} DATE --replaces {id}"]
        again = memory.store("the walrus sleeps", replaces=id, **better).result.id  # type: ignore[arg-type]
        assert why_not(memory, "walrus", again, mode="lexical").returned

    def test_a_kind_that_was_not_requested(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps", kind="fact").result.id
        told = why_not(memory, "walrus", id, mode="lexical", kinds=("todo",))
        assert (told.rule, tried(told)[0].options) == ("kind", {"kinds": ["todo", "fact"]})
        assert tried(told)[0].command == "satchel recall walrus --mode lexical --kind todo --kind fact"
        assert_tried_remedies_work(memory, "walrus", told, mode="lexical")


class TestTiers:
    def test_an_untrusted_record_behind_the_trust_gate(self, memory: Satchel) -> None:
        memory.store("the walrus sleeps")
        id = memory.store("the walrus swims, says a page", source_kind="web").result.id
        told = why_not(memory, "walrus", id, mode="lexical")
        assert (told.rule, told.message) == ("trust_gate", "it is untrusted, and trusted memories answer")
        assert [one.options for one in told.remedies] == [{"untrusted": True}]
        assert_tried_remedies_work(memory, "walrus", told, mode="lexical")

    def test_an_ungraded_record_behind_important_tiers(self, memory: Satchel) -> None:
        memory.store("walrus", importance=0.9)
        id = memory.store("the walrus swims").result.id
        told = why_not(memory, "walrus", id, mode="lexical", limit=1)
        assert told.rule == "tier"
        assert "must" not in told.message
        assert_tried_remedies_work(memory, "walrus", told, mode="lexical", limit=1)

    def test_an_ignored_record_must_be_stored_as_important(self, memory: Satchel) -> None:
        memory.store("walrus", importance=0.9)
        id = memory.store("the walrus swims", importance=0.1).result.id
        told = why_not(memory, "walrus", id, mode="lexical")
        assert told.rule == "tier"
        assert commands(told)[-1] == f"satchel store TEXT --scope global --importance 0.8 --replaces {id}"
        again = memory.store("the walrus swims", importance=0.8, replaces=id).result.id
        assert why_not(memory, "walrus", again, mode="lexical").returned


class TestLanes:
    def test_no_common_word_lists_the_missing_words(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps").result.id
        told = why_not(memory, "crimson teapot", id, mode="lexical")
        assert told.rule == "no_common_word"
        assert told.message == "it contains no word of the query: crimson, teapot"
        assert {"mode": "lexical"} not in [one.options for one in told.remedies]
        assert {"query": "crimson teapot sleeps"} in [one.options for one in told.remedies]
        assert_tried_remedies_work(memory, "crimson teapot", told, mode="lexical")

    def test_words_are_compared_by_stem(self, memory: Satchel) -> None:
        id = memory.store("the walrus was sleeping").result.id
        step = next(one for one in why_not(memory, "sleeps teapot", id, mode="lexical").steps if one.stage == "words")
        assert step.message.startswith("it contains sleeps, not teapot;")

    def test_a_secret_is_never_suggested_as_a_query_word(self, memory: Satchel) -> None:
        key = "sk-proj-" + "a1B2c3D4e5F6g7H8i9J0" * 3
        id = memory.store(f"deploy with {key}").result.id
        told = why_not(memory, "crimson teapot", id, mode="lexical")
        assert told.rule == "no_common_word"
        assert "a1b2c3" not in str(told).lower()

    def test_a_record_without_a_vector(self, memory: Satchel) -> None:
        memory.store("crimson teapot")
        memory.recall("teapot")
        id = memory.store("the walrus sleeps").result.id
        told = why_not(memory, "crimson teapot", id)
        assert (told.rule, commands(told)[-1]) == ("not_embedded", "satchel index build")
        memory.maintenance.index_build()
        assert why_not(memory, "crimson teapot", id).returned

    def test_a_record_missing_in_the_index(self, memory: Satchel, monkeypatch: pytest.MonkeyPatch) -> None:
        # Soon after a write, it would be searched in the ledger instead.
        monkeypatch.setattr("satchel.adapters.lance.follower.WRITE_PAUSE_SECONDS", 0.0)
        memory.store("crimson teapot")
        memory.recall("teapot")
        id = memory.store("the walrus sleeps").result.id
        vectors, space = memory.parts.ledger.vectors, memory.parts.ledger.vectors.space()
        assert space is not None
        embed_backlog(vectors, get_embedder(memory.maintenance._indexed_store), space, memory.parts.clamp)
        told = why_not(memory, "crimson teapot", id)
        assert (told.rule, commands(told)[-1]) == ("index_behind", "satchel index build")
        memory.maintenance.index_build()
        assert why_not(memory, "crimson teapot", id).returned

    def test_a_record_that_the_index_need_not_have_yet(self, memory: Satchel) -> None:
        memory.store("crimson teapot")
        memory.recall("teapot")
        id = memory.store("the walrus sleeps").result.id
        vectors, space = memory.parts.ledger.vectors, memory.parts.ledger.vectors.space()
        assert space is not None
        embed_backlog(vectors, get_embedder(memory.maintenance._indexed_store), space, memory.parts.clamp)

        assert why_not(memory, "crimson teapot", id).returned

    def test_a_missing_index_is_not_built_but_suggested(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps").result.id
        memory.recall("walrus")
        memory.parts.index().drop()
        answer = memory.explaining.why_not("crimson teapot", id)
        assert (answer.result.rule, commands(answer.result)[-1]) == ("no_common_word", "satchel index build")
        assert answer.receipt.warnings == ("index_unusable: there is no index of these vectors yet",)
        assert not memory.parts.index().status().exists
        memory.maintenance.index_build()
        assert why_not(memory, "crimson teapot", id).returned

    def test_without_an_embedder_words_decide_with_a_warning(self, home: Any) -> None:
        with Satchel.open(settings=load(home=str(home), embedding={"provider": "none"})) as memory:
            id = memory.store("the walrus sleeps").result.id
            answer = memory.explaining.why_not("crimson teapot", id)
        assert answer.result.rule == "no_common_word"
        assert [lane.problem for lane in answer.result.lanes] == ["no_common_word", "no_vector_search"]
        assert answer.receipt.warnings[0].startswith("embedder_none")

    def test_outside_the_pool_of_the_vector_lane(self, memory: Satchel) -> None:
        for number in range(30):
            memory.store(f"crimson teapot {number}")
        id = memory.store("the walrus sleeps").result.id
        memory.recall("teapot")
        told = why_not(memory, "crimson teapot", id, mode="vector")
        (lane,) = told.lanes
        assert (told.rule, lane.rank, lane.of, lane.pool, lane.brought) == ("vector_pool", 31, 31, 20, False)
        assert lane.score is not None
        assert_tried_remedies_work(memory, "crimson teapot", told, mode="vector")

    def test_outside_the_pool_of_the_lexical_lane(self, memory: Satchel) -> None:
        for number in range(30):
            memory.store(f"walrus walrus {number}", importance=0.9)
        id = memory.store("a walrus " + "and many other words that say nothing of it " * 20, importance=0.9).result.id
        told = why_not(memory, "walrus", id, mode="lexical")
        (lane,) = told.lanes
        assert (told.rule, lane.rank, lane.of, lane.pool) == ("lexical_pool", 31, 31, 20)
        assert {"limit": 50} in [one.options for one in told.remedies]
        assert_tried_remedies_work(memory, "walrus", told, mode="lexical")


class TestRanking:
    def test_below_the_minimum_relevance(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps").result.id
        told = why_not(memory, "walrus teapot", id, mode="lexical", min_relevance=0.99)
        assert told.rule == "min_relevance"
        relevance = memory.recall("walrus teapot", mode="lexical").result.hits[0].relevance
        assert [one.options for one in told.remedies] == [{"min_relevance": relevance}]
        assert_tried_remedies_work(memory, "walrus teapot", told, mode="lexical")

    def test_an_outranked_record_has_its_place_and_a_working_limit(self, memory: Satchel) -> None:
        ids = [memory.store("walrus " * (9 - number) + f"n{number}").result.id for number in range(8)]
        last = memory.recall("walrus", mode="lexical", limit=8).result.hits[-1].memory.id
        assert last in ids
        told = why_not(memory, "walrus", last, mode="lexical")
        assert told.rule == "limit"
        assert told.message == "it is number 8 of the relevant results, and the limit is 5"
        assert tried(told)[0].options == {"limit": 8}
        assert_tried_remedies_work(memory, "walrus", told, mode="lexical")


class TestManners:
    @pytest.mark.parametrize("query", HOSTILE)
    def test_any_query_is_answered_or_rejected_like_a_recall(self, memory: Satchel, query: str) -> None:
        id = memory.store("the walrus sleeps").result.id
        try:
            hits = returned(memory, query)
        except InvalidRequest as refused:
            with pytest.raises(InvalidRequest) as same:
                why_not(memory, query, id)
            assert same.value.code == refused.code
            return
        assert why_not(memory, query, id).returned == (id in hits)

    def test_invalid_requests_are_rejected(self, memory: Satchel) -> None:
        for options, code in (
            ({"mode": "psychic"}, "unknown_word"),
            ({"limit": 0}, "out_of_range"),
            ({"scope": "Not A Scope"}, "invalid_scope"),
            ({"min_relevance": 2.0}, "out_of_range"),
            ({"kinds": ("nothing",)}, "unknown_word"),
        ):
            with pytest.raises(InvalidRequest) as refused:
                why_not(memory, "walrus", "x", **options)
            assert refused.value.code == code

    def test_it_writes_nothing_and_counts_no_use(self, settings: Settings, home: Any) -> None:
        with Satchel.open(settings=settings) as memory:
            memory.store("crimson teapot")
            memory.recall("teapot")
            id = memory.store("the walrus sleeps").result.id
            memory.parts.ledger.memories.scrub()
            before = {path: path.read_bytes() for path in home.rglob("*") if _counts(path)}
            for mode in ("hybrid", "lexical", "vector"):
                why_not(memory, "crimson teapot", id, mode=mode)
            memory.explaining.why(last=True)
            memory.parts.ledger.memories.scrub()
            assert {path: path.read_bytes() for path in home.rglob("*") if _counts(path)} == before

    def test_explanations_are_deterministic(self, memory: Satchel) -> None:
        ids = [memory.store(f"walrus {number}").result.id for number in range(8)]
        memory.recall("walrus")
        assert why_not(memory, "walrus", ids[3]) == why_not(memory, "walrus", ids[3])

    def test_its_receipt_contains_neither_query_nor_text(self, memory: Satchel) -> None:
        id = memory.store("the walrus sleeps").result.id
        receipt = memory.explaining.why_not("crimson walrus", id).receipt
        assert not receipt.kept
        assert "walrus" not in str(receipt.body)


def _counts(path: Any) -> bool:
    """Return whether a file holds data; SQLite shared memory only holds locks."""
    return bool(path.is_file()) and not path.name.endswith(("-shm", ".lock"))


class TestAgents:
    def test_an_agent_cannot_distinguish_hidden_from_missing_records(self, memory: Satchel) -> None:
        elsewhere = memory.store("the walrus sleeps", scope="zoo").result.id
        doubtful = memory.store("the walrus swims", trust="quarantined").result.id
        gone = memory.store("the walrus is gone", scope="zoo").result.id
        memory.forget(gone, scope="zoo")
        told = [
            replace(why_not(memory, "walrus", id, elsewhere=False), expect="")
            for id in (elsewhere, doubtful, gone, "nothing")
        ]
        assert told[0].rule == "not_found"
        assert told[0] == told[1] == told[2] == told[3]

    def test_an_agent_gets_no_commands(self, memory: Satchel) -> None:
        memory.store("the walrus sleeps")
        id = memory.store("the walrus swims, says a page", source_kind="web").result.id
        told = why_not(memory, "walrus", id, mode="lexical", elsewhere=False)
        assert (told.rule, commands(told)) == ("trust_gate", [""])

    def test_an_agent_sees_its_fallback_scopes(self, memory: Satchel) -> None:
        other = under(memory, scope=ScopePolicy(fallback_scopes=("zoo",)))
        id = other.store("the walrus sleeps", scope="zoo").result.id
        assert why_not(other, "walrus", id, mode="lexical", elsewhere=False).returned
        assert why_not(other, "walrus", id, mode="lexical", elsewhere=False, fallback=False).rule == "not_found"


class TestDocuments:
    @pytest.fixture
    def page(self, memory: Satchel) -> str:
        """The id of a document passage in the default scope."""
        memory.documents.add(
            [{"ref": "a.md", "path": "a.md", "text": "# Walrus\n\nThe walrus sleeps on the ice."}], collection="zoo"
        )
        return memory.documents.search("walrus", mode="search").result.hits[0].id

    @staticmethod
    def reading(memory: Satchel, **settings: Any) -> Satchel:
        return under(memory, documents=DocumentsPolicy(enabled=True, **settings))

    def test_documents_can_be_disabled(self, memory: Satchel, page: str) -> None:
        told = why_not(under(memory, documents=DocumentsPolicy(enabled=False)), "walrus", page, mode="lexical")
        assert (told.record, told.rule) == ("document", "documents_off")
        assert commands(told) == [
            "satchel config set docs_cold_lane.enabled true",
            "satchel docs search walrus --scope global",
        ]
        assert why_not(self.reading(memory), "walrus", page, mode="lexical").returned
        assert page in [doc.id for doc in self.reading(memory).recall("walrus", mode="lexical").result.cold.docs]

    def test_enough_memories_skip_documents(self, memory: Satchel, page: str) -> None:
        for number in range(2):
            memory.store(f"walrus {number}")
        told = why_not(self.reading(memory), "walrus", page, mode="lexical")
        assert told.rule == "enough_memories"
        assert told.message == "2 memories answer; documents are searched below 2"
        assert why_not(self.reading(memory, min_hot_items=5), "walrus", page, mode="lexical").returned

    def test_a_passage_that_does_not_match(self, memory: Satchel, page: str) -> None:
        assert why_not(self.reading(memory), "teapot", page, mode="lexical").rule == "no_match"

    def test_a_passage_that_is_hardly_relevant(self, memory: Satchel, page: str) -> None:
        query = "which museum bought sleeps of portraits, clocks, violins, maps, stamps and globes last winter"
        told = why_not(self.reading(memory), query, page, mode="lexical")
        assert (told.rule, commands(told)[0].split("'")[0]) == ("min_relevance", "satchel docs search ")

    def test_an_outranked_passage(self, memory: Satchel, page: str) -> None:
        texts = [{"ref": f"{one}.md", "path": f"{one}.md", "text": f"walrus walrus {one}"} for one in range(3)]
        memory.documents.add(texts, collection="zoo")
        told = why_not(self.reading(memory, max_items=1), "walrus", page, mode="lexical")
        assert (told.rule, commands(told)[0]) == ("limit", "satchel config set docs_cold_lane.max_items 2")
        assert why_not(self.reading(memory, max_items=5), "walrus", page, mode="lexical").returned

    def test_a_citation_names_a_passage(self, memory: Satchel, page: str) -> None:
        citation = memory.documents.search("walrus", mode="search").result.hits[0].citation
        for name in (citation, "doc:zoo:a.md"):
            assert why_not(self.reading(memory), "walrus", name, mode="lexical").returned
        assert why_not(memory, "walrus", "doc:zoo:b.md").rule == "not_found"

    def test_a_passage_of_another_scope(self, memory: Satchel, page: str) -> None:
        told = why_not(self.reading(memory), "walrus", page, mode="lexical", scope="shop")
        assert told.rule == "scope"
        hidden = why_not(self.reading(memory), "walrus", page, mode="lexical", scope="shop", elsewhere=False)
        assert (hidden.rule, hidden.words) == ("not_found", "")

    def test_a_passage_visible_by_scope_mapping(self, memory: Satchel, page: str) -> None:
        reading = self.reading(memory)
        assert reading.recall("walrus", mode="lexical", scope="zoo").result.cold.docs
        assert why_not(reading, "walrus", page, mode="lexical", scope="zoo", elsewhere=False).returned

    def test_a_forgotten_passage(self, memory: Satchel, page: str) -> None:
        memory.documents.forget("doc:zoo:a.md")
        assert why_not(memory, "walrus", page).rule == "forgotten"
        assert why_not(memory, "walrus", page, elsewhere=False).rule == "not_found"


class TestEpisodes:
    @pytest.fixture
    def turn(self, memory: Satchel) -> str:
        """The id of an episode."""
        said = Passage(PassageId("ep-1"), EvidenceLane.EPISODES, "global", "s1", 0, "the walrus sang")
        memory.parts.ledger.passages.put([with_content_hash(said)], [])
        return said.id

    def test_an_episode_is_in_another_lane(self, memory: Satchel, turn: str) -> None:
        told = why_not(memory, "walrus", turn)
        assert (told.record, told.rule, told.words) == ("episode", "other_lane", "the walrus sang")
        assert commands(told) == ["satchel episodes search walrus --scope global"]

    def test_an_episode_of_another_scope_is_hidden_from_an_agent(self, memory: Satchel, turn: str) -> None:
        assert why_not(memory, "walrus", turn, scope="zoo", elsewhere=False).rule == "not_found"
        assert why_not(memory, "walrus", turn, elsewhere=False).rule == "other_lane"


class TestFacts:
    @pytest.fixture
    def fact(self, memory: Satchel) -> str:
        """The id of a fact."""
        source = memory.store("the walrus sleeps").result.id
        return memory.facts.assert_("walrus", "status", "asleep", sources=(source,)).result.fact.id

    def test_a_fact_is_in_another_lane(self, memory: Satchel, fact: str) -> None:
        told = why_not(memory, "walrus", fact)
        assert (told.record, told.rule) == ("fact", "other_lane")
        assert commands(told) == ["satchel fact search walrus --scope global"]
        assert why_not(memory, "walrus", fact, scope="zoo", elsewhere=False).rule == "not_found"
