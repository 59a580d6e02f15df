"""Finds the decision that a question asks about."""

import re
from collections.abc import Sequence

from msgspec import Struct

from satchel.conversations.chains import topic_terms
from satchel.conversations.cues import split_old, split_topic
from satchel.domain.conversation import ClauseKind, Decision
from satchel.domain.words import content_terms

# Longer questions are cut.
MAX_QUESTION_CHARS = 300
# Minimum share of a question's terms that a decision must contain.
MIN_SHARE = 0.6

_VERBS = (
    r"(?:choose|chose|chosen|pick(?:ed)?|select(?:ed)?|use|using|used|adopt(?:ed)?|go(?:ing)? with|went with|settle(?:d)? on|"
    r"decide(?:d)?(?: on| to use| to go with| to adopt| to switch to| to move to| to| for| in favou?r of)?|opt(?:ed)? for|"
    r"prefer(?:red)?|take|took|keep|kept|stick(?:ing)? (?:with|to)|stuck with|stay(?:ing|ed)? (?:with|on)|"
    r"switch(?:ed|ing)?(?: back| over)? to|mov(?:e|ed|ing)(?: back| over)? to|migrat(?:e|ed|ing) to|chang(?:e|ed|ing) to|"
    r"go(?:ing)? back to|went back to|return(?:ed)? to|revert(?:ed|ing)? to)"
)
_DROP_VERBS = (
    r"(?:drop(?:ped)?|abandon(?:ed)?|reject(?:ed)?|give up(?: on)?|gave up(?: on)?|stop(?:ped)? using|replace(?:d)?|"
    r"mov(?:e|ed|ing) (?:away )?(?:from|off)|switch(?:ed|ing)? away from|get rid of|retire(?:d)?|not (?:use|choose|pick|go with|adopt|keep)|"
    r"ditch(?:ed)?|scrap(?:ped)?|rule(?:d)? out|leave|left|migrate(?:d)? (?:away )?from|decide(?:d)? against)"
)
_AUX = r"(?:did|do|does|are|were|have|had|is|was|'d|'re)?"
_WHO = r"(?:we|i|you|the team|our team|they|us)?"
_QUESTIONS = (
    ("moved", r"\b(?:why|how come|what made)\b.*?\b(?:switch|mov|migrat|chang)\w*\b.*?\bfrom (?P<old>.+?) (?:over )?to (?P<rest>.+)"),
    ("dropped", rf"\b(?:why|how come|what made|what was the reason)\b\s*(?:{_AUX}\s*{_WHO}\s*)(?:\w+ ){{0,2}}?{_DROP_VERBS} (?P<rest>.+)"),
    ("dropped", rf"\bwhy (?:didn't|don't|did not|aren't|not|haven't)\s*{_WHO}\s*(?:{_VERBS} )?(?P<rest>.+)"),
    ("chosen", rf"\b(?:why|how come|what made|what was the reason|what is the reason|what's the reason|remind me why|on what grounds|for what reason)\b\s*(?:that )?(?:{_AUX}\s*{_WHO}\s*)(?:\w+ ){{0,2}}?{_VERBS} (?P<rest>.+)"),
    ("chosen", r"\b(?:reason(?:s|ing)?|rationale|motivation|thinking) (?:for|behind|of|to)\s*(?:choosing|picking|using|adopting|selecting|going with|switching to|moving to|the move to|the switch to|our choice of|the choice of|choice of)?\s*(?P<rest>.+)"),
    ("chosen", r"\b(?:why|how come|what is the reason|what's the reason)\b\s*(?:that )?(?:are |were |'re )?(?:we|they|the team|you)(?: are| were|'re)?(?: still)? on (?P<rest>.+)"),
    ("chosen", r"\bwhat did (?:we|the team) decide (?:about|on|for|regarding) (?P<topical>.+)"),
    ("chosen", r"\bwhy (?:is|was|are|were) (?P<rest>.+?) (?:chosen|picked|selected|used|adopted|our choice|preferred)\b(?P<more>.*)"),
    ("chosen", r"^\W*why (?P<rest>(?!did|do|does|are|were|is|was|have|had|not|didn't|don't)[^?]{2,80})\?*$"),
    ("moved", r"(?:为什么|為什麼|为何|為何|为啥|怎么|怎麼).*?(?:从|從|由|把|将|將)(?P<old>.+?)(?:迁移到|遷移到|切换到|切換到|换到|換到|换成|換成|迁到|遷到|改成|改为|改為|改用|替换成|替换为|切到)(?P<rest>.+)"),
    ("dropped", r"(?:为什么|為什麼|为何|為何|为啥|怎么|怎麼)(?:我们|我們|当初|當初|后来|後來|最后|最後|会|會|就|要|当时)*(?:不用|不选|不選|不采用|不再用|不再使用|放弃|放棄|弃用|棄用|没选|沒選|没用|没有选|没有用|排除|换掉|換掉|停用|否决|否決|淘汰)(?:了)?(?P<rest>.+)"),
    ("chosen", r"(?:为什么|為什麼|为何|為何|为啥|怎么|怎麼)(?:我们|我們|当初|當初|后来|後來|最后|最後|最终|会|會|就|要|团队|團隊|决定|決定|又|当时|还是|還是|，)*(?:选择|選擇|选用|選用|选了|選了|选|選|采用|採用|使用|用了|用|改用|换成|換成|切换到|切換到|迁移到|遷移到|迁到|换到|改成|改为|改為|改回|换回|換回|回到|保留|定了|定|上(?=\s*[A-Za-z]))(?:了)?(?P<rest>.+)"),
    ("chosen", r"(?:为什么|為什麼|为何|為何|为啥)(?:最后|最後|最终)?是(?P<rest>.+)"),
    ("chosen", r"(?P<rest>[^，。？]{1,40}?)是怎么(?:选出来|定下来|选)的"),
    ("chosen", r"(?:选择|選擇|选|選|采用|採用|使用|用|改用|换成|換成)(?P<rest>.+?)的?(?:原因|理由)(?:是什么|是什麼|呢|是啥)?"),
    ("chosen", r"(?:关于|關於)(?P<topical>.+?)(?:我们|我們)?(?:决定|決定)"),
)  # fmt: skip
_GENERIC = re.compile(
    r"^(?:(?:the|that|this|our|such an?|its|their|these|those|different|new|current|another)(?:\s+|$)|它|这个|這個|那个|那個|这种|這種|那种|现在的|現在的|新的|目前的|什么|哪个)\s*",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^an?\s+", re.IGNORECASE)
_PRESENT = re.compile(
    r"[,，]?\s*\b(?:right now|now(?!\.)|nowadays|currently|presently|these days|at (?:the moment|present))(?!\w)|现在|現在|目前|如今|眼下"
)
_ENDING = re.compile(r"[\s?？。.!！,，]*(?:in the first place|back then|again|then|originally|at all|anyway|in the end|呢|的|了|吗|嗎|啊|呀)*[\s?？。.!！,，]*$", re.IGNORECASE)  # fmt: skip


class WhyQuestion(Struct, frozen=True):
    """A parsed question about a decision."""

    kind: str
    """chosen, dropped or moved: whether it asks about a choice, about its end, or about both."""
    choice: str
    topic: str
    old: str
    is_generic: bool
    """Whether it names a kind of thing ("the database") rather than a choice."""


class DecisionMatch(Struct, frozen=True):
    """The decision that answers a question, and the share of the question that it covers."""

    decision: Decision
    share: float


def without_present(question: str) -> str:
    """Return a question without words for the present: of decisions on the same matter, the newest one counts anyway."""
    return _PRESENT.sub("", question).strip() or question


def parse_question(question: str) -> WhyQuestion:
    """Return what a question asks about."""
    plain = question[:MAX_QUESTION_CHARS].replace("\u2019", "'").strip()
    for kind, pattern in _QUESTIONS:
        if found := re.search(pattern, plain, re.IGNORECASE):
            parts = found.groupdict()
            topical = parts.get("topical")
            rest = _ENDING.sub("", topical or (parts.get("rest") or "") + (parts.get("more") or ""))
            rest, alternative = split_old(rest)
            choice, topic = (rest, None) if topical else split_topic(rest)
            old = parts.get("old") or alternative or ""
            is_generic = bool(topical) or _GENERIC.match(choice) is not None
            choice = _ARTICLE.sub("", _GENERIC.sub("", choice.strip()))
            return WhyQuestion(kind, choice, (topic or "").strip(), old.strip(), is_generic)
    rest = re.sub(r"^\W*(?:why|为什么|為什麼)\W*", "", plain, flags=re.IGNORECASE)
    return WhyQuestion("chosen", rest, "", "", True)


def find_decision(question: str, decisions: Sequence[Decision]) -> DecisionMatch | None:
    """Return the decision that a question asks about, if one is recorded; of equal matches, the newest."""
    parsed = parse_question(question)
    by_id = {one.id: one for one in decisions}
    best: DecisionMatch | None = None
    for one in decisions:
        share = _share(parsed, one, by_id.get(one.replaces) if one.replaces else None)
        if share > 0 and (best is None or share >= best.share):
            best = DecisionMatch(one, share)
    return best


def _share(question: WhyQuestion, one: Decision, replaced: Decision | None) -> float:
    """Return the share of a question that a decision covers, 0 if it is about something else."""
    asked, choice = topic_terms(question.choice), topic_terms(one.choice)
    covered = _overlap(asked, choice)
    # A choice that the question names must be the one that was made; being talked about is not enough.
    if not asked or (question.kind != "dropped" and not question.is_generic and covered < MIN_SHARE):
        return 0.0
    dropped = _dropped_terms(one, replaced)
    if question.kind == "dropped":
        share = _overlap(asked, dropped)
        return share if share >= MIN_SHARE and not asked <= choice else 0.0
    if question.old and not topic_terms(question.old) & dropped:
        return 0.0
    if question.is_generic:
        wanted = asked | topic_terms(question.topic or question.choice)
        share = _overlap(wanted, (choice | _context_terms(one)) - (dropped - choice))
        return share if share >= MIN_SHARE else 0.0
    if not question.topic:
        return covered
    topic = topic_terms(question.topic)
    topic_share = _overlap(topic, choice | _context_terms(one))
    return (covered * len(asked) + topic_share * len(topic)) / (len(asked) + len(topic))


def _dropped_terms(one: Decision, replaced: Decision | None) -> frozenset[str]:
    clauses = (*one.clauses_of(ClauseKind.REPLACED), *one.clauses_of(ClauseKind.ALTERNATIVE))
    texts = [*(clause.text for clause in clauses), *([replaced.choice] if replaced else [])]
    return frozenset(term for text in texts for term in topic_terms(text))


def _context_terms(one: Decision) -> frozenset[str]:
    texts = (one.topic, one.statement, *(clause.text for clause in one.clauses_of(ClauseKind.QUESTION)))
    return frozenset(term for text in texts for term in content_terms(text))


def _overlap(wanted: frozenset[str], terms: frozenset[str]) -> float:
    return len(wanted & terms) / len(wanted) if wanted else 0.0
