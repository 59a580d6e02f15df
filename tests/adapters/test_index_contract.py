"""The contract of every index: it follows a feed, and returns what the view admits."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from satchel.adapters.inmemory.index import InMemoryIndex
from satchel.adapters.lance.index import LanceIndex
from satchel.adapters.sqlite.ledger import SqliteLedger
from satchel.domain.record import Memory
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View, held_out_by
from satchel.domain.words import question_terms
from satchel.ports import CatchUp, Index, Ledger
from tests.adapters.samples import (
    ALL,
    HOSTILE,
    NOW,
    OTHER_SPACE,
    SPACE,
    change,
    embed,
    erase,
    memory,
    populations,
    store,
    unit,
    views,
    without_generation,
)

GLOBAL = View(Reach(("global",)), NOW)
KINDS: dict[str, Callable[[Path, SqliteLedger], Index]] = {
    "lance": lambda folder, ledger: LanceIndex(folder, ledger.memories),
    "in memory": lambda _, __: InMemoryIndex(),
}


@pytest.fixture(params=sorted(KINDS))
def index(request: pytest.FixtureRequest, tmp_path: Path, ledger: SqliteLedger) -> Index:
    return KINDS[request.param](tmp_path / "index", ledger)


@pytest.fixture
def ledger() -> Iterator[SqliteLedger]:
    opened = SqliteLedger(None)
    yield opened
    opened.close()


def matched(index: Index, question: str, view: View = GLOBAL) -> list[str]:
    return sorted(one.id for one in index.match(question_terms(question), view, 50))


def nearest(index: Index, view: View = GLOBAL, limit: int = 50) -> list[str]:
    return [one.id for one in index.nearest(unit(1, 0, 0, 0), view, limit)]


def fruit(ledger: Ledger) -> list[Memory]:
    """Store three records, at three distances from the first axis."""
    population = [memory("a", "red apple"), memory("b", "yellow banana"), memory("c", "green apple")]
    store(ledger, *population)
    embed(ledger, {"a": unit(1, 0, 0, 0), "b": unit(0, 1, 0, 0), "c": unit(1, 1, 0, 0)})
    return population


def test_an_empty_index_answers_nothing(index: Index, ledger: Ledger) -> None:
    for _ in range(2):
        assert index.match(["apple"], ALL, 5) == index.nearest(unit(1, 0, 0, 0), ALL, 5) == []
        assert list(index.fingerprints()) == []
        assert index.status().rows == 0
        index.optimize()
        assert index.catch_up(ledger.feed, SPACE).current


def test_catching_up_brings_in_every_record_once(index: Index, ledger: Ledger) -> None:
    population = fruit(ledger)
    assert without_generation(index.catch_up(ledger.feed, SPACE)) == CatchUp(applied=3)
    assert without_generation(index.catch_up(ledger.feed, SPACE)) == CatchUp()
    assert list(index.fingerprints()) == list(ledger.feed.fingerprints())
    status = index.status()
    assert (status.exists, status.rows, status.rows_with_vectors, status.applied_seq, status.space) == (
        True,
        3,
        3,
        ledger.feed.tip(),
        SPACE.name,
    )
    found = index.nearest(unit(1, 0, 0, 0), GLOBAL, 5)
    assert [(one.id, one.content_hash) for one in found] == [
        (population[number].id, population[number].content_hash) for number in (0, 2, 1)
    ]
    assert [one.score for one in found] == pytest.approx([1.0, 0.5**0.5, 0.0], abs=1e-3)
    assert nearest(index, limit=2) == ["a", "c"]


def test_a_match_finds_any_of_the_terms_and_more_of_them_first(index: Index, ledger: Ledger) -> None:
    population = fruit(ledger)
    index.catch_up(ledger.feed, SPACE)
    found = index.match(["red", "apple"], GLOBAL, 5)
    assert [one.id for one in found] == ["a", "c"]
    assert found[0].score > found[1].score > 0
    assert found[0].content_hash == population[0].content_hash
    assert index.match(["red", "apple"], GLOBAL, 1) == found[:1]
    assert index.match([], GLOBAL, 5) == index.match(["walrus"], GLOBAL, 5) == []


def test_records_are_found_by_words_in_any_script_and_by_title_tags_and_keywords(index: Index, ledger: Ledger) -> None:
    store(
        ledger,
        memory("english", "Deploy on Friday, then rest."),
        memory("chinese", "我们的数据库在上海"),
        memory("mixed", "Deploy到生产环境"),
        memory("wide", "ＦＵＬＬ ｗｉｄｔｈ"),
        memory("labelled", "x", title="Walrus", tags=("narwhal",), keywords=("manatee",)),
    )
    index.catch_up(ledger.feed, SPACE)
    assert {question: matched(index, question) for question in ("friday", "rest", "deploy", "FULL width")} == {
        "friday": ["english"],
        "rest": ["english"],
        "deploy": ["english", "mixed"],
        "FULL width": ["wide"],
    }
    assert [matched(index, word) for word in ("数据库", "上海", "海", "生产环境")] == [
        ["chinese"],
        ["chinese"],
        ["chinese"],
        ["mixed"],
    ]
    assert [matched(index, word) for word in ("walrus", "narwhal", "manatee")] == [["labelled"]] * 3


def test_changes_and_erasures_are_followed(index: Index, ledger: Ledger) -> None:
    first, _, _ = fruit(ledger)
    index.catch_up(ledger.feed, SPACE)
    change(ledger, first, text="blue plum")
    embed(ledger, {"a": unit(0, 0, 1, 0)})
    erase(ledger, "b")
    store(ledger, memory("d", "brown date"))
    assert index.catch_up(ledger.feed, SPACE).applied == 3
    assert list(index.fingerprints()) == list(ledger.feed.fingerprints())
    assert [matched(index, word) for word in ("red", "plum", "banana", "date")] == [[], ["a"], [], ["d"]]
    assert nearest(index) == ["c", "a"]


def test_an_erased_record_that_was_never_indexed_is_ignored(index: Index, ledger: Ledger) -> None:
    store(ledger, memory("a"))
    erase(ledger, "a")
    assert without_generation(index.catch_up(ledger.feed, SPACE)) == CatchUp(applied=1)
    assert list(index.fingerprints()) == []


def test_a_record_without_a_vector_is_found_by_word_and_not_by_meaning(index: Index, ledger: Ledger) -> None:
    store(ledger, memory("with", "walrus"), memory("without", "walrus"))
    embed(ledger, {"with": unit(0, 0, 0, 1)})
    index.catch_up(ledger.feed, SPACE)
    assert matched(index, "walrus") == ["with", "without"]
    assert nearest(index) == ["with"]
    assert (index.status().rows, index.status().rows_with_vectors) == (2, 1)
    embed(ledger, {"without": unit(1, 0, 0, 0)})
    index.catch_up(ledger.feed, SPACE)
    assert nearest(index) == ["without", "with"]


def test_a_dropped_index_is_rebuilt(index: Index, ledger: Ledger) -> None:
    fruit(ledger)
    index.catch_up(ledger.feed, SPACE)
    index.drop()
    assert (nearest(index), index.status().rows) == ([], 0)
    index.drop()
    assert index.catch_up(ledger.feed, SPACE).applied == 3
    assert nearest(index) == ["a", "c", "b"]


def test_another_space_rebuilds_the_index(index: Index, ledger: Ledger) -> None:
    fruit(ledger)
    index.catch_up(ledger.feed, SPACE)
    embed(ledger, {"a": unit(0, 1, 0), "b": unit(1, 0, 0)}, OTHER_SPACE)
    ledger.vectors.adopt(OTHER_SPACE)
    assert index.catch_up(ledger.feed, OTHER_SPACE).current
    assert [one.id for one in index.nearest(unit(1, 0, 0), GLOBAL, 5)] == ["b", "a"]
    assert matched(index, "apple") == ["a", "c"]
    assert index.status().space == OTHER_SPACE.name


def test_an_index_ahead_of_its_ledger_is_rebuilt(index: Index, ledger: Ledger) -> None:
    """The ledger was restored from a backup, so the index has changes that it lacks."""
    fruit(ledger)
    index.catch_up(ledger.feed, SPACE)
    restored = SqliteLedger(None)
    store(restored, memory("z", "old pear"))
    assert index.catch_up(restored.feed, SPACE).current
    assert list(index.fingerprints()) == list(restored.feed.fingerprints())
    restored.close()


def test_progress_is_reported_to_the_end(index: Index, ledger: Ledger) -> None:
    store(ledger, *(memory(f"m{number:04}") for number in range(2_500)))
    seen: list[tuple[int, int]] = []
    index.catch_up(ledger.feed, SPACE, seconds=600, progress=lambda done, total, _: seen.append((done, total)))
    assert len(seen) > 1
    assert seen == sorted(seen)
    assert seen[-1] == (2_500, 2_500)
    assert len(list(index.fingerprints())) == 2_500


def test_optimizing_changes_no_answer(index: Index, ledger: Ledger) -> None:
    for number in range(5):
        store(ledger, memory(f"m{number}", f"walrus {number}"))
        embed(ledger, {f"m{number}": unit(1, number, 0, 0)})
        index.catch_up(ledger.feed, SPACE)
    before = (matched(index, "walrus"), nearest(index), list(index.fingerprints()))
    index.optimize()
    assert (matched(index, "walrus"), nearest(index), list(index.fingerprints())) == before


def test_hostile_terms_and_texts_are_only_text(index: Index, ledger: Ledger) -> None:
    store(ledger, memory("secret", "secret", scope="other"))
    hostile = [
        memory(f"h{number:02}", text, title=text[:1_000], tags=(text[:1_000],)) for number, text in enumerate(HOSTILE)
    ]
    store(ledger, *hostile)
    embed(ledger, {one.id: unit(1, number, 0, 0) for number, one in enumerate(hostile)})
    index.catch_up(ledger.feed, SPACE)
    assert list(index.fingerprints()) == list(ledger.feed.fingerprints())
    for text in (*HOSTILE, "\0", "a\0b"):
        for terms in ([text], [text, "secret"], list(question_terms(text)) or ["x"]):
            assert all(one.id.startswith("h") for one in index.match(terms, GLOBAL, 100))


@pytest.mark.parametrize("text", HOSTILE)
def test_a_hostile_scope_only_matches_itself(text: str, tmp_path: Path) -> None:
    """Scopes of records and of views are never interpreted as conditions."""
    scope = text[:2_000]
    ledger = SqliteLedger(None)
    store(ledger, memory("mine", "walrus", scope=scope), memory("theirs", "walrus", scope="other"))
    embed(ledger, {"mine": unit(0, 1, 0, 0), "theirs": unit(1, 0, 0, 0)})
    for kind in KINDS.values():
        index = kind(tmp_path / "index", ledger)
        index.catch_up(ledger.feed, SPACE)
        for view, ids in ((View(Reach((scope,)), NOW), ["mine"]), (View(Reach((scope + "'",)), NOW), [])):
            assert (matched(index, "walrus", view), nearest(index, view)) == (ids, ids)
    ledger.close()


@pytest.mark.parametrize("kind", sorted(KINDS))
@settings(max_examples=15, deadline=None, derandomize=True, database=None)
@given(population=populations(), seen=st.lists(views(), min_size=3, max_size=8))
def test_a_view_shows_what_its_rules_admit_and_nothing_else(
    kind: str, population: list[Memory], seen: list[View]
) -> None:
    with TemporaryDirectory() as folder:
        ledger = SqliteLedger(None)
        index = KINDS[kind](Path(folder) / "index", ledger)
        if population:
            store(ledger, *population)
            embed(ledger, {one.id: unit(1, number, 0, 0) for number, one in enumerate(population)})
        assert index.catch_up(ledger.feed, SPACE).current
        for view in [*seen, View(EVERYWHERE, NOW)]:
            admitted = {one.id for one in population if held_out_by(one, view) is None}
            assert set(nearest(index, view)) == admitted
            apples = {one.id for one in population if "apple" in one.text}
            assert set(matched(index, "apple", view)) == admitted & apples
        ledger.close()
