"""Prepare a query for a backend: remove routing phrases, find identifiers, paths, phrases and terms."""

import re

from msgspec import Struct

from satchel.domain.words import STOP_WORDS, content_terms, segment
from satchel.routing.signals import identifiers, paths, plain

# Longest first within each line, since alternatives are tried in order.
_ROUTING = re.compile(
    r"\b(?:find all (?:the )?(?:usages|uses|references|callers) (?:of|to)|find (?:the |a |an |all )?(?:function|class|method)s?"
    r"|find (?:the )?usages of|search (?:for|in)|look (?:for|in)|show me|can you|please"
    r"|what(?:'s| is| was| are| were) the (?:relationship|connection|dependency|path) (?:between|of)"
    r"|(?:relationship|relation|connection|dependency|path)s? between|relationship|how (?:does|do|did|is|are)"
    r"|what (?:did|have|had) (?:we|they|I|you) (?:decided?|choose|chosen|pick(?:ed)?|agreed?|settled?)(?: (?:about|on|upon|for|to|between))?"
    r"|what did(?= \w+ (?:decide|choose|pick|agree|settle|say|think)\b)|(?:decide|choose|pick|agree|say|said|think|thought) (?:about|on|of)|(?:decide|choose|pick|agree|settle)(?=\W*$)"
    r"|why (?:did|'d) we (?:choose|pick|use)?|recall the decisions? (?:on|about|from)?"
    r"|what (?:was|were|is|has been|got) (?:decided|agreed|chosen|settled)(?: (?:about|on|for))?"
    r"|(?:did|have|had) we (?:ever |already )?(?:decided?|choose|chosen|agreed?|settled?)(?: (?:about|on|upon|for|to|between|that))?"
    r"|(?:which|what|any|all|was|were|is|are) (?:the |a |any )?decisions? (?:(?:was|were|have been|has been) )?(?:made|taken)(?: (?:about|on|for|at|in))?"
    r"|(?:which|what) decisions? did we (?:make|take)(?: (?:about|on|for|at|in))?"
    r"|what (?:was|were) the decisions? (?:on|about|for)?"
    r"|(?:what (?:was|were|is|are) )?the (?:reasons?|rationale) (?:for|behind|of)(?: the)?"
    r"|(?:the |any |our |a )?(?:(?:latest|newest|last|most recent) )?decisions?(?! (?:trees?|tables?|boundar\w+|forests?|support))(?: (?:on|about|from|for|to|of))?"
    r"|in the (?:morning|afternoon) session|in the conversation|earlier in (?:the |this |our )?(?:conversation|chat|discussion|session)"
    r"|from this morning|this morning|explain(?: the)?|what is the approach for|where (?:is|are)|what was the last thing"
    r"|what was the last|last thing|last changes?|(?:recent|latest) (?:changes|news|activity)|just discussed|(?:a )?few minutes ago|recently"
    r"|(?:so|thus) far(?: (?:about|on|for))?|that thing (?:with|about|in)?"
    r"|relates? (?:to|with)|related (?:to|with)|relate|depends? on|trace(?: from)?|call chain (?:of|from)?)\b"
    r"|(?:查找|寻找|尋找|搜索|搜尋|找一下|解释一下|解釋一下|解释|解釋|说明一下|請問|请问|我们为什么|我們為什麼|当初为什么|當初為什麼"
    r"|为什么|為什麼|刚才|剛才|刚刚|剛剛|最近|是什么关系|是什麼關係|之间的关系|之間的關係|的关系|的關係|关于|關於|的决定|的決定"
    r"|(?:做|下)了?(?:哪些|什么|什麼)[决決]定|(?:我们|我們)?[决決]定了?(?:哪些|什么|什麼)?|如何工作|怎么工作|怎麼運作|上午的会议|下午的会议|函数|函數|那个东西|那個東西"
    r"|(?:发生|發生|新增|完成|[改说說做讲講谈談聊加])了?(?:什么|什麼|哪些)(?:事情?)?|[改说說做讲講谈談聊]了|有(?:什么|什麼|哪些)(?:新的?|变化|變化|进展|進展)?(?:消息|动态|動態|事情?)?)",
    re.IGNORECASE | re.ASCII,
)
# Question words and pronouns stand between the content words of Chinese without a space, and would join them into terms of their own.
_PHRASING_HAN = re.compile(
    r"什[么麼]时候|什[么麼]時候|[为為]什[么麼]|[为為]何|怎[么麼]样|怎[么麼樣]|怎样|如何|什[么麼]|哪[些个個里裡]|多少|多久|几时|幾時|何时|何時|[谁誰]|[吗嗎呢]"
    r"|[我你您他她它咱][们們]|大家(?![庭族])|(?<!自)我(?![国國])|[你您](?!好)"
)
# Particles at the end of a Chinese phrase, which would be joined to its last word.
_ENDING_HAN = re.compile(r"(?<=[\u4e00-\u9fff])(?:的(?:事情?|东西|東西)?|了)(?![\u4e00-\u9fff])")
_HOW_IT_WORKS = re.compile(r"\b(?:works?|handled|strateg(?:y|ies)|what happens (?:if|when))\b|[?？!！]", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“]([^\"”\n]{2,200})[\"”]|`([^`\n]{2,200})`|「([^」\n]{1,200})」")
_PARTS = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z0-9]+|[A-Z]+")
# Words without content: a query of these only asks for what is new.
_EMPTY = (
    "we i you changed change changes did discussed discuss talked about said say thing things last new happened done "
    "worked working doing what's whats did recently just ago today now happen happens happening added anything everything something "
    "anyone news since during talk talking discussing speak spoke spoken mention mentioned tell told chat chatted note noted 改了 改动 改動 说了 說了 做了 说的 內容 内容 讨论 討論 什么 什麼"
)
_EMPTY_WORDS = frozenset(_EMPTY.split())
MAX_ENTITIES = 8
_LATIN_WORD = re.compile(r"[A-Za-z]+")
_END = r"(?:the |an? |our )?(?P<{}>[\w.:]*\w)"
_ENDS = re.compile(
    rf"\b(?:between {_END.format('one')} and|from {_END.format('start')} to) {_END.format('other')}\W*$", re.IGNORECASE
)
_PROPER = re.compile(
    r"(?<=[^\s.?!:] )[A-Z][a-z][a-z0-9]+(?![A-Za-z0-9_])|(?<![A-Za-z0-9_./-])[A-Z]{3,}(?![A-Za-z0-9_./-])"
)
CALENDAR = frozenset(
    [
        "monday",
        "tuesday",
        "wednesday",
        "thursday",
        "friday",
        "saturday",
        "sunday",
        "mondays",
        "tuesdays",
        "wednesdays",
        "thursdays",
        "fridays",
        "saturdays",
        "sundays",
        "january",
        "february",
        "march",
        "april",
        "may",
        "june",
        "july",
        "august",
        "september",
        "october",
        "november",
        "december",
        "easter",
        "christmas",
    ]
)


class PreparedQuery(Struct, frozen=True):
    """A query as a backend gets it."""

    text: str
    """The query without routing phrases; the whole query if nothing else is left."""
    terms: tuple[str, ...]
    """Content words; empty if the query only asks for what is new."""
    identifiers: tuple[str, ...]
    paths: tuple[str, ...]
    phrases: tuple[str, ...]
    """Quoted phrases."""

    @property
    def exact(self) -> tuple[str, ...]:
        """Texts to be found verbatim."""
        return (*self.identifiers, *self.paths, *self.phrases)


def prepare_query(query: str) -> PreparedQuery:
    """Parse a query into text, terms and exact parts."""
    text = plain(query)
    phrases = tuple(next(filter(None, found)) for found in _QUOTED.findall(text))
    kept = _PHRASING_HAN.sub(" ", _HOW_IT_WORKS.sub(" ", _ROUTING.sub(" ", text)))
    kept = " ".join(_ENDING_HAN.sub(" ", kept).split())
    terms = tuple(term for term in content_terms(kept) if term not in _EMPTY_WORDS | STOP_WORDS) if kept else ()
    return PreparedQuery(kept or " ".join(text.split()), terms, identifiers(text), paths(text), phrases)


def has_content(query: str) -> bool:
    """Return whether a query asks for anything: about something, or at least for what is new."""
    prepared = prepare_query(query)
    return bool(prepared.terms or prepared.exact) or not STOP_WORDS.issuperset(
        content_terms(_PHRASING_HAN.sub(" ", plain(query)))
    )


def lexical(query: PreparedQuery) -> str:
    """Return the query for a lexical search: exact texts first, identifiers also in parts, then the content words."""
    content = " ".join(query.terms) or query.text
    words = [*query.exact, *(part for name in query.identifiers for part in parts(name)), content]
    return " ".join(dict.fromkeys(words))


def parts(identifier: str) -> tuple[str, ...]:
    """Return the words of a compound identifier."""
    found = tuple(one.lower() for one in _PARTS.findall(identifier))
    return found if len(found) > 1 else ()


def entities(query: PreparedQuery) -> tuple[str, ...]:
    """Return the names in a query: identifiers, phrases, then capitalized words."""
    capitals = re.findall(r"(?<![A-Za-z0-9_])[A-Z][A-Za-z0-9_]+(?: [A-Z][A-Za-z0-9_]+)*", query.text)
    return tuple(dict.fromkeys((*query.identifiers, *query.phrases, *capitals)))[:MAX_ENTITIES]


def named_things(text: str) -> tuple[str, ...]:
    """Return what a text names: identifiers, capitalized words other than the first, and the two ends of a path."""
    asked = plain(text)
    capitals = re.findall(r"(?<=[^\s.?!] )[A-Z][a-z0-9]+\b", asked)
    found = _ENDS.search(asked)
    ends = [one for one in found.groups() if one and one.lower() not in STOP_WORDS] if found else []
    return tuple(dict.fromkeys((*identifiers(asked), *capitals, *ends)))[:MAX_ENTITIES]


def proper_names(text: str) -> tuple[str, ...]:
    """Return the names of people, places, products and the like: capitalized words other than the first, and acronyms.

    Not the names of days and months, and nothing of a text in capitals.
    """
    asked = _QUOTED.sub(" ", plain(text))
    words = _LATIN_WORD.findall(asked)
    if 2 * sum(word[0].isupper() for word in words) > len(words):
        return ()
    known = set(identifiers(asked))
    found = (one for one in _PROPER.findall(asked) if one not in known and one.lower() not in CALENDAR | STOP_WORDS)
    return tuple(dict.fromkeys(found))[:MAX_ENTITIES]


def words_in(text: str) -> frozenset[str]:
    """Return the words of a text, with identifiers also in parts."""
    split = " ".join(part for name in identifiers(text) for part in parts(name))
    return frozenset(segment(f"{text} {split}").split())
