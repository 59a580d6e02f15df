"""What is said in the next messages of a talk, after one that asks for a secret or announces it."""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.near_values import VALUE, Place, place_of
from satchel.domain.safety.surroundings import line_start

# How many messages are looked at, how many lines they may have, and how wide a line may be.
_MESSAGES = 4
_LINES = 10
_WIDEST = 400
_MOST_WORDS = 24
_DAY = r"(?:\w{2,9}\.?,?[ \t]+|[0-9]{1,4}[./-][0-9]{1,2}[./-][0-9]{0,4},?[ T\t]+)?"
_TIME = rf"(?:[\[(]?{_DAY}[0-9]{{1,2}}[:.h][0-9]{{2}}(?::[0-9]{{2}})?(?:[ ]?[AaPp][Mm])?[\])]?[ \t,–-]*)"
_NAME = r"[^\W\d_][\w.'@ -]{0,30}?(?:[ ]?\([^()\r\n]{1,20}\))?"
_SPEAKER = (
    rf"[ \t]*(?:[-*•>+][ \t]+)?(?:{_TIME})?(?:<[ ]?{_NAME}>[ \t]*|\*{{0,2}}{_NAME}\*{{0,2}}[ \t]?[:：]\*{{0,2}}[ \t]*)"
)
# A line that only says who speaks now, and when.
_HEADER = rf"[ \t]*\[?{_NAME}\]?[ \t]*(?:[—–|,·-][ \t]*)?[\[(]?(?:\w{{3,9}} at )?{_TIME}[\])]?[ \t]*\r?\Z|[ \t]*{_TIME}{_NAME}[ \t]*\r?\Z"
_ASKS = (
    r"(?i)[^\r\n]*[?？؟](?:[ \t]|\W?[ \t\r]*\Z)|(?:\S{1,12}[ ,]{1,2}){0,2}(?:what'?s?|whats|which|wie|was (?:ist|war)|quel(?:le)?|cu[aá]l|qual|quale|"
    r"jakie|jaké|hva|hvad|vad|wat|milyen|какой|gimme|give|send|need|tell|brauche|schick\w*|gib|sag)\b"
    r"|[^\r\n]*\b(?:again|nochmal|please|pls|plz|bitte|kya|s'il|stp|por favor|per favore|proszę)\b"
)
# Before a value that a message consists of, and after it.
_OPENS = (
    r"(?i)(?:[^\W\d_]{1,8}[,.!…]*[ ]){0,2}(?:(?:it|that|that one|this)['’]?s|it is|c['’]est|ce|es|es ist|ist|das ist|is|é|è|e|det är|det er|het is|to|"
    r"try|use|take|nimm|probier\w*|jest|это|prueba|essaie|prova)?[ :—–-]{1,3}\Z"
)
_CLOSES = r"[.!]?[ \t]*(?:\Z|[,;(—–]|[.!][ ]|[^\x00-\u024f]|(?i:then|and|dann|und|puis|et|luego|y|poi)\b)"

# A message that only says where it is.
_ELSEWHERE = r"(?i)(?:(?:it['’]?s|is|ist|yes|yep|ja|oui|sí|still|no|liegt|steht)[, ]{1,2}){0,2}(?:in|im|under|unter|see|siehe|dans|at|on the|auf|bei|ask|frag)\b"


class Value(NamedTuple):
    """A value in a message."""

    text: str
    fills: bool
    """Whether it is all of the message."""
    pointed: bool
    """Whether the message begins with it, or with words that only lead to it."""
    last: bool
    """Whether the message ends with it."""


def answers(
    text: str, start: int, end: int, fits: Callable[[Value], bool], *, only_asked: bool = False
) -> Iterator[Place]:
    """Yield the first value that fits in the messages after the one in which a word stands, perhaps only after a question."""
    first = line_start(text, start, _WIDEST)
    last = text.find("\n", end, end + _WIDEST)
    if last < 0:
        return
    line = text[first:last]
    asks = asks_for_answer(line)
    if not asks and (only_asked or not (_is_said(line) or _is_headed(text, last + 1))):
        return
    for begin, stop in _messages(text, last + 1, asks=asks):
        for one, place in _values(text, begin, stop):
            if fits(one):
                yield place
                return


def asks_for_answer(line: str) -> bool:
    """Return whether a line is a question or a request."""
    speaker = compiled(_SPEAKER).match(line)
    return compiled(_ASKS).match(line, speaker.end() if speaker else 0) is not None


def _is_said(line: str) -> bool:
    """Return whether someone says a line: a name with a capital, and a few words, which no setting has."""
    speaker = compiled(_SPEAKER).match(line)
    end = speaker.end() if speaker else 0
    return any(map(str.isupper, line[:end])) and len(line[end:].split()) >= 3


def _is_headed(text: str, start: int) -> bool:
    """Return whether the next line only says who speaks now, and when."""
    end = text.find("\n", start, start + _WIDEST)
    return compiled(_HEADER).match(text[start : end if end >= 0 else start]) is not None


def _messages(text: str, start: int, *, asks: bool) -> Iterator[Place]:
    """Yield where the next messages begin and end, without who says them; without a speaker, only what follows a question."""
    count, is_headed = 0, False
    for _ in range(_LINES):
        if start >= len(text) or count == _MESSAGES:
            return
        end = text.find("\n", start, start + _WIDEST)
        stop = end if end >= 0 else min(len(text), start + _WIDEST)
        line = text[start:stop]
        is_header = compiled(_HEADER).match(line) is not None
        if line.strip() and not is_header:
            speaker = compiled(_SPEAKER).match(line)
            if not speaker and (count or not asks) and not is_headed:
                return
            yield start + (speaker.end() if speaker else 0), stop
            count += 1
        is_headed = is_header
        start = stop + 1


def _values(text: str, begin: int, end: int) -> Iterator[tuple[Value, Place]]:
    message = text[begin:end]
    if compiled(_ELSEWHERE).match(message):
        return
    for number, one in enumerate(compiled(VALUE).finditer(message)):
        if number == _MOST_WORDS:
            return
        start, stop = place_of(one)
        is_first = not message[: one.start()].strip(" \t*_>-")
        closes = compiled(_CLOSES).match(message, one.end()) is not None or stop < one.end()
        is_last = not any(map(str.isalnum, message[one.end() :]))
        opened = is_first or compiled(_OPENS).fullmatch(message, 0, one.start()) is not None
        value = Value(message[start:stop], is_first and is_last, opened and closes, is_last)
        yield value, (begin + start, begin + stop)
