"""Which lines of a text somebody else wrote, told by how they are set off: fences, rules, elements, headers, announcements.

What a person pastes is evidence of what others say, never the person's own word. If in doubt a line is pasted: a rule that
is not kept can be said again, and one that a page smuggled in is obeyed.
"""

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from satchel.domain import chats
from satchel.domain.program_output import printed_lines
from satchel.domain.safety.compiled import compiled
from satchel.domain.statements import sentence_types

# Marks that open a block at the start of a line, and close it wherever they stand again.
_QUOTES = ('"""', "'''", "“””", "«««")
_STRING_OPENED = r"[\w.]{1,60}\s?=\s?(?=[\"']{3})"
_CODE_FENCE = r"(?s)(?P<marks>`{3,}+|~{3,}+)(?P<rest>.*+)"
_RULE = r"(?P<mark>[-*_=#~+.])(?:\s?(?P=mark)){2,}+"
_LABELLED_RULE = r"(?P<mark>[-=*#_~<>])(?P=mark){2,}+[^-=*#_~<>].{0,80}?(?P=mark){3,}+|(?:-{5}|={5})\s*\w.*"
# <name …>, [name=…] of a forum, and \begin{name}, with what ends them.
_ELEMENT = r"(?i)<([a-z][\w.:-]{0,40})(?:\s[^<>]*+)?>|\[([a-z]{1,20})(?:[=\s][^\[\]]*+)?\]|\\begin\{([a-z]{1,40}\*?)\}"
_CLOSING = r"(?i)</([a-z][\w.:-]{0,40})|\[/([a-z]{1,20})\]|\\end\{([a-z]{1,40}\*?)\}"
_CLOSING_STARTS = ("</", "[/", "\\end{")
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
# The same in other languages: a short line with both words.
_FORWARDED = (
    r"(?i)\b(?:reenviad|encaminhad|inoltrat|transf[ée]r[ée]|weitergeleitet|doorgestuurd|vidarebefordra|videresend|przekazan|przesłan|"
    r"пересла|пересыла|ursprüngliche|original|oorspronkelijk)|d.origine\b|転送|전달"
)
_MESSAGE = (
    r"(?i)\b(?:mensaje|mensagem|messaggio|message|nachricht|bericht|meddel|wiadomość|сообщени|письмо|e-?mail|correo|poczta|brev\b)|"
    r"メッセージ|메시지"
)
MAX_FORWARDED_CHARS = 60
# The line above an answer, in any language: it ends with a colon, and names an address or a day and a time.
_ANSWERED = r"(?:.{0,160}<[^<>\s@]{1,64}@[^<>\s]{1,100}>|.{0,60}\b\d{4}\b.{0,40}\b\d{1,2}[:.]\d\d\b).{0,60}[:：]$"
# A letter: from its salutation to who signs it.
_SALUTATION = (
    r"(?i)(?:hi|hello|hey|dear|good (?:morning|day|evening)|hallo|liebe[rs]?|sehr geehrte[rs]?|bonjour|hola|ciao|olá)"
    r"(?: [\w.'-]{1,30}){1,4}[,!]?$"
)
_REGARDS = (
    r"(?i)(?:(?:best|kind|warm|many)(?: regards| wishes| thanks)?|regards|sincerely|yours(?: truly| sincerely)?|cheers|"
    r"thanks|thank you|viele grüße|mit freundlichen grüßen|cordialement|saludos|saluti)[,!]?$"
)
MAX_NAME_CHARS = 60
# The text of a key in YAML is indented below it.
_KEY_OF_BLOCK = r"[\w.\s\"'-]{1,60}:\s*[|>][+-]?\d?$"
# [BEGIN DOCUMENT], {{document}}
_BEGINNING = (
    r"(?i)(?:\[|\{\{|<<|«|#+ )?\s*(?:begin|start)(?: of)?(?: the)?[\s_-]+(?P<what>(?!forwarded|original)\w{1,30})\b[\W_]*$|"
    r"\{\{\s?(?P<name>\w{1,30})\s?\}\}$"
)
# A longer line is not a heading.
MAX_HEADING_CHARS = 240
_HEADER = (
    r"(?i)[\W_]*+(?:from|to|cc|date|sent|received|subject|reply-to|message-id|reporter|assignee|author|status|priority|"
    r"description|labels|type|title|link|von|an|datum|gesendet|betreff|de|à|objet|envoyé|para|asunto|enviado|fecha|"
    r"寄件者|發件人|发件人|收件者|收件人|主旨|主題|主题|日期|发送时间|差出人|送信日時|宛先|件名|"
    r"od|fra|från|van|aan|onderwerp|ämne|emne|temat|от|кому|тема|дата|till|보낸 사람|받는 사람|제목|날짜)\s*+[:：]"
)
# Below it stands the signature of a mail.
_SIGNATURE = "--"
# A command at a prompt: its output follows, up to an empty line.
_PROMPT = (
    r"\s*+(?:sqlite|mysql|redis|postgres|[\w-]{1,30}=)[#>]\s++\S|"
    r"\s*+(?:\$\s++[a-z./~]|(?:>>>|❯|➜)\s++\S|(?:PS )?[A-Z]:\\[^<>\n]{0,200}>\s*+\S|"
    r"[\w.-]{1,40}@[\w.-]{1,60}[: ][^$#\n]{0,200}[$#%]\s++\S)"
)
_DIFF = r"diff --git |@@ -\d+(?:,\d+)? \+\d+"
_OF_DIFF = r"[ +\-@\\]|diff |index |new file |deleted file |(?:old|new) mode |rename |similarity "
# A directive of reStructuredText holds what is indented below it.
_DIRECTIVE = r"\.\. [\w-]{1,40}::"
_COMMENTS = {"<!--": "-->", "/*": "*/"}
# A comment within code.
_INDENTED_COMMENT = r"\s+#"
CODE_INDENT = 4
# A bar before each line, but not a row of a table.
_BARRED = r"\|\s*+\S.*[^\s|]\s*+$"


class _Ends(NamedTuple):
    """What is looked up for the whole text at once, since most lines that could begin a block have no end."""

    elements: Mapping[str, int]
    """The last line that closes an element, by its name."""
    letters: Sequence[tuple[int, int]]
    """Where regards stand, and where the letter ends."""


def own_lines(whole: Sequence[str], words: Sequence[str]) -> list[bool]:
    """Return for each line whether the author of the text wrote it. `words` are the lines without bullets and quote marks."""
    own = [False] * len(whole)
    ends = _Ends(_last_closings(words), _letter_ends(words))
    margin = min((_indent(line) for line in whole if line.strip()), default=0)
    foreign = chats.spoken_lines(whole, words) | printed_lines(words)
    place = 0
    # Whether the last line with text is a list item or belongs to one.
    listed = False
    while place < len(whole):
        end = _block_end(whole, words, place, ends)
        if end is None and not listed and _opens_indented(whole, place, margin):
            end = _after_indented(whole, place, margin + CODE_INDENT)
        if end is None:
            line = words[place].strip()
            own[place] = place not in foreign and not chats.is_of_chat(line) and not _is_foreign(whole[place], line)
            if line:
                listed = whole[place].strip() != line or (listed and _indent(whole[place]) > margin)
            place += 1
            if own[place - 1] and _announces(line) and _nothing_sets_off(whole, words, place, ends):
                return own
        else:
            place, listed = end, False
    return own


def _block_end(whole: Sequence[str], words: Sequence[str], start: int, ends: _Ends) -> int | None:
    """Return where the block ends that a line opens, exclusive; None if it opens none."""
    for after in (
        _after_comment,
        _after_rule,
        _after_signature_mark,
        _after_prompt,
        _after_diff,
        _after_directive,
        _after_key,
        _after_beginning,
    ):
        if (end := after(whole, start, whole[start].strip())) is not None:
            return end
    line = words[start].strip()
    for after in (_after_code, _after_quotes, _after_mail):
        if (end := after(words, start, line)) is not None:
            return end
    if (end := _after_letter(line, start, ends.letters)) is not None:
        return end
    return _after_element(words, start, line, ends.elements)


def _is_foreign(whole: str, line: str) -> bool:
    return compiled(_BARRED).match(line) is not None or (
        line.startswith("#") and compiled(_INDENTED_COMMENT).match(whole) is not None
    )


def _announces(line: str) -> bool:
    """Return whether a line says that what somebody else wrote follows."""
    if len(line) > MAX_HEADING_CHARS:
        return False
    folded = line.lower().replace("：", ":")
    if not folded.endswith(":"):
        return compiled(sentence_types.POINTS_AT_TEXT).search(folded) is not None
    return (
        compiled(sentence_types.PASTE).search(folded) is not None
        and compiled(sentence_types.HEADING).search(folded) is None
    )


def _nothing_sets_off(whole: Sequence[str], words: Sequence[str], start: int, ends: _Ends) -> bool:
    """Return whether an empty line follows, and then text that no mark sets off: it may extend to the end."""
    if start == len(whole) or whole[start].strip():
        return False
    text = next((place for place in range(start, len(whole)) if whole[place].strip()), None)
    if text is None:
        return False
    quoted = whole[text].lstrip().startswith((">", "＞"))
    return not quoted and _block_end(whole, words, text, ends) is None


def _indent(line: str) -> int:
    expanded = line.expandtabs(CODE_INDENT)
    return len(expanded) - len(expanded.lstrip())


def _opens_indented(whole: Sequence[str], start: int, margin: int) -> bool:
    """Return whether an indented block begins here, as code does in Markdown: after an empty line."""
    return (
        start > 0
        and not whole[start - 1].strip()
        and bool(whole[start].strip())
        and _indent(whole[start]) >= margin + CODE_INDENT
    )


def _after_indented(lines: Sequence[str], start: int, indent: int) -> int:
    return next(
        (place for place in range(start, len(lines)) if lines[place].strip() and _indent(lines[place]) < indent),
        len(lines),
    )


def _after_signature_mark(lines: Sequence[str], _start: int, line: str) -> int | None:
    return len(lines) if line == _SIGNATURE else None


def _after_prompt(lines: Sequence[str], start: int, _line: str) -> int | None:
    if compiled(_PROMPT).match(lines[start]) is None:
        return None
    return next((place for place in range(start, len(lines)) if not lines[place].strip()), len(lines))


def _after_diff(lines: Sequence[str], start: int, _line: str) -> int | None:
    if compiled(_DIFF).match(lines[start]) is None:
        return None
    following = (place for place in range(start + 1, len(lines)) if compiled(_OF_DIFF).match(lines[place]) is None)
    return next(following, len(lines))


def _after_directive(lines: Sequence[str], start: int, line: str) -> int | None:
    if compiled(_DIRECTIVE).match(line) is None:
        return None
    return _after_indented(lines, start + 1, _indent(lines[start]) + 1)


def _after_key(lines: Sequence[str], start: int, line: str) -> int | None:
    if compiled(_KEY_OF_BLOCK).match(line) is None:
        return None
    return _after_indented(lines, start + 1, _indent(lines[start]) + 1)


def _after_letter(line: str, start: int, letters: Sequence[tuple[int, int]]) -> int | None:
    """Return where a letter ends that begins with a salutation; `letters` has where regards stand, and where they end."""
    if not letters or letters[-1][0] <= start or compiled(_SALUTATION).match(line) is None:
        return None
    return letters[bisect_right(letters, start, key=itemgetter(0))][1]


def _letter_ends(lines: Sequence[str]) -> list[tuple[int, int]]:
    """Return where regards stand above a name, each with the end of the paragraph of the name."""
    written = [place for place, line in enumerate(lines) if line.strip()]
    empty = [*(place for place, line in enumerate(lines) if not line.strip()), len(lines)]
    return [
        (place, empty[bisect_right(empty, below)])
        for place, below in pairwise(written)
        if len(lines[below].strip()) <= MAX_NAME_CHARS and compiled(_REGARDS).match(lines[place].strip())
    ]


def _after_beginning(lines: Sequence[str], start: int, line: str) -> int | None:
    if compiled(_BEGINNING).match(line) is None:
        return None
    end = compiled(r"(?i)\W{0,4}(?:end|/)\b|\{\{\s?/")
    return next((place + 1 for place in range(start + 1, len(lines)) if end.match(lines[place].strip())), len(lines))


def _after_comment(lines: Sequence[str], start: int, line: str) -> int | None:
    closing = next((end for opening, end in _COMMENTS.items() if line.startswith(opening)), None)
    if closing is None:
        return None
    return next((place + 1 for place in range(start, len(lines)) if closing in lines[place]), len(lines))


def _after_code(lines: Sequence[str], start: int, line: str) -> int | None:
    opened = compiled(_CODE_FENCE).match(line)
    if opened is None or ("`" in opened["marks"] and "`" in opened["rest"]):
        return None
    for place, found in _matches(compiled(_CODE_FENCE), lines, start + 1):
        if found["marks"].startswith(opened["marks"]) and not found["rest"].strip():
            return place + 1
    return len(lines)


def _after_quotes(lines: Sequence[str], start: int, line: str) -> int | None:
    if opened := compiled(_STRING_OPENED).match(line):
        line = line[opened.end() :]
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
    name = opened[opened.lastindex or 1].lower()
    if closed.get(name, -1) < start:
        return len(lines) if name in _HOLDERS and line.startswith("<") else None
    return next(place + 1 for place in range(start, len(lines)) if name in _closings(lines[place]))


def _last_closings(lines: Sequence[str]) -> dict[str, int]:
    """Return the last line that closes an element, by its name: most lines open none, and need not look for its end."""
    return {name: place for place, line in enumerate(lines) for name in _closings(line)}


def _closings(line: str) -> list[str]:
    if not any(start in line for start in _CLOSING_STARTS):
        return []
    return [found[found.lastindex or 1].lower() for found in compiled(_CLOSING).finditer(line)]


def _after_mail(lines: Sequence[str], start: int, line: str) -> int | None:
    passed_on = len(line) <= MAX_HEADING_CHARS and (
        compiled(_PASSED_ON).match(line) or compiled(_ANSWERED).match(line) or _is_forwarding(line)
    )
    headers = (
        (first := compiled(_HEADER).match(line))
        and first.end() < len(line)
        and start + 1 < len(lines)
        and compiled(_HEADER).match(lines[start + 1].strip())
    )
    return len(lines) if passed_on or headers or chats.is_post(line) else None


def _is_forwarding(line: str) -> bool:
    return (
        len(line) <= MAX_FORWARDED_CHARS
        and line.endswith((":", "：", "-"))
        and compiled(_FORWARDED).search(line) is not None
        and compiled(_MESSAGE).search(line) is not None
    )


def _matches(pattern: re.Pattern[str], lines: Sequence[str], start: int) -> Iterator[tuple[int, re.Match[str]]]:
    for place in range(start, len(lines)):
        if found := pattern.match(lines[place].strip()):
            yield place, found
