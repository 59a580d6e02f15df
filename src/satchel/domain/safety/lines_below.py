"""Secrets on the lines below the word that announces them: an answer, a block, the next field, a column of a table."""

import re
from collections.abc import Iterator

from satchel.domain.safety.answers import Value, answers
from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.cues import Cue
from satchel.domain.safety.near_values import VALUE, Place, place_of
from satchel.domain.safety.pointers import is_about_another
from satchel.domain.safety.secret_checks import assigned_password, is_name_of_nothing, is_phrase
from satchel.domain.safety.surroundings import line_start
from satchel.domain.safety.value_strength import Strength, strength

# How many lines and rows are looked at, and how wide a line may be.
_LINES = 40
_ROWS = 12
_WIDEST = 400
# The end of a line whose value stands on the lines below, and the start of one that prints it.
_LEADS_DOWN = r"(?:[:：?？]|'''|\"\"\"|[|>][+-]?|<<-?\s?[\"']?[A-Za-z_]{1,12}[\"']?|[({\[])[ \t]*\Z"
_PROMPT = r"[ \t]*(?:(?:\$|>>>|\+|>|<\w{1,20}>)[ \t]|##\[debug\])"
_TIME = r"(?:\[?[0-9]{1,2}:[0-9]{2}(?::[0-9]{2})?\]?[ \t]+)?"
_SPEAKER = rf"[ \t]*{_TIME}(?:(?:[-*>+]|=>|##\[debug\]=>|<[\w .]{{1,20}}>|[\w .]{{1,20}}[:：])[ \t]*)?"
_QUESTION = rf"{_SPEAKER}(?i:what|which|was ist|wie (?:ist|lautet|war)|quel|cuál|cual|what'?s)\b|.*[?？][ \t]*\Z"
_NEXT_FIELD = r"[ \t]*[-<\"']{0,2}(?i:value|default|string|wert|valor|content)\b[^\r\n=:>]{0,20}[=:>][ \t]*"
_NAME_ENDS_LINE = r"[\"'>)\]:,{ \t]*(?:</[\w:]{1,30}>)?[ \t]*\r?\Z"
_LEAST = {Cue.PASSWORD: Strength.WORDY, Cue.SECRET: Strength.HEX, Cue.KEY: Strength.CERTAIN}
_SEPARATORS = "|\t,;"
_GAP = r"[ \t]{2,}"
# A column next to it that has what the password is for.
_ACCOUNT = r"(?i)\b(?:user|username|login|account|host|server|system|service|benutzer|konto|usuario|utilisateur)\b|账号|用户|系统"
# A heading has few words besides the one for the secret.
_LONGEST_HEADING = 3


def below(cue: Cue, text: str, start: int, end: int) -> Iterator[Place]:
    """Yield the values on the lines after one that leads there, or in the column below a heading."""
    first = line_start(text, start, _WIDEST)
    last = text.find("\n", end, end + _WIDEST)
    if last < 0 or cue not in _LEAST:
        return
    line = text[first:last]
    least = _LEAST[cue]
    is_question = compiled(_QUESTION).match(line) is not None
    places: list[Place] = []
    if is_question and cue is Cue.PASSWORD:
        places = list(_answer(text, last + 1))
    places = places or list(_answers(cue, text, start, end))
    if not places and (compiled(_LEADS_DOWN).search(line) or compiled(_PROMPT).match(line)):
        places = list(_on_lines(text, last + 1, least))
    if not places and compiled(_NAME_ENDS_LINE).match(line, end - first):
        places = list(_in_next_field(text, last + 1, least))
    if not places and not _continues_table(text, first, line):
        places = list(_in_column(cue, text, line, start - first, end - first, last + 1))
    yield from places


def _lines_from(text: str, start: int, most: int) -> Iterator[Place]:
    for _ in range(most):
        end = text.find("\n", start, start + _WIDEST)
        stop = end if end >= 0 else min(len(text), start + _WIDEST)
        if start >= len(text):
            return
        yield start, stop
        start = stop + 1


def _answers(cue: Cue, text: str, start: int, end: int) -> Iterator[Place]:
    """Yield what the next messages tell: alone it may be any word, with others around it must look like a secret."""
    is_password = cue is Cue.PASSWORD

    def fits(one: Value) -> bool:
        if one.fills:
            return strength(one.text) >= (Strength.MIXED if is_password else Strength.HEX)
        least = Strength.MIXED if one.pointed else Strength.WORDY if one.last else Strength.CHOSEN
        least = least if is_password else Strength.HEX
        return strength(one.text) >= least

    return answers(text, start, end, fits)


def _answer(text: str, start: int) -> Iterator[Place]:
    """Yield the line that answers a question for a password: a plain word, or a phrase with a number."""
    for first, last in _lines_from(text, start, 1):
        speaker = compiled(_SPEAKER).match(text, first, last)
        begin = speaker.end() if speaker else first
        answer = text[begin:last].rstrip(" \t\r.!")
        is_value = " " not in answer and answer.isascii() and assigned_password(answer)
        if is_value or (is_phrase(answer) and any(map(str.isdigit, answer))):
            yield begin, begin + len(answer)


def _on_lines(text: str, start: int, least: Strength) -> Iterator[Place]:
    """Yield the values that have a line of their own, up to the first line that is no value."""
    for number, (first, last) in enumerate(_lines_from(text, start, _LINES)):
        line = text[first:last]
        if not line.strip() and not number:
            continue
        speaker = compiled(_SPEAKER).match(line)
        values = compiled(VALUE).finditer(line, speaker.end() if speaker else 0)
        found = [value for value in values if any(map(str.isalnum, value.group()))]
        if not 1 <= len(found) <= 2:
            return
        place = place_of(found[-1])
        is_literal = least is Strength.WORDY and found[-1].lastgroup != "bare"
        if strength(line[place[0] : place[1]]) < (Strength.MIXED if is_literal else least):
            return
        yield first + place[0], first + place[1]


def _in_next_field(text: str, start: int, least: Strength) -> Iterator[Place]:
    """Yield the value of a field that holds that of the name above it: <Value>, default:"""
    for first, last in _lines_from(text, start, 4):
        field = compiled(_NEXT_FIELD).match(text, first, last)
        value = compiled(VALUE).match(text, field.end(), last) if field else None
        if value:
            place = place_of(value)
            value_text = text[place[0] : place[1]]
            if strength(value_text) >= least or (least is Strength.WORDY and assigned_password(value_text)):
                yield place
            return


def _continues_table(text: str, first: int, line: str) -> bool:
    """Return whether a line has as many separators as the one before: then it is a row and no heading."""
    before = text[max(0, first - _WIDEST) : max(0, first - 1)].rpartition("\n")[2]
    return any(before.count(sign) == line.count(sign) > 0 for sign in _SEPARATORS)


def _in_column(cue: Cue, text: str, heading: str, place: int, end: int, start: int) -> Iterator[Place]:
    """Yield the values below a heading of a table; if one looks like a secret, the others need not."""
    separator = max(_SEPARATORS, key=heading.count) if any(sign in heading for sign in _SEPARATORS) else ""
    headings = _cells(heading, 0, separator)
    column = next((number for number, (first, last) in enumerate(headings) if first <= place < last), None)
    if len(headings) < 2 or column is None or _is_code_or_indented(heading, separator):
        return
    first, last = headings[column]
    if is_about_another(heading[end:last]):
        return
    is_password = cue is Cue.PASSWORD and len(heading[first:last].split()) <= _LONGEST_HEADING
    least = Strength.MIXED if is_password else max(_LEAST[cue], Strength.HEX)
    cells = list(_cells_below(text, start, separator, len(headings), column))
    strong = [cell for cell in cells if strength(text[cell[0] : cell[1]]) >= least]
    if is_password and (strong or compiled(_ACCOUNT).search(heading)):
        strong = [cell for cell in cells if _is_password(text, cell)]
    yield from strong


def _is_code_or_indented(line: str, separator: str) -> bool:
    """Return whether the separators of a line are those of a call, or the gap only indents it."""
    return (separator in (",", ";") and compiled(r"[()\[\]{}=]").search(line) is not None) or (
        not separator and line[:1].isspace()
    )


def _is_password(text: str, cell: Place) -> bool:
    value = text[cell[0] : cell[1]]
    if " " in value:
        return any(map(str.isdigit, value)) and len(value.split()) <= 5 and is_name_of_nothing(value)
    return assigned_password(value)


def _cells_below(text: str, start: int, separator: str, columns: int, column: int) -> Iterator[Place]:
    """Yield where the values of a column are."""
    for first, last in _lines_from(text, start, _ROWS):
        cells = _cells(text[first:last], first, separator)
        if len(cells) != columns:
            return
        begin, end = cells[column]
        value = text[begin:end].strip(" \t\r\"'`")
        if any(map(str.isalnum, value)):
            at = text.index(value, begin)
            yield at, at + len(value)


def _cells(line: str, offset: int, separator: str) -> list[Place]:
    """Return where the cells of a line are: between separators, or else between wide gaps."""
    # A separator within quotes is part of the value.
    pattern = rf"\"[^\"]{{0,200}}\"|{re.escape(separator)}" if separator else _GAP
    cells, begin = [], 0
    for gap in compiled(pattern).finditer(line):
        if gap.group().startswith('"'):
            continue
        cells.append((offset + begin, offset + gap.start()))
        begin = gap.end()
    return [*cells, (offset + begin, offset + len(line))]
