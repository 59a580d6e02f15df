"""Grades of tool outcomes and messages: the written set through ingest, telling ones through the grade operation."""

import json
from pathlib import Path
from typing import Any

from satchel.domain.observation import observation_id
from satchel.domain.policies import Policies
from satchel.domain.policies.lifecycle import LifecyclePolicy
from satchel.observations.outcome import failed_exit, tool_text
from tests.observations.stores import Store, event, observed, opened
from tests.tables import each_case

HALVES = sorted((Path(__file__).parents[1] / "data" / "observations").glob("*.jsonl"))
TRACEBACK = 'Traceback (most recent call last):\n  File "app.py", line 3, in main\nValueError: invalid literal: 12,50'


def labels(store: Store, events: list[dict[str, Any]]) -> list[str]:
    """Ingest events, and return their labels."""
    store.tell(*(one | {"id": str(number)} for number, one in enumerate(events)))
    found = [observed(store, observation_id("global", str(number))) for number in range(len(events))]
    return [one.observation.label.value for one in found]


@each_case("path", HALVES, ids=lambda path: path.stem)
def test_observations_of_the_written_set_are_kept_or_ignored_as_a_person_would(path: Path, tmp_path: Path) -> None:
    rows = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    with opened(tmp_path / path.stem) as store:
        given = labels(store, [row["event"] for row in rows])
    wrong = [
        (label, row)
        for label, row in zip(given, rows, strict=True)
        if (label == "ignore") != (row["label"] == "ignore")
    ]
    assert len(rows) >= 40
    assert len(wrong) <= 0.05 * len(rows), wrong


def test_failures_are_graded_by_their_cause_and_routine_output_is_ignored(home: Path) -> None:
    told = {
        "traceback": event(TRACEBACK),
        "failed command": event("fatal: refusing to merge unrelated histories", detail={"exit_code": 128}),
        "output in the detail": {
            "tool_name": "Bash",
            "tool_input": {"command": "make"},
            "tool_response": {"stderr": "ld: error: undefined symbol: SSL_new", "exit_code": 2},
        },
        "the end of a long output": event("compiling module\n" * 200 + "error: missing semicolon in parser.c"),
        "a panic": event("thread 'main' panicked at src/pay.rs:40:9: called `Option::unwrap()` on a `None` value"),
        "a short message": event("KeyError: 'id'", detail={"exit_code": 1}),
        "an exception of Java": event('Exception in thread "main" java.lang.NullPointerException: no cart'),
        "an error with its number": event("ERROR 1064 (42000): You have an error in your SQL syntax"),
        "an installation": event("npm install: added 212 packages in 4s"),
        "nothing to install": event("pip install: Requirement already satisfied: requests"),
        "git status": event("git status: 3 files changed"),
        "a file": event("     1→import os\n     2→raise ValueError('required')\n"),
        "no failures": event("Build finished with 0 errors and 0 failures"),
        "a bare failure": event("The request failed."),
    }
    without_ingest = Policies(lifecycle=LifecyclePolicy(grade_on_ingest=False))
    with opened(home, policies=without_ingest) as store:
        store.tell(*(one | {"id": name} for name, one in told.items()))
        graded = store.memory.lifecycle.grade().result
    names = {str(observation_id("global", name)): name for name in told}
    signals = {names[one.id]: {signal.split()[0] for signal in one.signals} for one in graded.examples}
    kept = {names[one.id] for one in graded.examples if one.label != "ignore"}
    failed = {
        "traceback",
        "failed command",
        "output in the detail",
        "the end of a long output",
        "a panic",
        "a short message",
    }
    assert kept == failed | {"an exception of Java", "an error with its number"}
    assert all({"error", "cause"} <= signals[name] for name in kept)
    assert signals["git status"] == signals["a file"] == signals["an installation"] == {"routine"}
    assert (signals["no failures"], signals["a bare failure"]) == (set(), {"error"})


def test_rules_in_the_output_of_a_failed_program_do_not_count_but_those_of_a_person_do(store: Store) -> None:
    program = event("error: the --region flag is required and must not be empty", detail={"exit_code": 2})
    person = event("Read 3 files. We decided: never deploy on Fridays.")
    assert labels(store, [program, person]) == ["nice_to_have", "must_remember"]


@each_case(
    ("detail", "text", "ending"),
    [
        (None, "", ""),
        ("[]", "", ""),
        ("{", "", ""),
        ('{"exit_code": true, "output": 7}', "", ""),
        ('{"exit_code": 0, "output": "fine"}', "fine", ""),
        (
            '{"tool_response": {"content": [{"type": "text", "text": "broken"}], "isError": true}}',
            "broken",
            "exit code: 1",
        ),
        ('{"output": ' + '{"output": ' * 50 + '"deep"' + "}" * 51, "", ""),
    ],
)
def test_any_detail_is_read_for_its_output_and_exit_code(detail: str | None, text: str, ending: str) -> None:
    assert (tool_text(detail), failed_exit(detail)) == (text, ending)
