"""Entities and relations as sources state them.

A source (a file, a memory, a statement by the user) mentions entities and relates them. Mentions and relations belong
to their source and go with it. Two mentions are of the same entity if scope, type, space and key are equal.
"""

import re
import unicodedata
from enum import StrEnum

from msgspec import Struct

from satchel.domain.canonical import canonical, digest
from satchel.domain.record import Trust

RULES_VERSION = 3
"""Raise it whenever an extraction rule changes: sources read under an older version are read again."""
ID_DIGITS = 20


class EntityType(StrEnum):
    """The type of an entity."""

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
    # Reference types: names that are resolved once all sources are loaded. No answer contains one.
    NAME = "Name"
    """A dotted name as written in code."""
    MENTION = "Mention"
    """A name in backticks; dropped if nothing has that name."""
    TERM = "Term"
    """A noun in a sentence; becomes a concept if nothing else has that name."""


CODE_TYPES = frozenset({EntityType.MODULE, EntityType.CLASS, EntityType.FUNCTION, EntityType.VARIABLE})
REFERENCE_TYPES = frozenset({EntityType.NAME, EntityType.MENTION, EntityType.TERM})
# Names in code and paths are case-sensitive; names of people, tools and concepts are not.
CASE_SENSITIVE_TYPES = CODE_TYPES | {EntityType.NAME, EntityType.DOCUMENT, EntityType.PACKAGE}
ENTITY_TYPES = tuple(one for one in EntityType if one not in REFERENCE_TYPES)
"""The types that an entity in an answer can have."""


class RelationType(StrEnum):
    """The type of a relation between two entities."""

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


STATED = "stated"
"""The rule of what a person or another program's file states directly."""
_OWN_WORD = f"{STATED}: "


def stated_rule(word: str) -> str:
    """Return the rule of a statement. `word` is what its source calls the type, if it is none of ours."""
    return f"{_OWN_WORD}{word}" if word else STATED


def own_word(rule: str) -> str:
    """Return what the source of a statement calls the type; empty if it is one of ours."""
    return rule.removeprefix(_OWN_WORD) if rule.startswith(_OWN_WORD) else ""


class EntityRef(Struct, frozen=True, order=True):
    """An entity as a source names it. The space separates the code of two projects; other entities have none."""

    type: EntityType
    name: str
    space: str = ""


class EntityMention(Struct, frozen=True):
    """A source names an entity: where, found by which rule, and whether the entity is defined there."""

    ref: EntityRef
    rule: str
    line: int = 0
    """Counted from one; zero if unknown."""
    defining: bool = False


class EntityRelation(Struct, frozen=True):
    """A source states a relation between two entities."""

    tail: EntityRef
    relation: RelationType
    head: EntityRef
    rule: str
    line: int = 0


class Extract(Struct, frozen=True):
    """Everything extracted from one source, without duplicates, in order."""

    mentions: tuple[EntityMention, ...] = ()
    relations: tuple[EntityRelation, ...] = ()


class GraphSourceType(StrEnum):
    """Where an extract came from."""

    FILE = "file"
    MEMORY = "memory"
    ADDED = "added"


class GraphSource(Struct, frozen=True):
    """A source as it was when it was read."""

    scope: str
    type: GraphSourceType
    ref: str
    """The path within its root, the id of the memory, or the id of the added relation."""
    root: str = ""
    """The folder that contains the file; the place in an imported file that states an added relation."""
    space: str = ""
    """The project that its code belongs to."""
    trust: Trust = Trust.TRUSTED
    """The trust that its channel grants; a memory's own trust takes precedence."""
    content_hash: str = ""
    rules: int = RULES_VERSION
    at: int = 0

    @property
    def id(self) -> str:
        """The same for the same source, however often it is read."""
        return stable_id("src", self.scope, self.type, self.root, self.ref)


def stable_id(prefix: str, *parts: str) -> str:
    """Return an id derived from its parts: the same on every rebuild."""
    return f"{prefix}_{digest(canonical(list(parts))).partition(':')[2][:ID_DIGITS]}"


_FULL_WIDTH = re.compile("[\uff01-\uff5e\u3000]+")
_SPACES = re.compile(r"\s+")


def fold_name(name: str) -> str:
    """Normalize case, letter width, composition and white space, so that spellings of one name compare equal.

    Look-alike letters of two scripts stay different, and invisible characters are kept.
    """
    # Not str.casefold(): it also merges ligatures with their letters, and ß with ss.
    if name.isascii():
        return _SPACES.sub(" ", name.lower()).strip()
    narrow = _FULL_WIDTH.sub(lambda found: unicodedata.normalize("NFKC", found.group()), name)
    return _SPACES.sub(" ", unicodedata.normalize("NFC", unicodedata.normalize("NFC", narrow).lower())).strip()


def entity_key(ref: EntityRef) -> str:
    """Return the key that identifies an entity within its type and space."""
    if ref.type in CASE_SENSITIVE_TYPES:
        return ref.name if ref.name.isascii() else unicodedata.normalize("NFC", ref.name)
    return fold_name(ref.name)


_INVISIBLE = frozenset({"Cc", "Cf", "Zl", "Zp", "Co", "Cs"})
MAX_DISPLAY_CHARS = 120


def display_name(name: str, width: int = MAX_DISPLAY_CHARS) -> str:
    """Return a name on one line, shortened, with invisible and bidi control characters escaped."""
    clear = "".join(
        f"\\u{ord(letter):04x}" if unicodedata.category(letter) in _INVISIBLE and letter not in "\n\t" else letter
        for letter in name[: 4 * width]
    )
    flat = " ".join(clear.split())
    return flat if len(flat) <= width and len(name) <= 4 * width else flat[: width - 1] + "…"
