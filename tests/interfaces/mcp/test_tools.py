"""Which tools there are, what they take, and what the server sets itself: values only, no SDK."""

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from satchel.errors import InvalidRequest
from satchel.interfaces.mcp.tools import (
    Bounds,
    arguments,
    description,
    input_schema,
    offered,
    output_schema,
    parameters,
    tool_name,
)
from satchel.interfaces.operations import OPERATIONS, Operation

ANY = Bounds()
FIXED = Bounds(scope="project/a")
OFFERED = offered(ANY)


def test_every_operation_is_a_tool_or_the_operators() -> None:
    expected = [tool_name(operation) for operation in OPERATIONS if not operation.operator_only]

    assert list(OFFERED) == expected
    assert {"store", "recall", "get", "list", "forget", "stats"} <= set(OFFERED)


def test_what_concerns_the_whole_store_or_the_machine_is_the_operators() -> None:
    groups = {name.partition("_")[0] for name in OFFERED}

    assert not groups & {"doctor", "index", "receipts", "model", "demo"}


def test_read_only_offers_what_does_not_write() -> None:
    assert offered(Bounds(read_only=True)) == {name: one for name, one in OFFERED.items() if not one.writes}


@pytest.mark.parametrize("bounds", [ANY, FIXED], ids=["any scope", "fixed scope"])
@pytest.mark.parametrize("operation", OFFERED.values(), ids=lambda operation: operation.name)
def test_schemas_are_valid_and_say_everything(operation: Operation, bounds: Bounds) -> None:
    taken, returned = input_schema(operation, bounds), output_schema(operation)

    for schema in (taken, returned):
        Draft202012Validator.check_schema(schema)
        assert (schema["type"], schema["additionalProperties"]) == ("object", False)
    assert all(one["description"] for one in taken["properties"].values())
    assert set(taken["required"]) <= set(taken["properties"])
    assert not {"all_scopes", "trust", "source_kind", "source_ref", "verify", "fix", "explain"} & set(
        taken["properties"]
    )


@pytest.mark.parametrize("operation", OFFERED.values(), ids=lambda operation: operation.name)
def test_nothing_speaks_of_the_command_line(operation: Operation) -> None:
    texts = [description(operation), *(one.help for one in parameters(operation, ANY).values())]

    assert not [text for text in texts if "--" in text or "standard input" in text]


def test_a_fixed_scope_leaves_every_schema() -> None:
    assert all("scope" not in parameters(operation, FIXED) for operation in OPERATIONS)
    assert "scope" in parameters(OFFERED["recall"], ANY)


def test_the_server_sets_scope_channel_and_source() -> None:
    run_with = arguments(OFFERED["store"], FIXED, {"text": "x", "tags": ["a"]}, "mcp somebody")

    assert run_with["scope"] == "project/a"
    assert (run_with["source_kind"], run_with["source_ref"], run_with["trust"]) == ("tool", "mcp somebody", None)
    assert (run_with["text"], run_with["tags"], run_with["kind"]) == ("x", ("a",), "other")
    assert set(run_with) == {one.name for one in OFFERED["store"].parameters}


def test_null_means_left_out_and_a_whole_float_is_a_number() -> None:
    run_with = arguments(OFFERED["recall"], ANY, {"query": "x", "scope": None, "limit": 3.0}, "mcp")

    assert (run_with["scope"], run_with["limit"], type(run_with["limit"])) == (None, 3, int)


@pytest.mark.parametrize(
    ("tool", "given", "code"),
    [
        ("recall", {}, "missing_param"),
        ("recall", {"query": None}, "missing_param"),
        ("recall", {"query": 7}, "wrong_type"),
        ("recall", {"query": ["a"]}, "wrong_type"),
        ("recall", {"query": {"text": "a"}}, "wrong_type"),
        ("recall", {"query": "a", "limit": "5"}, "wrong_type"),
        ("recall", {"query": "a", "limit": 5.5}, "wrong_type"),
        ("recall", {"query": "a", "limit": True}, "wrong_type"),
        ("recall", {"query": "a", "limit": float("nan")}, "wrong_type"),
        ("recall", {"query": "a", "mode": "psychic"}, "unknown_word"),
        ("recall", {"query": "a", "explain": True}, "unknown_param"),
        ("recall", {"query": "a", "all_scopes": True}, "unknown_param"),
        ("store", {"text": "a", "importance": "high"}, "wrong_type"),
        ("store", {"text": "a", "importance": True}, "wrong_type"),
        ("store", {"text": "a", "tags": "one"}, "wrong_type"),
        ("store", {"text": "a", "tags": [1]}, "wrong_type"),
        ("store", {"text": "a", "tags": {"a": 1}}, "wrong_type"),
        ("store", {"text": "a", "trust": "trusted"}, "unknown_param"),
        ("store", {"text": "a", "source_kind": "operator"}, "unknown_param"),
        ("store", {"text": "a", "source_ref": "me"}, "unknown_param"),
        ("forget", {"id": "a", "verify": True}, "unknown_param"),
        ("stats", {"\ud800" * 90: 1}, "unknown_param"),
    ],
)
def test_a_bad_argument_is_named(tool: str, given: dict[str, Any], code: str) -> None:
    with pytest.raises(InvalidRequest) as caught:
        arguments(OFFERED[tool], ANY, given, "mcp")

    assert caught.value.code == code
    (caught.value.message + caught.value.hint).encode("utf-8")
