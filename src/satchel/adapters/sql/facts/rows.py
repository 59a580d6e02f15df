"""Facts and their events as rows, and how damaged ones are mended.

An assertion is stored twice, in its event and in the fact derived from it, so one copy restores the other.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from msgspec import convert
from msgspec.json import decode, encode

from satchel.adapters.sql.records import ReadableColumn, RecordFormat
from satchel.domain.facts import (
    Assertion,
    AssertionRef,
    Confidence,
    Fact,
    FactAction,
    FactEvent,
    FactId,
    FactObject,
    FactStatus,
    ObjectType,
    Subject,
    fact_id,
)
from satchel.domain.record import Trust

if TYPE_CHECKING:
    from satchel.adapters.sql.engine import Connection, Row


def parse_assertion(text: str | bytes) -> Assertion:
    """Parse an assertion as it is stored; ValueError if it is damaged."""
    return decode(text, type=Assertion)


def _derived(assertion: Assertion) -> dict[str, Any]:
    """Return the columns of a fact that repeat its assertion, for queries."""
    return {
        "subject": assertion.subject.ref,
        "predicate": assertion.predicate,
        "trust": assertion.trust.value,
        "valid_from": assertion.valid_from,
    }


def _fact(row: Row) -> Fact:
    id, _, assertion, valid_to, stored_status, created_at, supersedes, superseded_by, *derived = row
    parsed = parse_assertion(assertion)
    if parsed.id != id or derived != [*_derived(parsed).values()]:
        raise ValueError(id)
    return Fact(
        parsed,
        valid_to,
        FactStatus(stored_status),
        created_at,
        convert(json.loads(supersedes), tuple[FactId, ...]),
        convert(json.loads(superseded_by), tuple[FactId, ...]),
    )


def _event(row: Row) -> FactEvent:
    id, scope, deed, subject, learned_at, actor, assertion, closes, moment, reason = row
    return FactEvent(
        FactAction(deed),
        FactId(id),
        scope,
        subject,
        learned_at,
        actor,
        None if assertion is None else parse_assertion(assertion),
        convert(json.loads(closes), dict[FactId, int]),
        moment,
        reason,
    )


def has_own_id(assertion: Assertion | None) -> bool:
    """Return whether an assertion is what its id was derived from, or was quarantined because it is not any more."""
    return assertion is None or assertion.trust is Trust.QUARANTINED or fact_id(assertion) == assertion.id


_IDS = ReadableColumn(lambda text: convert(json.loads(text), tuple[FactId, ...]), "[]")
FACTS = RecordFormat(
    "fact",
    {
        name: f"m.{name}"
        for name in (
            "id", "scope", "assertion", "valid_to", "stored_status", "created_at", "supersedes", "superseded_by",
            "subject", "predicate", "trust", "valid_from",
        )
    },
    from_row=_fact,
    is_intact=lambda fact: has_own_id(fact.assertion),
    readable={
        "stored_status": ReadableColumn(FactStatus, FactStatus.STALE.value),
        "supersedes": _IDS,
        "superseded_by": _IDS,
    },
)  # fmt: skip
EVENTS = RecordFormat(
    "fact event",
    {
        "id": "m.fact_id",
        **{
            name: f"m.{name}"
            for name in (
                "scope", "deed", "subject", "learned_at", "actor", "assertion", "closes", "moment", "reason"
            )
        },
    },
    from_row=_event,
    is_intact=lambda event: has_own_id(event.assertion),
    readable={
        "deed": ReadableColumn(FactAction, FactAction.STALE.value),
        "closes": ReadableColumn(lambda text: convert(json.loads(text), dict[FactId, int]), "{}"),
    },
)  # fmt: skip


def restored_fact(db: Connection, values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a damaged fact with its assertion restored from the event, or else quarantined."""
    assertion = _restored(db, values)
    return {**values, "id": assertion.id, "assertion": encode(assertion).decode(), **_derived(assertion)}


def restored_event(db: Connection, values: dict[str, Any]) -> dict[str, Any]:
    """Return the columns of a damaged event with its assertion restored from the fact, or else quarantined."""
    if values["assertion"] is None:
        return values
    assertion = _restored(db, values)
    return {**values, "id": assertion.id, "assertion": encode(assertion).decode()}


def _restored(db: Connection, values: dict[str, Any]) -> Assertion:
    id, copies = values["id"], "SELECT CAST(assertion AS BLOB) FROM {} WHERE {} = ? AND assertion IS NOT NULL"
    found = [
        one
        for table in (("facts", "id"), ("fact_events", "fact_id"))
        for (one,) in db.execute(copies.format(*table), (id,))
    ]
    for text in (values["assertion"], *found):
        try:
            assertion = parse_assertion(text)
        except ValueError:
            continue
        if fact_id(assertion) == assertion.id:
            return assertion
    return _quarantined(id, values["scope"], values["assertion"])


def _quarantined(id: FactId, scope: str, text: str) -> Assertion:
    """Return a fact that no prompt contains, with what is left of an assertion as its value."""
    return Assertion(
        id=id,
        scope=scope,
        subject=Subject("damaged", "damaged"),
        predicate="damaged",
        object=FactObject(ObjectType.LITERAL, text),
        valid_from=0,
        valid_to=None,
        confidence_tier=Confidence.LOW,
        source_refs=(),
        digests=(),
        assertion_ref=AssertionRef("damaged", id),
        asserted_by="doctor",
        trust=Trust.QUARANTINED,
    )
