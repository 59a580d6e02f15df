"""Recognise rules that apply to every step: about how to answer and work, not about a subject.

"Keep answers short" applies whatever the goal is; "Keep the garden hose short" only to gardens. A rule applies to every step
if nearly all of its words are about manner: answers, language, form, certainty, asking first. Words that any rule may have
(always, never, use, numbers) count neither way.
"""

import re
from functools import lru_cache

from satchel.domain.languages import LANGUAGES, LANGUAGES_ZH
from satchel.domain.words import STOP_WORDS, UNSPACED, content_terms
from satchel.recall.relevance import word_forms

# A longer text says more than one rule of manner.
MAX_RULE_CHARS = 240
# Maximum share of a rule that may be about something else.
MAX_OTHER = 0.25

_MANNER_WORDS = (
    # answering
    "answer reply respond response message say tell talk speak write wording phrase explain explanation describe "
    "summarize summarise summary report output result text reasoning thinking conclusion reason finding option suggestion "
    # language and tone
    f"language {LANGUAGES} british american brazilian traditional simplified "
    "tone polite politely formal formally informal friendly plain plainly simple jargon slang humor joke voice active "
    "passive grammar spelling blunt bluntly frank frankly apologize apologise "
    # form
    "short shorter brief briefly concise concisely terse tersely long verbose length word sentence paragraph line prose "
    "bullet point list table tabular heading header title markdown html json yaml bold emoji emojis emoticon exclamation "
    "mark punctuation format formatting layout style structure structured section column date unit metric currency "
    "kilometre kilometer euro dollar timezone "
    # certainty and sources
    "cite citation source reference link quote guess invent fabricate hallucinate assume assumption speculate unsure "
    "uncertain unclear ambiguous sure know honest honestly fact made "
    # asking first, and harm
    "ask confirm confirmation permission consent approval irreversible destructive delete destroy overwrite secret password "
    "token credential key print reveal "
    # pace
    "step start end first last conclusion direct directly question clarify clarifying"
)
_NEUTRAL_WORDS = (
    "always never every each any anything everything all only please prefer preferably use using used avoid keep kept make "
    "give given show shown put get let must need needs want wants wish like likes user people person "
    "rather instead without within under over above below before after when whenever unless until about most least "
    "than more less fewer many much few one two three four five six seven eight nine ten going forward from now remember "
    "rule rules don doesn isn won ever again also both either possible something thing things hundred run execute command"
)
_MANNER_PHRASES = (
    "回答 回复 回覆 答复 答覆 回应 回應 输出 輸出 说明 說明 解释 解釋 总结 總結 结论 結論 理由 原因 建议 建議 选项 選項 内容 內容 文字 "
    f"语言 語言 {LANGUAGES_ZH} 简体 簡體 繁体 繁體 汉语 漢語 语气 語氣 礼貌 禮貌 正式 亲切 親切 友好 称呼 稱呼 "
    "简短 簡短 简洁 簡潔 简明 簡明 精简 扼要 啰嗦 冗长 直接 直说 直說 口语 口語 术语 術語 行话 "
    "字数 句子 段落 要点 要點 列表 列出 表格 标题 標題 格式 排版 符号 符號 表情 感叹号 感嘆號 标点 標點 日期 单位 單位 年月日 公制 "
    "引用 来源 來源 出处 出處 注明 註明 资料 資料 编造 編造 捏造 猜测 猜測 臆测 不确定 不確定 确定 確定 "
    "先问 先問 问我 問我 询问 詢問 确认 確認 同意 允许 許可 不可逆 删除 刪除 覆盖 覆蓋 文件 操作 密码 密碼 密钥 密鑰"
)
_NEUTRAL_PHRASES = (
    "不要 不得 不能 不用 不许 不許 必须 必須 应该 應該 一律 总是 總是 永远 永遠 任何 所有 全部 每次 每个 每個 尽量 儘量 使用 超过 超過 "
    "不超 最多 至少 以内 以內 少用 多用 写成 寫成 执行 執行 进行 進行 需要 可以 时候 時候 之前 以前 前 后 後 先 再 给 給 请 請 都 要 用 时 時 "
    "的 地 得 我 你 您 为 為 是 不 别 別 勿 也 和 与 與 或 在 把 将 將 对 對 对方 點 点 条 條 个 個 句 字 写 寫 "
    "一 二 三 四 五 六 七 八 九 十 百 两 兩"
)

# What to call the person: the name itself may be any words.
_FORM_OF_ADDRESS = re.compile(
    r"^\W*(?:(?:please|always) )*(?:call|address|refer to) me (?:as |by )?"
    r"(?!(?:an?|the|when|if|back|at|before|after|in|on|about|again|only|later|today|tonight|tomorrow)\b)\w|"
    r"^\W*(?:請|请)?(?:都|一律)?(?:叫我|稱呼我|称呼我)(?!去|來|来|做|寫|写|起)",
    re.IGNORECASE,
)

_FOREIGN = re.compile(f"[{UNSPACED}]")


def _forms(words: str) -> frozenset[str]:
    return frozenset(form for word in words.split() for form in word_forms(word))


_MANNER, _NEUTRAL = _forms(_MANNER_WORDS), _forms(_NEUTRAL_WORDS) | STOP_WORDS


def _longest_first(phrases: str) -> re.Pattern[str]:
    return re.compile("|".join(sorted(phrases.split(), key=lambda phrase: (-len(phrase), phrase))))


_MANNER_PATTERN, _NEUTRAL_PATTERN = _longest_first(_MANNER_PHRASES), _longest_first(_NEUTRAL_PHRASES)

# Only words that are rare elsewhere: a list of all of them would match most memories of a large store.
_DISTINCTIVE_WORDS = (
    "answer reply respond response language english british german french spanish chinese japanese korean italian tone "
    "polite formal plain plainly concise brief briefly short terse verbose bullet emoji exclamation markdown prose table "
    "sentence paragraph jargon cite citation guess invent fabricate assume unsure confirm permission irreversible destructive "
    "delete secret password metric "
    "回答 回复 回覆 输出 輸出 语言 語言 中文 英文 语气 語氣 简短 簡短 简洁 簡潔 要点 要點 表格 表情 标点 編造 编造 猜测 猜測 出处 出處 "
    "先问 先問 问我 問我 确认 確認 结论 結論 术语 術語 不可逆 称呼 稱呼"
)
SEARCH_TERMS = tuple(_DISTINCTIVE_WORDS.split())
"""Words to find such rules by, whatever their importance."""


@lru_cache(maxsize=1024)
def fits_every_step(text: str) -> bool:
    """Return whether a rule is about how to answer and work in general."""
    if len(text) > MAX_RULE_CHARS:
        return False
    if _FORM_OF_ADDRESS.search(text):
        return True
    manner, other = _spaced(_FOREIGN.sub(" ", text))
    unspaced_manner, unspaced_other = _unspaced("".join(_FOREIGN.findall(text)))
    total = manner + other + unspaced_manner + unspaced_other
    return bool(manner or unspaced_manner) and (other + unspaced_other) / total <= MAX_OTHER


def _spaced(text: str) -> tuple[float, float]:
    """Count the words about manner and about anything else, in a text with spaces."""
    words = [word for word in content_terms(text) if word not in _NEUTRAL and not word.isdigit() and len(word) > 1]
    manner = sum(word in _MANNER for word in words)
    return manner, len(words) - manner


def _unspaced(text: str) -> tuple[float, float]:
    """Count the same for a text without spaces, where a word has about two characters."""
    rest = _MANNER_PATTERN.sub("", text)
    other = _NEUTRAL_PATTERN.sub("", rest)
    return (len(text) - len(rest)) / 2, len(other) / 2
