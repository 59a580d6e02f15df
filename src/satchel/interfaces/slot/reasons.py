"""Explanations as text for a model; texts of records are in quotes."""

from collections.abc import Iterator

from satchel.explaining.values import ReceiptExplanation, RecordMention, WhyNot
from satchel.interfaces.slot.text import quoted


def lines_of_why(why: ReceiptExplanation) -> Iterator[str]:
    """Yield the explanation of a receipt."""
    yield f"{why.operation} in scope {why.scope}"
    for section in why.sections:
        yield f"{section.title}: {'; '.join(section.lines)}"
    yield from (_mention("in", one) for one in why.included)
    yield from (_mention("left out", one) for one in why.left_out)
    yield from (f"warning {one.code}: {one.meaning}" for one in why.warnings)


def lines_of_why_not(answer: WhyNot) -> Iterator[str]:
    """Yield the reasons why a record was not in an answer."""
    yield f"{quoted(answer.expect)} {'is returned' if answer.returned else f'is not returned, by the rule {answer.rule}'}"
    for step in answer.steps:
        mark = {True: "yes", False: "no", None: "-"}[step.passed]
        yield f"{step.stage}: {mark}, {step.message}"
    for one in answer.remedies:
        yield f"what would help: {one.change}" + (f" {quoted(one.options)}" if one.options else "")


def _mention(standing: str, one: RecordMention) -> str:
    reasons = f" ({'; '.join(one.reasons)})" if one.reasons else ""
    words = f" {quoted(one.words)}" if one.words else ""
    return f"{standing}: {one.id or 'a record'}{words} by {one.rule}: {one.meaning}{reasons}"
