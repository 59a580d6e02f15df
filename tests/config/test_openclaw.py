"""The configuration of the OpenClaw plugin: values used, and warnings about the rest."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.tables import each_case

from satchel.config import Settings, load
from satchel.config.catalogue import OPENCLAW_PREFIX
from satchel.config.openclaw import from_openclaw
from satchel.config.sources import CATALOGUE

KEYS = {
    "read_only": "readOnly",
    "home": "dbPath",
    "scope_policy.fallback_scopes": "scopePolicy.fallbackScopes",
    "scope_policy.skip_fallback_on_invalid_scope": "scopePolicy.skipFallbackOnInvalidScope",
    "budget.max_chars": "budget.maxChars",
    "receipts.max_items": "receipts.maxItems",
    "embedding.max_chars": "embedding.maxChars",
    "embedding.api_key": "embedding.apiKey",
    "embedding.model": "embedding.model",
}


@each_case(("key", "openclaw"), KEYS.items())
def test_a_setting_has_its_openclaw_key(key: str, openclaw: str) -> None:
    assert CATALOGUE[key].openclaw == openclaw
    assert CATALOGUE.find(openclaw) == CATALOGUE.find(OPENCLAW_PREFIX + openclaw) == CATALOGUE[key]


def test_a_valid_configuration_is_used_unchanged() -> None:
    overrides = from_openclaw(
        {
            "dbPath": "~/memories",
            "tableName": "memories",
            "readOnly": True,
            "embedding": {"apiKey": "k", "model": "small", "maxBytes": 0},
            "scopePolicy": {"fallbackScopes": ["team", "global"], "validationMode": "normalize"},
            "budget": False,
            "recall": {"minRelevance": 1, "limit": 6.0},
            "receipts": None,
        }
    )
    assert overrides.warnings == []
    assert overrides.given == {
        "home": "~/memories",
        "read_only": True,
        "embedding": {"api_key": "k", "model": "small", "max_bytes": 0},
        "scope_policy": {"fallback_scopes": ("team", "global"), "validation_mode": "normalize"},
        "budget": {"enabled": False},
        "recall": {"min_relevance": 1.0, "limit": 6},
    }
    found = load({}, **overrides.given)
    assert (found.recall.limit, found.budget.enabled, found.embedding.api_key) == (6, False, "k")


@each_case(
    ("group", "name", "value", "taken"),
    [
        ("budget", "maxChars", 5, {"budget": {"max_chars": 300}}),
        ("budget", "maxChars", 10**400, {"budget": {"max_chars": 12_000}}),
        ("budget", "maxChars", 700.9, {"budget": {"max_chars": 700}}),
        ("budget", "maxChars", "99999", {"budget": {"max_chars": 12_000}}),
        ("budget", "minRecentSlots", -3, {"budget": {"min_recent_slots": 0}}),
        ("embedding", "maxBytes", 3, {"embedding": {"max_bytes": 500}}),
        ("scopePolicy", "fallbackScopes", ["a", 1, "c"], {"scope_policy": {"fallback_scopes": ("a", "c")}}),
        ("recall", "minRelevance", 1.5, {"recall": {"min_relevance": 1.0}}),
        ("scopePolicy", "fallbackScopes", [*"abcdefgh"], {"scope_policy": {"fallback_scopes": tuple("abcdef")}}),
        ("scopePolicy", "fallbackScopes", ["a", "B b", "c"], {"scope_policy": {"fallback_scopes": ("a", "c")}}),
    ],
)
def test_out_of_range_values_are_clamped_with_a_warning(group: str, name: str, value: Any, taken: Any) -> None:
    overrides = from_openclaw({group: {name: value}})
    assert overrides.given == taken
    assert len(overrides.warnings) == 1
    assert f"{group}.{name}" in overrides.warnings[0]
    load({}, **overrides.given)


@each_case(
    ("group", "name", "value"),
    [
        ("budget", "maxChars", "many"),
        ("budget", "maxChars", True),
        ("budget", "maxChars", float("nan")),
        ("budget", "maxChars", float("inf")),
        ("budget", "maxChars", [1]),
        ("budget", "enabled", "perhaps"),
        ("budget", "enabled", 1),
        ("budget", "overflowAction", "explode"),
        ("scopePolicy", "defaultScope", "Not A Scope"),
        ("scopePolicy", "fallbackScopes", 5),
        ("embedding", "model", {"name": "x"}),
        ("embedding", "model", "a\0b"),
    ],
)
def test_invalid_values_are_ignored_with_a_warning(group: str, name: str, value: Any) -> None:
    overrides = from_openclaw({group: {name: value}})
    assert load({}, **overrides.given) == Settings()
    assert len(overrides.warnings) == 1
    assert f"{group}.{name}" in overrides.warnings[0]


def test_numbers_and_switches_may_be_written_as_text() -> None:
    overrides = from_openclaw({"budget": {"maxChars": "900", "enabled": "off"}, "readOnly": "true"})
    assert overrides.warnings == []
    assert overrides.given == {"budget": {"max_chars": 900, "enabled": False}, "read_only": True}


def test_an_unknown_key_is_reported_with_a_suggestion() -> None:
    overrides = from_openclaw({"budgets": {"x": 1}, "budget": {"maxchars": 1}, "zzzzzz": 1, "recall": False})
    assert overrides.given == {}
    assert "did you mean budget?" in overrides.warnings[0]
    assert "did you mean budget.maxChars?" in overrides.warnings[1]
    assert len(overrides.warnings) == 4


def test_another_table_is_reported() -> None:
    assert "always called memories" in from_openclaw({"tableName": "other"}).warnings[0]


def test_a_secret_is_not_repeated_in_a_warning() -> None:
    assert "hunter2" not in from_openclaw({"embedding": {"apiKey": "hunter2\n"}}).warnings[0]


def test_a_configuration_that_is_not_an_object_is_ignored() -> None:
    nonsense: Any = ["budget"]
    assert (from_openclaw(nonsense).given, len(from_openclaw(nonsense).warnings)) == ({}, 1)
    assert from_openclaw({"dbPath": ""}).given == {}


json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from([one.openclaw.partition(".") for one in CATALOGUE.entries if one.key != "home"])


@settings(max_examples=150, deadline=None, derandomize=True)
@given(st.lists(st.tuples(names, json), max_size=6))
def test_any_configuration_gives_valid_settings(said: list[tuple[tuple[str, str, str], Any]]) -> None:
    config: dict[str, Any] = {}
    for (group, dot, name), value in said:
        if dot:
            config.setdefault(group, {})[name] = value
        else:
            config[group] = value
    assert isinstance(load({}, **from_openclaw(config).given), Settings)
