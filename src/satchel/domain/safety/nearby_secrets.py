"""Secrets that are recognised by their surroundings: a word that announces one, and near it a value that looks like one.

The closer a value stands to the word, and the clearer the text points to it, the less it must look like a secret itself.
A value is looked for after the word on its line, on the lines below where the line leads there, in the column of a table
below its heading, and before the word in a call.
"""

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice

from satchel.domain.safety.compiled import compiled
from satchel.domain.safety.cues import PARTS, STEMS, Cue, ends_of_name
from satchel.domain.safety.secret_checks import anything
from satchel.domain.safety.secret_rule import SecretRule
from satchel.domain.safety.value_strength import Strength, looks_chosen, strength

Place = tuple[int, int]

# How far a value may stand from its word, and how many lines and rows below it are looked at.
_REACH = 120
_MOST_WORDS = 16
_LONGEST_POINTER = 16
_FARTHEST_BEFORE = 160
_LINES = 40
_ROWS = 12
_WIDEST = 400
# Quoted, or without a blank, a quote or a bracket.
_VALUE = (
    r"\\?\"(?P<double>[^\"\r\n]{1,200}+)\"|\\?'(?P<single>[^'\r\n]{1,200}+)'|`(?P<tick>[^`\r\n]{1,200}+)`"
    r"|[“„](?P<curly>[^“”\r\n]{1,200}+)[“”]|「(?P<corner>[^「」\r\n]{1,200}+)」"
    r"|(?P<bare>[^\s\"'`“”„「」，。；、|<>(){}\[\],;：\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{1,400}+)"
)
_SENTENCE_END = r"[.!?](?=\s{1,4}[A-ZÄÖÜ¿¡])|[。！？；\r\n]"
# What leads to a value right before it: a sign, or a word such as "is" and "to".
_POINTER = (
    r"(?i)(?:[:=：→>—–]|->|(?<![a-z])(?:is|was|are|to|ist|war|lautet|heißt|auf|es|era|a|est|é|à|это|with|mit|con|using|jest|do))"
    r"[\s\"'`“„「(\[{b]{0,8}\Z|[是为為は는은成到叫]\s{0,4}[\"'“「]?\Z"
)
# A user, and a sign between it and the password: lea / …
_PAIR = r"[\w.@-]{2,40}\s?[/:,|]\s?[\"'`]?\Z"
# What is said between a word and a value that belongs to something else.
_OTHER_VALUE = r"(?i)\b(?:hash|digest|checksum|fingerprint|commit|sha[0-9]{1,3}|md5|uuid|public|version|sha)\b|data:"
# The end of a line whose value stands on the lines below, and the start of one that prints it.
_LEADS_DOWN = r"(?:[:：?]|'''|\"\"\"|[|>][+-]?|<<-?\s?[\"']?[A-Za-z_]{2,12}[\"']?|[({\[])[ \t]*\Z"
_PROMPT = r"[ \t]*(?:(?:\$|>>>|\+|>|<\w{1,20}>)[ \t]|##\[debug\])"
_SPEAKER = r"[ \t]*(?:(?:[-*>+]|=>|##\[debug\]=>|<[\w .]{1,20}>|[\w .]{1,20}:)[ \t]+)?"
_NEXT_FIELD = r"[ \t]*[-<\"']{0,2}(?i:value|default|string|wert|valor|content)\b[^\r\n=:>]{0,20}[=:>][ \t]*"
_NAME_ENDS_LINE = r"[\"'>)\]:,{ \t]*\r?\Z"
_BEFORE = (
    r"[\"'](?P<value>[^\"'\s]{6,100})[\"']\s{0,4},\s{0,4}(?:\w{1,30}\s?[:=]\s?)?@?[\"'][\w .-]{0,30}\Z"
    r"|(?:echo|printf)\s(?:-[a-z]{1,3}\s|[\"']%s[\"']\s)?[\"']?(?P<piped>[^\"'\s|]{6,100})[\"']?\s{0,4}\|[^|]{0,40}\Z"
)
_PASSWORD_OPTION = (
    r"[ \t]-(?:[pPwWAXN]|pw|pass)[ \t=]{0,4}+(?:[\"'](?P<quoted>[^\"'\r\n]{4,100}+)[\"']|(?P<word>[^\s\"'`<>|&;]{4,100}+))"
    r"|\A[ \t=]{1,4}+[\"']?[\w.@-]{1,40}+[,:%](?P<joined>[^\s\"'|;]{4,100}+)"
)
_LEAST_BELOW = {Cue.PASSWORD: Strength.WORDY, Cue.SECRET: Strength.HEX, Cue.KEY: Strength.CERTAIN}
_SEPARATORS = "|\t,;"


def _rule(stem: str, cue: Cue, *, is_part: bool) -> SecretRule:
    first, rest = stem[0], re.escape(stem[1:])
    head = f"[{first.upper()}{first}]" if first.upper() != first else re.escape(first)
    pattern = f"{head}(?i:{rest})" if rest else head
    return SecretRule(
        f"nearby-{'password' if cue in (Cue.PASSWORD, Cue.LOGIN) else 'secret'}",
        (stem,),
        pattern,
        anything,
        inside=True,
        values=partial(_values, cue, is_part),
    )


def _values(cue: Cue, is_part: bool, text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the values that belong to a word which announces a secret."""
    start = found.start()
    end = ends_of_name(text, start, found.end(), cue, is_part=is_part)
    if end is None:
        return
    # What follows the same word again belongs to that one; so no text is looked at twice.
    again = found.re.search(text, end, end + _REACH)
    places = list(_on_the_line(cue, text, end, again.start() if again else end + _REACH))
    places = places or list(_below(cue, text, start, end))
    yield from places or _before(text, start)


def _on_the_line(cue: Cue, text: str, end: int, last: int) -> Iterator[Place]:
    stop = compiled(_SENTENCE_END).search(text, end, last)
    window = text[end : stop.start() if stop else last]
    other = compiled(_OTHER_VALUE).search(window)
    for one in islice(compiled(_VALUE).finditer(window, 0, other.start() if other else len(window)), _MOST_WORDS):
        place = _place(one)
        if place[0] == 0 and text[end - 1].isascii():
            # Part of the name, as in secret.md#1f3a.
            continue
        between = window[: one.start()]
        found = strength(window[place[0] : place[1]])
        if found is Strength.HEX and compiled(_OTHER_VALUE).search(text, max(0, end - 60), end):
            return
        if found >= _needed(cue, between, one.lastgroup != "bare"):
            yield end + place[0], end + place[1]


def _place(one: re.Match[str]) -> Place:
    """Return where a value starts and ends, without the signs before it and the end of a sentence after it."""
    start, end = one.span(one.lastgroup or 0)
    if one.lastgroup != "bare":
        return start, end
    text = one.string
    while start < end and text[start] in "=:>":
        start += 1
    while start < end and text[end - 1] in ".:,":
        end -= 1
    return start, end


def _needed(cue: Cue, between: str, quoted: bool) -> Strength:
    """Return how much a value must look like a secret, given what stands between it and the word."""
    pointed = compiled(_POINTER).search(between, max(0, len(between) - _LONGEST_POINTER)) is not None or between.strip(
        " \t\"'`])"
    ) in ("=", ":", "")
    is_argument = quoted and "(" in between
    if cue is Cue.LOGIN:
        return Strength.CHOSEN if is_argument or compiled(_PAIR).search(between) else Strength.SIGNED
    if cue is Cue.KEY:
        return Strength.CERTAIN
    if cue is Cue.SECRET:
        return Strength.HEX if pointed else Strength.CHOSEN if is_argument else Strength.CERTAIN
    return Strength.WORDY if (pointed or quoted) and len(between.split()) <= 6 else Strength.CHOSEN


def _below(cue: Cue, text: str, start: int, end: int) -> Iterator[Place]:
    """Yield the values on the lines after one that leads there, or in the column below a heading."""
    first = text.rfind("\n", max(0, start - _WIDEST), start) + 1
    last = text.find("\n", end, end + _WIDEST)
    if last < 0 or cue is Cue.LOGIN:
        return
    line = text[first:last]
    least = _LEAST_BELOW[cue]
    leads = compiled(_LEADS_DOWN).search(line) or compiled(_PROMPT).match(line)
    places = list(_on_lines(text, last + 1, least)) if leads else []
    if not places and compiled(_NAME_ENDS_LINE).match(line, end - first):
        places = list(_in_next_field(text, last + 1, least))
    yield from places or _in_column(text, line, start - first, last + 1, max(least, Strength.HEX))


def _lines_from(text: str, start: int, most: int) -> Iterator[Place]:
    for _ in range(most):
        end = text.find("\n", start, start + _WIDEST)
        stop = end if end >= 0 else min(len(text), start + _WIDEST)
        if start >= len(text):
            return
        yield start, stop
        start = stop + 1


def _on_lines(text: str, start: int, least: Strength) -> Iterator[Place]:
    """Yield the values that have a line of their own, up to the first line that is no value."""
    for number, (first, last) in enumerate(_lines_from(text, start, _LINES)):
        line = text[first:last]
        if not line.strip() and not number:
            continue
        speaker = compiled(_SPEAKER).match(line)
        found = list(compiled(_VALUE).finditer(line, speaker.end() if speaker else 0))
        if not 1 <= len(found) <= 2:
            return
        place = _place(found[-1])
        if strength(line[place[0] : place[1]]) < least:
            return
        yield first + place[0], first + place[1]


def _in_next_field(text: str, start: int, least: Strength) -> Iterator[Place]:
    """Yield the value of a field that holds that of the name above it: <Value>, default:"""
    for first, last in _lines_from(text, start, 4):
        field = compiled(_NEXT_FIELD).match(text, first, last)
        value = compiled(_VALUE).match(text, field.end(), last) if field else None
        if value:
            place = _place(value)
            if strength(text[place[0] : place[1]]) >= least:
                yield place
            return


def _in_column(text: str, heading: str, place: int, start: int, least: Strength) -> Iterator[Place]:
    """Yield the values below a heading of a table."""
    if not any(sign in heading for sign in _SEPARATORS):
        return
    separator = max(_SEPARATORS, key=heading.count)
    column, columns = heading.count(separator, 0, place), heading.count(separator)
    for first, last in _lines_from(text, start, _ROWS):
        cells = text[first:last].split(separator)
        if len(cells) != columns + 1:
            return
        cell = cells[column]
        value = cell.strip(" \t\"'`")
        if any(map(str.isalnum, value)):
            if strength(value) < least:
                return
            at = first + sum(len(one) + 1 for one in cells[:column]) + cell.index(value)
            yield at, at + len(value)


def _in_options(text: str, found: re.Match[str]) -> Iterator[Place]:
    """Yield the password that a command is given next to a user: -u lea -P …, -u lea,…"""
    stop = compiled(r"[\r\n|;]|&&").search(text, found.end(), found.end() + _REACH)
    for one in compiled(_PASSWORD_OPTION).finditer(text, found.end(), stop.start() if stop else found.end() + _REACH):
        if looks_chosen(one[one.lastgroup or 0]):
            yield one.span(one.lastgroup or 0)


def _before(text: str, start: int) -> Iterator[Place]:
    """Yield the value that a call is given before the name: set("…", forKey: "password")."""
    first = max(0, start - _FARTHEST_BEFORE, text.rfind("\n", max(0, start - _FARTHEST_BEFORE), start))
    if not any(mark in text[first:start] for mark in ('",', "',", "|")):
        return
    found = compiled(_BEFORE).search(text, first, start)
    if found and strength(found[found.lastgroup or 0]) >= Strength.CHOSEN:
        yield found.span(found.lastgroup or 0)


NEARBY_SECRETS: tuple[SecretRule, ...] = (
    SecretRule(
        "password-option",
        (" -u", " -D", "ssh-keygen"),
        r"[ \t]-(?:u|U|D|-user|-username)(?=[ \t=])|ssh-keygen",
        anything,
        inside=True,
        values=_in_options,
    ),
    *(_rule(stem, cue, is_part=False) for cue, stems in STEMS.items() for stem in stems),
    *(_rule(stem, cue, is_part=True) for cue, stems in PARTS.items() for stem in stems),
)
