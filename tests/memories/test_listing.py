"""A list of memories is narrowed by its filters."""

from typing import Any

import pytest

from satchel.app import Satchel
from satchel.domain.moment import iso
from satchel.errors import InvalidRequest
from tests.tables import each_case

TEA, WALRUS, OLD, ORDER = "Ann likes 100% green tea", "The walrus sings", "We ship on Thursdays", "an order"


@pytest.fixture
def filled(dated: Satchel) -> Satchel:
    """A store with a memory of each sort, a minute or more apart."""
    dated.store(TEA, kind="preference", importance=0.9, session="s1", tags=["drinks", "tea"])
    dated.store(WALRUS, kind="fact", source_kind="web", source_ref="https://forum.example/walrus")
    old = dated.store(OLD, kind="decision", title="Releases").result.id
    dated.store("We ship on Fridays", kind="decision", replaces=old)
    return dated


@each_case(
    "filters, texts",
    [
        ({"labels": ["must_remember"]}, [TEA]),
        ({"trusts": ["untrusted"]}, [WALRUS]),
        ({"trusts": "untrusted", "quarantined": False}, [WALRUS]),
        ({"trusts": ["quarantined"], "quarantined": False}, []),
        ({"states": ["retired"]}, [OLD]),
        ({"states": ["retired"], "kinds": ["fact"]}, []),
        ({"text": "GREEN TEA"}, [TEA]),
        ({"text": "100%"}, [TEA]),
        ({"text": "1%"}, []),
        ({"text": "_"}, []),
        ({"text": "releases"}, [OLD]),
        ({"source": "web"}, [WALRUS]),
        ({"source": "forum.example"}, [WALRUS]),
        ({"session": "s1"}, [TEA]),
        ({"tag": "tea"}, [TEA]),
        ({"tag": "te"}, []),
        ({"until": "2023-11-14T22:14:00Z"}, []),
        ({"since": "2100-01-01"}, []),
    ],
)
def test_a_filter_leaves_what_it_names(filled: Satchel, filters: dict[str, Any], texts: list[str]) -> None:
    assert [one.text for one in filled.memories.list(**filters).result.memories] == texts


def test_dates_are_half_open(filled: Satchel) -> None:
    everything = filled.memories.list().result.memories
    newest, oldest = iso(everything[0].created_at), iso(everything[-1].created_at)

    assert len(filled.memories.list(since=oldest, until=newest).result.memories) == len(everything) - 1


def test_pages_follow_each_other_through_a_filter(filled: Satchel) -> None:
    first = filled.memories.list(kinds=["decision"], limit=1).result
    second = filled.memories.list(kinds=["decision"], limit=1, after=first.next).result

    assert [one.text for page in (first, second) for one in page.memories] == ["We ship on Fridays", OLD]
    assert second.next is None


@each_case(
    "filters",
    [
        {"labels": ["loud"]},
        {"trusts": ["maybe"]},
        {"states": ["gone"]},
        {"since": "someday"},
        {"since": "2026-01-02", "until": "2026-01-02"},
        {"text": ""},
        {"text": "x" * 5_000},
        {"source": "\ud800"},
    ],
)
def test_an_invalid_filter_is_an_error(memory: Satchel, filters: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        memory.memories.list(**filters)
