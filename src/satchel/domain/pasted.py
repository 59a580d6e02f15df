"""Which lines of a text somebody else wrote, told by how they are set off: fences, rules, elements, mail headers.

What a person pastes is evidence of what others say, never the person's own word. If in doubt a line is pasted: a rule that
is not kept can be said again, and one that a page smuggled in is obeyed.
"""

import re
from collections.abc import Iterator, Mapping, Sequence

from satchel.domain.safety.compiled import compiled

# Marks that open a block at the start of a line, and close it wherever they stand again.
_QUOTES = ('"""', "'''", "“””", "«««")
_CODE_FENCE = r"(?s)(?P<marks>`{3,}+|~{3,}+)(?P<rest>.*+)"
_RULE = r"(?P<mark>[-*_=#~+.])(?:\s?(?P=mark)){2,}+"
_LABELLED_RULE = r"(?P<mark>[-=*#_~<>])(?P=mark){2,}+[^-=*#_~<>].{0,80}?(?P=mark){3,}+|(?:-{5}|={5})\s*\w.*"
_ELEMENT = r"(?i)<(?P<name>[a-z][\w.:-]{0,40})(?:\s[^<>]*+)?>"
_CLOSING = r"(?i)</([a-z][\w.:-]{0,40})"
# Elements that hold a whole text, so that one which is never closed extends to the end.
_HOLDERS = frozenset(
    [
        "article",
        "blockquote",
        "content",
        "context",
        "data",
        "doc",
        "document",
        "documents",
        "email",
        "excerpt",
        "file",
        "files",
        "function_results",
        "html",
        "input",
        "log",
        "logs",
        "mail",
        "message",
        "note",
        "output",
        "page",
        "paste",
        "pasted",
        "pre",
        "quote",
        "result",
        "results",
        "search_results",
        "snippet",
        "source",
        "stdout",
        "stderr",
        "text",
        "tool",
        "tool_result",
        "tool_results",
        "transcript",
        "url",
        "web",
        "web_page",
        "webpage",
        "website",
        "xml",
    ]
)
# A mail or a chat that is passed on extends to the end of the text.
_PASSED_ON = (
    r"(?i)[\W_]*+(?:"
    r"(?:(?:begin(?:ning)?|start)(?: of)?[\W_]++)?(?:forwarded|original|quoted|attached|pasted)\s++"
    r"(?:message|mail|e-?mail|text|conversation|chat|thread|document|content|post|note)s?\b[\W_]*+(?:from\b.{0,80})?$"
    r"|(?:fwd?|re-?sent|forwarded)\s*+:"
    r"|(?:以下(?:為|为|是)?)?(?:轉寄|轉發|转发|原始|引用|附上)的?(?:郵件|邮件|信件|訊息|讯息|消息|內容|内容)?[\W_]*+$"
    r"|.{0,120}?(?:\b(?:wrote|writes|schrieb(?: .{1,60})?|escribió|ha scritto|a écrit)|寫道|写道|來信說|来信说)\s*+[:：]$)"
)
# A longer line is no heading.
MAX_HEADING_CHARS = 240
_HEADER = r"(?i)[\W_]*+(?:from|to|cc|date|sent|subject|reply-to|寄件者|發件人|发件人|收件者|收件人|主旨|主題|主题|日期)\s*+[:：]\s*+\S"
# Lines that a program or a chat wrote.
_STAMPED = r"(?i)\W{0,2}(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d(?::\d\d(?:[.,]\d+)?)?\s?(?:[ap]m)?Z?\W{0,3}\s\S"
_ROLE = r"(?i)\W{0,3}(?:user|human|assistant|ai|system|developer|tool|function|bot|chatgpt|claude)\W{0,3}\s*:\s*\S"


def own_lines(whole: Sequence[str], words: Sequence[str]) -> list[bool]:
    """Return for each line whether the author of the text wrote it. `words` are the lines without bullets and quote marks."""
    own = [False] * len(whole)
    closed = _last_closings(words)
    place = 0
    while place < len(whole):
        end = _block_end(whole, words, place, closed)
        if end is None:
            own[place] = not (
                compiled(_STAMPED).match(words[place].strip()) or compiled(_ROLE).match(words[place].strip())
            )
            place += 1
        else:
            place = end
    return own


def _block_end(whole: Sequence[str], words: Sequence[str], start: int, closed: Mapping[str, int]) -> int | None:
    """Return where the block ends that a line opens, exclusive; None if it opens none."""
    if (end := _after_rule(whole, start, whole[start].strip())) is not None:
        return end
    line = words[start].strip()
    for ends in (_after_code, _after_quotes, _after_mail):
        if (end := ends(words, start, line)) is not None:
            return end
    return _after_element(words, start, line, closed)


def _after_code(lines: Sequence[str], start: int, line: str) -> int | None:
    opened = compiled(_CODE_FENCE).match(line)
    if opened is None or ("`" in opened["marks"] and "`" in opened["rest"]):
        return None
    for place, found in _matches(compiled(_CODE_FENCE), lines, start + 1):
        if found["marks"].startswith(opened["marks"]) and not found["rest"].strip():
            return place + 1
    return len(lines)


def _after_quotes(lines: Sequence[str], start: int, line: str) -> int | None:
    marks = next((one for one in _QUOTES if line.startswith(one)), None)
    if marks is None:
        return None
    if marks in line[len(marks) :]:
        return start + 1
    return next((place + 1 for place in range(start + 1, len(lines)) if marks in lines[place]), len(lines))


def _after_rule(lines: Sequence[str], start: int, line: str) -> int | None:
    opened = compiled(_RULE).fullmatch(line) or compiled(_LABELLED_RULE).fullmatch(line)
    if opened is None:
        return None
    following = (
        place + 1
        for place in range(start + 1, len(lines))
        if (
            found := compiled(_RULE).fullmatch(lines[place].strip())
            or compiled(_LABELLED_RULE).fullmatch(lines[place].strip())
        )
        and found.group()[0] == line[0]
    )
    return next(following, len(lines))


def _after_element(lines: Sequence[str], start: int, line: str, closed: Mapping[str, int]) -> int | None:
    opened = compiled(_ELEMENT).match(line)
    if opened is None:
        return None
    name = opened["name"].lower()
    if closed.get(name, -1) < start:
        return len(lines) if name in _HOLDERS else None
    return next(place + 1 for place in range(start, len(lines)) if name in _closings(lines[place]))


def _last_closings(lines: Sequence[str]) -> dict[str, int]:
    """Return the last line that closes an element, by its name: most lines open none, and need not look for its end."""
    return {name: place for place, line in enumerate(lines) for name in _closings(line)}


def _closings(line: str) -> list[str]:
    return [name.lower() for name in compiled(_CLOSING).findall(line)] if "</" in line else []


def _after_mail(lines: Sequence[str], start: int, line: str) -> int | None:
    passed_on = len(line) <= MAX_HEADING_CHARS and compiled(_PASSED_ON).match(line)
    headers = (
        compiled(_HEADER).match(line) and start + 1 < len(lines) and compiled(_HEADER).match(lines[start + 1].strip())
    )
    return len(lines) if passed_on or headers else None


def _matches(pattern: re.Pattern[str], lines: Sequence[str], start: int) -> Iterator[tuple[int, re.Match[str]]]:
    for place in range(start, len(lines)):
        if found := pattern.match(lines[place].strip()):
            yield place, found
