"""Which lines of a text are a copied chat, forum or log: they begin with a time, a role or a name."""

from collections.abc import Sequence
from itertools import pairwise

from satchel.domain.safety.compiled import compiled

_TIME = r"(?:(?:早上|上午|下午|晚上|오전|오후)\s?)?\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\s?(?:[ap]m)?"
_STAMPED = rf"(?i)(?:\[[^\[\]]{{1,40}}\] )?\W{{0,2}}(?:\d{{4}}-\d\d-\d\d[T ]|\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}},? )?{_TIME}Z?\W{{0,3}}\s\S"
_ROLE = r"(?i)\W{0,3}(?:user|human|assistant|ai|system|developer|tool|function|bot|chatgpt|claude)\W{0,3}\s*:\s*\S"
# <bob> always use tabs
_NICKNAME = r"<[@+~&%]?[A-Za-z][^\s<>]{0,40}>\s++\S"
# A heading of a message: who wrote it and when. The message follows.
# A Chinese one is short: a whole sentence has no spaces either.
_NAME = r"(?:[\u4e00-\u9fff]{2,4}(?![\u4e00-\u9fff])|@?(?![\u4e00-\u9fff])[^\W\d_][\w.'-]{0,30}(?:,? \(?[A-Z][\w.')-]{0,30}){0,3})"
_MONTH = r"(?:Jan|Feb|Mar|Mär|Apr|May|Mai|Jun|Jul|Aug|Sep|Oct|Okt|Nov|Dec|Dez)[a-zä]*"
_DAY = (
    r"(?:\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[./-](?:\d{1,2}|[A-Z][a-z]{2})(?:[./-]\d{2,4})?|(?i:today|yesterday)\b|"
    rf"{_MONTH}\.? \d{{1,2}}(?:,? \d{{4}})?|(?<![:\d])\d{{1,2}}\.? {_MONTH}\.?(?: \d{{4}})?|"
    r"(?:\d{4}年)?\d{1,2}月\d{1,2}日)"
)
_WEEKDAY = r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\s"
_CLOCK = rf"(?i:{_TIME})(?!\w)"
_AGO = r"\b(?:(?:\d{1,3}|an?) (?:second|minute|hour|day|week|month|year)s?|\d{1,3} ?(?:[smhdwy]|mo|min|hrs?)) ago\b"
_LATELY = r"\b\d{1,3}(?:[smhdwy]|mo|min)(?!\w)"
_MOMENT = rf"{_AGO}|{_LATELY}|(?:{_DAY}(?:,? at|,)?\s{{1,4}})?{_CLOCK}(?:\s{_DAY})?|{_DAY}"
# … (16 Nov 2026 09:41)
_STAMPED_AFTER = rf"(?:[(\[]|\s[–—-]\s@?[\w.-]{{1,40}}\s){_DAY}(?:,? at|,)?\s{{1,4}}{_CLOCK}[)\]]?$"
# What else such a line has: a status, how something came about, where it stands.
_NOT_THE_NAME = (
    r":[\w+-]{1,40}:|\([^()]{1,30}\)|\s\|\s.*|\b(?:app|bot|sent|said|wrote:?|reviewed|edited|updated|comment \d{1,6}|answered|asked|next|to Everyone|"
    r"last (?:edited|modified|updated))(?!\w)"
)
_SENTENCE_ENDS = (".", "!", "?", "。", "！", "？")
_SEPARATORS = "·•|↑@"
# What is left of it: nothing, or who wrote it.
_WRITER = (
    rf"[^\w:]*(?:u/[\w-]{{1,40}}|(?!(?i:i|we|you)\b){_NAME})?(?:[^\w:]+@[\w.@-]{{1,60}}(?::[\w.]{{1,60}})?)?[^\w:]*"
)
_ACTION = (
    rf"(?!(?i:i|we)\b)(?:{_NAME}(?: \(?@[\w.-]{{1,40}}\)?)? )?(?:commented|replied|posted|wrote|answered|asked|reviewed|edited|"
    r"added a comment|left a comment|requested changes|opened (?:this|an) \w{1,20}(?: \w{1,20})?|created by .{1,60})"
    rf"(?: .{{0,40}}?)?(?: ago| yesterday| today| on .{{1,60}}| at .{{1,40}}| - {_DAY}.{{0,20}}):?$|"
    rf"(?!(?i:i|we)\b){_NAME}(?: \(?@[\w.-]{{1,40}}\)?)? (?:commented|replied|posted|wrote|answered|added a comment|"
    r"left a comment|requested changes)(?: \(.{1,60}\))?[.:]?$|"
    r"[小老阿][\u4e00-\u9fff]{1,2}[:：]$|\d{1,2}:\d\d(?::\d\d)?(?:[.,]\d+)? --> \d"
)
# ### Assistant, in the export of a chat
_ROLE_HEADING = (
    r"(?i)(?:#{1,6}|\*\*)\s*(?:user|human|assistant|ai|system|tool|bot|chatgpt|claude|gemini|copilot)(?:\*\*)?:?$"
)
MAX_POST_CHARS = 120
# The name of a speaker before what is said.
_SPEAKER = r"(?P<name>[^\W\d_][\w .'-]{0,30})[:：]\s*+\S"
# Maximum number of lines after which a speaker of a dialogue returns.
MAX_LINES_BETWEEN = 6


def is_of_chat(line: str) -> bool:
    """Return whether a program or a chat wrote a line."""
    return (
        any(compiled(form).match(line) for form in (_STAMPED, _ROLE, _NICKNAME))
        or compiled(_STAMPED_AFTER).search(line) is not None
    )


def is_post(line: str) -> bool:
    """Return whether a line only says who wrote what follows, and when."""
    if len(line) > MAX_POST_CHARS:
        return False
    if any(compiled(form).match(line) for form in (_ACTION, _ROLE_HEADING)):
        return True
    if line.endswith(":") and compiled(_STAMPED).match(line):
        return True
    if line.endswith(_SENTENCE_ENDS) or not _is_dated(compiled(_WEEKDAY).sub("", line)):
        return False
    rest = line.rstrip(":")
    for form in (_WEEKDAY, _MOMENT, _NOT_THE_NAME):
        rest = compiled(form).sub(" ", rest)
    return compiled(_WRITER).fullmatch(rest) is not None


def _is_dated(line: str) -> bool:
    """Return whether a line has a time with a day or after a name ("10:30 Standup" is an appointment), or says how long ago."""
    clock = compiled(_CLOCK).search(line)
    day = compiled(_DAY).search(line)
    if clock and (day or any(letter.isalpha() or letter == ":" for letter in line[: clock.start()])):
        return True
    if compiled(_AGO).search(line):
        return True
    return any(mark in line for mark in _SEPARATORS) and (day is not None or compiled(_LATELY).search(line) is not None)


def spoken_lines(whole: Sequence[str], words: Sequence[str]) -> frozenset[int]:
    """Return the lines of a dialogue: a name, another one, and the first again."""
    speakers = [
        (place, found["name"].casefold())
        for place, line in enumerate(words)
        if ":" in line or "：" in line
        # An item of a list is a rule about what it names.
        if (found := compiled(_SPEAKER).match(line)) and whole[place].strip() == line.strip()
    ]
    returns = {
        at
        for number, (place, name) in enumerate(speakers)
        for later, other in speakers[number + 2 : number + 4]
        if other == name and later - place <= MAX_LINES_BETWEEN and speakers[number + 1][1] != name
        for at in range(place, later + 1)
    }
    if not returns:
        return frozenset()
    # Those who spoke before and after belong to it.
    spoken = set(returns)
    for (place, _), (later, _) in [*pairwise(speakers), *pairwise(speakers[::-1])]:
        if place in spoken and abs(later - place) <= MAX_LINES_BETWEEN:
            spoken |= set(range(min(place, later), max(place, later) + 1))
    return frozenset(spoken)
