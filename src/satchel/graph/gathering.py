"""What a reader of sources fills: sights and claims, each kept once, in the order in which they were found."""

import re

from satchel.domain.graph import Claim, EntityType, Extract, Ref, Relation, Sighting

MAX_CLAIMS = 20_000
"""No source says more than this; what does is made to be large."""

_UNWRITABLE = re.compile("[\x00\ud800-\udfff]")


class Gathering:
    """Sights and claims of one source, while it is being read."""

    def __init__(self) -> None:
        self._sightings: dict[tuple[Ref, bool], Sighting] = {}
        self._claims: dict[tuple[Ref, Relation, Ref, str], Claim] = {}

    def sight(self, ref: Ref, rule: str, line: int = 0, *, defining: bool = False) -> Ref:
        """Note that an entity is named; the first place counts."""
        if is_name(ref.name) and len(self._sightings) < MAX_CLAIMS:
            self._sightings.setdefault((ref, defining), Sighting(ref, rule, line, defining))
        return ref

    def claim(self, tail: Ref, relation: Relation, head: Ref, rule: str, line: int = 0) -> None:
        """Note that one entity has to do with another; the first place counts."""
        sound = tail != head and is_name(tail.name) and is_name(head.name)
        if sound and len(self._claims) < MAX_CLAIMS:
            self._claims.setdefault((tail, relation, head, rule), Claim(tail, relation, head, rule, line))

    def take(self, other: Extract) -> None:
        """Note everything that another reader found in the same source."""
        for one in other.sightings:
            self.sight(one.ref, one.rule, one.line, defining=one.defining)
        for claim in other.claims:
            self.claim(claim.tail, claim.relation, claim.head, claim.rule, claim.line)

    def extract(self) -> Extract:
        """Return what was gathered. Whatever a claim names is sighted, too: it rests on this source."""
        sighted = {ref for ref, _ in self._sightings}
        for claim in self._claims.values():
            for ref in (claim.tail, claim.head):
                if ref not in sighted:
                    sighted.add(ref)
                    self._sightings[ref, False] = Sighting(ref, claim.rule, claim.line)
        return Extract(tuple(self._sightings.values()), tuple(self._claims.values()))


def is_name(name: str) -> bool:
    """Say whether a name can be written down: manifests can hold what no file can."""
    return bool(name.strip()) and not _UNWRITABLE.search(name)


def module(space: str, name: str) -> Ref:
    """Return the module of a project that has a dotted name, whether or not the project turns out to have it."""
    return Ref(EntityType.PACKAGE, name, space)
