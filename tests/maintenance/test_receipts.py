"""Searching and comparing the receipts of a store."""

from typing import Any

import pytest

from satchel.app import Satchel
from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.moment import iso
from satchel.errors import InvalidRequest, NotFound
from satchel.maintenance.compare_receipts import MAX_DIFFERENCES, compare_receipts
from satchel.maintenance.values import ReceiptDifference
from satchel.ports import StoredReceipt
from tests.tables import each_case


def receipt(**body: Json) -> StoredReceipt:
    return StoredReceipt(1, digest(canonical(body)), "recall", 0, 0.0, body)


COMPARED: list[tuple[str, dict[str, Json], dict[str, Json], list[ReceiptDifference]]] = [
    ("equal", {"asked": {"limit": 5}}, {"asked": {"limit": 5}}, []),
    ("a value", {"asked": {"limit": 5}}, {"asked": {"limit": 6}}, [ReceiptDifference("asked.limit", 5, 6)]),
    ("a type", {"a": True}, {"a": 1}, [ReceiptDifference("a", True, 1)]),
    ("removed", {"a": 1, "b": None}, {"a": 1}, [ReceiptDifference("b", None, None, "first")]),
    ("added", {"a": 1}, {"a": 1, "b": [1]}, [ReceiptDifference("b[1]", None, 1, "second")]),
    (
        "moved",
        {"hits": [{"id": "x", "score": 1}, {"id": "y", "score": 2}]},
        {"hits": [{"id": "y", "score": 2}, {"id": "x", "score": 1}]},
        [ReceiptDifference("place of hits[x]", 1, 2), ReceiptDifference("place of hits[y]", 2, 1)],
    ),
    (
        "twice the same id",
        {"hits": [{"id": "x", "score": 1}, {"id": "x", "score": 2}]},
        {"hits": [{"id": "x", "score": 1}, {"id": "x", "score": 3}]},
        [ReceiptDifference("hits[2].score", 2, 3)],
    ),
]


@each_case("name, first, second, expected", COMPARED)
def test_a_comparison_names_what_differs(
    name: str, first: dict[str, Json], second: dict[str, Json], expected: list[ReceiptDifference]
) -> None:
    compared = compare_receipts(receipt(**first), receipt(**second))

    assert list(compared.differences) == expected
    assert compared.equal is (not expected)


def test_a_comparison_is_bounded() -> None:
    many: dict[str, Json] = {f"n{number}": number for number in range(MAX_DIFFERENCES + 7)}

    compared = compare_receipts(receipt(a=1), receipt(a=1, **many))
    assert (len(compared.differences), compared.more) == (MAX_DIFFERENCES, 7)


def test_two_recalls_are_compared_by_their_names(memory: Satchel) -> None:
    memory.store("the walrus sleeps")
    before = memory.recall("walrus", mode="lexical").receipt.digest
    id = memory.store("the walrus wakes").result.id
    after = memory.recall("walrus", mode="lexical").receipt.digest

    compared = memory.maintenance.receipts_compare(before[:20], after).result
    paths = {one.path: one for one in compared.differences}
    assert (compared.first.digest, compared.second.digest, compared.equal) == (before, after, False)
    assert paths[f"decided.hits[{id}].id"].only_in == "second"
    assert memory.maintenance.receipts_compare(after, after).result.equal
    with pytest.raises(NotFound):
        memory.maintenance.receipts_compare(before, "sha256:000000000000")


def test_receipts_are_searched_by_scope_time_and_record(memory: Satchel) -> None:
    id = memory.store("the walrus sleeps").result.id
    other = memory.store("the seal sleeps", scope="project/shop").result.id
    memory.recall("walrus", mode="lexical")

    def found(**narrowed: Any) -> list[str]:
        return [one.operation for one in memory.maintenance.receipts_list(**narrowed).result]

    assert found(mentions=id) == ["recall", "store"]
    assert found(mentions=id[:10]) == ["recall", "store"]
    assert found(mentions=other, scope="project/shop") == ["store"]
    assert found(mentions="nobody") == []
    newest = memory.maintenance.receipts_list(limit=1).result[0]
    assert found(before=newest.seq) == ["store", "store"]
    assert found(until=iso(newest.at + 1)) == ["recall", "store", "store"]
    assert found(since="2999-01-01") == []


@each_case("narrowed", [{"since": "soon"}, {"until": ""}, {"before": -1}, {"before": 2**63}, {"limit": 0}])
def test_invalid_searches_are_refused(memory: Satchel, narrowed: dict[str, Any]) -> None:
    with pytest.raises(InvalidRequest):
        memory.maintenance.receipts_list(**narrowed)


def test_a_forgotten_record_is_still_found_by_its_id(memory: Satchel) -> None:
    id = memory.store("the walrus sleeps").result.id
    memory.forget(id)

    found = memory.maintenance.receipts_list(mentions=id).result
    assert [one.operation for one in found] == ["forget", "store"]
