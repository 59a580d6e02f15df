"""Read the receipt of an operation without sections of its own: its facts, and the records in its lists."""

from collections.abc import Iterator
from typing import Any

from satchel.explaining.receipt_values import MAX_LINES, Body, facts_of, fields, listed
from satchel.explaining.sections import ReceiptReading, asked_lines, facts_in, mention
from satchel.explaining.values import ExplanationSection, RecordMention


def read_any(body: Body) -> ReceiptReading:
    """Return the facts of a receipt, and the records in its lists."""
    decided = fields(body.get("decided"))
    mentions = [one for name, value in decided.items() for one in _mentions(name, value)]
    named_alone = _named_alone(decided)
    return ReceiptReading(
        (
            ExplanationSection("asked", tuple(asked_lines(body))),
            ExplanationSection("searched", tuple(facts_in(body, "considered"))),
            ExplanationSection("decided", tuple(facts_of(decided))),
        ),
        included=(*named_alone, *(one for one, stopped in mentions if not stopped)),
        left_out=tuple(one for one, stopped in mentions if stopped),
    )


def _named_alone(decided: Body) -> tuple[RecordMention, ...]:
    if not isinstance(decided.get("id"), str):
        return ()
    rule = str(decided.get("action") or decided.get("reason_code") or "")
    return (mention(decided["id"], rule),)


def _mentions(name: str, value: Any) -> Iterator[tuple[RecordMention, bool]]:
    """Yield the records of a list, and whether a rule excluded each."""
    for one in listed(value):
        row = fields(one)
        if not isinstance(row.get("id"), str):
            continue
        stop = row.get("rule") or row.get("reason")
        facts = {key: fact for key, fact in row.items() if key not in ("id", "rule", "reason")}
        yield mention(row["id"], str(stop or name), tuple(facts_of(facts))[:MAX_LINES]), bool(stop)
