"""Asserting: whether a statement can be a fact, how sure it can be, and what it is called."""

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct

from satchel.domain.canonical import Json, canonical, digest
from satchel.domain.facts import (
    SCHEMA,
    Assertion,
    AssertionRef,
    Confidence,
    FactId,
    FactObject,
    ObjectType,
    Source,
    SourceRef,
    SourceType,
    Subject,
)
from satchel.domain.text import checked, readable
from satchel.domain.trust import lowest
from satchel.errors import InvalidRequest, Refused
from satchel.facts.registry import Predicate, predicate_named

MAX_SOURCES = 20
MAX_VALUE_CHARS = 4_000
MAX_DEPTH = 32
_RISING = tuple(Confidence)
_DIGEST = "sha256:"
# How the ids of sources begin that are neither memories nor observations.
_FORMS = {
    _DIGEST: SourceType.RECEIPT,
    "msg:": SourceType.EPISODIC,
    "ep-": SourceType.EPISODIC,
    "doc-": SourceType.DOC,
}


class Statement(Struct, frozen=True):
    """What somebody wants to assert, before its sources were looked at."""

    subject: Subject
    predicate: Predicate
    object: FactObject
    valid_from: int
    valid_to: int | None
    sources: tuple[SourceRef, ...]
    confidence: Confidence | None


def stated(
    subject: str,
    label: str | None,
    predicate: str,
    value: str,
    object_type: str | None,
    sources: Sequence[str],
    interval: tuple[int, int | None],
    confidence: str | None,
) -> Statement:
    """Return a statement whose every part is in order, or say which is not."""
    named = predicate_named(predicate)
    valid_from, valid_to = interval
    if valid_to is not None and valid_from > valid_to:
        raise InvalidRequest("the fact ends before it begins", code="interval_invalid", hint="swap --from and --to")
    refs = tuple(sorted({source_named(one) for one in sources}))
    if not refs:
        raise InvalidRequest("a fact needs a source", code="missing_source_refs", hint="name one with --source")
    if len(refs) > MAX_SOURCES:
        raise InvalidRequest(f"{len(refs)} sources, {MAX_SOURCES} are allowed", code="out_of_range")
    return Statement(
        Subject(checked(subject, "subject"), checked(label, "label") if label is not None else subject),
        named,
        _object(named, value, object_type),
        valid_from,
        valid_to,
        refs,
        None if confidence is None else _confidence(confidence),
    )


def _object(predicate: Predicate, value: str, object_type: str | None) -> FactObject:
    chosen = _object_type(predicate, object_type)
    text = checked(value, "object", limit=MAX_VALUE_CHARS)
    if chosen is not ObjectType.JSON:
        return FactObject(chosen, text)
    try:
        # Written and read once more: what JSON in Python lets through and JSON elsewhere does not ends here.
        parsed = json.loads(canonical(json.loads(text)))
    except (ValueError, RecursionError):
        raise InvalidRequest("the object is not JSON", code="invalid_json", hint="or use --type literal") from None
    if _depth(parsed) > MAX_DEPTH:
        raise InvalidRequest(f"the object is nested deeper than {MAX_DEPTH}", code="invalid_json")
    return FactObject(chosen, parsed)


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0)


def _object_type(predicate: Predicate, named: str | None) -> ObjectType:
    if named is None:
        return ObjectType.LITERAL
    if named not in predicate.object_types:
        allowed = ", ".join(predicate.object_types)
        raise InvalidRequest(
            f"{predicate.name} cannot have an object of type {named[:40]!r}", code="object_type", hint=allowed
        )
    return ObjectType(named)


def _confidence(named: str) -> Confidence:
    try:
        return Confidence(named)
    except ValueError:
        raise InvalidRequest(
            f"unknown confidence {named[:40]!r}", code="unknown_word", hint=", ".join(Confidence)
        ) from None


def source_named(text: str) -> SourceRef:
    """Read KIND:REF#LOCATOR; kind and locator may be left out: the form of an id tells what it is of, or it is a memory's."""
    said = checked(readable(text), "source")
    kind, colon, rest = said.partition(":")
    if colon and kind in tuple(SourceType):
        ref, _, locator = rest.partition("#")
        return SourceRef(SourceType(kind), checked(ref, "source"), locator)
    ref, _, locator = said.partition("#")
    named = next((kind for form, kind in _FORMS.items() if ref.startswith(form)), SourceType.MEMORY)
    return SourceRef(named, ref, locator)


def cap(sources: Sequence[tuple[SourceRef, Source]]) -> Confidence:
    """Return how sure a fact can be: two records of the same content are one source."""
    if any(ref.kind is SourceType.RECEIPT for ref, _ in sources):
        return Confidence.OPERATOR_ASSERTED
    contents = {source.digest for _, source in sources}
    if len(contents) >= 2:
        return Confidence.CORROBORATED
    return Confidence.SOURCE_CAPPED if contents else Confidence.LOW


def exceeds(one: Confidence, other: Confidence) -> bool:
    """Say whether one confidence is above another."""
    return _RISING.index(one) > _RISING.index(other)


def assertion(
    statement: Statement, scope: str, resolved: Sequence[Source | None], ref: AssertionRef, asserted_by: str
) -> Assertion:
    """Return the assertion that a statement makes with its sources, or refuse it."""
    found = [(one, source) for one, source in zip(statement.sources, resolved, strict=True) if source is not None]
    if len(found) < len(resolved):
        missing = next(one.ref for one, source in zip(statement.sources, resolved, strict=True) if source is None)
        raise Refused(
            f"there is no source {missing[:80]!r} in scope {scope!r}",
            code="dangling_source_ref",
            hint="a fact rests on memories, observations, messages, episodes, documents or receipts of its own scope, by their ids",
        )
    ceiling = cap(found)
    if statement.confidence is not None and exceeds(statement.confidence, ceiling):
        raise Refused(
            f"the sources allow {ceiling}, not {statement.confidence}",
            code="confidence_exceeds_source_cap",
            hint="name another source, or leave --confidence out",
        )
    return Assertion(
        id=fact_id(scope, statement, ref),
        scope=scope,
        subject=statement.subject,
        predicate=statement.predicate.name,
        object=statement.object,
        valid_from=statement.valid_from,
        valid_to=statement.valid_to,
        confidence_tier=statement.confidence or ceiling,
        source_refs=statement.sources,
        digests=tuple(source.digest for _, source in found),
        assertion_ref=ref,
        asserted_by=asserted_by,
        trust=lowest(source.trust for _, source in found),
    )


def fact_id(scope: str, what: Statement | Assertion, ref: AssertionRef) -> FactId:
    """Return the name of a fact: made of what is asserted, so that no scope can take another's."""
    predicate, sources = (
        (what.predicate, what.source_refs) if isinstance(what, Assertion) else (what.predicate.name, what.sources)
    )
    body: Json = {
        "schema": SCHEMA,
        "scope": scope,
        "subject": {"ref": what.subject.ref, "label": what.subject.label},
        "predicate": predicate,
        "object": {"type": what.object.type, "value": what.object.value},
        "interval": [what.valid_from, what.valid_to],
        "sources": [[one.kind, one.ref, one.locator] for one in sorted(sources)],
        "assertion": [ref.kind, ref.ref],
    }
    return FactId("fact_" + digest(canonical(body)).removeprefix(_DIGEST)[:20])
