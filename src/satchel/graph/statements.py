"""Relations that the user states directly."""

from collections.abc import Sequence

from satchel.domain.canonical import digest
from satchel.domain.graph import (
    CODE_TYPES,
    ENTITY_TYPES,
    STATED,
    EntityMention,
    EntityRef,
    EntityRelation,
    EntityType,
    Extract,
    GraphSource,
    GraphSourceType,
    RelationType,
    stable_id,
    stated_rule,
)
from satchel.domain.record import Trust
from satchel.domain.text import check_text
from satchel.errors import InvalidRequest

MAX_NAME_CHARS = 20_000
# Code and documents come from files and cannot be stated.
STATABLE = tuple(
    one for one in ENTITY_TYPES if one not in CODE_TYPES and one not in (EntityType.DOCUMENT, EntityType.PACKAGE)
)


def parse_relation(word: str) -> RelationType:
    """Return the relation type for a word such as "depends on" or DEPENDS_ON."""
    try:
        return RelationType(word.strip().upper().replace(" ", "_").replace("-", "_"))
    except ValueError:
        raise InvalidRequest(
            f"unknown relation {word[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(RelationType)}"
        ) from None


def parse_entity_type(word: str | None, among: Sequence[EntityType] = ENTITY_TYPES) -> EntityType | None:
    """Return the entity type for a word, whatever its case."""
    if word is None:
        return None
    found = next((one for one in among if one.casefold() == word.strip().casefold()), None)
    if found is None:
        raise InvalidRequest(f"unknown type {word[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(among)}")
    return found


def stated_entity(name: str, type: str | None, field: str) -> EntityRef:
    """Return one end of a statement: of the given type, or whatever is known by the name."""
    return EntityRef(
        parse_entity_type(type, STATABLE) or EntityType.TERM, check_text(name, field, limit=MAX_NAME_CHARS)
    )


def statement(tail: EntityRef, relation: RelationType, head: EntityRef, *, label: str = "", line: int = 1) -> Extract:
    """Return the extract of a stated relation. `label` is what its source calls the relation, if that is none of ours."""
    if tail == head:
        raise InvalidRequest("an entity cannot relate to itself", code="same_entity", hint="name two entities")
    mentions = tuple(EntityMention(ref, STATED, line, ref.type is not EntityType.TERM) for ref in (tail, head))
    return Extract(mentions, (EntityRelation(tail, relation, head, stated_rule(label), line),))


def stated_source(scope: str, words: Sequence[str], trust: Trust, now: int, place: str = "") -> GraphSource:
    """Return the source of a statement. The same words with the same trust have the same reference."""
    name = stable_id("rel", *words, trust)
    return GraphSource(scope, GraphSourceType.ADDED, name, root=place, trust=trust, content_hash=digest(name), at=now)
