"""Segment text into search terms, in any script.

Full-text engines disagree about word boundaries and treat a Chinese sentence as one word. So text is segmented here for
both engines and for questions: letters and digits in lower case, without combining marks; scripts without spaces as
single characters and overlapping bigrams. A question searches for the bigrams, which are distinctive, and for a single
character only if it stands alone. The engines only split on spaces, stem, and fold accents.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from satchel.domain.record import Memory

MAX_TERMS = 64
MAX_TERM_CHARS = 128
# Maximum number of characters of a question that are read; more would only be slow.
MAX_QUESTION_CHARS = 20_000

# More letters than any text in earnest has.
MAX_KNOWN_LETTERS = 50_000

# Scripts without spaces: Han, Kana, Bopomofo, Hangul, Thai, Lao, Myanmar, Khmer, and the supplementary Han planes.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# The ranges include punctuation, which is excluded here. A run of one kind ends where the other begins.
_UNSPACED_RUN = f"(?:(?=[{UNSPACED}])[^\\W_])+"
_SPACED_RUN = f"(?:(?![{UNSPACED}])[^\\W_])+"
# Letters in lower case, digits, and a space for anything else.
_ASCII_LETTERS = {code: chr(code).lower() if chr(code).isalnum() else " " for code in range(128)}

# Words of phrasing, not of content.
_STOP_WORDS = (
    "a an and are as at be been being but by can could did do does doing for from had has have having he "
    "her hers him his how i if in into is it its just me might my no nor not of on or our ours shall she "
    "should so some such than that the their them then there these they this those to too up us was we "
    "were what when where which while who whom whose why will with would you your yours 什么 什麼 怎么 怎麼 为什 為什 "
    "么是 我们 我們 你们 你們 他们 他們 哪个 哪個 哪里 哪裡 是否 的是 吗 嗎 呢 的 是 了 "
    # Russian and Ukrainian
    "а без бы был была были было быть в во вот все вы где да для до его ее если есть же за и из или им их к как какая какие "
    "какой какую когда который которая кто куда ли меня мне мои мой моя мы на над нам нас наш наша не него нет о об он она они "
    "от откуда по под почему при с сколько со так там то тоже ты у чего чем что чтобы чья это этот я де коли чому як який яка "
    "які хто що це скільки мій моя "
    # Arabic
    "متى اين أين من ما ماذا هل كيف لماذا كم اي أي هو هي هم في على الى إلى عن مع هذا هذه ذلك تلك كان كانت التي الذي أنا انا نحن "
    # Hebrew
    "מתי איפה היכן מי מה איך למה מדוע כמה האם איזה איזו אילו של את על עם זה זו זאת הוא היא הם אני אנחנו שלי שלנו היה הייתה "
    # Korean, as bigrams
    "언제 어디 누가 누구 무엇 무슨 어떤 어떻 떻게 왜 얼마 몇 뭐 뭐야 뭐지 제야 제지 디야 구야 인가 가요 나요 습니 니까 "
    # Japanese, as bigrams
    "いつ どこ だれ なに なぜ です ます すか "
    # Greek
    "πότε που πού ποιος ποια ποιο πώς πως γιατί τι ο η το οι τα του της των και με σε στο στη στον στην για από είναι "
)
STOP_WORDS = frozenset(_STOP_WORDS.casefold().split())


def segment(text: str) -> str:
    """Return the terms of a text, separated by spaces, for a full-text engine."""
    if text.isascii():
        # Fast path for most text: every run is a term, in a tenth of the time. Most memories have no title and no tags.
        return " ".join(_ascii_runs(text)) if text else ""
    return " ".join(
        term for run in _runs(text) for term in (_unigrams_and_bigrams(run) if _is_unspaced(run) else [run])
    )


def search_text(memory: Memory) -> str:
    """Return all searchable terms of a memory."""
    return segment(" ".join((memory.title or "", memory.text, *memory.tags, *memory.keywords)))


def question_terms(question: str) -> tuple[str, ...]:
    """Return the content terms of a question, at most MAX_TERMS."""
    return content_terms(question)[:MAX_TERMS]


def content_terms(question: str) -> tuple[str, ...]:
    """Return the distinct terms of a question without stop words, in order.

    A question of stop words only keeps them: "the who" is a band.
    """
    terms = list(dict.fromkeys(_terms(question[:MAX_QUESTION_CHARS])))
    content = [term for term in terms if term not in STOP_WORDS]
    return tuple(content or terms)


def text_terms(text: str) -> frozenset[str]:
    """Return every searchable term of a text, up to MAX_QUESTION_CHARS."""
    read = text[:MAX_QUESTION_CHARS]
    if read.isascii():
        # Same result as below, in a tenth of the time.
        return frozenset(_ascii_runs(read))
    return frozenset(segment(read).split())


def _terms(text: str) -> Iterator[str]:
    for run in _runs(text):
        if _is_unspaced(run) and len(run) > 1:
            yield from _bigrams(run)
        else:
            yield run


def _runs(text: str) -> Iterator[str]:
    plain = fold(text)
    if plain.isascii():
        yield from _ascii_runs(plain)
        return
    for run in _runs_pattern().findall(plain):
        yield run if _is_unspaced(run) else run[:MAX_TERM_CHARS]


def _ascii_runs(text: str) -> list[str]:
    runs = text.translate(_ASCII_LETTERS).split()
    is_long = len(text) > MAX_TERM_CHARS and max(map(len, runs), default=0) > MAX_TERM_CHARS
    return [run[:MAX_TERM_CHARS] for run in runs] if is_long else runs


@cache
def _runs_pattern() -> re.Pattern[str]:
    # Compiled on first use: it takes longer than most commands in total, and most text is ASCII.
    return re.compile(f"{_UNSPACED_RUN}|{_SPACED_RUN}")


def fold(text: str) -> str:
    """Return a text in lower case, in compatible characters and without combining marks."""
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    # Engines differ on whether a combining mark without a precomposed letter ends a word.
    return folded.translate(_WITHOUT_MARKS)


class _WithoutMarks(dict[int, int | None]):
    """A table for `str.translate` that removes combining marks; it looks each letter up once."""

    def __missing__(self, code: int) -> int | None:
        if len(self) == MAX_KNOWN_LETTERS:
            self.clear()
        kept = self[code] = None if unicodedata.category(chr(code))[0] == "M" else code
        return kept


_WITHOUT_MARKS = _WithoutMarks()


def _is_unspaced(run: str) -> bool:
    return not run.isascii() and _unspaced_pattern().match(run) is not None


@cache
def _unspaced_pattern() -> re.Pattern[str]:
    return re.compile(_UNSPACED_RUN)


def _unigrams_and_bigrams(run: str) -> list[str]:
    return [*run, *_bigrams(run)]


def _bigrams(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)]
