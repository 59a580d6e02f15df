"""A pattern of what says from when something holds: since October, starting next week, 從這個月起.

It is searched in the output of `detect.fold`.
"""

_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december|jan|feb|mar|apr|jun|jul|aug|sept?|oct|"
    r"nov|dec)\b\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?"
_DATE = (
    rf"(?:(?:early|mid|late|(?:the )?(?:start|beginning|middle|end) of|this|last|next|the)[ -])*(?:(?:{_DAY} (?:of )?)?{_MONTH}"
    rf"(?: {_DAY}\b)?|(?:19|20)\d\d(?:-\d\d){{0,2}}|(?:mon|tues|wednes|thurs|fri|satur|sun)day|spring|summer|autumn|fall|winter|"
    r"easter|christmas|new year|week(?:end)?|month|quarter|year|today|yesterday|tomorrow|now)(?:,? (?:of )?(?:19|20)\d\d)?\b"
)
FROM_WHEN = (
    rf"\b(?:since|from|as (?:of|from)|starting|beginning|effective)(?: (?:from|on|in))? {_DATE}(?! ?(?:to|until|till|through|-|–)\b)"
    r"(?: on(?:wards?)?\b| forward\b)?,?|"
    r"(?:[從从自](?=[^,。;]{0,8}[年月日號号週周天今明現现季])|(?=[\d一二三四五六七八九十]{1,3}月|明年|今年|下[個个]?[月週周]))[^,。;到至]{1,10}?(?:起|開始|开始),?"
)
"""It is no part of what holds. "From Monday to Friday" is, and is not matched."""
