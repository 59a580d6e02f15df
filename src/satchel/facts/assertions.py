"""Validates assertions, caps their confidence by their sources, and derives their ids."""

import json
from collections.abc import Sequence
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from satchel.domain.canonical import canonical
from satchel.domain.facts import (
    Assertion,
    AssertionRef,
    Confidence,
    FactId,
    FactObject,
    FactSource,
    FactSourceType,
    ObjectType,
    SourceRef,
    Subject,
    fact_id,
)
from satchel.domain.text import check_text, replace_undecodable
from satchel.domain.trust import lowest_trust
from satchel.errors import InvalidRequest, Refused
from satchel.facts.predicates import Predicate, require_predicate

MAX_SOURCES = 20
MAX_VALUE_CHARS = 4_000
MAX_DEPTH = 32
_ASCENDING = tuple(Confidence)
_DIGEST = "sha256:"
# Prefixes of source ids other than those of memories and observations.
_ID_PREFIXES = {
    _DIGEST: FactSourceType.RECEIPT,
    "msg:": FactSourceType.EPISODIC,
    "ep-": FactSourceType.EPISODIC,
    "doc-": FactSourceType.DOC,
}


class FactDraft(Struct, frozen=True):
    """A validated assertion whose sources were not looked up yet."""

    subject: Subject
    predicate: Predicate
    object: FactObject
    valid_from: int
    valid_to: int | None
    sources: tuple[SourceRef, ...]
    confidence: Confidence | None


def draft_fact(
    subject: str,
    label: str | None,
    predicate: str,
    value: str,
    object_type: str | None,
    sources: Sequence[str],
    interval: tuple[int, int | None],
    confidence: str | None,
) -> FactDraft:
    """Validate the parts of an assertion."""
    known = require_predicate(predicate)
    valid_from, valid_to = interval
    if valid_to is not None and valid_from > valid_to:
        raise InvalidRequest("the fact ends before it starts", code="interval_invalid", hint="swap --from and --to")
    refs = tuple(sorted({parse_source_ref(one) for one in sources}))
    if not refs:
        raise InvalidRequest(
            "a fact needs a source",
            code="missing_source_refs",
            hint="name one with --source: the id of a memory, a message, a document",
        )
    if len(refs) > MAX_SOURCES:
        raise InvalidRequest(f"{len(refs)} sources, the maximum is {MAX_SOURCES}", code="out_of_range")
    return FactDraft(
        Subject(check_text(subject, "subject"), check_text(label, "label") if label is not None else subject),
        known,
        _parse_object(known, value, object_type),
        valid_from,
        valid_to,
        refs,
        None if confidence is None else _parse_confidence(confidence),
    )


def _parse_object(predicate: Predicate, value: str, object_type: str | None) -> FactObject:
    type = _parse_object_type(predicate, object_type)
    text = check_text(value, "object", limit=MAX_VALUE_CHARS)
    if type is not ObjectType.JSON:
        return FactObject(type, text)
    try:
        # The round trip rejects what Python accepts beyond JSON, such as NaN.
        parsed = json.loads(canonical(json.loads(text)))
    except (ValueError, RecursionError):
        raise InvalidRequest("the object is not JSON", code="invalid_json", hint="or use --type literal") from None
    if _depth(parsed) > MAX_DEPTH:
        raise InvalidRequest(f"the object is nested deeper than {MAX_DEPTH} levels", code="invalid_json")
    return FactObject(type, parsed)


def _depth(value: Any) -> int:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return 1 + max(map(_depth, inner), default=0)


def _parse_object_type(predicate: Predicate, name: str | None) -> ObjectType:
    if name is None:
        return ObjectType.LITERAL
    if name not in predicate.object_types:
        raise InvalidRequest(
            f"{predicate.name} does not take an object of type {name[:40]!r}",
            code="object_type",
            hint=", ".join(predicate.object_types),
        )
    return ObjectType(name)


def _parse_confidence(name: str) -> Confidence:
    try:
        return Confidence(name)
    except ValueError:
        raise InvalidRequest(
            f"unknown confidence {name[:40]!r}", code="unknown_word", hint=", ".join(Confidence)
        ) from None


def parse_source_ref(text: str) -> SourceRef:
    """Parse KIND:REF#LOCATOR. Without a kind, the prefix of the id tells it, and memory is the default."""
    source = check_text(replace_undecodable(text), "source")
    kind, colon, rest = source.partition(":")
    if colon and kind in tuple(FactSourceType):
        ref, _, locator = rest.partition("#")
        return SourceRef(FactSourceType(kind), check_text(ref, "source"), locator)
    ref, _, locator = source.partition("#")
    by_prefix = (type for prefix, type in _ID_PREFIXES.items() if ref.startswith(prefix))
    return SourceRef(next(by_prefix, FactSourceType.MEMORY), ref, locator)


def confidence_cap(sources: Sequence[tuple[SourceRef, FactSource]]) -> Confidence:
    """Return the highest confidence that sources allow. Records of the same content count as one."""
    if any(ref.kind is FactSourceType.RECEIPT for ref, _ in sources):
        return Confidence.OPERATOR_ASSERTED
    contents = {source.digest for _, source in sources}
    if len(contents) >= 2:
        return Confidence.CORROBORATED
    return Confidence.SOURCE_CAPPED if contents else Confidence.LOW


def exceeds(one: Confidence, other: Confidence) -> bool:
    """Return whether one confidence is higher than another."""
    return _ASCENDING.index(one) > _ASCENDING.index(other)


def make_assertion(
    draft: FactDraft,
    scope: str,
    seed: str,
    resolved: Sequence[FactSource | None],
    ref: AssertionRef,
    asserted_by: str,
) -> Assertion:
    """Return the assertion of a draft with its sources, or refuse it."""
    found = [(one, source) for one, source in zip(draft.sources, resolved, strict=True) if source is not None]
    if len(found) < len(resolved):
        missing = next(one.ref for one, source in zip(draft.sources, resolved, strict=True) if source is None)
        raise Refused(
            f"no source {missing[:80]!r} in scope {scope!r}",
            code="dangling_source_ref",
            hint="use the id of a memory, observation, message, episode, document or receipt in the fact's scope",
        )
    cap = confidence_cap(found)
    if draft.confidence is not None and exceeds(draft.confidence, cap):
        raise Refused(
            f"the sources allow {cap}, not {draft.confidence}",
            code="confidence_exceeds_source_cap",
            hint="add a source, or leave out --confidence",
        )
    assertion = Assertion(
        id=FactId(""),
        scope=scope,
        subject=draft.subject,
        predicate=draft.predicate.name,
        object=draft.object,
        valid_from=draft.valid_from,
        valid_to=draft.valid_to,
        confidence_tier=draft.confidence or cap,
        source_refs=draft.sources,
        digests=tuple(source.digest for _, source in found),
        assertion_ref=ref,
        asserted_by=asserted_by,
        trust=lowest_trust(source.trust for _, source in found),
        seed="" if seed == scope else seed,
    )
    return replace(assertion, id=fact_id(assertion))
