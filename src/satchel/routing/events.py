"""An event as a moment: "since the last release", "before we shipped 2.1", 上次發布之後.

A question may name an event instead of a date. The moment is taken from the newest record that states that the event has
happened. Releases are stated in many words, so they have patterns of their own; another event has to be stated in its own
words.
"""

import re
from collections.abc import Iterable, Iterator

from msgspec import Struct

from satchel.domain.moment import DAY_MS
from satchel.domain.periods import Period, date_in_words, periods
from satchel.domain.sentences import sentences
from satchel.domain.shorten import shorten
from satchel.domain.words import STOP_WORDS, content_terms, text_terms
from satchel.recall.relevance import word_forms
from satchel.routing.lanes import LaneHit
from satchel.routing.signals import plain

RELEASE_WORDS = (
    r"(?:releas(?:e|es|ed|ing)|deploy(?:s|ed|ment|ments|ing)?|launch(?:es|ed|ing)?|roll(?:ed)?[- ]?out|ship(?:ped|ping|s)?"
    r"|publish(?:ed|ing)?|go-live|went live|version)"
)
RELEASE_HAN = "(?:[发發][布佈版]|上[线線]|部署|[发發]行)"
_WAYS = {
    "since": "since",
    "after": "since",
    "following": "since",
    "before": "before",
    "until": "before",
    "prior to": "before",
}
_NAMED = re.compile(
    rf"\b(?:ever )?(?P<way>{'|'.join(_WAYS)})\s+(?!(?:what|which|when|how)\b)(?P<name>[^,.;:?!\n](?:[^,;:?!\n]{{0,60}}?))"
    r"(?=\s+(?:about|regarding|concerning|with|for|to|what|which|who|why)\b|[,;:?!\n]|\.?\s*$|\.\s)",
    re.IGNORECASE,
)
_NAMED_HAN = re.compile(
    rf"(?:自从|自從|[自从從])?(?P<name>(?:上次|上一次|上[个個]|最近一次|最近的?)?[^，。？！\s]{{0,6}}?{RELEASE_HAN}[^，。？！\s]{{0,4}}?|[vV]?\d+(?:\.\d+)+|版本\s*\d[\d.]*)\s*"
    r"(?:(?P<since>之后|之後|以后|以後|以来|以來|后|後|起)|(?P<before>之前|以前|前))"
)
_VERSION = re.compile(r"(?<![\w.])v?(\d+(?:\.\d+)*)(?![\w]|\.\d)", re.IGNORECASE)
_RELEASE = re.compile(rf"\b{RELEASE_WORDS}\b|{RELEASE_HAN}", re.IGNORECASE)
# A release that has happened, as people and programs write it.
_RELEASED = re.compile(
    r"\b(?:released|deployed|shipped|launched|published|rolled out|went live|is live|is out|now live|tagged)\b"
    r"|\bgit tag\s+(?:-\w+\s+)*v?\d|\b(?:npm|cargo|poetry|uv|pnpm) publish\b|\btwine upload\b|\bgh release create\b"
    rf"|{RELEASE_HAN}(?:了|完成|成功)|(?:已|已经|已經|刚|剛|刚刚|剛剛){RELEASE_HAN}|{RELEASE_HAN}\s*(?:第\s*)?[vV]?\d",
    re.IGNORECASE,
)
# What did not happen yet, or not at all, or not for others.
_NOT_YET = re.compile(
    r"[?？]|\b(?:will|would|should|shall|plan|plans|planned|planning|going to|todo|before|until|if|once|not|never|nobody|cannot"
    r"|can't|could|must|next|tomorrow|to be|wait|waiting|scheduled|want|wants|has to|have to|ready to|about to|failed to|staging"
    r"|sandbox|preview|locally)\b|n't\b|[将將]|准备|準備|计划|計劃|計畫|打算|预计|預計|如果|还没|還沒|尚未|未能|明天|下[周週次]|之前|以前|测试环境|測試環境",
    re.IGNORECASE,
)
_FILLER_WORDS = "last latest previous recent most newest our we they time ago day"
_FILLERS = frozenset(_FILLER_WORDS.split()) | STOP_WORDS
# How many records are looked at for the statement of an event.
MAX_STATEMENTS = 50
SEARCHES = (
    "released",
    "deployed",
    "shipped",
    "launched",
    "published",
    "tagged",
    "发布",
    "發布",
    "上线",
    "上線",
    "部署",
)
MAX_SHOWN_CHARS = 80


class AskedEvent(Struct, frozen=True):
    """An event that a question takes as a moment."""

    said: str
    """The words that name it, with the preposition."""
    name: str
    before: bool
    """Whether the time before it is asked about, and not the time since."""
    versions: tuple[str, ...]
    terms: tuple[str, ...]
    """What a statement of it has to contain."""
    is_release: bool

    @property
    def is_since(self) -> bool:
        """Whether the question says "since", which is always about time."""
        return re.match(r"(?:ever )?since\b", self.said, re.IGNORECASE) is not None


class EventMoment(Struct, frozen=True):
    """When an event happened, and the record that says so."""

    at: int
    statement: str
    whole_day: bool
    """Whether only the day is known."""


def asked_event(query: str) -> AskedEvent | None:
    """Return the event that a question takes as a moment, if it names one."""
    text = plain(query)
    if found := _NAMED_HAN.search(text):
        return _event(found.group(), found["name"], before=found["before"] is not None)
    if found := _NAMED.search(text):
        return _event(found.group(), found["name"], before=_WAYS[found["way"].lower()] == "before")
    return None


def _event(said: str, name: str, *, before: bool) -> AskedEvent | None:
    versions = tuple(_VERSION.findall(name))
    rest = _RELEASE.sub(" ", _VERSION.sub(" ", name))
    rest = re.sub(r"上次|上一次|最近一次|上[个個]|最近的?|版本|[的那]", " ", rest)
    terms = tuple(term for term in content_terms(rest) if term not in _FILLERS) if rest.strip() else ()
    is_release = _RELEASE.search(name) is not None or bool(versions and not terms)
    return AskedEvent(said.strip(), name.strip(), before, versions, terms, is_release) if is_release or terms else None


def searches(event: AskedEvent) -> tuple[str, ...]:
    """Return what to search records for, so that statements of an event are among them."""
    own = " ".join((*event.versions, *event.terms))
    return (*SEARCHES, *([own] if own else [])) if event.is_release else (own,)


def event_moment(event: AskedEvent, found: Iterable[LaneHit], now: int) -> EventMoment | None:
    """Return when an event happened: by the newest statement of it."""
    moments = [moment for one in found for moment in _stated(event, one) if moment.at <= now]
    return max(moments, key=lambda one: (one.at, one.statement), default=None)


def _stated(event: AskedEvent, record: LaneHit) -> Iterator[EventMoment]:
    at = record.recorded_at if record.happened_at is None else record.happened_at
    for line in record.text.splitlines():
        for sentence in sentences(line):
            if _states(event, sentence):
                days = [one for one in periods(sentence, at) if one.until - one.since == DAY_MS and one.since <= at]
                day = days[0].since if days and not days[0].holds(at) else None
                yield EventMoment(
                    at if day is None else day, shorten(sentence.strip(), MAX_SHOWN_CHARS), day is not None
                )


def _states(event: AskedEvent, sentence: str) -> bool:
    if _NOT_YET.search(sentence) or (event.is_release and not _RELEASED.search(sentence)):
        return False
    words = text_terms(sentence)
    has_terms = all(not words.isdisjoint(word_forms(term)) for term in event.terms)
    return has_terms and set(event.versions) <= set(_VERSION.findall(sentence))


def event_period(event: AskedEvent, moment: EventMoment, now: int) -> Period:
    """Return the time before or since an event."""
    if event.before:
        return Period(0, moment.at, event.said)
    return Period(moment.at if moment.whole_day else moment.at + 1, max(now, moment.at) + DAY_MS, event.said)


def moment_taken(event: AskedEvent, moment: EventMoment) -> str:
    """Say which moment was taken for an event."""
    return f'"{event.said}": taken as {date_in_words(moment.at)}, from "{moment.statement}"'


def moment_unknown(event: AskedEvent) -> str:
    """Say that nothing states when an event was."""
    return f'"{event.said}": nothing here says when that was, so the results are of any time'
