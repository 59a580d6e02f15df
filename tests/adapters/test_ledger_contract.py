"""The contract of every ledger for memories, receipts, vectors and the feed."""

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.answers import MemoryCounts
from satchel.domain.canonical import Json
from satchel.domain.embedding import Space
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Label, Memory, MemoryId, SourceKind, State, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View, held_out_by
from satchel.domain.words import question_terms
from satchel.errors import Conflict
from satchel.ports import ChainState, Change, Embedded, Event, FeedItem, Frequencies, Ledger, Unembedded
from tests.adapters.samples import (
    ALL,
    HOSTILE,
    NOW,
    OTHER_SPACE,
    SCOPES,
    SPACE,
    change,
    embed,
    erase,
    memory,
    populations,
    receipt,
    store,
    unit,
    views,
)

GLOBAL = View(Reach(("global",)), NOW)
PLACES = ("file", "memory")


@pytest.fixture(params=PLACES)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    opened = SqliteLedger(tmp_path / "ledger.sqlite3" if request.param == "file" else None)
    yield opened
    opened.close()


def ids(found: list[Memory]) -> list[str]:
    return [one.id for one in found]


def matched(ledger: Ledger, question: str, view: View = GLOBAL) -> list[str]:
    return [one.id for one in ledger.memories.match(question_terms(question), view, 50)]


# Committing and fetching


def full(id: str) -> Memory:
    return Memory(
        id=MemoryId(id),
        text='Text with "quotes",\nlines, tabs\tand 中文 👩‍👩‍👧‍👦',
        scope="it's/a:scope",
        created_at=1,
        updated_at=2,
        kind=Kind.PROCEDURE,
        title="A title",
        importance=0.1,
        label=Label.IGNORE,
        trust=Trust.QUARANTINED,
        source_kind=SourceKind.WEB,
        source_ref="https://example.org/?a='b'",
        language="zh",
        session="s",
        task="t",
        role_scope="r",
        abstraction=3,
        confidence=0.25,
        success=1.0,
        keywords=("k", '"', "'"),
        tags=("a", "标签"),
        media_refs=("file:///x",),
        valid_from=-5,
        valid_to=2**53,
        state=State.RETIRED,
        replaced_by=MemoryId("other"),
        reason="because",
    )


def test_a_record_is_read_back(ledger: Ledger) -> None:
    plain, odd = memory("plain"), full("odd")
    store(ledger, plain, odd)
    assert ledger.memories.fetch([odd.id, plain.id, MemoryId("unknown")], ALL) == {"odd": odd, "plain": plain}


def test_more_ids_than_fit_one_query_are_fetched(ledger: Ledger) -> None:
    population = [memory(f"m{number:04}") for number in range(1_201)]
    store(ledger, *population)
    assert len(ledger.memories.fetch([one.id for one in population], GLOBAL)) == 1_201
    assert ledger.memories.fetch([], GLOBAL) == {}


def test_every_change_gets_the_next_sequence_number(ledger: Ledger) -> None:
    assert ledger.feed.tip() == 0
    assert store(ledger, memory("a"), memory("b")) == 2
    assert store(ledger, memory("c")) == 3
    assert ledger.feed.tip() == 3


@pytest.mark.parametrize("case", ["exists", "differs", "never was", "tombstone", "tombstone as before"])
def test_a_conflict_writes_nothing(ledger: Ledger, case: str) -> None:
    kept, gone, fresh = memory("kept"), memory("gone"), memory("fresh", "brand new words")
    store(ledger, kept, gone)
    erase(ledger, "gone")
    bad = {
        "exists": Change(kept, None, "store", "tester"),
        "differs": Change(memory("kept", "new"), memory("kept", "not what it was"), "edit", "tester"),
        "never was": Change(memory("unknown", "new"), memory("unknown"), "edit", "tester"),
        "tombstone": Change(gone, None, "store", "tester"),
        "tombstone as before": Change(memory("gone", "new"), gone, "edit", "tester"),
    }[case]
    before = (ledger.feed.tip(), ledger.receipts.recent(10), ledger.memories.page(ALL, 10))
    with pytest.raises(Conflict):
        ledger.memories.commit([Change(fresh, None, "store", "tester"), bad], receipt("failing"))
    assert (ledger.feed.tip(), ledger.receipts.recent(10), ledger.memories.page(ALL, 10)) == before
    assert ledger.memories.history(fresh.id) == []
    assert matched(ledger, "brand new words") == []
    assert ledger.receipts.verify().broken_at is None


def test_a_second_change_of_the_same_state_conflicts(ledger: Ledger) -> None:
    first = memory("a")
    store(ledger, first)
    change(ledger, first, title="first wins")
    with pytest.raises(Conflict):
        change(ledger, first, title="second loses")
    assert ledger.memories.fetch([first.id], ALL)[first.id].title == "first wins"


# Paging


@pytest.mark.parametrize("size", [1, 2, 3, 7, 100])
def test_pages_neither_repeat_nor_skip_records_of_equal_times(ledger: Ledger, size: int) -> None:
    population = [memory(f"m{number:02}", created_at=number // 4) for number in range(23)]
    store(ledger, *population)
    seen: list[str] = []
    after = None
    while page := ledger.memories.page(GLOBAL, size, after):
        assert len(page) <= size
        seen += ids(page)
        after = (page[-1].created_at, page[-1].id)
    assert seen == [one.id for one in sorted(population, key=lambda one: (one.created_at, one.id), reverse=True)]


def test_a_record_stored_while_paging_does_not_shift_the_pages(ledger: Ledger) -> None:
    store(ledger, *(memory(f"m{number}", created_at=number) for number in range(4)))
    first = ledger.memories.page(GLOBAL, 2)
    store(ledger, memory("newer", created_at=9))
    second = ledger.memories.page(GLOBAL, 2, (first[-1].created_at, first[-1].id))
    assert ids(first + second) == ["m3", "m2", "m1", "m0"]


# History


def as_of(ledger: Ledger, id: str, seq: int) -> Memory | None:
    with ledger.as_of(seq) as then:
        return then.memories.fetch([MemoryId(id)], ALL).get(MemoryId(id))


def test_the_state_after_any_change_can_be_read(ledger: Ledger) -> None:
    states = [memory("a", "first")]
    seqs = [store(ledger, states[0])]
    for number in range(4):
        store(ledger, memory(f"between {number}"))
        after, seq = change(ledger, states[-1], f"why {number}", text=f"text {number}", tags=(f"tag {number}",))
        states.append(after)
        seqs.append(seq)
    assert as_of(ledger, "a", seqs[0] - 1) is None
    for state, seq, following in zip(states, seqs, [*seqs[1:], seqs[-1] + 5], strict=True):
        assert [as_of(ledger, "a", at) for at in range(seq, following)] == [state] * (following - seq)
    assert as_of(ledger, "unknown", seqs[-1]) is None


def test_history_has_actor_operation_reason_and_receipt(ledger: Ledger) -> None:
    first = memory("a")
    store(ledger, first)
    change(ledger, first, "a better title", title="better")
    assert ledger.memories.history(first.id) == [
        Event(1, first.id, "store", "tester", None, receipt("a").digest, NOW),
        Event(2, first.id, "edit", "tester", "a better title", receipt("edit a").digest, NOW),
    ]


# Sessions


def following(ledger: Ledger, view: View = GLOBAL, *names: str) -> dict[str, str]:
    members = ledger.memories.fetch([MemoryId(name) for name in names or "abcdef"], ALL)
    found = ledger.memories.next_in_session(list(members.values()), view)
    return {str(id): str(after) for id, after in found.items()}


def test_a_memory_is_followed_by_the_one_stored_after_it_in_its_session(ledger: Ledger) -> None:
    store(ledger, memory("c", session="s"), memory("b", session="t"), memory("a", session="s"), memory("d"))
    store(ledger, memory("e", session="s", scope="team"), memory("f", session="s"))
    assert following(ledger) == {"c": "a", "a": "f"}
    assert following(ledger, View(EVERYWHERE, NOW)) == {"c": "a", "a": "f"}
    assert following(ledger, GLOBAL, "a") == {"a": "f"}
    assert ledger.memories.next_in_session([], GLOBAL) == {}


@pytest.mark.parametrize(
    "outside", [{"trust": Trust.QUARANTINED}, {"state": State.RETIRED}, {"valid_from": NOW + 1}, {"valid_to": NOW}]
)
def test_a_memory_outside_the_view_follows_nothing(ledger: Ledger, outside: dict[str, Any]) -> None:
    store(ledger, memory("a", session="s"), memory("b", session="s", **outside), memory("c", session="s"))
    assert following(ledger) == {"a": "c", "b": "c"}


def test_what_follows_is_read_as_it_was(ledger: Ledger) -> None:
    second = memory("b", session="s")
    store(ledger, memory("a", session="s"), second, memory("c", session="s"))
    seq = ledger.feed.tip()
    change(ledger, second, state=State.RETIRED)
    store(ledger, memory("d", session="s"))
    assert following(ledger, GLOBAL, "a", "c") == {"a": "c", "c": "d"}
    with ledger.as_of(seq) as then:
        assert following(then, GLOBAL, "a", "b", "c") == {"a": "b", "b": "c"}


# Erasing


def test_erasing_removes_the_content_and_leaves_a_tombstone(ledger: Ledger) -> None:
    first = memory("a", "walrus secret", title="narwhal", tags=("manatee",))
    store(ledger, first, memory("b", "bystander"))
    second, seq = change(ledger, first, "dugong reason", text="walrus secret again")
    embed(ledger, {"a": unit(1, 0, 0, 0), "b": unit(0, 1, 0, 0)})
    ledger.receipts.keep(receipt("recall"), [first.id, MemoryId("b")])
    assert erase(ledger, "a")
    assert ledger.memories.fetch([first.id], ALL) == {}
    assert [matched(ledger, word) for word in ("walrus", "narwhal", "manatee")] == [[], [], []]
    assert ledger.vectors.get(SPACE, [first.id]) == {}
    assert [as_of(ledger, first.id, at) for at in range(ledger.feed.tip() + 1)] == [None] * (ledger.feed.tip() + 1)
    events = ledger.memories.history(first.id)
    assert [(event.operation, event.reason) for event in events] == [("store", None), ("edit", None), ("forget", None)]
    assert not ledger.memories.contains("walrus", excluding=MemoryId("b"))
    assert ledger.feed.since(0, SPACE, 10)[-1] == FeedItem(ledger.feed.tip(), first.id, None, None)
    assert [id for id, _ in ledger.feed.fingerprints()] == ["b"]
    assert ids(ledger.memories.page(ALL, 10)) == ["b"]
    assert seq < ledger.feed.tip()
    assert second.content_hash not in {hash for _, hash in ledger.feed.fingerprints()}


def test_erasing_out_of_reach_changes_nothing(ledger: Ledger) -> None:
    store(ledger, memory("a", scope="mine"))
    before = (ledger.feed.tip(), ledger.receipts.recent(10))
    assert not erase(ledger, "a", Reach(("yours", "global")))
    assert not erase(ledger, "unknown")
    assert (ledger.feed.tip(), ledger.receipts.recent(10)) == before
    assert ids(ledger.memories.page(ALL, 10)) == ["a"]


def test_erasing_twice_finds_nothing_the_second_time(ledger: Ledger) -> None:
    store(ledger, memory("a"))
    assert [erase(ledger, "a"), erase(ledger, "a")] == [True, False]


def test_scrubbing_succeeds_without_readers(ledger: Ledger) -> None:
    store(ledger, memory("a"))
    erase(ledger, "a")
    assert ledger.memories.scrub()


def test_contains_looks_at_records_of_any_scope_and_state(ledger: Ledger) -> None:
    store(ledger, memory("a", "the walrus", scope="far", trust=Trust.QUARANTINED), memory("b", title="a narwhal"))
    pieces = ("walrus", "e wal", "narwhal", "Walrus", "%", "manatee")

    def found(besides: str) -> list[str]:
        return [piece for piece in pieces if ledger.memories.contains(piece, excluding=MemoryId(besides))]

    assert found("gone") == ["walrus", "e wal", "narwhal"]
    assert found("a") == ["narwhal"]
    assert found("b") == ["walrus", "e wal"]


# Full text


@pytest.mark.parametrize(
    ("text", "questions"),
    [
        ("The deployments were running late", ["deployment", "runs", "run", "LATE"]),
        ("我们的数据库在上海", ["数据库", "数据", "库", "上海", "我们的数据库在上海"]),
        ("データベースは東京にある", ["東京", "データベース", "京"]),
        ("서울에서 만나요", ["서울", "울"]),
        ("Deploy到生产环境 on Friday", ["deploy", "生产", "生产环境", "friday"]),
        ("Café naïve Ångström", ["cafe", "café", "naive", "angstrom"]),
        ("ＦＵＬＬ ｗｉｄｔｈ １２３", ["full", "width", "123", "ｗｉｄｔｈ"]),
        ("ﬁnal ﬂow", ["final", "flow"]),
        ("snake_case and kebab-case, e.g. user@example.org", ["snake", "kebab", "example"]),
        ("Ελλάδα и Ёлка", ["ελλάδα", "ёлка"]),
    ],
)
def test_a_text_is_found_by_its_words(ledger: Ledger, text: str, questions: list[str]) -> None:
    store(ledger, memory("a", text), memory("b", "something else entirely"))
    assert {question: matched(ledger, question) for question in questions} == {
        question: ["a"] for question in questions
    }


def test_separate_characters_are_not_a_word(ledger: Ledger) -> None:
    store(ledger, memory("a", "数学和依据"), memory("b", "数据"))
    assert matched(ledger, "数据") == ["b"]


def test_title_tags_and_keywords_match_and_a_title_counts_more(ledger: Ledger) -> None:
    store(
        ledger,
        memory("body", "walrus and other animals"),
        memory("title", "other animals", title="walrus"),
        memory("tag", "x", tags=("narwhal", "标签")),
        memory("keyword", "y", keywords=("manatee",)),
    )
    assert matched(ledger, "walrus") == ["title", "body"]
    assert [matched(ledger, word) for word in ("narwhal", "标签", "manatee")] == [["tag"], ["tag"], ["keyword"]]


def test_a_changed_record_is_found_by_its_new_words_only(ledger: Ledger) -> None:
    first = memory("a", "walrus", title="old", tags=("ancient",))
    store(ledger, first)
    change(ledger, first, text="narwhal", title="new", tags=("recent",))
    assert [matched(ledger, word) for word in ("walrus", "old", "ancient")] == [[], [], []]
    assert [matched(ledger, word) for word in ("narwhal", "new", "recent")] == [["a"], ["a"], ["a"]]


def test_matches_have_the_content_hash_and_come_best_first(ledger: Ledger) -> None:
    both, one = memory("both", "red apple"), memory("one", "red walls all around the old house")
    store(ledger, one, both, *(memory(f"other {number}", "filler") for number in range(5)))
    found = ledger.memories.match(["red", "apple"], GLOBAL, 5)
    assert [(hit.id, hit.content_hash) for hit in found] == [("both", both.content_hash), ("one", one.content_hash)]
    assert found[0].score > found[1].score > 0
    assert ledger.memories.match(["red", "apple"], GLOBAL, 1) == found[:1]
    assert ledger.memories.match([], GLOBAL, 5) == []
    assert ledger.memories.excluded([], GLOBAL, 5) == []


def test_frequencies_count_stemmed_terms_of_all_scopes(ledger: Ledger) -> None:
    store(ledger, memory("a", "seals and seals"), memory("b", "one seal", scope="other"), memory("c", "数据库"))

    counted = ledger.memories.frequencies(["seal", "sealing", "数据", "unicorn"])

    assert counted == Frequencies({"seal": 2, "sealing": 2, "数据": 1, "unicorn": 0}, 3)
    erase(ledger, "a")
    assert ledger.memories.frequencies(["seal"]).holding == {"seal": 1}


def test_untrusted_records_can_be_left_out_of_frequencies(ledger: Ledger) -> None:
    claimed = [memory(f"claimed {number}", "seals", trust=Trust.UNTRUSTED) for number in range(3)]
    store(ledger, memory("a", "one seal"), *claimed)

    assert ledger.memories.frequencies(["seal"]).holding == {"seal": 4}
    trusted = ledger.memories.frequencies(["seal", "unicorn"], trusted_only=True)
    assert trusted == Frequencies({"seal": 1, "unicorn": 0}, 1)


def test_a_very_common_term_is_counted_up_to_a_maximum(ledger: Ledger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("satchel.adapters.sql.full_text.MAX_COUNTED", 3)
    store(ledger, *[memory(f"m{number}", "walrus") for number in range(5)])

    assert ledger.memories.frequencies(["walrus"]) == Frequencies({"walrus": 3}, 5)


def test_an_empty_ledger_has_no_terms(ledger: Ledger) -> None:
    assert ledger.memories.frequencies([]) == Frequencies({}, 0)
    assert ledger.memories.frequencies(list(HOSTILE)) == Frequencies(dict.fromkeys(HOSTILE, 0), 0)


def test_matching_terms_of_a_record(ledger: Ledger) -> None:
    store(
        ledger,
        memory("a", "the seals were sleeping", title="数据库", tags=("ice",)),
        memory("b", "seal", scope="other"),
    )
    asked = ["seal", "sleeps", "数据", "ice", "walrus", *HOSTILE]
    assert ledger.memories.matching_terms(MemoryId("a"), asked, GLOBAL) == {"seal", "sleeps", "数据", "ice"}
    assert ledger.memories.matching_terms(MemoryId("b"), asked, GLOBAL) == frozenset()
    assert ledger.memories.matching_terms(MemoryId("nobody"), asked, GLOBAL) == frozenset()
    assert ledger.memories.matching_terms(MemoryId("a"), [], GLOBAL) == frozenset()


def test_receipts_are_found_by_the_scope_they_were_asked_in(ledger: Ledger) -> None:
    for scope in ("mine", "other", None, "mine"):
        asked: dict[str, Json] = {"scope": scope, "number": len(ledger.receipts.recent(9))}
        ledger.receipts.keep(Receipt("recall", asked), ())
    mine = ledger.receipts.recent(9, scope="mine")
    assert [one.body["asked"]["number"] for one in mine] == [3, 0]  # type: ignore[call-overload,index]
    assert ledger.receipts.recent(1, "recall", "mine") == mine[:1]
    assert ledger.receipts.recent(9, "store", "mine") == []
    assert ledger.receipts.find(mine[0].digest, "mine") == mine[:1]
    assert ledger.receipts.find(mine[0].digest, "other") == []


def test_receipts_are_found_by_their_operations_and_an_id_among_the_newest(ledger: Ledger) -> None:
    for operation, id in (("recall", "a"), ("pack", "a"), ("store", "a"), ("recall", "ab")):
        ledger.receipts.keep(Receipt(operation, {"id": id}), ())

    def found(**narrowed: Any) -> list[str]:
        return [one.operation for one in ledger.receipts.recent(9, ("recall", "pack"), **narrowed)]

    assert found() == ["recall", "pack", "recall"]
    assert found(mentions="a") == ["pack", "recall"]
    assert found(mentions="a", among=3) == ["pack"]
    assert ledger.receipts.recent(9, ()) == []


def test_ten_thousand_matches_of_another_scope_do_not_hide_the_one_in_reach(ledger: Ledger) -> None:
    store(ledger, *(memory(f"m{number:05}", "walrus", scope="other", created_at=NOW + 1) for number in range(10_000)))
    store(ledger, memory("mine", "walrus among many other long words that make it rank lower", created_at=1))
    assert [one.id for one in ledger.memories.match(["walrus"], GLOBAL, 1)] == ["mine"]
    assert ids(ledger.memories.page(GLOBAL, 1)) == ["mine"]


def test_hostile_terms_and_texts_are_only_text(ledger: Ledger) -> None:
    store(ledger, memory("secret", "secret", scope="other"))
    for number, text in enumerate(HOSTILE):
        store(ledger, memory(f"h{number:02}", text, title=text[:1_000], tags=(text[:1_000],)))
    kept = ledger.memories.fetch([MemoryId(f"h{number:02}") for number in range(len(HOSTILE))], GLOBAL)
    assert [kept[id].text for id in sorted(kept)] == list(HOSTILE)
    for text in (*HOSTILE, "\0", "a\0b", "a\0" * 100):
        for terms in ([text], [text, "secret"], [text] * 3, list(question_terms(text)) or ["x"]):
            found = ledger.memories.match(terms, GLOBAL, 100) + ledger.memories.match(terms, ALL, 0)
            assert all(one.id.startswith("h") for one in found)
            assert ledger.memories.excluded(terms, GLOBAL, 100) == []
        ledger.memories.contains(text, excluding=MemoryId("secret"))
    for number in range(len(HOSTILE)):
        assert erase(ledger, f"h{number:02}")
    assert ids(ledger.memories.page(ALL, 10)) == ["secret"]
    assert {one.status for one in ledger.check_up()} == {"ok"}


# Views


@pytest.mark.parametrize("place", PLACES)
@settings(max_examples=40, deadline=None, derandomize=True, database=None)
@given(population=populations(), seen=st.lists(views(), min_size=1, max_size=5))
def test_a_view_shows_what_its_rules_admit_and_nothing_else(
    place: str, population: list[Memory], seen: list[View]
) -> None:
    with TemporaryDirectory() as folder:
        ledger = SqliteLedger(Path(folder) / "ledger.sqlite3" if place == "file" else None)
        if population:
            store(ledger, *population)
        for view in [*seen, View(EVERYWHERE, NOW), View(Reach(SCOPES[:3]), NOW)]:
            admitted = {one.id for one in population if held_out_by(one, view) is None}
            assert set(ids(ledger.memories.page(view, 100))) == admitted
            assert set(ledger.memories.fetch([one.id for one in population], view)) == admitted
            assert ledger.memories.count(view) == ledger.memories.tally(view).memories == len(admitted)
            apples = {one.id for one in population if "apple" in one.text}
            assert set(matched(ledger, "apple", view)) == admitted & apples
            alike = ledger.memories.near_duplicates("The RED apple!", view, 100)
            assert set(ids(alike)) == admitted & {one.id for one in population if one.text == "red apple"}
            there = {(one.trust, one.label) for one in population if view.reach.admits(one.scope)}
            assert ledger.memories.tiers(view.reach) == there
            named = ledger.memories.excluded(["apple"], view, 100)
            within = {one.id for one in population if view.reach.admits(one.scope)}
            assert set(ids(named)) <= (apples & within) - admitted
            if view == View(view.reach, view.now):
                assert set(ids(named)) == (apples & within) - admitted
        ledger.close()


def test_excluded_records_are_found_within_reach_only(ledger: Ledger) -> None:
    population = [
        memory("seen", "walrus"),
        memory("far", "walrus", scope="other", state=State.RETIRED),
        memory("quarantined", "walrus", trust=Trust.QUARANTINED),
        memory("retired", "walrus", state=State.RETIRED),
        memory("early", "walrus", valid_from=NOW + 1),
        memory("expired", "walrus", valid_to=NOW),
        memory("unrelated", "narwhal", state=State.ARCHIVED),
    ]
    store(ledger, *population)
    found = {one.id: held_out_by(one, GLOBAL) for one in ledger.memories.excluded(["walrus"], GLOBAL, 10)}
    assert found == {
        "quarantined": "trust",
        "retired": "state",
        "early": "not_yet_valid",
        "expired": "expired",
    }
    assert len(ledger.memories.excluded(["walrus"], GLOBAL, 2)) == 2


def test_a_tally_counts_the_view(ledger: Ledger) -> None:
    assert ledger.memories.tally(ALL) == MemoryCounts(0, {}, {}, {}, {}, {}, 0, 0, 0, 0, None, None, None)
    store(
        ledger,
        memory("a", "四个字符", kind=Kind.FACT, created_at=5),
        memory("b", "abc", label=Label.IGNORE, trust=Trust.QUARANTINED, state=State.STALE, created_at=9),
        memory("c", "not counted", scope="other", created_at=1),
    )
    assert ledger.memories.tally(View(Reach(("global",)), NOW, trusts=tuple(Trust))) == MemoryCounts(
        memories=2,
        by_scope={"global": 2},
        by_kind={"fact": 1, "other": 1},
        by_label={"ignore": 1, "unknown": 1},
        by_trust={"quarantined": 1, "trusted": 1},
        by_state={"active": 1, "stale": 1},
        text_chars=7,
        shortest=3,
        longest=4,
        median_chars=3,
        oldest=5,
        newest=9,
        mean_created_at=7,
    )


# Vectors


def waiting(ledger: Ledger, space: Space = SPACE, *, retry: bool = False) -> list[str]:
    return [one.id for one in ledger.vectors.pending(space, 10, retry=retry)]


def test_matches_are_found_among_some_records(ledger: Ledger) -> None:
    store(
        ledger,
        *(
            memory(id, text)
            for id, text in (("a", "a walrus"), ("b", "a walrus, a walrus"), ("c", "a seal"), ("d", "walrus"))
        ),
    )
    among = ledger.memories.match_among(["walrus"], [MemoryId(id) for id in "abcx"], 5)
    everywhere = {one.id: one for one in ledger.memories.match(["walrus"], GLOBAL, 5)}
    assert {one.id for one in among} == {"a", "b"}
    assert among == sorted((everywhere[one.id] for one in among), key=lambda one: (-one.score, one.id))
    assert [len(ledger.memories.match_among(["walrus"], [MemoryId(id) for id in "abd"], most)) for most in (2, 5)] == [
        2,
        3,
    ]
    assert ledger.memories.match_among([], [MemoryId("a")], 5) == ledger.memories.match_among(["walrus"], [], 5) == []


def test_pending_texts_come_newest_first(ledger: Ledger) -> None:
    first = memory("a", "first")
    store(ledger, first, memory("b"), memory("c", created_at=1))
    assert ledger.vectors.space() is None
    assert waiting(ledger) == ["c", "b", "a"]
    assert ledger.vectors.pending(SPACE, 2)[1:] == [Unembedded(MemoryId("b"), "a plain note", memory("b").content_hash)]
    assert ledger.vectors.backlog(SPACE) == (3, 0)
    embed(ledger, {"c": unit(1, 2, 3, 4)})
    assert ledger.vectors.space() == SPACE
    assert waiting(ledger) == ["b", "a"]
    assert ledger.vectors.get(SPACE, [MemoryId("c"), MemoryId("b")]) == {"c": unit(1, 2, 3, 4)}
    assert ledger.vectors.get(Space("another", 4), [MemoryId("c")]) == {}


def test_claimed_texts_come_newest_first_and_are_those_that_wait(ledger: Ledger) -> None:
    store(ledger, memory("a"), memory("b"), memory("c"))
    embed(ledger, {"b": unit(1, 2, 3, 4)})
    with ledger.vectors.claimed(SPACE, 10) as batch:
        assert batch == ledger.vectors.pending(SPACE, 10)
        assert [one.id for one in batch] == ["c", "a"]
        embed(ledger, {"a": unit(1, 0, 0, 0), "c": unit(0, 1, 0, 0)})
    with ledger.vectors.claimed(SPACE, 10) as batch:
        assert batch == []


def test_what_one_process_has_claimed_no_other_can_claim(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    one, other = SqliteLedger(path), SqliteLedger(path)
    try:
        store(one, *(memory(f"m{number:03}") for number in range(200)))
        with one.vectors.claimed(SPACE, 8) as mine, other.vectors.claimed(SPACE, 8) as theirs:
            assert mine
            assert not {text.id for text in mine} & {text.id for text in theirs}
        with other.vectors.claimed(SPACE, 200) as rest:
            assert len(rest) == 200
    finally:
        one.close()
        other.close()


def test_a_claim_does_not_keep_others_from_changing_its_texts(tmp_path: Path) -> None:
    path = tmp_path / "ledger.sqlite3"
    one, other = SqliteLedger(path), SqliteLedger(path)
    try:
        store(one, memory("a"), memory("b"))
        with one.vectors.claimed(SPACE, 8) as batch:
            assert erase(other, "a")
            one.vectors.adopt(SPACE)
            one.vectors.put(SPACE, [Embedded(text.id, text.content_hash, unit(1, 0, 0, 0)) for text in batch])
        assert one.vectors.count(SPACE) == 1
        assert one.vectors.backlog(SPACE) == (0, 0)
    finally:
        one.close()
        other.close()


def test_a_skipped_text_is_pending_again_only_with_retry(ledger: Ledger) -> None:
    one = memory("a")
    store(ledger, one)
    ledger.vectors.adopt(SPACE)
    ledger.vectors.put(SPACE, [Embedded(one.id, one.content_hash, None, "input_too_long")])
    assert (waiting(ledger), waiting(ledger, retry=True)) == ([], ["a"])
    assert ledger.vectors.backlog(SPACE) == (0, 1)
    assert ledger.vectors.get(SPACE, [one.id]) == {}
    embed(ledger, {"a": unit(1, 0, 0, 0)})
    assert ledger.vectors.backlog(SPACE) == (0, 0)


def test_a_vector_of_a_changed_or_erased_text_is_dropped(ledger: Ledger) -> None:
    first, gone = memory("a", "first"), memory("gone")
    store(ledger, first, gone)
    ledger.vectors.adopt(SPACE)
    second, _ = change(ledger, first, text="second")
    erase(ledger, "gone")
    tip = ledger.feed.tip()
    stale = [Embedded(one.id, one.content_hash, unit(1, 0, 0, 0)) for one in (first, gone)]
    ledger.vectors.put(SPACE, stale)
    assert ledger.vectors.get(SPACE, [first.id, gone.id]) == {}
    assert (waiting(ledger), ledger.feed.tip()) == (["a"], tip)
    ledger.vectors.put(SPACE, [Embedded(second.id, second.content_hash, unit(0, 1, 0, 0))])
    assert ledger.vectors.get(SPACE, [second.id]) == {"a": unit(0, 1, 0, 0)}


def test_a_changed_text_loses_its_vector_and_any_other_change_keeps_it(ledger: Ledger) -> None:
    first = memory("a", "first")
    store(ledger, first)
    embed(ledger, {"a": unit(1, 0, 0, 0)})
    titled, _ = change(ledger, first, title="a title")
    assert (waiting(ledger), ledger.vectors.get(SPACE, [first.id])) == ([], {"a": unit(1, 0, 0, 0)})
    change(ledger, titled, text="second")
    assert (waiting(ledger), ledger.vectors.get(SPACE, [first.id])) == (["a"], {})
    assert ledger.feed.since(0, SPACE, 10)[0].vector is None


def test_a_second_space_is_filled_and_then_adopted(ledger: Ledger) -> None:
    store(ledger, memory("a", "first"), memory("b", "second"))
    embed(ledger, {"a": unit(1, 0, 0, 0), "b": unit(0, 1, 0, 0)})
    tip = ledger.feed.tip()
    embed(ledger, {"a": unit(1, 2, 2)}, OTHER_SPACE)
    assert (ledger.vectors.space(), waiting(ledger), waiting(ledger, OTHER_SPACE)) == (SPACE, [], ["b"])
    assert ledger.feed.tip() == tip
    ledger.vectors.adopt(OTHER_SPACE)
    assert ledger.vectors.space() == OTHER_SPACE
    assert ledger.vectors.get(SPACE, [MemoryId("a"), MemoryId("b")]) == {}
    assert ledger.vectors.get(OTHER_SPACE, [MemoryId("a"), MemoryId("b")]) == {"a": unit(1, 2, 2)}
    assert (waiting(ledger, OTHER_SPACE), ledger.vectors.backlog(OTHER_SPACE)) == (["b"], (1, 0))


def test_the_same_name_with_another_length_is_another_space(ledger: Ledger) -> None:
    store(ledger, memory("a", "first"), memory("b", "second"))
    embed(ledger, {"a": unit(1, 0, 0, 0), "b": unit(0, 1, 0, 0)})
    shorter = Space(SPACE.name, 3)
    assert (waiting(ledger, shorter), ledger.vectors.backlog(shorter)) == (["b", "a"], (2, 0))
    embed(ledger, {"a": unit(1, 2, 2)}, shorter)
    both = [MemoryId("a"), MemoryId("b")]
    assert ledger.vectors.get(SPACE, both) == {"a": unit(1, 0, 0, 0), "b": unit(0, 1, 0, 0)}
    assert ledger.vectors.get(shorter, both) == {"a": unit(1, 2, 2)}
    assert [item.vector for item in ledger.feed.since(0, shorter, 10)] == [unit(1, 2, 2), None]
    assert (ledger.vectors.space(), waiting(ledger), waiting(ledger, shorter)) == (SPACE, [], ["b"])
    ledger.vectors.adopt(shorter)
    assert (ledger.vectors.space(), waiting(ledger, shorter)) == (shorter, ["b"])
    assert (ledger.vectors.get(SPACE, both), ledger.vectors.get(shorter, both)) == ({}, {"a": unit(1, 2, 2)})


def test_the_backlog_without_a_space_is_that_of_the_store(ledger: Ledger) -> None:
    one, two, three = memory("a", "first"), memory("b", "second"), memory("c", "third")
    store(ledger, one, two, three)
    assert ledger.vectors.backlog(None) == (3, 0)
    embed(ledger, {"a": unit(1, 0, 0, 0)})
    ledger.vectors.put(SPACE, [Embedded(two.id, two.content_hash, None, "input_too_long")])
    assert ledger.vectors.backlog(None) == ledger.vectors.backlog(SPACE) == (1, 1)
    assert ledger.vectors.backlog(OTHER_SPACE) == (3, 0)


def test_count_has_the_vectors_of_a_space_without_skipped_texts(ledger: Ledger) -> None:
    one, two, three = memory("a", "first"), memory("b", "second"), memory("c", "third")
    store(ledger, one, two, three)
    shorter = Space(SPACE.name, 3)

    def counts() -> list[int]:
        return [ledger.vectors.count(space) for space in (SPACE, OTHER_SPACE, shorter)]

    assert counts() == [0, 0, 0]
    embed(ledger, {"a": unit(1, 0, 0, 0), "b": unit(0, 1, 0, 0)})
    embed(ledger, {"a": unit(1, 2, 2)}, OTHER_SPACE)
    skipped = [Embedded(record.id, record.content_hash, None, "zero_vector") for record in (two, three)]
    ledger.vectors.put(OTHER_SPACE, skipped)
    ledger.vectors.put(shorter, skipped)
    assert counts() == [2, 1, 0]
    assert [ledger.vectors.progress(space) for space in (SPACE, OTHER_SPACE, shorter)] == [(2, 3), (1, 3), (0, 3)]
    embed(ledger, {"a": unit(0, 0, 0, 1)})
    assert counts() == [2, 1, 0]
    ledger.vectors.adopt(OTHER_SPACE)
    assert counts() == [0, 1, 0]


def test_the_vector_of_an_erased_record_is_not_counted(ledger: Ledger) -> None:
    store(ledger, memory("a", "first"), memory("b", "second"))
    embed(ledger, {"a": unit(1, 0, 0, 0), "b": unit(0, 1, 0, 0)})
    embed(ledger, {"a": unit(1, 2, 2)}, OTHER_SPACE)
    erase(ledger, "a")
    assert (ledger.vectors.count(SPACE), ledger.vectors.count(OTHER_SPACE)) == (1, 0)


# The feed


def test_the_feed_has_every_record_once_in_its_newest_state_in_order(ledger: Ledger) -> None:
    first, second, third = memory("a", "first"), memory("b", "second"), memory("c", "third")
    store(ledger, first, second, third)
    edited, edit = change(ledger, first, title="edited")
    erase(ledger, "b")
    embed(ledger, {"c": unit(1, 0, 0, 0)})
    expected = [
        FeedItem(edit, first.id, edited, None, row=1),
        FeedItem(edit + 1, second.id, None, None),
        FeedItem(edit + 2, third.id, third, unit(1, 0, 0, 0), row=3),
    ]
    assert ledger.feed.since(0, SPACE, 10) == expected
    assert ledger.feed.since(0, SPACE, 2) == expected[:2]
    assert ledger.feed.since(edit, SPACE, 10) == expected[1:]
    assert ledger.feed.since(ledger.feed.tip(), SPACE, 10) == []
    assert [ledger.feed.behind(seq) for seq in (0, edit, edit + 1, edit + 2)] == [3, 2, 1, 0]
    assert ledger.feed.tip() == edit + 2
    assert [item.vector for item in ledger.feed.since(0, OTHER_SPACE, 10)] == [None, None, None]


def test_fingerprints_are_complete_and_ordered(ledger: Ledger) -> None:
    population = [
        memory(f"m{(number * 7) % 1_201:04}", f"text {number}", scope=f"s{number}") for number in range(1_201)
    ]
    store(ledger, *population)
    assert list(ledger.feed.fingerprints()) == sorted((one.id, one.content_hash) for one in population)


# Receipts


def test_receipts_come_newest_first_and_are_found_by_digest_prefix(ledger: Ledger) -> None:
    assert ledger.receipts.verify() == ChainState(0, None)
    kept = [receipt(f"number {number}", at=number) for number in range(5)]
    assert [ledger.receipts.keep(one, []) for one in kept] == [True] * 5
    recent = ledger.receipts.recent(3)
    assert [(one.seq, one.digest, one.operation, one.at) for one in recent] == [
        (number + 1, kept[number].digest, "store", number) for number in (4, 3, 2)
    ]
    assert recent[0].body["asked"] == {"name": "number 4"}
    assert ledger.receipts.recent(10, "recall") == []
    assert len(ledger.receipts.recent(10, "store")) == 5
    for name in (kept[1].digest, kept[1].digest[:20], kept[1].digest.removeprefix("sha256:")[:12]):
        assert [one.digest for one in ledger.receipts.find(name)] == [kept[1].digest]
    assert ledger.receipts.find("zzz") == ledger.receipts.find("' OR 1 --") == []
    assert ledger.receipts.verify() == ChainState(5, None)


def test_equal_work_has_equal_digests_and_different_links(ledger: Ledger) -> None:
    for at in range(8):
        ledger.receipts.keep(receipt("same", at), [])
    found = ledger.receipts.find(receipt("same").digest)
    assert [one.at for one in found] == [7, 6, 5, 4, 3]
    assert ledger.receipts.verify() == ChainState(8, None)


def test_reading_counts_use_and_changes_no_record(ledger: Ledger) -> None:
    store(ledger, memory("a"), memory("b"))
    before = (ledger.feed.tip(), ledger.memories.page(ALL, 10), list(ledger.feed.fingerprints()))
    ledger.receipts.keep(receipt("recall"), [MemoryId("a"), MemoryId("b")])
    ledger.receipts.keep(receipt("recall"), [MemoryId("a")])
    assert (ledger.feed.tip(), ledger.memories.page(ALL, 10), list(ledger.feed.fingerprints())) == before


def test_an_intact_ledger_passes_its_checks(ledger: Ledger) -> None:
    first = memory("a")
    store(ledger, first, memory("b"))
    change(ledger, first, text="other")
    erase(ledger, "b")
    found = [(one.check, one.status) for one in ledger.check_up()]
    # What comes before is about the engine.
    assert found[-3:] == [("memory texts", "ok"), ("full text", "ok"), ("edges", "ok")]
    assert {status for _, status in found} == {"ok"}
    assert not ledger.read_only


def test_everywhere_is_never_the_default() -> None:
    with pytest.raises(ValueError, match="reach"):
        Reach(())
    assert EVERYWHERE.admits("anything")
