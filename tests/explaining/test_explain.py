"""Explaining receipts: any body, bounded, with a meaning for every warning."""

import re
from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import satchel
from satchel.explaining.explain import MAX_LINE_CHARS, MAX_MENTIONS, explain_receipt, mentioned_ids, with_previews
from satchel.explaining.meanings import WARNINGS, warning_meaning
from satchel.explaining.readings import READERS
from satchel.explaining.receipt_values import MAX_LINES
from satchel.ports import StoredReceipt

SOURCE = Path(satchel.__file__).parent

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
keys = st.sampled_from(
    (
        *("hits", "below_limit", "held_out", "lifecycle", "captured", "included", "excluded", "memories", "selected"),
        *(
            "autoCapture",
            "preflight",
            "parts",
            "lanes",
            "attempts",
            "left_out",
            "blocks",
            "scope",
            "budget",
            "ids",
            "id",
        ),
    )
)
objects = st.dictionaries(keys, json_values | st.dictionaries(keys, json_values, max_size=3), max_size=6)


def kept(body: Any, operation: str = "recall") -> StoredReceipt:
    return StoredReceipt(1, "sha256:abc", operation, 0, 1.0, body)


def plain(text: str) -> str:
    return text


@settings(max_examples=300, deadline=None)
@given(
    operation=st.sampled_from((*READERS, "of another day")),
    asked=objects | json_values,
    considered=objects | json_values,
    decided=objects | json_values,
    warnings=json_values,
)
def test_any_receipt_can_be_explained(operation: str, asked: Any, considered: Any, decided: Any, warnings: Any) -> None:
    body = {"asked": asked, "considered": considered, "decided": decided, "warnings": warnings}
    told = explain_receipt(kept(body, operation), plain)
    assert told.operation == operation
    assert explain_receipt(kept(body, operation), plain) == told
    hidden = with_previews(told, {}, only_these=True)
    assert mentioned_ids(hidden) == []


def test_an_explanation_is_bounded() -> None:
    many = [{"id": f"id-{number}", "rule": "expired", "said": "x" * 10_000} for number in range(10_000)]
    decided = {"hits": many, "held_out": many, "more": many} | {f"fact {number}": "x" * 9_999 for number in range(999)}
    told = explain_receipt(kept({"asked": {}, "decided": decided, "warnings": ["x" * 9_999]}, "of another day"), plain)
    assert (len(told.included), len(told.left_out)) == (0, MAX_MENTIONS)
    assert all(len(one.lines) <= MAX_LINES for one in told.sections)
    everything = [line for one in told.sections for line in one.lines] + [told.warnings[0].said]
    assert max(map(len, everything)) <= MAX_LINE_CHARS


def test_secrets_are_masked_everywhere() -> None:
    body = {
        "asked": {"path": "SECRET"},
        "decided": {"why": {"SECRET": "SECRET"}, "rows": [{"id": "a", "note": "SECRET"}]},
        "warnings": ["odd: SECRET"],
    }
    told = explain_receipt(kept(body, "of another day"), lambda text: text.replace("SECRET", "…"))
    assert "SECRET" not in str(told)


def test_mentioned_ids_are_distinct_and_in_order() -> None:
    rows = [{"id": "b", "rule": "expired"}, {"id": "a"}, {"id": "b"}]
    assert mentioned_ids(explain_receipt(kept({"decided": {"rows": rows}}, "of another day"), plain)) == ["a", "b"]


def test_every_warning_code_has_a_meaning() -> None:
    written = re.compile(r"f?\"([a-z]+(?:_[a-z]+)+): ")
    outside = ("adapters", "config", "interfaces")
    modules = [path for path in SOURCE.rglob("*.py") if path.relative_to(SOURCE).parts[0] not in outside]
    found = {code for path in modules for code in written.findall(path.read_text(encoding="utf-8"))}
    # Errors that name the field they are about.
    fields = {"to_memory_id", "replaces_memory_id", "stale_memory_ids", "replacement_memory_id"}
    assert {"index_unusable", "untrusted_only", "rule_unclear"} <= found
    assert found - fields <= set(WARNINGS)


def test_an_unknown_code_stands_for_itself() -> None:
    assert warning_meaning("made_up_today") == "made up today"
    assert warning_meaning("lane_documents").startswith("the lane of documents")


def test_a_receipt_without_the_sections_of_its_operation_is_read_as_any_other() -> None:
    rows = [{"id": "a"}, {"id": "b", "rule": "expired"}]
    wrong = {"recall": "hits", "pack": "included", "attention route": "memories", "turn before": "lifecycle"}
    for operation, name in wrong.items():
        body = {"asked": {}, "considered": {}, "decided": {name: 7, "rows": rows}}
        told = explain_receipt(kept(body, operation), plain)
        assert mentioned_ids(told) == ["a", "b"], operation


def test_a_part_of_a_score_has_one_sign() -> None:
    parts = {"vector": {"raw": 0.5, "value": 1.0, "rank": 1}, "question": {"raw": 1.0, "value": -0.1}}
    body = {"asked": {}, "considered": {}, "decided": {"hits": [{"id": "a", "score": 0.9, "parts": parts}]}}
    (hit,) = explain_receipt(kept(body), plain).included
    assert "vector +1 (rank 1, from 0.5)" in hit.reasons
    assert "question -0.1 (from 1)" in hit.reasons
