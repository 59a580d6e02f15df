"""Recognize the outcome of a tool in its text: a failure, a failure that names its cause, or routine output.

Programs have fixed forms for both: an exit code, an exception with a message, a failed test with its name; and a listing, a
status line, a count of what was read. Patterns are searched line by line in NFKC text that keeps its case.
"""

import json
import re
from collections.abc import Iterator, Mapping

EXIT_CODE = "exit code: "
# A detail may hold anything; only these names are read, and only this deep.
_OUTPUT_NAMES = (
    "stderr",
    "error",
    "stdout",
    "output",
    "content",
    "result",
    "message",
    "text",
    "tool_response",
    "toolResponse",
)
_COMMAND_NAMES = ("tool_input", "toolInput", "input", "command", "cmd")
_EXIT_CODE_NAMES = ("exit_code", "exitCode", "returncode", "return_code", "exit_status")
_FAILED_NAMES = ("is_error", "isError")
_MAX_DEPTH = 3
_MAX_BLOCKS = 8

# Every failure has one of these; most texts have none, and skip the pattern.
_FAILURE_WORDS = (
    *(
        "rror",
        "RR",
        "xception",
        "ail",
        "FAIL",
        "exit code: ",
        "raceback",
        "illed",
        "fatal",
        "FATAL",
        "panic",
        "not found",
    ),
    *(
        "make: ",
        "most recent call last",
        "No such",
        "denied",
        "No space",
        "no space",
        "Segmentation",
        "CONFLICT",
        "✗",
        "✖",
        "錯誤",
        "错误",
        "失敗",
        "失败",
    ),
)
_ERROR_CODE = r"(?:\[\w+\]| [A-Z]{0,4}\d{1,6}(?: \(\w{1,10}\))?)"
_FAILURE = (
    r"(?m)^exit code: (?!0\b)-?\d+|^\W{0,4}(?:\w+ \(most recent call last\)|traceback\b|Traceback\b)|"
    # An exception: ValueError: …, java.lang.NullPointerException: …
    r"^(?:E +|Caused by: |Uncaught |Unhandled |[\w.]{1,60}: )?[A-Za-z_][\w.]{0,80}(?:Error|Exception|Killed)\b(?::|$)|"
    r"^(?:[\w./ -]{1,80}(?:\(\d+,\d+\)|:\d+(?::\d+)?)?: ?)?(?:fatal |compilation |internal )?(?:error|ERROR|Error|fatal|FATAL|panic)"
    rf"{_ERROR_CODE}?:|^thread '.{{1,80}}' panicked at |^Exception in thread \W|"
    r"^(?:npm (?:ERR|error)|make(?:\[\d+\])?: \*\*\*|--- FAIL|FAIL(?:ED)?\b[:\t ]|Segmentation fault|Killed$|CONFLICT \(|✗|✖)|"
    r"\b[1-9]\d{0,5} (?:tests? )?(?:failed|failures?|failing)\b|\bfailed: (?!0\b|none\b)\S|"
    r": (?:command not found|No such file or directory|[Pp]ermission denied|[Nn]o space left on device|not found)|"
    r"^(?:錯誤|错误|(?:編譯|编译|測試|测试|建置|构建|部署|執行|执行|安裝|安装)(?:失敗|失败)) ?:"
)
_NAMED_CAUSE = (
    # A message after the exception or the error mark
    rf"(?m)(?:Error|Exception|Killed|error|ERROR|FATAL|fatal|panic|ERR!|failed|CONFLICT \(.{{1,30}}\)){_ERROR_CODE}?: {{0,2}}\S.{{5,}}|\b[A-Z]\w+(?:Error|Exception): ?\S|panicked at .{{5,}}|"
    r"npm (?:ERR!|error) \S.{5,}|"
    r"\.java:\d+|^FAILED \S+|--- FAIL: \w+|\bgot .{1,80}\bwant\b|[Ee]xpected: .{1,200}|^E {2,}\S|\bassert\w*\b.{1,200}(?:==|!=| is not | in )|"
    r": (?:command not found|No such file or directory|[Pp]ermission denied|[Nn]o space left on device)|"
    r"(?:錯誤|错误|失敗|失败) ?: ?\S.{3,}|undefined reference|unable to .{5,}"
)
# "0 errors" and "no failures" are not errors.
_NONE_FAILED = (
    r"(?i)\b(?:no|0|zero|without(?: any)?) (?:errors?|failures?|failed|failing|exceptions?|warnings?(?: or errors?)?|problems?)\b|"
    r"(?:沒有|没有|無|无)(?:任何)?(?:錯誤|错误|失敗|失败|異常|异常)"
)

_READ_ONLY = (
    r"git (?:status|log|diff|show|branch|fetch|pull|push|remote|stash list|blame|rev-parse|ls-files|config --get)|"
    r"docker (?:ps|images|logs|inspect|stats|version)|kubectl (?:get|describe|logs|top|version)|"
    r"(?:pip|pip3|uv pip) (?:list|show|freeze)|(?:npm|pnpm|yarn) (?:ls|list|outdated|view)|systemctl (?:status|list-\w+)|"
    r"(?:brew|helm|conda|apt) (?:list|search|info)|terraform (?:show|output|state list)|\w[\w-]{0,20} --(?:version|help)"
)
# Read-only too, but also English words: only with an argument that is not a word.
_READ_ONLY_WORD = r"(?:ls|ll|cat|head|tail|grep|rg|find|du|df|ps|tree|wc|stat|file|which|pwd|env|printenv|whoami|uptime|free|date|echo|cd|less|sed -n)"
_COUNTED = r"(?:lines?|files?|match(?:es)?|results?|rows?|bytes|entries|items|tests?|packages?|pages?|characters|chars|modules|records)"
_ROUTINE_START = (
    rf"(?:[$❯%>] )?(?:{_READ_ONLY})(?=[\s:]|$)|[$❯%>] {_READ_ONLY_WORD}\b|{_READ_ONLY_WORD}(?: +(?:-\w|[~./]|\S*[/.]\S)\S*)+ *(?:\n|$)|"
    r"(?:pwd|ls|ll|whoami|uptime|du|df|wc): |git add\b[^\n]{0,80}$|"
    r"(?:npm|pnpm|yarn|pip3?|uv(?: pip)?|cargo|poetry|bundle) (?:install|ci|add|sync|update)\b[^\n:]{0,80}[:\n]\s*"
    r"(?i:added|up to date|requirement|already|audited|changed|installed|resolved|successfully)\b|"
    r"On branch \S|(?:Your branch is |Already |Everything )up[ -]to[ -]date|nothing to commit|total \d+\n|[d-](?:[rwx-]{3}){3}\b|"
    # A table: column titles in capitals, two or more spaces apart
    r"[A-Z][A-Z ]{1,30}[A-Z](?: {2,}[A-Z][A-Z() -]{0,30}){2,}|Filesystem +Size|HTTP/\d(?:\.\d)? 2\d\d\b|"
    rf"(?i:(?:successfully |done[,:] )?(?:read|wrote|listed|found|searched|scanned|loaded|fetched|viewed|added|installed|audited|rendered|"
    rf"processed|returned|showing|displaying|collected|matched)) \d[\d,.]* (?:\w+ )?{_COUNTED}\b|"
    rf"(?i:\d[\d,.]* (?:\w+ )?{_COUNTED} (?:read|found|written|matched|passed|listed|changed)\b)|"
    r"(?i:the file \S+ (?:has been|was) (?:updated|created|edited|saved|written|read))|Successfully installed \S|"
    r"(?i:\d+ passed\b)|(?i:heart ?beat|ping\b|pong\b|keep-?alive|still alive|tick\b)|HEARTBEAT|"
    r"(?:已?(?:讀取|读取|列出|寫入|写入|找到|搜尋|搜索))[^。\n]{0,40}\d+ ?(?:個|个|行|筆|笔|條|条|字|項|项|檔|位元組|字节)|心跳|(?:目前|当前)在 ?\S+ ?分支|"
    r"(?:~|\.{0,2}/)[\w./-]{2,200}/?\s*$"
)
# Lines of a file with their numbers, and search results
_NUMBERED = r"\s{0,8}\d{1,7}(?:→|\t|[|:│] ?)|[\w./-]{1,200}:\d+[:-]|(?:[d-](?:[rwx-]{3}){3}) "


def fails(text: str) -> bool:
    """Return whether a text is the output of something that failed."""
    if not any(word in text for word in _FAILURE_WORDS):
        return False
    return re.search(_FAILURE, text) is not None and not _only_says_nothing_failed(text)


def names_cause(text: str) -> bool:
    """Return whether a failed output says what went wrong, not just that something did."""
    return re.search(_NAMED_CAUSE, text) is not None


def without_zero_counts(text: str) -> str:
    """Return a text without phrases such as "0 errors"."""
    return re.sub(_NONE_FAILED, " ", text)


def is_routine(text: str) -> bool:
    """Return whether a text is a listing, a file, a status or a heartbeat: output that can be had again at any time."""
    stripped = text.strip()
    if re.match(_ROUTINE_START, stripped):
        return True
    lines = [line for line in stripped.split("\n")[:40] if line.strip()]
    numbered = sum(re.match(_NUMBERED, line) is not None for line in lines)
    return numbered >= 1 and numbered * 10 >= len(lines) * 8


def tool_text(detail: str | None) -> str:
    """Return the command and the output that a detail holds; the text itself may hold the output already."""
    found = _object(detail)
    command = next(_strings(found, _COMMAND_NAMES), "")
    output = "\n".join(dict.fromkeys(_strings(found, _OUTPUT_NAMES)))
    return f"$ {command}\n{output}".strip() if command and output else output


def failed_exit(detail: str | None) -> str:
    """Return a line with the exit code of a detail if it is not zero, else nothing."""
    if detail is None or not any(name in detail for name in (*_EXIT_CODE_NAMES, *_FAILED_NAMES)):
        return ""
    for found in _levels(_object(detail)):
        for name in _EXIT_CODE_NAMES:
            code = found.get(name)
            if isinstance(code, int) and not isinstance(code, bool) and code != 0:
                return f"{EXIT_CODE}{code}"
        if any(found.get(name) is True for name in _FAILED_NAMES):
            return f"{EXIT_CODE}1"
    return ""


def _only_says_nothing_failed(text: str) -> bool:
    return re.search(_NONE_FAILED, text) is not None and re.search(_FAILURE, without_zero_counts(text)) is None


def _object(detail: str | None) -> Mapping[str, object]:
    try:
        found = json.loads(detail) if detail else {}
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _levels(found: Mapping[str, object], depth: int = 0) -> Iterator[Mapping[str, object]]:
    yield found
    if depth < _MAX_DEPTH:
        for name in _OUTPUT_NAMES:
            inner = found.get(name)
            if isinstance(inner, dict):
                yield from _levels(inner, depth + 1)


def _strings(found: Mapping[str, object], names: tuple[str, ...], depth: int = 0) -> Iterator[str]:
    for name in names:
        value = found.get(name)
        if isinstance(value, str) and value.strip():
            yield value
        elif depth < _MAX_DEPTH:
            # The blocks of a tool result are a list.
            inner = value[:_MAX_BLOCKS] if isinstance(value, list) else [value]
            for one in inner:
                if isinstance(one, dict):
                    yield from _strings(one, names, depth + 1)
