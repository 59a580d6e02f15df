"""Arguments are checked against the parameters of their operation."""

from typing import Any

import pytest

from satchel.errors import InvalidRequest
from satchel.interfaces.arguments import camel_case, check_arguments
from satchel.interfaces.operations import OPERATIONS, Operation
from tests.tables import each_case

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


@each_case(
    ("given", "expected"),
    [
        ({"memory_id": "a"}, {"memory_id": "a"}),
        ({"memoryId": "a"}, {"memory_id": "a"}),
        ({"memoryId": "a", "memory_id": None}, {"memory_id": "a"}),
        ({"memory_id": "a", "memoryId": None}, {"memory_id": "a"}),
        ({"memoryId": None}, {}),
    ],
)
def test_a_parameter_may_be_given_in_camel_case(given: dict[str, Any], expected: dict[str, Any]) -> None:
    assert checked(NAMED["memory_forget"], given) == expected


@each_case(
    ("given", "code"),
    [
        ({"memory_id": "a", "memoryId": "a"}, "given_twice"),
        ({"memoryId": "a", "memory_id": "b"}, "given_twice"),
        ({"MemoryId": "a"}, "unknown_param"),
        ({"memoryID": "a"}, "unknown_param"),
        ({"memoryid": "a"}, "unknown_param"),
        ({"memory-id": "a"}, "unknown_param"),
        ({"memory__id": "a"}, "unknown_param"),
        ({"Query": "a"}, "unknown_param"),
        ({"memoryId": 7}, "wrong_type"),
    ],
)
def test_no_other_spelling_is_understood_and_none_twice(given: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        checked(NAMED["memory_forget"], given)

    assert caught.value.code == code
    assert caught.value.hint


def test_every_parameter_has_one_spelling_in_snake_case() -> None:
    names = [(operation.name, one.name) for operation in OPERATIONS for one in operation.parameters]

    assert [pair for pair in names if pair[1] != pair[1].lower() or "-" in pair[1]] == []


def test_the_two_spellings_of_parameters_never_meet() -> None:
    for operation in OPERATIONS:
        spellings = [camel_case(one.name) for one in operation.parameters]

        assert len(set(spellings)) == len(spellings), operation.name


@each_case(
    ("tool", "specified"),
    [
        ("memory_forget", {"memoryId", "query"}),
        ("memory_export", {"outPath", "scope", "category", "limit", "format", "redact"}),
        ("memory_import", {"inPath", "dedupe", "dryRun", "validateOnly", "scope", "limit", "format"}),
        ("memory_docs_ingest", {"sourceRoots", "sourceGlobs", "maxChunkChars", "embedOnIngest"}),
    ],
)
def test_the_names_of_the_specification_are_accepted(tool: str, specified: set[str]) -> None:
    assert specified <= {camel_case(one.name) for one in NAMED[tool].parameters}
