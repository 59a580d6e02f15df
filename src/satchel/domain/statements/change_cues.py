"""Words of a text that speak for or against it being a change of an earlier one.

Patterns are searched in the output of `detect.fold`, but for names, which need their capitals.
"""

from functools import cached_property

from msgspec import Struct

from satchel.domain.safety.compiled import compiled

_ENDED = (
    r"\b(?:gone|sold|retired?|cancel\w*|dropp?e?d?|closed|replac\w*|thr(?:ew|own) out|gave up|given up|scrapp\w*|abandon\w*|ended|over|out|"
    r"off|stopp\w*|quit|left|no longer|no more|any ?more|instead|former\w*|previous\w*|earlier|old|obsolete|removed|deleted|switched|"
    r"moved|migrat\w*|changed|renamed|lapsed|shut|took over|stepped down|postponed|extended|raised|lowered|cut|pushed|brought forward|"
    r"increas\w*|reduc\w*|ported|converted|returned|dead|expired|supersede[sd]|rewr(?:itten|ote)|upgrad\w*|went)\b|"
    r"停|取消|換|换|改|不再|廢|废|搬|遷|迁|轉|转|淘汰|原本|原来|原來|之前|舊|旧|退|調|调|漲|涨|降|延|提前|縮|缩|取代|棄|弃|結束|结束"
)
_BEGINS = (
    r"\b(?:now|nowadays|these days|currently|since|as of|as from|from|starting|beginning|begins?|effective|new|newly|henceforth|today)\b|"
    r"現在|现在|目前|起|開始|开始|新|從|从|自"
)
_OPEN = (
    r"\b(?:propos(?:e|es|ed|al|als|ing)|suggest\w*|consider(?:s|ed|ing)?|might|maybe|perhaps|thinking (?:of|about)|discuss(?:ed|ing|ion)?|"
    r"undecided|not (?:yet )?decided|nothing (?:has been |is |was )?decided|no decision|wonder\w*|plans? to)\b|"
    r"提議|提议|建議|建议|考慮|考虑|討論|讨论|可能|也許|也许|尚未|還沒|还没|評估|评估|打算"
)
_TEMPORARY = (
    r"(?<!since )(?<!from )(?<!as of )\b(?:this (?:week|time|once|weekend|morning|evening|(?:mon|tues|wednes|thurs|fri|satur|sun)day)\b(?! on\b)|"
    r"today only|tomorrow|tonight|only this|just (?:this|today)|one-off|exceptions?|temporar(?:y|ily)|for once|once only)\b|"
    r"只有這|只有这|這次|这次|這週|这周|本週|本周|臨時|临时|暫時|暂时|例外|今天|明天|今晚"
)
_HISTORY = (
    r"\b(?:in (?:19|20)\d\d|back in|years? ago|originally|at the time|used to|was chosen|were chosen|reason)\b|"
    r"當初|当初|當時|当时|原因|因為|因为|以前"
)
_ADDED = r"\b(?:also|additional\w*|besides|too|extra|another|further|as well|plus|in addition|more)\b|也|還|还|另|加"
_MONTH = "january|february|march|april|june|july|august|september|october|november|december"
_VALUES = {
    "time": r"\b\d{1,2}:\d\d\b|\b\d{1,2} ?[ap]\.?m\b|\bnoon\b|[一二三四五六七八九十\d]+[點点時时](?!間|间)",
    "weekday": r"\b(?:mon|tues|wednes|thurs|fri|satur|sun)days?\b|\b(?:mon|tue|wed|thu|fri|sat|sun)\b|[週周][一二三四五六日末]|星期[一二三四五六日天]",
    "date": rf"\b\d{{1,2}} (?:{_MONTH}|may|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\b|\b(?:{_MONTH})\b|\d+ ?月 ?\d*|\d{{1,2}}/\d{{1,2}}",
    "number": rf"(?<![\w.:/])\d+(?:[.,]\d+)?(?![\w:]|\.\d| (?:{_MONTH}|may)\b)|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve)\b|"
    r"[兩两三四五六七八九十百千]+(?=[個个張张人天年元次份])",
}
# A capital that does not begin a sentence, or one inside a word.
_NAME = r"(?<![.!?:]\s)(?<!^)\b[A-Z][\w'’-]*\b|\b\w*[a-z][A-Z]\w*|\b[A-Z]{2,}\w*"


class ChangeCues(Struct, frozen=True, dict=True):
    """What the words of a text say about it being a change. Each cue is searched at its first use."""

    text: str
    folded: str

    @cached_property
    def ended(self) -> bool:
        """Whether it says that something ended or became different."""
        return self._has(_ENDED)

    @cached_property
    def begins(self) -> bool:
        """Whether it says from when something holds."""
        return self._has(_BEGINS)

    @cached_property
    def is_open(self) -> bool:
        """Whether it speaks of something undecided."""
        return self._has(_OPEN)

    @cached_property
    def is_temporary(self) -> bool:
        """Whether it speaks of an exception."""
        return self._has(_TEMPORARY)

    @cached_property
    def is_history(self) -> bool:
        """Whether it tells how something came about."""
        return self._has(_HISTORY)

    @cached_property
    def adds(self) -> bool:
        """Whether it adds to something that stays."""
        return self._has(_ADDED)

    @cached_property
    def names(self) -> frozenset[str]:
        """Words that are written like names."""
        return frozenset(compiled(_NAME).findall(self.text))

    @cached_property
    def values(self) -> dict[str, frozenset[str]]:
        """The times, weekdays, dates and numbers in it."""
        return {kind: frozenset(compiled(pattern).findall(self.folded)) for kind, pattern in _VALUES.items()}

    def _has(self, pattern: str) -> bool:
        return compiled(pattern).search(self.folded) is not None
