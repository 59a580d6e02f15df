"""The predicates that facts can use."""

from msgspec import Struct

from satchel.domain.facts import ObjectType
from satchel.errors import InvalidRequest

SINGLE, MULTI = "single", "multi"
_LITERAL, _ENTITY, _JSON = ObjectType.LITERAL, ObjectType.ENTITY_REF, ObjectType.JSON


class Predicate(Struct, frozen=True):
    """A predicate: whether it takes one value at a time or several, and the types of its object."""

    name: str
    cardinality: str
    object_types: tuple[ObjectType, ...]
    aliases: tuple[str, ...]

    @property
    def is_single(self) -> bool:
        """Whether a subject has one value at a time."""
        return self.cardinality == SINGLE


PREDICATES: tuple[Predicate, ...] = (
    Predicate("status", SINGLE, (_LITERAL,), ("state",)),
    Predicate("configured_as", SINGLE, (_LITERAL, _JSON), ("config", "configuration")),
    Predicate("source_of_truth", SINGLE, (_LITERAL, _ENTITY), ("truth_owner", "canonical_source")),
    Predicate("retired_by", SINGLE, (_ENTITY, _LITERAL), ("deprecated_by",)),
    Predicate("owns", MULTI, (_ENTITY, _LITERAL), ("owner_of",)),
    Predicate("uses", MULTI, (_ENTITY, _LITERAL), ("runs_on", "uses_tool")),
    Predicate("depends_on", MULTI, (_ENTITY, _LITERAL), ("requires", "depends")),
    Predicate("replaces", MULTI, (_ENTITY, _LITERAL), ("supersedes",)),
    Predicate("decision", MULTI, (_LITERAL, _JSON), ("decides",)),
)
_BY_NAME = {name: one for one in PREDICATES for name in (one.name, *one.aliases)}


def find_predicate(name: str) -> Predicate | None:
    """Return the predicate of a name or alias, if there is one."""
    return _BY_NAME.get(name)


def require_predicate(name: str) -> Predicate:
    """Return the predicate of a name or alias, or fail with the list of predicates."""
    if (found := find_predicate(name)) is None:
        raise InvalidRequest(
            f"unknown predicate {name[:80]!r}",
            code="unknown_predicate",
            hint=f"one of: {', '.join(one.name for one in PREDICATES)}",
        )
    return found
