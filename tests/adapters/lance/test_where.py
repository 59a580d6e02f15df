"""Views as Lance filters: values are always quoted."""

import lance
import pyarrow as pa
import pytest

from satchel.adapters.lance.where import MAX_VALUE_CHARS, full_filter, one_of, view_filter
from satchel.domain.record import Kind, State, Trust
from satchel.domain.scope import EVERYWHERE, Reach
from satchel.domain.view import View
from tests.adapters.samples import HOSTILE, NOW

VALUES = [text[:1_000] for text in HOSTILE if text.strip("\n\t\r ")]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> lance.LanceDataset:
    """A dataset with one row per hostile value, and a harmless one."""
    values = list(dict.fromkeys([*VALUES, "innocent"]))
    return lance.write_dataset(pa.table({"scope": values}), str(tmp_path_factory.mktemp("where") / "values.lance"))


def test_a_condition_finds_its_own_value_only(dataset: lance.LanceDataset) -> None:
    for value in dict.fromkeys(VALUES):
        assert dataset.to_table(filter=one_of("scope", [value]))["scope"].to_pylist() == [value]
        longer = [value + "'", "''" + value]
        found = dataset.to_table(filter=one_of("scope", longer))["scope"].to_pylist()
        assert found == [other for other in VALUES if other in longer]


def test_several_values_and_none(dataset: lance.LanceDataset) -> None:
    found = dataset.to_table(filter=one_of("scope", ["innocent", "'", "unknown"]))["scope"].to_pylist()
    assert sorted(found) == ["'", "innocent"]
    assert dataset.count_rows(one_of("scope", [])) == 0


NARROW = View(Reach(("it's", "b")), 7, states=(State.ACTIVE,), trusts=(Trust.TRUSTED,), kinds=(Kind.FACT,))


def test_ordinary_records_are_selected_by_scope() -> None:
    assert view_filter(View(Reach(("it's", "b")), 7), []) == "scope IN ('it''s', 'b') AND unusual = false"
    assert view_filter(View(EVERYWHERE, 7), []) == "unusual = false"


def test_admitted_unusual_records_are_listed_by_id() -> None:
    assert view_filter(View(Reach(("a",)), 7), ["x", "y"]) == "scope IN ('a') AND (unusual = false OR id IN ('x', 'y'))"


def test_a_narrow_view_adds_conditions_for_ordinary_records() -> None:
    assert view_filter(NARROW, ["x"]) == (
        "scope IN ('it''s', 'b') AND "
        "(unusual = false AND trust_tier IN ('trusted') AND state IN ('active') AND kind IN ('fact') OR id IN ('x'))"
    )


def test_the_full_filter_has_every_rule() -> None:
    assert full_filter(NARROW) == (
        "trust_tier IN ('trusted') AND state IN ('active') AND scope IN ('it''s', 'b') AND kind IN ('fact')"
        " AND (valid_from IS NULL OR valid_from <= 7) AND (valid_to IS NULL OR valid_to > 7)"
    )
    wide = View(EVERYWHERE, NOW, states=(State.ACTIVE,), trusts=(Trust.TRUSTED,), timeless=True)
    assert full_filter(wide) == "trust_tier IN ('trusted') AND state IN ('active')"


def test_a_value_that_no_record_can_have_is_not_in_the_filter() -> None:
    assert one_of("kind", ["note", "x" * (MAX_VALUE_CHARS + 1)]) == "kind IN ('note')"
    assert one_of("kind", ["x" * (MAX_VALUE_CHARS + 1)]) == "FALSE"
