"""How text becomes search terms, in any script.

Full-text engines disagree about what a word is, and leave a Chinese sentence as one. So text is cut here, once, for
both engines and for questions alike: letters and digits in lower case, without combining marks, and runs of scripts
that are written without spaces as single characters and overlapping pairs. A question asks for the pairs, which are
telling; only a lone character asks for itself. The engines are left to split on spaces, stem, and fold accents.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import cache

from satchel.domain.record import Memory

MAX_TERMS = 64
MAX_TERM_CHARS = 128
# More of a question than this is never read: it would only slow the answer down.
MAX_QUESTION_CHARS = 20_000

# The letters of scripts that are written without spaces:
# Han, Kana, Bopomofo, Hangul, Thai, Lao, Myanmar, Khmer, and the Han planes beyond the first.
UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff"
    "\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
# These ranges hold punctuation as well, which is part of no word. A run of one sort ends where the other begins.
_UNSPACED_RUN = f"(?:(?=[{UNSPACED}])[^\\W_])+"
_SPACED_RUN = f"(?:(?![{UNSPACED}])[^\\W_])+"
_ASCII_RUN = re.compile(r"[0-9a-z]+")

# What a question is phrased with, not what it is about.
_STOP_WORDS = (
    "a an and are as at be been being but by can could did do does doing for from had has have having he "
    "her hers him his how i if in into is it its just me might my no nor not of on or our ours shall she "
    "should so some such than that the their them then there these they this those to too up us was we "
    "were what when where which while who whom whose why will with would you your yours 什么 什麼 怎么 怎麼 为什 為什 "
    "么是 我们 我們 你们 你們 他们 他們 哪个 哪個 哪里 哪裡 是否 的是 吗 嗎 呢 的 是 了 "
)
STOP_WORDS = frozenset(_STOP_WORDS.split())


def segmented(text: str) -> str:
    """Return the terms of a text, spaced, ready for an engine."""
    if text.isascii():
        # Most text is, and then every run is a term: a quarter of the time it takes otherwise.
        return " ".join(run[:MAX_TERM_CHARS] for run in _ASCII_RUN.findall(text.lower()))
    return " ".join(term for run in _runs(text) for term in (_cut(run) if _is_unspaced(run) else [run]))


def search_text(memory: Memory) -> str:
    """Return all the terms that a record is found by."""
    return segmented(" ".join((memory.title or "", memory.text, *memory.tags, *memory.keywords)))


def question_terms(question: str) -> tuple[str, ...]:
    """Return what a question asks about, at most MAX_TERMS of its telling terms."""
    return telling_terms(question)[:MAX_TERMS]


def telling_terms(question: str) -> tuple[str, ...]:
    """Return the distinct terms of a question without stop words, in order.

    A question made of stop words only keeps them: "the who" is a band.
    """
    terms = list(dict.fromkeys(_terms(question[:MAX_QUESTION_CHARS])))
    telling = [term for term in terms if term not in STOP_WORDS]
    return tuple(telling or terms)


def text_terms(text: str) -> frozenset[str]:
    """Return every term that a text is found by, as far as anybody reads it."""
    read = text[:MAX_QUESTION_CHARS]
    if read.isascii():
        # The same as below, in a fifth of the time.
        return frozenset([run[:MAX_TERM_CHARS] for run in _ASCII_RUN.findall(read.lower())])
    return frozenset(segmented(read).split())


def _terms(text: str) -> Iterator[str]:
    for run in _runs(text):
        if _is_unspaced(run) and len(run) > 1:
            yield from _pairs(run)
        else:
            yield run


def _runs(text: str) -> Iterator[str]:
    plain = _plain(text)
    if plain.isascii():
        yield from (run[:MAX_TERM_CHARS] for run in _ASCII_RUN.findall(plain))
        return
    for run in _runs_pattern().findall(plain):
        yield run if _is_unspaced(run) else run[:MAX_TERM_CHARS]


@cache
def _runs_pattern() -> re.Pattern[str]:
    # Compiling the ranges takes longer than most commands need in all, and most text does without.
    return re.compile(f"{_UNSPACED_RUN}|{_SPACED_RUN}")


def _plain(text: str) -> str:
    if text.isascii():
        return text.lower()
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    # What is left of combining marks has no letter of its own; engines differ on whether it ends a word.
    return "".join(letter for letter in folded if unicodedata.category(letter)[0] != "M")


def _is_unspaced(run: str) -> bool:
    return not run.isascii() and re.match(_UNSPACED_RUN, run) is not None


def _cut(run: str) -> list[str]:
    return [*run, *_pairs(run)]


def _pairs(run: str) -> list[str]:
    return [run[start : start + 2] for start in range(len(run) - 1)]
