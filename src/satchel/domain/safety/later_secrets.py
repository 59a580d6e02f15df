"""Passwords that a text tells some lines after it says that something is locked, or that one will follow.

The word for a password is far, or there is none: what is said around the value must tell that it opens something, or the
value hardly looks like anything else.
"""

import re
from collections.abc import Iterator
from itertools import islice

from satchel.domain.safety.answers import Value, answers
from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.near_values import VALUE, Place, place_of
from satchel.domain.safety.surroundings import line_start
from satchel.domain.safety.value_strength import Strength, strength

_REACH = 400
# Quotes that people use, and no program does.
_CITED = frozenset(["curly", "corner", "angle"])
_MOST_WORDS = 60
# A verb that leads to the value, or one that says what it opens.
_USE = (
    r"(?i)(?<![\w-])(?:use|using|enter|type|try|with|is|it['’]s|one|gave \w{2,12}|mit|nimm|probier\w{0,3}(?: mal)?|nutze|verwende|lautet|ist|"
    r"avec|utilise[rz]?|tape[rz]?|c['’]est|con|usa|use|es|prueba|com|com a|met|med|z|użyj|wpisz|brug|använd|bruk|käytä)[,:]?[ \t]{1,3}[\"'`“„«]?\Z"
)
_OPENS = (
    r"(?i)[\"'`”“»]?[ \t,]{1,3}(?:to|um|zum|pour|para|per|om|för|for att|żeby|aby)[ \t](?:\S{1,12}[ \t]){0,3}?(?:open|unlock|decrypt|extract|unzip|unpack|log|sign|"
    r"get in|enter|access|read|öffnen|entsperren|entschlüsseln|entpacken|reinzukommen|einloggen|ouvrir|l['’]ouvrir|déverrouiller|abrir\w{0,3}|"
    r"desbloquear|entrar|aprir\w{1,4}|sbloccare|openen|öppna|åbne|åpne|otworzyć)"
)
# The label of what was promised: a line that begins so and ends with the value.
_PROMISED = (
    r"(?i)\b(?:separately|follows?|following|later|promised|tell you|send (?:you|it)|other mail|second mail|in the ps|below|osobno|obiecał\w{0,3}|"
    r"separat|getrennt|folgt|nachher|gleich|später|versprochen|séparément|suivra|suit|promis|aparte|por separado|prometid\w|separatamente|"
    r"promess\w|apart|volgt|beloofd|separat|samostatně|отдельно)\b|另行|单独|稍后"
)
_LABELLED = r"[^\r\n]*[:：—–][ \t]{0,3}[\"'`]?\Z|[ \t>*-]*[\"'`]?\Z"
_ENDS_LINE = r"[\"'`]?[.!]?[ \t]*(?:\r?\n|\Z)"
_ENDS_CLAUSE = r"[\"'`”»]?(?:[,;.!)]|[ \t]*(?:\r?\n|\Z))"


def told_later(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the value that the text tells after the word, in the next messages or in the next sentences."""
    end = found.end()
    # What follows the next such word belongs to that one; so no text is looked at twice.
    again = found.re.search(text, end, end + _REACH)
    window = text[end : again.start() if again else end + _REACH]
    places = list(answers(text, found.start(), end, _fills_message))
    for one in islice(compiled(VALUE).finditer(window), 0 if places else _MOST_WORDS):
        start, stop = place_of(one)
        found_strength = strength(window[start:stop])
        if found_strength < Strength.MIXED:
            continue
        least = _needed(text, found.start(), end + start, end + stop)
        is_cited = one.lastgroup in _CITED and "\n" not in window[: one.start()] and found_strength >= Strength.WORDY
        if is_cited or (least is not None and found_strength >= least):
            places.append((end + start, end + stop))
            break
    yield from places


def _fills_message(one: Value) -> bool:
    """Return whether a message is nothing but a password: words with small letters alone may be a name or a state."""
    least = Strength.CHOSEN if one.text == one.text.lower() else Strength.WORDY
    return one.fills and strength(one.text) >= least


def _needed(text: str, cue: int, start: int, end: int) -> Strength | None:
    """Return how much a value must look like a password, given what stands right before and after it; nothing if that
    does not tell it is one."""
    first = line_start(text, start, _REACH)
    is_used = compiled(_USE).search(text, max(first, start - 30), start)
    if is_used and compiled(_OPENS).match(text, end):
        return Strength.MIXED
    if compiled(_LABELLED).match(text, first, start) and compiled(_ENDS_LINE).match(text, end):
        is_promised = compiled(_PROMISED).search(text, max(0, cue - _REACH), first)
        return Strength.MIXED if is_promised else None
    return Strength.SIGNED if is_used and compiled(_ENDS_CLAUSE).match(text, end) else None
