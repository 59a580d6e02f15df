"""Detect lasting statements in sentences: preferences, decisions, to-dos."""

import re
import unicodedata
from collections.abc import Collection
from functools import cache

from msgspec import Struct

from satchel.domain.record import Kind
from satchel.domain.statements import changes, patterns, sentence_types

_QUOTED = re.compile(
    r"\"[^\"]{1,400}\"|“[^”]{1,400}”|「[^」]{1,400}」|『[^』]{1,400}』|《[^》]{1,80}》|„[^“”]{1,400}[“”]|«[^»]{1,400}»|»[^«]{1,400}«|‹[^›]{1,400}›|`[^`]{1,400}`|(?<!\w)'[^']{8,200}'(?!\w)"
)
# A quotation of several sentences: this one opens it, and another closes it.
_LEFT_OPEN = re.compile(r"(?:(?<!\S)\"|[“„«‹「『])(?=\s?\w)[^\"”“»›」』]*$")
_BLANK = "□"
# Typed without an apostrophe: dont, cant, im
_NO_APOSTROPHE = re.compile(r"\b(do|does|did|ca|wo|is|are|was|were|should|must|could|would|have|has)nt\b|\bi(m|ve)\b")
REPLACING = "replace my rule"
CHANGING = "a change"


class LastingStatement(Struct, frozen=True):
    """What a sentence states."""

    kind: Kind
    cue: str
    """The name of the pattern that matched."""
    lasting: bool
    """Whether it says explicitly that it lasts."""
    replaces: bool = False
    """Whether it replaces an earlier rule."""
    about: str | None = None
    """The topic of that earlier rule, if given."""
    requirement: bool = False
    """Whether it may be a requirement of the piece of work that the same message asks for."""


def fold(sentence: str) -> str:
    """Normalize a sentence for pattern search: lower case, NFKC, quotations blanked out."""
    unquoted = _LEFT_OPEN.sub(_BLANK, _QUOTED.sub(_BLANK, sentence))
    folded = unicodedata.normalize("NFKC", unquoted).lower()
    plain = " ".join(folded.replace("’", "'").replace("‘", "'").split())
    return _NO_APOSTROPHE.sub(lambda found: f"{found[1]}n't" if found[1] else f"i'{found[2]}", plain)


def detect(sentence: str, kinds: Collection[Kind]) -> LastingStatement | None:
    """Return the lasting statement in a sentence; None for questions, jokes, hearsay, or this turn only."""
    folded = fold(sentence)
    if Kind.DECISION in kinds and (topic := changes.reopened_topic(folded)) and _is_meant(folded, 0, lasting=True):
        return LastingStatement(Kind.DECISION, REPLACING, True, True, topic)
    replacing = search(patterns.REPLACES, folded)
    for one in patterns.PATTERNS:
        if one.words and not any(word in folded for word in one.words):
            continue
        if (match := search(one.pattern, folded)) and not (one.unless and search(one.unless, folded)):
            if one.kind not in kinds or not _is_meant(folded, match.start(), one.lasting or replacing is not None):
                return None
            return LastingStatement(
                one.kind, one.name, one.lasting, replacing is not None, _topic(folded), one.requirement
            )
    if replacing and Kind.PREFERENCE in kinds and _is_meant(folded, replacing.start(), lasting=True):
        return LastingStatement(Kind.PREFERENCE, REPLACING, True, True, _topic(folded))
    changing = search(changes.OWN_CHANGE, folded) if Kind.DECISION in kinds else None
    # How it is "now", after a change of mind, is how it stays.
    if changing and _is_meant(folded, changing.start(), lasting=changing["mind"] is not None):
        return LastingStatement(Kind.DECISION, CHANGING, lasting=False)
    return None


def new_rule(sentence: str) -> str | None:
    """Return the new rule in a sentence that replaces an old one, if it is there."""
    normalized = unicodedata.normalize("NFKC", sentence)
    replacing = search(patterns.REPLACES, normalized.lower())
    match = re.compile(patterns.NEW_RULE, re.IGNORECASE).search(normalized, replacing.end()) if replacing else None
    return match["rule"] if match else None


def is_retraction(sentence: str) -> bool:
    """Return whether a sentence retracts the one before it."""
    return search(sentence_types.RETRACTION, fold(sentence)) is not None


def after_retraction(sentence: str) -> str:
    """Return what a sentence says after it has retracted the one before it."""
    plain = sentence.replace("’", "'")
    retraction = re.compile(sentence_types.RETRACTION, re.IGNORECASE).search(plain)
    return sentence[retraction.end() :].lstrip(" ,.:;!—-，。：；！") if retraction else ""


def is_remember_this(sentence: str) -> bool:
    """Return whether a sentence only asks to remember the one next to it."""
    return len(sentence) < 60 and search(sentence_types.REMEMBER_THIS, fold(sentence)) is not None


def is_brief(sentence: str) -> bool:
    """Return whether a sentence asks for a new piece of work."""
    return search(sentence_types.BRIEF, fold(sentence)) is not None


def is_question(sentence: str) -> bool:
    """Return whether a sentence is a question."""
    return search(sentence_types.QUESTION, fold(sentence)) is not None


def _is_meant(sentence: str, start: int, lasting: bool) -> bool:
    """Return whether the writer means the statement that starts here."""
    if search(sentence_types.QUESTION, sentence) and not (lasting and search(sentence_types.POLITE_REQUEST, sentence)):
        return False
    if search(sentence_types.HYPOTHETICAL, sentence) or search(sentence_types.JOKE, sentence):
        return False
    if search(sentence_types.CONDITION, sentence) and not search(sentence_types.STANDING_INSTRUCTION, sentence):
        return False
    if (hearsay := search(sentence_types.HEARSAY, sentence)) and hearsay.start() <= start:
        return False
    return lasting or search(sentence_types.THIS_TURN, sentence) is None


def _topic(sentence: str) -> str | None:
    topic = search(patterns.REPLACED_TOPIC, sentence)
    return (topic["about"] or topic["topic"]).strip() if topic else None


def search(pattern: str, sentence: str) -> re.Match[str] | None:
    """Search a pattern in a folded sentence."""
    return _compiled(pattern).search(sentence)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Compiled on first use: all patterns together take longer than most commands.
    return re.compile(pattern)
