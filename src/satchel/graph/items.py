"""Store entities and relations that were read from another program's file."""

from collections.abc import Mapping, Sequence

from satchel.core.service import Service
from satchel.domain.graph import (
    EntityMention,
    EntityRef,
    EntityType,
    Extract,
    GraphSourceType,
    RelationType,
)
from satchel.domain.imports import EntityItem, ImportTerms, RelationItem, Taken
from satchel.domain.inspection import is_inspected, orders_in
from satchel.domain.record import SourceKind, Trust
from satchel.domain.trust import CEILING
from satchel.errors import InvalidRequest
from satchel.graph.statements import RULE, STATABLE, parse_relation, stated_entity, stated_source, statement
from satchel.ports.graph import SourceExtract

# What other programs call an entity, where it is not one of our words.
TYPES: Mapping[str, EntityType] = {
    "human": EntityType.PERSON,
    "user": EntityType.PERSON,
    "repository": EntityType.REPO,
    "service": EntityType.TOOL,
    "library": EntityType.TOOL,
    "software": EntityType.TOOL,
    "technology": EntityType.TOOL,
}


class StatementWriter(Service):
    """Stores stated entities and relations, each as a source of its own, as `graph add` does."""

    def take(self, items: Sequence[EntityItem | RelationItem], terms: ImportTerms) -> Taken:
        """Store a batch."""
        within = self._reach(terms.scope)
        refused, extracts = dict[int, str](), dict[str, SourceExtract]()
        for place, item in enumerate(items):
            try:
                made = self._extract(item, within.scopes[0], terms)
            except InvalidRequest as error:
                refused[place] = error.code
                continue
            extracts.setdefault(made.source.id, made)
        known = {one.id for one in self._ledger.graph.sources(within, GraphSourceType.ADDED)}
        new = [one for id, one in extracts.items() if id not in known]
        if new and not terms.dry_run:
            terms.before_write()
            run = self._run("import batch", {"source": terms.source, "scope": within.name})
            self._ledger.graph.replace(new, [], run.receipt(statements=len(new)))
        return Taken(
            new=len(new),
            known=len(items) - len(new) - len(refused),
            quarantined=sum(one.source.trust is Trust.QUARANTINED for one in new),
            refused=tuple(sorted(refused.items())),
            scopes={within.scopes[0]: len(new)} if new else {},
        )

    def _extract(self, item: EntityItem | RelationItem, scope: str, terms: ImportTerms) -> SourceExtract:
        if isinstance(item, EntityItem):
            ref = _entity(item.name, item.type)
            extract = Extract((EntityMention(ref, RULE, 1, True),))
            words: tuple[str, ...] = (ref.type, ref.name)
        else:
            tail, head = _entity(item.tail, item.tail_type), _entity(item.head, item.head_type)
            relation = _relation(item.relation)
            extract = statement(tail, relation, head)
            words = (tail.type, tail.name, relation, head.type, head.name)
        channel = SourceKind.OPERATOR if terms.trusted else SourceKind.IMPORT
        is_order = is_inspected(channel) and orders_in([one.ref.name for one in extract.mentions])
        trust = Trust.QUARANTINED if is_order else CEILING[channel]
        return SourceExtract(stated_source(scope, words, trust, self._clock.now()), extract)


def _entity(name: str, type: str | None) -> EntityRef:
    """Return an entity as a file names it: of one of our types, or whatever is known by the name."""
    word = (type or "").strip().casefold()
    meant = TYPES.get(word) or next((one for one in STATABLE if one.casefold() == word), None)
    return stated_entity(name, meant, "the name")


def _relation(words: str) -> RelationType:
    try:
        return parse_relation(words)
    except InvalidRequest:
        return RelationType.RELATES_TO
