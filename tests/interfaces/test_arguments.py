"""Arguments are checked against the parameters of their operation."""

from typing import Any

import pytest

from satchel.errors import InvalidRequest
from satchel.interfaces.arguments import check_arguments
from satchel.interfaces.operations import OPERATIONS, Operation

NAMED = {one.name: one for one in OPERATIONS}


def checked(operation: Operation, given: dict[str, Any]) -> dict[str, Any]:
    return check_arguments(operation, {one.name: one for one in operation.parameters}, given)


def test_arguments_get_the_types_of_their_parameters() -> None:
    given = {"query": "tea", "limit": 3.0, "min_relevance": 1, "kinds": ["fact"], "scope": None, "fallback": False}

    found = checked(NAMED["recall"], given)

    assert found == {"query": "tea", "limit": 3, "min_relevance": 1, "kinds": ("fact",), "fallback": False}
    assert (type(found["limit"]), type(found["min_relevance"])) == (int, int)
    assert checked(NAMED["docs add"], {"texts": [{"ref": "a"}], "collection": "c"})["texts"] == [{"ref": "a"}]


def test_invalid_arguments_are_rejected_with_a_code() -> None:
    recall, refresh, add = NAMED["recall"], NAMED["attention refresh"], NAMED["attention add"]
    cases: tuple[tuple[Operation, dict[str, Any], str], ...] = (
        (recall, {"query": "tea", "nothing": 1}, "unknown_param"),
        (recall, {"query": "tea", "explain": True}, "unknown_param"),
        (recall, {}, "missing_param"),
        (recall, {"query": None}, "missing_param"),
        (refresh, {"stale_memory_ids": ()}, "missing_param"),
        (recall, {"query": 1}, "wrong_type"),
        (recall, {"query": "tea", "limit": "3"}, "wrong_type"),
        (recall, {"query": "tea", "limit": True}, "wrong_type"),
        (recall, {"query": "tea", "limit": 2.5}, "wrong_type"),
        (recall, {"query": "tea", "kinds": "fact"}, "wrong_type"),
        (recall, {"query": "tea", "fallback": 1}, "wrong_type"),
        (add, {"memory_type": "episode", "title": "t", "summary": "s", "details": []}, "wrong_type"),
        (add, {"memory_type": "episode", "title": "t", "summary": "s", "edges": ["a"]}, "wrong_type"),
        (recall, {"query": "tea", "mode": "guess"}, "unknown_word"),
        (recall, {"query": "tea", "kinds": ["fact", "guess"]}, "unknown_word"),
    )
    for operation, given, code in cases:
        with pytest.raises(InvalidRequest) as refused:
            checked(operation, given)
        assert refused.value.code == code, given
