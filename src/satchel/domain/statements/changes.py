"""Read from a sentence that it announces a change: what it gives up, what it is about, and whether it returns to it.

Patterns are searched in the output of `detect.fold`: lower case, NFKC, quotations blanked out. Every quantifier is bounded.
"""

import re
from functools import cache

from msgspec import Struct

_END = r"(?=\s*[,.;:!?()—。、]|\s+-\s|$)"
# What follows a name without being part of it.
_STOP = r"(?=\s+(?:for|because|since|so|and|but|while|which|as|in favou?r of|any ?more|any longer|from now on|going forward|now)\b|\s*[,.;:!?()—]|\s+-\s|$)"
_OLD = r"(?P<old>[^,.;:!?()—]{1,60}?)"
_ZH_OLD = r"(?P<old>[^,.;:!?()—。、]{1,24}?)"
_FOR = r"(?:\s+(?:for|as|when|in|at) (?P<subject>[^,.;:!?()—]{2,40}))?"
_MOVE = r"(?:switch|mov|migrat|chang|convert|transition|go|chang|shift|port)(?:e|es|ed|ing|d)?|went|gone"
_USE = r"(?:use|uses|using|used|need|needs|want|wants|do|have|run|have to)"
# Cues whose subject is the earlier decision itself.
CHANGED_MIND, CHANGED_MIND_ZH = "changed mind", "改變主意"
REOPENED = (CHANGED_MIND, CHANGED_MIND_ZH)


class AnnouncedChange(Struct, frozen=True):
    """A change that a sentence announces. Parts it does not name are empty."""

    cue: str
    old: str = ""
    """What is given up."""
    subject: str = ""
    """What the change is about."""
    returns: str = ""
    """The earlier choice it goes back to."""


class _Cue(Struct, frozen=True):
    name: str
    pattern: str


_CUES = (
    _Cue(
        CHANGED_MIND,
        r"\b(?:changed (?:our|my|their) minds?|(?:had|having) second thoughts|rethought|reconsidered)"
        r"(?: (?:about|on|regarding) (?P<subject>[^,.;:!?()—]{2,60}))?",
    ),
    _Cue(
        "back to",
        rf"\b(?:back|return(?:s|ed|ing)?|revert(?:s|ed|ing)?)(?: from {_OLD})? to (?:us(?:e|ing) )?"
        rf"(?P<returns>[^,.;:!?()—]{{1,40}}?){_FOR}{_STOP}",
    ),
    _Cue(
        "from … to",
        rf"\b(?:{_MOVE})(?: over)?(?: (?P<subject>[^,.;:!?()—]{{1,40}}?))?(?: over| away)? from {_OLD} (?:over )?to\b"
        rf"(?:[^,.;:!?()—]{{1,40}}? for (?P<subject2>[^,.;:!?()—]{{2,40}}))?",
    ),
    _Cue("away from", rf"\bmov(?:ed|ing|e) (?:(?P<subject>[^,.;:!?()—]{{1,40}}?) )?away from {_OLD}{_STOP}"),
    _Cue("instead of", rf"\b(?:instead of|in place of|rather than|in lieu of) (?:us(?:e|ing) )?{_OLD}{_FOR}{_STOP}"),
    _Cue(
        "replace",
        rf"\b(?:replac|swap|substitut|exchang)(?:e|es|ed|ing|ped|ping)?(?: out)? {_OLD} (?:with|by|for)\b"
        r"(?:[^,.;:!?()—]{1,40}? (?:for|in) (?P<subject>[^,.;:!?()—]{2,40}))?",
    ),
    _Cue(
        "replaces",
        rf"\b(?:replaces|replaced|supersedes|takes over from|takes the place of|(?:is|are) replacing) {_OLD}{_FOR}{_STOP}",
    ),
    _Cue(
        "replaced by",
        rf"{_OLD} (?:is|are|was|were|gets?|has been|have been|will be)(?: now)? (?:replaced|superseded) (?:by|with)\b",
    ),
    _Cue("no longer", rf"\bno longer (?:{_USE} )?(?:in |on |at )?{_OLD}{_FOR}{_STOP}"),
    _Cue(
        "not anymore",
        rf"(?:\b(?:not|never)|n't)\b,? (?:{_USE} )?{_OLD}(?: for (?P<subject>[^,.;:!?()—]{{2,40}}?))? (?:any ?more|any longer)\b",
    ),
    _Cue(
        "stopped",
        rf"\b(?:stop(?:s|ped|ping)?|quit(?:ting)?|(?:am|are|'re|'m|is) (?:done|through|finished) with|given up(?: on)?|gave up(?: on)?|giv(?:e|ing) up(?: on)?"
        rf"|drop(?:s|ped|ping)?|ditch(?:es|ed|ing)?|abandon(?:s|ed|ing)?|retir(?:e|es|ed|ing)|scrap(?:s|ped|ping)?|deprecat(?:e|es|ed|ing)"
        rf"|phas(?:e|ed|ing) out|gone off|went off|left|leaving|gotten rid of|got rid of|getting rid of|turn(?:ed|ing) off|switched off|cancell?ed|cancell?ing)"
        rf" (?:us(?:e|ing) )?{_OLD}{_FOR}{_STOP}",
    ),
    _Cue(
        "is out",
        rf"(?:^|[.;:] ?){_OLD} (?:is|are|was|were|has been|have been)(?: now)? (?:out|gone|dropped|cancell?ed|dead|history|obsolete|retired|deprecated|over|too \w+)\b",
    ),
    _Cue("now, not", rf"\bnow,? (?:and )?not {_OLD}{_STOP}"),
    _Cue(
        "從…換成",
        rf"(?:^|[,;:。\s]|(?P<subject>[^,;:。]{{1,16}}?))(?:從|从|由){_ZH_OLD}(?:全部|都|統一|统一)?(?:換|换|改|遷|迁|轉|转|切|移|搬)(?:換|换|移)?(?:成|為|为|到|用|至|放|存|去)",
    ),
    _Cue(
        "把…換成",
        rf"(?:把|將|将){_ZH_OLD}(?:全部|都)?(?:換|换|改|替換|替换|取代|遷移?|迁移?|停|拿|去|移除|刪|删)(?:成|為|为|掉|用|到)",
    ),
    _Cue(
        "取代",
        rf"(?:取代|代替|替代|替換|替换|換掉|换掉|而不是|而非|不是再)(?:掉|了)?(?:原本的|原来的|原來的|舊的|旧的)?{_ZH_OLD}{_END}",
    ),
    _Cue(
        "改回",
        rf"(?:(?P<subject>[^,;:。]{{1,16}}?))?(?:改回|換回|换回|退回|回到|恢復|恢复|用回|切回|搬回)(?:到|用|成|使用)?(?P<returns>[^,.;:!?()。、]{{1,24}}?){_END}",
    ),
    _Cue(
        "不再",
        rf"(?:(?P<subject>[^,;:。]{{1,16}}?))?(?:不再|不會再|不会再|停用|棄用|弃用|淘汰|放棄|放弃|停止|取消)(?:使用|用|採用|采用)?(?:了)?{_ZH_OLD}(?:了)?{_END}",
    ),
    _Cue(
        "不用…了",
        rf"(?:(?P<subject>[^,;:。]{{1,16}}?))?不(?:用|使用|去|喝|吃|要|走|放|存|做|穿|坐|搭|住|買|买|看|在){_ZH_OLD}了{_END}",
    ),
    _Cue(
        "改用",
        r"(?P<subject>[^,;:。]{0,24}?)(?:改用|改成|改為|改为|換成|换成|換到|换到|改走|改吃|改喝|改由|改在|改到|改放|改存|改去|改坐|改搭|轉用|转用|換用|换用|切換到|切换到|遷移到|迁移到)",
    ),
    _Cue(CHANGED_MIND_ZH, r"(?:(?:關於|关于|對於|对于)(?P<subject>[^,;:。]{1,16}?))?(?:我們|我们|我|大家)?(?:又)?(?:改變|改变|改了|換了|换了|改)(?:主意|想法|決定|决定)"),
    _Cue("moved to", rf"\b(?:{_MOVE})(?: over)? to (?:[^,.;:!?()—]{{1,40}}? for (?P<subject>[^,.;:!?()—]{{2,40}}))?"),
    _Cue("instead", r"\binstead\b(?! of)"),
)

# Besides the cues: words that mark a text as the newer of two about the same subject, not enough to retire anything.
_NEWER = (
    r"\b(?:now|nowadays|these days|since (?:this|last|the)|as of|from (?:now|today|tomorrow|this|next|\d|january|february|march|april|may|june|"
    r"july|august|september|october|november|december|mon|tues|wednes|thurs|fri|satur|sun)[\w.]*(?: \w+)? ?(?:on|onwards?|forward)?|starting|new|newly|"
    r"changed|changes|moved?|moves|raised|lowered|increased|reduced|extended|shortened|doubled|halved|updated|postponed|brought forward|"
    r"went (?:up|down)|turned (?:off|on|down|up)|renamed|rescheduled|no more|until further notice|effective)\b|"
    r"現在|现在|目前|起(?=[,。\s]|$)|開始|开始|改|換|换|調|调|漲|涨|降|停掉|停用|取消|延後|延后|延長|延长|提前|縮短|缩短|新的|新價|新价|最新"
)

# A change that the writer makes, not one that happens or that the sentence asks for.
OWN_CHANGE = (
    r"\b(?:we|i)(?:'ve| have)?(?: just| all| both| now| since)* (?:changed (?:our|my) minds?|had second thoughts)\b|"
    r"\blet(?:'s|s| us)(?: all| just| please| rather)* (?:(?:switch|move|migrate|change|go|return|revert|shift)(?: over| back| [\w -]{1,30})? (?:from|to)\b|"
    r"(?:replace|swap(?: out)?) [^,.;:]{1,40} (?:with|for|by)\b|(?:stop|quit) using\b|(?:drop|ditch|retire|abandon|phase out)\b (?!this|that|it\b))|"
    r"\b(?:we|i)(?:'re|'m| are| am| will be)?(?: now| all)* (?:(?:switch|mov|migrat|shift|go|revert|return|chang)ing(?: (?:over|back)| [\w -]{1,30})* (?:from\b[^,.;:]{1,40} )?(?:back )?to (?:us(?:e|ing) )?\w"
    r"|replacing [^,.;:]{1,40} (?:with|by)\b|done with (?!this|that|it\b|the\b)\w|ditching|abandoning|dropping|giving up on)|"
    r"\b(?:we|i)(?:'ve| have|'s| has)?(?: now| just| all| since| finally)* (?:(?:switched|moved|migrated|shifted|changed)(?: over)?(?: [\w -]{1,30})? from [^,.;:]{1,40} to\b|"
    r"(?:went|gone|switched|moved|reverted|returned|changed) back to\b|replaced [^,.;:]{1,40} (?:with|by)\b|stopped using\b|given up on\b|gave up on\b|ditched\b|abandoned\b)|"
    r"\b(?:we|i) no longer (?!see|get|find|feel|know|have|remember|think|fail|hit|notice|receive|hear|care|understand|believe|exist)\w|"
    r"\b(?:we|i) (?:don't|do not|won't) (?:ever )?(?!see|get|find|feel|know|have|remember|think|fail|hit|notice|receive|hear|care|understand|believe|need you)[^,.;:]{2,60} any ?(?:more|longer)\b|"
    r"(?:我們|我们|團隊|团队|大家|咱們|咱们)[^,。;]{0,14}(?:改回|換回|换回|用回|切回|不再(?:用|使用|採用|采用)|棄用|弃用|放棄|放弃|改變主意|改变主意)|"
    r"(?:我們|我们|團隊|团队|大家|咱們|咱们)[^,。;]{0,10}(?:把|將|将)[^,。;這这那它]{1,20}(?:換成|换成|換掉|换掉)"
)


def find_change(folded: str) -> AnnouncedChange | None:
    """Return the change that a folded sentence announces, or None."""
    found = [(one.name, match) for one in _CUES if (match := _compiled(one.pattern).search(folded))]
    if not found:
        return None
    # A cue that names what is given up says more than one that does not.
    name, match = next((one for one in found if _group(one[1], "old")), found[0])
    subjects = [_group(match, "subject"), _group(match, "subject2"), *(_group(one, "subject") for _, one in found)]
    returns = next((text for _, one in found if (text := _group(one, "returns"))), "")
    return AnnouncedChange(name, _group(match, "old"), next(filter(None, subjects), ""), returns)


def says_newer(folded: str) -> bool:
    """Return whether a folded text says that it describes a change, or how something is now."""
    return find_change(folded) is not None or _compiled(_NEWER).search(folded) is not None


def _group(match: re.Match[str], name: str) -> str:
    return (match.groupdict().get(name) or "").strip()


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Compiled at first use: most commands need none of them.
    return re.compile(pattern)
