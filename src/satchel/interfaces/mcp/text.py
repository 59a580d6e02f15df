"""An answer in a few lines, for models that are only shown text.

Memory text stands in quotes on one line of its own: whatever it says, it cannot pass for a line of ours.
"""

import json
from collections.abc import Callable, Iterator
from typing import Any

from satchel.domain.answers import Forgotten, Found, Listed, Recalled, Stored
from satchel.domain.envelope import Failed, Ok
from satchel.domain.evidence import Observed, Searched, Sight, Timeline
from satchel.domain.record import Memory
from satchel.interfaces.encode import encoded

MAX_CHARS = 20_000


def text_of(answer: Ok[Any] | Failed) -> str:
    """Return the short text of an answer."""
    if isinstance(answer, Failed):
        return f"{answer.code}: {answer.message}" + (f" ({answer.hint})" if answer.hint else "")
    lines = [*(f"warning: {warning}" for warning in answer.receipt.warnings), *_lines(answer.result)]
    text = "\n".join(lines)
    return text if len(text) <= MAX_CHARS else f"{text[:MAX_CHARS]}…\n(cut; the structured content is whole)"


def _lines(result: Any) -> Iterator[str]:
    shown = _SHOWN.get(type(result))
    # An operation of a later day has words too, before anybody wrote some for it.
    yield from shown(result) if shown else iter([_quoted(encoded(result))])


def _stored(result: Stored) -> Iterator[str]:
    yield f"{result.action} {result.id} in scope {result.scope}: {result.kind}, {result.label}, {result.trust}"
    if result.replaced:
        yield f"retired {result.replaced}"


def _recalled(result: Recalled) -> Iterator[str]:
    if not result.hits:
        yield f"nothing found in scope {result.scope}"
    for hit in result.hits:
        yield f"{hit.rank}. {_memory(hit.memory)}"


def _found(result: Found) -> Iterator[str]:
    yield _memory(result.memory)
    for event in result.history:
        yield f"#{event.seq} {event.operation} by {event.actor}"


def _listed(result: Listed) -> Iterator[str]:
    yield from map(_memory, result.memories)
    if not result.memories:
        yield "no memories"
    if result.next:
        yield f"more: after={result.next}"


def _forgotten(result: Forgotten) -> Iterator[str]:
    if result.action == "deleted":
        yield f"forgotten {result.id}"
        if result.pending:
            yield f"still to be cleared: {', '.join(result.pending)}"
        return
    for one in result.candidates:
        yield f"{one.id} {_quoted(one.text)}"
    yield "nothing was erased; call again with the id of one of them" if result.candidates else "no candidates"


def _searched(result: Searched) -> Iterator[str]:
    if not result.hits:
        yield f"nothing found in scope {result.scope}"
    for hit in result.hits:
        yield f"{hit.rank}. {hit.id} ({hit.kind}, {hit.label}, {hit.trust}) {_quoted(hit.summary)}"


def _timeline(result: Timeline) -> Iterator[str]:
    yield from map(_sight, result.before)
    yield f"here: {_sight(result.here)}" if result.here else f"here: {result.around}"
    yield from map(_sight, result.after)


def _sight(one: Sight) -> str:
    return f"{one.id} ({one.tool_name or one.kind}, {one.label}, {one.trust}) {_quoted(one.summary)}"


def _observed(result: Observed) -> Iterator[str]:
    one = result.observation
    yield f"{one.id} ({one.kind}, {one.label}, {one.trust}) {_quoted(one.text or one.summary)}"
    if one.detail:
        yield f"detail {_quoted(one.detail)}"
    if one.payload:
        yield f"{one.payload_bytes} bytes were put aside; this is their beginning"


_SHOWN: dict[type, Callable[[Any], Iterator[str]]] = {
    Stored: _stored,
    Recalled: _recalled,
    Found: _found,
    Listed: _listed,
    Forgotten: _forgotten,
    Searched: _searched,
    Timeline: _timeline,
    Observed: _observed,
}


def _memory(memory: Memory) -> str:
    state = "" if memory.state == "active" else f", {memory.state}"
    return f"{memory.id} ({memory.kind}, {memory.label}, {memory.trust}{state}) {_quoted(memory.text)}"


def _quoted(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
