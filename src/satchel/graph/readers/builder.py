"""Collects the mentions and relations of one source while it is being read."""

import re

from satchel.domain.graph import EntityMention, EntityRef, EntityRelation, EntityType, Extract, RelationType

MAX_PER_SOURCE = 20_000
"""Maximum number of mentions, and of relations, per source."""

_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")


class ExtractBuilder:
    """Builds an extract without duplicates, in the order of reading. The first place of each entry is kept."""

    def __init__(self) -> None:
        self._mentions: dict[tuple[EntityRef, bool], EntityMention] = {}
        self._relations: dict[tuple[EntityRef, RelationType, EntityRef, str], EntityRelation] = {}

    def mention(self, ref: EntityRef, rule: str, line: int = 0, *, defining: bool = False) -> EntityRef:
        """Add a mention of an entity, and return its reference."""
        if is_valid_name(ref.name) and len(self._mentions) < MAX_PER_SOURCE:
            self._mentions.setdefault((ref, defining), EntityMention(ref, rule, line, defining))
        return ref

    def relate(self, tail: EntityRef, relation: RelationType, head: EntityRef, rule: str, line: int = 0) -> None:
        """Add a relation between two entities."""
        is_valid = tail != head and is_valid_name(tail.name) and is_valid_name(head.name)
        if is_valid and len(self._relations) < MAX_PER_SOURCE:
            key = (tail, relation, head, rule)
            self._relations.setdefault(key, EntityRelation(tail, relation, head, rule, line))

    def merge(self, other: Extract) -> None:
        """Add everything that another reader found in the same source."""
        for one in other.mentions:
            self.mention(one.ref, one.rule, one.line, defining=one.defining)
        for relation in other.relations:
            self.relate(relation.tail, relation.relation, relation.head, relation.rule, relation.line)

    def build(self) -> Extract:
        """Return the extract. Both ends of every relation are mentioned too."""
        mentioned = {ref for ref, _ in self._mentions}
        for relation in self._relations.values():
            for ref in (relation.tail, relation.head):
                if ref not in mentioned:
                    mentioned.add(ref)
                    self._mentions[ref, False] = EntityMention(ref, relation.rule, relation.line)
        return Extract(tuple(self._mentions.values()), tuple(self._relations.values()))


def is_valid_name(name: str) -> bool:
    """Return whether a name can be stored: JSON manifests can contain NUL and lone surrogates."""
    return bool(name.strip()) and not _UNWRITABLE.search(name)


def module_ref(space: str, name: str) -> EntityRef:
    """Return a reference to a module or package by its dotted name, whether or not the project defines it."""
    return EntityRef(EntityType.PACKAGE, name, space)
