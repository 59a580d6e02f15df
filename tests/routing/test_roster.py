"""The state file and the plan of usable steps."""

from typing import Any

import pytest

from satchel.domain.routing import BackendState
from satchel.errors import InvalidRequest
from satchel.routing.overrides import TIERS
from satchel.routing.roster import STANDARD, document, parse_roster, plan_steps
from satchel.routing.rule_table import chain
from tests.tables import each_case

RELATION = chain("cognee qmd:vsearch totalrecall")


def listed(**states: str) -> dict[str, Any]:
    return {
        "version": "2.0",
        "installed_at": "2026-03-17T14:30:00Z",
        "backends": {name: {"status": status} for name, status in states.items()},
    }


def planned(said: object, resting: tuple[str, ...] = ()) -> str:
    made = plan_steps(RELATION, parse_roster(said), TIERS, resting)
    return " ".join(f"{one.backend}{':' + one.mode if one.mode else ''}" for one in made.steps)


def test_without_a_file_all_native_backends_are_ready() -> None:
    assert [(one.backend, one.state) for one in plan_steps(RELATION, STANDARD, TIERS).steps] == [
        ("cognee", BackendState.READY),
        ("qmd", BackendState.READY),
        ("totalrecall", BackendState.READY),
    ]


@each_case(
    ("states", "expected"),
    [
        ({"qmd": "ready", "totalrecall": "ready"}, "qmd:vsearch totalrecall"),
        ({"cognee": "degraded", "qmd": "ready", "totalrecall": "ready"}, "qmd:vsearch totalrecall cognee"),
        ({"cognee": "installed", "qmd": "unavailable", "totalrecall": "ready"}, "totalrecall"),
        ({"cognee": "failed", "qmd": "", "totalrecall": "READY"}, ""),
        ({"cognee": "degraded", "qmd": "degraded", "totalrecall": "ready"}, "totalrecall cognee qmd:vsearch"),
        ({"nonsense": "ready"}, ""),
    ],
)
def test_the_state_of_a_backend_decides_its_position(states: dict[str, str], expected: str) -> None:
    assert planned(listed(**states)) == expected


def test_a_tier_excludes_other_backends() -> None:
    everything = listed(cognee="ready", qmd="ready", totalrecall="ready")

    assert planned({**everything, "tier": "starter"}) == "qmd:vsearch totalrecall"
    assert planned({**everything, "tier": "pro"}) == "cognee qmd:vsearch totalrecall"
    assert planned({**everything, "tier": "unheard of"}) == ""


def test_a_mode_may_have_a_worse_state_than_its_backend() -> None:
    said = listed(qmd="ready", totalrecall="ready")
    for state, expected in (("unavailable", "totalrecall"), ("degraded", "totalrecall qmd:vsearch")):
        said["backends"]["qmd"]["modes"] = {"vsearch": state}
        assert planned(said) == expected


@each_case("adapter", ["qmd-http", "qmd-cli"])
def test_qmd_without_models_is_not_asked_by_meaning(adapter: str) -> None:
    said = listed(qmd="ready", totalrecall="ready")
    said["backends"]["qmd"]["adapter"] = adapter
    made = plan_steps(chain("qmd:vsearch qmd:query totalrecall"), parse_roster(said), TIERS)

    assert [(one.backend, one.mode) for one in made.steps] == [("qmd", "query"), ("totalrecall", None)]
    assert [(one.mode, one.reason) for one in made.skipped] == [("vsearch", "the option models is off")]

    said["backends"]["qmd"]["options"] = {"models": True}
    assert planned(said) == "qmd:vsearch totalrecall"


def test_recently_failed_steps_come_last() -> None:
    assert planned(listed(qmd="ready", totalrecall="ready"), ("qmd:vsearch",)) == "totalrecall qmd:vsearch"


def test_skipped_steps_have_a_reason() -> None:
    made = plan_steps(RELATION, parse_roster({**listed(cognee="ready", qmd="installed"), "tier": "starter"}), TIERS)

    assert [(one.backend, one.reason) for one in made.skipped] == [
        ("cognee", "not part of the tier starter"),
        ("qmd", "installed"),
        ("totalrecall", "not listed"),
    ]


@each_case(
    "said",
    [
        None,
        [],
        "text",
        1,
        {},
        {"backends": []},
        {"backends": {"qmd": "ready"}},
        {"backends": {"qmd": {"status": "ready", "options": []}}},
        {"backends": {"qmd": {"status": "ready", "adapter": 1}}},
        {"backends": {}, "tier": 1},
    ],
)
def test_a_malformed_file_is_rejected(said: object) -> None:
    with pytest.raises(InvalidRequest) as caught:
        parse_roster(said)

    assert caught.value.code == "invalid_backends"


def test_the_installer_keeps_unknown_fields() -> None:
    before = {**listed(cognee="ready", qmd="failed"), "note": "mine"}
    before["backends"]["qmd"]["own"] = 1
    after: Any = document(before, [STANDARD.entries[0]], "pro", "2026-11-15T00:00:00Z")

    assert (after["note"], after["tier"], after["installed_at"]) == ("mine", "pro", "2026-03-17T14:30:00Z")
    assert after["backends"]["cognee"] == {"status": "ready"}
    assert after["backends"]["qmd"]["own"] == 1
    assert after["backends"]["qmd"]["status"] == "ready"
    assert parse_roster(after).entry("qmd") is not None
