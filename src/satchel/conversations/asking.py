"""Asking: which decision a question is about, and the chain it stands in. Where none is recorded, none is made up."""

import re
from collections.abc import Sequence

from msgspec import Struct

from satchel.conversations.cues import split_old, split_topic
from satchel.conversations.things import terms_of
from satchel.domain.conversation import ClauseKind, Decision
from satchel.domain.words import telling_terms

MAX_CHAIN = 50
# Whoever asks why asks it in a sentence.
MAX_QUESTION_CHARS = 300
# Of the words of a question that names no thing, so many have to be in the decision.
LEAST_SHARE = 0.6

_VERBS = (
    r"(?:choose|chose|chosen|pick(?:ed)?|select(?:ed)?|use|using|used|adopt(?:ed)?|go(?:ing)? with|went with|settle(?:d)? on|"
    r"decide(?:d)?(?: on| to use| to go with| to adopt| to switch to| to move to| to| for| in favou?r of)?|opt(?:ed)? for|"
    r"prefer(?:red)?|take|took|keep|kept|stick(?:ing)? (?:with|to)|stuck with|stay(?:ing|ed)? (?:with|on)|"
    r"switch(?:ed|ing)?(?: back| over)? to|mov(?:e|ed|ing)(?: back| over)? to|migrat(?:e|ed|ing) to|chang(?:e|ed|ing) to|"
    r"go(?:ing)? back to|went back to|return(?:ed)? to|revert(?:ed|ing)? to)"
)
_AWAY = (
    r"(?:drop(?:ped)?|abandon(?:ed)?|reject(?:ed)?|give up(?: on)?|gave up(?: on)?|stop(?:ped)? using|replace(?:d)?|"
    r"mov(?:e|ed|ing) (?:away )?(?:from|off)|switch(?:ed|ing)? away from|get rid of|retire(?:d)?|not (?:use|choose|pick|go with|adopt|keep)|"
    r"ditch(?:ed)?|scrap(?:ped)?|rule(?:d)? out|leave|left|migrate(?:d)? (?:away )?from|decide(?:d)? against)"
)
_AUX = r"(?:did|do|does|are|were|have|had|is|was|'d|'re)?"
_WHO = r"(?:we|i|you|the team|our team|they|us)?"
_QUESTIONS = (
    ("moved", r"\b(?:why|how come|what made)\b.*?\b(?:switch|mov|migrat|chang)\w*\b.*?\bfrom (?P<old>.+?) (?:over )?to (?P<rest>.+)"),
    ("away", rf"\b(?:why|how come|what made|what was the reason)\b\s*(?:{_AUX}\s*{_WHO}\s*)(?:\w+ ){{0,2}}?{_AWAY} (?P<rest>.+)"),
    ("away", rf"\bwhy (?:didn't|don't|did not|aren't|not|haven't)\s*{_WHO}\s*(?:{_VERBS} )?(?P<rest>.+)"),
    ("chosen", rf"\b(?:why|how come|what made|what was the reason|what is the reason|what's the reason|remind me why|on what grounds|for what reason)\b\s*(?:that )?(?:{_AUX}\s*{_WHO}\s*)(?:\w+ ){{0,2}}?{_VERBS} (?P<rest>.+)"),
    ("chosen", r"\b(?:reason(?:s|ing)?|rationale|motivation|thinking) (?:for|behind|of|to)\s*(?:choosing|picking|using|adopting|selecting|going with|switching to|moving to|the move to|the switch to|our choice of|the choice of|choice of)?\s*(?P<rest>.+)"),
    ("chosen", r"\bwhat did (?:we|the team) decide (?:about|on|for|regarding) (?P<topical>.+)"),
    ("chosen", r"\bwhy (?:is|was|are|were) (?P<rest>.+?) (?:chosen|picked|selected|used|adopted|our choice|preferred)\b(?P<more>.*)"),
    ("chosen", r"^\W*why (?P<rest>(?!did|do|does|are|were|is|was|have|had|not|didn't|don't)[^?]{2,80})\?*$"),
    ("moved", r"(?:为什么|為什麼|为何|為何|为啥|怎么|怎麼).*?(?:从|從|由|把|将|將)(?P<old>.+?)(?:迁移到|遷移到|切换到|切換到|换到|換到|换成|換成|迁到|遷到|改成|改为|改為|改用|替换成|替换为|切到)(?P<rest>.+)"),
    ("away", r"(?:为什么|為什麼|为何|為何|为啥|怎么|怎麼)(?:我们|我們|当初|當初|后来|後來|最后|最後|会|會|就|要|当时)*(?:不用|不选|不選|不采用|不再用|不再使用|放弃|放棄|弃用|棄用|没选|沒選|没用|没有选|没有用|排除|换掉|換掉|停用|否决|否決|淘汰)(?:了)?(?P<rest>.+)"),
    ("chosen", r"(?:为什么|為什麼|为何|為何|为啥|怎么|怎麼)(?:我们|我們|当初|當初|后来|後來|最后|最後|最终|会|會|就|要|团队|團隊|决定|決定|又|当时|还是|還是|，)*(?:选择|選擇|选用|選用|选了|選了|选|選|采用|採用|使用|用了|用|改用|换成|換成|切换到|切換到|迁移到|遷移到|迁到|换到|改成|改为|改為|改回|换回|換回|回到|保留|定了|定|上(?=\s*[A-Za-z]))(?:了)?(?P<rest>.+)"),
    ("chosen", r"(?:为什么|為什麼|为何|為何|为啥)(?:最后|最後|最终)?是(?P<rest>.+)"),
    ("chosen", r"(?P<rest>[^，。？]{1,40}?)是怎么(?:选出来|定下来|选)的"),
    ("chosen", r"(?:选择|選擇|选|選|采用|採用|使用|用|改用|换成|換成)(?P<rest>.+?)的?(?:原因|理由)(?:是什么|是什麼|呢|是啥)?"),
    ("chosen", r"(?:关于|關於)(?P<topical>.+?)(?:我们|我們)?(?:决定|決定)"),
)  # fmt: skip
_GENERAL = re.compile(
    r"^(?:(?:the|that|this|our|such an?|its|their|these|those|different|new|current|another)(?:\s+|$)|它|这个|這個|那个|那個|这种|這種|那种|现在的|現在的|新的|目前的|什么|哪个)\s*",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^an?\s+", re.IGNORECASE)
_ENDING = re.compile(r"[\s?？。.!！,，]*(?:in the first place|back then|again|then|originally|at all|anyway|in the end|呢|的|了|吗|嗎|啊|呀)*[\s?？。.!！,，]*$", re.IGNORECASE)  # fmt: skip


class Asked(Struct, frozen=True):
    """What a question is about."""

    way: str
    """chosen, away or moved: whether it asks for a choice, for its end, or for both."""
    thing: str
    topic: str
    old: str
    is_general: bool
    """Whether it names a sort of thing rather than a thing."""


class Answer(Struct, frozen=True):
    """The decision that answers a question, and how much of the question is about it."""

    decision: Decision
    share: float


def understood(question: str) -> Asked:
    """Return what a question is about."""
    plain = question[:MAX_QUESTION_CHARS].replace("\u2019", "'").strip()
    for way, pattern in _QUESTIONS:
        if found := re.search(pattern, plain, re.IGNORECASE):
            parts = found.groupdict()
            topical = parts.get("topical")
            rest = _ENDING.sub("", topical or (parts.get("rest") or "") + (parts.get("more") or ""))
            rest, beside = split_old(rest)
            thing, topic = (rest, None) if topical else split_topic(rest)
            old = parts.get("old") or beside or ""
            general = bool(topical) or _GENERAL.match(thing) is not None
            return Asked(
                way, _ARTICLE.sub("", _GENERAL.sub("", thing.strip())), (topic or "").strip(), old.strip(), general
            )
    return Asked("chosen", re.sub(r"^\W*(?:why|为什么|為什麼)\W*", "", plain, flags=re.IGNORECASE), "", "", True)


def answered(question: str, decisions: Sequence[Decision]) -> Answer | None:
    """Return the decision that a question asks about, or None where none is recorded. The newest of equals counts."""
    asked = understood(question)
    by_id = {one.id: one for one in decisions}
    best: Answer | None = None
    for one in decisions:
        share = _share(asked, one, by_id.get(one.replaces) if one.replaces else None)
        if share > 0 and (best is None or share >= best.share):
            best = Answer(one, share)
    return best


def _share(asked: Asked, one: Decision, replaced: Decision | None) -> float:
    """Return how much of a question a decision is about, 0 where it is about something else."""
    thing, choice = terms_of(asked.thing), terms_of(one.choice)
    named = _of(thing, choice)
    # A thing that was named has to be what was chosen: it does not do that it was talked of.
    if not thing or (asked.way != "away" and not asked.is_general and named < LEAST_SHARE):
        return 0.0
    gone = _gone(one, replaced)
    if asked.way == "away":
        return _of(thing, gone) if _of(thing, gone) >= LEAST_SHARE and not thing <= choice else 0.0
    if asked.old and not terms_of(asked.old) & gone:
        return 0.0
    if asked.is_general:
        share = _of(thing | terms_of(asked.topic or asked.thing), (choice | _about(one)) - (gone - choice))
        return share if share >= LEAST_SHARE else 0.0
    if not asked.topic:
        return named
    topic = terms_of(asked.topic)
    return (named * len(thing) + _of(topic, choice | _about(one)) * len(topic)) / (len(thing) + len(topic))


def _gone(one: Decision, replaced: Decision | None) -> frozenset[str]:
    clauses = (*one.clauses_of(ClauseKind.REPLACED), *one.clauses_of(ClauseKind.ALTERNATIVE))
    texts = [*(clause.text for clause in clauses), *([replaced.choice] if replaced else [])]
    return frozenset(term for text in texts for term in terms_of(text))


def _about(one: Decision) -> frozenset[str]:
    texts = (one.topic, one.statement, *(clause.text for clause in one.clauses_of(ClauseKind.QUESTION)))
    return frozenset(term for text in texts for term in telling_terms(text)) if any(texts) else frozenset()


def _of(wanted: frozenset[str], held: frozenset[str]) -> float:
    return len(wanted & held) / len(wanted) if wanted else 0.0


def chain(decision: Decision, decisions: Sequence[Decision]) -> list[Decision]:
    """Return the decisions that a decision stands among, newest first: what replaced it, itself, what it replaced."""
    by_id = {one.id: one for one in decisions}
    later: list[Decision] = []
    following = _successor(decision, decisions)
    while following is not None and len(later) < MAX_CHAIN and following not in later:
        later.append(following)
        following = _successor(following, decisions)
    earlier: list[Decision] = []
    before = by_id.get(decision.replaces) if decision.replaces else None
    while before is not None and len(earlier) < MAX_CHAIN and before not in earlier:
        earlier.append(before)
        before = by_id.get(before.replaces) if before.replaces else None
    return [*reversed(later), decision, *earlier]


def _successor(decision: Decision, decisions: Sequence[Decision]) -> Decision | None:
    return next((one for one in decisions if one.replaces == decision.id), None)
