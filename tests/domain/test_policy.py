"""Settings of automatic recall and capture: names, defaults and limits."""

from msgspec import Struct
from msgspec.structs import fields

from satchel.domain.policies import (
    AutoCapturePolicy,
    AutoRecallPolicy,
    BudgetPolicy,
    PreflightPolicy,
    WorkingSetPolicy,
)
from satchel.domain.setting import settings_of

# name: default, least, most
LIMITS: dict[type[Struct], dict[str, object]] = {
    AutoRecallPolicy: {
        "max_items": (5, 1, 6),
        "trivial_min_chars": (8, 2, 40),
        "tier_search_multiplier": (4, 1, 6),
        "min_relevance": (0.001, 0.0, 1.0),
    },
    AutoCapturePolicy: {
        "max_items_per_turn": (2, 1, 4),
        "max_chars_per_item": (240, 60, 320),
        "max_scanned_user_messages": (24, 1, 64),
        "max_text_blocks_per_message": (4, 1, 8),
        "max_total_input_chars": (48_000, 1_000, 120_000),
        "max_todo_per_turn": (1, 0, 3),
        "todo_dedupe_window_hours": (24, 1, 168),
        "todo_stale_ttl_days": (7, 1, 90),
        "dedupe_similarity_threshold": (0.92, 0.70, 0.99),
    },
    WorkingSetPolicy: {
        "max_chars": (240, 240, 2_800),
        "max_items_per_section": (2, 1, 5),
        "max_goal_chars": (120, 40, 600),
        "max_item_chars": (100, 40, 400),
    },
    PreflightPolicy: {"timeout_ms": (12_000, 1_000, 120_000)},
    BudgetPolicy: {"max_chars": (1800, 300, 12_000), "min_recent_slots": (1, 0, 5)},
}
SWITCHES: dict[type[Struct], dict[str, bool]] = {
    AutoRecallPolicy: {
        "enabled": True,
        "skip_trivial_prompts": True,
        "include_unknown_fallback": True,
        "include_ignored": True,
    },
    AutoCapturePolicy: {"enabled": True, "capture_preference": True, "capture_decision": True, "capture_todo": False},
    WorkingSetPolicy: {"enabled": False, "persist": True},
    PreflightPolicy: {"enabled": False, "fail_on_queued": False, "fail_on_rejected": False},
}


def test_the_knobs_have_the_limits_that_are_promised() -> None:
    for group, expected in LIMITS.items():
        found = {
            one.name: (one.default, settings_of(group)[one.name].minimum, settings_of(group)[one.name].maximum)
            for one in fields(group)
        }
        numbers = {name: limits for name, limits in found.items() if limits[1] is not None}
        assert numbers == expected, group.__name__


def test_the_switches_stand_as_promised() -> None:
    for group, expected in SWITCHES.items():
        assert {one.name: one.default for one in fields(group) if isinstance(one.default, bool)} == expected


def test_the_words_that_can_be_chosen() -> None:
    modes = ("relevance_v1", "tier_first_v1", "tier_quota_v1")
    assert settings_of(AutoRecallPolicy)["selection_mode"].choices == modes
    assert settings_of(PreflightPolicy)["fail_mode"].choices == ("open", "closed")
    assert settings_of(BudgetPolicy)["overflow_action"].choices == ("truncate_oldest", "truncate_tail")
