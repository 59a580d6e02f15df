"""Invalid input gives an error that names the field, and changes nothing."""

from typing import Any

import pytest

from satchel.errors import SatchelError
from tests.attention.stores import AttentionStore, add, tables

BAD: list[tuple[str, dict[str, Any], str]] = [
    ("route", {"goal": None}, "goal"),
    ("route", {"goal": " \n"}, "goal"),
    ("route", {"goal": 7}, "goal"),
    ("route", {"goal": "x" * 20_001}, "goal"),
    ("route", {"goal": "a\0b"}, "goal"),
    ("route", {"goal": "x", "step_role": "poet"}, "step_role"),
    ("route", {"goal": "x", "step_role": ["planner"]}, "step_role"),
    ("route", {"goal": "x", "user_constraints": [1, 2]}, "user_constraints"),
    ("route", {"goal": "x", "user_constraints": {"a": 1}}, "user_constraints"),
    ("route", {"goal": "x", "recent_failures": [None]}, "recent_failures"),
    ("route", {"goal": "x", "unresolved_questions": ["q"] * 201}, "unresolved_questions"),
    ("route", {"goal": "x", "session_id": 5}, "session_id"),
    ("route", {"goal": "x", "task_id": []}, "task_id"),
    ("route", {"goal": "x", "meaning": "yes"}, "meaning"),
    ("route", {"goal": "x", "scope": "Not A Scope"}, "scope"),
    ("add", {"memory_type": "plan"}, "memory_type"),
    ("add", {"memory_type": None}, "memory_type"),
    ("add", {"title": 5}, "title"),
    ("add", {"title": ""}, "title"),
    ("add", {"summary": ["a"]}, "summary"),
    ("add", {"summary": "\ud800"}, "summary"),
    ("add", {"abstraction_level": "two"}, "abstraction_level"),
    ("add", {"abstraction_level": 4}, "abstraction_level"),
    ("add", {"abstraction_level": 1.5}, "abstraction_level"),
    ("add", {"abstraction_level": True}, "abstraction_level"),
    ("add", {"abstraction_level": float("inf")}, "abstraction_level"),
    ("add", {"role_scope": "poet"}, "role_scope"),
    ("add", {"importance": "high"}, "importance"),
    ("add", {"confidence": float("nan")}, "confidence"),
    ("add", {"success_score": [0.5]}, "success_score"),
    ("add", {"details": "text"}, "details"),
    ("add", {"details": {"a": "\ud800"}}, "details"),
    ("add", {"details": {"a": "x" * 50_001}}, "details"),
    ("add", {"details": {"a": float("nan")}}, "details"),
    ("add", {"keywords": [5]}, "keywords"),
    ("add", {"tags": ["t"] * 51}, "tags"),
    ("add", {"source_refs": 9}, "source_refs"),
    ("add", {"recency_ts": "yesterday"}, "recency_ts"),
    ("add", {"recency_ts": 5}, "recency_ts"),
    ("add", {"valid_from_ts": "soon"}, "valid_from_ts"),
    ("add", {"valid_from_ts": "2026-02-01", "valid_to_ts": "2026-01-01"}, "valid_to_ts"),
    ("add", {"id": "taken"}, "id"),
    ("add", {"id": "../../etc"}, "id"),
    ("add", {"id": 5}, "id"),
    ("add", {"replaces_memory_id": "nobody"}, "replaces_memory_id"),
    ("add", {"replaces_memory_id": 5}, "replaces_memory_id"),
    ("add", {"id": "new", "replaces_memory_id": "new"}, "replaces_memory_id"),
    ("add", {"edges": "text"}, "edges"),
    ("add", {"edges": [{}]}, "to_memory_id"),
    ("add", {"edges": [{"to_memory_id": "nobody", "edge_type": "supports"}]}, "to_memory_id"),
    ("add", {"edges": [{"to_memory_id": "taken", "edge_type": "likes"}]}, "edge_type"),
    ("add", {"edges": [{"to_memory_id": "taken"}]}, "edge_type"),
    ("add", {"edges": [{"to_memory_id": "taken", "edge_type": "supports", "weight": 1.1}]}, "weight"),
    ("add", {"edges": [{"to_memory_id": "taken", "edge_type": "supports", "weight": "1"}]}, "weight"),
    ("add", {"edges": [{"to_memory_id": "taken", "edge_type": "supports", "wight": 1}]}, "wight"),
    ("add", {"id": "new", "edges": [{"to_memory_id": "new", "edge_type": "supports"}]}, "to_memory_id"),
    ("add", {"source_kind": "rumour"}, "source kind"),
    ("reflect", {}, "what_worked"),
    ("reflect", {"what_worked": [], "lessons": [" "]}, "lessons"),
    ("reflect", {"lessons": [5]}, "lessons"),
    ("reflect", {"goal": "x", "create_procedure": "yes"}, "create_procedure"),
    ("reflect", {"goal": "x", "outcome": 5}, "outcome"),
    ("reflect", {"goal": "x", "reflection_title": 5}, "reflection_title"),
    ("reflect", {"lessons": "x", "create_procedure": True, "procedure_importance": "much"}, "procedure_importance"),
    ("refresh", {"stale_memory_ids": []}, "stale_memory_ids"),
    ("refresh", {"stale_memory_ids": None}, "stale_memory_ids"),
    ("refresh", {"stale_memory_ids": [7]}, "stale_memory_ids"),
    ("refresh", {"stale_memory_ids": ["nobody"]}, "stale_memory_ids"),
    ("refresh", {"stale_memory_ids": ["taken"], "replacement_memory_id": "nobody"}, "replacement_memory_id"),
    ("refresh", {"stale_memory_ids": ["taken"], "replacement_memory_id": "taken"}, "replacement_memory_id"),
    ("refresh", {"stale_memory_ids": ["taken"], "replacement_memory_id": "retired"}, "replacement_memory_id"),
    ("refresh", {"stale_memory_ids": ["taken"], "refresh_reason": 5}, "refresh_reason"),
    ("inspect", {"memory_id": "nobody"}, "memory_id"),
    ("inspect", {"memory_id": None}, "memory_id"),
    ("list", {"limit": 0}, "limit"),
    ("list", {"limit": -1}, "limit"),
    ("packets", {"limit": 0}, "limit"),
]
GOOD: dict[str, dict[str, Any]] = {"add": {"memory_type": "summary", "title": "t", "summary": "s"}}


@pytest.mark.parametrize(("operation", "fields", "field"), BAD, ids=lambda value: str(value)[:60])
def test_invalid_input_names_its_field_and_changes_nothing(
    router: AttentionStore, operation: str, fields: dict[str, Any], field: str
) -> None:
    add(router, "summary", "there already", id="taken")
    add(router, "summary", "was there once", id="retired")
    router.attention.refresh(["retired"])
    before = tables(router)

    with pytest.raises(SatchelError) as refused:
        getattr(router.attention, operation)(**(GOOD.get(operation, {}) | fields))

    assert field in refused.value.message
    refused.value.message.encode("utf-8")
    assert tables(router) == before
