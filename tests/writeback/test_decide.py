"""Which fields of a row a memory fills or replaces."""

import math
from typing import Any

import pytest

from satchel.domain.imports import import_id
from satchel.domain.record import Kind, Label, Memory, MemoryId, SourceKind, Trust
from satchel.errors import InvalidRequest
from satchel.ports.foreign_table import ForeignRow
from satchel.writeback.decide import FIELDS, SAFE_TO_FORCE, decide, is_about, parse_force_fields
from satchel.writeback.links import SOURCE, link_rows
from tests.tables import each_case

EMPTY = dict.fromkeys(FIELDS)


def memory(**fields: Any) -> Memory:
    return Memory(MemoryId("m1"), "We ship on Thursdays", "repo/api", 1, 1, **fields)


GRADED = memory(
    kind=Kind.DECISION,
    importance=0.9,
    label=Label.MUST_REMEMBER,
    trust=Trust.TRUSTED,
    source_kind=SourceKind.OPERATOR,
)


def foreign(**values: Any) -> ForeignRow:
    return ForeignRow("m1", "We ship on Thursdays", {**EMPTY, **values})


def test_every_empty_field_is_filled() -> None:
    change = decide(foreign(importance=math.nan, scope=" "), GRADED, ())

    assert change.values == {
        "importance": 0.9,
        "importance_label": "must_remember",
        "scope": "repo/api",
        "trust_tier": "trusted",
        "category": "decision",
        "source_kind": "operator",
    }
    assert change.replaced == ()


def test_values_stay_without_force() -> None:
    held = foreign(
        importance=0.1, importance_label="ignore", scope="x", trust_tier="untrusted", category="fact", source_kind="web"
    )

    assert decide(held, GRADED, ()).values == {}


def test_force_replaces_the_named_fields_only() -> None:
    held = foreign(
        importance=0.1, importance_label="ignore", scope="x", trust_tier="untrusted", category="fact", source_kind="web"
    )

    assert decide(held, GRADED, SAFE_TO_FORCE).replaced == ("importance", "importance_label", "scope", "category")
    assert decide(held, GRADED, ("trust_tier",)).values == {"trust_tier": "trusted"}


def test_what_the_memory_does_not_know_is_no_value() -> None:
    held = foreign(importance=0.1, importance_label="ignore", category="fact")

    change = decide(held, memory(), SAFE_TO_FORCE)

    assert set(change.values) == {"scope", "trust_tier", "source_kind"}


def test_fields_without_a_column_are_left_out() -> None:
    assert decide(ForeignRow("m1", "t", {"scope": None}), GRADED, SAFE_TO_FORCE).values == {"scope": "repo/api"}


def test_a_rounded_number_is_the_same_number() -> None:
    # What a column of float32 gives back for 0.9.
    assert "importance" not in decide(foreign(importance=0.8999999761581421), GRADED, SAFE_TO_FORCE).values


@each_case(
    ("text", "same"),
    [
        ("We ship on Thursdays", True),
        ("  we ship\non Thursdays ", True),
        ("We ship on Fridays", False),
        ("", False),
    ],
)
def test_a_row_is_about_a_memory_while_it_has_its_text(text: str, same: bool) -> None:
    assert is_about(ForeignRow("m1", text, {}), GRADED) is same


@each_case(
    ("text", "force", "expected"),
    [
        (None, False, ()),
        (None, True, SAFE_TO_FORCE),
        ("trust_tier", True, ("trust_tier",)),
        (" importance, scope,importance ", True, ("importance", "scope")),
    ],
)
def test_force_fields(text: str | None, force: bool, expected: tuple[str, ...]) -> None:
    assert parse_force_fields(text, force) == expected


@each_case(("text", "force"), [("importance", False), ("text", True), ("vector,scope", True), (" , ", True)])
def test_wrong_force_fields_are_refused(text: str, force: bool) -> None:
    with pytest.raises(InvalidRequest):
        parse_force_fields(text, force)


def test_rows_are_linked_by_their_id_and_by_the_id_of_an_import() -> None:
    links = link_rows(["a", "b", "b"])

    assert links.rows == {"a": "a", "b": "b", import_id(SOURCE, "a"): "a", import_id(SOURCE, "b"): "b"}
    assert links.ambiguous == {"b"}
