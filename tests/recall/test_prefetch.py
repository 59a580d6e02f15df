"""Lexical matches that are looked up before the question is embedded."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from satchel.adapters.lance.index import LanceIndex
from satchel.app import Satchel
from satchel.config import load
from satchel.errors import Unavailable
from satchel.indexing import memory_index
from satchel.ports import Frequencies
from satchel.recall import lanes
from satchel.recall.lanes import EarlyMatches
from satchel.recall.prefetch import MAX_HOLDING, telling_terms

TEXTS = ("the walrus sleeps", "a walrus on the ice", "the seal swims", "a narwhal dives", "the ice melts")


@pytest.fixture
def opened(home: Path) -> Iterator[Satchel]:
    settings = load(home=str(home), embedding={"provider": "hashing"}, recall={"catch_up_ms": 10_000, "index_from": 0})
    with Satchel.open(settings=settings) as memory:
        for text in TEXTS:
            memory.store(text)
        memory.recall("walrus")
        yield memory


@pytest.fixture
def used(monkeypatch: pytest.MonkeyPatch) -> list[EarlyMatches | None]:
    """Collect what every search of the index was given."""
    given: list[EarlyMatches | None] = []
    search = lanes._search_index

    def watched(*args: object) -> object:
        given.append(args[-1])  # type: ignore[arg-type]
        return search(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(lanes, "_search_index", watched)
    return given


def answer(memory: Satchel, question: str) -> list[tuple[str, float]]:
    return [(hit.memory.text, hit.score) for hit in memory.recall(question, limit=5).result.hits]


def test_matches_of_an_index_that_has_everything_are_looked_up_early(
    opened: Satchel, used: list[EarlyMatches | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    early = answer(opened, "walrus ice")
    assert [one is not None and (one.source, len(one.result())) for one in used[:1]] == [("index", 3)]
    monkeypatch.setattr(memory_index, "current_index", lambda store: None)
    used.clear()
    assert answer(opened, "walrus ice") == early
    assert used[0] is None


def test_early_matches_are_dropped_if_the_ledger_changed_meanwhile(
    opened: Satchel, used: list[EarlyMatches | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    embed = memory_index.embed_question

    def storing_meanwhile(store: memory_index.IndexedStore, question: str) -> memory_index.SearchReadiness:
        if question == "walrus":
            opened.store("a late walrus")
        return embed(store, question)

    monkeypatch.setattr(memory_index, "embed_question", storing_meanwhile)
    assert "a late walrus" in dict(answer(opened, "walrus"))
    assert used[0] is None


def test_what_was_stored_before_is_found(opened: Satchel, used: list[EarlyMatches | None]) -> None:
    opened.store("another walrus")
    assert "another walrus" in dict(answer(opened, "walrus"))


def test_what_a_rule_excludes_is_named_by_its_telling_words() -> None:
    holding = {"database": MAX_HOLDING + 1, "ethdil": 213, "unknown": 0, "moved": 16_681}
    assert telling_terms(Frequencies(holding, 100_000)) == ["ethdil"]


def test_of_common_words_alone_the_rarest_names_it() -> None:
    assert telling_terms(Frequencies({"moved": 16_681, "new": 5_027}, 100_000)) == ["new"]
    assert telling_terms(Frequencies({"unknown": 0}, 100_000)) == []


def test_an_index_that_fails_while_records_wait_for_it_is_built_again(
    opened: Satchel, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened.store("a walrus dives")
    search = LanceIndex.match
    failures = iter([Unavailable("the words are in pieces", code="index_unusable")])

    def fail_once(index: LanceIndex, *args: object) -> object:
        if (error := next(failures, None)) is not None:
            raise error
        return search(index, *args)  # type: ignore[arg-type]

    monkeypatch.setattr(LanceIndex, "match", fail_once)
    first = opened.recall("walrus dives").receipt.warnings
    assert [one.partition(":")[0] for one in first] == ["index_unusable"]
    dropped = opened.maintenance.index_status().result
    assert (dropped.exists, opened.recall("walrus dives").receipt.warnings) == (False, ())
