"""Parses time expressions such as "last March", "three weeks before 8 May" and "昨天" into spans of whole local days."""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime, timedelta
from functools import cache

from msgspec import Struct

from satchel.domain.moment import local_date, local_midnight
from satchel.domain.safety.compiled import compiled

MAX_PERIODS = 8
# Longer texts, such as pasted documents, are cut.
MAX_READ_CHARS = 4_000

MONTHS = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
]
WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
_WORDS = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"]
_HAN = ["一", "二", "三", "四", "五", "六", "七", "八", "九", "十", "十一", "十二"]
_NUMBERS = {word: value for words in (_WORDS, _HAN) for value, word in enumerate(words, start=1)} | {
    "a": 1,
    "an": 1,
    "两": 2,
    "兩": 2,
    "couple of": 2,
    "a couple of": 2,
    "few": 3,
    "a few": 3,
}
_MONTH = "(?P<month>" + "|".join(f"{name}|{name[:3]}\\.?" for name in MONTHS if name != "may") + "|may)"
_COUNT = r"(?P<count>\d{1,3}|a couple of|couple of|a few|few|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve)"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_YEAR = r"(?P<year>(?:19|20)\d\d)"
_NTH = r"(?P<day>3[01]|[12]?\d)(?:st|nd|rd|th)?"
_HAN_COUNT = r"(?P<count>\d{1,3}|十[一二]|[一二两兩三四五六七八九十])"
_HAN_WEEK = "周|週|星期|礼拜|禮拜"
_HAN_UNITS = {"天": "day", "日": "day", "月": "month", "年": "year"} | dict.fromkeys(_HAN_WEEK.split("|"), "week")
_HAN_UNIT = f"(?P<han>天|日|{_HAN_WEEK}|月|年)"
_HAN_WEEKDAYS = "一二三四五六日"
# Parts of a day, which belong to the words that name it; the span is the whole day.
_PART = r"(?:,? (?:in the )?(?:early |late )?(?:morning|noon|afternoon|evening|night)\b)?"
_HAN_PART = "(?:早上|早晨|清晨|上午|中午|下午|午后|午後|傍晚|晚上|夜里|夜裡|凌晨)?"


class Period(Struct, frozen=True):
    """A span of time that a text mentions."""

    since: int
    until: int
    """The end, exclusive."""
    said: str
    """The words that mention it."""

    def holds(self, at: int | None) -> bool:
        """Return whether it includes a moment."""
        return at is not None and self.since <= at < self.until


Days = tuple[date, date]
_Reader = Callable[[re.Match[str], date], Days | None]


def periods(text: str, now: int) -> tuple[Period, ...]:
    """Return the time spans that a text mentions, relative to `now`, in order; of overlapping ones, the most specific."""
    read = text[:MAX_READ_CHARS]
    today = local_date(now)
    if today is None:
        return ()
    found: list[tuple[int, int, Days]] = []
    for start, end, days in _find_spans(read, today):
        if all(end <= taken[0] or start >= taken[1] for taken in found):
            found.append((start, end, days))
    found = [_until_today(read, _shifted(read, start, end, days), today) for start, end, days in found]
    spans = (
        Period(local_midnight(days[0]), local_midnight(days[1]), read[start:end].strip())
        for start, end, days in sorted(found)
    )
    return tuple(spans)[:MAX_PERIODS]


def mentions_time(text: str) -> bool:
    """Return whether a text seems to mention a time. Faster than `periods`."""
    return _time_words().search(text[:MAX_READ_CHARS]) is not None


@cache
def _time_words() -> re.Pattern[str]:
    names = "|".join((*WEEKDAYS, *(name for name in MONTHS if name not in ("may", "march"))))
    return re.compile(
        rf"\b(?:yesterday|today|tonight|tomorrow|ago|since|{names}|(?:in|last|next|this) (?:may|march)|(?:19|20)\d\d"
        r"|the weekend|(?:last|next|this|past|few|\d+|one|two|three|four|five|six) (?:night|day|week|weekend|month|year)s?)\b"
        rf"|[昨今明前][天日]|今早|今晨|[上这這本下][个個]?(?:{_HAN_WEEK}|月)|[去今前]年|\d\s*[年月日号號]|[天周週月年]前",
        re.IGNORECASE,
    )


def date_in_words(at: int) -> str:
    """Return a day in searchable words, such as "Monday 8 May 2023". In UTC: what is stored must not depend on a zone."""
    day = _date(at)
    if day is None:
        return ""
    return f"{WEEKDAYS[day.weekday()].title()} {day.day} {MONTHS[day.month - 1].title()} {day.year}"


def _find_spans(text: str, today: date) -> Iterator[tuple[int, int, Days]]:
    for pattern, reader in _patterns():
        for found in pattern.finditer(text):
            try:
                days = reader(found, today)
            except (ValueError, OverflowError):
                continue
            if days is not None:
                yield found.start(), found.end(), days


_SHIFT = rf"(?i)\b{_COUNT}\s+{_UNIT}\s+(?P<way>before|after|prior to|following|earlier than)\s+(?:the\s+)?$"


def _shifted(text: str, start: int, end: int, days: Days) -> tuple[int, int, Days]:
    """Shift a span by the words before it, as in "three weeks before 8 May"."""
    found = compiled(_SHIFT).search(text[:start])
    if found is None:
        return start, end, days
    sign = 1 if found["way"].lower() in ("after", "following") else -1
    try:
        moved = _add(days[0], sign * _count(found), found["unit"].lower())
    except (ValueError, OverflowError):
        return start, end, days
    # Larger units are meant less exactly.
    slack = {"day": 0, "week": 2, "month": 7, "year": 45}[found["unit"].lower()]
    return found.start(), end, (moved - timedelta(slack), moved + timedelta(slack + 1))


_SINCE = r"(?i)\b(?:ever )?(?:since|after)\s+(?:the\s+)?$|[自从從]\s*$"
_SINCE_INSIDE = r"(?i)since\b"
_SINCE_AFTER = r"\s*(?:以来|以來|之后|之後|以后|以後|起|开始|開始)"


def _until_today(text: str, span: tuple[int, int, Days], today: date) -> tuple[int, int, Days]:
    """Extend a span to today if the words around it say "since"."""
    start, end, (first, last) = span
    said = (
        compiled(_SINCE).search(text[:start])
        or compiled(_SINCE_INSIDE).match(text, start)
        or compiled(_SINCE_AFTER).match(text, end)
    )
    return (start, end, (first, max(last, today + timedelta(1)))) if said else span


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], _Reader], ...]:
    named = r"(?:in|last|this|past|since|during|of|until|by|early|late|mid|around|through)"
    rows: tuple[tuple[str, _Reader], ...] = (
        (rf"\b{_YEAR}-(?P<number>0[1-9]|1[0-2])-(?P<day>[0-3]\d)\b", _numeric_day),
        (rf"{_YEAR}\s*年\s*(?P<number>1[0-2]|0?[1-9])\s*月\s*(?P<day>3[01]|[12]?\d)\s*[日号號]", _numeric_day),
        (rf"\b{_NTH}\s+(?:of\s+)?{_MONTH},?\s+{_YEAR}\b", _named_day),
        (rf"\b{_MONTH}\s+{_NTH},?\s+{_YEAR}\b", _named_day),
        (rf"{_YEAR}\s*年\s*(?P<number>1[0-2]|0?[1-9])\s*月", _numeric_month),
        (rf"\b{_YEAR}-(?P<number>0[1-9]|1[0-2])\b(?!-)", _numeric_month),
        (rf"\b{_MONTH},?\s+(?:of\s+)?{_YEAR}\b", _named_month),
        (rf"\b{_NTH}\s+(?:of\s+)?{_MONTH}\b", _named_day),
        (rf"\b{_MONTH}\s+{_NTH}\b(?!\s*(?:days|weeks|months|years|%|:))", _named_day),
        (r"(?<!\d)(?P<number>1[0-2]|0?[1-9])\s*月\s*(?P<day>3[01]|[12]?\d)\s*[日号號]", _numeric_day),
        (rf"\bthe day before yesterday\b{_PART}|前[天日]{_HAN_PART}", lambda found, today: _day(today - timedelta(2))),
        (
            rf"\byesterday\b{_PART}|\blast night\b|昨[天晚日夜]{_HAN_PART}",
            lambda found, today: _day(today - timedelta(1)),
        ),
        (
            rf"\b(?:earlier |later )?today\b|\btonight\b|\b(?:earlier )?this (?:morning|afternoon|evening)\b|今[天晚早日晨]{_HAN_PART}",
            lambda found, today: _day(today),
        ),
        (r"\btomorrow\b|明天", lambda found, today: _day(today + timedelta(1))),
        (rf"\b{_COUNT}\s+{_UNIT}\s+(?:ago|back|earlier)\b", _ago),
        (rf"{_HAN_COUNT}\s*[个個]?{_HAN_UNIT}(?:以)?前", _ago),
        (rf"\b(?:over|in|during|within|for)?\s*the\s+(?:past|last|previous)\s+{_COUNT}\s+{_UNIT}\b", _past_span),
        (rf"\b(?:past|last)\s+{_COUNT}\s+{_UNIT}\b", _past_span),
        (rf"最近{_HAN_COUNT}\s*[个個]?{_HAN_UNIT}", _past_span),
        (
            rf"\b(?:on\s+)?(?P<weekday>{'|'.join(WEEKDAYS)})\s+(?:of\s+)?(?P<which>last|past|previous|this|next)\s+week\b",
            _weekday_of_week,
        ),
        (
            rf"\b(?P<which>last|past|previous|this|next)\s+week(?:'s)?,?\s+(?:on\s+)?(?P<weekday>{'|'.join(WEEKDAYS)})\b",
            _weekday_of_week,
        ),
        (r"\b(?P<which>last|past|previous|this|next)\s+(?P<unit>week|month|year|weekend)\b", _relative),
        (r"\b(?:over|at|on|during)\s+the\s+weekend\b", _latest_weekend),
        (rf"(?P<which>上|这|這|本|下)[个個]?(?:{_HAN_WEEK})末", _relative),
        (rf"(?P<which>上|这|這|本|下)[个個]?(?:{_HAN_WEEK})(?P<weekday>[{_HAN_WEEKDAYS}天]){_HAN_PART}", _han_weekday),
        (rf"(?P<which>上|这|這|本|下)[个個]?(?P<han>{_HAN_WEEK}|月)", _relative),
        (r"(?P<which>去|前|今|明)年", _han_year),
        (rf"\b(?P<which>last|past|this|on|since|next)\s+(?P<weekday>{'|'.join(WEEKDAYS)})\b{_PART}", _weekday),
        (rf"\b{named}\s+{_MONTH}(?!\s*\d)\b", _named_month),
        (rf"\b(?:in|during|since|of|year|last)\s+{_YEAR}\b(?!-)", _whole_year),
        (rf"{_YEAR}\s*年", _whole_year),
    )
    return tuple((re.compile(pattern, re.IGNORECASE), reader) for pattern, reader in rows)


def _numeric_day(found: re.Match[str], today: date) -> Days:
    return _day(_date_of(found, int(found["number"]), int(found["day"]), today))


def _named_day(found: re.Match[str], today: date) -> Days:
    return _day(_date_of(found, _month_number(found), int(found["day"]), today))


def _date_of(found: re.Match[str], month: int, day: int, today: date) -> date:
    """Return the date; without a year, the latest one that is not in the future."""
    if year := found.groupdict().get("year"):
        return date(int(year), month, day)
    this_year = date(today.year, month, day)
    return this_year if this_year <= today else date(today.year - 1, month, day)


def _numeric_month(found: re.Match[str], today: date) -> Days:
    return _month(int(found["year"]), int(found["number"]))


def _named_month(found: re.Match[str], today: date) -> Days:
    month = _month_number(found)
    if year := found.groupdict().get("year"):
        return _month(int(year), month)
    # In March, "last March" is that of the year before.
    past = found.group().lower().startswith("last")
    this_year = month < today.month or (month == today.month and not past)
    return _month(today.year if this_year else today.year - 1, month)


def _whole_year(found: re.Match[str], today: date) -> Days:
    return date(int(found["year"]), 1, 1), date(int(found["year"]) + 1, 1, 1)


def _han_year(found: re.Match[str], today: date) -> Days:
    year = today.year + {"去": -1, "前": -2, "今": 0, "明": 1}[found["which"]]
    return date(year, 1, 1), date(year + 1, 1, 1)


def _ago(found: re.Match[str], today: date) -> Days:
    unit = _unit(found)
    then = _add(today, -_count(found), unit)
    if unit == "day":
        return _day(then)
    if unit == "week":
        return then - timedelta(3), then + timedelta(4)
    return _month(then.year, then.month) if unit == "month" else (date(then.year, 1, 1), date(then.year + 1, 1, 1))


def _past_span(found: re.Match[str], today: date) -> Days:
    return _add(today, -_count(found), _unit(found)), today + timedelta(1)


def _relative(found: re.Match[str], today: date) -> Days:
    which = {"last": -1, "past": -1, "previous": -1, "上": -1, "next": 1, "下": 1}.get(found["which"].lower(), 0)
    unit = "weekend" if found.group().endswith("末") else _unit(found)
    if unit == "year":
        return date(today.year + which, 1, 1), date(today.year + which + 1, 1, 1)
    if unit == "month":
        then = _add(date(today.year, today.month, 1), which, "month")
        return _month(then.year, then.month)
    monday = today - timedelta(today.weekday()) + timedelta(7 * which)
    return (monday + timedelta(5), monday + timedelta(7)) if unit == "weekend" else (monday, monday + timedelta(7))


def _latest_weekend(found: re.Match[str], today: date) -> Days:
    """Return the weekend that has begun last."""
    saturday = today - timedelta((today.weekday() + 2) % 7)
    return saturday, saturday + timedelta(2)


def _weekday(found: re.Match[str], today: date) -> Days:
    wanted = WEEKDAYS.index(found["weekday"].lower())
    if found["which"].lower() == "next":
        return _day(today + timedelta((wanted - today.weekday() - 1) % 7 + 1))
    back = (today.weekday() - wanted) % 7
    return _day(today - timedelta(back or (7 if found["which"].lower() in ("last", "past") else 0)))


def _weekday_of_week(found: re.Match[str], today: date) -> Days:
    weeks = {"this": 0, "next": 1}.get(found["which"].lower(), -1)
    weekday = WEEKDAYS.index(found["weekday"].lower())
    return _day(today - timedelta(today.weekday()) + timedelta(7 * weeks + weekday))


def _han_weekday(found: re.Match[str], today: date) -> Days:
    weeks = {"上": -1, "下": 1}.get(found["which"], 0)
    weekday = _HAN_WEEKDAYS.index(found["weekday"].replace("天", "日"))
    return _day(today - timedelta(today.weekday()) + timedelta(7 * weeks + weekday))


def _unit(found: re.Match[str]) -> str:
    groups = found.groupdict()
    return _HAN_UNITS[groups["han"]] if groups.get("han") else str(groups["unit"]).lower()


def _count(found: re.Match[str]) -> int:
    word = found["count"].lower()
    return int(word) if word.isdigit() else _NUMBERS[word]


def _month_number(found: re.Match[str]) -> int:
    word = found["month"].lower()[:3]
    return next(number for number, name in enumerate(MONTHS, start=1) if name.startswith(word))


def _day(day: date) -> Days:
    return day, day + timedelta(1)


def _month(year: int, month: int) -> Days:
    first = date(year, month, 1)
    return first, first + timedelta(monthrange(year, month)[1])


def _add(day: date, count: int, unit: str) -> date:
    if unit in ("day", "week"):
        return day + timedelta(count * (7 if unit == "week" else 1))
    months = day.year * 12 + day.month - 1 + count * (12 if unit == "year" else 1)
    year, month = divmod(months, 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _date(at: int) -> date | None:
    try:
        return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=at)).date()
    except OverflowError:
        return None
