"""Analyze a question about evidence with tables and rules: terms, names, periods and intent, separated from its phrasing."""

import re
from collections.abc import Sequence

from msgspec import Struct

from satchel.domain.periods import Period, periods
from satchel.domain.words import MAX_TERMS, STOP_WORDS, content_terms

MAX_PHRASES = 4
MAX_PHRASE_CHARS = 200

# Phrases that ask for something or refer to a conversation: "me" and "our" in them say nothing about who spoke.
REQUEST_PHRASES = (
    r"(?:can|could|would|will) you (?:please )?(?:tell|remind|show|give|list|walk|help|summari[sz]e|explain|describe)(?: me)?"
    r"(?: (?:through|of|about|with|a|the|an|list of|summary of))*",
    r"(?:please )?(?:tell|remind|show) me(?: (?:of|about|again|what|how))?",
    r"(?:do|can|did) you (?:still )?(?:remember|recall|know)",
    r"i (?:was |am )?(?:just )?(?:wondering|curious|trying to remember)(?: (?:if|about|whether))?",
    r"(?:i(?:'m| am|'ve been| was| wanted to| want to|'d like to) (?:just )?"
    r"(?:go|look|think|check|follow|refer|com|return)(?:e|ing)?(?: back| up| again| over)? )?"
    r"(?:throughout|across|during|in|from|over|to|at|on|about|through) (?:all )?(?:of )?"
    r"(?:our|my|the|these|this|previous|past) (?:previous |past |earlier |last )?"
    r"(?:conversations?|chats?|discussions?|sessions?|messages|questions)",
    r"according to (?:our|my|the) (?:conversations?|chats?|notes)",
    r"请问|請問|告诉我|告訴我|提醒我|还记得|還記得|你知道",
)
# Phrasing, not content: removed from the searched terms and from the embedded text.
STOP_PHRASES = (
    *REQUEST_PHRASES,
    r"(?:what|which|how \w+|when|where|who) (?:did|have|had|do) (?:i|we) (?:mention|say|tell you|talk about|bring up|discuss)",
    r"(?:that |which |as )?(?:i|we)(?:'ve| have| had)? (?:mentioned|said|told you|talked about|brought up|discussed)",
    r"(?:did|have|has|had) (?:i|we)(?: ever)? (?:mention|say|tell you)(?: that)?",
    r"(?:the )?(?:chronological )?order in which",
    r"in (?:chronological |the (?:right |correct )?)?order",
    r"mention (?:only|exactly)(?: and only)?(?: \w+ items?)?",
    r"(?:only )?(?:and only )?(?:two|three|four|five|six|seven|eight|nine|ten|\d{1,2}) items?",
    r"different (?:aspects|kinds|types|parts) of",
)
# Words of phrasing beyond the stop words: question words, auxiliaries, contractions.
QUESTION_WORDS = STOP_WORDS | frozenset(
    [
        "about",
        "am",
        "any",
        "during",
        "many",
        "much",
        "ever",
        "don",
        "didn",
        "doesn",
        "isn",
        "wasn",
        "weren",
        "t",
        "s",
        "d",
        "ve",
        "ll",
        "m",
        "re",
        "let",
        "please",
        "tell",
        "know",
        "mention",
        "mentioned",
    ]
)

_FIRST_PERSON = re.compile(r"\b(?:i|i'm|i've|i'd|i’m|i’ve|my|me|mine|myself|we|our|us)\b|我", re.IGNORECASE)
_STATEMENT_VERBS = (
    "sa(?:y|id)|tell|told|suggest|recommend|mention|g[ai]ve|provide|list|explain|advise|wr[io]te|share|describe|propose"
)
_SECOND_PERSON = re.compile(
    rf"\b(?:did|have|had) you\b|(?<!can )(?<!could )(?<!would )(?<!will )\byou(?:'ve|’ve| have| had)? (?:just |previously |already |also )?(?:{_STATEMENT_VERBS})\w*\b"
    r"|\byour (?:last |previous |earlier )?(?:suggestion|recommendation|advice|answer|list|explanation|reply|response)"
    r"|你(?:说|說|建议|建議|推荐|推薦|提到|告诉|告訴)",
    re.IGNORECASE,
)
_SEEKS_TIME = re.compile(
    r"\bwhen\b|\b(?:what|which) (?:date|day|month|year|time|week)\b|\bhow long\b|\bhow many (?:days|weeks|months|years|hours)\b"
    r"|什么时候|什麼時候|哪天|哪一天|哪年|何时|何時|几号|幾號|多久",
    re.IGNORECASE,
)
_AUXILIARY = r"(?:is|are|was|were|do|does|did|has|have|had|can|could|should|would|will|might|must)\b"
# Words that end like a plural but do not signal several answers.
_NOT_PLURAL = r"(?:this|always|plus|news|bus|gas|lens|series|thus|yes|us)\b"
_SEEKS_SEVERAL = re.compile(
    rf"\b(?:what|which)(?: (?!{_AUXILIARY})[\w'’-]+){{0,2}} (?!{_AUXILIARY}|{_NOT_PLURAL})(?:\w{{2,}}[^su\W]s|people|children)\b"
    r"|\bwhat (?:are|were)\b|\bhow (?:many|often)\b|\bin (?:what|which) ways\b|\b(?:list|name) (?:all|the|some|every)\b"
    r"|\ball (?:the|of|my)\b|\border in which\b|\bover time\b|哪些|哪几|哪幾|多少|几次|幾次|所有|列出",
    re.IGNORECASE,
)
_SEEKS_SUMMARY = re.compile(r"\b(?:summar|overview|recap)|总结|總結|概括|概述|回顾|回顧", re.IGNORECASE)
_SEEKS_HELP = re.compile(
    r"\bhow (?:do|can|could|should|would|might|to)\b|\bwhat (?:should|would|could|can|do) (?:i|you|we)\b"
    r"|\b(?:suggest|recommend|advi[cs]e|tips?|ideas?|help me|explain|walk me through|best way|good (?:option|way|choice))"
    r"|怎么|怎麼|如何|建议|建議|推荐|推薦|帮我|幫我|该不该|該不該",
    re.IGNORECASE,
)
# Questions about the past, not about what to do.
_LOOKS_BACK = re.compile(
    r"\b(?:did|have|had|was|were) (?:i|we|you)\b|\bi(?:['’]ve| have| had)? (?:mention|said|told|brought|discuss)"
    r"|\border in which\b|上次|之前|以前|当时|當時",
    re.IGNORECASE,
)
_QUOTED = re.compile(
    r"\"([^\"\n]{3,200})\"|“([^”\n]{2,200})”|「([^」\n]{2,200})」|《([^》\n]{2,200})》|`([^`\n]{3,200})`"
)


class QuestionAnalysis(Struct, frozen=True):
    """The parts and the intent of a question."""

    text: str
    """The text to embed: without stop phrases and speaker names."""
    terms: tuple[str, ...]
    """The terms to search for."""
    phrases: tuple[str, ...] = ()
    """Text in quotation marks."""
    names: tuple[str, ...] = ()
    """The speakers that it names."""
    periods: tuple[Period, ...] = ()
    dropped: tuple[str, ...] = ()
    """The stop phrases that were removed."""
    seeks_time: bool = False
    """Whether it asks when."""
    seeks_several: bool = False
    """Whether it has several answers."""
    seeks_summary: bool = False
    """Whether it asks for a summary."""
    seeks_help: bool = False
    """Whether it asks what to do rather than about the past."""
    of_asker: bool = False
    """Whether it asks about what the user said."""
    of_assistant: bool = False
    """Whether it asks about what the assistant said."""


def analyze_question(
    question: str, now: int, speakers: Sequence[str] = (), *, stop_phrases: bool = True
) -> QuestionAnalysis:
    """Analyze a question asked at a moment (`now`) about a conversation between some speakers."""
    plain, dropped = _without(STOP_PHRASES, question) if stop_phrases else (question, ())
    names = tuple(name for name in speakers if _names(name, question))
    of_assistant = _SECOND_PERSON.search(question) is not None
    seeks_help = not of_assistant and _SEEKS_HELP.search(question) is not None and _LOOKS_BACK.search(question) is None
    # Help depends on who asks for it; in other questions, "remind me" does not say whose words are sought.
    about = question if seeks_help else _without(REQUEST_PHRASES, question)[0]
    return QuestionAnalysis(
        text=remove_names(plain, names),
        # Names count through the speaker prior; as a term, a name occurs in every turn of that speaker.
        terms=_terms(remove_names(plain, names)) or _terms(plain) or content_terms(question)[:MAX_TERMS],
        phrases=_phrases(question),
        names=names,
        periods=periods(question, now),
        dropped=dropped,
        seeks_time=_SEEKS_TIME.search(question) is not None,
        seeks_several=_SEEKS_SEVERAL.search(question) is not None,
        seeks_summary=_SEEKS_SUMMARY.search(question) is not None,
        seeks_help=seeks_help,
        of_asker=not of_assistant and _FIRST_PERSON.search(about) is not None,
        of_assistant=of_assistant,
    )


def remove_names(text: str, names: Sequence[str]) -> str:
    """Return a text without some names, which would outweigh its content. A text that is only names stays unchanged."""
    # Names are capitalized, unless the whole text is in lower case.
    flags = re.IGNORECASE if text == text.lower() else 0
    # Most texts hold none of the names, and a substring check is faster than a pattern of them all.
    words = {
        word for name in names for word in name.split() if len(word) > 1 and (word.lower() if flags else word) in text
    }
    if not words:
        return text
    listed = "|".join(re.escape(word) for word in sorted(words, key=lambda word: (-len(word), word)))
    left = re.sub(rf"(?<!\w)(?:{listed})(?:['’]s)?(?!\w)", "", text, flags=flags)
    left = re.sub(r"[ \t]{2,}", " ", left).strip(" ,:")
    return left if any(letter.isalnum() for letter in left) else text


def _terms(text: str) -> tuple[str, ...]:
    return tuple(term for term in content_terms(text) if term not in QUESTION_WORDS)[:MAX_TERMS]


def _without(phrases: Sequence[str], question: str) -> tuple[str, tuple[str, ...]]:
    dropped: list[str] = []
    left = question
    for pattern in phrases:
        bounded = pattern if not pattern.isascii() else rf"\b(?:{pattern})\b"
        dropped += [" ".join(one.group().split()).lower() for one in re.finditer(bounded, left, re.IGNORECASE)]
        left = re.sub(bounded, " ", left, flags=re.IGNORECASE)
    left = " ".join(left.split())
    # A question that consists of such phrases only stays unchanged.
    return (left, tuple(dropped)) if any(map(str.isalnum, left)) else (question, ())


def _names(name: str, question: str) -> bool:
    words = [word for word in name.split() if len(word) > 1 and word.lower() not in STOP_WORDS]
    flags = re.IGNORECASE if question == question.lower() else 0
    return any(re.search(rf"(?<!\w){re.escape(word)}(?!\w)", question, flags) for word in words)


def _phrases(question: str) -> tuple[str, ...]:
    found = (next(filter(None, one.groups()), "") for one in _QUOTED.finditer(question))
    return tuple(phrase.strip()[:MAX_PHRASE_CHARS] for phrase in found if phrase.strip())[:MAX_PHRASES]
