"""Questions about entities: whom they name, and what they want to know of them."""

import re

from msgspec import Struct

from satchel.domain.graph import EntityType, Relation
from satchel.graph.intents import AROUND, INTENTS, TYPES_ASKED, Intent, Want
from satchel.graph.lookup import Lookup
from satchel.graph.named import QUOTED, named

MAX_QUESTION = 2_000

# What asks for nothing in particular is answered by whatever is around.
_ABOUT = re.compile(
    r"^\W*(?:(?:what|who)(?: is| are|'s)|tell me|describe|explain|show(?: me)?|about|everything about|what do you know)\b"
    r"|(?:是什么|是什麼|介绍|介紹|关于|關於)",
    re.IGNORECASE,
)
MOST_BARE_WORDS = 4
_DIRECTED = re.compile(r"\b(?:call chain|trace|chain)\b.*\b(?:from|to)\b|调用链|調用鏈", re.IGNORECASE)
_OF_CODE = {Relation.IMPORTS, Relation.CALLS, Relation.INHERITS, Relation.CONTAINS}


class Question(Struct, frozen=True):
    """A question as it is understood."""

    intent: Intent
    named: tuple[tuple[int, ...], ...]
    """For each name in the question, the entities that it may mean, in the order of the question."""
    types: tuple[EntityType, ...] = ()
    directed: bool = False
    missed: bool = False
    """Whether it speaks of two things of which only one is known."""
    vague: bool = False
    """Whether it wants to know something that no intent is for."""


def understood(text: str, lookup: Lookup) -> Question:
    """Return what a question wants to know, and of whom."""
    asked = text[:MAX_QUESTION]
    bare = QUOTED.sub(" it ", asked)
    intent = next((one for one in INTENTS if one.pattern.search(bare)), AROUND)
    entities = named(asked, lookup, code=bool(intent.relations) and set(intent.relations) <= _OF_CODE)
    missed = intent.want is Want.PATH and len(entities) < 2
    if len(entities) >= 2 and intent is AROUND:
        intent = next(one for one in INTENTS if one.want is Want.PATH)
    types = next((types for pattern, types in TYPES_ASKED if pattern.search(bare)), ())
    vague = intent is AROUND and not _ABOUT.search(bare) and len(bare.split()) > MOST_BARE_WORDS
    return Question(intent, tuple(entities), types, bool(_DIRECTED.search(bare)), missed, vague)
