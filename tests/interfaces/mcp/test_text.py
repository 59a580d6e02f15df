"""An answer in a few lines."""

from typing import Any

import pytest

from satchel.domain.answers import Finding, ForgetCandidate, Forgotten, Listed, Recalled, Stored
from satchel.domain.envelope import Failed, Ok
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind, Label, Memory, MemoryId, State, Trust
from satchel.interfaces.mcp.text import MAX_CHARS, text_of

ID, OLD = MemoryId("id-1"), MemoryId("id-0")
RETIRED = Memory(id=OLD, text="line one\n线 two", scope="global", created_at=1, updated_at=1, state=State.RETIRED)
STORED = Stored(
    id=ID,
    action="created",
    scope="global",
    kind=Kind.FACT,
    label=Label.UNKNOWN,
    importance=None,
    trust=Trust.UNTRUSTED,
    created_at=1,
    seq=1,
    replaced=OLD,
    embedding_skipped=True,
    embedding_skip_reason="deferred",
)


def _text(result: Any, *warnings: str) -> str:
    return text_of(Ok(result, Receipt("x", asked={}, warnings=warnings)))


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (STORED, "created id-1 in scope global: fact, unknown, untrusted\nretired id-0"),
        (Listed((), None), "no memories"),
        (
            Listed((RETIRED,), "1:id-0"),
            'id-0 (other, unknown, untrusted, retired) "line one\\n线 two"\nmore: after=1:id-0',
        ),
        (Forgotten("deleted", ID), "forgotten id-1"),
        (Forgotten("deleted", ID, pending=("index",)), "forgotten id-1\nstill to be cleared: index"),
        (Forgotten("candidates"), "no candidates"),
        (
            Forgotten("candidates", candidates=(ForgetCandidate(ID, "a\nb", Kind.FACT, 1.0, 1),)),
            'id-1 "a\\nb"\nnothing was erased; call again with the id of one of them',
        ),
        (Finding("disk", "ok", "fine"), '{"check": "disk", "status": "ok", "message": "fine", "fix": ""}'),
    ],
)
def test_each_result_has_its_lines(result: Any, text: str) -> None:
    assert _text(result) == text


def test_warnings_come_first() -> None:
    assert _text(Recalled((), "hybrid", "global", ()), "model_missing: none") == (
        "warning: model_missing: none\nnothing found in scope global"
    )


def test_a_failure_is_one_line() -> None:
    receipt = Receipt("x", asked={})

    assert text_of(Failed("busy", "it is busy", "wait", receipt)) == "busy: it is busy (wait)"
    assert text_of(Failed("busy", "it is busy", "", receipt)) == "busy: it is busy"


def test_a_long_text_is_cut_and_says_so() -> None:
    text = _text(["x" * MAX_CHARS])

    assert len(text) < MAX_CHARS + 100
    assert text.endswith("(cut; the structured content is whole)")
