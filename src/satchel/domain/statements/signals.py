"""Signals: whether a sentence says something that is to last, and of what kind."""

import re
import unicodedata
from collections.abc import Collection
from functools import cache

from msgspec import Struct

from satchel.domain.record import Kind
from satchel.domain.statements import caveats, cues

_QUOTED = re.compile(
    r"\"[^\"]{1,400}\"|“[^”]{1,400}”|「[^」]{1,400}」|『[^』]{1,400}』|《[^》]{1,80}》|`[^`]{1,400}`|(?<!\w)'[^']{8,200}'(?!\w)"
)
_BLANK = "□"
REPLACING = "replace my rule"


class Signal(Struct, frozen=True):
    """What a sentence is good for."""

    kind: Kind
    cue: str
    lasting: bool
    """Whether it says itself that it is to last."""
    replaces: bool = False
    """Whether it takes the place of an earlier rule."""
    about: str | None = None
    """What that earlier rule was about, when it says so."""


def plain(sentence: str) -> str:
    """Return a sentence in the one form that cues are looked for in, with what it quotes blanked out."""
    folded = unicodedata.normalize("NFKC", _QUOTED.sub(_BLANK, sentence)).lower()
    return " ".join(folded.replace("’", "'").replace("‘", "'").split())


def signal(sentence: str, kinds: Collection[Kind]) -> Signal | None:
    """Return what a sentence is good for, or nothing when it is a question, a joke, hearsay, or for this turn only."""
    said = plain(sentence)
    replacing = found(cues.REPLACES, said)
    for cue in cues.CUES:
        if (place := found(cue.pattern, said)) and not (cue.unless and found(cue.unless, said)):
            if cue.kind not in kinds or not _is_meant(said, place.start(), cue.lasting or replacing is not None):
                return None
            return Signal(cue.kind, cue.name, cue.lasting, replacing is not None, _topic(said))
    if replacing and Kind.PREFERENCE in kinds and _is_meant(said, replacing.start(), lasting=True):
        return Signal(Kind.PREFERENCE, REPLACING, True, True, _topic(said))
    return None


def new_rule(sentence: str) -> str | None:
    """Return the rule that a sentence puts in the place of another one, if it says it."""
    folded = unicodedata.normalize("NFKC", sentence)
    named = found(cues.REPLACES, folded.lower())
    place = re.compile(cues.NEW_RULE, re.IGNORECASE).search(folded, named.end()) if named else None
    return place["rule"] if place else None


def takes_back(sentence: str) -> bool:
    """Say whether a sentence takes back the one before it."""
    return found(caveats.RETRACTION, plain(sentence)) is not None


def is_bare(sentence: str) -> bool:
    """Say whether a sentence only asks to remember what stands next to it."""
    return len(sentence) < 60 and found(caveats.BARE, plain(sentence)) is not None


def is_question(sentence: str) -> bool:
    """Say whether a sentence asks something."""
    return found(caveats.QUESTION, plain(sentence)) is not None


def _is_meant(said: str, place: int, lasting: bool) -> bool:
    """Say whether the writer means what a cue at this place seems to say."""
    if found(caveats.QUESTION, said) and not (lasting and found(caveats.ASKED_POLITELY, said)):
        return False
    if found(caveats.HYPOTHETICAL, said) or found(caveats.JOKE, said):
        return False
    if found(caveats.CONDITION, said) and not found(caveats.STANDING_ORDER, said):
        return False
    if (others := found(caveats.OTHERS, said)) and others.start() <= place:
        return False
    return lasting or found(caveats.THIS_TURN, said) is None


def _topic(said: str) -> str | None:
    topic = found(cues.REPLACED_TOPIC, said)
    return (topic["about"] or topic["topic"]).strip() if topic else None


def found(pattern: str, said: str) -> re.Match[str] | None:
    """Return where a pattern stands in a sentence."""
    return _compiled(pattern).search(said)


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # When first needed: the tables take longer to compile than most commands to run.
    return re.compile(pattern)
