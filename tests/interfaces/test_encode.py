"""Values as JSON."""

from satchel.domain.envelope import Failed, Ok
from satchel.domain.ranking import Contribution
from satchel.domain.receipt import Receipt
from satchel.domain.record import Kind
from satchel.interfaces.encode import encoded, envelope


def test_structs_become_objects_and_words_become_text() -> None:
    value = {"kind": Kind.DECISION, "parts": (Contribution("lexical", 1, 2.5, 0.5),), "none": None}

    assert encoded(value) == {
        "kind": "decision",
        "parts": [{"name": "lexical", "rank": 1, "raw": 2.5, "value": 0.5}],
        "none": None,
    }


def test_both_envelopes_have_their_shape() -> None:
    receipt = Receipt("stats", asked={})

    assert set(envelope(Ok({"a": 1}, receipt))) == {"ok", "result", "receipt"}
    assert envelope(Failed("busy", "it is busy", "wait", receipt))["error"] == {
        "code": "busy",
        "message": "it is busy",
        "hint": "wait",
    }
