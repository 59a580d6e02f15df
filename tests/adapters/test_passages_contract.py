"""The contract of every ledger for passages."""

from array import array
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from satchel.adapters.sql.full_text import passages_text
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.embedding import Space
from satchel.domain.passage import (
    PART_CHARS,
    EvidenceLane,
    Passage,
    PassageId,
    PassageView,
    all_passages,
    with_content_hash,
)
from satchel.domain.receipt import Receipt
from satchel.domain.record import Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.ports import Embedded, Ledger

SPACE = Space("toy", 3)
NORTH = array("f", (1, 0, 0))
HERE = Reach(("here",))
VIEW = PassageView(EvidenceLane.EPISODES, HERE)
RECEIPT = Receipt("test", {})

KINDS: dict[str, Callable[[Path], Ledger]] = {
    "file": lambda folder: SqliteLedger(folder / "ledger.sqlite3"),
    "in memory": lambda _: SqliteLedger(),
}


@pytest.fixture(params=KINDS)
def ledger(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ledger]:
    opened = KINDS[request.param](tmp_path)
    yield opened
    opened.close()


def turn(id: str, text: str, position: int = 0, **more: object) -> Passage:
    given: dict[str, object] = {
        "lane": EvidenceLane.EPISODES,
        "scope": "here",
        "group": "talk",
        "at": 1_000 * position,
        **more,
    }
    return with_content_hash(Passage(id=PassageId(id), position=position, text=text, **given))  # type: ignore[arg-type]


def embed_all(ledger: Ledger) -> None:
    vectors = ledger.passages.vectors
    if vectors.space() is None:
        vectors.adopt(SPACE)
    waiting = vectors.pending(SPACE, 1_000)
    vectors.put(SPACE, [Embedded(one.id, one.content_hash, NORTH) for one in waiting])


def test_a_passage_is_read_back(ledger: Ledger) -> None:
    whole = turn("a", "We met in Lisbon.", 3, own="met Lisbon", about="May 2023 Ann", meaning="We met.", speaker="Ann")

    ledger.passages.put([whole], [], RECEIPT)

    assert ledger.passages.fetch([whole.id], VIEW) == {whole.id: whole}


def test_claimed_parts_are_those_that_wait(ledger: Ledger) -> None:
    ledger.passages.put([turn("a", "We met in Lisbon."), turn("b", "Then we sailed.", 1)], [])
    vectors = ledger.passages.vectors
    with vectors.claimed(SPACE, 10) as batch:
        assert batch == vectors.pending(SPACE, 10)
        assert [one.text for one in batch] == ["Then we sailed.", "We met in Lisbon."]
        embed_all(ledger)
    with vectors.claimed(SPACE, 10) as batch:
        assert batch == []


def test_the_text_counts_more_than_what_is_known_about_it(ledger: Ledger) -> None:
    said, dated = turn("said", "we sailed in May"), turn("dated", "we sailed then", 1, about="May 2023")
    ledger.passages.put([dated, said, turn("other", "nothing of the kind", 2)], [])

    found = ledger.passages.match(["may"], VIEW, 10)

    assert [one.id for one in found] == ["said", "dated"]
    assert found[0].score > found[1].score > 0


def test_a_match_has_the_number_of_words_of_its_passage(ledger: Ledger) -> None:
    ledger.passages.put([turn("a", "the tide came in early"), turn("b", "low tide", 1)], [])

    assert {one.id: one.words for one in ledger.passages.match(["tide"], VIEW, 10)} == {"a": 5, "b": 2}


def test_text_without_spaces_is_found(ledger: Ledger) -> None:
    ledger.passages.put([turn("zh", "我们上个月搬到了里斯本"), turn("en", "moved", 1)], [])

    assert [one.id for one in ledger.passages.match(["里斯"], VIEW, 10)] == ["zh"]


def test_every_rule_of_the_view_is_applied_before_the_limit(ledger: Ledger) -> None:
    crowd = [turn(f"there{n}", "tide tide tide", n, scope="there") for n in range(60)]
    hidden = turn("hidden", "tide tide", 1, trust=Trust.QUARANTINED)
    document = turn("document", "tide", lane=EvidenceLane.DOCUMENTS)
    ledger.passages.put([*crowd, hidden, document, turn("mine", "the tide turned", 2, kind="spoken")], [])

    def found(view: PassageView) -> list[str]:
        return [one.id for one in ledger.passages.match(["tide"], view, 1)]

    assert found(VIEW) == ["mine"]
    assert found(replace(VIEW, trusts=tuple(Trust))) == ["hidden"]
    assert found(replace(VIEW, groups=("talk",), kinds=("spoken",), since=2_000, until=2_001)) == ["mine"]
    assert found(replace(VIEW, until=2_000)) == found(replace(VIEW, groups=("elsewhere",))) == []
    assert found(replace(VIEW, lane=EvidenceLane.DOCUMENTS)) == ["document"]
    assert ledger.passages.fetch([PassageId("there0"), PassageId("hidden")], VIEW) == {}
    assert ledger.passages.count(all_passages(EvidenceLane.EPISODES, EVERYWHERE)) == 62


def test_terms_are_counted_per_lane(ledger: Ledger) -> None:
    ledger.passages.put([turn(f"d{n}", "tide", n, lane=EvidenceLane.DOCUMENTS) for n in range(9)], [])
    ledger.passages.put([turn("e", "tide")], [])

    counted = ledger.passages.frequencies(["tide", "absent"], EvidenceLane.EPISODES)

    assert (dict(counted.holding), counted.records) == ({"tide": 1, "absent": 0}, 1)


def test_neighbours_are_of_the_same_group_and_in_the_view(ledger: Ledger) -> None:
    talk = [turn(f"t{n}", f"line {n}", n) for n in range(5)]
    ledger.passages.put([*talk, turn("x", "line", 1, group="else"), turn("y", "line", 3, scope="there")], [])
    ledger.passages.put([turn("t3", "line 3", 3, trust=Trust.QUARANTINED)], [])

    beside = ledger.passages.neighbours([PassageId("t2")], VIEW, 2)

    assert {(one.neighbour, one.offset) for one in beside} == {("t0", -2), ("t1", -1), ("t4", 2)}


def test_neighbours_come_with_their_lengths(ledger: Ledger) -> None:
    ledger.passages.put([turn("t0", "two words"), turn("t1", "one and two more", 1)], [])

    (pair,) = ledger.passages.neighbours([PassageId("t0")], VIEW, 1)

    assert (pair.words, pair.neighbour_words) == (2, 4)


def test_the_nearest_part_of_a_long_passage_counts(ledger: Ledger) -> None:
    ledger.passages.put([turn("a", "word " * 300), turn("b", "short", 1)], [])
    ledger.passages.vectors.adopt(SPACE)
    turned = [array("f", (0, 1, 0)), array("f", (0.6, 0.8, 0)), NORTH]
    for one in ledger.passages.vectors.pending(SPACE, 10):
        vector = turned[min(int(one.id.partition("#")[2]), 1)]
        ledger.passages.vectors.put(SPACE, [Embedded(one.id, one.content_hash, vector)])

    near = ledger.passages.similarities(NORTH, SPACE, [PassageId("a"), PassageId("b"), PassageId("none")])

    assert near == pytest.approx({"a": 0.6, "b": 0.0}, abs=1e-3)


def test_a_second_put_replaces_a_passage_and_its_full_text(ledger: Ledger) -> None:
    ledger.passages.put([turn("a", "the old harbour")], [])
    ledger.passages.put([turn("a", "the new quay")], [])

    assert ledger.passages.match(["harbour"], VIEW, 5) == []
    assert [one.id for one in ledger.passages.match(["quay"], VIEW, 5)] == ["a"]
    assert all(finding.status != "bad" for finding in ledger.check_up())


def test_a_changed_text_loses_its_vector(ledger: Ledger) -> None:
    ledger.passages.put([turn("a", "kept"), turn("b", "changed", 1)], [])
    embed_all(ledger)
    ledger.passages.put([turn("a", "kept", 7), turn("b", "changed indeed", 1)], [])

    assert list(ledger.passages.similarities(NORTH, SPACE, [PassageId("a"), PassageId("b")])) == ["a"]
    assert ledger.passages.vectors.backlog(SPACE) == (1, 0)


def test_the_pending_parts_of_a_long_text_cover_it(ledger: Ledger) -> None:
    text = " ".join(f"word{n}" for n in range(600))
    ledger.passages.put([turn("a", text)], [])

    waiting = sorted(ledger.passages.vectors.pending(SPACE, 100), key=lambda one: int(one.id.partition("#")[2]))

    assert len(waiting) > 4
    assert "".join(one.text for one in waiting) == text
    assert all(len(one.text) <= PART_CHARS for one in waiting)


def test_the_feed_has_vectors_changes_and_erasures_only(ledger: Ledger) -> None:
    feed = ledger.passages.feed
    ledger.passages.put([turn("a", "one"), turn("b", "two", 1)], [])
    assert feed.since(0, SPACE, 10) == []

    embed_all(ledger)
    told = feed.since(0, SPACE, 10)
    assert {one.id: len(one.parts) for one in told} == {"a": 1, "b": 1}
    assert dict(feed.fingerprints()).keys() == {"a#0", "b#0"}

    ledger.passages.put([turn("a", "one", trust=Trust.UNTRUSTED)], [PassageId("b")])
    later = feed.since(told[-1].seq, SPACE, 10)
    assert {one.id: one.passage and one.passage.trust for one in later} == {"a": Trust.UNTRUSTED, "b": None}
    assert ledger.feed.behind(0) == 0


def test_changing_the_space_drops_the_vectors_of_the_old_one(ledger: Ledger) -> None:
    ledger.passages.put([turn("a", "one")], [])
    embed_all(ledger)

    ledger.vectors.adopt(Space("other", 5))

    assert ledger.passages.similarities(NORTH, SPACE, [PassageId("a")]) == {}
    assert ledger.passages.vectors.backlog(Space("other", 5)) == (1, 0)


def test_erasing_leaves_only_a_tombstone(ledger: Ledger) -> None:
    ledger.passages.put([turn("a", "the harbour"), turn("b", "the quay", 1)], [])
    embed_all(ledger)

    assert ledger.passages.erase([PassageId("a")], replace(VIEW, reach=Reach(("there",))), RECEIPT) == 0
    assert ledger.passages.erase([PassageId("a"), PassageId("a")], VIEW, RECEIPT) == 1

    assert ledger.passages.fetch([PassageId("a")], VIEW) == {}
    assert ledger.passages.match(["harbour"], VIEW, 5) == []
    assert ledger.passages.similarities(NORTH, SPACE, [PassageId("a")]) == {}
    assert ledger.passages.vectors.count(SPACE) == 1
    assert ledger.passages.forgotten([PassageId("a"), PassageId("b")]) == {"a"}
    assert all(finding.status != "bad" for finding in ledger.check_up())


def test_a_removed_passage_is_not_forgotten(ledger: Ledger) -> None:
    ledger.passages.put([turn("a", "one")], [])
    ledger.passages.put([], [PassageId("a")])

    assert ledger.passages.forgotten([PassageId("a")]) == frozenset()
    ledger.passages.put([turn("a", "one")], [])
    assert ledger.passages.count(VIEW) == 1


def test_pages_and_groups_come_newest_first_and_continue(ledger: Ledger) -> None:
    ledger.passages.put([turn(f"t{n}", "line", n, group=f"g{n // 2}") for n in range(6)], [])

    page = ledger.passages.page(VIEW, 4)
    rest = ledger.passages.page(VIEW, 4, (page[-1].at or 0, page[-1].id))
    groups = ledger.passages.groups(VIEW, 2)
    others = ledger.passages.groups(VIEW, 2, (groups[-1].last_at or 0, groups[-1].group))

    assert [one.id for one in page + rest] == ["t5", "t4", "t3", "t2", "t1", "t0"]
    assert [(one.group, one.passages) for one in groups + others] == [("g2", 2), ("g1", 2), ("g0", 2)]
    assert [one.id for one in ledger.passages.group("g1", VIEW)] == ["t2", "t3"]
    assert ledger.passages.last_positions(EvidenceLane.EPISODES, "here", ["g1", "none"]) == {"g1": 3}


def test_a_damaged_full_text_is_found_and_rebuilt(ledger: Ledger) -> None:
    ledger.passages.put([turn("a", "harbour")], [])
    with ledger.database.writing() as db:  # type: ignore[attr-defined]
        db.clear_words(passages_text(EvidenceLane.EPISODES))

    assert any(one.check == "full text" and one.status == "bad" for one in ledger.check_up())
    assert all(one.status != "bad" for one in ledger.check_up(fix=True))
    assert [one.id for one in ledger.passages.match(["harbour"], VIEW, 5)] == ["a"]


def test_the_nearest_passages_are_those_of_the_view_before_the_limit(ledger: Ledger) -> None:
    crowd = [turn(f"there{n}", "tide", n, scope="there") for n in range(9)]
    hidden, document = (
        turn("hidden", "tide", trust=Trust.QUARANTINED),
        turn("document", "tide", lane=EvidenceLane.DOCUMENTS),
    )
    ledger.passages.put([*crowd, hidden, document, turn("mine", "tide", 2, kind="spoken")], [])
    embed_all(ledger)

    assert ledger.passages.part_count() == 12
    assert ledger.passages.nearest(NORTH, VIEW, 1) == ["mine"]
    assert ledger.passages.nearest(NORTH, replace(VIEW, kinds=("written",)), 1) == []
    assert ledger.passages.nearest(NORTH, replace(VIEW, lane=EvidenceLane.DOCUMENTS), 5) == ["document"]
    assert ledger.passages.nearest(NORTH, replace(VIEW, reach=EVERYWHERE, since=1, until=2_000), 5) == ["there1"]


def test_a_changed_passage_is_not_found_by_its_old_vector(ledger: Ledger) -> None:
    ledger.passages.put([turn("a", "the tide turned")], [])
    embed_all(ledger)
    assert ledger.passages.nearest(NORTH, VIEW, 5) == ["a"]

    ledger.passages.put([turn("a", "the wind turned")], [])

    assert ledger.passages.nearest(NORTH, VIEW, 5) == []
    assert ledger.passages.nearest(array("f", (1, 0)), VIEW, 5) == []
