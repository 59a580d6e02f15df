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
    stated_rule,
)
from satchel.domain.imports import EntityItem, ImportTerms, RelationItem, Taken
from satchel.domain.inspection import is_inspected, orders_in
from satchel.domain.record import SourceKind, Trust
from satchel.domain.text import check_text
from satchel.domain.trust import CEILING
from satchel.errors import InvalidRequest
from satchel.graph.statements import (
    STATABLE,
    parse_relation,
    stated_entity,
    stated_source,
    statement,
)
from satchel.ports.graph import SourceExtract

MAX_LABEL_CHARS = 200
MAX_PLACE_CHARS = 1_000
# A place names the line itself.
_NO_LINE = 0
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
            extracts.setdefault(made.source.ref, made)
        known = {one.ref for one in self._ledger.graph.sources(within, GraphSourceType.ADDED)}
        new = [one for ref, one in extracts.items() if ref not in known]
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
            ref, label = _entity(item.name, item.type), _label(item.type)
            label = "" if label.casefold() == ref.type.casefold() else label
            extract = Extract((EntityMention(ref, stated_rule(label), _NO_LINE, True),))
            words: tuple[str, ...] = (ref.type, ref.name)
        else:
            tail, head = _entity(item.tail, item.tail_type), _entity(item.head, item.head_type)
            relation, label = _relation(item.relation)
            extract = statement(tail, relation, head, label=label, line=_NO_LINE)
            words = (tail.type, tail.name, relation, head.type, head.name)
        words += (label,) if label else ()
        channel = SourceKind.OPERATOR if terms.trusted else SourceKind.IMPORT
        is_order = is_inspected(channel) and orders_in([*(one.ref.name for one in extract.mentions), label])
        trust = Trust.QUARANTINED if is_order else CEILING[channel]
        return SourceExtract(stated_source(scope, words, trust, self._clock.now(), _place(item.place, terms)), extract)


def _entity(name: str, type: str | None) -> EntityRef:
    """Return an entity as a file names it: of one of our types, or whatever is known by the name."""
    word = (type or "").strip().casefold()
    meant = TYPES.get(word) or next((one for one in STATABLE if one.casefold() == word), None)
    return stated_entity(name, meant, "the name")


def _relation(words: str) -> tuple[RelationType, str]:
    """Return the type of a relation, and what the file calls it if that is none of our types."""
    try:
        return parse_relation(words), ""
    except InvalidRequest:
        return RelationType.RELATES_TO, _label(words)


def _label(words: str) -> str:
    return check_text(words[:MAX_LABEL_CHARS], "the type") if words.strip() else ""


def _place(place: str, terms: ImportTerms) -> str:
    """Return where a statement is: the imported file or folder, and the place in it."""
    named = place if place.startswith(terms.name) else f"{terms.name}/{place}"
    return named[:MAX_PLACE_CHARS]
