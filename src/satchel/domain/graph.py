"""Entities and relations: what a source says there is, and how it says that things are connected.

A source (a file, a memory, something a person added) *sights* entities and *claims* relations between them. Both rest
on that source alone: without it they are gone. Two sights are of one entity when scope, type, space and key are equal.
"""

import re
import unicodedata
from enum import StrEnum

from msgspec import Struct

from satchel.domain.canonical import canonical, digest
from satchel.domain.record import Trust

RULES_VERSION = 2
"""Changes whenever a rule of extraction does, so that what an older one found is looked at again."""
ID_DIGITS = 20


class EntityType(StrEnum):
    """What sort of thing an entity is."""

    PROJECT = "Project"
    REPO = "Repo"
    DECISION = "Decision"
    CONCEPT = "Concept"
    TOOL = "Tool"
    PERSON = "Person"
    DOCUMENT = "Document"
    PACKAGE = "Package"
    MODULE = "Module"
    CLASS = "Class"
    FUNCTION = "Function"
    VARIABLE = "Variable"
    # References: names whose owner shows only when everything is seen together. No answer holds one.
    NAME = "Name"
    """A dotted name as code writes it."""
    MENTION = "Mention"
    """A name that a text sets apart as code; nothing, if nobody has it."""
    TERM = "Term"
    """A noun of a sentence; a concept, if nobody else has its name."""


CODE = frozenset({EntityType.MODULE, EntityType.CLASS, EntityType.FUNCTION, EntityType.VARIABLE})
REFERENCES = frozenset({EntityType.NAME, EntityType.MENTION, EntityType.TERM})
# Names in code and paths differ by case; names of people, tools and ideas do not.
EXACT = CODE | {EntityType.NAME, EntityType.DOCUMENT, EntityType.PACKAGE}
TYPES = tuple(one for one in EntityType if one not in REFERENCES)
"""The types that an entity can have."""


class Relation(StrEnum):
    """What one entity has to do with another."""

    USES = "USES"
    BLOCKED_BY = "BLOCKED_BY"
    RELATES_TO = "RELATES_TO"
    EVALUATES = "EVALUATES"
    DECIDES = "DECIDES"
    MENTIONS = "MENTIONS"
    DEPENDS_ON = "DEPENDS_ON"
    IMPORTS = "IMPORTS"
    CALLS = "CALLS"
    INHERITS = "INHERITS"
    CONTAINS = "CONTAINS"
    REPLACES = "REPLACES"
    OWNS = "OWNS"
    ALIAS_OF = "ALIAS_OF"


class Ref(Struct, frozen=True, order=True):
    """An entity as a source names it. The space keeps the code of two projects apart; other things have none."""

    type: EntityType
    name: str
    space: str = ""


class Sighting(Struct, frozen=True):
    """A source names an entity: where, by which rule, and whether this is where the entity is defined."""

    ref: Ref
    rule: str
    line: int = 0
    """Counted from one; none is zero."""
    defining: bool = False


class Claim(Struct, frozen=True):
    """A source says that one entity has to do with another."""

    tail: Ref
    relation: Relation
    head: Ref
    rule: str
    line: int = 0


class Extract(Struct, frozen=True):
    """All that a source says, each thing once, in order."""

    sightings: tuple[Sighting, ...] = ()
    claims: tuple[Claim, ...] = ()


class SourceType(StrEnum):
    """What an extract was made of."""

    FILE = "file"
    MEMORY = "memory"
    ADDED = "added"


class Source(Struct, frozen=True):
    """What an extract was made of, with where it is and what it held at the time."""

    scope: str
    type: SourceType
    ref: str
    """The path within its root, the id of the memory, or the name of what was added."""
    root: str = ""
    """The folder that a file was found in."""
    space: str = ""
    """The project that its code belongs to."""
    trust: Trust = Trust.TRUSTED
    """What the channel gives; a memory's own trust counts for itself."""
    content_hash: str = ""
    rules: int = RULES_VERSION
    at: int = 0

    @property
    def id(self) -> str:
        """The source's name: the same for the same thing, however often it is read."""
        return named_id("src", self.scope, self.type, self.root, self.ref)


def named_id(prefix: str, *parts: str) -> str:
    """Return an id made of what something is: the same on every rebuild, and different where any part differs."""
    return f"{prefix}_{digest(canonical(list(parts))).partition(':')[2][:ID_DIGITS]}"


_WIDE = re.compile("[\uff01-\uff5e\u3000]+")
_SPACES = re.compile(r"\s+")


def folded(name: str) -> str:
    """Return what spellings of one name have in common: case, width of letters, composition, white space.

    Nothing else is folded: letters of two scripts that look alike stay two letters, and a mark nobody sees stays one.
    """
    # Not by case folding, which also makes one of what was two: a ligature and its letters, ß and ss.
    if name.isascii():
        return _SPACES.sub(" ", name.lower()).strip()
    narrow = _WIDE.sub(lambda found: unicodedata.normalize("NFKC", found.group()), name)
    return _SPACES.sub(" ", unicodedata.normalize("NFC", unicodedata.normalize("NFC", narrow).lower())).strip()


def key_of(ref: Ref) -> str:
    """Return what tells an entity of a type and space from any other."""
    if ref.type in EXACT:
        return ref.name if ref.name.isascii() else unicodedata.normalize("NFC", ref.name)
    return folded(ref.name)


_UNSEEN = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cs"})
MAX_SHOWN = 120


def shown(name: str, width: int = MAX_SHOWN) -> str:
    """Return a name as it may stand in a line: what cannot be seen or would turn the line around is spelled out."""
    clear = "".join(
        f"\\u{ord(letter):04x}" if unicodedata.category(letter) in _UNSEEN and letter not in "\n\t" else letter
        for letter in name[: 4 * width]
    )
    flat = " ".join(clear.split())
    return flat if len(flat) <= width and len(name) <= 4 * width else flat[: width - 1] + "…"
