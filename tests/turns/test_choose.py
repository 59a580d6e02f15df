"""Which candidates are kept, and what the receipt reports."""

from msgspec import to_builtins
from msgspec.structs import replace

from satchel.domain.policies import AutoCapturePolicy
from satchel.turns.choose import choose, receipt, stale_todo_marker, todo_markers
from satchel.turns.extract import Extraction, TurnMessage, extract

POLICY = AutoCapturePolicy()
TODOS = replace(POLICY, capture_todo=True, max_items_per_turn=4)


def extracted(*lines: str, policy: AutoCapturePolicy = POLICY) -> Extraction:
    return extract([TurnMessage("user", ("\n".join(lines),))], policy)


def test_explicitly_lasting_statements_come_first_up_to_the_maximum() -> None:
    found = extracted("I like green tea.", "I hate popups.", "From now on use tabs.")
    assert [one.text for one in choose(found, POLICY).kept] == ["From now on use tabs.", "I like green tea."]
    assert len(choose(found, replace(POLICY, max_items_per_turn=1)).kept) == 1


def test_a_repeated_statement_is_kept_once() -> None:
    chosen = choose(extracted("I like green tea.", "i like  GREEN tea.", "I hate popups."), POLICY)
    assert [one.text for one in chosen.kept] == ["I like green tea.", "I hate popups."]
    assert chosen.filtered["duplicate"] == 1


def test_the_same_text_in_another_scope_is_kept() -> None:
    assert len(choose(extracted("I like green tea.", "[SCOPE: a] I like green tea."), POLICY).kept) == 2


def test_recalled_and_stored_texts_are_duplicates() -> None:
    found = extracted("I like green tea.", "I hate popups.")
    assert [one.text for one in choose(found, POLICY, recalled=["i like GREEN tea"]).kept] == ["I hate popups."]
    chosen = choose(found, POLICY, is_stored=lambda one: "tea" in one.text)
    assert [one.text for one in chosen.kept] == ["I hate popups."]
    assert chosen.filtered["duplicate"] == 1


def test_todos_are_limited() -> None:
    found = extracted("TODO: call the bank", "TODO: buy green tea", policy=TODOS)
    chosen = choose(found, TODOS)
    assert [one.text for one in chosen.kept] == ["TODO: call the bank"]
    assert chosen.filtered["todo_rate_limit"] == 1
    assert todo_markers(chosen) == [
        {"marker": "openclaw-mem-engine:todoGuardrail", "phase": "capture", "reason": "todo_rate_limit", "dropped": 1}
    ]
    assert choose(found, replace(TODOS, max_todo_per_turn=0)).kept == ()
    assert (
        choose(found, replace(TODOS, max_todo_per_turn=3), is_stored=lambda _: True).filtered["todo_dedupe_window"] == 2
    )


def test_stale_todos_leave_a_marker() -> None:
    assert stale_todo_marker(0, POLICY) is None
    assert stale_todo_marker(2, POLICY) == {
        "marker": "openclaw-mem-engine:todoGuardrail",
        "phase": "recall",
        "reason": "todo_stale_ttl",
        "dropped": 2,
        "ttlDays": 7,
    }


def test_the_receipt_has_all_counts_and_no_text() -> None:
    chosen = choose(
        extracted(
            "I like green tea.", "i like green tea.", "stdout: we decided to stop", "From now on the pin is 4711-B"
        ),
        POLICY,
    )
    assert to_builtins(receipt(chosen, "low", stored=1)) == {
        "schema": "openclaw-mem-engine.autoCapture.receipt.v1",
        "verbosity": "low",
        "candidateExtractionCount": 4,
        "filteredOut": {
            "tool_output": 1,
            "secrets_like": 1,
            "duplicate": 1,
            "todo_rate_limit": 0,
            "todo_dedupe_window": 0,
            "older_user_messages": 0,
            "input_chars_truncated": 0,
        },
        "scanned": {"userMessages": 1, "textBlocks": 1, "textChars": 92},
        "storedCount": 1,
    }
