"""Grade the importance of a text by fixed, checkable signals.

`heuristic-v1` starts at 0.30, adds the weight of each signal and clamps to 0–1. A grade lists the signals that counted.
Patterns cover English, simplified and traditional Chinese.
"""

import re
import unicodedata

from satchel.domain.observation import Grade, Grader
from satchel.domain.record import label_for
from satchel.domain.safety.redact import MASK
from satchel.observations.outcome import fails, is_routine, names_cause, without_zero_counts

START = 30
MAX_GRADED_CHARS = 4_000
# Only short texts are acknowledgements; "ok, but never on Fridays" is not.
MAX_CHAT_CHARS = 40


def _any(*patterns: str) -> str:
    # Compiled on first use and cached by `re`: most commands never grade.
    return "|".join(patterns)


def _has(pattern: str, text: str) -> bool:
    return re.search(pattern, text) is not None


_POLICY = _any(
    r"\b(?:prefer(?:s|red|ences?)?|always|never|must|should|(?:do|does|did)(?: not|n't)|required?|requires|"
    r"requirements?(?! already)|rules?|polic(?:y|ies)|mandatory|forbidden|not allowed)\b",
    "偏好|規則|规则|一定|必須|必须|不要|禁止|原則|原则|硬性|需求|不做|不改|總是|总是|永遠|永远",
)
_DECISION = _any(
    r"\b(?:decid(?:e|es|ed|ing)|decisions?|chose|chosen|we will|we'll|mvp|scope|architecture|settled on|going with|(?:team|we|all|everyone) agreed)\b",
    "決定|决定|選擇|选择|採用|采用|方案|架構|架构|範圍|范围",
    # Setting up a repository or a schedule is a decision, even without a decision word.
    r"\b(?:set up|created?|initiali[sz]ed|configured|scheduled)\b[^.\n]{0,40}\b(?:repo(?:sitory)?|schedule|pipeline|cron|workflow)\b",
    # So is what was put into production.
    r"\b(?:deployed|released|published|promoted|shipped|rolled back|migrated|upgraded)\b[^.\n]{0,60}?(?:\bto (?:production|prod|staging|"
    r"live|the registry|https?:|build \d|v?\d)|\bv?\d+\.\d+)|\bmigration\b[^.\n]{0,60}\bapplied to\b",
    "(?:已|了)[^。\n]{0,20}(?:部署|發布|发布|上線|上线|遷移|迁移|升級|升级|回滾|回滚)[^。\n]{0,4}[到至]",
    "(?:建立|創建|创建|設定|设置|設置)了?[^。\n]{0,10}(?:倉庫|仓库|排程|定時|定时|流水線|流水线)",
)
_IDENTIFIER = _any(
    r"https?://\S{4}",
    r"\b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b",
    r"(?:^|[\s\"'`(（：:])(?:~|\.{1,2})?/[\w.-]{2,60}/[\w./-]{2,200}",
    r"(?<=[\w/-])\.(?:toml|ya?ml|ini|conf|cfg|env|json)(?![\w])",
    r"(?<![A-Za-z0-9])[A-Z][A-Z0-9]{1,30}_[A-Z0-9_]{2,60}(?![a-z])",
    r"(?<![A-Za-z0-9])(?:git|docker|kubectl|npm|pip|make|systemctl|ssh|curl|uv|cargo|brew|terraform|helm) [a-z-]{2,30}",
)
_RUNBOOK = _any(
    r"\b(?:cron(?:tab)?|every (?:\w{1,12} )?(?:minutes?|hours?|days?|weeks?|months?|morning|night|monday|tuesday|wednesday|"
    r"thursday|friday|saturday|sunday)|time ?zones?|how to|run (?:the )?(?:following|commands?|this)|run `|runbook|playbook)",
    "每天|每週|每周|每月|每小時|每小时|每隔|時區|时区|如何|怎麼|怎么|步驟|步骤|執行指令|执行命令|執行以下|执行以下|定時任務|定时任务",
)
_ERROR = _any(
    r"\b(?:errors?|exceptions?|traceback|fail(?:s|ed|ure|ures|ing)?|crash(?:es|ed)?|timeout|timed out|refused|"
    r"denied|segfault|panic|broken?)\b",
    "錯誤|错误|失敗|失败|例外|異常|异常|崩潰|崩溃|逾時|超時|超时|報錯|报错",
)
_CAUSE = _any(
    r"\b(?:because|caused by|root cause|due to|fix(?:ed|es)?|workaround|solved|resolved|solution)\b",
    "原因|因為|因为|修復|修复|解決|解决|修正|繞過|绕过|改用",
)
# A task marker may follow bullets, quotes, numbers, check boxes and brackets of any script.
_TASK = _any(
    r"(?m)^[^\w\n]{0,12}(?:\d{1,3}[.)、:：]?[^\w\n]{0,6})?(?:\[[ x]?\][^\w\n]{0,4})?(?:todo|task|reminder)\b",
    "要做|待辦|待办",
)
_DEADLINE = _any(
    r"\b(?:by (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|tonight|noon|eod|end of|next|\d)|"
    r"due|deadline|before (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|next|\d))",
    r"\b\d{4}-\d{2}-\d{2}\b",
    "截止|期限|之前|明天|後天|后天|本週|本周|下週|下周|月底|年底",
)
_CHAT = (
    r"(?:(?:ok(?:ay)?|thanks?|thank you|thx|got it|sure|yes|yep|yeah|no problem|sounds good|great|nice|cool|perfect|lgtm|"
    r"hi|hello|hey|good (?:morning|evening|night)|bye|haha+|lol|understood|makes sense|will do|done|very much|so much|"
    r"好的?|謝謝你?|谢谢你?|收到|了解|明白|沒問題|没问题|嗯+|早安|晚安|你好|哈哈+|辛苦了|可以|知道了|对|對|是的)"
    r"[\s,.!?~，。！？～👍🙏😀😄🎉]{0,6}){1,5}"
)
_PROGRESS = _any(
    r"^(?:still |now |currently )?(?:working on|running|in progress|start(?:ed|ing)|continuing|building|installing|"
    r"downloading|processing|progress|step \d+|checking|reading|\d{1,3} ?% (?:done|complete))\b",
    "^(?:正在|仍在|還在|还在|開始|开始|繼續|继续|進度|进度|處理中|处理中|下載中|下载中)",
)
_CALENDAR = _any(
    r"\b(?:meeting|appointment|lunch|dinner|call|standup|dentist|birthday|holiday)\b[^.\n]{0,60}(?:\b\d{1,2}(?::\d{2})?"
    r"(?: ?[ap]m)?\b|monday|tuesday|wednesday|thursday|friday|saturday|sunday|tomorrow|noon)",
    "(?:會議|会议|開會|开会|約會|约会|午餐|晚餐|生日|牙醫|牙医|看診|看诊)",
    "(?:今天|明天|後天|后天|[上下]午|週[一二三四五六日]|周[一二三四五六日])[^。\n]{0,12}(?:點|点|時|时)[^。\n]{0,12}(?:會|会|見|见|餐)",
)


def heuristic(text: str) -> Grade:
    """Grade a text with masked secrets by heuristic-v1."""
    written = unicodedata.normalize("NFKC", text[:MAX_GRADED_CHARS])
    plain = written.casefold()
    found = dict(_signals(text[:MAX_GRADED_CHARS], written, plain))
    score = min(100, max(0, START + sum(found.values()))) / 100
    return Grade(score, label_for(score), tuple(f"{name} {change / 100:+.2f}" for name, change in found.items()))


HEURISTIC = Grader("heuristic-v1", 1, heuristic)


def try_grade(grader: Grader, text: str) -> Grade | None:
    """Grade a text with masked secrets; return None if the grader fails, so that the record is kept anyway."""
    try:
        return grader.grade(text)
    except Exception:  # noqa: BLE001  graders can be third-party code
        return None


def _signals(text: str, written: str, plain: str) -> list[tuple[str, int]]:
    task, failed = _has(_TASK, plain), fails(written)
    error = failed or (_has(_ERROR, plain) and _has(_ERROR, without_zero_counts(plain)))
    told = error and _has(_CAUSE, plain)
    # The output of a failed program does not state a rule, unless a person explains the failure.
    by_person = not failed or told
    worth = [
        ("policy", 40, by_person and _has(_POLICY, plain)),
        ("decision", 30, by_person and not task and _has(_DECISION, plain)),
        ("identifier", 20, _has(_IDENTIFIER, written)),
        ("runbook", 20, by_person and _has(_RUNBOOK, plain)),
        ("error", 15, error),
        ("cause", 10, error and (told or (failed and names_cause(written)))),
        ("task", 20, task),
        ("deadline", 10, task and _has(_DEADLINE, plain)),
    ]
    counted = [(name, change) for name, change, is_there in worth if is_there]
    if not failed and is_routine(written) and not _is_said(written, {name for name, _ in counted}):
        counted = [("routine", -20)]
    # Progress and dates only count against a text that has no other signal.
    nothing_else = not counted
    idle = [
        ("secret", -40, MASK.search(text) is not None),
        ("chat", -25, len(plain) <= MAX_CHAT_CHARS and re.fullmatch(_CHAT, plain.strip()) is not None),
        ("progress", -20, nothing_else and _has(_PROGRESS, plain.strip())),
        ("calendar", -15, nothing_else and _has(_CALENDAR, plain)),
    ]
    return counted + [(name, change) for name, change, is_there in idle if is_there]


def _is_said(text: str, signals: set[str]) -> bool:
    """Return whether a rule, decision or task is stated on the one line of a text, rather than read in a listing."""
    return "\n" not in text.strip() and bool({"policy", "decision", "task"} & signals)
