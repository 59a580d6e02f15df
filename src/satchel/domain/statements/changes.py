"""Read from a sentence that it announces a change: what it gives up, what it is about, and whether it returns to it.

Patterns are searched in the output of `detect.fold`: lower case, NFKC, quotations blanked out. Every quantifier is bounded.
"""

import re
from functools import cache

from msgspec import Struct

from satchel.domain.safety.compiled import compiled

_END = r"(?=\s*[,.;:!?()—。、]|\s+-\s|$)"
# What follows a name without being part of it.
_STOP = r"(?=\s+(?:for|because|since|so|and|but|while|which|as|in favou?r of|any ?more|any longer|from now on|going forward|now)\b|\s*[,.;:!?()—]|\s+-\s|$)"
_OLD = r"(?P<old>[^,.;:!?()—]{1,60}?)"
_ZH_OLD = r"(?P<old>[^,.;:!?()—。、]{1,24}?)"
_FOR = r"(?:\s+(?:for|as|when|in|at) (?!favou?r of\b)(?P<subject>[^,.;:!?()—]{2,40}))?"
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
    before: str = ""
    """Which part stands before the match, in the same clause. A pattern that began with it would be slow."""
    words: tuple[str, ...] = ("",)
    """One of these is in every match. Most texts have none, and compiling the pattern takes as long as a small search."""

    def find(self, folded: str) -> re.Match[str] | None:
        """Return where a folded sentence has the cue."""
        return _compiled(self.pattern).search(folded) if any(one in folded for one in self.words) else None


_CUES = (
    _Cue(
        CHANGED_MIND,
        r"\b(?:changed (?:our|my|their) minds?|(?:had|having) second thoughts|rethought|reconsidered)"
        r"(?: (?:about|on|regarding) (?P<subject>[^,.;:!?()—]{2,60}))?",
        words=("mind", "second thoughts", "rethought", "reconsidered"),
    ),
    _Cue(
        "back to",
        rf"\b(?:back|return(?:s|ed|ing)?|revert(?:s|ed|ing)?)(?: from {_OLD})? to (?:us(?:e|ing) )?"
        rf"(?P<returns>[^,.;:!?()—]{{1,40}}?){_FOR}{_STOP}",
        words=("back", "return", "revert"),
    ),
    _Cue(
        "from … to",
        rf"\b(?:{_MOVE})(?: over)?(?: (?P<subject>[^,.;:!?()—]{{1,40}}?))?(?: over| away)? from {_OLD} (?:over )?to\b"
        rf"(?:[^,.;:!?()—]{{1,40}}? for (?P<subject2>[^,.;:!?()—]{{2,40}}))?",
        words=(" from ",),
    ),
    _Cue(
        "away from",
        rf"\bmov(?:ed|ing|e) (?:(?P<subject>[^,.;:!?()—]{{1,40}}?) )?away from {_OLD}{_STOP}",
        words=("away from",),
    ),
    _Cue(
        "instead of",
        rf"\b(?:instead of|in place of|rather than|in lieu of) (?:us(?:e|ing) )?{_OLD}{_FOR}{_STOP}",
        words=("instead of", "in place of", "rather than", "in lieu of"),
    ),
    _Cue(
        "replace",
        rf"\b(?:replac|swap|substitut|exchang)(?:e|es|ed|ing|ped|ping)?(?: out)? {_OLD} (?:with|by|for)\b"
        r"(?:[^,.;:!?()—]{1,40}? (?:for|in) (?P<subject>[^,.;:!?()—]{2,40}))?",
        words=("replac", "swap", "substitut", "exchang"),
    ),
    _Cue(
        "replaces",
        rf"\b(?:replaces|replaced|supersedes|takes over from|takes the place of|(?:is|are) replacing) {_OLD}{_FOR}{_STOP}",
        words=("replac", "supersedes", "takes over from", "takes the place of"),
    ),
    _Cue(
        "replaced by",
        r" (?:is|are|was|were|gets?|has been|have been|will be)(?: now)? (?:replaced|superseded) (?:by|with)\b",
        "old",
        words=("replaced", "superseded"),
    ),
    _Cue("no longer", rf"\bno longer (?:{_USE} )?(?:in |on |at )?{_OLD}{_FOR}{_STOP}", words=("no longer",)),
    _Cue(
        "not anymore",
        rf"(?:\b(?:not|never)|n't)\b,? (?:going to )?(?:{_USE} )?{_OLD}(?: for (?P<subject>[^,.;:!?()—]{{2,40}}?))? (?:any ?more|any longer)\b",
        words=("anymore", "any more", "any longer"),
    ),
    _Cue(
        "stopped",
        r"\b(?:stop(?:s|ped|ping)?|quit(?:ting)?|(?:am|are|'re|'m|is) (?:done|through|finished) with|giv(?:e|en|ing) up(?: on)?|"
        r"gave up(?: on)?|drop(?:s|ped|ping)?|ditch(?:es|ed|ing)?|abandon(?:s|ed|ing)?|retir(?:e|es|ed|ing)|"
        r"scrap(?:s|ped|ping)?|deprecat(?:e|es|ed|ing)|phas(?:e|ed|ing) out|gone off|went off|(?:i|we) left|leaving|"
        r"(?:got|gotten|getting) rid of|(?:turn|switch)(?:ed|ing) off|cancell?(?:ed|ing))"
        rf" (?:us(?:e|ing) )?{_OLD}{_FOR}{_STOP}",
        words=(
            "stop",
            "quit",
            "done",
            "through",
            "finished",
            "giv",
            "gave",
            "drop",
            "ditch",
            "abandon",
            "retir",
            "scrap",
            "deprecat",
            "phas",
            "off",
            "left",
            "leaving",
            "rid of",
            "cancel",
        ),
    ),
    _Cue(
        "is out",
        r" (?:(?:is|are|was|were|has been|have been)(?: now)? (?:out|gone|dropped|cancell?ed|dead|history|obsolete|retired|"
        r"deprecated|over|too \w+)|dropped|cancell?ed)(?=\s*[,.;:!?()—]|\s+-\s|$|\s+for us\b)",
        "old",
        words=("out", "gone", "drop", "cancel", "dead", "history", "obsolete", "retired", "deprecated", "over", "too"),
    ),
    _Cue(
        "now, not",
        rf"\b(?:now(?: on)?|going forward|henceforth),? (?:and )?not (?:on |in |at |to |with )?{_OLD}{_STOP}",
        words=("not",),
    ),
    _Cue("moved to", rf"\b(?:{_MOVE})(?: over)? to (?:[^,.;:!?()—]{{1,40}}? for (?P<subject>[^,.;:!?()—]{{2,40}}))?"),
    _Cue("instead", r"\binstead\b(?! of)", words=("instead",)),
)
_ZH_CUES = (
    _Cue(
        CHANGED_MIND_ZH,
        r"(?:(?:關於|关于|對於|对于)(?P<subject>[^,;:。]{1,16}?)[,\s]*)?(?:我們|我们|我|大家)?又?(?:改變|改变|改了|換了|换了|改)(?:主意|想法|決定|决定)",
    ),
    _Cue(
        "從…換成",
        rf"[從从由]{_ZH_OLD}(?:全部|都|統一|统一)?[換换改遷迁轉转切移搬][換换移]?[成為为到用至放存去]",
        "subject",
    ),
    _Cue(
        "把…換成",
        rf"[把將将]{_ZH_OLD}(?:全部|都)?(?:[換换改停拿去刪删遷迁]|替換|替换|取代|遷移|迁移|移除)[成為为掉用到]",
    ),
    _Cue(
        "取代",
        rf"(?:取代|代替|替代|替換|替换|換掉|换掉|而不是|而非|不是再)[掉了]?(?:原本的|原来的|原來的|舊的|旧的)?{_ZH_OLD}{_END}",
    ),
    _Cue(
        "改回",
        rf"(?:改回|換回|换回|退回|回到|恢復|恢复|用回|切回|搬回)(?:到|用|成|使用)?(?P<returns>[^,.;:!?()。、]{{1,24}}?){_END}",
        "subject",
    ),
    _Cue(
        "不再",
        rf"(?:不再|不會再|不会再|停用|棄用|弃用|淘汰|放棄|放弃|停止|取消)(?:使用|用|採用|采用)?了?{_ZH_OLD}了?{_END}",
        "subject",
    ),
    _Cue(
        "停掉",
        rf"(?:已經|已经|就|也|都|全部)?(?:停掉|停用|棄用|弃用|淘汰|下線|下线|退役|退場|退场|作廢|作废)[掉了]*{_END}",
        "old",
    ),
    _Cue("不用…了", rf"不(?:使用|[用去喝吃要走放存做穿坐搭住買买看在寫写寄]){_ZH_OLD}了{_END}", "subject"),
    _Cue(
        "改用",
        r"改[用成為为走吃喝由在到放存去坐搭]|[換换][成到用]|[轉转]用|切[換换]到|[遷迁]移到",
        "subject",
    ),
)
_CLAUSE_START = r"[,.;:!?()—。、]\s*(?=[^,.;:!?()—。、]*\Z)"
# Maximum number of characters before a cue that are read as its old value or subject.
MAX_BEFORE = 40

# Besides the cues: words that mark a text as the newer of two about the same subject, not enough to retire anything.
_NEWER = (
    r"\b(?:now|nowadays|these days|since (?:this|last|the)|as of|from (?:now|today|tomorrow|this|next|\d|january|february|march|april|may|june|"
    r"july|august|september|october|november|december|mon|tues|wednes|thurs|fri|satur|sun)[\w.]*(?: \w+)? ?(?:on|onwards?|forward)?|starting|new|newly|"
    r"changed|changes|moved?|moves|raised|lowered|increased|reduced|extended|shortened|doubled|halved|updated|postponed|brought forward|"
    r"went (?:up|down)|turned (?:off|on|down|up)|renamed|rescheduled|no more|until further notice|effective)\b|"
    r"現在|现在|目前|起(?=[,。\s]|$)|開始|开始|改|換|换|調|调|漲|涨|降|停掉|停用|取消|延後|延后|延長|延长|提前|縮短|缩短|新的|新價|新价|最新"
)

_ONLY_REOPENED = (
    r"^\W*(?:(?:ok|okay|so|actually|well|hm+)\W+)*(?:we|i)(?:'ve| have)?(?: just| all| both)* (?:changed (?:our|my) minds?|had second thoughts) "
    r"(?:about|on|regarding) ([^,.;:!?()—]{2,60})\W*$|"
    r"^\W*(?:關於|关于|對於|对于)([^,;:。]{1,16}?)[,\s]*(?:我們|我们|我|大家)?又?(?:改變|改变|改了|換了|换了)(?:主意|想法|決定|决定)了?\W*$"
)
# Where someone goes is not a choice.
_NO_PLACE = (
    r"(?!(?:sleep|bed|work(?!ing)|lunch|home|school|normal|square one|basics|the (?:office|hotel|shop|store|gym|drawing board|start|"
    r"beginning|top)|(?:it|this|that|you|him|her|them))\b)"
)
# A change that the writer makes, not one that happens or that the sentence asks for.
OWN_CHANGE = (
    r"(?P<mind>\b(?:we|i)(?:'ve| have)?(?: just| all| both| now| since)* (?:changed (?:our|my) minds?|had second thoughts)\b(?!.{1,80}\bfor now\b))|"
    r"\blet(?:'s|s| us)(?: all| just| please| rather)* (?:(?:switch|move(?! on\b)|migrate|change|go(?! on\b)|return|revert|shift)(?: over| back| [\w -]{1,30})? (?:from|to)\b|"
    r"(?:replace|swap(?: out)?) [^,.;:]{1,40} (?:with|for|by)\b|(?:stop|quit) using\b|(?:drop|ditch|retire|abandon|phase out)\b (?!this|that|it\b))|"
    rf"\b(?:we|i)(?:'re|'m| are| am| will be)?(?: now| all)* (?:(?:(?:switch|mov|migrat|shift|revert|return|chang)ing(?: over| back| [\w -]{{1,30}})? (?:from\b[^,.;:]{{1,40}} )?(?:back )?to|"
    # Not "going to do"
    rf"going(?: [\w -]{{1,30}}?)? (?:from\b[^,.;:]{{1,40}} |back )(?:back )?to) (?:us(?:e|ing) )?{_NO_PLACE}\w"
    r"|replacing [^,.;:]{1,40} (?:with|by)\b|done with (?!this|that|it\b|the\b)\w|ditching|abandoning|dropping|giving up on)|"
    r"\b(?:we|i)(?:'ve| have|'s| has)?(?: now| just| all| since| finally)* (?:(?:switched|moved|migrated|shifted|changed)(?: over)?(?: [\w -]{1,30})? from [^,.;:]{1,40} to\b|"
    rf"(?:(?:went|gone|switched|moved|changed) back|(?:reverted|returned)(?: back)?) to {_NO_PLACE}|replaced [^,.;:]{{1,40}} (?:with|by)\b|"
    r"(?:stopped using|given up on|gave up on|ditched|abandoned)\b(?! (?:this|that|it|him|her|them)\b))|"
    r"\b(?:we|i) no longer (?!see|get|find|feel|know|have|remember|think|fail|hit|notice|receive|hear|care|understand|believe|exist)\w|"
    r"\b(?:we|i)(?: (?:don't|do not|won't)(?: ever)?|(?: aren't| are not|'re not|'m not| am not) going to) (?!see|get|find|feel|know|have|remember|think|fail|hit|notice|receive|hear|care|understand|believe|need you)[^,.;:]{2,60} any ?(?:more|longer)\b|"
    r"(?:我們|我们|團隊|团队|大家|咱們|咱们)[^,。;]{0,14}(?:改回|換回|换回|用回|切回|不再(?![是有會会能需痛怕出報报失])[^,。;]{2}|棄用|弃用|放棄|放弃|改變主意|改变主意|改了?主意)|"
    r"(?:我們|我们|團隊|团队|大家|咱們|咱们)[^,。;]{0,6}[從从由][^,。;]{1,20}[換换改遷迁轉转切移搬][換换移]?[成為为到用至去]|"
    r"(?:改[用成走放存寄由]|[換换][成到])[^,。;]{1,20},(?:而)?(?:不再(?:用|使用|採用|采用|走|放|存|寄|由)|不(?:用|使用|走)[^,。;]{1,16}了|停用|棄用|弃用)|"
    r"(?:不再[^,。;]{2,20}|不(?:使用|[用去喝吃走放存做穿坐搭住買买寫写寄])[^,。;]{1,20}了|(?:停用|棄用|弃用)[^,。;]{1,20}),[^,。;]{0,4}"
    r"(?:改(?:[用為为走放存寄由喝吃去坐搭住買买穿做]|成(?!功)|[寫写]在)|[換换][成到])[^,。;]+|"
    r"(?:我們|我们|團隊|团队|大家|咱們|咱们)[^,。;]{0,10}(?:把|將|将)[^,。;這这那它]{1,20}(?:換成|换成|換掉|换掉)"
)


def find_change(folded: str) -> AnnouncedChange | None:
    """Return the change that a folded sentence announces, or None."""
    cues = _CUES if folded.isascii() else (*_CUES, *_ZH_CUES)
    found = [_parts(one, match) for one in cues if (match := one.find(folded))]
    if not found:
        return None
    # A cue that names what is given up says more than one that does not.
    best = next((one for one in found if one.old), found[0])
    subject = best.subject or next((one.subject for one in found if one.subject), "")
    returns = next((one.returns for one in found if one.returns), "")
    return AnnouncedChange(best.cue, best.old, subject, returns)


def reopened_topic(folded: str) -> str | None:
    """Return what a folded sentence says a mind was changed about, if it says nothing else."""
    topic = _compiled(_ONLY_REOPENED).search(folded)
    return next(filter(None, topic.groups()), None) if topic else None


def says_newer(folded: str) -> bool:
    """Return whether a folded text says that it describes a change, or how something is now."""
    return _compiled(_NEWER).search(folded) is not None or find_change(folded) is not None


def _parts(cue: _Cue, match: re.Match[str]) -> AnnouncedChange:
    groups = {name: (text or "").strip() for name, text in match.groupdict().items()}
    if cue.before:
        before = match.string[max(0, match.start() - MAX_BEFORE) : match.start()]
        start = compiled(_CLAUSE_START).search(before)
        groups[cue.before] = groups.get(cue.before) or (before[start.end() :] if start else before).strip()
    return AnnouncedChange(
        cue.name, groups.get("old", ""), groups.get("subject") or groups.get("subject2", ""), groups.get("returns", "")
    )


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    # Compiled at first use: most commands need none of them.
    return re.compile(pattern)
