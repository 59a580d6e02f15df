"""Statements: relations that somebody states outright, instead of leaving them to be read out of a text."""

from collections.abc import Sequence

from satchel.domain.graph import CODE, TYPES, Claim, EntityType, Extract, Ref, Relation, Sighting
from satchel.domain.text import checked
from satchel.errors import InvalidRequest

MAX_NAME_CHARS = 20_000
RULE = "stated"
# Code and documents are what they are because of where they were found: nobody states them.
STATABLE = tuple(one for one in TYPES if one not in CODE and one not in (EntityType.DOCUMENT, EntityType.PACKAGE))


def relation(word: str) -> Relation:
    """Return the relation of a word, however it is written."""
    try:
        return Relation(word.strip().upper().replace(" ", "_").replace("-", "_"))
    except ValueError:
        raise InvalidRequest(
            f"unknown relation {word[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(Relation)}"
        ) from None


def entity_type(word: str | None, among: Sequence[EntityType] = TYPES) -> EntityType | None:
    """Return the type of a word, however it is written."""
    if word is None:
        return None
    found = next((one for one in among if one.casefold() == word.strip().casefold()), None)
    if found is None:
        raise InvalidRequest(f"unknown type {word[:40]!r}", code="unknown_word", hint=f"one of: {', '.join(among)}")
    return found


def end(name: str, type: str | None, field: str) -> Ref:
    """Return one end of a statement: of a type, or whatever is known by the name."""
    return Ref(entity_type(type, STATABLE) or EntityType.TERM, checked(name, field, limit=MAX_NAME_CHARS))


def statement(tail: Ref, joins: Relation, head: Ref) -> Extract:
    """Return a statement as a source says it."""
    if tail == head:
        raise InvalidRequest("an entity has no relation with itself", code="same_entity", hint="name two")
    sights = tuple(Sighting(ref, RULE, 1, ref.type is not EntityType.TERM) for ref in (tail, head))
    return Extract(sights, (Claim(tail, joins, head, RULE, 1),))
